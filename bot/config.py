"""The configuration, from the environment and from the file ``.env`` in the working directory.

``.github/OPERATIONS.md`` lists its variables.
"""

from __future__ import annotations

import ipaddress
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal, TypeAlias

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network


class Config(BaseSettings):
    model_config = SettingsConfigDict(env_file=".env", extra="ignore", env_ignore_empty=True)

    discord_token: SecretStr | None = Field(default=None, description="The bot's token from Discord's developer portal")
    database_url: str = Field(
        default="sqlite+aiosqlite:///data/hexgrove.db", description="The database, as an SQLAlchemy URL"
    )
    challenge_hours: float = Field(
        default=24, gt=0, le=24 * 30, description="Hours after which an open challenge expires"
    )
    computer_workers: int = Field(
        default=1, ge=1, le=64, description="Processes in which the computer searches for its turns"
    )
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        default="INFO", description="The lowest level that is logged"
    )
    log_format: Literal["console", "json"] = Field(
        default="console", description="`console` for people, `json` for machines"
    )
    health_file: Path | None = Field(
        default=None,
        description="A file that is touched every 20 seconds while Discord is connected, for health checks",
    )

    shards: int | None = Field(
        default=None,
        ge=1,
        le=16384,
        description="The number of shards, which several processes on PostgreSQL share; by default one process has all",
    )
    metrics_port: int | None = Field(
        default=None,
        ge=1,
        le=65535,
        description="A port that serves `/metrics` in the Prometheus format, `/health` and `/ready`",
    )
    web_port: int | None = Field(
        default=None, ge=1, le=65535, description="A port for the pages of matches; needs `WEB_URL` too"
    )
    web_host: str = Field(default="127.0.0.1", description="The address on which that port listens")
    web_url: str | None = Field(
        default=None,
        pattern=r"^(https://[!-.0-~]+|http://(localhost|127\.0\.0\.1|\[::1\])(:[0-9]+)?)$",
        description="The address at which people reach the pages, such as `https://hexgrove.example.org`",
    )
    web_proxies: str = Field(
        default="127.0.0.1, ::1",
        description="Proxies, as addresses or networks such as `10.0.0.0/8`, whose `X-Forwarded-For` is believed",
    )
    discord_client_id: str | None = Field(
        default=None,
        pattern=r"^[0-9]{15,20}$",
        description="The client id of the application, for the pages as an Activity of Discord",
    )
    discord_client_secret: SecretStr | None = Field(
        default=None, description="The client secret of the application; an Activity needs both and `WEB_URL`"
    )
    metrics_host: str = Field(default="127.0.0.1", description="The address on which that port listens")
    discord_api: str | None = Field(
        default=None,
        pattern=r"^https?://[!-~]+/api/v10$",
        description="A proxy that passes requests on to Discord and keeps its limits, such as `http://proxy:8080/api/v10`",
    )

    @field_validator("web_proxies")
    @classmethod
    def _check_proxies(cls, value: str) -> str:
        _networks(value)
        return value

    @property
    def proxies(self) -> tuple[Network, ...]:
        return _networks(self.web_proxies)

    @property
    def challenge_lifetime(self) -> timedelta:
        return timedelta(hours=self.challenge_hours)

    @classmethod
    def load(cls, **fixed: Any) -> Config:
        """The configuration. Invalid variables are named on standard error, with exit status 2."""
        try:
            return cls(**fixed)
        except ValidationError as error:
            for problem in error.errors():
                print(f"{'.'.join(map(str, problem['loc'])).upper()}: {problem['msg']}", file=sys.stderr)
            raise SystemExit(2) from None


def _networks(text: str) -> tuple[Network, ...]:
    """The networks in a list with commas. Raises ``ValueError``."""
    return tuple(ipaddress.ip_network(each.strip(), strict=False) for each in text.split(",") if each.strip())

"""The configuration, from the environment and from the file ``.env`` in the working directory.

``.github/OPERATIONS.md`` lists its variables.
"""

from __future__ import annotations

import ipaddress
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal, TypeAlias

from pydantic import Field, SecretStr, ValidationError, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from rules.record import encoding_of

_FILE = Path(".env")
Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network


class Config(BaseSettings):
    model_config = SettingsConfigDict(env_file=_FILE, extra="ignore", env_ignore_empty=True)

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
        description="The address at which people reach the pages, without a path, such as `https://hexgrove.example.org`",
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

    @field_validator("*", mode="before")
    @classmethod
    def _strip(cls, value: Any) -> Any:
        """Remove spaces and quotes, which some tools leave around the values of variables."""
        if isinstance(value, str):
            value = value.strip()
            quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
            return value[1:-1] if quoted else value
        return value

    @field_validator("web_url", "discord_api", mode="before")
    @classmethod
    def _without_slash(cls, value: Any) -> Any:
        return value.rstrip("/") if isinstance(value, str) else value

    @field_validator("log_level", "log_format", mode="before")
    @classmethod
    def _in_its_case(cls, value: Any, info: ValidationInfo) -> Any:
        if isinstance(value, str):
            return value.upper() if info.field_name == "log_level" else value.lower()
        return value

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
        """Load the configuration. If variables are invalid, name them on standard error and exit with status 2."""
        try:
            if _FILE.is_file():
                fixed["_env_file_encoding"] = encoding_of(_FILE.read_bytes())
            return cls(**fixed)
        except ValidationError as error:
            for problem in error.errors():
                name, said = str(problem["loc"][0]), problem["msg"]
                if problem["type"] == "string_pattern_mismatch":
                    said = f"this does not fit. Expected: {cls.model_fields[name].description}"
                print(f"{name.upper()}: {said}", file=sys.stderr)
        except UnicodeDecodeError:
            print(f"{_FILE}: this is not plain text; save it as UTF-8", file=sys.stderr)
        except OSError as error:
            print(f"{_FILE}: {error.strerror}", file=sys.stderr)
        raise SystemExit(2) from None


def _networks(text: str) -> tuple[Network, ...]:
    """The networks in a comma-separated list. Raises ``ValueError``."""
    return tuple(ipaddress.ip_network(part.strip(), strict=False) for part in text.split(",") if part.strip())

"""The doors to the pages of matches: keys to watch, tokens to enter, and sessions."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache

from bot.domain.players import Player
from bot.domain.refusals import DomainError
from rules.text import gettext_noop

#: How long a token is valid, and how long a session lasts after its last use: in a browser, and in a Discord Activity,
#: where a new session begins automatically.
TOKEN_LIFETIME = timedelta(minutes=10)
SESSION_LIFETIME = timedelta(days=30)
ACTIVITY_LIFETIME = timedelta(hours=12)
#: A session's last use is stored again after this time.
USE_NOTED_AFTER = timedelta(hours=1)
#: Maximum sessions of a player, of each kind; another session ends the oldest.
MOST_SESSIONS = 20
_BYTES = 32
_KEY_BYTES = 16
_KEY = re.compile(r"([1-9][0-9]{0,9})-([\w-]{22})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Invitation:
    """The player whom a token lets in, and the match to which it leads (None: the list of matches)."""

    player: Player
    match_id: int | None


@dataclass(frozen=True, slots=True)
class Session:
    """A signed-in browser of a player, or an Activity that Discord shows to the player."""

    id: int
    player_id: int
    begun_at: datetime
    used_at: datetime
    in_activity: bool = False

    def has_ended(self, now: datetime) -> bool:
        return now - self.used_at >= (ACTIVITY_LIFETIME if self.in_activity else SESSION_LIFETIME)


class UnusableTokenError(DomainError):
    """The token is unknown, used or expired."""

    template = gettext_noop("This link has been used already, or is older than ten minutes. Get a new one on Discord.")


def new_secret() -> str:
    """A secret of 256 random bits, for a token or a session."""
    return secrets.token_urlsafe(_BYTES)


def hashed(secret: str) -> str:
    """The form in which a secret is stored."""
    return hashlib.sha256(secret.encode()).hexdigest()


@lru_cache(1000)  # everybody who watches a match uses the same key
def match_key(secret: str, match_id: int) -> str:
    """The key with which anybody may watch a match: its number and 128 bits derived from the ``secret``."""
    code = hmac.digest(secret.encode(), b"match %d" % match_id, "sha256")[:_KEY_BYTES]
    return f"{match_id}-{urlsafe_b64encode(code).rstrip(b'=').decode()}"


def match_of_key(secret: str, key: str) -> int | None:
    """The match to which a key belongs; None if it is wrong."""
    found = _KEY.fullmatch(key)
    if found is None:
        return None
    match_id = int(found[1])
    return match_id if hmac.compare_digest(match_key(secret, match_id), key) else None

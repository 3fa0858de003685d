"""What players and servers have chosen."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Bottom(enum.StrEnum):
    """What a player wants to see at the bottom of the board, beside one of the fixed orientations."""

    AS_IS = "as-is"
    MY_SIDE = "my-side"


class Confirmation(enum.StrEnum):
    """Which turns are asked about before they count."""

    ALWAYS = "always"
    RISKY = "risky"
    NEVER = "never"


class Outside(enum.StrEnum):
    """What a player is called where they are not known: on servers where they do not play, and outside of servers."""

    ACCOUNT = "account"
    USERNAME = "username"
    HIDDEN = "hidden"


#: A hexagon can be laid on itself in so many ways: 6 turns, each of them mirrored or not.
ORIENTATIONS = 12


@dataclass(frozen=True, slots=True)
class Preferences:
    """How a player wants to see and play. A theme or language of None is the usual one.

    ``orientation`` is what is at the bottom, or the number of a fixed orientation from 0 to 11.
    """

    theme: str | None = None
    orientation: Bottom | int = Bottom.AS_IS
    coordinates: bool = True
    confirmation: Confirmation = Confirmation.RISKY
    pings: bool = True
    language: str | None = None
    outside: Outside = Outside.ACCOUNT


class PlayIn(enum.StrEnum):
    """Where a server wants its matches: in the channel of the challenge while that is free, or each in a thread."""

    CHANNEL = "channel"
    THREAD = "thread"


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """How a server wants to be played in. A theme or language of None is the usual one.

    Without ``channel_ids`` every channel will do, and without ``challenger_role_id`` everybody may challenge.
    """

    play_in: PlayIn = PlayIn.CHANNEL
    channel_ids: frozenset[int] = frozenset()
    challenger_role_id: int | None = None
    theme: str | None = None
    language: str | None = None

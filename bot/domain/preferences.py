"""What players and servers have chosen."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Bottom(enum.StrEnum):
    """What a player wants at the bottom of the board, if not one of the fixed orientations."""

    AS_IS = "as-is"
    MY_SIDE = "my-side"


class Confirmation(enum.StrEnum):
    """Which turns the player is asked to confirm."""

    ALWAYS = "always"
    RISKY = "risky"
    NEVER = "never"


class Outside(enum.StrEnum):
    """The name of a player on servers where they do not play, and outside servers."""

    ACCOUNT = "account"
    USERNAME = "username"
    HIDDEN = "hidden"


#: The symmetries of a hexagon: 6 rotations, each of them mirrored or not.
ORIENTATIONS = 12


@dataclass(frozen=True, slots=True)
class Preferences:
    """How a player wants to see and play. A theme or language of None is the default.

    ``orientation`` is what is at the bottom, or the number of a fixed orientation from 0 to 11. With ``at_once``, a
    turn that is put together with buttons is played as soon as it is complete, unless ``confirmation`` asks about it.
    """

    theme: str | None = None
    orientation: Bottom | int = Bottom.AS_IS
    coordinates: bool = True
    confirmation: Confirmation = Confirmation.RISKY
    at_once: bool = False
    pings: bool = True
    language: str | None = None
    outside: Outside = Outside.ACCOUNT


class PlayIn(enum.StrEnum):
    """Where the matches of a server are played: in the channel of the challenge if it is free, or always in threads."""

    CHANNEL = "channel"
    THREAD = "thread"


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """How a server wants to be played in. A theme or language of None is the default.

    Without ``channel_ids``, every channel is allowed; without ``challenger_role_id``, everybody may challenge.
    """

    play_in: PlayIn = PlayIn.CHANNEL
    channel_ids: frozenset[int] = frozenset()
    challenger_role_id: int | None = None
    theme: str | None = None
    language: str | None = None

"""The preferences of players, the settings of servers, and whom to ping when."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from bot.domain.players import Player
from bot.domain.refusals import DomainError
from bot.domain.timers import Timer, TimerKind
from rules.text import gettext_noop


class Bottom(enum.StrEnum):
    """The side at the bottom of the board, for players without a fixed orientation."""

    AS_IS = "as-is"
    MY_SIDE = "my-side"


class Confirmation(enum.StrEnum):
    """When the bot asks before playing a turn."""

    #: Always.
    ALWAYS = "always"
    #: Before risky turns, and before all turns made with buttons.
    RISKY = "risky"
    #: Before risky turns only.
    AT_ONCE = "at-once"
    #: Never.
    NEVER = "never"


class Outside(enum.StrEnum):
    """The name under which a player appears outside servers, and on servers where they do not play."""

    ACCOUNT = "account"
    USERNAME = "username"
    HIDDEN = "hidden"


#: After so many turns that a player puts together with buttons, the bot offers to play such turns without asking.
TURNS_BEFORE_OFFER = 3
#: The symmetries of a hexagon: six rotations, each with or without a reflection.
ORIENTATIONS = 12
#: The minutes of a day.
MINUTES_A_DAY = 24 * 60


@dataclass(frozen=True, slots=True)
class Preferences:
    """The preferences of a player. A theme or language of None is the default.

    ``orientation`` is the side at the bottom, or the number of a fixed orientation from 0 to 11. Pings wait between
    ``quiet_from`` and ``quiet_to``, and the digest comes daily at ``digest_at``; these are minutes of the day in
    ``time_zone``. A digest that cannot be delivered is turned off, and ``digest_refused`` is set until the player
    knows. Direct messages use ``direct_language`` unless the player has chosen a ``language``. ``turns_by_buttons``
    counts up to ``TURNS_BEFORE_OFFER``.
    """

    theme: str | None = None
    orientation: Bottom | int = Bottom.AS_IS
    coordinates: bool = True
    confirmation: Confirmation = Confirmation.RISKY
    pings: bool = True
    language: str | None = None
    outside: Outside = Outside.ACCOUNT
    time_zone: tzinfo = UTC
    quiet_from: int | None = None
    quiet_to: int | None = None
    digest_at: int | None = None
    direct_language: str | None = None
    digest_refused: bool = False
    turns_by_buttons: int = 0

    def quiet_until(self, now: datetime) -> datetime | None:
        """The end of the current quiet hours; None outside them."""
        if self.quiet_from is None or self.quiet_to is None:
            return None
        local = now.astimezone(self.time_zone)
        minute = local.hour * 60 + local.minute
        length = self.quiet_to - self.quiet_from
        if length != MINUTES_A_DAY and (minute - self.quiet_from) % MINUTES_A_DAY >= length % MINUTES_A_DAY:
            return None
        end = local.date() if minute < self.quiet_to else local.date() + timedelta(days=1)
        return self._moment(end, self.quiet_to, local.fold)

    def digests_around(self, now: datetime) -> tuple[datetime, datetime] | None:
        """When the last digest was due, and when the next one is due; None without digests."""
        if self.digest_at is None:
            return None
        today = now.astimezone(self.time_zone).date()
        due = [self._moment(today + timedelta(days=days), self.digest_at) for days in (-1, 0, 1)]
        return max(at for at in due if at <= now), min(at for at in due if at > now)

    def _moment(self, day: date, minute: int, fold: int = 0) -> datetime:
        """The time of a minute in the player's zone; if clocks go back and the minute comes twice, ``fold`` is which.

        Minute 1440 is the midnight at the end of the day.
        """
        days, minute = divmod(minute, MINUTES_A_DAY)
        day += timedelta(days=days)
        shown = datetime.combine(day, time(minute // 60, minute % 60, fold=fold), self.time_zone)
        return shown.astimezone(UTC)


class PlayIn(enum.StrEnum):
    """Where a server plays: in the channel of the challenge if it is free, or always in threads."""

    CHANNEL = "channel"
    THREAD = "thread"


class BoardCards(enum.StrEnum):
    """How a channel shows a match: by one living card, or by a card for every turn."""

    LIVING = "living"
    EVERY_TURN = "every-turn"

    @property
    def other(self) -> BoardCards:
        return BoardCards.EVERY_TURN if self is BoardCards.LIVING else BoardCards.LIVING


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """The settings of a server. A theme or language of None is the default.

    Without ``channel_ids``, every channel is allowed; without ``challenger_role_id``, everybody may challenge. Channels
    in ``other_cards_in`` show matches by the other kind of board cards. ``strangers`` is whether matches with people
    from elsewhere may be shown on the server.
    """

    play_in: PlayIn = PlayIn.CHANNEL
    channel_ids: frozenset[int] = frozenset()
    challenger_role_id: int | None = None
    theme: str | None = None
    language: str | None = None
    board_cards: BoardCards = BoardCards.LIVING
    other_cards_in: frozenset[int] = frozenset()
    puzzle_channel_id: int | None = None
    strangers: bool = True

    def board_cards_in(self, channel_ids: Iterable[int | None]) -> BoardCards:
        """The kind of board cards in a channel, or in a thread with its own id and its channel's."""
        return self.board_cards if self.other_cards_in.isdisjoint(channel_ids) else self.board_cards.other


class InvalidSettingError(DomainError):
    template = gettext_noop("“{value}” is not possible here. Please choose from the list.")


@dataclass(frozen=True, slots=True)
class Pings:
    """The people to ping ``now``, and the timers of people in their quiet hours."""

    now: tuple[Player, ...]
    later: tuple[Timer, ...]

    @classmethod
    def to(cls, players: Iterable[Player], preferences: Mapping[int, Preferences], time: datetime) -> Pings:
        """Sort people by their ``preferences``. Deleted players have none, and get no ping."""
        wanted = [player for player in players if player.id in preferences and preferences[player.id].pings]
        ends = {player.id: preferences[player.id].quiet_until(time) for player in wanted}
        now = tuple(player for player in wanted if ends[player.id] is None)
        later = (Timer(TimerKind.QUIET_END, player_id, end) for player_id, end in ends.items() if end is not None)
        return cls(now, tuple(later))

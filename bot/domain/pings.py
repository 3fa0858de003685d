"""The people to ping now, after their quiet hours, or never."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from bot.domain.players import Player
from bot.domain.preferences import Preferences
from bot.domain.timers import Timer, TimerKind


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
        return cls(now, tuple(Timer(TimerKind.QUIET_END, each, end) for each, end in ends.items() if end is not None))

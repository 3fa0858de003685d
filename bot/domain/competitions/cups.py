"""Cups: their terms and groups, and who loses a game at its hard end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeVar

from bot.domain.matches import Match, Step, mainline, seat_to_act

_Player = TypeVar("_Player")
WEEK = timedelta(days=7)
#: The numbers of entrants to choose from: a cup starts when it has so many.
STARTS_WITH = (4, 5, 6)
#: The numbers of weeks to choose from: a game reaches its hard end after so many.
WEEKS = (2, 3, 4)
#: Maximum number of groups, too, since their winners form one group.
MAX_IN_GROUP = 6
MAX_IN_CUP = MAX_IN_GROUP**2


@dataclass(frozen=True, slots=True)
class Cup:
    """The terms of a cup.

    It starts as soon as it has ``starts_with`` entrants, or else a week after it was opened. A game ends after
    ``weeks`` at the latest. If it ``reopens``, its next edition opens when it starts.
    """

    starts_with: int | None = 5
    weeks: int = 3
    reopens: bool = False

    @property
    def most(self) -> int:
        """Maximum number of entrants."""
        return self.starts_with or MAX_IN_CUP

    @property
    def longest_game(self) -> timedelta:
        return self.weeks * WEEK


def groups_of(players: Sequence[_Player]) -> list[Sequence[_Player]]:
    """Divide players, in order of strength, into groups of similar strength.

    A group has five or six players, or fewer if the number of players does not allow this.
    """
    count = -(-len(players) // MAX_IN_GROUP)
    least, larger = divmod(len(players), count)
    groups, at = [], 0
    for number in range(count):
        size = least + (number < larger)
        groups.append(players[at : at + size])
        at += size
    return groups


@dataclass(frozen=True, slots=True)
class Pause:
    """How long a game under way has waited for a new place, by the seat to act.

    While it waits, ``since`` is the beginning of the wait, and ``left`` the time that was left until the hard end.
    While the game goes on, ``since`` is None.
    """

    times: tuple[timedelta, timedelta] = (timedelta(0), timedelta(0))
    since: datetime | None = None
    left: timedelta = timedelta(0)

    def ended(self, now: datetime, seat: int) -> Pause:
        assert self.since is not None
        first, second = self.times
        last = now - self.since
        return Pause((first + last, second) if seat == 0 else (first, second + last))


def loser_at_hard_end(
    match: Match, steps: Sequence[Step], began_at: datetime, now: datetime, paused: Sequence[timedelta]
) -> int:
    """The id of the player who has used more time since the game began; if both used the same, of the player to act.

    The time between two steps counts for the player to act, including days off. The times ``paused``, by seat, do not
    count. Replays the turns: call it in a thread.
    """
    used, since = [-pause for pause in paused], began_at
    for number, step in enumerate(steps):
        seat = match.seat_of(step.player_id) if step.turn is not None else _seat_after(match, steps[:number])
        used[seat] += step.at - since
        since = step.at
    seat = _seat_after(match, steps)
    used[seat] += now - since
    return match.players[seat if used[seat] >= used[1 - seat] else 1 - seat].id


def _seat_after(match: Match, steps: Iterable[Step]) -> int:
    turns = [step.turn for step in mainline(steps) if step.turn is not None]
    seat = seat_to_act(match.ruleset.replay(turns))
    assert seat is not None, "the game is not over"
    return seat

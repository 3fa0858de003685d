"""The ratings of puzzles, the choice of the next puzzle, and the puzzle of the day."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import cached_property

from bot.domain.refusals import DomainError
from bot.domain.shards import UNSHARDED_BITS
from rules import Event, Position
from rules.puzzles import Puzzle
from rules.text import gettext_noop

#: The puzzle rating of a newcomer, and the ratings of puzzles by difficulty.
START = 1200
RATINGS = {1: 1000, 2: 1400, 3: 1800}
#: The K-factor of Elo's formula: a puzzle changes a rating by at most this much.
_K_FACTOR = 40
#: When the next puzzle of the day begins (UTC), and how long the bot takes to post it everywhere.
_BEGINS = time(6)
_SPAN = timedelta(hours=1)
#: How long the card of a puzzle of the day is updated.
DAILY_CARD_LIFETIME = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Attempt:
    """A player's history with a puzzle: when it was last shown, and whether their first try ``solved`` it."""

    puzzle: str
    difficulty: int
    seen_at: datetime
    solved: bool | None = None


@dataclass(frozen=True, slots=True)
class PuzzleStanding:
    """A player's puzzle rating, how many puzzles they tried and solved at the first try, and the current streak."""

    rating: float = START
    tried: int = 0
    solved: int = 0
    streak: int = 0
    longest: int = 0

    def after(self, difficulty: int, *, solved: bool) -> PuzzleStanding:
        """The standing after one more puzzle."""
        expected = 1 / (1 + 10 ** ((RATINGS[difficulty] - self.rating) / 400))
        streak = self.streak + 1 if solved else 0
        return PuzzleStanding(
            self.rating + _K_FACTOR * (solved - expected),
            self.tried + 1,
            self.solved + solved,
            streak,
            max(streak, self.longest),
        )


def standing(attempts: Iterable[Attempt]) -> PuzzleStanding:
    """The standing after these attempts, in this order."""
    found = PuzzleStanding()
    for attempt in attempts:
        if attempt.solved is not None:
            found = found.after(attempt.difficulty, solved=attempt.solved)
    return found


@dataclass(frozen=True)
class PuzzleStage:
    """How far a player is in a puzzle: turn ``ply`` of the solution is to be found next."""

    puzzle: Puzzle
    ply: int = 0

    @property
    def position(self) -> Position:
        return self._start[0]

    @property
    def events(self) -> tuple[Event, ...]:
        """The events of the turn before the position."""
        return self._start[1]

    @cached_property
    def _start(self) -> tuple[Position, tuple[Event, ...]]:
        if not self.ply:
            return self.puzzle.position, self.puzzle.events
        return self.puzzle.after(self.ply - 1).play(self.puzzle.solution[self.ply - 1])

    @property
    def is_last(self) -> bool:
        """Whether only one turn is left to find."""
        return self.ply == len(self.puzzle.solution) - 1


@dataclass(frozen=True, slots=True)
class FirstTry:
    """The result of a first try, and the standing before and after it; both are the same unless the try ``counts``."""

    solved: bool
    before: PuzzleStanding
    after: PuzzleStanding

    @property
    def counts(self) -> bool:
        return self.after.tried > self.before.tried

    @property
    def change(self) -> int:
        """The change of the rating, in the rounded numbers that are shown."""
        return round(self.after.rating) - round(self.before.rating)


def suitable(
    puzzles: Sequence[Puzzle], attempts: Iterable[Attempt], rating: float, known: Collection[str]
) -> list[Puzzle]:
    """The candidates for a player's next puzzle: new ones, of the ``known`` games if possible, nearest to the rating.

    If two are equally near, only the easier ones qualify. Without new puzzles, it is the puzzle seen longest ago.
    """
    seen_at = {attempt.puzzle: attempt.seen_at for attempt in attempts}
    unseen = [puzzle for puzzle in puzzles if puzzle.key not in seen_at]
    if not unseen:
        return sorted(puzzles, key=lambda puzzle: seen_at[puzzle.key])[:1]

    def away(puzzle: Puzzle) -> tuple[float, int]:
        return abs(RATINGS[puzzle.difficulty] - rating), puzzle.difficulty

    unseen = [puzzle for puzzle in unseen if puzzle.ruleset.game.name in known] or unseen
    nearest = min(map(away, unseen))
    return [puzzle for puzzle in unseen if away(puzzle) == nearest]


@dataclass(frozen=True, slots=True)
class PuzzleCount:
    """How many people have solved a puzzle at the first try, and how many have tried it."""

    solved: int = 0
    tried: int = 0


@dataclass(frozen=True, slots=True)
class DailyPuzzle:
    """A server's puzzle of a day: its key, its message (None: not posted yet), and the count shown there."""

    server_id: int
    day: date
    puzzle: str
    channel_id: int
    count: PuzzleCount
    message_id: int | None = None


def day_of(now: datetime) -> date:
    """The day of the current puzzle; a day begins with its puzzle."""
    return (now - timedelta(hours=_BEGINS.hour)).date()


def next_daily(server_id: int, now: datetime) -> datetime:
    """When a server's next puzzle of the day is due; servers have different minutes, to spread the work."""
    begins = datetime.combine(day_of(now) + timedelta(days=1), _BEGINS, UTC)
    return begins + timedelta(seconds=(server_id >> UNSHARDED_BITS) % _SPAN.total_seconds())


def daily_puzzle(games: Sequence[Sequence[Puzzle]], day: date) -> Puzzle | None:
    """The puzzle of a day, given the puzzles of each game; None without puzzles.

    Each day has one game; a game's puzzles all appear before one appears again.
    """
    games = [puzzles for puzzles in games if puzzles]
    if not games:
        return None
    turn, which = divmod(day.toordinal(), len(games))
    shuffled = sorted(games[which], key=lambda puzzle: puzzle.key)
    return shuffled[turn % len(shuffled)]


class NoPuzzleError(DomainError):
    template = gettext_noop("I have no puzzles of this game yet. {puzzle} without a game shows others.")


class UnknownPuzzleError(DomainError):
    """This version of the bot does not have the puzzle."""

    template = gettext_noop("I no longer have this puzzle. {puzzle} shows another one.")

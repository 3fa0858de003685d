"""The ratings of puzzles, the choice of the next puzzle, and the puzzle of the day."""

from __future__ import annotations

import enum
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
#: Maximum number of wrong tries to list.
MOST_TRIES = 9
#: The difficulty of hard puzzles, and their day of the week (Sunday).
_HARD, _HARD_DAY = 3, 6


class Try(enum.StrEnum):
    """The end of a try of a puzzle: a wrong turn, or the solution, found or shown, which ends the tries."""

    WRONG = "x"
    FOUND = "o"
    SHOWN = "s"


@dataclass(frozen=True, slots=True)
class Attempt:
    """A player's history with a puzzle: when they last saw it, and whether their first try ``solved`` it."""

    puzzle: str
    difficulty: int
    seen_at: datetime
    solved: bool | None = None


@dataclass(frozen=True, slots=True)
class PuzzleProgress:
    """A player's puzzle rating, the numbers of puzzles tried and solved at the first try, and their streaks."""

    rating: float = START
    tried: int = 0
    solved: int = 0
    streak: int = 0
    longest: int = 0

    def after(self, difficulty: int, *, solved: bool) -> PuzzleProgress:
        """The progress after another puzzle."""
        expected = 1 / (1 + 10 ** ((RATINGS[difficulty] - self.rating) / 400))
        streak = self.streak + 1 if solved else 0
        return PuzzleProgress(
            self.rating + _K_FACTOR * (solved - expected),
            self.tried + 1,
            self.solved + solved,
            streak,
            max(streak, self.longest),
        )


def progress_of(attempts: Iterable[Attempt]) -> PuzzleProgress:
    """The progress after these attempts, in this order."""
    found = PuzzleProgress()
    for attempt in attempts:
        if attempt.solved is not None:
            found = found.after(attempt.difficulty, solved=attempt.solved)
    return found


@dataclass(frozen=True)
class PuzzleStage:
    """A player's stage in a puzzle: turn ``ply`` of the solution is to be found next."""

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
        """Whether only the last turn is left to find."""
        return self.ply == len(self.puzzle.solution) - 1


@dataclass(frozen=True, slots=True)
class FirstTry:
    """The result of a first try, and the progress before and after it, which are equal unless the try ``counts``."""

    solved: bool
    before: PuzzleProgress
    after: PuzzleProgress

    @property
    def counts(self) -> bool:
        return self.after.tried > self.before.tried

    @property
    def change(self) -> int:
        """The change of the rating, between the rounded numbers that are shown."""
        return round(self.after.rating) - round(self.before.rating)


def suitable(
    puzzles: Sequence[Puzzle], attempts: Iterable[Attempt], rating: float, known: Collection[str]
) -> list[Puzzle]:
    """The candidates for a player's next puzzle: new ones, of the ``known`` games if possible, nearest to the rating.

    Of two equally near difficulties, only the easier one qualifies. Without new puzzles, the puzzle seen longest ago
    is the only candidate.
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
    """The numbers of people who have solved a puzzle at the first try, and who have tried it."""

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


@dataclass(frozen=True, slots=True)
class DailyResult:
    """A player's tries of the puzzle of a day."""

    day: date
    puzzle: Puzzle
    tries: tuple[Try, ...]


def day_of(now: datetime) -> date:
    """The day of the current puzzle; a day begins with its puzzle."""
    return (now - timedelta(hours=_BEGINS.hour)).date()


def next_daily(server_id: int, now: datetime) -> datetime:
    """When a server's next puzzle of the day is due; the work for all servers is spread over an hour."""
    begins = datetime.combine(day_of(now) + timedelta(days=1), _BEGINS, UTC)
    return begins + timedelta(seconds=(server_id >> UNSHARDED_BITS) % _SPAN.total_seconds())


def daily_puzzle(games: Sequence[Sequence[Puzzle]], day: date) -> Puzzle | None:
    """The puzzle of a day, the same everywhere, given the puzzles of each game; None without puzzles.

    It is hard on Sundays, and easy or medium on other days. Both kinds of days alternate between the games; all
    puzzles of a game that suit the day appear before one of them appears again.
    """
    games = [puzzles for puzzles in games if puzzles]
    if not games:
        return None
    week, weekday = divmod(day.toordinal() - 1, 7)
    is_hard = weekday == _HARD_DAY
    turn, which = divmod(week if is_hard else week * 6 + weekday, len(games))
    suited = [puzzle for puzzle in games[which] if (puzzle.difficulty == _HARD) is is_hard] or games[which]
    shuffled = sorted(suited, key=lambda puzzle: puzzle.key)
    return shuffled[turn % len(shuffled)]


class NoPuzzleError(DomainError):
    template = gettext_noop("I have no puzzles of this game yet. {puzzle} without a game shows others.")


class UnknownPuzzleError(DomainError):
    """This version of the bot does not have the puzzle."""

    template = gettext_noop("I no longer have this puzzle. {puzzle} shows another one.")

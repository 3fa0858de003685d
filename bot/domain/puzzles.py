"""How puzzles are rated, which one is next for a player, and when the puzzle of the day is posted."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from bot.domain.refusals import DomainError, Remedy
from bot.domain.shards import UNSHARDED_BITS
from rules.puzzles import Puzzle
from rules.text import gettext_noop

#: The puzzle rating of somebody who has not tried any, and those of the puzzles by difficulty.
START = 1200
RATINGS = {1: 1000, 2: 1400, 3: 1800}
#: The K-factor of Elo's formula: the most that one puzzle changes a rating by.
_K_FACTOR = 40
#: The time of day, in UTC, at which the next puzzle of the day begins, and in which span of time it is posted.
_BEGINS = time(6)
_SPAN = timedelta(hours=1)
#: For so long the card of a puzzle of the day is kept up to date.
KEPT = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Attempt:
    """What is known of a player and a puzzle: when it was last shown, and how the first try ended (None: not yet).

    Trying a puzzle again is possible and changes nothing of this.
    """

    puzzle: str
    difficulty: int
    seen_at: datetime
    solved: bool | None = None


@dataclass(frozen=True, slots=True)
class PuzzleStanding:
    """A player's puzzle rating, how many puzzles they have tried and solved at the first try, and the streak of those
    that they have solved since the last one that they did not.
    """

    rating: float = START
    tried: int = 0
    solved: int = 0
    streak: int = 0
    longest: int = 0

    def after(self, difficulty: int, *, solved: bool) -> PuzzleStanding:
        """The standing after another puzzle."""
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
    """The standing after these attempts, in their order; it follows from them and is not stored."""
    found = PuzzleStanding()
    for attempt in attempts:
        if attempt.solved is not None:
            found = found.after(attempt.difficulty, solved=attempt.solved)
    return found


@dataclass(frozen=True, slots=True)
class Answered:
    """How a first try ended, and the standing before and after this answer, which are the same unless it ``counts``."""

    solved: bool
    before: PuzzleStanding
    after: PuzzleStanding

    @property
    def counts(self) -> bool:
        return self.after.tried > self.before.tried

    @property
    def change(self) -> int:
        """The change of the rating, as it is shown."""
        return round(self.after.rating) - round(self.before.rating)


def suitable(
    puzzles: Sequence[Puzzle], attempts: Iterable[Attempt], rating: float, known: Collection[str]
) -> list[Puzzle]:
    """The puzzles of which one is next: of those that the player has not seen, if possible of the ``known`` games, the
    ones that are nearest to the rating, easier ones first; if there are none, the one that was seen longest ago.
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
    """How many people have tried a puzzle, and how many have solved it at the first try."""

    solved: int = 0
    tried: int = 0


@dataclass(frozen=True, slots=True)
class DailyPuzzle:
    """The puzzle of a day on a server, by its key, with the message that shows it (None: not posted yet), and the count
    that is on it.
    """

    server_id: int
    day: date
    puzzle: str
    channel_id: int
    count: PuzzleCount
    message_id: int | None = None


def day_of(now: datetime) -> date:
    """The day whose puzzle is current; a day begins when its puzzle does."""
    return (now - timedelta(hours=_BEGINS.hour)).date()


def next_daily(server_id: int, now: datetime) -> datetime:
    """When a server gets the next puzzle of the day: at its own minute, so that not all get it at once."""
    begins = datetime.combine(day_of(now) + timedelta(days=1), _BEGINS, UTC)
    return begins + timedelta(seconds=(server_id >> UNSHARDED_BITS) % _SPAN.total_seconds())


def daily_puzzle(games: Sequence[Sequence[Puzzle]], day: date) -> Puzzle | None:
    """The puzzle of a day, given those of each game: each game has its day, and no puzzle comes again before the game's
    others. None if there are none at all.
    """
    games = [puzzles for puzzles in games if puzzles]
    if not games:
        return None
    turn, which = divmod(day.toordinal(), len(games))
    shuffled = sorted(games[which], key=lambda puzzle: puzzle.key)
    return shuffled[turn % len(shuffled)]


class NoPuzzleError(DomainError):
    """There are no puzzles of the game that was asked for."""

    template = gettext_noop("I have no puzzles of this game yet. {puzzle} without a game shows others.")

    def __init__(self) -> None:
        super().__init__(puzzle=Remedy.PUZZLE)


class UnknownPuzzleError(DomainError):
    """The puzzle is not in the collection of this version."""

    template = gettext_noop("I no longer have this puzzle. {puzzle} shows another one.")

    def __init__(self) -> None:
        super().__init__(puzzle=Remedy.PUZZLE)

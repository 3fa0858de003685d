"""The computer as an opponent: its searches, levels and refusals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from bot.domain.matches import AboutMatchError, Game, Match, Step
from bot.domain.play import check_running
from bot.domain.players import Player
from bot.domain.ratings import NEW, Formula, Rating
from bot.domain.refusals import DomainError
from rules import Ruleset
from rules.puzzles import Puzzle
from rules.search import LEVELS, Advantage
from rules.text import gettext_noop

#: The number of latest games that decide a level's rating; more would not make it more certain.
RATED_GAMES = 100
#: Minimum games for a level's rating.
LEAST_RATED_GAMES = 10
#: The number of latest results that decide the suggested level.
LAST_RESULTS = 2
#: The level for replies in puzzles, and for hints against weaker opponents: fast, because the player is waiting.
HINT_LEVEL = 4


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A search in the position after these turns, at a level. Equal requests have equal results."""

    ruleset: Ruleset
    turns: tuple[str, ...]
    level: int
    seed: int
    #: Whether to give reasons for the turn.
    explained: bool = False


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The turn found, and its value: the chance that the player to act wins, from 0 to 1.

    ``line`` is the expected continuation, beginning with the turn. ``reasons`` are its advantages.
    ``replies`` is the opponent's average value after random turns. ``seconds`` is the CPU time spent.
    """

    turn: str
    value: float
    line: tuple[str, ...] = ()
    reasons: tuple[Advantage, ...] = ()
    replies: float | None = None
    seconds: float = field(default=0.0, compare=False)


@dataclass(frozen=True, slots=True)
class LevelGame:
    """A game that counts for a level's rating: its score (1, ½ or 0), its length, and the opponent's final rating."""

    score: float
    ply: int
    opponent: Rating
    ended_at: datetime


@dataclass(frozen=True, slots=True)
class Exchange:
    """The steps of a match since the person's last decision, which one card shows together.

    ``before`` has the numbers of all these steps but the last. The exchange ``goes_on`` until the computer has played.
    """

    before: range = range(0)
    goes_on: bool = False


def exchange(game: Game, steps: Sequence[Step]) -> Exchange:
    """The exchange on the card of a match; the ``steps`` matter only against the computer."""
    computer = game.match.computer
    if computer is None:
        return Exchange(range(game.step - game.planned, game.step))
    own = _decisions(computer, steps)
    if not own:
        return Exchange(range(1, len(steps)), goes_on=True)
    # After a take-back it is the person's turn, so no other step is shown with it.
    goes_on = game.to_act is not None and game.to_act.id == computer.id
    return Exchange(range(own[-1], len(steps)), goes_on)


def steps_on_past_card(match: Match, steps: Sequence[Step]) -> range:
    """The numbers of the steps that a replaced card shows, but for the last: the person's and the computer's."""
    if match.computer is None or (steps and steps[-1].turn is None):  # the steps before were taken back
        return range(0)
    own = _decisions(match.computer, steps)
    begin = own[-2] + 1 if len(own) > 1 else 1
    return range(begin, len(steps))


def _decisions(computer: Player, steps: Sequence[Step]) -> list[int]:
    """The numbers of the steps that the person made by hand."""
    return [number for number, step in enumerate(steps, 1) if step.player_id != computer.id and not step.planned]


def search_request(game: Game) -> SearchRequest:
    """The search for the computer's turn."""
    match = game.match
    assert match.computer is not None
    assert match.computer.level is not None
    # The number of steps only grows, so the search after a take-back has another seed.
    return SearchRequest(match.ruleset, game.turns, match.computer.level, match.id * 10_000 + game.step)


def gives_hints(match: Match) -> bool:
    """Whether helping a player in the match is fair: it is over, or the opponent is not a person."""
    return not match.between_people or match.result is not None


def check_hints(match: Match) -> None:
    if not gives_hints(match):
        raise UnfairHintError(match)


def hint_request(game: Game) -> SearchRequest:
    """The search for a hint: never weaker than the opponent's, and the same for everybody in a position."""
    opponent = game.match.computer
    level = HINT_LEVEL if opponent is None or opponent.level is None else max(opponent.level, HINT_LEVEL)
    return SearchRequest(game.match.ruleset, game.turns, level, seed=0, explained=True)


def reply_request(puzzle: Puzzle, ply: int, turn: str) -> SearchRequest:
    """The search for the reply to a wrong turn in a puzzle."""
    turns = (*puzzle.turns, *puzzle.solution[:ply], turn)
    return SearchRequest(puzzle.ruleset, turns, HINT_LEVEL, seed=0)


def suggested_level(results: Sequence[tuple[int, float]]) -> int:
    """The level to suggest to a person, from their past results: levels and scores, in order.

    A win leads one level up; two losses in a row against the same level lead one level down.
    """
    if not results:
        return LEVELS[0]
    level, score = results[-1]
    if score == 1:
        return min(level + 1, LEVELS[-1])
    if list(results[-2:]) == [(level, 0), (level, 0)]:
        return max(level - 1, LEVELS[0])
    return level


def has_played(match: Match, player_id: int) -> bool:
    """Whether the person has made a turn in a match against the computer."""
    return match.step > (match.first.id != player_id)


def rematch_levels(match: Match) -> tuple[int, ...]:
    """The levels to offer for a rematch: the same level, the next higher and the next lower.

    The higher one comes last unless the person has won, and is left out if the person resigned before playing.
    """
    computer, result = match.computer, match.result
    assert computer is not None
    assert computer.level is not None
    assert result is not None
    level, person = computer.level, match.opponent_of(computer.id)
    if result.winner_id == person.id:
        offered = [level, level + 1, level - 1]
    elif result.winner_id == computer.id and not has_played(match, person.id):
        offered = [level, level - 1]
    else:
        offered = [level, level - 1, level + 1]
    return tuple(level for level in offered if level in LEVELS)


def offered_levels(match: Match, player_id: int) -> tuple[int, ...]:
    """The levels to offer a player: other levels before their first turn, and all levels for a rematch."""
    if match.computer is None or not match.has_player(player_id) or match.rematch_id is not None:
        return ()
    if match.result is not None:
        return rematch_levels(match)
    return () if has_played(match, player_id) else tuple(level for level in LEVELS if level != match.computer.level)


def check_level_change(match: Match, player_id: int) -> None:
    """Raise unless the player may switch to another level, which is allowed before their first turn."""
    check_running(match, player_id)
    if match.computer is None or has_played(match, player_id):
        raise LevelSettledError


def level_rating(games: Sequence[LevelGame], formula: Formula) -> Rating | None:
    """The rating of a level after its games, oldest first; None after too few. Opponents' ratings do not change."""
    if len(games) < LEAST_RATED_GAMES:
        return None
    rating = NEW
    for game in games:
        rating, _ = formula(rating, game.opponent, game.score, game.ply, game.ended_at)
    return rating


class ComputerBusyError(DomainError):
    """The person cannot begin another game at the level; ``weaker`` is the highest level with room."""

    template = gettext_noop(
        "The computer is too busy for another match at this level. Start at level {level}, or try again in a few "
        "minutes."
    )

    def __init__(self, weaker: int) -> None:
        super().__init__(level=weaker)
        self.weaker = weaker


class UnfinishedGamesError(DomainError):
    template = gettext_noop(
        "You have {count} unfinished matches against the computer. {games} shows them: finish or resign one."
    )


class LevelSettledError(DomainError):
    template = gettext_noop(
        "You have already played in this match. When it is over, the rematch can be one level up or down."
    )


class NotAgainstComputerError(DomainError):
    template = gettext_noop("This match was not against the computer. Ask your opponent for a rematch.")


class UnfairHintError(AboutMatchError):
    template = gettext_noop(
        "Match #{match} is between people, so a hint would not be fair. Hints are for matches against the "
        "computer, and for trying turns in finished matches."
    )


class SamePositionError(DomainError):
    template = gettext_noop(
        "Your match #{match} against a person has exactly this position, so help would not be fair. Ask again "
        "when that match is over."
    )


class StillThinkingError(DomainError):
    template = gettext_noop("I am still thinking about your last question. Please wait for the answer.")


class NothingFoundError(DomainError):
    """The search was broken off, for example because the bot is stopping."""

    template = gettext_noop("My search failed. Please ask me again.")

"""Continuations: casual matches that begin with a position of another match, a puzzle, a task or a lesson."""

from __future__ import annotations

from collections.abc import Iterable

from bot.domain.challenges import First
from bot.domain.matches import AboutMatchError, Game
from bot.domain.refusals import DomainError
from rules import Phase, Position, Ruleset, Side, continued, ruleset_from
from rules.pages import Example
from rules.text import gettext_noop


def from_match(game: Game, ply: int) -> Ruleset:
    """The ruleset of a match that continues a finished one after ``ply`` turns. Raises a refusal.

    Replays the turns: call it outside the event loop.
    """
    if game.match.result is None:
        raise ContinuesRunningMatchError(game.match)
    return from_turns(game.match.ruleset, game.turns[:ply])


def from_turns(ruleset: Ruleset, turns: tuple[str, ...]) -> Ruleset:
    """The ruleset of a match that begins where the turns led. Raises a refusal if they ended the game."""
    if ruleset.replay(turns).phase is Phase.OVER:
        raise NothingToContinueError
    return continued(ruleset, turns)


def from_example(example: Example) -> Ruleset:
    """The ruleset of a match that begins with an example of a page. Raises a refusal."""
    position = example.position()
    if not can_continue(position):
        raise NothingToContinueError
    turns = dict(example.claims[:1]).get("turns")
    return ruleset_from(position) if turns is None else continued(example.ruleset, tuple(turns.split()))


def example_among(content: Iterable[object]) -> Example | None:
    """The first example in a section's content that a match can begin with; None without one."""
    examples = (piece for piece in content if isinstance(piece, Example))
    return next((example for example in examples if can_continue(example.position())), None)


def can_continue(position: Position) -> bool:
    """Whether a match can begin with a position, even on a board smaller than those of usual matches."""
    match position.phase:
        case Phase.OVER:
            return False
        case Phase.PLAY:
            return position.can_stand()
    return position.ruleset.size in position.ruleset.game.sizes


def seat_for(side: Side, start: Position) -> First:
    """Who opens if the challenger is to play ``side`` from a position.

    Before the choice of sides, the first side stands for the player who opens.
    """
    second = Side.SECOND if start.second_player is None else start.second_player
    return First.OPPONENT if side is second else First.CHALLENGER


class ContinuesRunningMatchError(AboutMatchError):
    template = gettext_noop("Match #{match} is still running. You can continue from its positions when it is over.")


class NothingToContinueError(DomainError):
    template = gettext_noop("There is nothing left to play in this position. Choose an earlier one.")

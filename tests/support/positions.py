"""Helpers for tests of the rules: positions by cell names, random games, and limits for random texts."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import TypeAlias, TypeVar

from hypothesis import settings

from rules import (
    GAMES,
    PASS,
    Event,
    GameOver,
    IllegalTurn,
    NotATurn,
    OffTheBoard,
    Phase,
    Position,
    Ruleset,
    Side,
    TurnError,
)
from rules.dendria import Dendria, Germinated
from rules.dendria.history import StateHistory
from rules.nadraz import Nadraz
from tests.support.tern import Tern
from tests.support.thorough import THOROUGH, fewer

AnyPosition = TypeVar("AnyPosition", bound=Position)
#: A ply: a position, the turn played there, the position after it, and the turn's events.
Ply: TypeAlias = tuple[Position, str, Position, tuple[Event, ...]]

#: The same examples in every run, without a time limit per example.
repeatable = settings(derandomize=True, database=None, deadline=None, max_examples=300 if THOROUGH else 10)

#: The games, and a toy game that is unlike them.
ANY_GAME: dict[str, type[Position]] = {**GAMES, Tern.name: Tern}

#: Every game in every variant and size of its table.
RULESETS = [
    Ruleset(game, size, variant) for game in ANY_GAME.values() for variant in game.variants for size in game.sizes
]
#: Every game and variant on its smallest board, and every game on its default board.
SMALLEST = [ruleset for ruleset in RULESETS if ruleset.size == ruleset.game.sizes[0]]
DEFAULT = [Ruleset(game, game.default_size, game.variants[0]) for game in ANY_GAME.values()]


def _is_tried(rules_of: Ruleset) -> bool:
    game, size, variant = rules_of.game, rules_of.size, rules_of.variant
    larger = {(game.default_size, game.variants[0]), (game.sizes[-1], game.variants[-1])}
    return THOROUGH or size == game.sizes[0] or (size, variant) in larger


#: Every game on its smallest board in every variant, and on its default and largest board in one variant each; if the
#: tests are thorough, every game in every variant and size.
SOME_RULESETS = [*filter(_is_tried, RULESETS)]

#: These, and boards smaller than any in the tables, where games are short and rare events more frequent: two sizes if
#: the tests are thorough, otherwise one, and no default boards.
RULESETS_AND_TINY = [
    *(
        Ruleset(game, size, variant)
        for game in ANY_GAME.values()
        for variant in game.variants
        for size in ((3, 4) if THOROUGH else (3,))
    ),
    *(
        ruleset
        for ruleset in SOME_RULESETS
        if THOROUGH or ruleset.size in (ruleset.game.sizes[0], ruleset.game.sizes[-1])
    ),
]


def cells(position: Position, names: str | Iterable[str]) -> tuple[int, ...]:
    """The cells with these names, in the order of the board."""
    found = []
    for name in names.split() if isinstance(names, str) else names:
        cell = position.board.cell(name)
        assert cell is not None, f"{name} is off the board"
        found.append(cell)
    assert len(set(found)) == len(found), "a cell is named twice"
    return tuple(sorted(found))


def mask(position: Position, names: str | Iterable[str]) -> int:
    return sum(1 << cell for cell in cells(position, names))


def names(position: Position, stones: int | Iterable[int]) -> str:
    """The names of these cells in alphabetical order, separated by spaces."""
    if isinstance(stones, int):
        return " ".join(sorted(position.board.names(stones)))
    return " ".join(sorted(position.board.name(cell) for cell in stones))


def set_up(
    game: type[AnyPosition], size: int, stones: str, turn_of: Side = Side.FIRST, variant: str = "standard"
) -> AnyPosition:
    """A position in the middle of a game, with the stones of the first side, a slash, and those of the second."""
    start = game(Ruleset(game, size, variant))
    first, second = (mask(start, side) for side in f"{stones}/".split("/")[:2])
    assert not first & second, "a cell has a stone of both sides"
    return replace(start, first=first, second=second, second_player=Side.SECOND, turn_of=turn_of)


def planted(size: int, pieces: str | Mapping[str, str], turn_of: Side = Side.FIRST) -> Dendria:
    """A position of Dendria in the middle of a game, with pieces such as ``dS a1 b2, lT c3``, or by their cells."""
    start = Dendria(Ruleset(Dendria, size, "standard"))
    if isinstance(pieces, str):
        kinds = (part.split() for part in pieces.split(",") if part)
        pieces = {cell: kind for kind, *cells in kinds for cell in cells}
    own = {letter: mask(start, [cell for cell, piece in pieces.items() if letter in piece]) for letter in "dlSTD"}
    return replace(
        start,
        first=own["d"],
        second=own["l"],
        seeds=own["S"],
        trees=own["T"],
        dryads=own["D"],
        second_player=Side.SECOND,
        turn_of=turn_of,
        earlier=StateHistory([(own["d"], own["l"], turn_of)]),
    )


def built_turn(position: Position, chance: random.Random) -> str:
    """Build a turn from random elements, more likely sprouting and germinating ones."""
    draft = position.draft()
    while True:
        acts = [element for element in draft.next if element[0] in "+*"]
        if draft.complete and (not draft.next or chance.random() < (0.2 if acts else 0.5)):
            return draft.text
        elements = acts if acts and chance.random() < 0.8 else draft.next
        draft = position.draft(draft.text + chance.choice(elements))


def random_turn(position: Position, chance: random.Random) -> str:
    """A random turn: a listed one, or a built one where the list is incomplete or would be endless."""
    lists_too_much = isinstance(position, Nadraz) and position.phase is Phase.OPENING
    lists_too_little = isinstance(position, Dendria) and position.phase is Phase.PLAY
    if lists_too_much or (lists_too_little and chance.random() < 0.8):
        return built_turn(position, chance)
    return chance.choice(position.legal_turns)


@cache
def story(ruleset: Ruleset, seed: int = 0) -> tuple[Ply, ...]:
    """The plies of a random game.

    In an unusually long game, both sides pass when they may.
    """
    chance = random.Random(f"{ruleset.id} {seed}")
    position, plies = ruleset.start(), list[Ply]()
    while position.phase is not Phase.OVER:
        is_long = len(plies) > 2 * len(ruleset.board.cells)
        turn = PASS if is_long and PASS in position.legal_turns else random_turn(position, chance)
        after, events = position.play(turn)
        plies.append((position, turn, after, events))
        position = after
        assert len(plies) < 8 * len(ruleset.board.cells), "the game does not end"
    return tuple(plies)


@cache
def walk(ruleset: Ruleset, seed: int = 0) -> tuple[tuple[Position, str], ...]:
    """The positions of a random game, each with the turn played there. The final position has none and is left out."""
    return tuple((position, turn) for position, turn, _, _ in story(ruleset, seed))


def some(ruleset: Ruleset, most: int, seed: int = 0) -> tuple[tuple[Position, str], ...]:
    """A sample of a random game's positions, from the first to the last turn, each with the turn played there.

    Large samples are halved unless the tests are thorough.
    """
    walked = walk(ruleset, seed)
    most = max(5, fewer(most, 2)) if most > 5 else most
    apart = max(1, (len(walked) - 1) / (most - 1))
    return tuple(walked[round(number * apart)] for number in range(min(most, len(walked))))


def seeds(ruleset: Ruleset) -> range:
    """The seeds of several random games, fewer on larger boards."""
    return range(fewer(8 if ruleset.size < 5 else 2 if ruleset.size < 8 else 1, 4))


def stories(ruleset: Ruleset) -> Iterator[tuple[Ply, ...]]:
    return (story(ruleset, seed) for seed in seeds(ruleset))


def end(ruleset: Ruleset, seed: int = 0) -> Position:
    """The final position of a random game."""
    return story(ruleset, seed)[-1][2]


def random_turns(ruleset: Ruleset, seed: int = 0) -> tuple[str, ...]:
    """The turns of a random game."""
    return tuple(turn for _, turn in walk(ruleset, seed))


def ids(ruleset: Ruleset) -> str:
    return f"{ruleset.game.name}-{ruleset.size}-{ruleset.variant}"


def refusal(read: Callable[[str], object], text: str) -> TurnError | None:
    """Why a position's ``parse``, ``play`` or ``draft`` refuses a text; None if it accepts."""
    try:
        read(text)
    except TurnError as error:
        return error
    return None


def is_refused(position: Position, text: str) -> bool:
    """Whether a position refuses a turn. Check that a refusal has a reason in words, and cells on the board."""
    error, again = refusal(position.parse, text), refusal(position.play, text)
    if error is None:
        assert again is None
        return False
    assert type(error) in {NotATurn, OffTheBoard, IllegalTurn, GameOver}
    assert isinstance(error, GameOver) is (position.phase is Phase.OVER)
    reason = str(error)
    assert len(reason.split()) > 3, "the reason is not a sentence"
    assert (type(again), str(again)) == (type(error), reason), "parse and play give different reasons"
    if isinstance(error, IllegalTurn):
        assert all(cell in position.board.cells for cell in error.cells)
    return True


def elements_of(turn: str) -> list[str]:
    """The elements of a turn, each with its leading mark."""
    return re.split(r"(?=[-+*,])", turn)


def is_drafted(position: Position, turn: str) -> bool:
    """Whether a turn can be built from the elements that drafts offer. Any Seed can name its seedbed."""
    begun = ""
    for element in elements_of(turn):
        offered = position.draft(begun).next
        if element not in offered:
            cell = position.board.find(element[1:])
            grown = (position.draft(begun + seed).events[-1] for seed in offered if seed[0] == element[0] == "*")
            if not any(isinstance(event, Germinated) and cell in event.cells for event in grown):
                return False
        begun += element
    return position.draft(begun).complete

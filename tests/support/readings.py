"""Compares the engines with the second readings of their rules."""

from __future__ import annotations

from rules import Phase, Position
from tests.support.literal.dalen import Dalen
from tests.support.literal.dendria import Dendria
from tests.support.literal.fiodar import Fiodar
from tests.support.literal.hedu import Hedu
from tests.support.literal.nadraz import Nadraz
from tests.support.literal.reading import Cells, Reading, name

#: The second reading of each game.
READINGS: dict[str, type[Reading]] = {
    "dalen": Dalen,
    "dendria": Dendria,
    "fiodar": Fiodar,
    "hedu": Hedu,
    "nadraz": Nadraz,
}


def reading_of(position: Position) -> Reading:
    """A second reading that goes on from a position after the choice of sides."""
    rules_of, mover = position.ruleset, position.sides[position.turn_of]
    reading = READINGS[position.name].at(rules_of.size, rules_of.variant, position.pieces(), mover[0])
    reading.prisoners |= {side[0]: number for side, number in (position.held() or {}).items()}
    return reading


def as_cells(position: Position, cells: int | tuple[int, ...]) -> Cells:
    """Cells of a position in the form of the readings."""
    listed = (cell for cell in position.board.cells if cells >> cell & 1) if isinstance(cells, int) else cells
    return frozenset((position.board.column(cell), position.board.row(cell)) for cell in listed)


def agree(position: Position, reading: Reading, *, turns: bool = True) -> None:
    """Check that the engine and the second reading agree on a position, its score and its legal turns."""
    assert position.pieces() == {name(cell): piece for cell, piece in reading.pieces.items()}
    assert position.phase == reading.phase
    assert {side[0]: score for side, score in position.score().items()} == reading.score()
    assert {side[0]: number for side, number in (position.held() or {}).items()} == reading.prisoners
    if position.outcome is None:
        assert reading.result is None
    else:
        winner = position.outcome.winner
        assert reading.result == (None if winner is None else position.sides[winner][0], position.outcome.reason)
    if position.phase is Phase.PLAY:
        assert position.sides[position.turn_of][0] == reading.to_play
    if turns:
        assert set(position.legal_turns) == reading.legal_turns()

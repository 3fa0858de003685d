"""The last turn, for the lower right corner of a picture and for its alternative text.

This module covers the events of all games; a game's face adds its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from render.formatting import format_cells
from render.scene import Scene
from rules import Passed, Placed, Position, Side, SideChosen

#: A part of a row: an icon's kind and side, or text.
Part: TypeAlias = tuple[str, Side] | str
Row: TypeAlias = list[Part]

#: Keeps an icon, which belongs to the number after it, away from the number before it.
APART = ""


def placements(scene: Scene[Position]) -> dict[Side, list[Placed]]:
    """The new pieces of each side, in order."""
    placed: dict[Side, list[Placed]] = {}
    for event in scene.events:
        if isinstance(event, Placed):
            placed.setdefault(event.side, []).append(event)
    return placed


def placement_row(scene: Scene[Position], side: Side, cells: Sequence[int], last: int) -> Row:
    """The last of the new pieces on some cells and, if there are others, the one furthest from it."""
    board = scene.position.board
    _, first = max((board.distance(cell, last), cell) for cell in cells)
    return [("placed", side), " – ".join(dict.fromkeys((board.name(first), board.name(last))))]


def placement_rows(scene: Scene[Position]) -> list[Row]:
    """A row for each side with new pieces."""
    return [
        placement_row(scene, side, [piece.cell for piece in pieces], pieces[-1].cell)
        for side, pieces in placements(scene).items()
    ]


def choice_rows(scene: Scene[Position]) -> list[Row]:
    """A row for a pass or for the choice of a side."""
    rows: list[Row] = []
    for event in scene.events:
        match event:
            case Passed(side):
                rows.append([("plain", side), scene.texts.gettext("passed")])
            case SideChosen(side):
                rows.append([("plain", side), scene.texts.gettext("side chosen")])
    return rows


def count_rows(kind: str, counts: Sequence[int], word: Callable[[int], str]) -> list[Row]:
    """A row with an icon and the count of each side, and a word for what was counted; none if nothing was.

    ``word`` returns it for a number, since languages have different words for one thing and for several.
    """
    parts: Row = []
    for side in Side:
        if counts[side]:
            parts += [*([APART] if parts else []), (kind, side), str(counts[side])]
    return [[*parts, word([count for count in counts if count][-1])]] if parts else []


def cell_count_rows(kind: str, masks: Sequence[int], word: Callable[[int], str]) -> list[Row]:
    """:func:`count_rows` for the number of cells in each side's mask."""
    return count_rows(kind, [mask.bit_count() for mask in masks], word)


def prisoners_row(scene: Scene[Position], kind: str, side: Side, held: int, gained: int = 0) -> Row:
    """A row with the number of a side's prisoners and its gain by the last turn."""
    word = scene.texts.ngettext("prisoner", "prisoners", held)
    return [(kind, side), f"{held} (+{gained})" if gained else str(held), word]


def placement_clauses(scene: Scene[Position]) -> list[str]:
    """The new pieces of each side in words."""
    board, gettext = scene.position.board, scene.texts.gettext
    clauses = []
    for side, pieces in placements(scene).items():
        where = format_cells(board, sum(1 << piece.cell for piece in pieces))
        if len(pieces) == 1 and pieces[0].height > 1:
            where = gettext("{cell}, {height} high").format(cell=where, height=pieces[0].height)
        clauses.append(gettext("{side} on {cells}").format(side=scene.side(side), cells=where))
    return clauses


def choice_clauses(scene: Scene[Position]) -> list[str]:
    """A pass or the choice of a side in words."""
    gettext, clauses = scene.texts.gettext, []
    for event in scene.events:
        match event:
            case Passed(side):
                clauses.append(gettext("{side} passed").format(side=scene.side(side)))
            case SideChosen(side):
                clauses.append(gettext("the second player took {side}").format(side=scene.side(side)))
    return clauses


def change_clauses(
    scene: Scene[Position], masks: Sequence[int], text: Callable[[int], str], with_cells: bool
) -> list[str]:
    """Changes to the pieces of each side, by their masks, first for the side that took the turn.

    ``text`` returns a translated template for a number of pieces.
    """
    clauses, mover = [], scene.tally.mover or Side.FIRST
    for side in (mover, mover.other):
        if mask := masks[side]:
            count = mask.bit_count()
            clause = text(count).format(count=count, side=scene.side(side))
            clauses.append(f"{clause} ({format_cells(scene.position.board, mask)})" if with_cells else clause)
    return clauses

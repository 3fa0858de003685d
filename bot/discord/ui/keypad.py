"""The keypad of a turn under construction: buttons for areas of the board, cells and controls."""

from __future__ import annotations

import enum
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Annotated, TypeAlias

import discord

from bot.discord.ui.messages import MOST_IN_ROW, ActionButton
from bot.discord.ui.presses import Codec, Press
from bot.domain.turn_entry import TurnEntry
from bot.texts import gettext as _
from bot.wording import words
from render.areas import LARGEST, SMALL, Area, areas, axes, middle
from render.geometry import Geometry
from rules import MARKS, PASS, Board, Position, elements_of

#: Groups of keys. Each group begins a row.
Keypad: TypeAlias = tuple[Sequence[ActionButton], ...]


class ControlKey(enum.StrEnum):
    """A key that chooses nothing: it closes an area, undoes the last choice, or ends the turn."""

    CLOSE = "close"
    BACK = "back"
    END = "end"


#: The prefix of areas and control keys in an id. No element begins with it.
_NO_ELEMENT = "."


def _write_key(key: str | int | ControlKey) -> str:
    return f"{_NO_ELEMENT}{key}" if isinstance(key, int | ControlKey) else key


def _read_key(text: str) -> str | int | ControlKey:
    if not text.startswith(_NO_ELEMENT):
        return text
    name = text.removeprefix(_NO_ELEMENT)
    return int(name) if name.isdecimal() else ControlKey(name)


#: A key: an element, the number of an area of the board, or a control key.
Key: TypeAlias = Annotated[str | int | ControlKey, Codec(_write_key, _read_key)]
#: The press of a key.
KeyPress: TypeAlias = Callable[[Key], Press]

#: Maximum number of rows of keys on a card.
_ROWS = 5
#: Marks of elements: the end of a straight line, and acts that continue a turn that could also end.
_STRAIGHT, _ACTS = "-", "+*"
#: Arrows in the six directions of a picture, clockwise. Without the selector, phones draw some of them as emojis.
_ARROWS = tuple(f"{arrow}\N{VARIATION SELECTOR-15}" for arrow in "↑↗↘↓↙↖")


def after_key(key: Key, position: Position, text: str, offered: tuple[str, ...] = ()) -> TurnEntry:
    """The turn after a key is pressed while the turn is ``text``. Raises :class:`rules.TurnError`."""
    entry = TurnEntry.begin(position, text, offered)
    match key:
        case ControlKey.END:
            return replace(entry, done=entry.complete)
        case ControlKey.BACK if text:
            before, element = entry.back()
            return replace(before, area=area_of(before, element))
        case ControlKey():
            return entry
        case int():
            return replace(entry, area=key)
        case _:
            chosen = entry.choose(key)
            return replace(chosen, done=chosen.finished)


def areas_of(entry: TurnEntry) -> tuple[Area, ...]:
    """The areas of the board to choose from first; none if a single keypad has room for all next elements."""
    return _division(entry)[0]


def _division(entry: TurnEntry) -> tuple[tuple[Area, ...], tuple[str, ...]]:
    """The areas of the board and, if there is room, the elements on pieces to offer beside them."""
    position = entry.position
    if _fits_one_keypad(entry):
        return (), ()
    named = {element: cell for element in entry.next if (cell := position.element_cell(element)) is not None}
    cells = set(named.values())
    if len(cells) <= 1:
        return (), ()
    origin = _origin(entry)
    if origin is not None:
        return axes(position.board, origin, cells), ()
    largest = LARGEST // max(Counter(named.values()).values())
    found = areas(position.board, cells, largest)
    on_pieces = {element: cell for element, cell in named.items() if not position.empty >> cell & 1}
    empty = cells - set(on_pieces.values())
    if not empty or len(found) + len(on_pieces) > LARGEST:
        return found, ()
    board = position.board
    by_column = sorted(on_pieces, key=lambda element: (board.column(on_pieces[element]), board.row(on_pieces[element])))
    return areas(board, empty, largest), tuple(by_column)


def area_of(entry: TurnEntry, element: str) -> int | None:
    """The number of the area in which a next element is; None if no area is chosen first."""
    cell = entry.position.element_cell(element)
    return next((number for number, area in enumerate(areas_of(entry)) if cell in area.cells), None)


def has_named_areas(entry: TurnEntry) -> bool:
    """Whether an area is chosen first, and by its name, without a picture."""
    return entry.position.board.size <= SMALL and not _fits_one_keypad(entry)


def on_one_keypad(entry: TurnEntry) -> bool:
    """Whether a single keypad has room for all turns, and each of its keys is a whole turn."""
    return _fits_one_keypad(entry) and all(map(entry.position.is_legal, entry.next))


def _fits_one_keypad(entry: TurnEntry) -> bool:
    """Whether a single keypad has room for all next elements but a pass."""
    return len(entry.next) - (PASS in entry.next) <= LARGEST


def _origin(entry: TurnEntry) -> int | None:
    """The cell where a straight line begins, if every next element ends such a line."""
    return _current_cell(entry) if all(element.startswith(_STRAIGHT) for element in entry.next) else None


def _current_cell(entry: TurnEntry) -> int | None:
    """The cell that the turn has reached, and where a straight line would begin."""
    way = [element for element in elements_of(entry.text) if element[0] not in _ACTS]
    return entry.position.element_cell(way[-1]) if way else None


def cells_of(position: Position, elements: Iterable[str]) -> Iterator[int]:
    return (cell for element in elements if (cell := position.element_cell(element)) is not None)


def area_keys(entry: TurnEntry, found: Sequence[Area], geometry: Geometry, press: KeyPress) -> Keypad:
    """The keys of the areas of the board and of the elements beside them."""
    keys = [
        ActionButton(press(number), name, disabled=not found[number].cells)
        for name, number in area_names(entry.position.board, found, geometry).items()
    ]
    return _keypad(keys, _keys(entry, _division(entry)[1], geometry, press))


def element_keys(entry: TurnEntry, elements: Iterable[str], geometry: Geometry, press: KeyPress) -> Keypad:
    return _keypad(*(_keys(entry, row, geometry, press) for row in _rows(entry, elements, geometry)))


def end_key(entry: TurnEntry, press: KeyPress, only: str) -> ActionButton:
    """The button that ends a complete turn; ``only`` is its label if the turn could continue."""
    label = words.translate(entry.position.turn_name(entry.text))
    if entry.text != PASS:
        label = (_("Play {turn}") if entry.finished else only).format(turn=label)
    style = discord.ButtonStyle.success if entry.finished and not entry.loses else discord.ButtonStyle.secondary
    return ActionButton(press(ControlKey.END), label, style)


def back_key(press: KeyPress, key: ControlKey) -> ActionButton:
    """The button that goes back to the last choice or closes an area."""
    return ActionButton(press(key), _("Back"))


def area_names(board: Board, found: Sequence[Area], geometry: Geometry) -> dict[str, int]:
    """The numbers of the areas by name. Areas without names of their own are counted in the picture's reading order."""
    if all(area.name for area in found):
        return {area.name: number for number, area in enumerate(found)}
    centres = {number: geometry.centres[middle(board, area.tile)] for number, area in enumerate(found)}
    # Areas less than half an area's height apart share a row. All areas count as equally high.
    apart = geometry.cell_height * geometry.size / math.sqrt(len(found)) / 2
    rows: list[list[int]] = []
    for number in sorted(centres, key=lambda number: centres[number][1]):
        if not rows or centres[number][1] - centres[rows[-1][0]][1] > apart:
            rows.append([])
        rows[-1].append(number)
    ordered = chain.from_iterable(sorted(row, key=lambda number: centres[number][0]) for row in rows)
    return {str(name): number for name, number in enumerate(ordered, 1)}


def _rows(entry: TurnEntry, elements: Iterable[str], geometry: Geometry) -> list[list[str]]:
    """Group the elements by the direction or axis of a straight line, or by columns of the board."""
    position, cells = entry.position, {element: entry.position.element_cell(element) for element in elements}
    placed = {element: cell for element, cell in cells.items() if cell is not None}
    rest = [element for element in cells if element not in placed]
    if not placed:
        return [rest]
    origin = _origin(entry)
    if origin is not None:
        away = {element: position.board.distance(origin, cell) for element, cell in placed.items()}
        direction = {element: _direction(geometry, origin, cell) for element, cell in placed.items()}
        rows = _groups(placed, direction.__getitem__, away.__getitem__)
        if len(rows) <= _ROWS and all(len(row) <= MOST_IN_ROW for row in rows):
            return rows
        # Opposite directions share a row.
        return _groups(
            placed,
            lambda element: direction[element] % 3,
            lambda element: away[element] * (-1 if direction[element] < 3 else 1),
        )
    board = position.board
    columns = _groups(placed, lambda element: board.column(placed[element]), lambda element: board.row(placed[element]))
    in_order = list(chain.from_iterable(columns))
    if len(placed) <= MOST_IN_ROW:
        return [in_order + rest]
    # Each column has a row of its own if there is room for that and most rows are not short.
    if 2 * len(columns) > len(placed) or any(len(column) > MOST_IN_ROW for column in columns):
        columns = [in_order]
    return [*columns, *([rest] if rest else [])]


def _groups(elements: Iterable[str], group: Callable[[str], int], order: Callable[[str], float]) -> list[list[str]]:
    """The elements by group, each group in order. Elements on the same cell are ordered by their marks."""
    found: dict[int, list[str]] = {}
    for element in sorted(elements, key=lambda element: (order(element), MARKS.find(element[0]))):
        found.setdefault(group(element), []).append(element)
    return [found[number] for number in sorted(found)]


def _direction(geometry: Geometry, origin: int, cell: int) -> int:
    """The direction of a straight line on the picture, clockwise from 0 (up)."""
    (x, y), (to_x, to_y) = geometry.centres[origin], geometry.centres[cell]
    return round(math.atan2(to_x - x, y - to_y) / (math.pi / 3)) % 6


def _keypad(*groups: Sequence[ActionButton]) -> Keypad:
    """The groups of keys, merged into a single group if a card has too few rows for them."""
    rows = sum(math.ceil(len(group) / MOST_IN_ROW) for group in groups)
    return groups if rows <= _ROWS else (tuple(chain.from_iterable(groups)),)


def _keys(entry: TurnEntry, elements: Iterable[str], geometry: Geometry, press: KeyPress) -> list[ActionButton]:
    """The keys of elements. If all are of one kind, their cells are their names."""
    one_kind = not any(_plain(entry.position, element) for element in entry.draft.next)
    return [_key(entry, element, geometry, press, one_kind=one_kind) for element in elements]


def _key(entry: TurnEntry, element: str, geometry: Geometry, press: KeyPress, *, one_kind: bool) -> ActionButton:
    position = entry.position
    origin, cell = _current_cell(entry), position.element_cell(element)
    act = element[:1] in _ACTS
    if element.startswith(_STRAIGHT) and origin is not None and cell is not None:
        label = f"{_ARROWS[_direction(geometry, origin, cell)]} {position.board.name(cell)}"
    elif not act and cell is not None and (one_kind or _plain(position, element)):
        label = position.board.name(cell)
    elif cell is None and not entry.text:
        label = words.translate(position.turn_name(element))
    else:
        label = words.translate(position.element_name(entry.text, element))
    return ActionButton(press(element), label, discord.ButtonStyle.primary if act else discord.ButtonStyle.secondary)


def _plain(position: Position, element: str) -> bool:
    """Whether the element is just an empty cell."""
    cell = position.board.find(element)
    return cell is not None and bool(position.empty >> cell & 1)

"""The next step of a turn as buttons: areas of the board, cells and acts, laid out like a keypad."""

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
from render.areas import LARGEST, SMALL, Area, areas, lines, middle
from render.geometry import Geometry
from rules import MARKS, PASS, Board, Position, steps_of

#: Groups of keys, each of which begins a row.
Keypad: TypeAlias = tuple[Sequence[ActionButton], ...]


class Act(enum.StrEnum):
    """A key that chooses nothing: it closes an area, goes back to the last choice, or ends the turn."""

    CLOSE = "close"
    BACK = "back"
    END = "end"


#: The prefix of areas and acts in an id; no step begins with it.
_NO_STEP = "."


def _write_key(key: str | int | Act) -> str:
    return f"{_NO_STEP}{key}" if isinstance(key, int | Act) else key


def _read_key(text: str) -> str | int | Act:
    if not text.startswith(_NO_STEP):
        return text
    name = text.removeprefix(_NO_STEP)
    return int(name) if name.isdecimal() else Act(name)


#: A key: a step, the number of an area of the board, or an act.
Key: TypeAlias = Annotated[str | int | Act, Codec(_write_key, _read_key)]
#: The press of a key.
KeyPress: TypeAlias = Callable[[Key], Press]

#: The most rows of keys on a card.
_ROWS = 5
#: The mark of steps along a straight way, and those of steps that act where the turn might also end.
_STRAIGHT, _ACTS = "-", "+*"
#: Arrows in the six directions of a picture, clockwise; without the selector, phones draw some of them as emoji.
_ARROWS = tuple(f"{arrow}\N{VARIATION SELECTOR-15}" for arrow in "↑↗↘↓↙↖")


def after_key(key: Key, position: Position, text: str, offered: tuple[str, ...] = ()) -> TurnEntry:
    """Press a key of a turn with the chosen steps in ``text``. Raises :class:`rules.TurnError` if no legal turn begins
    with them."""
    entry = TurnEntry.begin(position, text, offered)
    match key:
        case Act.END:
            return replace(entry, done=entry.complete)
        case Act.BACK if text:
            before, step = entry.back()
            return replace(before, area=area_of(before, step))
        case Act():
            return entry
        case int():
            return replace(entry, area=key)
        case _:
            chosen = entry.choose(key)
            return replace(chosen, done=chosen.finished)


def areas_of(entry: TurnEntry) -> tuple[Area, ...]:
    """The areas of the board to choose from first; none if all next steps fit on one keypad."""
    return _division(entry)[0]


def _division(entry: TurnEntry) -> tuple[tuple[Area, ...], tuple[str, ...]]:
    """The areas of the board, and the steps offered beside them: steps on pieces, if there is room."""
    position = entry.position
    if _fits_one_keypad(entry):
        return (), ()
    named = {step: cell for step in entry.steps if (cell := position.step_cell(step)) is not None}
    cells = set(named.values())
    if len(cells) <= 1:
        return (), ()
    origin = _origin(entry)
    if origin is not None:
        return lines(position.board, origin, cells), ()
    largest = LARGEST // max(Counter(named.values()).values())
    found = areas(position.board, cells, largest)
    on_pieces = {step: cell for step, cell in named.items() if not position.empty >> cell & 1}
    empty = cells - set(on_pieces.values())
    if not empty or len(found) + len(on_pieces) > LARGEST:
        return found, ()
    return areas(position.board, empty, largest), tuple(on_pieces)


def area_of(entry: TurnEntry, step: str) -> int | None:
    """The number of the area of a next step; None if no area is chosen first."""
    cell = entry.position.step_cell(step)
    return next((number for number, area in enumerate(areas_of(entry)) if cell in area.cells), None)


def has_named_areas(entry: TurnEntry) -> bool:
    """Whether the next step begins with a choice among named areas, which needs no picture."""
    return entry.position.board.size <= SMALL and not _fits_one_keypad(entry)


def on_one_keypad(entry: TurnEntry) -> bool:
    """Whether each key of a single keypad is a whole turn."""
    return _fits_one_keypad(entry) and all(map(entry.position.is_legal, entry.steps))


def _fits_one_keypad(entry: TurnEntry) -> bool:
    """Whether all next steps, except for a pass, fit on one keypad."""
    return sum(step != PASS for step in entry.steps) <= LARGEST


def _origin(entry: TurnEntry) -> int | None:
    """The cell where a straight way begins, if every next step is an end of it."""
    return _current_cell(entry) if all(step.startswith(_STRAIGHT) for step in entry.steps) else None


def _current_cell(entry: TurnEntry) -> int | None:
    """The cell that the turn has reached, from which a straight way would continue."""
    way = [step for step in steps_of(entry.text) if step[0] not in _ACTS]
    return entry.position.step_cell(way[-1]) if way else None


def cells_of_steps(position: Position, steps: Iterable[str]) -> Iterator[int]:
    return (cell for step in steps if (cell := position.step_cell(step)) is not None)


def area_keys(entry: TurnEntry, found: Sequence[Area], geometry: Geometry, press: KeyPress) -> Keypad:
    """The keys of the areas of the board, and of the steps offered beside them."""
    keys = [
        ActionButton(press(number), name, disabled=not found[number].cells)
        for name, number in area_names(entry.position.board, found, geometry).items()
    ]
    return _keypad(keys, _keys(entry, _division(entry)[1], geometry, press))


def step_keys(entry: TurnEntry, steps: Iterable[str], geometry: Geometry, press: KeyPress) -> Keypad:
    return _keypad(*(_keys(entry, row, geometry, press) for row in _rows(entry, steps, geometry)))


def end_key(entry: TurnEntry, press: KeyPress, only: str) -> ActionButton:
    """The button that ends a complete turn; ``only`` is its label if the turn might continue."""
    label = words.translate(entry.position.turn_name(entry.text))
    if entry.text != PASS:
        label = (_("Play {turn}") if entry.finished else only).format(turn=label)
    style = discord.ButtonStyle.success if entry.finished else discord.ButtonStyle.secondary
    return ActionButton(press(Act.END), label, style)


def back_key(press: KeyPress, act: Act) -> ActionButton:
    """The button that goes back to the last choice or closes an area."""
    return ActionButton(press(act), _("Back"))


def area_names(board: Board, found: Sequence[Area], geometry: Geometry) -> dict[str, int]:
    """The numbers of the areas by their names: their own, or numbers in the reading order of the picture."""
    if all(area.name for area in found):
        return {area.name: number for number, area in enumerate(found)}
    places = {number: geometry.centres[middle(board, area.tile)] for number, area in enumerate(found)}
    # Areas less than half an area's height apart are in one row; all areas are taken as alike.
    apart = geometry.step * geometry.size / math.sqrt(len(found)) / 2
    rows: list[list[int]] = []
    for number in sorted(places, key=lambda number: places[number][1]):
        if not rows or places[number][1] - places[rows[-1][0]][1] > apart:
            rows.append([])
        rows[-1].append(number)
    ordered = chain.from_iterable(sorted(row, key=lambda number: places[number][0]) for row in rows)
    return {str(name): number for name, number in enumerate(ordered, 1)}


def _rows(entry: TurnEntry, steps: Iterable[str], geometry: Geometry) -> list[list[str]]:
    """The steps in groups side by side: the directions or lines of a straight way, or rows of the board."""
    position, cells = entry.position, {step: entry.position.step_cell(step) for step in steps}
    placed = {step: cell for step, cell in cells.items() if cell is not None}
    rest = [step for step in cells if step not in placed]
    if not placed:
        return [rest]
    origin = _origin(entry)
    if origin is not None:
        away = {step: position.board.distance(origin, cell) for step, cell in placed.items()}
        direction = {step: _direction(geometry, origin, cell) for step, cell in placed.items()}
        rows = _groups(placed, direction.__getitem__, away.__getitem__)
        if len(rows) <= _ROWS and all(len(row) <= MOST_IN_ROW for row in rows):
            return rows
        # Opposite directions share a row.
        return _groups(
            placed, lambda step: direction[step] % 3, lambda step: away[step] * (-1 if direction[step] < 3 else 1)
        )
    if len(placed) <= MOST_IN_ROW:
        return [sorted(placed, key=lambda step: (geometry.centres[placed[step]][::-1], step)) + rest]
    high = min(geometry.centres[cell][1] for cell in placed.values())
    # Neighbouring columns are half a step apart, so a row zigzags.
    rows = _groups(
        placed,
        lambda step: int((geometry.centres[placed[step]][1] - high + 1) // geometry.step),
        lambda step: geometry.centres[placed[step]][0],
    )
    if 2 * len(rows) > len(placed):  # hardly anything lies side by side
        rows = [list(chain.from_iterable(rows))]
    return [*rows, *([rest] if rest else [])]


def _groups(steps: Iterable[str], group: Callable[[str], int], place: Callable[[str], float]) -> list[list[str]]:
    """The steps by group, each group in order; marks order the steps on one cell."""
    found: dict[int, list[str]] = {}
    for step in sorted(steps, key=lambda step: (place(step), MARKS.find(step[0]))):
        found.setdefault(group(step), []).append(step)
    return [found[number] for number in sorted(found)]


def _direction(geometry: Geometry, origin: int, cell: int) -> int:
    """The direction of a straight way on the picture, clockwise from 0, upward."""
    (x, y), (to_x, to_y) = geometry.centres[origin], geometry.centres[cell]
    return round(math.atan2(to_x - x, y - to_y) / (math.pi / 3)) % 6


def _keypad(*groups: Sequence[ActionButton]) -> Keypad:
    """Groups of keys with rows of their own, or a single group if the card has no room for so many rows."""
    rows = sum(math.ceil(len(group) / MOST_IN_ROW) for group in groups)
    return groups if rows <= _ROWS else (tuple(chain.from_iterable(groups)),)


def _keys(entry: TurnEntry, steps: Iterable[str], geometry: Geometry, press: KeyPress) -> list[ActionButton]:
    """The keys of steps, named by their cells unless there are several kinds of steps."""
    one_kind = not any(_plain(entry.position, each) for each in entry.draft.steps)
    return [_key(entry, step, geometry, press, one_kind=one_kind) for step in steps]


def _key(entry: TurnEntry, step: str, geometry: Geometry, press: KeyPress, *, one_kind: bool) -> ActionButton:
    position = entry.position
    origin, cell = _current_cell(entry), position.step_cell(step)
    act = step[:1] in _ACTS
    if step.startswith(_STRAIGHT) and origin is not None and cell is not None:
        label = f"{_ARROWS[_direction(geometry, origin, cell)]} {position.board.name(cell)}"
    elif not act and cell is not None and (one_kind or _plain(position, step)):
        label = position.board.name(cell)
    elif cell is None and not entry.text:
        label = words.translate(position.turn_name(step))
    else:
        label = words.translate(position.step_name(entry.text, step))
    return ActionButton(press(step), label, discord.ButtonStyle.primary if act else discord.ButtonStyle.secondary)


def _plain(position: Position, step: str) -> bool:
    """Whether the step is just an empty cell."""
    cell = position.board.find(step)
    return cell is not None and bool(position.empty >> cell & 1)

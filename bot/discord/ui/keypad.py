"""The next step of a turn as buttons: parts of the board, cells and acts, laid out as on a keypad."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TypeAlias

import discord

from bot.discord.ui import words
from bot.discord.ui.messages import ActionButton, Press
from bot.texts import gettext as _
from render.areas import LARGEST, SMALL, Area, areas, lines, middle
from render.geometry import Geometry
from rules import MARKS, PASS, Board, Draft, Position, steps_of, without_last_step

Keypad: TypeAlias = tuple[tuple[ActionButton, ...], ...]
#: The press that chooses a step, or a part of the board.
Pick: TypeAlias = Callable[[str], Press]

#: Keys in a row, and rows of keys, that a card has room for.
_IN_ROW, _ROWS = 5, 5
#: The marks of steps that do something where the turn might also end.
_ACTS = "+*"
#: Arrows in the six directions of a picture, clockwise; without the selector, phones draw some of them as emoji.
_ARROWS = tuple(f"{arrow}\N{VARIATION SELECTOR-15}" for arrow in "↑↗↘↓↙↖")
#: Before the number of a part of the board, where a step may stand too.
AREA = "area."


def digest(text: str) -> str:
    """A short name for a draft, by which a button knows whether the draft is still the one that it was shown with."""
    return hashlib.blake2s(text.encode(), digest_size=4).hexdigest() if text else ""


@dataclass(frozen=True, slots=True)
class Presses:
    """The presses of a private card on which a turn is put together, to be played or, where ``trying``, to be tried.

    ``known`` is the digest of what the card shows.
    """

    match_id: int
    step: int
    known: str
    trying: bool = False

    def of(self, action: str, chosen: str = "") -> Press:
        """An action on what the card shows, and what is chosen of it."""
        name = f"try-{action}" if self.trying else action
        return Press(name, self.match_id, self.step, f"{self.known}.{chosen}" if chosen else self.known)

    def pick(self, choice: str) -> Press:
        """The choice of a next step, or of a part of the board."""
        return self.of("pick", choice)


@dataclass(frozen=True, slots=True)
class Picked:
    """What a press on the card of a task or puzzle says: the game, the turn so far, and what is chosen next in it.

    The game of a puzzle is the one of which puzzles are wanted; it is empty if any is.
    """

    game: str
    text: str = ""
    chosen: str = ""

    @classmethod
    def of(cls, press: Press) -> Picked:
        return cls(*press.argument.split(".", 2))


def up_to_choice(position: Position, text: str) -> Draft:
    """The turn with the steps that have to follow, for there is no other one."""
    draft = position.draft(text)
    while not draft.complete and len(draft.steps) == 1:
        draft = position.draft(draft.text + draft.steps[0])
    return draft


def before_last_choice(position: Position, text: str) -> tuple[Draft, int | None]:
    """The turn before the last step that had an alternative, and the part of the board where that step is."""
    fewer = without_last_step(text)
    while fewer and up_to_choice(position, fewer).text == text:
        fewer = without_last_step(fewer)
    draft = position.draft(fewer)
    return draft, area_of(position, draft, steps_of(text[len(fewer) :])[0])


def areas_of(position: Position, draft: Draft) -> tuple[Area, ...]:
    """The parts of the board of which one is chosen first; none when the next step fits on one keypad."""
    return _division(position, draft)[0]


def _division(position: Position, draft: Draft) -> tuple[tuple[Area, ...], tuple[str, ...]]:
    """The parts of the board, and the steps that are offered beside them: those with a piece, if there is room."""
    if _fit(draft):
        return (), ()
    named = {step: cell for step in draft.steps if (cell := position.step_cell(step)) is not None}
    cells = set(named.values())
    if len(cells) <= 1:
        return (), ()
    origin = _origin(position, draft)
    if origin is not None:
        return lines(position.board, origin, cells), ()
    largest = LARGEST // max(Counter(named.values()).values())
    parts = areas(position.board, cells, largest)
    on_pieces = {step: cell for step, cell in named.items() if not position.empty >> cell & 1}
    empty = cells - set(on_pieces.values())
    if not empty or len(parts) + len(on_pieces) > LARGEST:
        return parts, ()
    return areas(position.board, empty, largest), tuple(on_pieces)


def area_of(position: Position, draft: Draft, step: str) -> int | None:
    """The part of the board where a next step of the draft is found; None when no part is chosen first."""
    cell = position.step_cell(step)
    return next((number for number, area in enumerate(areas_of(position, draft)) if cell in area.cells), None)


def has_named_areas(position: Position) -> bool:
    """Whether a turn begins with a part of the board that has a name of its own, so that it needs no picture."""
    return position.board.size <= SMALL and not _fit(position.draft())


def on_one_keypad(position: Position, draft: Draft) -> bool:
    """Whether one of the keys of one keypad is the whole turn."""
    return _fit(draft) and all(map(position.is_legal, draft.steps))


def _fit(draft: Draft) -> bool:
    """Whether all next steps fit on one keypad; a pass has its place beside it."""
    return sum(step != PASS for step in draft.steps) <= LARGEST


def _origin(position: Position, draft: Draft) -> int | None:
    """The cell from which a straight way begins, when all that can be chosen next is where it ends."""
    return _reached(position, draft) if all(map(_straight, draft.steps)) else None


def _reached(position: Position, draft: Draft) -> int | None:
    """The cell to which the turn has led so far, from which a straight way would go on."""
    way = [step for step in steps_of(draft.text) if step[0] not in _ACTS]
    return position.step_cell(way[-1]) if way else None


def _straight(step: str) -> bool:
    return step.startswith("-")


def cells_of_steps(position: Position, steps: Iterable[str]) -> Iterator[int]:
    return (cell for step in steps if (cell := position.step_cell(step)) is not None)


def part_keys(position: Position, draft: Draft, parts: Sequence[Area], geometry: Geometry, pick: Pick) -> Keypad:
    """The keys of the parts of the board, and of the steps that are offered beside them."""
    return _keypad(
        [
            [
                ActionButton(pick(f"{AREA}{number}"), name, disabled=not parts[number].cells)
                for name, number in part_names(position.board, parts, geometry).items()
            ],
            _keys(position, draft, _division(position, draft)[1], geometry, pick),
        ]
    )


def step_keys(position: Position, draft: Draft, steps: Iterable[str], geometry: Geometry, pick: Pick) -> Keypad:
    """The keys of steps that may follow."""
    rows = _rows(position, draft, steps, geometry)
    return _keypad([_keys(position, draft, row, geometry, pick) for row in rows])


def pass_key(position: Position, draft: Draft, pick: Pick) -> ActionButton:
    return _button(pick, PASS, words.named(position.step_name(draft.text, PASS)))


def end_key(position: Position, draft: Draft, press: Press) -> ActionButton:
    """The button that ends a turn where it is complete, though it might go on."""
    label = words.named(position.turn_name(draft.text))
    if draft.text != PASS:
        label = (_("Play only {turn}") if draft.steps else _("Play {turn}")).format(turn=label)
    style = discord.ButtonStyle.secondary if draft.steps else discord.ButtonStyle.success
    return ActionButton(press, shortened(label), style)


def part_names(board: Board, parts: Sequence[Area], geometry: Geometry) -> dict[str, int]:
    """The parts by their names: their own, or numbers in the order in which one reads the picture."""
    if all(part.name for part in parts):
        return {part.name: number for number, part in enumerate(parts)}
    places = {number: geometry.centres[middle(board, part.tile)] for number, part in enumerate(parts)}
    # Parts are in one row when they differ by less than half the height of a part, if all parts are alike.
    apart = geometry.step * geometry.size / math.sqrt(len(parts)) / 2
    rows: list[list[int]] = []
    for number in sorted(places, key=lambda number: places[number][1]):
        if not rows or places[number][1] - places[rows[-1][0]][1] > apart:
            rows.append([])
        rows[-1].append(number)
    ordered = chain.from_iterable(sorted(row, key=lambda number: places[number][0]) for row in rows)
    return {str(name): number for name, number in enumerate(ordered, 1)}


def _rows(position: Position, draft: Draft, steps: Iterable[str], geometry: Geometry) -> list[list[str]]:
    """The steps in groups that lie side by side: the directions or lines of a straight way, or rows of the board."""
    steps = list(steps)
    placed = {step: cell for step in steps if (cell := position.step_cell(step)) is not None}
    rest = [step for step in steps if step not in placed]
    if not placed:
        return [rest]
    origin = _origin(position, draft)
    if origin is not None:
        away = {step: position.board.distance(origin, cell) for step, cell in placed.items()}
        by_direction = _grouped(placed, lambda step: _direction(geometry, origin, placed[step]), away.__getitem__)
        if len(by_direction) <= _ROWS and all(len(row) <= _IN_ROW for row in by_direction):
            return by_direction
        return _grouped(
            placed,
            lambda step: _direction(geometry, origin, placed[step]) % 3,
            lambda step: away[step] * (-1 if _direction(geometry, origin, placed[step]) < 3 else 1),
        )
    if len(placed) <= _IN_ROW:
        return [sorted(placed, key=lambda step: (geometry.centres[placed[step]][::-1], step)) + rest]
    high = min(geometry.centres[cell][1] for cell in placed.values())
    # Neighbouring columns are half a step apart, so a row goes up and down.
    rows = _grouped(
        placed,
        lambda step: int((geometry.centres[placed[step]][1] - high + 1) // geometry.step),
        lambda step: geometry.centres[placed[step]][0],
    )
    if 2 * len(rows) > len(placed):  # hardly anything lies side by side
        rows = [list(chain.from_iterable(rows))]
    return [*rows, *([rest] if rest else [])]


def _grouped(steps: Iterable[str], group: Callable[[str], int], place: Callable[[str], float]) -> list[list[str]]:
    """The steps by their groups, each in order; those on one cell by their marks."""
    found: dict[int, list[str]] = {}
    for step in sorted(steps, key=lambda step: (place(step), MARKS.find(step[0]))):
        found.setdefault(group(step), []).append(step)
    return [found[number] for number in sorted(found)]


def _direction(geometry: Geometry, origin: int, cell: int) -> int:
    """The direction of a straight way on the picture, clockwise from 0, upward."""
    (x, y), (to_x, to_y) = geometry.centres[origin], geometry.centres[cell]
    return round(math.atan2(to_x - x, y - to_y) / (math.pi / 3)) % 6


def _keypad(groups: list[list[ActionButton]]) -> Keypad:
    """Rows of at most five keys, each group in rows of its own where the card has room for them."""
    rows = _in_rows(groups)
    return rows if len(rows) <= _ROWS else _in_rows([list(chain.from_iterable(groups))])


def _in_rows(groups: list[list[ActionButton]]) -> Keypad:
    return tuple(tuple(group[at : at + _IN_ROW]) for group in groups for at in range(0, len(group), _IN_ROW))


def _keys(position: Position, draft: Draft, steps: Sequence[str], geometry: Geometry, pick: Pick) -> list[ActionButton]:
    """The keys of steps, named by their cells, unless steps of several kinds are offered."""
    one_kind = not any(_plain(position, each) for each in draft.steps)
    return [_key(position, draft, step, geometry, pick, one_kind=one_kind) for step in steps]


def _key(
    position: Position, draft: Draft, step: str, geometry: Geometry, pick: Pick, *, one_kind: bool
) -> ActionButton:
    origin, cell = _reached(position, draft), position.step_cell(step)
    act = step[:1] in _ACTS
    if _straight(step) and origin is not None and cell is not None:
        label = f"{_ARROWS[_direction(geometry, origin, cell)]} {position.board.name(cell)}"
    elif not act and cell is not None and (one_kind or _plain(position, step)):
        label = position.board.name(cell)
    elif cell is None and not draft.text:
        label = words.named(position.turn_name(step))
    else:
        label = words.named(position.step_name(draft.text, step))
    style = discord.ButtonStyle.primary if act else discord.ButtonStyle.secondary
    return _button(pick, step, label, style)


def _button(
    pick: Pick, choice: str, label: str, style: discord.ButtonStyle = discord.ButtonStyle.secondary
) -> ActionButton:
    return ActionButton(pick(choice), shortened(label), style)


def _plain(position: Position, step: str) -> bool:
    """Whether the step is nothing but an empty cell."""
    cell = position.board.find(step)
    return cell is not None and bool(position.empty >> cell & 1)


def shortened(label: str, most: int = 80) -> str:
    """A text that is no longer than a button's label, or a place of another length, can be."""
    return label if len(label) <= most else label[: most - 1] + "…"


def part_number(text: str) -> int | None:
    """The number of a part of the board; None for what no button says."""
    return int(text) if text.isdecimal() else None

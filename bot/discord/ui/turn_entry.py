"""The picture, the keys and the question of a turn under construction, for matches, lines, puzzles and tasks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain

import render
from bot.discord.ui import scenes
from bot.discord.ui.keypad import (
    ControlKey,
    Keypad,
    KeyPress,
    area_keys,
    area_names,
    areas_of,
    back_key,
    cells_of,
    element_keys,
    end_key,
)
from bot.discord.ui.messages import ActionButton, Form, Picture, text_field
from bot.discord.ui.presses import Press
from bot.domain.matches import Game
from bot.domain.players import Player
from bot.domain.turn_entry import TurnEntry, digest
from bot.pictures import header_of
from bot.texts import gettext as _
from bot.wording import words
from bot.wording.quoting import shorten
from bot.wording.sentence import joined
from bot.wording.turns import question_of
from render.areas import Area, window, zoom
from render.geometry import Geometry, board_geometry
from rules import PASS, Board, Event, Phase, Position, elements_of
from rules.tasks import TaskOverlay

#: Minimum number of cells on each side of a window, and how many more the board must have for a window to help.
_SMALLEST, _WORTHWHILE = 4, 2
#: Maximum number of characters in a typed turn.
LONGEST_TURN = 1000
COLOUR = 0xE8A33D


@dataclass(frozen=True, slots=True)
class Backdrop:
    """What pictures show around a turn under construction: the turn before it, the players, and marks.

    File names begin with ``name``. Pictures zoom in on the choices where that helps, unless they must show the
    ``whole`` board.
    """

    events: tuple[Event, ...]
    name: str
    header: render.Header | None = None
    overlay: TaskOverlay | None = None
    whole: bool = False


def backdrop_of(game: Game) -> Backdrop:
    return Backdrop(game.events, f"turn-{game.match.id}-{game.step}", header_of(game))


@dataclass(frozen=True, slots=True)
class EntryView:
    """A turn under construction on a card: the board, the keys, and the question to answer next.

    There is a key to ``end`` a complete turn, a key to ``pass_`` where that is legal, and a key ``back`` after a
    choice.
    """

    picture: Picture
    keypad: Keypad
    question: str
    end: tuple[ActionButton, ...]
    pass_: tuple[ActionButton, ...]
    back: tuple[ActionButton, ...]


def entry_view(
    entry: TurnEntry,
    backdrop: Backdrop,
    look: render.Look,
    press: KeyPress,
    *,
    only: str = "",
    mover: Player | None = None,
) -> EntryView:
    """Show how a turn can continue. Renders pictures: call it in a thread.

    ``only`` labels the key that ends a turn before it has to end, by default *Play only …*. ``mover`` is the
    player whose turn it is, where one person enters the turns of both.
    """
    position, areas = entry.position, areas_of(entry)
    geometry = board_geometry(position.board.size, look.orientation)
    chosen = areas[entry.area] if entry.area is not None and entry.area < len(areas) else None
    question, pass_ = question_of(entry, mover), words.translate(position.element_name(entry.text, PASS))
    if areas and chosen is None:
        picture = _board_of_areas(entry, backdrop, look, areas, geometry)
        keypad = area_keys(entry, areas, geometry, press)
        question = joined(question, _("Choose a part of the board."))
    else:
        elements = [element for element in entry.next if element != PASS]
        if chosen is not None:
            elements = [element for element in elements if position.element_cell(element) in chosen.cells]
        picture = _close_up(entry, backdrop, look, elements, areas, chosen)
        keypad = element_keys(entry, elements, geometry, press)
    back = ControlKey.BACK if chosen is None else ControlKey.CLOSE
    return EntryView(
        picture,
        keypad,
        question,
        (end_key(entry, press, only or _("Play only {turn}")),) if entry.complete else (),
        (ActionButton(press(PASS), pass_),) if PASS in entry.next and chosen is None else (),
        (back_key(press, back),) if entry.text or chosen is not None else (),
    )


def _board_of_areas(
    entry: TurnEntry, backdrop: Backdrop, look: render.Look, areas: tuple[Area, ...], geometry: Geometry
) -> Picture:
    position = entry.position
    cells = set(cells_of(position, entry.next))
    # Where most empty cells are playable, marks would say nothing.
    rare = position.phase is Phase.PLAY and 2 * len(cells) < position.empty.bit_count()
    marks = dict.fromkeys(cells, "") if rare else {}
    tiles = {name: areas[number].tile for name, number in area_names(position.board, areas, geometry).items()}
    return _picture(entry, backdrop, look, f"{digest(entry.text)}-areas", marks | _first_cell(entry), tiles)


def _close_up(
    entry: TurnEntry,
    backdrop: Backdrop,
    look: render.Look,
    elements: Sequence[str],
    areas: tuple[Area, ...],
    chosen: Area | None,
) -> Picture:
    """The board with the names of the elements and the effect of the turn, enlarged where that helps."""
    position = entry.position
    # Whole turns are named by their first and last cells.
    ends = [end for element in elements for end in (elements_of(element)[0], elements_of(element)[-1])]
    targets = {cell: position.board.name(cell) for cell in cells_of(position, ends)}
    begun, name = _first_cell(entry), digest(entry.text)
    if chosen is not None:
        # All areas are shown at the same size.
        look = _close_look(position.board, look, set(chosen.tile), zoom(position.board, areas))
        name += f"-{areas.index(chosen)}"
    elif not backdrop.whole:
        cells = {*targets, *begun, *chain.from_iterable(event.changed_cells for event in entry.draft.events)}
        look = _close_look(position.board, look, cells, _SMALLEST if elements else 6)
    return _picture(entry, backdrop, look, name, begun | targets)


def _close_look(board: Board, look: render.Look, cells: set[int], smallest: int) -> render.Look:
    """The look with a window around the cells, if that shows them much larger."""
    found = window(board, cells, smallest) if cells and smallest <= board.size - _WORTHWHILE else None
    return look if found is None or found[1] > board.size - _WORTHWHILE else replace(look, window=found)


def _picture(
    entry: TurnEntry,
    backdrop: Backdrop,
    look: render.Look,
    name: str,
    targets: dict[int, str],
    areas: dict[str, tuple[int, ...]] | None = None,
) -> Picture:
    """The board with the effect of the turn so far or, if it has none yet, of the turn before it."""
    draft = entry.draft
    events, overlay = (draft.events, None) if draft.has_effect else (backdrop.events, backdrop.overlay)
    return scenes.picture(
        f"{backdrop.name}-{name or 'start'}.png",
        draft.preview if draft.has_effect else entry.position,
        events,
        look,
        overlay=overlay,
        targets=targets,
        areas=areas,
        before=entry.position if draft.has_effect else None,
        header=backdrop.header,
        overview=True,
    )


def _first_cell(entry: TurnEntry) -> dict[int, str]:
    """A mark on the first chosen cell, if nothing else shows it."""
    first = entry.position.element_cell("".join(elements_of(entry.text)[:1]))
    return {} if first is None or entry.draft.has_effect else {first: ""}


def typing_form(press: Press, position: Position, text: str = "") -> Form:
    """The form to type a turn, filled in with the ``text`` so far."""
    example = words.translate(position.example)
    description = shorten(example[:1].upper() + example[1:], 100)
    field = text_field("turn", _("Your turn"), description, text, LONGEST_TURN)
    return Form(press, _("{game}: type a turn").format(game=position.title), field)

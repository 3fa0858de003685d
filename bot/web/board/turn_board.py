"""A board to tap: the cells of a picture as buttons, and a bar with the other choices for a turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

import render
from bot.domain.players import Player
from bot.domain.turn_entry import TurnEntry
from bot.web.board import boards
from bot.web.board.boards import Sheet
from bot.web.board.pictures import LARGER, BoardState, PictureRequest
from bot.web.html.sentences import refusal
from bot.web.http.visitors import Visitor
from bot.wording import words
from bot.wording.sentence import gettext as _, joined
from bot.wording.turns import effect_of, play_question, question_of
from rules import PASS, Phase, Position, TurnError, bits, elements_of

#: Presses other than elements, which begin with different characters.
CELL, END, BACK = "@", ".end", ".back"
#: The marks of elements that act on a cell; the bar offers these by name.
_ACTS = "+*"
#: Maximum acts that the bar offers besides the cells.
_MOST_ACTS = 8
#: The themes of dark and light pages for readers who have chosen none.
DARK, LIGHT = "dark", "light"


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell as a button, or as a link to an ``address``, with a ``label`` for screen readers."""

    name: str
    label: str
    beside: str
    open: bool
    chosen: bool
    address: str = ""


@dataclass(frozen=True, slots=True)
class BarButton:
    """A button of the bar: a press, or a field ``name`` for another ``action``.

    It is ``small`` beside larger targets, and ``disabled`` if it cannot be pressed. The ``title`` is for screen readers
    if the label is only a sign.
    """

    press: str
    label: str
    main: bool = False
    action: str = ""
    name: str = "press"
    small: bool = False
    disabled: bool = False
    title: str = ""


@dataclass(frozen=True, slots=True)
class Link:
    """A link of the bar. The script fetches only the linked board, unless the link leads ``away``."""

    address: str
    label: str
    main: bool = False
    away: bool = False


@dataclass(frozen=True, slots=True)
class Bar:
    """The bar below a board: what to do now, the ``effect`` of the turn so far, and buttons."""

    text: str
    effect: str = ""
    buttons: tuple[BarButton, ...] = ()
    risky: bool = False


@dataclass(frozen=True, slots=True)
class BoardPicture:
    """A picture with its addresses for dark and light pages, its description, and its stylesheet.

    Rows below a ``marked`` board explain the marks.
    """

    dark: str
    light: str
    description: str
    sheet: Sheet
    marked: bool

    @classmethod
    def of(
        cls,
        address: str,
        request: PictureRequest,
        state: BoardState,
        look: render.Look,
        visitor: Visitor,
        entry: TurnEntry | None,
    ) -> BoardPicture:
        """The picture of a board for a visitor, with the turn under construction.

        Its colours match the page unless the visitor has chosen a theme.
        """
        board, near = state.position.board, request.near
        request = replace(
            request,
            language=visitor.language,
            orientation=look.orientation,
            coordinates=look.coordinates,
            draft="" if entry is None else entry.text,
        )
        sheet = Sheet(board.size, look.orientation, board.find(near) if near else None)
        theme = visitor.preferences.theme
        dark, light = (f"{address}?{replace(request, theme=theme or default).query}" for default in (DARK, LIGHT))
        marked = bool(request.marks or state.overlay)
        return cls(dark, light, state.describe(look, entry), sheet, marked)

    def after(self, ply: int) -> BoardPicture:
        """The picture of the same match after so many turns, without a description."""
        return replace(self, dark=f"{self.dark}&ply={ply}", light=f"{self.light}&ply={ply}", description="")

    def sizes_of(self, address: str) -> str:
        """The picture's addresses and widths, from which browsers choose for the screen."""
        width = self.sheet.geometry.width
        return f"{address} {width}w, {address}&large=1 {LARGER * width}w"


@dataclass(frozen=True, slots=True)
class CellRefusal:
    """A pressed cell that the rules refuse, and the reason."""

    cell: str
    reason: str


@dataclass(frozen=True, slots=True)
class Marking:
    """The choice of a cell for marks; ``on`` is the chosen cell (empty: none yet)."""

    position: Position
    on: str


@dataclass(frozen=True)
class TurnBoard:
    """A board on which a reader enters the turn ``entry``; without one, a board to look at.

    Presses are posted to ``action`` with the ``fields``; ``query`` belongs to the page's ``address``. ``near`` is the
    central cell of a magnified window, and ``cell`` has several elements to choose from. ``offered`` turns, legal or
    not, are the first choices. The bar has a button *Back* after a choice, or if the page ``goes_back`` further. On a
    board for ``marking``, cells are links. The ``legend`` explains the marks.

    Without an entry, the bar is the ``message``; otherwise it has the ``lead`` and a question that names the ``mover``.
    ``end`` and ``only`` are the labels of buttons that end a turn, finished or not.
    """

    address: str
    action: str
    picture: BoardPicture
    message: Bar
    entry: TurnEntry | None = None
    fields: Mapping[str, object] = field(default_factory=dict)
    query: Mapping[str, object] = field(default_factory=dict)
    near: str = ""
    cell: str = ""
    offered: tuple[str, ...] = ()
    lead: str = ""
    mover: Player | None = None
    goes_back: bool = False
    end: str = ""
    only: str = ""
    links: tuple[Link, ...] = ()
    refusal: CellRefusal | None = None
    marking: Marking | None = None
    legend: str = ""

    def link(self, **changes: object) -> str:
        """The address of the page with a changed query."""
        return with_query(self.address, {**self.query, **changes})

    @property
    def here(self) -> str:
        return self.link()

    @cached_property
    def source(self) -> TurnEntry | None:
        """The turn that presses on cells continue; for a finished turn, the turn before its last choice."""
        entry = self.entry
        return entry.back()[0] if entry is not None and entry.finished and entry.text else entry

    @property
    def hidden(self) -> dict[str, object]:
        """The hidden fields of the form."""
        entry, source = self.entry, self.source
        return {
            **self.fields,
            "draft": "" if entry is None else entry.text,
            "begun": "" if source is None else source.text,
            "near": self.near,
        }

    @cached_property
    def cells(self) -> list[Cell]:
        """The cells of the picture as buttons or links; empty if there is nothing to choose."""
        if self.marking is not None:
            return [self._cell_to_mark(self.marking, cell) for cell in self.picture.sheet.geometry.cells]
        source, entry = self.source, self.entry
        if source is None or entry is None or source.position.phase is Phase.CHOICE:
            return []
        position, geometry = source.position, self.picture.sheet.geometry
        chosen = {position.element_cell(element) for element in elements_of(entry.text)}
        states = {True: _("can be chosen"), False: ""}
        return [
            Cell(
                position.board.name(cell),
                boards.label(position, cell, _("chosen") if cell in chosen else states[cell in self._open]),
                boards.neighbours(geometry, cell),
                cell in self._open,
                cell in chosen,
            )
            for cell in geometry.cells
        ]

    def _cell_to_mark(self, marking: Marking, cell: int) -> Cell:
        name, geometry = marking.position.board.name(cell), self.picture.sheet.geometry
        label = boards.label(marking.position, cell, _("chosen") if name == marking.on else "")
        address = self.link(near=self.near, on=name)
        return Cell(name, label, boards.neighbours(geometry, cell), True, name == marking.on, address)

    @property
    def bubble(self) -> str:
        """The CSS classes that place the bubble at the refused cell, toward the middle of the board."""
        geometry = self.picture.sheet.geometry
        cell = None if self.refusal is None else geometry.board.cell(self.refusal.cell)
        if cell is None or cell not in geometry.cells:
            return ""
        x, y = geometry.centres[cell]
        across = "left" if 3 * x < geometry.width else "right" if 3 * x > 2 * geometry.width else "middle"
        return f"{across} {'below' if 2 * y < geometry.height else 'above'}"

    @cached_property
    def _open(self) -> frozenset[int]:
        """The cells that can be chosen next."""
        source = self.source
        if source is None:
            return frozenset()
        marked = source.next if source.text or not self.offered else [elements_of(turn)[0] for turn in self.offered]
        cells = (source.position.element_cell(element) for element in marked)
        return frozenset(cell for cell in cells if cell is not None)

    @property
    def hints(self) -> bool:
        """Whether the choices are few enough to mark them."""
        source = self.source
        if source is None or source.position.phase is not Phase.PLAY:
            return False
        return 2 * len(self._open) < source.position.empty.bit_count()

    @property
    def coarse(self) -> list[tuple[str, str, bool]]:
        """The coarse cells of a large board.

        Each has a name, the address of the window that it magnifies, and whether there is something to choose.
        """
        if self.near or not self.cells:
            return []
        board, coarse = self.picture.sheet.geometry.board, []
        for cell in boards.coarse_cells(board.size):
            helps = self.hints and not self._open.isdisjoint({cell, *bits(board.neighbours[cell])})
            middle = board.name(boards.middle_near(board.size, cell))
            coarse.append((board.name(cell), self.link(near=middle), helps))
        return coarse

    @property
    def bar(self) -> Bar:
        entry = self.entry
        if entry is None:
            return self.message
        effect = effect_of(entry, entry.position.turn_of)
        back = (BarButton(BACK, _("Back")),) if entry.text or self.goes_back else ()
        if entry.finished:
            play = BarButton(END, self.end or _("Play it"), main=not entry.loses)
            return Bar(play_question(entry), effect, (*back, play), entry.is_risky)
        asked = entry.on_cell(entry.position.board.find(self.cell))
        if len(asked) > 1:
            text = _("What do you want to do on {cell}?").format(cell=self.cell)
            return Bar(text, effect, (*map(self._button, asked), BarButton("", _("Cancel"))))
        offered = () if entry.text else [elements_of(turn)[0] for turn in self.offered]
        listed = [element for element in dict.fromkeys((*entry.next, *offered)) if self._is_listed(element)]
        end: tuple[BarButton, ...] = ()
        if entry.complete:
            label = self.only or _("Play only {turn}")
            label = label.format(turn=words.translate(entry.position.turn_name(entry.text)))
            end = (BarButton(END, label, main=not entry.loses),)
        question = joined(self.lead, question_of(entry, self.mover))
        if listed == [PASS] and entry.must_pass:
            forced = entry.choose(PASS)
            pass_ = replace(self._button(PASS), main=not forced.loses, small=False)
            return Bar(question, effect_of(forced, entry.position.turn_of), (*back, pass_), forced.loses)
        return Bar(question, effect, (*back, *map(self._button, listed), *end), entry.is_risky)

    def _is_listed(self, element: str) -> bool:
        """Whether the bar offers an element: it has no cell, or is one of a few acts."""
        assert self.entry is not None
        if self.entry.position.element_cell(element) is None:
            return True
        acts = [act for act in self.entry.next if act[0] in _ACTS]
        return element in acts and len(acts) <= _MOST_ACTS

    def _button(self, element: str) -> BarButton:
        assert self.entry is not None
        position = self.entry.position
        label = words.translate(position.element_name(self.entry.text, element))
        if position.phase is Phase.CHOICE:
            return BarButton(element, _("Play {side}").format(side=label), main=True)
        return BarButton(element, label, small=element == PASS)


def with_query(address: str, values: Mapping[str, object]) -> str:
    """An address with a query. Values that are empty or None are omitted."""
    query = urlencode({name: value for name, value in values.items() if value not in (None, "")})
    return f"{address}?{query}" if query else address


def refusal_fields(press: str, error: TurnError) -> dict[str, Any]:
    """The fields of a page with the reason for refusing a press: at the pressed cell, or else in a note."""
    if press.startswith(CELL):
        return {"refusal": CellRefusal(press.removeprefix(CELL), refusal(error))}
    return {"note": refusal(error)}

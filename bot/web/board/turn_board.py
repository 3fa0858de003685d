"""A board to tap: the cells of a picture as buttons, and a bar with the other choices for a turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from markupsafe import Markup

import render
from bot.domain.turn_entry import TurnEntry
from bot.texts import gettext as _
from bot.web.board import boards
from bot.web.board.boards import Sheet
from bot.web.board.pictures import LARGER, BoardState, PictureRequest
from bot.web.html.markup import html
from bot.web.html.sentences import refusal
from bot.web.http.visitors import Visitor
from bot.wording import words
from bot.wording.turns import effect_of, play_question, question_of
from rules import PASS, Phase, Position, TurnError, bits, elements_of

#: Presses other than elements, which begin with different characters.
CELL, END, BACK = "@", ".end", ".back"
#: The marks of elements that act on a cell; the bar offers these by name.
_ACTS = "+*"
#: Maximum acts that the bar offers besides the cells.
_MOST_ACTS = 8
#: The themes for dark and for light pages of readers who have chosen none.
_DARK, _LIGHT = "dark", "light"
NOTHING = Markup()


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell as a button, or a link to an ``address``: its name, its ``label`` for screen readers, its neighbours."""

    name: str
    label: str
    beside: str
    open: bool
    chosen: bool
    address: str = ""


@dataclass(frozen=True, slots=True)
class BarButton:
    """A button of the bar: a press, or the field ``name`` of a form for another ``action``."""

    press: str
    label: str
    main: bool = False
    action: str = ""
    name: str = "press"


@dataclass(frozen=True, slots=True)
class Link:
    """A link of the bar. The script replaces the board with the linked page's, unless the link leads ``away``."""

    address: str
    label: str
    main: bool = False
    away: bool = False


@dataclass(frozen=True, slots=True)
class Bar:
    """What to do now, and the ``effect`` of the turn so far."""

    text: Markup
    effect: Markup = NOTHING
    choices: tuple[BarButton, ...] = ()
    risky: bool = False


@dataclass(frozen=True, slots=True)
class BoardPicture:
    """The addresses of a picture for dark and for light pages, its description, and its stylesheet."""

    dark: str
    light: str
    description: str
    sheet: Sheet

    @classmethod
    def of(
        cls,
        address: str,
        shot: PictureRequest,
        scene: BoardState,
        look: render.Look,
        visitor: Visitor,
        entry: TurnEntry | None,
    ) -> BoardPicture:
        """The picture of a scene for a visitor, with the turn under construction.

        Its colours match the page's unless the visitor has chosen a theme.
        """
        board, near = scene.position.board, shot.near
        shot = replace(
            shot,
            language=visitor.language,
            orientation=look.orientation,
            coordinates=look.coordinates,
            draft="" if entry is None else entry.text,
        )
        sheet = Sheet(board.size, look.orientation, board.find(near) if near else None)
        theme = visitor.preferences.theme
        dark, light = (f"{address}?{replace(shot, theme=theme or each).query}" for each in (_DARK, _LIGHT))
        return cls(dark, light, scene.describe(look, entry), sheet)

    def sizes_of(self, address: str) -> str:
        """The sizes of the picture, from which browsers choose one for the screen."""
        width = self.sheet.geometry.width
        return f"{address} {width}w, {address}&large=1 {LARGER * width}w"


@dataclass(frozen=True, slots=True)
class CellRefusal:
    """A pressed cell that the rules refuse, and the reason."""

    cell: str
    reason: Markup


@dataclass(frozen=True, slots=True)
class Marking:
    """A choice of the cell that marks are about; ``on`` is the chosen cell (empty: none yet)."""

    position: Position
    on: str


@dataclass(frozen=True)
class TurnBoard:
    """A board on which a reader puts the turn ``entry`` together; without one, a board to look at.

    Presses are posted to ``action`` with the ``fields``; ``query`` belongs to the page's ``address``. ``near`` is the
    middle of a magnified window, and ``cell`` is a cell with several elements to choose from. ``offered`` turns are
    marked first, whether or not the rules allow them. There is a way back if something is chosen, or if the page
    ``goes_back`` further. On a board for ``marking``, cells are links. The ``legend`` explains marks on the board.

    The bar is the ``message`` while there is nothing to choose, and otherwise asks the question after the ``lead``. The
    labels of the buttons that end a turn are ``end`` and ``only``.
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
    lead: Markup = NOTHING
    goes_back: bool = False
    end: str = ""
    only: str = ""
    links: tuple[Link, ...] = ()
    refusal: CellRefusal | None = None
    marking: Marking | None = None
    legend: Markup = NOTHING

    def link(self, **changes: object) -> str:
        """The address of the page with a changed query."""
        return with_query(self.address, {**self.query, **changes})

    @property
    def here(self) -> str:
        return self.link()

    @cached_property
    def source(self) -> TurnEntry | None:
        """The turn that presses on cells continue; a finished turn continues from before its last choice."""
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
        """The cells of the picture as buttons or links; none where there is nothing to choose."""
        if self.marking is not None:
            return [self._cell_to_mark(self.marking, cell) for cell in self.picture.sheet.geometry.cells]
        source, entry = self.source, self.entry
        if source is None or entry is None or source.position.phase is Phase.CHOICE:
            return []
        position, geometry = source.position, self.picture.sheet.geometry
        chosen = {position.element_cell(element) for element in elements_of(entry.text)}
        told = {True: _("can be chosen"), False: ""}
        return [
            Cell(
                position.board.name(cell),
                boards.label(position, cell, _("chosen") if cell in chosen else told[cell in self._open]),
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
        """The classes of the bubble at the refused cell, which place it toward the middle of the board."""
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
        found = (source.position.element_cell(element) for element in marked)
        return frozenset(cell for cell in found if cell is not None)

    @property
    def hints(self) -> bool:
        """Whether there are few enough choices for marks to help."""
        source = self.source
        if source is None or source.position.phase is not Phase.PLAY:
            return False
        return 2 * len(self._open) < source.position.empty.bit_count()

    @property
    def coarse(self) -> list[tuple[str, str, bool]]:
        """The coarse cells, which magnify a part of a large board.

        Each has a name, the address of its part, and whether to mark it because there is something to choose.
        """
        if self.near or not self.cells:
            return []
        board, found = self.picture.sheet.geometry.board, []
        for cell in boards.coarse_cells(board.size):
            helps = self.hints and not self._open.isdisjoint({cell, *bits(board.neighbours[cell])})
            middle = board.name(boards.middle_near(board.size, cell))
            found.append((board.name(cell), self.link(near=middle), helps))
        return found

    @property
    def bar(self) -> Bar:
        entry = self.entry
        if entry is None:
            return self.message
        effect = html(effect_of(entry, entry.position.turn_of))
        back = (BarButton(BACK, _("Back")),) if entry.text or self.goes_back else ()
        if entry.finished:
            play = BarButton(END, self.end or _("Play it"), main=True)
            return Bar(html(play_question(entry)), effect, (*back, play), entry.is_risky)
        asked = self._elements_on(self.cell)
        if len(asked) > 1:
            text = _("What do you do on {cell}?").format(cell=self.cell)
            return Bar(Markup.escape(text), effect, (*map(self._choice, asked), BarButton("", _("Cancel"))))
        offered = () if entry.text else [elements_of(turn)[0] for turn in self.offered]
        listed = [element for element in dict.fromkeys((*entry.next, *offered)) if self._is_listed(element)]
        end: tuple[BarButton, ...] = ()
        if entry.complete:
            label = self.only or _("Play only {turn}")
            label = label.format(turn=words.translate(entry.position.turn_name(entry.text)))
            end = (BarButton(END, label, main=True),)
        question = Markup(" ").join(filter(None, [self.lead, html(question_of(entry))]))
        return Bar(question, effect, (*back, *map(self._choice, listed), *end))

    def _elements_on(self, cell: str) -> list[str]:
        """The next elements on the cell with that name."""
        entry = self.entry
        found = None if entry is None else entry.position.board.find(cell)
        if entry is None or found is None:
            return []
        return [element for element in entry.next if entry.position.element_cell(element) == found]

    def _is_listed(self, element: str) -> bool:
        """Whether the bar offers an element: one without a cell, or one of a few acts."""
        assert self.entry is not None
        if self.entry.position.element_cell(element) is None:
            return True
        acts = [each for each in self.entry.next if each[0] in _ACTS]
        return element in acts and len(acts) <= _MOST_ACTS

    def _choice(self, element: str) -> BarButton:
        assert self.entry is not None
        position = self.entry.position
        label = words.translate(position.element_name(self.entry.text, element))
        if position.phase is Phase.CHOICE:
            return BarButton(element, _("Play {side}").format(side=label), main=True)
        return BarButton(element, label, main=element == PASS and self.entry.must_pass)


def with_query(address: str, values: Mapping[str, object]) -> str:
    """An address with a query, without values that are empty or None."""
    query = urlencode({name: value for name, value in values.items() if value not in (None, "")})
    return f"{address}?{query}" if query else address


def refusal_fields(press: str, error: TurnError) -> dict[str, Any]:
    """The fields of a page that give the reason for refusing a press: at the pressed cell, or otherwise in a note."""
    if press.startswith(CELL):
        return {"refusal": CellRefusal(press.removeprefix(CELL), refusal(error))}
    return {"note": refusal(error)}

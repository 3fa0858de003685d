"""Pictures of positions, as their addresses describe them."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from urllib.parse import urlencode

import render
from bot import texts
from bot.domain.matches import Game
from bot.domain.turn_entry import TurnEntry
from bot.pictures import board_png, conclusion_of, header_of
from bot.web.board.boards import WINDOW
from render.cache import for_everybody
from rules import Event, Position, elements_of
from rules.tasks import TaskOverlay

#: Maximum characters of a parameter.
LONGEST = 3000
#: The width of large pictures, in widths of other pictures.
LARGER = 2
#: The caching of pictures that other versions of the bot may draw differently.
FOR_A_DAY = "public, max-age=86400"
_FOR_ONE_FOR_A_DAY = "private, max-age=86400"


@dataclass(frozen=True, slots=True)
class PictureRequest:
    """What a picture shows, as in its address. The picture at an address never changes.

    The picture shows ``ply`` turns (None: all) of the match at a ``step``, when it may have been ``over``, then the
    ``tried`` turns, and the unfinished turn ``draft``. ``near`` is the central cell of a window; ``marks`` is an
    overlay, perhaps about the cell ``on``. Watchers see the players' names ``outside`` servers. A ``large`` picture is
    for a large screen, and a ``small`` one, the square board alone, for a list.
    """

    language: str = ""
    theme: str = ""
    step: int = 0
    over: bool = False
    orientation: int = 0
    coordinates: bool = True
    ply: int | None = None
    tried: str = ""
    draft: str = ""
    near: str = ""
    marks: str = ""
    on: str = ""
    outside: bool = True
    large: bool = False
    small: bool = False

    @property
    def is_private(self) -> bool:
        """Whether the picture reveals what its viewer thinks about, and so is drawn again for every request."""
        return bool(self.tried or self.draft or self.near or self.marks or self.on)

    @property
    def for_a_day(self) -> str:
        """The caching of the picture if other versions of the bot may draw it differently."""
        return _FOR_ONE_FOR_A_DAY if self.is_private else FOR_A_DAY

    @property
    def query(self) -> str:
        """The query of the address."""
        values = {name: getattr(self, name) for name in self.__slots__}
        given = {
            name: value for name, value in values.items() if value is not None and value is not False and value != ""
        }
        return urlencode({name: 1 if value is True else value for name, value in given.items()})

    @classmethod
    def read(cls, query: Mapping[str, str]) -> PictureRequest:
        """Read the query of an address. Raises ``ValueError`` if it is wrong."""
        if any(len(value) > LONGEST for value in query.values()):
            raise ValueError("a value is too long")
        language, theme = query.get("language", ""), query.get("theme", "")
        if language not in texts.LANGUAGES:
            raise ValueError("unknown language")
        return cls(
            language=language,
            theme=theme,
            step=_number(query.get("step", "0")),
            over="over" in query,
            orientation=_number(query.get("orientation", "0")),
            coordinates="coordinates" in query,
            ply=_number(query["ply"]) if "ply" in query else None,
            tried=query.get("tried", ""),
            draft=query.get("draft", ""),
            near=query.get("near", ""),
            marks=query.get("marks", ""),
            on=query.get("on", ""),
            outside="outside" in query,
            large="large" in query,
            small="small" in query,
        )

    def look(self, position: Position) -> render.Look:
        """The look of the picture. Raises ``ValueError`` for an unknown theme or cell."""
        window = None
        if self.near:
            cell = position.board.cell(self.near)
            if cell is None:
                raise ValueError(f"{self.near} is off the board")
            window = cell, min(WINDOW, position.board.size)
        if not 0 <= self.orientation < 12:
            raise ValueError("unknown orientation")
        scale, catalogue = LARGER if self.large else 1, texts.catalogue(self.language)
        return render.Look(self.theme, self.orientation, self.coordinates, window, scale, catalogue)


@dataclass(frozen=True, slots=True)
class BoardState:
    """A position with the other content of a picture: the turn before it, the end of its match, players, and marks."""

    position: Position
    events: tuple[Event, ...] = ()
    decision: render.Conclusion | None = None
    header: render.Header | None = None
    overlay: TaskOverlay | None = None

    @classmethod
    def of(cls, game: Game) -> BoardState:
        return cls(game.position, game.events, conclusion_of(game), header_of(game))

    def describe(self, look: render.Look, entry: TurnEntry | None = None) -> str:
        """The picture in words, with the effect of the turn under construction."""
        if entry is not None and entry.draft.has_effect:
            draft = entry.draft
            return render.describe(draft.preview, draft.events, None, look, self.header, self.position)
        return render.describe(self.position, self.events, self.decision, look, self.header)

    def draw(self, request: PictureRequest, *, public: bool = False) -> bytes:
        """Draw the picture, for everybody if it is ``public``.

        Raises ``ValueError`` or :class:`rules.TurnError` if the request does not fit the position.
        """
        with for_everybody() if public else nullcontext():
            return self._draw(request, public)

    def _draw(self, request: PictureRequest, public: bool) -> bytes:
        position, look = self.position, request.look(self.position)
        on = position.board.cell(request.on) if request.on else None
        marks, cell = (request.marks or None, on) if self.overlay is None else self.overlay
        if not request.draft:
            return self._draw_position(request, look, marks, cell, public=public)
        marked = partial(render.picture, look=look, overlay=marks, cell=cell, header=self.header)
        entry = TurnEntry.begin(position, request.draft)
        draft = entry.draft
        if draft.has_effect:
            return marked(draft.preview, draft.events, before=position)
        begun = position.element_cell(elements_of(entry.text)[0])
        targets = {} if begun is None else {begun: ""}
        return marked(position, self.events, targets=targets)

    def _draw_position(
        self, request: PictureRequest, look: render.Look, marks: str | None, cell: int | None, *, public: bool
    ) -> bytes:
        if request.small:
            return render.board_thumbnail(self.position, self.events, look)
        shown = self.position, self.events, self.decision, look
        if public and marks is None and not request.large:
            return board_png(*shown, self.header)
        return render.picture(*shown, overlay=marks, cell=cell, header=self.header)


def _number(text: str) -> int:
    if not text.isdecimal():
        raise ValueError(f"{text!r} is not a number from 0")
    return int(text)


def draw(game: Game, request: PictureRequest, *, public: bool = False) -> bytes:
    """Draw the picture of a game, as :meth:`BoardState.draw` does."""
    with texts.in_language(request.language):
        state = BoardState.of(game)
    return state.draw(request, public=public)

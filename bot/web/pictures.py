"""Pictures of the positions of matches, by what their addresses say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

import render
from bot import texts
from bot.domain.matches import Game
from bot.domain.turn_entry import TurnEntry
from bot.web.boards import SHOWN
from bot.wording.looks import conclusion_of, header_of
from rules import elements_of

#: The most characters of a parameter.
_LONGEST = 1000


@dataclass(frozen=True, slots=True)
class Shot:
    """The content of a picture of a match, as its address says it; a picture with the same address never changes.

    ``step`` is that of the match, which may be ``over``, and ``ply`` the number of turns that it shows, if not all.
    ``draft`` is a turn that is put together. ``near`` is the cell in the middle of a window, and ``marks`` an overlay,
    perhaps about the cell ``on``. Watchers see players by the names that these have ``outside`` servers.
    """

    step: int
    over: bool
    language: str
    theme: str
    orientation: int = 0
    coordinates: bool = True
    ply: int | None = None
    draft: str = ""
    near: str = ""
    marks: str = ""
    on: str = ""
    outside: bool = True

    @property
    def query(self) -> str:
        """The query of the address."""
        values = {name: getattr(self, name) for name in self.__slots__}
        told = {name: each for name, each in values.items() if each is not None and each is not False and each != ""}
        return urlencode({name: 1 if each is True else each for name, each in told.items()})

    @classmethod
    def read(cls, query: Mapping[str, str]) -> Shot:
        """The shot of an address. Raises ``ValueError`` if it has none."""
        if any(len(value) > _LONGEST for value in query.values()):
            raise ValueError("a value is too long")
        language, theme = query.get("language", ""), query.get("theme", "")
        if language not in texts.LANGUAGES:
            raise ValueError("unknown language")
        return cls(
            step=int(query.get("step", "0")),
            over="over" in query,
            language=language,
            theme=theme,
            orientation=int(query.get("orientation", "0")),
            coordinates="coordinates" in query,
            ply=int(query["ply"]) if "ply" in query else None,
            draft=query.get("draft", ""),
            near=query.get("near", ""),
            marks=query.get("marks", ""),
            on=query.get("on", ""),
            outside="outside" in query,
        )

    def look(self, game: Game) -> render.Look:
        """The look of the picture. Raises ``ValueError`` for a theme or a cell that there is not."""
        window = None
        if self.near:
            cell = game.position.board.cell(self.near)
            if cell is None:
                raise ValueError(f"{self.near} is off the board")
            window = cell, min(SHOWN, game.position.board.size)
        if not 0 <= self.orientation < 12:
            raise ValueError("unknown orientation")
        return render.Look(self.theme, self.orientation, self.coordinates, window, texts.catalogue(self.language))


def draw(game: Game, shot: Shot) -> bytes:
    """Draw the picture of a game. Raises ``ValueError`` if it cannot show that."""
    look = shot.look(game)
    with texts.in_language(shot.language):
        players = header_of(game)
    position = game.position
    if not shot.draft:
        marks, cell = shot.marks or None, position.board.cell(shot.on) if shot.on else None
        decided = conclusion_of(game)
        return render.picture(position, game.events, decided, look, overlay=marks, cell=cell, header=players)
    entry = TurnEntry.begin(position, shot.draft)
    draft = entry.draft
    if draft.has_effect:
        return render.picture(draft.preview, draft.events, None, look, before=position, header=players)
    begun = position.element_cell(elements_of(entry.text)[0])
    targets = {} if begun is None else {begun: ""}
    return render.picture(position, game.events, None, look, targets=targets, header=players)

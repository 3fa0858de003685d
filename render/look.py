"""What can be chosen about a picture of any game, and what a picture shows."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from gettext import NullTranslations

from render.layout import WIDTH, Layout, layout
from render.theme import SCHEMES
from rules import Event, Position, Side

ENGLISH = NullTranslations()


@dataclass(frozen=True)
class Look:
    """How somebody wants pictures to look.

    ``scheme`` is one of :data:`render.SCHEMES`. ``turned`` is how the board lies, from 0 to 11: that many sixths of a
    turn clockwise, from 6 on after it was mirrored. ``window`` shows only a part of the board: the cell in its middle
    and the number of cells on each of its sides. ``texts`` translates the words. Raises ``ValueError`` for a scheme
    that does not exist.
    """

    scheme: str = SCHEMES[0]
    turned: int = 0
    coordinates: bool = True
    window: tuple[int, int] | None = None
    texts: NullTranslations = field(default=ENGLISH, compare=False)

    def __post_init__(self) -> None:
        if self.scheme not in SCHEMES:
            raise ValueError(f"there is no scheme “{self.scheme}”; there is {', '.join(SCHEMES)}")


#: The look of public pictures.
USUAL = Look()


@dataclass(frozen=True, slots=True)
class Ending:
    """How a game ended: the side that won, None for a draw or when no sides were chosen yet, and the reason.

    One that was ``abandoned`` is no draw either.
    """

    winner: Side | None
    reason: str
    abandoned: bool = False


@dataclass(frozen=True)
class Scene:
    """What a picture shows: a position, the events of the last turn, and the ending of a game that is over.

    ``width`` is that of the picture in pixels; on a ``bare`` one the board has no labels and no corner fields.
    """

    position: Position
    events: tuple[Event, ...]
    ended: Ending | None
    look: Look
    width: int = WIDTH
    bare: bool = False

    @cached_property
    def place(self) -> Layout:
        around, shown = self.look.window or (None, None)
        return layout(self.position.ruleset.size, self.look.turned, shown, around, self.width, self.bare)

    @property
    def texts(self) -> NullTranslations:
        return self.look.texts

    def side(self, side: Side) -> str:
        """The side's name as it stands in a sentence, such as ``Dark``."""
        return self.texts.gettext(self.position.sides[side]).capitalize()

"""The content and the look of a picture."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from gettext import NullTranslations
from typing import Any, Generic, TypeVar

from render.colours import THEME_NAMES, Theme
from render.geometry import WIDTH, Geometry, board_geometry, least_text
from rules import Event, Phase, Position, Side, Tally

#: The game of a picture. A scene of one game is a scene of any game, because it never changes.
P = TypeVar("P", bound=Position)
P_co = TypeVar("P_co", bound=Position, covariant=True)

ENGLISH = NullTranslations()
#: The height of the lines below the board of a shared picture.
FOOTER = 136


@dataclass(frozen=True)
class Look:
    """The look of pictures of any game.

    ``theme`` is one of :data:`render.THEME_NAMES`. ``orientation``, from 0 to 11, turns the board clockwise by that
    many sixths of a turn; from 6 on, the board is mirrored first. ``window`` limits the picture to a part of the board:
    the cell in its middle and the number of cells on each of its sides. ``scale`` multiplies its width and height, for
    large screens. ``texts`` translates the words. Raises ``ValueError`` for an unknown theme.
    """

    theme: str = THEME_NAMES[0]
    orientation: int = 0
    coordinates: bool = True
    window: tuple[int, int] | None = None
    scale: int = 1
    texts: NullTranslations = field(default=ENGLISH, compare=False)

    def __post_init__(self) -> None:
        if self.theme not in THEME_NAMES:
            raise ValueError(f"unknown theme “{self.theme}”; choose from {', '.join(THEME_NAMES)}")


#: The default look of pictures.
DEFAULT_LOOK = Look()


@dataclass(frozen=True, slots=True)
class Conclusion:
    """The end of a game: the winner (None for a draw or before the choice of sides), and the reason in words.

    An ``abandoned`` game has no winner, but is not a draw.
    """

    winner: Side | None
    reason: str
    abandoned: bool = False


@dataclass(frozen=True, slots=True)
class Header:
    """The names of the players, the opener's first, and what a picture shown away from its match adds: the ``product``
    and the ``date``, as texts, and the number of the last ``turn``.
    """

    names: tuple[str, str]
    product: str = ""
    date: str = ""
    turn: int | None = None


@dataclass(frozen=True)
class Scene(Generic[P_co]):
    """The content of a picture: a position and the events of the last turn.

    ``decision`` is an end that the players decided. ``width`` is in pixels. A ``bare`` picture is the board alone,
    without coordinates, perhaps inside a picture of width ``within``. A ``moving`` picture is a frame of an animation,
    which should change little from turn to turn. ``before`` is the position before an unplayed turn. ``choosable`` are
    the cells to choose from, whose badges the marks must not hide. An ``unnumbered`` board has no numbers on its cells.
    """

    #: The :class:`render.face.Face` of the game, whose module imports this one.
    face: Any
    position: P_co
    events: tuple[Event, ...] = ()
    decision: Conclusion | None = None
    look: Look = DEFAULT_LOOK
    width: int = WIDTH
    bare: bool = False
    header: Header | None = None
    moving: bool = False
    within: int = WIDTH
    before: Position | None = None
    choosable: frozenset[int] = frozenset()
    unnumbered: bool = False

    @cached_property
    def theme(self) -> Theme:
        theme: Theme = self.face.themes[self.look.theme]
        return theme

    @cached_property
    def geometry(self) -> Geometry:
        around, window_size = self.look.window or (None, None)
        size = self.position.ruleset.size
        return board_geometry(size, self.look.orientation, window_size, around, self.width, self.bare)

    @property
    def coordinates(self) -> bool:
        """Whether the picture shows coordinates."""
        return self.look.coordinates and not self.bare

    @property
    def conclusion(self) -> Conclusion | None:
        """The end of the game, decided by the players or else by the rules; None while it is in progress."""
        outcome = self.position.outcome
        if self.decision is not None or outcome is None:
            return self.decision
        return Conclusion(outcome.winner, self.position.reasons[outcome.reason])

    @cached_property
    def tally(self) -> Tally:
        """The effects of the last turn on pieces on the board."""
        return Tally(self.events)

    @property
    def awaiting(self) -> Position:
        """The position that waits for a player: before an unplayed turn, but after an unplayed choice of side, when
        names stand for sides.
        """
        return self.position if self.before is None or self.before.phase is Phase.CHOICE else self.before

    @property
    def least_text(self) -> int:
        """The smallest readable font size in the picture, or in the picture around a bare board."""
        return least_text(self.within if self.bare else self.width)

    @property
    def texts(self) -> NullTranslations:
        return self.look.texts

    def side(self, side: Side) -> str:
        """The side's name within a sentence, such as ``Dark``."""
        return self.position.side_name(side).translate(self.texts)

    def player(self, side: Side) -> str:
        """The name of the side's player, empty if unknown; before the choice, the opener has the first side."""
        if self.header is None:
            return ""
        chosen = self.position.second_player
        return self.header.names[side is (Side.SECOND if chosen is None else chosen)]

    @property
    def footer(self) -> int:
        """The height of the lines below the board, in pixels."""
        shared = self.header is not None and self.header.product and not self.bare
        return round(FOOTER * self.geometry.unit) if shared else 0

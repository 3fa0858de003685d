"""Pictures of positions and their alternative texts."""

from __future__ import annotations

from collections.abc import Sequence

from render import dalen, sprites
from render.words import Ending, ending
from rules import Dalen, Event, Position

#: The games that have pictures, by name.
GAMES: dict[str, type[Position]] = {Dalen.name: Dalen}


def picture(position: Position, events: Sequence[Event] = (), decided: Ending | None = None) -> bytes:
    """The position as a PNG file, 1,100 pixels wide; ``events`` are those of the last turn, which it marks.

    ``decided`` is the ending of a game that the players ended otherwise than by its rules, such as a resignation.

    Any number of threads may call this at once. Raises ``TypeError`` for a game that has no pictures.
    """
    if isinstance(position, Dalen):
        return sprites.png(dalen.paint(position, events, ending(position, decided)), dalen.THEME)
    raise TypeError(f"there are no pictures of {position.title}")


def describe(position: Position, events: Sequence[Event] = (), decided: Ending | None = None) -> str:
    """The position and its last turn in words, for those who do not see the picture: under 1,024 characters.

    Raises ``TypeError`` for a game that has no pictures.
    """
    if isinstance(position, Dalen):
        return dalen.describe(position, events, ending(position, decided))
    raise TypeError(f"there are no pictures of {position.title}")


__all__ = ["GAMES", "Ending", "describe", "picture"]

"""The registry of faces. Everything about one game is in its folder."""

from __future__ import annotations

from typing import Any

from render.face import Face
from render.games.dalen.face import DalenFace
from render.games.dendria.face import DendriaFace
from render.games.fiodar.face import FiodarFace
from render.games.hedu.face import HeduFace
from render.games.nadraz.face import NadrazFace
from render.scene import P

#: The faces of the games, by the name of the game.
FACES: dict[str, Face[Any]] = {
    "dalen": DalenFace(),
    "dendria": DendriaFace(),
    "fiodar": FiodarFace(),
    "hedu": HeduFace(),
    "nadraz": NadrazFace(),
}


def face(game: type[P]) -> Face[P]:
    """The face of a game. Raises ``TypeError`` for a game without one."""
    try:
        return FACES[game.name]
    except KeyError:
        raise TypeError(f"there are no pictures of {game.title}") from None

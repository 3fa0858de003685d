"""The registry of faces. Everything that knows one game stands in that game's folder."""

from __future__ import annotations

from render.face import Face
from render.games.dalen.face import DalenFace
from render.games.dendria.face import DendriaFace
from render.games.fiodar.face import FiodarFace
from render.games.hedu.face import HeduFace
from render.games.nadraz.face import NadrazFace
from rules.dalen import Dalen
from rules.dendria import Dendria
from rules.fiodar import Fiodar
from rules.hedu import Hedu
from rules.nadraz import Nadraz

#: The faces of the games, by the name of the game.
FACES: dict[str, Face] = {
    Dalen.name: DalenFace(),
    Dendria.name: DendriaFace(),
    Fiodar.name: FiodarFace(),
    Hedu.name: HeduFace(),
    Nadraz.name: NadrazFace(),
}

"""Pictures of positions and their alternative texts."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from render import overlays, sprites, words
from render.dalen import DalenFace
from render.dendria import DendriaFace
from render.face import Face
from render.fiodar import FiodarFace
from render.hedu import HeduFace
from render.look import ENGLISH, USUAL, Ending, Look, Scene
from render.nadraz import NadrazFace
from render.theme import SCHEMES
from rules import Dalen, Dendria, Event, Fiodar, Hedu, Nadraz, Position

#: What the games look like, by name.
FACES: dict[str, Face] = {
    Dalen.name: DalenFace(),
    Dendria.name: DendriaFace(),
    Fiodar.name: FiodarFace(),
    Hedu.name: HeduFace(),
    Nadraz.name: NadrazFace(),
}


def face(game: type[Position]) -> Face:
    """The face of a game. Raises ``TypeError`` for a game that has no pictures."""
    try:
        return FACES[game.name]
    except KeyError:
        raise TypeError(f"there are no pictures of {game.title}") from None


def picture(
    position: Position,
    events: Sequence[Event] = (),
    decided: Ending | None = None,
    look: Look = USUAL,
    *,
    overlay: str | None = None,
    cell: int | None = None,
    targets: Mapping[int, str] | None = None,
    areas: Mapping[str, Collection[int]] | None = None,
    before: Position | None = None,
) -> bytes:
    """The position as a PNG file, 1,100 pixels wide; ``events`` are those of the last turn, which it marks.

    ``decided`` is the ending of a game that the players ended otherwise than by its rules, such as a resignation.

    On request: ``overlay`` is one of :func:`overlays_of` the game, about that ``cell`` where it needs one; ``targets``
    are cells with what is written on each, to be chosen from, and ``areas`` what is written on each with its cells, the
    rest of the board being dimmed; ``before`` is the position before a turn that is not
    played yet, so that all that it changes shows as a ghost.

    Any number of threads may call this at once. Raises ``TypeError`` for a game that has no pictures, and
    ``ValueError`` for an overlay that the game does not have.
    """
    of = face(type(position))
    scene = Scene(position, tuple(events), words.ending(position, decided), look)
    image = of.paint(scene)
    if before is not None:
        image = overlays.ghost(of.paint(Scene(before, (), None, look)), image, scene.place)
    if before is not None or overlay is not None or targets or areas:
        image = overlays.draw(image, scene, of, overlay=overlay, cell=cell, targets=targets, areas=areas)
    return sprites.png(image, level_of(scene))


def level_of(scene: Scene) -> int:
    """At which level of zlib a picture is compressed: one of many small cells would be a large file at a low one."""
    return 5 if scene.place.shown > 8 else 3


def overlays_of(game: type[Position]) -> tuple[str, ...]:
    """The overlays that pictures of a game can have."""
    return overlays.names(face(game))


def overlay_titles(game: type[Position]) -> dict[str, str]:
    """The same in words, such as ``legal turns``; a catalogue translates these."""
    return overlays.titles(face(game))


def describe(
    position: Position, events: Sequence[Event] = (), decided: Ending | None = None, look: Look = USUAL
) -> str:
    """The position and its last turn in words, for those who do not see the picture: under 1,024 characters.

    Raises ``TypeError`` for a game that has no pictures.
    """
    scene = Scene(position, tuple(events), words.ending(position, decided), look)
    return face(type(position)).describe(scene)


__all__ = [
    "ENGLISH",
    "FACES",
    "SCHEMES",
    "USUAL",
    "Ending",
    "Face",
    "Look",
    "describe",
    "face",
    "overlay_titles",
    "overlays_of",
    "picture",
]

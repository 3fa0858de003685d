"""Pictures of positions, and the same positions in words."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from render import alt_text, overlays, painting, pairs, thumbnails
from render.canvas import to_png
from render.colours import THEME_NAMES
from render.face import Face
from render.games import FACES
from render.scene import DEFAULT_LOOK, ENGLISH, Conclusion, Header, Look, P, Scene, conclusion
from render.signs import Overlay
from rules import Event, Position


def face(game: type[P]) -> Face[P]:
    """The face of a game. Raises ``TypeError`` for a game that has none."""
    try:
        return FACES[game.name]
    except KeyError:
        raise TypeError(f"there are no pictures of {game.title}") from None


def picture(
    position: Position,
    events: Sequence[Event] = (),
    decided: Conclusion | None = None,
    look: Look = DEFAULT_LOOK,
    *,
    overlay: str | None = None,
    cell: int | None = None,
    targets: Mapping[int, str] | None = None,
    areas: Mapping[str, Collection[int]] | None = None,
    before: Position | None = None,
    header: Header | None = None,
    overview: bool = False,
) -> bytes:
    """The position as a PNG file, 900 pixels wide, in which the last turn, given by its ``events``, is marked.

    ``decided`` says how the players themselves ended a game that is not over by its rules, such as by resignation.
    ``header`` says whose game it is.

    On request, ``overlay`` adds marks: one of :func:`overlays_of` the game, for a ``cell`` if it needs one.
    ``targets`` are cells to choose from, each with the text of its badge; ``areas`` are groups of cells, each by the
    text of its badge, with the rest of the board dimmed. ``before`` is the position before a turn that has not been
    played yet: everything that the turn changes is drawn half transparent, and the header leaves it to the same side.
    With an ``overview``, a picture of a part of the board also has the whole board, small, with that part marked.

    Any number of threads may call this at once. Raises ``TypeError`` for a game without pictures, and ``ValueError``
    for an overlay that the game does not have.
    """
    of = face(type(position))
    scene = Scene(
        position,
        tuple(events),
        conclusion(position, decided),
        look,
        header=header,
        before=before,
        choosable=frozenset(targets or ()),
    )
    overview = overview and look.window is not None
    if before is None and overlay is None and not targets and not areas and not overview:
        return to_png(painting.paint(of, scene))
    image = painting.in_full_colour(painting.paint_square(of, scene))
    if before is not None:
        earlier = Scene(before, (), None, look, header=header)
        left = [cell for cell in set(of.numbered(earlier)).difference(of.numbered(scene)) if position.empty >> cell & 1]
        was = painting.in_full_colour(painting.paint_square(of, earlier))
        image = overlays.ghost(was, image, scene.geometry, left)
    drawn = overlays.draw(image, scene, of, overlay=overlay, cell=cell, targets=targets, areas=areas, overview=overview)
    return to_png(drawn)


def pair(
    before: Position,
    after: Position,
    events: Sequence[Event],
    look: Look = DEFAULT_LOOK,
    targets: Mapping[int, str] | None = None,
) -> bytes:
    """The positions before and after a turn side by side, in one PNG file as wide as that of one position.

    ``events`` are what the turn did; ``targets`` are cells of the first position, as for :func:`picture`. Any number of
    threads may call this at once.
    """
    of = face(type(after))
    one, other = (
        Scene(position, tuple(did), conclusion(position, None), look, pairs.BOARD, bare=True, labelled=look.coordinates)
        for position, did in ((before, ()), (after, events))
    )
    return pairs.draw(of, one, other, targets or {})


def thumbnail(game: type[Position], theme: str = DEFAULT_LOOK.theme) -> bytes:
    """A small PNG file by which people recognise the game in a list.

    Any number of threads may call this at once. Raises ``TypeError`` for a game without pictures.
    """
    return thumbnails.draw(face(game), theme)


def overlays_of(game: type[P]) -> dict[str, Overlay[P]]:
    """The overlays that pictures of a game can have, by name."""
    return overlays.overlays_of(face(game))


def describe(
    position: Position,
    events: Sequence[Event] = (),
    decided: Conclusion | None = None,
    look: Look = DEFAULT_LOOK,
    header: Header | None = None,
    before: Position | None = None,
) -> str:
    """The position and its last turn in words, for people who cannot see the picture: less than 1,024 characters.

    ``before`` is the position before the turn if that is not played yet. Raises ``TypeError`` for a game without
    pictures.
    """
    scene = Scene(position, tuple(events), conclusion(position, decided), look, header=header, before=before)
    return alt_text.describe(face(type(position)), scene)


__all__ = [
    "DEFAULT_LOOK",
    "ENGLISH",
    "FACES",
    "THEME_NAMES",
    "Conclusion",
    "Face",
    "Header",
    "Look",
    "Overlay",
    "describe",
    "face",
    "overlays_of",
    "pair",
    "picture",
    "thumbnail",
]

"""Pictures of positions, and the same positions in words."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from render import alt_text, overlays, painting
from render.colours import THEME_NAMES
from render.face import Face
from render.games import FACES, face
from render.geometry import WIDTH
from render.overlays import overlays_of
from render.pairs import pair
from render.palette import in_full_colour, to_png
from render.scene import DEFAULT_LOOK, ENGLISH, Conclusion, Header, Look, Scene
from render.signs import Overlay
from render.thumbnails import thumbnail
from rules import Event, Position


def picture(
    position: Position,
    events: Sequence[Event] = (),
    decision: Conclusion | None = None,
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
    """The position as a PNG file, with marks for the last turn, given by its ``events``. It is 900 pixels wide, times
    the look's ``scale``.

    ``decision`` is an end that the players decided, such as a resignation. ``header`` names the players.

    ``overlay`` adds marks: one of :func:`overlays_of` the game, for a ``cell`` if it needs one. ``targets`` are cells
    to choose from, each with the text of its badge, which may be empty. ``areas`` are groups of cells by the texts of
    their badges; the rest of the board is dimmed. ``before`` is the position before an unplayed turn, whose changes are
    half transparent; the header still shows the side to play there, and the overlay the marks there. An ``overview``
    below the picture of a part of the board marks that part on the whole board.

    Any number of threads may call this at once. Raises ``TypeError`` for a game without pictures, and ``ValueError``
    for an unknown overlay.
    """
    choosable = frozenset(targets or ())
    of = face(type(position))
    width = look.scale * WIDTH
    scene = Scene(of, position, tuple(events), decision, look, width, header=header, before=before, choosable=choosable)
    overview = overview and look.window is not None
    image = painting.paint(scene)
    if before is None and overlay is None and not targets and not areas and not overview:
        return to_png(image)
    image = in_full_colour(image)
    if before is not None:
        image = overlays.ghost(image, scene, before)
    return to_png(overlays.draw(image, scene, overlay, cell, targets, areas, overview))


def describe(
    position: Position,
    events: Sequence[Event] = (),
    decision: Conclusion | None = None,
    look: Look = DEFAULT_LOOK,
    header: Header | None = None,
    before: Position | None = None,
) -> str:
    """The position and its last turn in words, for people who cannot see the picture: less than 1,024 characters.

    ``before`` is the position before an unplayed turn. Raises ``TypeError`` for a game without pictures.
    """
    of = face(type(position))
    return alt_text.describe(Scene(of, position, tuple(events), decision, look, header=header, before=before))


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

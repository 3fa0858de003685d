"""Colours by role. A picture's palette is made of these colours and of the blends between those that touch.

Every game has a theme of each of the :data:`SCHEMES`: ``dark``, its own face; ``light``; ``contrast``, with the
strongest contrasts there are; and ``safe``, in blue and orange, which nearly all eyes can tell apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

Colour = tuple[int, int, int]
#: A colour, perhaps with an opacity from 0 to 255.
Ink = tuple[int, int, int] | tuple[int, int, int, int]

#: Blends differ by so much in a channel from the colours that stand in a theme.
_CLOSE = 8

SCHEMES = ("dark", "light", "contrast", "safe")


def colour(code: str) -> Colour:
    """The colour written ``rrggbb``."""
    red, green, blue = bytes.fromhex(code)
    return red, green, blue


def luminance(of: Colour) -> float:
    """The relative luminance as WCAG 2 defines it, from 0 to 1."""
    red, green, blue = (c / 3294.6 if c <= 10 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in of)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: Colour, other: Colour) -> float:
    """The contrast ratio of two colours as WCAG 2 defines it, from 1 to 21."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def blend(one: Colour, other: Colour, part: float) -> Colour:
    """The colour that lies that part of the way, from 0 to 1, between two others."""
    red, green, blue = (round(a + (b - a) * part) for a, b in zip(one, other, strict=True))
    return red, green, blue


def _distance(one: Colour, other: Colour) -> int:
    """The largest difference of two colours in a channel, from 0 to 255."""
    return max(abs(a - b) for a, b in zip(one, other, strict=True))


def readable_on(ground: Colour) -> Colour:
    """Black or white, whichever is easier to read on that ground."""
    black, white = (0, 0, 0), (255, 255, 255)
    return max(black, white, key=lambda ink: contrast(ink, ground))


@dataclass(frozen=True)
class Stone:
    """One side's pieces: the body, the line around it, and the finer lines on it."""

    body: Colour
    edge: Colour
    vein: Colour


@dataclass(frozen=True, eq=False)
class Theme:
    """The colours of a game's pictures. A theme equals only itself, so that caches find it fast."""

    #: The picture's ground, and the ground of the field of the side to play.
    panel: Colour
    raised: Colour
    #: Below and between the cells, the cells, and the cell of the last placement.
    tray: Colour
    cell: Colour
    fresh: Colour
    #: Texts, in falling weight; numbers differ from letters where both stand side by side.
    text: Colour
    letter: Colour
    number: Colour
    #: The lines that lead to the numbers.
    tick: Colour
    #: What calls for attention.
    warm: Colour
    stones: tuple[Stone, Stone]
    #: Pairs of other colours that touch in this game's pictures.
    mixes: tuple[tuple[Colour, Colour], ...] = ()

    @cached_property
    def palette(self) -> tuple[Colour, ...]:
        """All colours a picture may have, at most 252."""
        colours = [self.panel, self.raised, self.tray, self.cell, self.fresh, self.text, self.letter, self.number]
        colours += [self.tick, self.warm]
        colours += [each for stone in self.stones for each in (stone.body, stone.edge, stone.vein)]
        colours += [each for pair in self.mixes for each in pair]
        dark, light = self.stones
        touching = [
            (self.panel, self.tray),
            (self.panel, self.cell),
            (self.panel, self.fresh),
            (self.raised, self.cell),
            (self.panel, self.raised),
            (self.panel, self.text),
            (self.panel, self.letter),
            (self.panel, self.number),
            (self.panel, self.tick),
            (self.raised, self.letter),
            (self.raised, self.text),
            (self.tray, self.cell),
            (self.tray, self.fresh),
            (self.warm, self.cell),
            (self.warm, self.panel),
            (dark.body, light.body),
            *self.mixes,
        ]
        for stone in self.stones:
            touching += [(stone.body, stone.edge), (stone.body, stone.vein), (stone.edge, self.warm)]
            touching += [(stone.edge, ground) for ground in (self.cell, self.fresh, self.tray, self.panel, self.raised)]
        blends = []
        for one, other in touching:
            # The eye needs more steps between colours that lie far apart; fewer make a smaller file.
            steps = 2 + _distance(one, other) // 130
            blends += [blend(one, other, part / steps) for part in range(1, steps)]
        # Pillow takes colours that lie as close together as that for one another.
        apart = [each for each in blends if all(_distance(each, colour) >= _CLOSE for colour in colours)]
        return tuple(dict.fromkeys([*colours, *apart]))

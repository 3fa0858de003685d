"""Colours by role. A picture's palette consists of these and of blends of colours that touch.

Every game has a theme for each of the :data:`THEME_NAMES`: ``dark``, its own; ``light``; ``contrast``, with the
strongest contrasts; and ``safe``, for nearly any colour vision. In ``safe``, dark and light are blue and orange, while
black and white keep their names and have marks in blue and orange.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product

Colour = tuple[int, int, int]
#: A colour with or without an opacity from 0 to 255.
Ink = tuple[int, int, int] | tuple[int, int, int, int]

#: Minimum difference, in one channel, between blends and the named colours of a theme.
_CLOSE = 8

THEME_NAMES = ("dark", "light", "contrast", "safe")


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


def blend(one: Colour, other: Colour, share: float) -> Colour:
    """The colour a ``share`` of the way, from 0 to 1, from one colour to another."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(one, other, strict=True))
    return red, green, blue


def _distance(one: Colour, other: Colour) -> int:
    """The largest difference between two colours in a channel, from 0 to 255."""
    return max(abs(a - b) for a, b in zip(one, other, strict=True))


def readable_on(ground: Colour) -> Colour:
    """Black or white, whichever is more readable on that ground."""
    black, white = (0, 0, 0), (255, 255, 255)
    return max(black, white, key=lambda ink: contrast(ink, ground))


@dataclass(frozen=True)
class Stone:
    """The colours of one side's pieces: the body, the line around it, and the finer lines on it."""

    body: Colour
    edge: Colour
    vein: Colour


def stone(body: str, edge: str, vein: str) -> Stone:
    """The colours of one side's pieces, each written ``rrggbb``."""
    return Stone(colour(body), colour(edge), colour(vein))


@dataclass(frozen=True, eq=False)
class Theme:
    """The colours of a game's pictures. A theme equals only itself, which makes it a fast cache key."""

    #: The grounds of the picture, and of the field of the side to play.
    background: Colour
    highlight: Colour
    #: Below and between the cells, the cells, and the cell of the last placement.
    tray: Colour
    cell: Colour
    fresh: Colour
    #: Texts from the most to the least important; column letters differ from row numbers.
    text: Colour
    letter: Colour
    number: Colour
    #: The lines that lead to the numbers.
    tick: Colour
    #: For whatever calls for attention.
    accent: Colour
    stones: tuple[Stone, Stone]
    #: For whatever is safe, in games that show this and have the colour in their ``mixes``.
    calm: Colour = (255, 255, 255)
    #: Further pairs of colours that touch in this game's pictures.
    mixes: tuple[tuple[Colour, Colour], ...] = ()

    @cached_property
    def palette(self) -> tuple[Colour, ...]:
        """All colours that a picture may contain, at most 252."""
        colours = [self.background, self.highlight, self.tray, self.cell, self.fresh, self.text, self.letter]
        colours += [self.number, self.tick, self.accent]
        colours += [colour for stone in self.stones for colour in (stone.body, stone.edge, stone.vein)]
        colours += [colour for pair in self.mixes for colour in pair]
        dark, light = self.stones
        touching = [
            *product([self.background], (self.tray, self.cell, self.fresh)),
            (self.highlight, self.cell),
            *product([self.background], (self.highlight, self.text, self.letter, self.number, self.tick)),
            *product([self.highlight], (self.letter, self.text)),
            *product([self.tray], (self.cell, self.fresh)),
            *product([self.accent], (self.cell, self.background)),
            (dark.body, light.body),
            *self.mixes,
        ]
        grounds = self.cell, self.fresh, self.tray, self.background, self.highlight
        for stone in self.stones:
            touching += [(stone.body, stone.edge), (stone.body, stone.vein), (stone.edge, self.accent)]
            touching += product([stone.edge], grounds)
        blends = []
        for one, other in touching:
            # The eye needs more shades between very different colours, but fewer make a smaller file.
            shades = 2 + _distance(one, other) // 130
            blends += [blend(one, other, i / shades) for i in range(1, shades)]
        # Pillow confuses closer colours.
        apart = [mixed for mixed in blends if all(_distance(mixed, colour) >= _CLOSE for colour in colours)]
        return tuple(dict.fromkeys([*colours, *apart]))


#: The common parts of all games' themes ``contrast`` and ``safe``. A game adds its pieces, and better shades of other
#: colours.
CONTRAST = Theme(
    background=colour("000000"),
    highlight=colour("262626"),
    tray=colour("3a3a3a"),
    cell=colour("7d7d7d"),
    fresh=colour("d8d8d8"),
    text=colour("ffffff"),
    letter=colour("ffe14d"),
    number=colour("ffffff"),
    tick=colour("8a8a8a"),
    accent=colour("ffd000"),
    calm=colour("5cf0ff"),
    stones=(stone("000000", "000000", "9a9a9a"), stone("ffffff", "000000", "7a7a7a")),
)
SAFE = Theme(
    background=colour("1d2433"),
    highlight=colour("2e3a52"),
    tray=colour("5b6272"),
    cell=colour("8b93a3"),
    fresh=colour("dfe3ea"),
    text=colour("f5f6f8"),
    letter=colour("f3c86a"),
    number=colour("b9c4d8"),
    tick=colour("4d586e"),
    accent=colour("f2e11c"),
    stones=(stone("06305c", "041f3d", "4a8fd0"), stone("ffcf7d", "5a3700", "d38a1c")),
)

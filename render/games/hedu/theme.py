"""Hedu's colours: a moor at dusk, between black and white."""

from __future__ import annotations

from dataclasses import replace

from render.colours import CONTRAST, SAFE, Colour, Theme, blend, colour, stone
from rules import Side

#: The share of the owner's colour in the cells of a region: of a wide region, of others, and after the game.
WIDE, HINT, SETTLED = 0.07, 0.17, 0.46


def tint(theme: Theme, owner: Side | None, share: float) -> Colour:
    """The colour of a cell in a region of that owner."""
    return theme.cell if owner is None else blend(theme.cell, theme.stones[owner].body, share)


def _mixed(theme: Theme) -> Theme:
    """The theme with the pairs of colours that touch only in pictures of Hedu."""
    mixes = []
    for side in Side:
        hint, settled = (tint(theme, side, share) for share in (HINT, SETTLED))
        ink = theme.stones[side.other].body
        mixes += [
            (tint(theme, side, WIDE), theme.stones[side].body),
            (hint, theme.stones[side].body),
            (settled, theme.tray),
            (settled, ink),
            (settled, theme.background),
        ]
    return replace(theme, mixes=tuple(mixes))


_THEMES = {
    "dark": Theme(
        background=colour("2a2436"),
        highlight=colour("423a55"),
        tray=colour("483e58"),
        cell=colour("877c99"),
        fresh=colour("ffd75e"),
        text=colour("f6f1fa"),
        letter=colour("e2c6a0"),
        number=colour("a9d6c9"),
        tick=colour("5d5371"),
        accent=colour("ffab2e"),
        stones=(stone("120e19", "120e19", "8c82a0"), stone("fbf7f0", "2b2338", "7d7289")),
    ),
    "light": Theme(
        background=colour("f3f0f6"),
        highlight=colour("e0d8ea"),
        tray=colour("85799a"),
        cell=colour("aba0bc"),
        fresh=colour("ffd02e"),
        text=colour("2a2436"),
        letter=colour("6a4a1e"),
        number=colour("1d6255"),
        tick=colour("cdc5d8"),
        accent=colour("c83e0c"),
        stones=(stone("16111f", "16111f", "8c82a0"), stone("ffffff", "2b2338", "7d7289")),
    ),
    "contrast": replace(
        CONTRAST,
        tray=colour("2c2c2c"),
        fresh=colour("ffe14d"),
        accent=colour("ffb000"),
        stones=(stone("000000", "000000", "a0a0a0"), stone("ffffff", "000000", "707070")),
    ),
    "safe": replace(
        SAFE,
        tray=colour("464d5c"),
        cell=colour("848c9d"),
        fresh=colour("ffe14d"),
        number=colour("c6d0e2"),
        stones=(stone("0b121d", "0b121d", "5aa2ea"), stone("fffaf0", "3d2600", "c27000")),
    ),
}
THEMES = {name: _mixed(theme) for name, theme in _THEMES.items()}

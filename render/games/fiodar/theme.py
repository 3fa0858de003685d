"""Fiodar's colours: linen in an indigo frame, with red thread."""

from __future__ import annotations

from dataclasses import replace

from render.colours import CONTRAST, SAFE, Colour, Theme, blend, colour, stone
from rules import Side


def shade(theme: Theme) -> Colour:
    """The colour of every second triangle of the cloth."""
    return blend(theme.cell, theme.tray, 0.11)


def faded(theme: Theme, side: Side) -> Colour:
    """The colour of a captured stone."""
    return blend(theme.cell, theme.stones[side].body, 0.55)


def _mixed(theme: Theme) -> Theme:
    """The theme with the pairs of colours that touch only in pictures of Fiodar."""
    mixes = [(theme.tray, shade(theme)), (theme.tray, theme.fresh)]
    for side in Side:
        stone, ghost = theme.stones[side], faded(theme, side)
        mixes += [
            (ghost, stone.edge),
            (ghost, theme.stones[side.other].body),
            (stone.edge, theme.accent),
            (theme.fresh, stone.body),
        ]
    return replace(theme, mixes=tuple(mixes))


_THEMES = {
    "dark": Theme(
        background=colour("1f2540"),
        highlight=colour("323b60"),
        tray=colour("9a7444"),
        cell=colour("dfc592"),
        fresh=colour("7fb8e6"),
        text=colour("f6f0e1"),
        letter=colour("ecc98b"),
        number=colour("b4bfe0"),
        tick=colour("4c5781"),
        accent=colour("e0243f"),
        stones=(stone("17161c", "17161c", "6b6678"), stone("fdf7e9", "46331c", "b9a47c")),
    ),
    "light": Theme(
        background=colour("f5f1e8"),
        highlight=colour("dde3f0"),
        tray=colour("8a6a3f"),
        cell=colour("c9a566"),
        fresh=colour("6fb0e4"),
        text=colour("1f2540"),
        letter=colour("6b4713"),
        number=colour("3f4a75"),
        tick=colour("b8b3a5"),
        accent=colour("cf1534"),
        stones=(stone("17161c", "17161c", "6b6678"), stone("fffdf6", "3f2e19", "b9a47c")),
    ),
    "contrast": replace(
        CONTRAST,
        tray=colour("2c2c2c"),
        cell=colour("8c8c8c"),
        stones=(stone("000000", "000000", "9c9c9c"), stone("ffffff", "000000", "6a6a6a")),
    ),
    "safe": replace(
        SAFE,
        tray=colour("565d6c"),
        cell=colour("9aa1af"),
        fresh=colour("e9ecf2"),
        stones=(stone("0b121d", "0b121d", "5aa2ea"), stone("fffaf0", "4a2c00", "d07a00")),
    ),
}
THEMES = {name: _mixed(theme) for name, theme in _THEMES.items()}

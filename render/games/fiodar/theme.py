"""Fiodar's colours: linen in an indigo frame, with red thread."""

from __future__ import annotations

from dataclasses import replace

from render.colours import CONTRAST, SAFE, Colour, Stone, Theme, blend, colour
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
        stones=(
            Stone(body=colour("17161c"), edge=colour("17161c"), vein=colour("6b6678")),
            Stone(body=colour("fdf7e9"), edge=colour("46331c"), vein=colour("b9a47c")),
        ),
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
        stones=(
            Stone(body=colour("17161c"), edge=colour("17161c"), vein=colour("6b6678")),
            Stone(body=colour("fffdf6"), edge=colour("3f2e19"), vein=colour("b9a47c")),
        ),
    ),
    "contrast": replace(
        CONTRAST,
        tray=colour("2c2c2c"),
        cell=colour("8c8c8c"),
        stones=(
            Stone(body=colour("000000"), edge=colour("000000"), vein=colour("9c9c9c")),
            Stone(body=colour("ffffff"), edge=colour("000000"), vein=colour("6a6a6a")),
        ),
    ),
    "safe": replace(
        SAFE,
        tray=colour("565d6c"),
        cell=colour("9aa1af"),
        fresh=colour("e9ecf2"),
        stones=(
            Stone(body=colour("0b121d"), edge=colour("0b121d"), vein=colour("5aa2ea")),
            Stone(body=colour("fffaf0"), edge=colour("4a2c00"), vein=colour("d07a00")),
        ),
    ),
}
THEMES = {name: _mixed(theme) for name, theme in _THEMES.items()}

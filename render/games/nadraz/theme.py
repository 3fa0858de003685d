"""Nadraz's colours: black and white figures on clay."""

from __future__ import annotations

from dataclasses import replace

from render.colours import CONTRAST, SAFE, Colour, Theme, blend, colour, stone

#: A stone's ``vein`` is the colour of the parts that grow: heads, tails and eggs.
THEMES = {
    "dark": Theme(
        background=colour("241a1b"),
        highlight=colour("43302c"),
        tray=colour("5f3325"),
        cell=colour("c27a52"),
        fresh=colour("ffd772"),
        text=colour("fff6e4"),
        letter=colour("f0bf86"),
        number=colour("cfb3a2"),
        tick=colour("6d5148"),
        accent=colour("ffc53d"),
        stones=(stone("16110f", "16110f", "f2a93b"), stone("fff6e4", "5f3325", "0d6b7a")),
    ),
    "light": Theme(
        background=colour("f8f0e4"),
        highlight=colour("efdcc4"),
        tray=colour("8a4c34"),
        cell=colour("d18c63"),
        fresh=colour("ffe08a"),
        text=colour("2b1712"),
        letter=colour("7a3a1e"),
        number=colour("5f4a41"),
        tick=colour("c3ab99"),
        accent=colour("ad4d06"),
        stones=(stone("1a1311", "1a1311", "f5b04a"), stone("fffaf0", "4f2718", "0a6170")),
    ),
    "contrast": replace(
        CONTRAST,
        tray=colour("3c3c3c"),
        cell=colour("828282"),
        stones=(stone("000000", "000000", "ffd000"), stone("ffffff", "000000", "0a28b4")),
    ),
    "safe": replace(
        SAFE,
        tray=colour("4b5364"),
        cell=colour("9098a8"),
        stones=(stone("0b121d", "0b121d", "6ec1ff"), stone("fffaf0", "4a2a00", "a84a00")),
    ),
}


def edge_colour(theme: Theme) -> Colour:
    """The darker ground of edge cells, where only runs that cut can place stones."""
    return blend(theme.tray, theme.cell, 0.5)

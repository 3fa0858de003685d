"""Dalen's colours: greens on wood."""

from __future__ import annotations

from render.colours import CONTRAST, SAFE, Theme, colour, stone

THEMES = {
    "dark": Theme(
        background=colour("22302a"),
        highlight=colour("33463c"),
        tray=colour("6b5a43"),
        cell=colour("947e5c"),
        fresh=colour("e6d3a3"),
        text=colour("f4efe2"),
        letter=colour("e3c88f"),
        number=colour("a9c3b4"),
        tick=colour("51665b"),
        accent=colour("ffb02e"),
        stones=(stone("0f3d28", "0f3d28", "3f8a5c"), stone("cdf08a", "2f4a1c", "7fae42")),
    ),
    "light": Theme(
        background=colour("f3efe2"),
        highlight=colour("dfe8d3"),
        tray=colour("a58d66"),
        cell=colour("c9b48c"),
        fresh=colour("ffe98a"),
        text=colour("22302a"),
        letter=colour("5c4520"),
        number=colour("3f5a4b"),
        tick=colour("b9b59f"),
        accent=colour("d9480f"),
        stones=(stone("12472f", "0b2f1f", "4c9a6a"), stone("d9f7a0", "36521f", "7fae42")),
    ),
    "contrast": CONTRAST,
    "safe": SAFE,
}

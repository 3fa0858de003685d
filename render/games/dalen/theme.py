"""Dalen's colours: greens on wood."""

from __future__ import annotations

from render.colours import Stone, Theme, colour

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
        stones=(
            Stone(body=colour("0f3d28"), edge=colour("0f3d28"), vein=colour("3f8a5c")),
            Stone(body=colour("cdf08a"), edge=colour("2f4a1c"), vein=colour("7fae42")),
        ),
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
        stones=(
            Stone(body=colour("12472f"), edge=colour("0b2f1f"), vein=colour("4c9a6a")),
            Stone(body=colour("d9f7a0"), edge=colour("36521f"), vein=colour("7fae42")),
        ),
    ),
    "contrast": Theme(
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
        stones=(
            Stone(body=colour("000000"), edge=colour("000000"), vein=colour("9a9a9a")),
            Stone(body=colour("ffffff"), edge=colour("000000"), vein=colour("7a7a7a")),
        ),
    ),
    "safe": Theme(
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
        stones=(
            Stone(body=colour("06305c"), edge=colour("041f3d"), vein=colour("4a8fd0")),
            Stone(body=colour("ffcf7d"), edge=colour("5a3700"), vein=colour("d38a1c")),
        ),
    ),
}

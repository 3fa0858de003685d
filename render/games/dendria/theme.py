"""Dendria's colours: dark and light brown on green."""

from __future__ import annotations

from dataclasses import replace

from render.colours import CONTRAST, SAFE, Theme, colour, stone


def _mixed(theme: Theme) -> Theme:
    """The theme with the pairs of colours that touch only in pictures of Dendria."""
    calm = theme.calm
    mixes = [(theme.cell, theme.fresh), (calm, theme.cell), (calm, theme.fresh), (theme.accent, theme.fresh)]
    for piece in theme.stones:
        mixes += [(piece.body, theme.cell), (piece.body, theme.fresh), (piece.edge, calm)]
    return replace(theme, mixes=tuple(mixes))


_THEMES = {
    "dark": Theme(
        background=colour("261d17"),
        highlight=colour("413227"),
        tray=colour("46512f"),
        cell=colour("6d7a55"),
        fresh=colour("c3dc6e"),
        text=colour("f7efe2"),
        letter=colour("e4c692"),
        number=colour("bcae97"),
        tick=colour("5c4d3f"),
        accent=colour("ff8a3c"),
        stones=(stone("3d1f0d", "3d1f0d", "96643a"), stone("ecd2a4", "3a2210", "a87842")),
        calm=colour("8fe0ee"),
    ),
    "light": Theme(
        background=colour("f5eee0"),
        highlight=colour("e6d9bd"),
        tray=colour("56633c"),
        cell=colour("83955f"),
        fresh=colour("eef777"),
        text=colour("2c1c10"),
        letter=colour("6b4317"),
        number=colour("5b4c3b"),
        tick=colour("c3b69d"),
        accent=colour("e0500f"),
        stones=(stone("2e1407", "2e1407", "a06d40"), stone("fff4da", "3d210d", "a8763c")),
        calm=colour("4db8e8"),
    ),
    "contrast": CONTRAST,
    "safe": SAFE,
}
THEMES = {name: _mixed(theme) for name, theme in _THEMES.items()}

"""Dendria's colours: dark and light brown on green."""

from __future__ import annotations

from dataclasses import dataclass

from render.colours import Colour, Stone, Theme, colour


@dataclass(frozen=True, eq=False, kw_only=True)
class DendriaTheme(Theme):
    """A theme with one more colour."""

    #: The rim of protected forests.
    calm: Colour


def _theme(**colours: str | tuple[str, str, str]) -> DendriaTheme:
    """A theme from colour codes; each side has those of its body, edge and vein."""
    dark, light = (Stone(*map(colour, colours.pop(side))) for side in ("dark", "light"))
    of = {role: colour(str(code)) for role, code in colours.items()}
    cell, fresh, accent, calm = (of[role] for role in ("cell", "fresh", "accent", "calm"))
    mixes = [(cell, fresh), (calm, cell), (calm, fresh), (accent, fresh)]
    for stone in (dark, light):
        mixes += [(stone.body, cell), (stone.body, fresh), (stone.edge, calm)]
    return DendriaTheme(stones=(dark, light), mixes=tuple(mixes), **of)


THEMES = {
    "dark": _theme(
        background="261d17",
        highlight="413227",
        tray="46512f",
        cell="6d7a55",
        fresh="c3dc6e",
        text="f7efe2",
        letter="e4c692",
        number="bcae97",
        tick="5c4d3f",
        accent="ff8a3c",
        calm="8fe0ee",
        dark=("3d1f0d", "3d1f0d", "96643a"),
        light=("ecd2a4", "3a2210", "a87842"),
    ),
    "light": _theme(
        background="f5eee0",
        highlight="e6d9bd",
        tray="56633c",
        cell="83955f",
        fresh="eef777",
        text="2c1c10",
        letter="6b4317",
        number="5b4c3b",
        tick="c3b69d",
        accent="e0500f",
        calm="4db8e8",
        dark=("2e1407", "2e1407", "a06d40"),
        light=("fff4da", "3d210d", "a8763c"),
    ),
    "contrast": _theme(
        background="000000",
        highlight="262626",
        tray="3a3a3a",
        cell="7d7d7d",
        fresh="d8d8d8",
        text="ffffff",
        letter="ffe14d",
        number="ffffff",
        tick="8a8a8a",
        accent="ffd000",
        calm="5cf0ff",
        dark=("000000", "000000", "9a9a9a"),
        light=("ffffff", "000000", "7a7a7a"),
    ),
    "safe": _theme(
        background="1d2433",
        highlight="2e3a52",
        tray="5b6272",
        cell="8b93a3",
        fresh="dfe3ea",
        text="f5f6f8",
        letter="f3c86a",
        number="b9c4d8",
        tick="4d586e",
        accent="f2e11c",
        calm="ffffff",
        dark=("06305c", "041f3d", "4a8fd0"),
        light=("ffcf7d", "5a3700", "c98420"),
    ),
}

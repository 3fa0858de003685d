"""The custom ids of every kind of press, with the longest values of their fields."""

from __future__ import annotations

import enum
from dataclasses import fields, is_dataclass
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import rules
from bot.discord.ui.presses import LONGEST_ID, Codec, Press
from tests.support.discord.cards import press_of
from tests.support.discord.commands import feature_kinds
from tests.support.each import for_each

#: The minimum room for an unbounded text in an id, such as a turn of several steps.
ROOM = 25
KINDS = sorted(
    {
        kind
        for feature in feature_kinds()
        for name in dir(feature)
        for mark in ("__handles__", "__opens_form__")
        for kind in getattr(getattr(feature, name), mark, ())
    },
    key=lambda kind: str(kind.action),
)


def longest(hint: Any) -> Any:
    """The value of a field that is longest in an id."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        kind, about = arguments[:2]
        if isinstance(about, Codec):
            return max(values_of(kind, about), key=lambda value: len(about.write(value)))
        return about[-1] if kind is int else "w" * about
    if origin in (Union, UnionType):
        return longest(next(each for each in arguments if each is not type(None)))
    if origin is tuple:
        return ()
    if is_dataclass(hint):
        return filled(hint)
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return max(hint, key=lambda each: len(str(each.value)))
    return {bool: True, int: 2**31 - 1, str: "w" * ROOM}[hint]


def values_of(kind: Any, codec: Codec) -> list[Any]:
    """The values that a codec takes."""
    if kind is rules.Ruleset:
        return [
            rules.ruleset(name, size, variant)
            for name, game in rules.GAMES.items()
            for size in game.sizes
            for variant in game.variants
        ]
    known: Any = getattr(codec.read, "args", ({"": "w" * ROOM},))
    return [*known[0].values()]


def filled(kind: Any) -> Any:
    hints = get_type_hints(kind, include_extras=True)
    return kind(**{each.name: longest(hints[each.name]) for each in fields(kind) if "chosen" not in each.metadata})


@for_each("kind", KINDS, lambda kind: kind.action)
def test_an_id_with_the_longest_values_fits_and_reads_back(kind: type[Press]) -> None:
    press = filled(kind)
    assert len(press.custom_id) <= LONGEST_ID
    if not any("chosen" in each.metadata for each in fields(kind)):  # type: ignore[arg-type]
        assert press_of(press.custom_id, kind) == press

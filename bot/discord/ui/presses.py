"""The meanings of buttons, menus and forms: each action has a type, and its fields are in the custom id.

An id is ``hexgrove:ACTION:FIELD:FIELD…``, with all fields in the order of the class. Choices from a menu and entries in
a form replace the fields declared as :func:`user_input`. Ids keep their meaning for ever: add new fields at the end of
a class, with a default for the ids of older messages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from enum import Enum
from functools import cache, partial
from itertools import chain, zip_longest
from typing import Annotated, Any, TypeAlias, TypeVar, cast, dataclass_transform, get_args, get_origin, get_type_hints
from urllib.parse import unquote

import discord

import rules
from rules import Position

_PREFIX = "hexgrove"
#: What separates the fields of an id, and the values within a field.
_SEPARATOR, _INNER_SEPARATOR = ":", "."
#: Maximum number of characters in a custom id on Discord.
LONGEST_ID = 100
#: Default maximum number of characters in a field of a form.
LONGEST_FIELD = 2000
_INPUT = "chosen"
_UNSET: Any = object()
#: How an id or a menu writes None.
NONE = "-"
_Press = TypeVar("_Press", bound="Press")


class OutdatedPressError(Exception):
    """A press of a button, menu or form that is unknown to this version."""


@dataclass(frozen=True, slots=True)
class Codec:
    """Writes and reads a field; ``item`` reads a single value of a tuple. Readers may raise ``ValueError``."""

    write: Callable[[Any], str]
    read: Callable[[str], Any]
    item: Callable[[str], Any] | None = None


def _integers(bounds: range) -> Codec:
    def read(text: str) -> int:
        value = int(text)
        if value not in bounds or str(value) != text:
            raise ValueError(text)
        return value

    return Codec(str, read)


def _texts(most: int) -> Codec:
    def bounded(text: str) -> str:
        if len(text) > most:
            raise ValueError(text)
        return text

    return Codec(bounded, bounded)


def _pick(values: Mapping[str, Any], text: str) -> Any:
    if text not in values:
        raise ValueError(text)
    return values[text]


#: A Discord id, or the number of a match, challenge or the like. All other integers fit into 32 bits.
Id: TypeAlias = Annotated[int, range(2**63)]
#: A game, in the id by its name.
GameType: TypeAlias = Annotated[type[Position], Codec(lambda game: game.name, partial(_pick, rules.GAMES))]


def one_of(*values: object) -> Codec:
    """The codec of a field that holds one of these values, written as strings."""
    return Codec(str, partial(_pick, {str(value): value for value in values}))


def user_input(default: Any = _UNSET) -> Any:
    """Declare a field that a menu or form fills in, or a button holds.

    Without a ``default``, a press without a value is out of date.
    """
    return field(default=default, metadata={_INPUT: True})


@dataclass_transform(frozen_default=True)
class Press:
    """The base class of all presses, which are frozen dataclasses. Those with an ``action`` have custom ids.

    A field is an integer, boolean, enum, text, game, other dataclass, tuple, or one of these or None. A text is as long
    as its annotation allows or, without one, as fits into the id.
    """

    action = ""
    longest_field = LONGEST_FIELD

    def __init_subclass__(cls, action: str = "", longest_field: int = LONGEST_FIELD) -> None:
        super().__init_subclass__()
        cls.action, cls.longest_field = action, longest_field
        dataclass(frozen=True)(cls)

    @property
    def custom_id(self) -> str:
        """The id of the button, menu or form. Raises ``ValueError`` if it is too long."""
        if not self.fits:
            raise ValueError(self)
        return self._id

    @property
    def fits(self) -> bool:
        """Whether the id is short enough for a button."""
        return len(self._id) <= LONGEST_ID

    @property
    def _id(self) -> str:
        return _join([_PREFIX, self.action, *_write(self)], _SEPARATOR)


def read_press(kinds: Mapping[str, type[_Press]], custom_id: str, values: Sequence[str] | None = None) -> _Press:
    """Read the press of one of the ``kinds``, by action, from its id and the user's ``values``.

    Raises :class:`OutdatedPressError`.
    """
    prefix, *texts = _split(custom_id, _SEPARATOR)
    kind = kinds.get(texts.pop(0)) if texts else None
    if prefix != _PREFIX or kind is None:
        raise OutdatedPressError
    try:
        return cast("_Press", _read(kind, texts, values))
    except ValueError:
        raise OutdatedPressError from None


def presses_of(components: Iterable[object], *kinds: type[_Press]) -> Iterator[_Press]:
    """Yield the presses of these kinds in the components of a message from Discord."""
    by_action = {kind.action: kind for kind in kinds}
    for component in components:
        with suppress(OutdatedPressError):
            yield read_press(by_action, getattr(component, "custom_id", None) or "")
        yield from presses_of(getattr(component, "children", ()), *kinds)


def pressed_id(interaction: discord.Interaction[Any]) -> str:
    data: Any = interaction.data
    return str(data["custom_id"])


def values_of(interaction: discord.Interaction[Any]) -> tuple[str, ...] | None:
    """Return the choices in a menu, or the entries in a form in the order of its fields; None for a button."""
    data: Any = interaction.data
    if "components" not in data:
        return None if "values" not in data else tuple(data["values"])
    inputs = [label["component"] for label in data["components"]]
    return tuple(chain.from_iterable(entry.get("values", [entry.get("value", "")]) for entry in inputs))


@cache
def _fields_of(kind: type) -> tuple[tuple[Field[Any], Codec], ...]:
    hints = get_type_hints(kind, include_extras=True)
    return tuple((declared, codec_of(hints[declared.name])) for declared in fields(kind))


def codec_of(hint: Any) -> Codec:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        kind, about = arguments[0], arguments[1]
        if isinstance(about, Codec):
            return about
        return _integers(about) if kind is int else _texts(about)
    if type(None) in arguments:
        (item,) = (codec_of(argument) for argument in arguments if argument is not type(None))
        return Codec(
            lambda value: NONE if value is None else item.write(value),
            lambda text: None if text == NONE else item.read(text),
        )
    if origin is tuple:
        item = codec_of(arguments[0])
        return Codec(
            lambda values: _join(map(item.write, values), _INNER_SEPARATOR),
            lambda text: tuple(map(item.read, _split(text, _INNER_SEPARATOR))) if text else (),
            item.read,
        )
    if hint is str:
        return Codec(str, str)
    if hint is bool:
        return Codec(lambda value: str(int(value)), partial(_pick, {"0": False, "1": True}))
    if hint is int:
        return _integers(range(2**31))
    if is_dataclass(hint):
        return Codec(
            lambda value: _join(_write(value), _INNER_SEPARATOR),
            lambda text: _read(cast("type", hint), _split(text, _INNER_SEPARATOR)),
        )
    assert issubclass(hint, Enum), hint
    return Codec(lambda value: str(value.value), partial(_pick, {str(member.value): member for member in hint}))


def _write(value: Any) -> list[str]:
    pairs = [(codec, getattr(value, declared.name)) for declared, codec in _fields_of(value.__class__)]
    return ["" if item is _UNSET else codec.write(item) for codec, item in pairs]


def _read(kind: type, texts: Sequence[str], values: Sequence[str] | None = None) -> Any:
    """Read a dataclass from the texts of its fields and the chosen values. Raises ``ValueError``."""
    known, left, found = _fields_of(kind), list(values or ()), dict[str, object]()
    if len(texts) > len(known):
        raise ValueError(texts)
    for (declared, codec), text in zip_longest(known, texts):
        is_chosen = _INPUT in declared.metadata
        if is_chosen and values is not None and codec.item is not None:
            found[declared.name], left = tuple(map(codec.item, left)), []
        elif is_chosen and left:
            found[declared.name] = codec.read(left.pop(0))
        elif text is not None and (text or not is_chosen):
            found[declared.name] = codec.read(text)
        elif declared.default in (_UNSET, MISSING):
            raise ValueError(declared.name)  # the class fills in other defaults
    if left:
        raise ValueError(left)
    return kind(**found)


def _join(texts: Iterable[str], separator: str) -> str:
    """Join the texts with the separator, percent-encoding it inside them."""
    code = f"%{ord(separator):02X}"
    return separator.join(text.replace("%", "%25").replace(separator, code) for text in texts)


def _split(text: str, separator: str) -> list[str]:
    return [unquote(part) for part in text.split(separator)]

"""The meanings of buttons, menus and forms: each action has a payload type with its fields in the custom id.

An id is ``hexgrove:ACTION:FIELD:FIELD…`` with all fields in the order of the class. The choices in a menu and the
entries in a form replace the fields declared as :func:`user_input`. Ids are kept for ever: a new field goes to the end
of its class and has a default, which applies to the ids of older messages.
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
#: The separators of the fields of an id, and of several values of a field.
_SEPARATOR, _INNER_SEPARATOR = ":", "."
#: The most characters in a custom id on Discord, and so in a field other than a text.
LONGEST_ID = 100
#: The most characters in a field of most forms.
LONGEST_FIELD = 2000
_INPUT = "chosen"
_UNSET: Any = object()
#: None, in an id or a menu.
NONE = "-"
_Press = TypeVar("_Press", bound="Press")


class OutdatedPressError(Exception):
    """A press of a button, menu or form that is unknown to this version."""


@dataclass(frozen=True, slots=True)
class Codec:
    """The writer and reader of a field; ``item`` reads one value of a tuple. Readers may raise ``ValueError``."""

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


#: A Discord id, or the number of a match, challenge or the like; all other integers fit into 32 bits.
Id: TypeAlias = Annotated[int, range(2**63)]
#: A game, in the id by its name.
GameType: TypeAlias = Annotated[type[Position], Codec(lambda game: game.name, partial(_pick, rules.GAMES))]


def one_of(*values: object) -> Codec:
    """The codec of a field with one of these values, written as strings."""
    return Codec(str, partial(_pick, {str(each): each for each in values}))


def user_input(default: Any = _UNSET) -> Any:
    """Declare a field that a menu or form fills in.

    Without a ``default``, a press without a choice is out of date. A button may also have a value.
    """
    return field(default=default, metadata={_INPUT: True})


@dataclass_transform(frozen_default=True)
class Press:
    """The base of all payloads. Subclasses are frozen dataclasses; with an ``action``, they make the ids of buttons,
    menus and forms.

    Fields are integers, booleans, enums, texts, games, other dataclasses, tuples, or one of these or None. A text's
    annotation limits its length, or else the room in the id does.
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
    """Return the press of an id with the chosen ``values``; ``kinds`` are by action.

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
    inputs = [each["component"] for each in data["components"]]
    return tuple(chain.from_iterable(each.get("values", [each.get("value", "")]) for each in inputs))


@cache
def _fields_of(kind: type) -> tuple[tuple[Field[Any], Codec], ...]:
    hints = get_type_hints(kind, include_extras=True)
    return tuple((each, codec_of(hints[each.name])) for each in fields(kind))


def codec_of(hint: Any) -> Codec:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        kind, about = arguments[0], arguments[1]
        if isinstance(about, Codec):
            return about
        return _integers(about) if kind is int else _texts(about)
    if type(None) in arguments:
        (item,) = (codec_of(each) for each in arguments if each is not type(None))
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
    return Codec(lambda value: str(value.value), partial(_pick, {str(each.value): each for each in hint}))


def _write(value: Any) -> list[str]:
    pairs = [(codec, getattr(value, each.name)) for each, codec in _fields_of(value.__class__)]
    return ["" if item is _UNSET else codec.write(item) for codec, item in pairs]


def _read(kind: type, texts: Sequence[str], values: Sequence[str] | None = None) -> Any:
    """Read a dataclass from the texts of its fields and the chosen values. Raises ``ValueError``."""
    known, left, found = _fields_of(kind), list(values or ()), dict[str, object]()
    if len(texts) > len(known):
        raise ValueError(texts)
    for (each, codec), text in zip_longest(known, texts):
        is_chosen = _INPUT in each.metadata
        if is_chosen and values is not None and codec.item is not None:
            found[each.name], left = tuple(map(codec.item, left)), []
        elif is_chosen and left:
            found[each.name] = codec.read(left.pop(0))
        elif text is not None and (text or not is_chosen):
            found[each.name] = codec.read(text)
        elif each.default in (_UNSET, MISSING):
            raise ValueError(each.name)  # the class fills in other defaults
    if left:
        raise ValueError(left)
    return kind(**found)


def _join(texts: Iterable[str], separator: str) -> str:
    """Join the texts with the separator, percent-encoding it inside them."""
    code = f"%{ord(separator):02X}"
    return separator.join(text.replace("%", "%25").replace(separator, code) for text in texts)


def _split(text: str, separator: str) -> list[str]:
    return [unquote(each) for each in text.split(separator)]

"""The notation of turns: a canonical lower-case string such as ``e5``, ``dark`` or ``d4-d6+f6``."""

from __future__ import annotations

import re
from collections.abc import Iterable

PASS = "pass"
#: The characters that may begin elements of a turn other than the first, in the order of lists.
MARKS = "+*-,"


class Notation(str):
    """A turn or a part of one in notation: a value of a text that may have a typeface of its own."""

    __slots__ = ()


_SPACED_MARK = re.compile(r" ?([-+*,]) ?")
_ELEMENT = re.compile(r"[-+*,]?[^-+*,]*")


def tidy(text: str) -> str:
    """Return a typed turn in lower case, without spaces around and between its tokens."""
    tidied = " ".join(text.lower().split())
    return _SPACED_MARK.sub(r"\1", tidied) if " " in tidied else tidied


def elements_of(turn: str) -> tuple[str, ...]:
    """Return the elements of a turn, each with its mark: ``d4-d6+f6`` has the elements ``d4``, ``-d6`` and ``+f6``."""
    return tuple(element for element in _ELEMENT.findall(turn) if element)


def elements_after(begun: str, turns: Iterable[str]) -> tuple[str, ...]:
    """Return the elements, with their marks, that follow ``begun`` in the turns that begin with it, each once."""
    start = len(begun)
    found = [_ELEMENT.match(turn, start) for turn in turns if turn.startswith(begun)]
    elements = dict.fromkeys([each[0] for each in found if each])
    return tuple([element for element in elements if element and (not begun or element[0] in MARKS)])


def without_last_element(turn: str) -> str:
    """Return a turn without its last element, even an unfinished one."""
    return "".join(elements_of(turn)[:-1])

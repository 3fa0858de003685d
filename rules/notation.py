"""The notation of turns: a canonical lower-case string such as ``e5``, ``dark`` or ``d4-d6+f6``."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

PASS = "pass"
#: The characters that may begin elements of a turn other than the first, in the order of lists.
MARKS = "+*-,"


class Notation(str):
    """A turn or a part of it in notation: a value in a text that may have a typeface of its own."""

    __slots__ = ()


#: Invisible characters: fillers, joiners, selectors, byte order marks and marks of the direction of writing.
INVISIBLE = (
    r"\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    r"\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U000e0000-\U000e0fff"
)
_INVISIBLE = re.compile(f"[{INVISIBLE}]+")
_DASHES = (
    "\u02d7\u058a\u05be\u1806\u2010\u2011\u2012\u2013\u2014\u2015\u2043\u207b\u208b\u2212\u2796\u2e3a\u2e3b\u301c\u30fc"
    "\ufe58\ufe63"
)
#: Other ways to write the characters of turns and results. The end of a file for DOS, Ctrl+Z, is as good as a space.
_PLAIN = str.maketrans(
    {
        **{chr(wide): chr(wide - 0xFF00 + 0x20) for wide in range(0xFF01, 0xFF5F)},
        **dict.fromkeys(_DASHES, "-"),
        **dict.fromkeys("\u2217\u204e\u2731", "*"),
        **dict.fromkeys("\u2795\ufe62\uff0b", "+"),
        **dict.fromkeys("\u060c\u3001\ufe50\ufe51", ","),
        **dict.fromkeys("\u2044\u2215", "/"),
        "½": "1/2",
        "…": "...",
        "‼": "!!",
        "⁇": "??",
        "⁈": "?!",
        "⁉": "!?",
        "\x1a": " ",
    }
)
_SPACED_MARK = re.compile(r" ?([-+*,]) ?")
_ELEMENT = re.compile(r"[-+*,]?[^-+*,]*")


def plain(text: str) -> str:
    """Return a typed text in plain characters: without invisible ones, with ``-`` for every dash or minus, and with the
    usual letters, digits and signs for those of full width.
    """
    if text.isascii() and "\x1a" not in text:
        return text
    return _INVISIBLE.sub("", text).translate(_PLAIN)


def foreign_character(text: str) -> str | None:
    """Return the number and the name of the first character that no plain text has; None if there is none.

    ``U+0435 CYRILLIC SMALL LETTER IE``, for example, looks like an ``e``.
    """
    found = next((character for character in text if not " " <= character <= "~"), None)
    return None if found is None else f"U+{ord(found):04X} {unicodedata.name(found, '')}".rstrip()


def with_names(text: str) -> str:
    """Return a text to quote, followed by the name of a character that only looks like a Latin letter or digit."""
    others = "".join(letter for letter in text if not unicodedata.name(letter, "").startswith("LATIN "))
    foreign = foreign_character(others)
    return text if foreign is None or not re.search("[A-Za-z0-9]", text) else f"{text} ({foreign})"


def tidy(text: str) -> str:
    """Return a typed turn in plain characters and lower case, without spaces around and between its tokens."""
    tidied = " ".join(plain(text).lower().split())
    return _SPACED_MARK.sub(r"\1", tidied) if " " in tidied else tidied


def elements_of(turn: str) -> tuple[str, ...]:
    """Return the elements of a turn, each with its mark: ``d4-d6+f6`` has the elements ``d4``, ``-d6`` and ``+f6``."""
    return tuple(element for element in _ELEMENT.findall(turn) if element)


def elements_after(begun: str, turns: Iterable[str]) -> tuple[str, ...]:
    """Return the elements, with their marks, that follow ``begun`` in the turns that begin with it, each once."""
    start = len(begun)
    found = [_ELEMENT.match(turn, start) for turn in turns if turn.startswith(begun)]
    elements = dict.fromkeys([match[0] for match in found if match])
    return tuple([element for element in elements if element and (not begun or element[0] in MARKS)])


def without_last_element(turn: str) -> str:
    """Return a turn without its last element, even an unfinished one."""
    return "".join(elements_of(turn)[:-1])

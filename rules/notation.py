"""How turns are written: a canonical lower-case string such as ``e5``, ``dark`` or ``d4-d6+f6``."""

from __future__ import annotations

import re

PASS = "pass"
#: The characters that may begin any step of a turn but the first, in the order in which such steps are listed.
MARKS = "+*-,"


class Notation(str):
    """A turn, or a part of one, as it is written: a value of a text that may be shown in type of its own."""

    __slots__ = ()


_SPACED_MARK = re.compile(r" ?([-+*,]) ?")
_STEP = re.compile(r"[-+*,]?[^-+*,]*")


def tidy(text: str) -> str:
    """Return a typed turn in lower case, without spaces around and between its tokens."""
    tidied = " ".join(text.lower().split())
    return _SPACED_MARK.sub(r"\1", tidied) if " " in tidied else tidied


def steps_of(turn: str) -> tuple[str, ...]:
    """Return the steps of a turn, each with its mark: ``d4-d6+f6`` has the steps ``d4``, ``-d6`` and ``+f6``."""
    return tuple(step for step in _STEP.findall(turn) if step)


def without_last_step(turn: str) -> str:
    """Return a turn without its last step, even if only the beginning of that step is written."""
    return "".join(steps_of(turn)[:-1])

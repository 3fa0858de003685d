"""Text from outside, such as names, made fit for the place where it is shown.

Whatever somebody calls themselves, a tournament or a server: it stays one line, reads in its own direction without
turning round what stands beside it, and is nothing but letters to Discord.
"""

from __future__ import annotations

import re
import unicodedata

#: Characters of a text from outside that are looked at: Discord's own names have 32, those of servers 100.
_LONGEST = 100
#: Marks on one letter; more are there to smear over other lines.
_MOST_MARKS = 4
_JOINERS = "\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}"
#: What looks like nothing, though Unicode has it as letters, marks or symbols.
_BLANKS = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
_RIGHT_TO_LEFT = ("R", "AL", "AN")
#: What Discord may read as formatting, links, mentions, times, emoji, headings, quotes or lists. Before any of these,
#: it takes a backslash for what it is: the sign that the next character means nothing.
_MARKDOWN = {ord(mark): f"\\{mark}" for mark in "\\`*_~|<>[]()#-.:@"}
_EVERYBODY = re.compile("@(?=everyone|here)")


def as_text(text: str) -> str:
    """The text for places where Discord shows every character as it is: labels, descriptions and titles."""
    shown = _cleaned(text)
    if any(unicodedata.bidirectional(character) in _RIGHT_TO_LEFT for character in shown):
        return f"\N{FIRST STRONG ISOLATE}{shown}\N{POP DIRECTIONAL ISOLATE}"
    return shown


def as_markdown(text: str) -> str:
    """The text for messages, in which Discord reads formatting."""
    # People are not called by a name either where no backslash is understood.
    return _EVERYBODY.sub("@\N{ZERO WIDTH SPACE}", as_text(text).translate(_MARKDOWN))


def _cleaned(text: str) -> str:
    """The text in one line, without what nobody sees but what it does: controls, overrides, fillers, stray marks."""
    kept: list[str] = []
    marks = 0
    for character in unicodedata.normalize("NFC", text[:_LONGEST]):
        kind = unicodedata.category(character)
        visible = bool(kept) and kept[-1] not in (" ", *_JOINERS)
        if character in _BLANKS or character.isspace():
            kept.append(" ")
        elif kind in ("Mn", "Me"):
            marks += 1
            if visible and marks <= _MOST_MARKS:
                kept.append(character)
            continue
        elif character in _JOINERS:
            if visible:
                kept.append(character)  # it shapes letters and joins emoji
            continue
        elif kind not in ("Cc", "Cf", "Co", "Cs"):
            kept.append(character)
        else:
            continue
        marks = 0
    return " ".join(word.rstrip(_JOINERS) for word in "".join(kept).split(" ") if word)[:_LONGEST]

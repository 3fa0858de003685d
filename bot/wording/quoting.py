"""Text from outside, such as names, prepared for its place.

A name stays on one line, does not change the direction of the text around it, and contains nothing that Discord reads
as formatting.
"""

from __future__ import annotations

import re
import unicodedata

from anyascii import anyascii
from markupsafe import escape

from bot.wording.sentence import Sentence
from render.text import has_glyph

#: Maximum characters kept. Names on Discord have at most 32, names of servers at most 100.
_LONGEST = 100
#: Maximum marks kept on a letter. More would cover other lines.
_MOST_MARKS = 4
_JOINERS = "\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}"
#: Blank characters that Unicode classifies as letters, marks or symbols.
_BLANKS = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
_RIGHT_TO_LEFT = ("R", "AL", "AN")
#: Characters that, without a backslash, Discord may read as formatting, links, mentions, times, emoji, headings, quotes
#: or lists.
_MARKDOWN = {ord(mark): f"\\{mark}" for mark in "\\`*_~|<>[]()#-.:@"}
#: A character that looks like a backtick but does not end code.
_BACKTICK = "\N{MODIFIER LETTER GRAVE ACCENT}"
_EVERYBODY = re.compile("@(?=everyone|here)")
#: The categories of characters that a picture omits if its font lacks them: symbols, marks and invisible ones.
_SHAPELESS = ("So", "Sk", "Mn", "Me", "Cf", "Cs", "Co", "Cn", "Cc")


def as_text(text: str, most: int = _LONGEST) -> str:
    """Prepare a text for plain places such as labels, descriptions and titles."""
    shown = _clean(text[:most])[:most]
    if not shown.isascii() and any(unicodedata.bidirectional(character) in _RIGHT_TO_LEFT for character in shown):
        return f"\N{FIRST STRONG ISOLATE}{shown}\N{POP DIRECTIONAL ISOLATE}"
    return shown


def as_markdown(text: str) -> Sentence:
    """Prepare a text for sentences, where its ``*`` and ``<`` would be formatting."""
    letters = as_text(text)
    # A name must not ping everybody, even where Discord ignores backslashes.
    return Sentence(_EVERYBODY.sub("@\N{ZERO WIDTH SPACE}", letters.translate(_MARKDOWN)), lambda: escape(letters))


def as_code(text: str) -> Sentence:
    """Prepare a turn for sentences, where its ``*`` and ``-`` would be formatting."""
    return Sentence("`{code}`").format(code=as_text(text, len(text)).replace("`", _BACKTICK) or " ")


def as_drawable(text: str) -> str:
    """Prepare a name for pictures: omit symbols that their font lacks, and transliterate other scripts."""
    name = unicodedata.normalize("NFC", text)
    letters = [letter for letter in name if has_glyph(letter) or unicodedata.category(letter) not in _SHAPELESS]
    drawn = "".join(letter if has_glyph(letter) else anyascii(letter) for letter in letters)
    return " ".join(drawn.split()) or " ".join(anyascii(name).replace(":", " ").split())


def shorten(text: str, most: int) -> str:
    """Cut a text that is too long for its place."""
    return text if len(text) <= most else text[: most - 1] + "…"


def _clean(text: str) -> str:
    """The text on one line, without control characters, direction overrides, fillers and stray marks."""
    if text.isascii() and text.isprintable():
        return " ".join(text.split())
    kept: list[str] = []
    marks = 0
    for character in unicodedata.normalize("NFC", text):
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
    return " ".join(word.rstrip(_JOINERS) for word in "".join(kept).split(" ") if word)

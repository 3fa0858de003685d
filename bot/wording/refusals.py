"""Refusals by the rules as sentences."""

from __future__ import annotations

import re

from bot.texts import translations
from bot.wording.quoting import as_code
from rules import Notation, Refusal

_CELL = re.compile("[a-z]{1,2}[0-9]")


def reason(error: Refusal) -> str:
    """The reason for a refusal, as a sentence."""
    text = error.text.translate(translations(), _as_written)
    if not _CELL.match(text):  # a cell's name stays as it is
        text = text[:1].upper() + text[1:]
    return f"{text}."


def _as_written(value: object) -> object:
    """A value of the rules: turns are code, and all others are numbers and names of cells, however many."""
    return as_code(value) if isinstance(value, Notation) else value

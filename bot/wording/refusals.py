"""Refusals as sentences."""

from __future__ import annotations

import re
from collections.abc import Callable

from bot.domain.matches import Match
from bot.domain.players import Player
from bot.texts import translations
from bot.wording import words
from bot.wording.quoting import as_code, as_markdown
from bot.wording.sentence import Sentence, joined, translated
from rules import Notation, RecordError, Refusal, Text

#: Maximum values shown of a list.
_MOST_LISTED = 10
_CELL = re.compile("[a-z]{1,2}[0-9]")


def in_words(text: Text, adapted: Callable[[object], object]) -> Sentence:
    """A text in the reader's language; ``adapted`` formats values that adapters show differently, such as channels."""

    def write(value: object) -> object:
        match value:
            case Player():
                return words.name(value)
            case Match():
                return Sentence("#{number} ({players})").format(number=value.id, players=words.versus(*value.players))
            case str():
                return as_markdown(value)
            case list():
                listed = (Sentence("{}").format(write(item)) for item in value[:_MOST_LISTED])
                return joined(*listed, "…" if len(value) > _MOST_LISTED else "", by=", ")
            case _:
                return adapted(value)

    return translated(text, write)


def reason(error: Refusal) -> Sentence:
    """The reason for a refusal, as a sentence."""
    text = translated(error.text, _as_written)
    if not _CELL.match(text):  # names of cells stay in small letters
        text = text.capitalized()
    return Sentence("{text}.").format(text=text)


def mistake_in(error: RecordError) -> str:
    """The mistake in a record, for a sentence that quotes the record."""
    return f"{error.text.translate(translations(), _as_quoted)}."


def _as_quoted(value: object) -> object:
    return as_markdown(value) if isinstance(value, str) and not isinstance(value, Notation) else _as_written(value)


def _as_written(value: object) -> object:
    """A value in a text of the rules: a turn as code, a number or the name of a cell unchanged."""
    return as_code(value) if isinstance(value, Notation) else value

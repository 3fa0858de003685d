"""Texts for people: in English by default, and in any language with a catalogue."""

from __future__ import annotations

from collections.abc import Callable
from gettext import NullTranslations

_ENGLISH = NullTranslations()


def gettext_noop(text: str) -> str:
    """Mark a text for the catalogues; it is translated where it is shown."""
    return text


def ngettext_noop(one: str, many: str) -> tuple[str, str]:
    """Mark a text whose words depend on a number, for :meth:`Text.counted`."""
    return one, many


def format_score(value: float) -> str:
    """A score; a half is written ``½``."""
    whole = int(value)
    return str(whole) if whole == value else f"{whole or ''}½"


_WORDS = gettext_noop("two"), gettext_noop("three"), gettext_noop("four"), gettext_noop("five"), gettext_noop("six")
_NUMBERS = dict(enumerate(_WORDS, 2))


class Text:
    """A sentence or a part of one, with named values: ``Text("{cell} is off the board", cell="z9")``.

    Catalogues of other languages have the template. Values that are texts are also translated.
    """

    __slots__ = ("_capitalized", "_count", "_plural", "_template", "_values")

    def __init__(self, template: str, /, **values: object) -> None:
        self._template = template
        self._plural = template
        self._count: int | None = None
        self._values = values
        self._capitalized = False

    @classmethod
    def counted(cls, one: str, many: str, count: int, /, **values: object) -> Text:
        """A text with a singular and a plural template; the value ``count`` defaults to the number."""
        text = cls(one, **{"count": count, **values})
        text._plural, text._count = many, count
        return text

    def translate(
        self,
        texts: NullTranslations,
        show: Callable[[object], object] = lambda value: value,
        write: Callable[[str], str] = str,
    ) -> str:
        """Return the text in the language of a catalogue.

        ``show`` formats the values that are not texts; ``write`` returns a template that may escape them.
        """
        if self._count is None:
            template = texts.gettext(self._template)
        else:
            template = texts.ngettext(self._template, self._plural, self._count)
        values = {
            name: value.translate(texts, show, write) if isinstance(value, Text) else show(value)
            for name, value in self._values.items()
        }
        text = write(template).format(**values)
        return text[:1].upper() + text[1:] if self._capitalized else text

    def capitalized(self) -> Text:
        """Return the same text, beginning with a capital in every language."""
        text = Text(self._template, **self._values)
        text._plural, text._count, text._capitalized = self._plural, self._count, True
        return text

    def __str__(self) -> str:
        return self.translate(_ENGLISH)

    def __repr__(self) -> str:
        return repr(str(self))


def number(count: int) -> Text | int:
    """Return a number from two to six in words, and any other number in digits."""
    return Text(_NUMBERS[count]) if count in _NUMBERS else count

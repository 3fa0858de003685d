"""Sentences that each adapter shows in its own way: Discord as Markdown, the pages as HTML."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

from markdown_it import MarkdownIt
from markupsafe import Markup

from bot import texts
from rules import Text

#: Parses the emphasis and code in our own texts, before values fill them.
_INLINE = MarkdownIt("zero", {"breaks": True}).enable(["backticks", "emphasis", "escape", "newline"])


class Sentence(str):
    """A text in Markdown that also knows its HTML.

    Our texts may have emphasis, code and placeholders. ``format`` and ``join`` fill both forms, but do not
    escape plain strings in Markdown, so text from outside goes through :mod:`bot.wording.quoting`.
    """

    __slots__ = ("_html",)
    _html: Callable[[], Markup] | None

    def __new__(cls, markdown: str = "", html: Callable[[], Markup] | None = None) -> Sentence:
        sentence = super().__new__(cls, markdown)
        sentence._html = html  # evaluated only for pages
        return sentence

    def __html__(self) -> Markup:
        return _rendered(self) if self._html is None else self._html()

    @property
    def plain(self) -> str:
        """The text without formatting."""
        return self.__html__().striptags()

    def format(self, *args: object, **values: object) -> Sentence:
        return Sentence(super().format(*args, **values), lambda: self.__html__().format(*args, **values))

    def join(self, parts: Iterable[str]) -> Sentence:
        parts = list(parts)
        return Sentence(super().join(parts), lambda: self.__html__().join(parts))

    def capitalized(self) -> Sentence:
        """The text with a capital first letter."""
        html = self.__html__()
        return Sentence(self[:1].upper() + self[1:], lambda: html[:1].upper() + html[1:])


def joined(*parts: str, by: str = " ") -> Sentence:
    """The parts that are not empty, with a separator."""
    return Sentence(by).join(filter(None, parts))


def translated(text: Text, show: Callable[[object], object] = lambda value: value) -> Sentence:
    """A text in the current language; ``show`` formats its values."""
    return Sentence("{}").format(text.translate(texts.translations(), show, Sentence))


def gettext(text: str) -> Sentence:
    return Sentence(texts.gettext(text))


def ngettext(one: str, many: str, number: int) -> Sentence:
    return Sentence(texts.ngettext(one, many, number))


def pgettext(context: str, text: str) -> Sentence:
    return Sentence(texts.pgettext(context, text))


@lru_cache(4_000)
def _rendered(markdown: str) -> Markup:
    return Markup(_INLINE.renderInline(markdown))  # noqa: S704

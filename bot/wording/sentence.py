"""Sentences that each adapter shows in its own way: Discord as Markdown, the pages as HTML."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

from markdown_it import MarkdownIt
from markupsafe import Markup

from bot import texts
from rules import Text

#: Reads the emphasis and code of our own texts, before values fill them.
_INLINE = MarkdownIt("zero", {"breaks": True}).enable(["backticks", "emphasis", "escape", "newline"])


class Sentence(str):
    """A text in Markdown, which also knows its HTML.

    A text of ours may have emphasis, code and names of values. ``format`` and ``join`` fill both forms; a value that is
    no sentence is shown as it is, so text from outside goes through :mod:`bot.wording.quoting`.
    """

    __slots__ = ("_html",)
    _html: Callable[[], Markup] | None

    def __new__(cls, markdown: str = "", html: Callable[[], Markup] | None = None) -> Sentence:
        sentence = super().__new__(cls, markdown)
        sentence._html = html  # made only when a page asks for it
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
        """The same text, beginning with a capital."""
        html = self.__html__()
        return Sentence(self[:1].upper() + self[1:], lambda: html[:1].upper() + html[1:])


def joined(*parts: str, by: str = " ") -> Sentence:
    """The parts that are not empty, with a separator between them."""
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

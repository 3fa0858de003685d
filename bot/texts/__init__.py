"""The languages of the bot: what it says to people is looked up in the language that is spoken at the moment.

English is the source. The other languages are catalogues of gettext in ``locale``, kept by ``python -m bot.texts``.
"""

from __future__ import annotations

import gettext as _gettext
import io
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from rules.text import Text, gettext_noop

SOURCE = "en"
#: The languages by code, each with its own name for itself.
LANGUAGES = {SOURCE: "English", "de": "Deutsch", "es": "Español"}
LOCALE = Path(__file__).with_name("locale")
DOMAIN = "hexgrove"

_spoken: ContextVar[str] = ContextVar("language", default=SOURCE)


@cache
def catalogue(language: str) -> _gettext.NullTranslations:
    """The translations into a language of :data:`LANGUAGES`."""
    if language == SOURCE:
        return _gettext.NullTranslations()
    compiled = io.BytesIO()
    with catalogue_file(language).open("rb") as file:
        write_mo(compiled, read_po(file, locale=language, abort_invalid=True))
    compiled.seek(0)
    return _gettext.GNUTranslations(compiled)


def catalogue_file(language: str) -> Path:
    return LOCALE / language / "LC_MESSAGES" / f"{DOMAIN}.po"


def language_of(locale: str) -> str:
    """The language for somebody with that Discord locale, such as ``es-419``; English when it is none of ours."""
    language = locale.partition("-")[0]
    return language if language in LANGUAGES else SOURCE


def set_language(language: str) -> None:
    """From here on the running task, and whatever it starts, speaks that language."""
    _spoken.set(language)


@contextmanager
def in_language(language: str) -> Iterator[None]:
    """That language is spoken within; threads that ``asyncio.to_thread`` starts there speak it too."""
    token = _spoken.set(language)
    try:
        yield
    finally:
        _spoken.reset(token)


def translations() -> _gettext.NullTranslations:
    """The translations into the language that is spoken now."""
    return catalogue(_spoken.get())


def current_language() -> str:
    """The language that is spoken now."""
    return _spoken.get()


def gettext(text: str) -> str:
    return translations().gettext(text)


def ngettext(one: str, many: str, number: int) -> str:
    """The text for that number of things."""
    return translations().ngettext(one, many, number)


def pgettext(context: str, text: str) -> str:
    """A text that means something else elsewhere; ``context`` tells where this is."""
    return translations().pgettext(context, text)


def pgettext_noop(context: str, text: str) -> str:
    """Marks a text that :func:`pgettext` translates where it is shown."""
    return text


__all__ = [
    "DOMAIN",
    "LANGUAGES",
    "LOCALE",
    "SOURCE",
    "Text",
    "catalogue",
    "catalogue_file",
    "current_language",
    "gettext",
    "gettext_noop",
    "in_language",
    "language_of",
    "ngettext",
    "pgettext",
    "pgettext_noop",
    "set_language",
    "translations",
]

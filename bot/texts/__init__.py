"""The languages of the bot, and translation into the current one.

English is the source. The other languages are gettext catalogues in ``locale``, updated by ``python -m bot.texts``.
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

from rules.text import Text as Text, gettext_noop as gettext_noop

SOURCE = "en"
#: The languages by code, with their own names for themselves.
LANGUAGES = {SOURCE: "English", "de": "Deutsch", "es": "Español"}
LOCALE = Path(__file__).with_name("locale")
DOMAIN = "hexgrove"

_language: ContextVar[str] = ContextVar("language", default=SOURCE)


@cache
def catalogue(language: str) -> _gettext.NullTranslations:
    """The translations into one of :data:`LANGUAGES`."""
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
    """The language of a Discord locale such as ``es-419``, by default English."""
    language = locale.partition("-")[0]
    return language if language in LANGUAGES else SOURCE


def set_language(language: str) -> None:
    """Set the language of the current task, and of the tasks and threads that it starts from now on."""
    _language.set(language)


@contextmanager
def in_language(language: str) -> Iterator[None]:
    """Set the language of the block, including threads that ``asyncio.to_thread`` starts there."""
    token = _language.set(language)
    try:
        yield
    finally:
        _language.reset(token)


def translations() -> _gettext.NullTranslations:
    """The translations into the current language."""
    return catalogue(_language.get())


def current_language() -> str:
    return _language.get()


def gettext(text: str) -> str:
    return translations().gettext(text)


def ngettext(one: str, many: str, number: int) -> str:
    """Translate a text in the singular or plural form for a number."""
    return translations().ngettext(one, many, number)


def pgettext(context: str, text: str) -> str:
    """Translate a text whose meaning depends on the ``context``."""
    return translations().pgettext(context, text)


def pgettext_noop(context: str, text: str) -> str:
    """Mark a text for :func:`pgettext` to translate where it is shown."""
    return text

"""Refusals as sentences of a page."""

from __future__ import annotations

from datetime import datetime

from markupsafe import Markup

from bot.domain.refusals import Channel, DomainError, Remedy, Role
from bot.storage.failures import DatabaseFailedError
from bot.texts import gettext as _
from bot.web.html.markup import html
from bot.web.html.rule_pages import address
from bot.wording import words
from bot.wording.quoting import as_code
from bot.wording.refusals import in_words, reason
from rules import TurnError
from rules.pages import COMMON


def sentence(error: DomainError | DatabaseFailedError) -> Markup:
    """The reason for a refusal or a failure."""
    return html(in_words(error.text, _as_text))


def plain(error: DomainError | DatabaseFailedError | TurnError) -> str:
    """The reason for a refusal or a failure as plain text."""
    return words.plain(reason(error) if isinstance(error, TurnError) else in_words(error.text, _as_text))


def refusal(error: TurnError) -> Markup:
    """The reason why a turn cannot be played, with a link to the rule."""
    rule = Markup('<a href="{}">{}</a>').format(address(COMMON, error.rule), _("Rules"))
    return Markup("{} {}").format(html(reason(error)), rule)


def _as_text(value: object) -> object:
    match value:
        case Remedy():
            return as_code(f"/{value.name.lower().replace('_', ' ')}")
        case Channel() | Role():
            return "Discord"
        case datetime():
            return f"{value:%H:%M} UTC"
    return value

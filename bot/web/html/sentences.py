"""Refusals and failures as sentences on a page."""

from __future__ import annotations

from datetime import datetime

from markupsafe import Markup

from bot.domain.refusals import Channel, DomainError, Remedy, Role
from bot.storage.failures import DatabaseFailedError
from bot.web.html.rule_pages import address
from bot.wording.quoting import as_code
from bot.wording.refusals import in_words, reason
from bot.wording.sentence import Sentence, gettext as _
from rules import TurnError
from rules.pages import COMMON


def sentence(error: DomainError | DatabaseFailedError) -> Sentence:
    """The reason for a refusal or a failure."""
    return in_words(error.text, _as_text)


def plain(error: DomainError | DatabaseFailedError | TurnError) -> str:
    """The reason for a refusal or a failure as plain text."""
    return (reason(error) if isinstance(error, TurnError) else sentence(error)).plain


def refusal(error: TurnError) -> Markup:
    """The reason for refusing a turn, with a link to the rule."""
    rule = Markup('<a href="{}">{}</a>').format(address(COMMON, error.rule), _("Rules"))
    return Markup("{} {}").format(reason(error), rule)


def _as_text(value: object) -> object:
    match value:
        case Remedy():
            return as_code(f"/{value.name.lower().replace('_', ' ')}")
        case Channel() | Role():
            return "Discord"
        case datetime():
            return f"{value:%H:%M} UTC"
    return value

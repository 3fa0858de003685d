"""Refusals as sentences of a page."""

from __future__ import annotations

from datetime import datetime

from markupsafe import Markup

from bot.domain.matches import Match
from bot.domain.players import Player
from bot.domain.refusals import Channel, DomainError, Remedy, Role
from bot.texts import gettext as _
from bot.texts import translations
from bot.web.markup import html
from bot.web.rule_pages import address
from bot.wording import words
from bot.wording.quoting import as_code, as_markdown
from bot.wording.refusals import reason
from rules import TurnError
from rules.pages import COMMON


def sentence(error: DomainError) -> Markup:
    """The reason for a refusal."""
    return html(error.text.translate(translations(), _shown))


def refusal(error: TurnError) -> Markup:
    """The reason why a turn cannot be played, with a link to the rule."""
    rule = Markup('<a href="{}">{}</a>').format(address(COMMON, error.rule), _("Rules"))
    return Markup("{} {}").format(html(reason(error)), rule)


def _shown(value: object) -> object:
    match value:
        case Player():
            return words.name(value)
        case Match():
            return f"#{value.id} ({words.versus(value)})"
        case Remedy():
            return as_code(f"/{value.name.lower().replace('_', ' ')}")
        case Channel() | Role():
            return "Discord"
        case datetime():
            return f"{value:%H:%M} UTC"
        case str():
            return as_markdown(value)
        case list():
            return ", ".join(str(_shown(each)) for each in value[:10])
    return value

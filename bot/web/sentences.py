"""Refusals as sentences of a page."""

from __future__ import annotations

from datetime import datetime

from markupsafe import Markup

from bot.discord.interaction.errors import _as_sentence
from bot.discord.ui import words
from bot.discord.ui.quoting import as_code, as_markdown
from bot.domain.matches import Match
from bot.domain.players import Player
from bot.domain.refusals import Channel, DomainError, Remedy, Role
from bot.texts import translations
from bot.web.markup import html
from rules import Notation, TurnError


def sentence(error: DomainError) -> Markup:
    """The reason for a refusal."""
    return html(error.text.translate(translations(), _shown))


def refusal(error: TurnError) -> Markup:
    """The reason why a turn cannot be played."""
    return html(_as_sentence(error.text.translate(translations(), _written)))


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


def _written(value: object) -> object:
    return as_code(value) if isinstance(value, Notation) else value

"""The option ``match``, with suggestions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from discord import app_commands

import rules
from bot.discord.interaction.access import Access
from bot.discord.interaction.feature import Feature, feature_of
from bot.discord.interaction.interactions import (
    LONGEST_CHOICE,
    MOST_CHOICES,
    Choices,
    Interaction,
    TypedOption,
    choice,
    read_number,
    suggestions,
)
from bot.domain.matches import MatchChoice, MatchScope
from bot.services.matches import Matches
from bot.texts import gettext as _, gettext_noop
from bot.wording import words

#: The description of an option that names one of the user's running matches.
MATCH_NUMBER = gettext_noop("The number of the match, if several fit")


@dataclass
class MatchFeature(Feature):
    """A feature with commands that have the option ``match``."""

    matches: Matches
    access: Access


class MatchOption(TypedOption):
    """The number of a match, for commands of a :class:`MatchFeature`.

    With ``moderated``, it suggests other people's matches only from channels that the user moderates.
    """

    def __init__(self, scope: MatchScope, *, moderated: bool = False) -> None:
        self._scope = scope
        self._moderated = moderated

    async def transform(self, _interaction: Interaction, typed: str) -> int:
        return match_number(typed)

    @suggestions
    async def autocomplete(self, interaction: Interaction, current: Any) -> Choices:
        feature = feature_of(interaction, MatchFeature)
        access = feature.access
        if self._scope is MatchScope.OWN:
            viewer = access.viewer_of(interaction)
        elif self._moderated:
            viewer = await access.moderator_of_lists(interaction)
        else:
            viewer = await access.viewer_of_lists(interaction)
        found = await feature.matches.choices(
            viewer,
            current.strip()[:LONGEST_CHOICE],
            self._scope,
            lambda match: match_label(match, viewer.player_id, self._scope),
            most=MOST_CHOICES,
        )
        return [choice(label, str(number)) for number, label in found.items()]


OwnMatch = app_commands.Transform[int, MatchOption(MatchScope.OWN)]
RunningMatch = app_commands.Transform[int, MatchOption(MatchScope.RUNNING)]
MatchToEnd = app_commands.Transform[int, MatchOption(MatchScope.RUNNING, moderated=True)]
AnyMatch = app_commands.Transform[int, MatchOption(MatchScope.ALL)]


def match_number(typed: str) -> int:
    """Read the number of a match, such as ``3`` or ``#3``."""
    return read_number(
        typed, gettext_noop("Name a match by its number, such as #3, or choose one from the `match` list.")
    )


def other_match(interaction: Interaction) -> int | None:
    """The number of the match that a command names while another of its options is typed."""
    typed = interaction.namespace.match
    return match_number(typed) if typed else None


def match_label(match: MatchChoice, viewer_id: int, scope: MatchScope) -> str:
    """A match on a line of plain text."""
    if match.to_act is None:
        state = f"{match.ended_at:%Y-%m-%d}"
    elif scope is MatchScope.ALL:
        state = _("running")
    elif match.to_act.id == viewer_id:
        state = _("your turn")
    else:
        state = _("{player}'s turn").format(player=words.plain_name(match.to_act))
    players = words.versus(match.first, match.second).plain
    return f"#{match.id} {rules.GAMES[match.game].title} · {players} · {state}"

"""Suggestions for the option ``match``."""

from __future__ import annotations

from dataclasses import dataclass

import rules
from bot.discord.interaction.access import Access
from bot.discord.interaction.feature import Feature
from bot.discord.interaction.interactions import LONGEST_CHOICE, MOST_CHOICES, Choices, Interaction, choice, suggestions
from bot.discord.ui import words
from bot.domain.matches import MatchChoice, Offered
from bot.domain.places import Viewer
from bot.services.matches import Matches
from bot.texts import gettext as _


@dataclass
class MatchOptions(Feature):
    """A feature whose commands have an option ``match``: ``@autocomplete(match=MatchOptions.own_matches)``."""

    matches: Matches
    access: Access

    @suggestions
    async def own_matches(self, interaction: Interaction, current: str) -> Choices:
        """The user's running matches."""
        return await _offer(self.matches, current, self.access.viewer_of(interaction), Offered.OWN)

    @suggestions
    async def running_matches(self, interaction: Interaction, current: str) -> Choices:
        """The matches that are running in the server, in channels that the user can view."""
        return await _offer(self.matches, current, await self.access.viewer_of_lists(interaction), Offered.RUNNING)

    @suggestions
    async def matches_to_end(self, interaction: Interaction, current: str) -> Choices:
        """The user's running matches, and those in channels that the user moderates."""
        moderator = await self.access.moderator_of_lists(interaction)
        return await _offer(self.matches, current, moderator, Offered.RUNNING)

    @suggestions
    async def all_matches(self, interaction: Interaction, current: str) -> Choices:
        """Matches to view: the user's own everywhere, and those of the server; running ones first."""
        return await _offer(self.matches, current, await self.access.viewer_of_lists(interaction), Offered.ALL)

    @suggestions
    async def finished_matches(self, interaction: Interaction, current: str) -> Choices:
        """Matches that are over: the user's own everywhere, and those of the server."""
        return await _offer(self.matches, current, await self.access.viewer_of_lists(interaction), Offered.FINISHED)


async def _offer(matches: Matches, current: str, viewer: Viewer, offered: Offered) -> Choices:
    found = await matches.choices(
        viewer,
        current.strip()[:LONGEST_CHOICE],
        offered,
        lambda match: match_label(match, viewer.player_id, offered),
        most=MOST_CHOICES,
    )
    return [choice(label, str(number)) for number, label in found.items()]


def match_label(match: MatchChoice, viewer_id: int, offered: Offered) -> str:
    """A match in one line of plain text."""
    if match.awaited is None:
        state = f"{match.ended_at:%Y-%m-%d}"
    elif offered is Offered.ALL:
        state = _("running")
    elif match.awaited.id == viewer_id:
        state = _("your turn")
    else:
        state = _("{player}'s turn").format(player=words.plain_name(match.awaited))
    first, second = map(words.plain_name, (match.first, match.second))
    players = _("{first} vs {second}").format(first=first, second=second)
    return f"#{match.id} {rules.GAMES[match.game].title} · {players} · {state}"

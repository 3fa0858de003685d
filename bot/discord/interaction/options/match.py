"""Suggestions for the option ``match``."""

from __future__ import annotations

from dataclasses import dataclass

import rules
from bot.discord.interaction.access import Access
from bot.discord.interaction.feature import Feature
from bot.discord.interaction.interactions import LONGEST_CHOICE, MOST_CHOICES, Choices, Interaction, choice, suggestions
from bot.discord.ui import words
from bot.domain.matches import LabelTexts, MatchChoice, Offered
from bot.domain.places import Viewer
from bot.domain.players import Player, computer
from bot.services.matches import Matches
from bot.texts import gettext as _
from rules.search import LEVELS


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
    texts = LabelTexts(
        " · ".join(["#{match} {game}", _("{first} vs {second}"), "{state}"]),
        words.plain_name(Player(1, "")),
        words.plain_name(Player(-1, "")),
        {level.id: words.plain_name(level) for level in map(computer, LEVELS)},
        _("your turn"),
        _("{player}'s turn"),
        _("running") if offered is Offered.ALL else None,
    )
    found = await matches.choices(viewer, current.strip()[:LONGEST_CHOICE], texts, offered, most=MOST_CHOICES)
    return [choice(_label(each, texts, viewer.player_id), str(each.id)) for each in found]


def _label(match: MatchChoice, texts: LabelTexts, viewer_id: int) -> str:
    """A match in one line of plain text."""
    if match.awaited is None:
        state = f"{match.ended_at:%Y-%m-%d}"
    elif texts.running is not None:
        state = texts.running
    else:
        own = match.awaited.id == viewer_id
        state = texts.own_turn if own else texts.their_turn.format(player=words.plain_name(match.awaited))
    return texts.label.format(
        match=match.id,
        game=rules.GAMES[match.game].title,
        first=words.plain_name(match.first),
        second=words.plain_name(match.second),
        state=state,
    )

"""What the option ``match`` offers."""

from __future__ import annotations

import rules
from bot.discord.access import moderator_of_lists, viewer_of, viewer_of_lists
from bot.discord.cards import words
from bot.discord.interactions import LONGEST_CHOICE, MOST_CHOICES, Choices, Interaction, choice, suggestions
from bot.domain.matches import Listed
from bot.domain.places import Viewer
from bot.domain.players import Player
from bot.storage.choices import LabelTexts
from bot.texts import gettext as _


@suggestions
async def my_matches(interaction: Interaction, current: str) -> Choices:
    """The user's running matches."""
    return await _offer(interaction, current, viewer_of(interaction), own=True)


@suggestions
async def all_matches(interaction: Interaction, current: str) -> Choices:
    """The matches that are running in the server, of which the user can view the channels."""
    return await _offer(interaction, current, await viewer_of_lists(interaction))


@suggestions
async def matches_to_end(interaction: Interaction, current: str) -> Choices:
    """One's own running matches, and those of the channels in which one keeps order."""
    return await _offer(interaction, current, await moderator_of_lists(interaction))


@suggestions
async def any_match(interaction: Interaction, current: str) -> Choices:
    """Matches to look at: the user's own wherever they are, and those of the server; running ones first."""
    return await _offer(interaction, current, await viewer_of_lists(interaction), finished=True)


async def _offer(
    interaction: Interaction, current: str, viewer: Viewer, *, own: bool = False, finished: bool = False
) -> Choices:
    texts = LabelTexts(
        " · ".join(["#{match} {game}", _("{first} vs {second}"), "{state}"]),
        words.plain_name(Player(1, "")),
        words.plain_name(Player(-1, "")),
        _("your turn"),
        _("{player}'s turn"),
        _("running") if finished else None,
    )
    found = await interaction.client.storage.match_choices(
        viewer, current.strip()[:LONGEST_CHOICE], texts, most=MOST_CHOICES, own=own, finished=finished
    )
    return [choice(_label(each, texts, viewer.player_id), str(each.id)) for each in found]


def _label(match: Listed, texts: LabelTexts, viewer_id: int) -> str:
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

"""Private cards of running matches that this process can still change.

Discord allows changes of an answer for 15 minutes. Cards are not stored: a press on an unknown card shows the current
state.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import discord
import structlog

from bot import texts
from bot.discord.interaction.errors import sentence
from bot.discord.interaction.languages import Languages
from bot.discord.transport.answers import Answer, on_private_card, plain
from bot.discord.transport.requests import DISCORD_FAILURES
from bot.discord.ui.markdown import CommandMentions
from bot.discord.ui.messages import Message
from bot.domain.matches import Match, MatchOverError
from bot.runtime.log import failure
from bot.runtime.recent import Recent

_LOG = structlog.get_logger(__name__)
#: Maximum number of cards to remember.
_REMEMBERED = 500


@dataclass(frozen=True, slots=True)
class _Card:
    """A card, the interaction that can change it, and whether a turn is built on it or behind its link."""

    match_id: int
    interaction: discord.Interaction[Any]
    builds_turn: bool


@dataclass
class PrivateCards:
    languages: Languages
    command_mentions: CommandMentions

    def __post_init__(self) -> None:
        self._cards: Recent[int, _Card] = Recent(_REMEMBERED, lambda card: card.interaction.is_expired())

    async def show(
        self, interaction: discord.Interaction[Any], answer: Message, match: Match, *, builds_turn: bool = False
    ) -> None:
        """Answer privately with a card that closes when the match ends."""
        self._track(await Answer.of(interaction).respond(answer), interaction, match, builds_turn=builds_turn)

    async def show_link(self, interaction: discord.Interaction[Any], answer: Message, match: Match) -> None:
        """Answer with a link to a match's page, in place of the user's earlier links and turns under construction."""
        message_id = await Answer.of(interaction).follow_up(answer)
        await self.dismiss_turn(interaction, match.id)
        self._track(message_id, interaction, match, builds_turn=True)

    async def dismiss_turn(self, interaction: discord.Interaction[Any], match_id: int) -> None:
        """Delete the user's cards with a turn under construction in the match, because another one replaces them."""
        for message_id, card in list(self._cards.items()):
            mine = card.interaction.user.id == interaction.user.id
            if mine and card.match_id == match_id and card.builds_turn:
                self._cards.pop(message_id, card)
                await _change(card.interaction, message_id, None)

    async def close(self, match: Match) -> None:
        """Replace all cards of a match that is over."""
        for message_id, card in list(self._cards.items()):
            if card.match_id == match.id:
                self._cards.pop(message_id, card)
                with texts.in_language(await self.languages.of_user(card.interaction)):
                    over = plain(sentence(MatchOverError(match), self.command_mentions) or "")
                await _change(card.interaction, message_id, over)

    def _track(
        self, message_id: int | None, interaction: discord.Interaction[Any], match: Match, *, builds_turn: bool
    ) -> None:
        if message_id is not None and match.result is None:
            self._cards[message_id] = _Card(match.id, interaction, builds_turn)

    def untrack(self, interaction: discord.Interaction[Any]) -> None:
        """Stop tracking the pressed private card, because the answer replaces it."""
        if interaction.message is not None and on_private_card(interaction):
            self._cards.pop(interaction.message.id, None)


async def _change(interaction: discord.Interaction[Any], message_id: int, answer: Message | None) -> None:
    """Replace a private message, or delete it, while Discord allows that."""
    if interaction.is_expired():
        return
    try:
        if answer is None:
            await interaction.followup.delete_message(message_id)
        else:
            await interaction.followup.edit_message(message_id, view=answer.view, attachments=[])
    except DISCORD_FAILURES as error:
        _LOG.info("private_card_left_as_it_is", reason=failure(error))

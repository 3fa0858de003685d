"""Private answers that this process can still change: cards of running matches, and refusals of commands.

Discord allows changes of an answer for a quarter of an hour. Nothing here is stored: a press on a forgotten card
answers with the current state.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

import discord
import structlog

from bot import texts
from bot.discord.interaction.errors import sentence
from bot.discord.interaction.languages import Languages
from bot.discord.transport import replies
from bot.discord.ui.messages import Message
from bot.domain.matches import Match, MatchOverError
from bot.log import failure

_LOG = structlog.get_logger(__name__)
#: The most cards, and the most refusals, remembered.
_REMEMBERED = 500


@dataclass(frozen=True, slots=True)
class _Card:
    """A private card, the interaction that can change it, and whether it is for a turn under construction."""

    match_id: int
    interaction: discord.Interaction[Any]
    builds_turn: bool


@dataclass
class PrivateCards:
    languages: Languages

    def __post_init__(self) -> None:
        self._cards: OrderedDict[int, _Card] = OrderedDict()
        self._refusals: OrderedDict[tuple[int, int | None], tuple[str, discord.Interaction[Any]]] = OrderedDict()

    async def show(
        self, interaction: discord.Interaction[Any], answer: Message, match: Match, *, builds_turn: bool = False
    ) -> None:
        """Answer privately with a card to close when the match ends."""
        message_id = await replies.show(interaction, answer)
        if message_id is not None and match.result is None:
            _remember(self._cards, message_id, _Card(match.id, interaction, builds_turn))

    async def dismiss_turn(self, interaction: discord.Interaction[Any], match_id: int) -> None:
        """Delete the user's cards for a turn in the match, because another one replaces them."""
        for message_id, card in list(self._cards.items()):
            mine = card.interaction.user.id == interaction.user.id
            if mine and card.match_id == match_id and card.builds_turn:
                self._cards.pop(message_id, card)
                await _change(card.interaction, message_id, None)

    async def close(self, match: Match) -> None:
        """Replace the cards about a match that is over."""
        for message_id, card in list(self._cards.items()):
            if card.match_id == match.id:
                self._cards.pop(message_id, card)
                with texts.in_language(await self.languages.of_user(card.interaction)):
                    over = replies.plain(sentence(MatchOverError(match)) or "")
                await _change(card.interaction, message_id, over)

    def forget(self, interaction: discord.Interaction[Any]) -> None:
        """Stop tracking the private card of a press, because it becomes something else."""
        if interaction.message is not None and replies.on_private_card(interaction):
            self._cards.pop(interaction.message.id, None)
            self._refusals.pop((interaction.user.id, interaction.channel_id), None)

    async def replace_refusal(self, interaction: discord.Interaction[Any], command: str, *, refused: bool) -> None:
        """Delete the user's last refusal of the same command in this channel, because there is a new answer, perhaps
        ``refused`` again.
        """
        key = (interaction.user.id, interaction.channel_id)
        name, earlier = self._refusals.get(key, ("", None))
        if refused:
            _remember(self._refusals, key, (command, interaction))
        elif name == command:
            del self._refusals[key]
        if earlier is not None and name == command and not earlier.is_expired():
            await replies.finish(earlier)


async def _change(interaction: discord.Interaction[Any], message_id: int, answer: Message | None) -> None:
    """Replace a private message, or delete it, if that is still possible."""
    if interaction.is_expired():
        return
    try:
        if answer is None:
            await interaction.followup.delete_message(message_id)
        else:
            await interaction.followup.edit_message(message_id, view=answer.view, attachments=[])
    except replies.DISCORD_FAILURES as error:
        _LOG.info("private_card_left_as_it_is", reason=failure(error))


def _remember(known: OrderedDict[Any, Any], key: Any, latest: Any) -> None:
    known[key] = latest
    known.move_to_end(key)
    if len(known) > _REMEMBERED:
        known.popitem(last=False)

"""Removes the buttons from cards of earlier boards and lapsed proposals, and deletes old pings.

The thread of a finished match is closed after that, because nothing changes in a closed thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import structlog

from bot import texts
from bot.discord.interaction.languages import Languages
from bot.discord.posting.cards.match import past_card, past_living_card
from bot.discord.posting.cards.proposal import proposal_card
from bot.discord.posting.channels import Channels
from bot.discord.transport.sender import Locks, NotShownError, Sender
from bot.domain.deliveries import LapsedProposal, MatchDelivery, PostedMessage, ReplacedMessage
from bot.domain.matches import Match
from bot.domain.preferences import BoardCards
from bot.services.deliveries import Deliveries
from bot.services.matches import Matches
from bot.services.settings import Settings

_LOG = structlog.get_logger(__name__)


@dataclass
class ReplacedCards:
    """Retires replaced messages; cards of proposals are edited under their locks in ``showing_proposals``."""

    sender: Sender
    channels: Channels
    matches: Matches
    deliveries: Deliveries
    settings: Settings
    languages: Languages
    showing_proposals: Locks[int]

    def __post_init__(self) -> None:
        #: The ids of retired messages until the next board notes them.
        self._retired_ids: set[int] = set()
        #: The ids of lapsed proposals whose cards show it, until the next board notes them.
        self._lapsed_ids: set[int] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def tasks(self) -> frozenset[asyncio.Task[None]]:
        """The tasks that retire cards in the background. The next start completes unfinished ones."""
        return frozenset(self._tasks)

    async def retire(self, replaced: ReplacedMessage) -> tuple[Match, MatchDelivery]:
        """Remove the buttons of a card that is no longer the latest, or delete a surplus message; return its match."""
        match, delivery = await self.deliveries.of_match(replaced.match_id)
        settings = await self.settings.server_settings(match.guild_id)
        language = await self.languages.of_match(match, settings)
        await self._retire_all(match, delivery, [replaced], self.channels.board_cards_of(delivery, settings), language)
        return match, delivery

    def retire_later(
        self,
        match: Match,
        delivery: MatchDelivery,
        replaced: Sequence[ReplacedMessage],
        lapsed: Sequence[LapsedProposal],
        kind: BoardCards,
        language: str,
    ) -> None:
        """Retire messages and cards of lapsed proposals in the background; then close a finished match's thread."""

        async def retire() -> None:
            try:
                await self._retire_all(match, delivery, replaced, kind, language)
                await self._retire_lapsed(lapsed, match, language)
                await self.channels.close_thread(match, delivery)
            except Exception:
                _LOG.exception("past_cards_not_retired", match=match.id)

        if replaced or lapsed or match.result is not None:
            task = asyncio.create_task(retire())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _retire_all(
        self,
        match: Match,
        delivery: MatchDelivery,
        replaced: Iterable[ReplacedMessage],
        kind: BoardCards,
        language: str,
    ) -> None:
        """Retire messages of a match. A card keeps its picture if every turn has its own."""
        for each in replaced:
            if delivery.message is not None and delivery.message.message_id == each.message.message_id:
                continue
            try:
                if each.surplus:
                    await self.sender.delete(each.message, patient=True)
                else:
                    await self._take_buttons(match, each.message, kind, language)
            except NotShownError as error:
                _LOG.info("past_card_not_edited", match=match.id, reason=str(error))
            else:
                self._retired_ids.add(each.message.message_id)

    async def _retire_lapsed(self, lapsed: Iterable[LapsedProposal], match: Match, language: str) -> None:
        """Show the lapse of proposals on their cards."""
        for each in lapsed:
            with texts.in_language(language):
                post = proposal_card(each.proposal, match)
            try:
                async with self.showing_proposals.of(each.proposal.id):
                    await self.sender.edit(each.card, post, patient=True)
            except NotShownError as error:
                _LOG.info("lapsed_card_not_edited", proposal=each.proposal.id, reason=str(error))
            else:
                self._lapsed_ids.add(each.proposal.id)

    async def _take_buttons(self, match: Match, message: PostedMessage, kind: BoardCards, language: str) -> None:
        past = past_living_card if kind is BoardCards.LIVING else past_card
        game, now = await self.matches.past_game(match, message.step), await self.matches.game_of(match)
        taken_back = now.turns[: game.ply] != game.turns
        earlier = await self.matches.earlier_games(match, message.step)
        with texts.in_language(language):
            post = await asyncio.to_thread(past, game, earlier, taken_back=taken_back)
        await self.sender.edit(message, post, patient=True)

    def is_retired(self, replaced: ReplacedMessage) -> bool:
        """Whether the message is retired but not noted yet."""
        return replaced.message.message_id in self._retired_ids

    def is_lapsed(self, proposal_id: int) -> bool:
        """Whether the card of a lapsed proposal shows the lapse, but that is not noted yet."""
        return proposal_id in self._lapsed_ids

    def pending(self) -> tuple[frozenset[int], frozenset[int]]:
        """The ids of the retired messages and lapsed proposals to note."""
        return frozenset(self._retired_ids), frozenset(self._lapsed_ids)

    def forget(self, retired: Collection[int], lapsed: Collection[int]) -> None:
        self._retired_ids.difference_update(retired)
        self._lapsed_ids.difference_update(lapsed)

    async def note_retired(self) -> None:
        retired, lapsed = self.pending()
        if retired or lapsed:
            await self.deliveries.note_retired(retired, lapsed)
            self.forget(retired, lapsed)

"""Takes the buttons off cards whose match has moved on: boards and proposals; and deletes pings that are over."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import structlog

from bot import texts
from bot.discord.interaction.languages import Languages
from bot.discord.posting.cards.board_cards import past_line
from bot.discord.posting.cards.match import past_card
from bot.discord.posting.cards.proposal import proposal_card
from bot.discord.posting.channels import Channels
from bot.discord.transport.delivery import Delivery, NotShownError
from bot.discord.transport.locks import Locks
from bot.discord.transport.requests import patiently
from bot.domain.deliveries import LapsedProposal, MatchDelivery, PostedMessage, ReplacedMessage
from bot.domain.matches import Match
from bot.domain.preferences import BoardCards
from bot.services.matches import Matches
from bot.storage import Storage, Transaction

_LOG = structlog.get_logger(__name__)


@dataclass
class ReplacedCards:
    """``showing_proposals`` are the locks under which the cards of proposals are edited."""

    delivery: Delivery
    channels: Channels
    matches: Matches
    languages: Languages
    showing_proposals: Locks[int]
    storage: Storage

    def __post_init__(self) -> None:
        #: Messages whose buttons are gone, or that are, until that is noted; the next card takes it along.
        self._retired: set[int] = set()
        #: Proposals whose cards show that they have lapsed, until that is noted as well.
        self._lapsed: set[int] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def tasks(self) -> frozenset[asyncio.Task[None]]:
        """The tasks that retire cards in the background. What they leave undone is done on the next start."""
        return frozenset(self._tasks)

    async def retire(self, replaced: ReplacedMessage) -> None:
        """Remove the buttons of a card that is not the latest one any more, or delete what is surplus."""
        async with self.storage.read() as tx:
            delivery, match = await tx.deliveries.get(replaced.match_id), await tx.matches.get(replaced.match_id)
            assert match is not None
            settings = await tx.settings.server_settings(match.guild_id)
        language = await self.languages.of_match(match, settings)
        await self._retire_all(match, delivery, [replaced], self.channels.board_cards_of(delivery, settings), language)

    def retire_later(
        self,
        match: Match,
        delivery: MatchDelivery,
        replaced: Sequence[ReplacedMessage],
        lapsed: Sequence[LapsedProposal],
        kind: BoardCards,
        language: str,
    ) -> None:
        """Retire a match's cards, and those of its lapsed proposals, without holding up the next board."""

        async def retire() -> None:
            try:
                await self._retire_all(match, delivery, replaced, kind, language)
                await self._retire_lapsed(lapsed, match, language)
            except Exception:
                _LOG.exception("past_cards_not_retired", match=match.id)

        if replaced or lapsed:
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
        """Remove the buttons of a match's cards, which keep their pictures only if every turn has one; delete what is
        surplus.
        """
        for each in replaced:
            if delivery.message is not None and delivery.message.message_id == each.message.message_id:
                continue
            try:
                with patiently():
                    if each.surplus:
                        await self.delivery.delete(each.message)
                    else:
                        await self._take_buttons(match, each.message, kind, language)
            except NotShownError as error:
                _LOG.info("past_card_not_edited", match=match.id, reason=str(error))
            else:
                self._retired.add(each.message.message_id)

    async def _retire_lapsed(self, lapsed: Iterable[LapsedProposal], match: Match, language: str) -> None:
        """Show on the cards of proposals that the match has moved on."""
        for each in lapsed:
            with texts.in_language(language):
                post = proposal_card(each.proposal, match)
            try:
                async with self.showing_proposals.of(each.proposal.id):
                    with patiently():
                        await self.delivery.edit(each.card, post)
            except NotShownError as error:
                _LOG.info("lapsed_card_not_edited", proposal=each.proposal.id, reason=str(error))
            else:
                self._lapsed.add(each.proposal.id)

    async def _take_buttons(self, match: Match, message: PostedMessage, kind: BoardCards, language: str) -> None:
        past = past_line if kind is BoardCards.LIVING else past_card
        game, now = await self.matches.past_game(match, message.step), await self.matches.game_of(match)
        taken_back = now.turns[: game.ply] != game.turns
        earlier = await self.matches.told_before(match, message.step)
        with texts.in_language(language):
            post = await asyncio.to_thread(past, game, earlier, taken_back=taken_back)
        await self.delivery.edit(message, post)

    def is_retired(self, replaced: ReplacedMessage) -> bool:
        """Whether that was done, and only has to be noted."""
        return replaced.message.message_id in self._retired

    @property
    def lapsed(self) -> frozenset[int]:
        """The proposals whose cards show that they have lapsed, which only has to be noted."""
        return frozenset(self._lapsed)

    @asynccontextmanager
    async def noting(self) -> AsyncIterator[Transaction]:
        """A transaction that also stores which cards have lost their buttons since the last one."""
        retired, lapsed = frozenset(self._retired), self.lapsed
        async with self.storage.transaction() as tx:
            if retired:
                await tx.deliveries.remove_replaced(retired)
            if lapsed:
                await tx.deliveries.note_lapsed(lapsed)
            yield tx
        self._retired -= retired
        self._lapsed -= lapsed

    async def note_retired(self) -> None:
        """Store which cards have lost their buttons since the last card was shown."""
        if self._retired or self._lapsed:
            async with self.noting():
                pass

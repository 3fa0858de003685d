"""Posts and edits the cards of challenges."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot import texts
from bot.discord.interaction.languages import Languages
from bot.discord.posting.cards.challenge import challenge_card
from bot.discord.posting.handover import Handover
from bot.discord.posting.messenger import Messenger
from bot.discord.transport.delivery import Delivery, NotShownError
from bot.discord.transport.locks import Locks
from bot.discord.ui import words
from bot.domain.challenges import ChallengeState
from bot.domain.deliveries import PostedMessage
from bot.domain.timers import TimerKind
from bot.services.deliveries import Deliveries
from bot.storage import Storage


@dataclass
class ChallengePresenter:
    """Each challenge is shown by one task at a time."""

    deliveries: Deliveries
    delivery: Delivery
    messenger: Messenger
    languages: Languages
    handover: Handover
    storage: Storage

    def __post_init__(self) -> None:
        self._showing: Locks[int] = Locks()

    async def show(self, challenge_id: int, *, on: PostedMessage | None = None) -> None:
        """Post the challenge's card, or bring it up to date; ``on`` is a message that shows it as it was before."""
        async with self._showing.of(challenge_id):
            async with self.storage.read() as tx:
                state = await tx.deliveries.challenge(challenge_id)
                challenge = await tx.challenges.get(challenge_id)
            assert challenge is not None
            if on is None and not state.outdated:
                return
            if await self.handover.leave(TimerKind.SHOW_CHALLENGE, challenge_id, challenge.place):
                return
            card = state.message
            channel_id = challenge.place.channel_id
            started = await self.deliveries.of_match(challenge.match_id)
            with texts.in_language(await self.languages.of_server(challenge.place.guild_id)):
                post = challenge_card(challenge, "" if started is None else words.whereabouts(*started, channel_id))
            reached = self.delivery.reaches(challenge.place)
            if card is not None:
                if reached:
                    await self.delivery.edit(on or card, post)
                card = replace(card, version=state.version)
            elif challenge.state is ChallengeState.OPEN:
                if not reached:
                    raise NotShownError(channel_id)
                message_id = await self.messenger.show_everybody(channel_id, post, f"c{challenge.id}")
                card = PostedMessage(channel_id, message_id, state.version)
            async with self.storage.transaction() as tx:
                await tx.deliveries.set_challenge(challenge.id, state.version, card)

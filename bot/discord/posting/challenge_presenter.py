"""Posts and edits the cards of challenges."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot import texts
from bot.discord.interaction.languages import Languages
from bot.discord.posting.cards.challenge import challenge_card
from bot.discord.posting.messenger import Messenger
from bot.discord.transport.delivery import Delivery, Locks, NotShownError
from bot.discord.ui import words
from bot.domain.challenges import ChallengeState
from bot.domain.deliveries import PostedMessage
from bot.domain.timers import TimerKind
from bot.services.deliveries import Deliveries


@dataclass
class ChallengePresenter:
    """Shows each challenge by one task at a time."""

    deliveries: Deliveries
    delivery: Delivery
    messenger: Messenger
    languages: Languages

    def __post_init__(self) -> None:
        self._showing: Locks[int] = Locks()

    async def show(self, challenge_id: int, *, on: PostedMessage | None = None) -> None:
        """Post or update the challenge's card; ``on`` is a message that shows an earlier state."""
        async with self._showing.of(challenge_id):
            view = await self.deliveries.challenge_view(challenge_id)
            challenge, state, place = view.challenge, view.state, view.challenge.place
            if on is None and not state.outdated:
                return
            if self.delivery.is_elsewhere(place) and await self.deliveries.hand_over(
                TimerKind.SHOW_CHALLENGE, challenge_id, place
            ):
                return
            card, channel_id = state.message, place.channel_id
            with texts.in_language(await self.languages.of_server(place.guild_id)):
                played = "" if view.started is None else words.whereabouts(*view.started, channel_id)
                post = challenge_card(challenge, played)
            reached = self.delivery.reaches(place)
            if card is not None:
                if reached:
                    await self.delivery.edit(on or card, post)
                card = replace(card, version=state.version)
            elif challenge.state is ChallengeState.OPEN:
                if not reached:
                    raise NotShownError(channel_id)
                message_id = await self.messenger.show_everybody(channel_id, post, f"c{challenge.id}")
                card = PostedMessage(channel_id, message_id, state.version)
            await self.deliveries.set_challenge(challenge.id, state.version, card)

"""Sending challenges: to a person, to anybody in the channel, or to the computer."""

from __future__ import annotations

from dataclasses import dataclass

import discord

import rules
from bot.discord.features.challenges.computer import ComputerGameButtons
from bot.discord.interaction.access import Access
from bot.discord.interaction.errors import sentence
from bot.discord.interaction.feature import Feature
from bot.discord.interaction.interactions import Interaction, player_of, roles_of
from bot.discord.interaction.permissions import check_challenge
from bot.discord.posting.cards.challenge import AnswerChallenge, challenge_buttons
from bot.discord.posting.challenge_presenter import ChallengePresenter
from bot.discord.transport import replies
from bot.discord.ui import words
from bot.discord.ui.links import Answer
from bot.discord.ui.messages import compose
from bot.domain.challenges import DuplicateChallengeError, First
from bot.domain.clocks import TimeControl
from bot.services.challenges import Challenges
from bot.services.deliveries import Deliveries
from bot.texts import gettext as _


@dataclass
class ChallengeSender(Feature):
    """A feature that sends challenges."""

    challenges: Challenges
    deliveries: Deliveries
    challenge_presenter: ChallengePresenter
    access: Access
    against_computer: ComputerGameButtons

    async def send(
        self,
        interaction: Interaction,
        opponent: discord.Member | discord.User | None,
        ruleset: rules.Ruleset,
        first: First,
        *,
        rated: bool = True,
        control: TimeControl | None = None,
    ) -> bool:
        """Post a challenge to the opponent, or to anyone; False if there is an open one already."""
        await check_challenge(interaction, opponent)
        try:
            sent = await self.challenges.challenge(
                await self.access.place_of(interaction),
                player_of(interaction.user),
                player_of(opponent) if opponent else None,
                ruleset,
                first,
                rated=rated,
                control=control,
                role_ids=roles_of(interaction),
            )
        except DuplicateChallengeError as error:
            await self._point_to_open_challenge(interaction, error)
            return False
        await self.challenge_presenter.show(sent.id)
        return True

    async def _point_to_open_challenge(self, interaction: Interaction, error: DuplicateChallengeError) -> None:
        """Say where the open challenge is, and let the challenger withdraw it even if its message is gone."""
        standing = error.challenge
        link = words.card_link(
            standing.place.guild_id, (await self.deliveries.challenge_view(standing.id)).state.message
        )
        text = sentence(error) or ""
        mine = standing.challenger.id == interaction.user.id
        withdraw = AnswerChallenge(standing.id, Answer.WITHDRAW)
        buttons = tuple(button for button in challenge_buttons(standing) if (button.press == withdraw) is mine)
        if link:
            jump = _("[Jump to it]({link})").format(link=link)
            text = f"{text} {jump}"
        await replies.tell(interaction, compose(text, buttons=buttons))

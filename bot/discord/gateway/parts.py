"""The parts of the bot that need Discord."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import discord

from bot.discord.features.challenges.welcome import Welcome
from bot.discord.interaction.access import Access
from bot.discord.interaction.languages import Languages
from bot.discord.interaction.private_cards import PrivateCards
from bot.discord.posting.card_presenters import (
    ChallengePresenter,
    LadderPresenter,
    ProposalPresenter,
    TournamentPresenter,
)
from bot.discord.posting.channels import Channels
from bot.discord.posting.match_presenter import MatchPresenter
from bot.discord.posting.messenger import Messenger
from bot.discord.transport.in_flight import InFlight
from bot.discord.transport.sender import Sender
from bot.discord.transport.servers import Servers
from bot.discord.ui.markdown import CommandMentions
from bot.runtime.token_bucket import TokenBucket
from bot.services.services import Services


class DiscordParts:
    """The parts that send messages and show stored changes.

    ``ahead_of`` returns how many searches come before the one in a person's match at a level. ``retry_later`` is called
    after a temporary failure to show something.
    """

    def __init__(
        self,
        services: Services,
        client: discord.Client,
        budget: TokenBucket | None,
        channels: type[Channels],
        now: Callable[[], datetime],
        retry_later: Callable[[], None],
        ahead_of: Callable[[int, int, int], int],
    ) -> None:
        storage, settings = services.storage, services.settings
        self.servers = Servers(client, services.shards)
        self.in_flight = InFlight()
        self.access = Access(storage, services.deliveries, services.tournaments, services.ladders)
        self.languages = Languages(client, self.servers, settings)
        self.command_mentions = CommandMentions()
        self.private_cards = PrivateCards(self.languages, self.command_mentions)
        self.sender = Sender(client, self.servers, services.deliveries, budget, retry_later)
        self.messenger = Messenger(self.sender, settings, services.deliveries, now)
        self.channels = channels(
            client, self.servers, self.languages, services.deliveries, self.messenger, self.command_mentions
        )
        self.welcome = Welcome(self.servers, settings, self.languages, self.messenger, storage, now)
        shared = services.deliveries, self.sender, self.messenger, self.languages
        self.challenge_presenter = ChallengePresenter(*shared, settings)
        self.ladder_presenter = LadderPresenter(*shared, services.ladders)
        self.proposal_presenter = ProposalPresenter(*shared)
        self.tournament_presenter = TournamentPresenter(*shared, settings, self.command_mentions)
        self.match_presenter = MatchPresenter(
            matches=services.matches,
            proposals=services.proposals,
            deliveries=services.deliveries,
            challenge_presenter=self.challenge_presenter,
            proposal_presenter=self.proposal_presenter,
            settings=settings,
            channels=self.channels,
            sender=self.sender,
            languages=self.languages,
            private_cards=self.private_cards,
            command_mentions=self.command_mentions,
            doors=services.doors,
            ahead_of=ahead_of,
            now=now,
        )

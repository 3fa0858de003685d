"""``/profile``: how somebody plays."""

from __future__ import annotations

import asyncio

import discord
from discord import app_commands

import rules
from bot.discord import replies
from bot.discord.access import Access
from bot.discord.cards.computer import levels_card
from bot.discord.cards.profile import profile_card, profile_pictures
from bot.discord.cards.scenes import private_look
from bot.discord.feature import Feature
from bot.discord.game_option import choose_game
from bot.discord.interactions import Interaction, is_computer, player_of
from bot.services.privacy import Privacy
from bot.services.puzzles import Puzzles
from bot.services.ratings import Ratings
from bot.services.settings import Settings
from bot.texts import gettext_noop


class ProfileCommand(Feature):
    def __init__(
        self, ratings: Ratings, privacy: Privacy, puzzles: Puzzles, settings: Settings, access: Access
    ) -> None:
        self._ratings = ratings
        self._privacy = privacy
        self._puzzles = puzzles
        self._settings = settings
        self._access = access

    @app_commands.command(description=gettext_noop("Ratings, results and openings of a player"))
    @app_commands.describe(
        player=gettext_noop("Whose profile to show; your own by default"), game=gettext_noop("One game only")
    )
    @choose_game()
    async def profile(
        self,
        interaction: Interaction,
        player: discord.Member | discord.User | None = None,
        game: str | None = None,
    ) -> None:
        user = interaction.user
        if is_computer(interaction, player):
            games = rules.GAMES if game is None else [game]
            await replies.tell(interaction, levels_card({each: await self._ratings.levels(each) for each in games}))
            return
        viewer = await self._access.viewer_of_lists(interaction)
        found = await self._ratings.profile(player_of(player or user), viewer, game, interaction.guild_id)
        look = private_look(await self._settings.preferences(user.id))
        conduct = await self._privacy.conduct(found.player.id, game)
        history, openings = await asyncio.to_thread(profile_pictures, found, look)
        puzzles = await self._puzzles.standing(found.player.id)
        await replies.tell(interaction, profile_card(found, conduct, history, openings, puzzles))

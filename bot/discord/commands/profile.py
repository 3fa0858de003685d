"""``/profile``: how somebody plays."""

from __future__ import annotations

import asyncio

import discord
from discord import app_commands

from bot.discord import replies
from bot.discord.access import viewer_of_lists
from bot.discord.cards.profile import profile_card, profile_pictures
from bot.discord.cards.scenes import private_look
from bot.discord.game_option import choose_game
from bot.discord.interactions import Interaction, player_of
from bot.texts import gettext_noop


@app_commands.command(description=gettext_noop("Ratings, results and openings of a player"))
@app_commands.describe(player=gettext_noop("Whose profile; without one, your own"), game=gettext_noop("One game only"))
@choose_game()
async def profile(
    interaction: Interaction, player: discord.Member | discord.User | None = None, game: str | None = None
) -> None:
    client, user = interaction.client, interaction.user
    viewer = await viewer_of_lists(interaction)
    found = await client.ratings.profile(player_of(player or user), viewer, game, interaction.guild_id)
    look = private_look(await client.settings.preferences(user.id))
    conduct = await client.privacy.conduct(found.player.id)
    history, openings = await asyncio.to_thread(profile_pictures, found, look)
    await replies.tell(interaction, profile_card(found, conduct, history, openings))

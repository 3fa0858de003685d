"""``/leaderboard``: who wins most in this server."""

from __future__ import annotations

from discord import app_commands

import rules
from bot import replies
from bot.cards.leaderboard import leaderboard_card
from bot.commands.context import Interaction, place_of


@app_commands.command(description="The best players of this server", extras={"public": True})
@app_commands.describe(game="One game only")
@app_commands.choices(game=[app_commands.Choice(name=game.title, value=game.name) for game in rules.GAMES.values()])
async def leaderboard(interaction: Interaction, game: str | None = None) -> None:
    standings = await interaction.client.matches.standings(place_of(interaction).guild_id, game)
    server = interaction.guild.name if interaction.guild is not None else "this server"
    title = rules.GAMES[game].title if game in rules.GAMES else None
    await replies.show(interaction, leaderboard_card(standings, server, title, interaction.user.id))

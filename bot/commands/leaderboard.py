"""``/leaderboard``: who wins most in this server."""

from __future__ import annotations

from discord import app_commands

import render
from bot import replies
from bot.cards.leaderboard import leaderboard_card
from bot.commands.context import Interaction, place_of
from bot.presenter import NotShownError


@app_commands.command(description="The best players of this server")
@app_commands.describe(game="One game only")
@app_commands.choices(game=[app_commands.Choice(name=game.title, value=game.name) for game in render.GAMES.values()])
async def leaderboard(interaction: Interaction, game: str | None = None) -> None:
    place = place_of(interaction)
    standings = await interaction.client.matches.standings(place, game)
    server = interaction.guild.name if interaction.guild is not None else "this server"
    title = render.GAMES[game].title if game in render.GAMES else None
    card = leaderboard_card(standings, server, title, interaction.user.id)
    try:
        await interaction.client.presenter.show_everybody(place.channel_id, card)
    except NotShownError:
        await replies.tell(interaction, card)  # where the bot may not post, the one who asked sees it
    else:
        await replies.finish(interaction)

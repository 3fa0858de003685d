"""``/leaderboard``: who wins most in this server."""

from __future__ import annotations

from discord import app_commands

import render
from bot import replies
from bot.cards.leaderboard import leaderboard_card
from bot.cards.post import Post
from bot.commands.context import Interaction, place_of
from bot.delivery import NotShownError
from bot.languages import server_language
from bot.texts import gettext as _
from bot.texts import later, speaking


@app_commands.command(description=later("The best players of this server"))
@app_commands.describe(game=later("One game only"))
@app_commands.choices(game=[app_commands.Choice(name=game.title, value=game.name) for game in render.GAMES.values()])
async def leaderboard(interaction: Interaction, game: str | None = None) -> None:
    place = place_of(interaction)
    standings = await interaction.client.matches.standings(place, game)
    title = render.GAMES[game].title if game in render.GAMES else None

    def card() -> Post:
        server = interaction.guild.name if interaction.guild is not None else _("this server")
        return leaderboard_card(standings, server, title, interaction.user.id)

    with speaking(await server_language(interaction.client, place.guild_id)):
        shared = card()
    try:
        await interaction.client.presenter.show_everybody(place.channel_id, shared)
    except NotShownError:
        await replies.tell(interaction, card())  # where the bot may not post, the one who asked sees it
    else:
        await replies.finish(interaction)

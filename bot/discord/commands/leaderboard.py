"""``/leaderboard``: the best players on this server, everywhere, or among the people one has played."""

from __future__ import annotations

import asyncio

from discord import app_commands

from bot.discord import replies
from bot.discord.cards import ratings
from bot.discord.cards.leaderboard import (
    ORDERS,
    PERIODS,
    SCOPES,
    changed,
    leaderboard_card,
    leaderboard_picture,
    query_of,
)
from bot.discord.cards.scenes import private_look
from bot.discord.errors import RefusalError
from bot.discord.feature import Feature, handles
from bot.discord.game_option import choose_game
from bot.discord.interactions import Interaction
from bot.discord.messages import Message, Press
from bot.domain.leaderboards import LeaderboardQuery, Order, Period, Scope
from bot.domain.players import Player
from bot.domain.ratings import OVERALL
from bot.services.ratings import Ratings
from bot.services.settings import Settings
from bot.texts import gettext as _
from bot.texts import gettext_noop


class LeaderboardCommand(Feature):
    def __init__(self, ratings: Ratings, settings: Settings) -> None:
        self._ratings = ratings
        self._settings = settings

    @app_commands.command(description=gettext_noop("The best players, and your own rank"))
    @app_commands.describe(
        game=gettext_noop("One game only"),
        scope=gettext_noop("Whose leaderboard"),
        period=gettext_noop("Matches of which period"),
        by=gettext_noop("What players are ranked by"),
    )
    @choose_game()
    @app_commands.choices(
        scope=[app_commands.Choice(name=text, value=each.value) for each, text in SCOPES.items()],
        period=[app_commands.Choice(name=text, value=each.value) for each, text in PERIODS.items()],
        by=[app_commands.Choice(name=text, value=each.value) for each, text in ORDERS.items()],
    )
    async def leaderboard(
        self,
        interaction: Interaction,
        game: str | None = None,
        scope: str | None = None,
        period: str = Period.ALL.value,
        by: str = Order.RATING.value,
    ) -> None:
        guild_id = interaction.guild_id
        usual = Scope.EVERYWHERE if guild_id is None else Scope.SERVER
        query = LeaderboardQuery(
            interaction.user.id, guild_id, Scope(scope) if scope else usual, game or OVERALL, Period(period), Order(by)
        )
        await replies.tell(interaction, await self._card(interaction, query, 1))

    @handles("leaderboard", "leaderboard-with")
    async def turn_page(self, interaction: Interaction, press: Press) -> None:
        """Show another page, or another leaderboard chosen from the menu."""
        try:
            query = query_of(press.argument, interaction.user.id, interaction.guild_id)
            for choice in press.values:
                query = changed(query, choice)
        except ValueError:
            raise RefusalError(_("This leaderboard is out of date. Ask for a new one.")) from None
        await replies.replace(interaction, await self._card(interaction, query, press.subject or None))

    async def _card(self, interaction: Interaction, query: LeaderboardQuery, page: int | None) -> Message:
        if query.scope is Scope.SERVER and query.guild_id is None:
            raise RefusalError(_("This is not a server. Choose another leaderboard, such as everywhere."))
        shown = await self._ratings.leaderboard(query, page)
        if not shown.rows:
            return leaderboard_card(shown, None)
        guild = interaction.guild
        server = _("this server") if guild is None else ratings.drawable(Player(guild.id, guild.name))
        look = private_look(await self._settings.preferences(interaction.user.id))
        picture = await asyncio.to_thread(leaderboard_picture, shown, server, look.theme)
        return leaderboard_card(shown, picture)

"""``/leaderboard``: who is best, of this server, everywhere or among the people one has played."""

from __future__ import annotations

import asyncio

from discord import app_commands

from bot.discord import replies
from bot.discord.cards import ratings
from bot.discord.cards.leaderboard import (
    ORDERS,
    SCOPES,
    SPANS,
    board_of,
    changed,
    leaderboard_card,
    leaderboard_picture,
)
from bot.discord.cards.scenes import private_look
from bot.discord.errors import RefusalError
from bot.discord.game_option import choose_game
from bot.discord.interactions import Interaction
from bot.discord.messages import Message, Press
from bot.domain.leaderboards import LeaderboardQuery, Order, Period, Scope
from bot.domain.players import Player
from bot.domain.ratings import OVERALL
from bot.texts import gettext as _
from bot.texts import gettext_noop


@app_commands.command(description=gettext_noop("The best players, and your place among them"))
@app_commands.describe(
    game=gettext_noop("One game only"),
    scope=gettext_noop("Whose leaderboard"),
    period=gettext_noop("Games of which time"),
    by=gettext_noop("What players are ranked by"),
)
@choose_game()
@app_commands.choices(
    scope=[app_commands.Choice(name=text, value=each.value) for each, text in SCOPES.items()],
    period=[app_commands.Choice(name=text, value=each.value) for each, text in SPANS.items()],
    by=[app_commands.Choice(name=text, value=each.value) for each, text in ORDERS.items()],
)
async def leaderboard(
    interaction: Interaction,
    game: str | None = None,
    scope: str | None = None,
    period: str = Period.ALL.value,
    by: str = Order.RATING.value,
) -> None:
    guild_id = interaction.guild_id
    usual = Scope.EVERYWHERE if guild_id is None else Scope.SERVER
    board = LeaderboardQuery(
        interaction.user.id, guild_id, Scope(scope) if scope else usual, game or OVERALL, Period(period), Order(by)
    )
    await replies.tell(interaction, await _card(interaction, board, 1))


async def turn_leaderboard(interaction: Interaction, press: Press) -> None:
    """Shows another page, or another leaderboard that was chosen from the menu."""
    try:
        board = board_of(press.argument, interaction.user.id, interaction.guild_id)
        for choice in press.values:
            board = changed(board, choice)
    except ValueError:
        raise RefusalError(_("This leaderboard is of an older time. Ask for a new one.")) from None
    await replies.replace(interaction, await _card(interaction, board, press.subject or None))


async def _card(interaction: Interaction, board: LeaderboardQuery, page: int | None) -> Message:
    if board.scope is Scope.SERVER and board.guild_id is None:
        raise RefusalError(_("There is no server here. Choose another leaderboard, such as everywhere."))
    client = interaction.client
    shown = await client.ratings.leaderboard(board, page)
    if not shown.entries:
        return leaderboard_card(shown, None)
    guild = interaction.guild
    server = _("this server") if guild is None else ratings.drawable(Player(guild.id, guild.name))
    look = private_look(await client.settings.preferences(interaction.user.id))
    picture = await asyncio.to_thread(leaderboard_picture, shown, server, look.theme)
    return leaderboard_card(shown, picture)

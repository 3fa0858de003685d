"""``/games`` and ``/history``: running and finished matches."""

from __future__ import annotations

from dataclasses import replace

import discord
from discord import app_commands

from bot.discord import replies
from bot.discord.access import Access
from bot.discord.cards import match_lists as lists
from bot.discord.feature import Feature, handles
from bot.discord.game_option import choose_game
from bot.discord.interactions import Interaction, place_of, player_of
from bot.discord.messages import Message, Press
from bot.discord.presenter import card_link
from bot.discord.quoting import as_markdown
from bot.domain.matches import MatchFilter, Score
from bot.domain.players import Player
from bot.services.deliveries import Deliveries
from bot.services.history import History
from bot.texts import gettext_noop

_MOST_OPPONENTS = 24


class MatchLists(Feature):
    def __init__(self, history: History, deliveries: Deliveries, access: Access) -> None:
        self._history = history
        self._deliveries = deliveries
        self._access = access

    @app_commands.command(description=gettext_noop("Running matches and whose turn it is: yours, or a friend's"))
    @app_commands.describe(player=gettext_noop("Another player, whose matches on this server you want to see"))
    async def games(self, interaction: Interaction, player: discord.Member | discord.User | None = None) -> None:
        await replies.tell(interaction, await self._running(interaction, player_of(player or interaction.user), 1))

    @app_commands.command(
        description=gettext_noop("Finished matches with their results, to replay: yours, or a friend's")
    )
    @app_commands.describe(
        player=gettext_noop("Another player, whose matches on this server you want to see"),
        game=gettext_noop("One game only"),
        opponent=gettext_noop("Matches with this opponent only"),
    )
    @choose_game()
    async def history(
        self,
        interaction: Interaction,
        player: discord.Member | discord.User | None = None,
        game: str | None = None,
        opponent: discord.Member | discord.User | None = None,
    ) -> None:
        whose = player_of(player or interaction.user)
        wanted = MatchFilter(player_id=whose.id, game=game, opponent_id=None if opponent is None else opponent.id)
        await replies.tell(interaction, await self._finished(interaction, whose, wanted, 1))

    @handles("my-games")
    async def open_running(self, interaction: Interaction, press: Press) -> None:
        """Show the user's running matches beside the card in which that was pressed."""
        await replies.tell(interaction, await self._running(interaction, player_of(interaction.user), 1))

    @handles("games")
    async def turn_page_of_running(self, interaction: Interaction, press: Press) -> None:
        player = await self._player(interaction, press.subject)
        await replies.replace(interaction, await self._running(interaction, player, press.step))

    @handles("next-game")
    async def show_what_waits(self, interaction: Interaction, _press: Press) -> None:
        """Show the user's running matches, those that wait for them first, when they press the button of a match that
        is over."""
        await replies.tell(interaction, await self._running(interaction, player_of(interaction.user), 1))

    @handles("history", "history-result", "history-opponent")
    async def turn_page_of_finished(self, interaction: Interaction, press: Press) -> None:
        """Show another page of finished matches, or apply a filter."""
        wanted = _wanted(press)
        if press.values:
            (chosen,) = press.values
            if press.action == "history-result":
                wanted = replace(wanted, score=None if chosen == lists.ANY else Score(chosen))
            else:
                wanted = replace(wanted, opponent_id=None if chosen == lists.ANY else int(chosen))
        player = await self._player(interaction, press.subject)
        await replies.replace(interaction, await self._finished(interaction, player, wanted, press.step))

    async def _player(self, interaction: Interaction, player_id: int) -> Player:
        if player_id == interaction.user.id:
            return player_of(interaction.user)
        return await self._history.player(player_id, place_of(interaction))

    async def _running(self, interaction: Interaction, player: Player, page: int) -> Message:
        """The running matches of a player: the user's own are shown wherever they are, others only on this server."""
        place, mine = place_of(interaction), player.id == interaction.user.id
        viewer = None if mine else await self._access.viewer_of_lists(interaction)
        running = await self._history.running(viewer=viewer, player_id=player.id, seen_from=place)
        deliveries = await self._deliveries.get_all([pending.match.id for pending in running])
        listed = []
        for pending in running:
            guild_id, delivery = pending.match.guild_id, deliveries.get(pending.match.id)
            elsewhere = None if guild_id in (None, place.guild_id) else interaction.client.get_guild(guild_id)
            server = None if elsewhere is None else as_markdown(elsewhere.name)
            link = None if delivery is None else card_link(guild_id, delivery.message)
            listed.append(lists.Listed(pending, None if delivery is None else delivery.channel_id, link, server))
        return lists.games_card(listed, player, page, mine=mine)

    async def _finished(self, interaction: Interaction, player: Player, wanted: MatchFilter, page: int) -> Message:
        place, mine = place_of(interaction), player.id == interaction.user.id
        wanted = replace(wanted, viewer=None if mine else await self._access.viewer_of_lists(interaction))
        found = await self._history.finished(wanted, page, seen_from=place)
        opponents = await self._history.opponents(wanted, _MOST_OPPONENTS, place)
        if wanted.opponent_id is not None and wanted.opponent_id not in {each.id for each in opponents}:
            opponents = [await self._history.player(wanted.opponent_id, place), *opponents[: _MOST_OPPONENTS - 1]]
        reasons = await self._history.reasons(found.matches)
        return lists.history_card(found, reasons, wanted, player, opponents, mine=mine)


def _wanted(press: Press) -> MatchFilter:
    """The filter in a button's id."""
    game, score, opponent = press.argument.split(".")
    return MatchFilter(
        player_id=press.subject,
        game=None if game == lists.ANY else game,
        score=None if score == lists.ANY else Score(score),
        opponent_id=None if opponent == lists.ANY else int(opponent),
    )

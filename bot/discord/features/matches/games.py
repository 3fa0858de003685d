"""``/games`` and ``/history``: running and finished matches."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

import discord
from discord import app_commands

from bot import texts
from bot.discord.features.matches import match_lists as lists
from bot.discord.features.matches.match_lists import Nudge
from bot.discord.interaction.access import Access
from bot.discord.interaction.errors import RefusalError
from bot.discord.interaction.feature import Feature, handles
from bot.discord.interaction.interactions import Interaction, is_computer, place_of, player_of
from bot.discord.interaction.languages import Languages
from bot.discord.interaction.options.ruleset import GameChoice
from bot.discord.posting.cards.match import NextGame
from bot.discord.posting.messenger import Messenger
from bot.discord.transport import replies
from bot.discord.transport.servers import Servers
from bot.discord.ui import words
from bot.discord.ui.links import OpenGames
from bot.discord.ui.messages import Message, Picture, compose
from bot.discord.ui.presses import Press
from bot.domain.deliveries import MatchDelivery
from bot.domain.matches import Match, MatchFilter, NextMatch, Pending
from bot.domain.players import COMPUTER_ID, Player
from bot.services.challenges import Challenges
from bot.services.deliveries import Deliveries
from bot.services.history import History
from bot.services.matches import Matches
from bot.services.nudges import Nudges
from bot.services.settings import Settings
from bot.texts import gettext as _
from bot.texts import gettext_noop

_MOST_OPPONENTS = 24


@dataclass
class GamesCommands(Feature):
    matches: Matches
    challenges: Challenges
    history: History
    deliveries: Deliveries
    nudges: Nudges
    settings: Settings
    access: Access
    servers: Servers
    languages: Languages
    messenger: Messenger

    @app_commands.command(description=gettext_noop("Running matches and whose turn it is: yours, or a friend's"))
    @app_commands.describe(player=gettext_noop("Another player, whose matches on this server you want to see"))
    async def games(self, interaction: Interaction, player: discord.Member | discord.User | None = None) -> None:
        whose = interaction.user if player is None or is_computer(interaction, player) else player
        await replies.tell(interaction, await self._running(interaction, player_of(whose), 1))

    @app_commands.command(
        name="history", description=gettext_noop("Finished matches with their results, to replay: yours, or a friend's")
    )
    @app_commands.describe(
        player=gettext_noop("Another player, whose matches on this server you want to see"),
        game=gettext_noop("One game only"),
        opponent=gettext_noop("Matches with this opponent only"),
    )
    async def show_history(
        self,
        interaction: Interaction,
        player: discord.Member | discord.User | None = None,
        game: GameChoice | None = None,
        opponent: discord.Member | discord.User | None = None,
    ) -> None:
        # The matches of the computer are those of its opponents.
        one, other = (opponent, player) if is_computer(interaction, player) else (player, opponent)
        whose = player_of(one or interaction.user)
        opponent_id = None if other is None else other.id
        if is_computer(interaction, other):
            opponent_id = COMPUTER_ID
        wanted = MatchFilter(player_id=whose.id, opponent_id=opponent_id, game=None if game is None else game.name)
        await replies.tell(interaction, await self._finished(interaction, whose, wanted, 1))

    @handles(OpenGames, NextGame)
    async def open_running(self, interaction: Interaction, _press: Press) -> None:
        """Show the user's running matches beside the card in which that was pressed."""
        await replies.tell(interaction, await self._running(interaction, player_of(interaction.user), 1))

    @handles(lists.ListRunning)
    async def turn_page_of_running(self, interaction: Interaction, press: lists.ListRunning) -> None:
        player = await self._player(interaction, press.player_id)
        await replies.replace(interaction, await self._running(interaction, player, press.page))

    @handles(lists.ListFinished, lists.ChooseScore, lists.ChooseOpponent)
    async def turn_page_of_finished(self, interaction: Interaction, press: lists.HistoryPress) -> None:
        """Show another page of finished matches, or apply a filter."""
        shown, page = press.shown, 0
        match press:
            case lists.ListFinished():
                page = press.page
            case lists.ChooseScore():
                shown = replace(shown, score=press.score)
            case lists.ChooseOpponent():
                shown = replace(shown, opponent_id=press.opponent_id)
        player = await self._player(interaction, shown.player_id)
        await replies.replace(interaction, await self._finished(interaction, player, shown.filter, page))

    async def _player(self, interaction: Interaction, player_id: int) -> Player:
        if player_id == interaction.user.id:
            return player_of(interaction.user)
        return await self.history.player(player_id, place_of(interaction))

    async def _running(self, interaction: Interaction, player: Player, page: int) -> Message:
        """The running matches of a player: the user's own are shown wherever they are, others only on this server."""
        place, mine = place_of(interaction), player.id == interaction.user.id
        viewer = None if mine else await self.access.viewer_of_lists(interaction)
        found = await self.history.running_page(player.id, page, lists.ON_PAGE, viewer=viewer, seen_from=place)
        deliveries = await self.deliveries.get_all([pending.match.id for pending in found.matches])
        listed = [self._list_match(interaction, pending, deliveries[pending.match.id]) for pending in found.matches]
        boards = await self._boards(interaction, listed)
        offered = await self.challenges.open_to(await self.access.viewer_of_lists(interaction)) if mine else []
        return lists.games_card(found, listed, boards, player, mine=mine, challenges=len(offered))

    async def offer_next(self, interaction: Interaction, match: NextMatch, said: str) -> None:
        """Answer a turn privately with what was ``said`` of it and with the next match that waits for the user."""
        guild_id = match.delivery.home.guild_id
        card = lists.next_card(
            said,
            match,
            None if guild_id is None else self.servers.get(guild_id),
            place_of(interaction),
            absent=guild_id is None or self.servers.lacks(guild_id),
        )
        await replies.show(interaction, card)

    def _list_match(self, interaction: Interaction, pending: Pending, delivery: MatchDelivery) -> lists.ListedMatch:
        """A running match as a list shows it where the user is."""
        guild_id = pending.match.guild_id
        return lists.list_match(
            pending,
            delivery,
            None if guild_id is None else self.servers.get(guild_id),
            place_of(interaction),
            absent=guild_id is None or self.servers.lacks(guild_id),
            keeps_waiting=self.nudges.keeps_waiting(pending.match),
        )

    async def _boards(self, interaction: Interaction, shown: Sequence[lists.ListedMatch]) -> dict[int, Picture]:
        """Small pictures of the boards, as the user wants to see them."""
        user_id = interaction.user.id
        wishes = await self.settings.preferences(user_id)
        games = [await self.matches.game_of(each.pending.match) for each in shown]
        return await asyncio.to_thread(lists.small_boards, games, wishes, user_id)

    async def _finished(self, interaction: Interaction, player: Player, wanted: MatchFilter, page: int) -> Message:
        place, mine = place_of(interaction), player.id == interaction.user.id
        wanted = replace(wanted, viewer=None if mine else await self.access.viewer_of_lists(interaction))
        found = await self.history.finished(wanted, page, seen_from=place)
        opponents = await self.history.opponents(wanted, _MOST_OPPONENTS, place)
        if wanted.opponent_id is not None and wanted.opponent_id not in {each.id for each in opponents}:
            opponents = [await self.history.player(wanted.opponent_id, place), *opponents[: _MOST_OPPONENTS - 1]]
        reasons = await self.history.reasons(found.matches)
        return lists.history_card(found, reasons, wanted, player, opponents, mine=mine)

    @handles(Nudge)
    async def nudge(self, interaction: Interaction, press: Nudge) -> None:
        delivery = await self.deliveries.get(press.match_id)
        if delivery.channel_id is None:
            raise RefusalError(_("This match is played in no channel where I could remind anybody."))
        match = await self.nudges.nudge(press.match_id, interaction.user.id)
        opponent = match.opponent_of(interaction.user.id)
        with texts.in_language(await self.languages.of_server(match.guild_id)):
            notice = nudge_notice(match, opponent, words.card_link(match.guild_id, delivery.message))
        await self.messenger.show_everybody(delivery.channel_id, notice)
        text = _("I have reminded {player} of match #{match}.")
        await replies.tell(interaction, text.format(player=words.name(opponent), match=match.id))


def nudge_notice(match: Match, player: Player, link: str | None) -> Message:
    """Reminds a player that the opponent is waiting for them."""
    text = _("👋 {player}, {opponent} is waiting for your turn in match #{match}.").format(
        player=words.mention(player), opponent=words.name(match.opponent_of(player.id)), match=match.id
    )
    board = "" if link is None else _("[board]({link})").format(link=link)
    return compose(" ".join(filter(None, [text, board])), pings=(player,))

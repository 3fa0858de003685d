"""``/games``: a player's running matches, nudges to slow opponents, and commands that wait for a choice of match."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import discord
from discord import app_commands
from discord.utils import format_dt

import render
from bot import texts
from bot.discord.interaction.access import Access
from bot.discord.interaction.errors import RefusalError
from bot.discord.interaction.feature import Feature, handles
from bot.discord.interaction.interactions import Interaction, is_computer, place_of, player_of
from bot.discord.interaction.languages import Languages
from bot.discord.posting.cards.match import FindNextMatch
from bot.discord.posting.messenger import Messenger
from bot.discord.transport.answers import Answer
from bot.discord.transport.servers import Servers
from bot.discord.ui import markdown
from bot.discord.ui.actions import (
    OpenGames,
    OpenTurn,
    challenges_button,
    puzzles_button,
    start_button,
    starting_buttons,
)
from bot.discord.ui.markdown import CommandMentions
from bot.discord.ui.match_question import WithMatch, unpack
from bot.discord.ui.messages import ActionButton, Aside, Message, Picture, compose, turners
from bot.discord.ui.presses import Id, OutdatedPressError, Press
from bot.domain.deliveries import MatchDelivery
from bot.domain.matches import Game, Match, NextMatch, Pending, PendingPage
from bot.domain.places import Place
from bot.domain.players import Player
from bot.domain.preferences import Preferences
from bot.pictures import conclusion_of, header_of, private_look
from bot.services.challenges import Challenges
from bot.services.deliveries import Deliveries
from bot.services.history import History
from bot.services.matches import Matches
from bot.services.people.reminders import Nudges
from bot.texts import gettext as _, gettext_noop, ngettext
from bot.wording import words
from bot.wording.quoting import as_markdown
from rules import GAMES, Position

#: Maximum number of matches on a page. A phone shows about two, and Discord takes 40 components and 10 files.
ON_PAGE = 5


class Nudge(Press, action="nudge"):
    match_id: Id


class SkipMatch(Press, action="skip-game"):
    """Offer the next match instead."""

    match_id: Id


class ListRunning(Press, action="games"):
    player_id: Id
    page: int


@dataclass(frozen=True, slots=True)
class ListedMatch:
    """A running match in a list, with its channel, a link to its card, and its server unless that is this one.

    It has no channel while it waits for a place. The viewer can play a ``playable`` match from here, and nudge the
    opponent in a ``nudgeable`` match.
    """

    pending: Pending
    channel_id: int | None
    link: str | None
    server: str | None
    playable: bool = False
    nudgeable: bool = False


@dataclass
class GamesCommand(Feature):
    matches: Matches
    challenges: Challenges
    history: History
    deliveries: Deliveries
    nudges: Nudges
    access: Access
    servers: Servers
    languages: Languages
    messenger: Messenger
    command_mentions: CommandMentions

    @app_commands.command(description=gettext_noop("Running matches and whose turn it is: yours, or a friend's"))
    @app_commands.describe(player=gettext_noop("Whose matches on this server to show; your own by default"))
    async def games(self, interaction: Interaction, player: discord.Member | discord.User | None = None) -> None:
        whose = interaction.user if player is None or is_computer(interaction, player) else player
        await Answer.of(interaction).respond(await self._card(interaction, player_of(whose), 1))

    @handles(OpenGames, FindNextMatch)
    async def open(self, interaction: Interaction, _press: Press) -> None:
        await Answer.of(interaction).follow_up(await self._card(interaction, player_of(interaction.user), 1))

    @handles(ListRunning)
    async def turn_page(self, interaction: Interaction, press: ListRunning) -> None:
        player = await self.history.player(press.player_id, place_of(interaction))
        await Answer.of(interaction).respond(await self._card(interaction, player, press.page))

    async def _card(self, interaction: Interaction, player: Player, page: int) -> Message:
        """A page of the user's matches, wherever they are, or of another player's matches on this server."""
        here, mine = place_of(interaction), player.id == interaction.user.id
        viewer = await self.access.viewer_of_lists(interaction)
        found = await self.history.running_page(
            player.id, page, ON_PAGE, viewer=None if mine else viewer, seen_from=here
        )
        deliveries = await self.deliveries.get_all([pending.match.id for pending in found.matches], player.id)
        listed = []
        for pending in found.matches:
            keeps_waiting = self.nudges.keeps_waiting(pending.match)
            delivery = deliveries[pending.match.id]
            listed.append(list_match(pending, delivery, self.servers, here, keeps_waiting=keeps_waiting))
        games = [await self.matches.game_of(pending.match) for pending in found.matches]
        preferences = await self.languages.load(interaction)
        boards = await asyncio.to_thread(small_boards, games, preferences, interaction.user.id)
        challenges = len(await self.challenges.open_to(viewer)) if mine else 0
        return games_card(found, listed, boards, player, self.command_mentions, mine=mine, challenges=challenges)

    async def offer_next_match(self, interaction: Interaction, match: NextMatch, text: str) -> None:
        """Answer privately with a text, such as the effect of a turn, and the next match that waits for the user."""
        server, playable = _reach(place_of(interaction), match.delivery, self.servers)
        await Answer.of(interaction).respond(next_match_card(text, match, server, playable=playable))

    @handles(SkipMatch)
    async def skip(self, interaction: Interaction, press: SkipMatch) -> None:
        next_match = await self.matches.next_after(press.match_id, player_of(interaction.user))
        if next_match is None:
            await Answer.of(interaction).respond(_("No other match is waiting for you."))
        else:
            skipped = _("You have skipped match #{match}.").format(match=press.match_id)
            await self.offer_next_match(interaction, next_match, skipped)

    @handles(WithMatch)
    async def go_on_with(self, interaction: Interaction, press: WithMatch) -> None:
        """Carry out the command for the chosen match."""
        command = interaction.client.tree.get_command(press.command)
        if not isinstance(command, app_commands.Command):
            raise OutdatedPressError
        options = unpack(command, press.options)
        callback: Any = command.callback
        await callback(command.binding, interaction, match=str(press.match_id), **options)

    @handles(Nudge)
    async def nudge(self, interaction: Interaction, press: Nudge) -> None:
        opponent = (await self.matches.match(press.match_id)).opponent_of(interaction.user.id)
        delivery = await self.deliveries.get(press.match_id, opponent.id)
        if delivery.channel_id is None:
            raise RefusalError(_("This match has no channel, so I cannot remind your opponent."))
        match = await self.nudges.nudge(press.match_id, interaction.user.id)
        with texts.in_language(await self.languages.of_match(match, delivery)):
            notice = nudge_notice(match, opponent, markdown.card_link(delivery.home.guild_id, delivery.message))
        await self.messenger.show_everybody(delivery.channel_id, notice)
        text = _("I have reminded {player} of match #{match}.")
        await Answer.of(interaction).follow_up(text.format(player=words.name(opponent), match=match.id))


def list_match(
    pending: Pending, delivery: MatchDelivery, servers: Servers, here: Place, *, keeps_waiting: bool = False
) -> ListedMatch:
    """A running match for a list here; ``keeps_waiting`` if the opponent has waited long enough for a nudge."""
    match = pending.match
    server, reached = _reach(here, delivery, servers)
    return ListedMatch(
        pending,
        delivery.channel_id,
        markdown.card_link(delivery.home.guild_id, delivery.message),
        server,
        playable=reached and not match.waiting,
        nudgeable=reached and keeps_waiting,
    )


def _reach(here: Place, delivery: MatchDelivery, servers: Servers) -> tuple[str | None, bool]:
    """The name of a match's server unless it is this one, and whether a turn played here can be shown there.

    Where the bot is not a member, it can only show turns that are played in the same channel.
    """
    guild_id = delivery.home.guild_id
    guild = None if guild_id is None else servers.get(guild_id)
    absent = guild_id is None or servers.lacks(guild_id)
    name = None if guild is None or guild.id == here.guild_id else as_markdown(guild.name)
    return name, not absent or delivery.home.channel_id == here.channel_id


def small_boards(games: Iterable[Game], preferences: Preferences, player_id: int) -> dict[int, Picture]:
    """The boards of matches by number, in a player's look. Renders pictures: call it in a thread."""
    return {game.match.id: _small_board(game, private_look(preferences, game, player_id)) for game in games}


def _small_board(game: Game, look: render.Look) -> Picture:
    name = f"{game.match.ruleset.game.name}-{game.match.id}-{game.ply}.png"
    shown = game.position, game.events
    description = render.describe(*shown, conclusion_of(game), look, header_of(game))
    return Picture(name, render.board_thumbnail(*shown, look), description)


def games_card(
    page: PendingPage,
    listed: Sequence[ListedMatch],
    boards: Mapping[int, Picture],
    player: Player,
    command_mentions: CommandMentions,
    *,
    mine: bool,
    challenges: int = 0,
) -> Message:
    """A page of a player's running matches, with their ``boards`` by number; ``mine`` if the player is the viewer.

    ``challenges`` is the number of challenges that the viewer can accept. A viewer for whom no match waits can start
    another one.
    """
    heading = _("### 🎲 Your matches") if mine else _("### 🎲 Matches of {player}").format(player=words.name(player))
    offered = challenges_button(challenges)
    if not listed:
        return compose(heading, _("No match is running."), buttons=(*starting_buttons(), *offered))
    items = [ngettext("{count} match is running", "{count} matches are running", page.total).format(count=page.total)]
    idle = mine and not page.to_play and not page.to_answer
    if not idle:
        text = _("{count} waiting for you") if mine else _("{count} waiting for {player}")
        items.append(text.format(count=page.to_play, player=words.name(player)))
    if page.pages > 1:
        items.append(_("page {number} of {pages}").format(number=page.number, pages=page.pages))
    hint = _("Lost a board? {board} posts it again.").format(board=command_mentions.of("board"))
    return compose(
        heading,
        _("No match is waiting for you.") if idle else "",
        *(_entry(match, boards, player, mine=mine) for match in listed),
        footer=f"{' · '.join(items)}\n-# {hint}",
        buttons=(
            *turners(partial(ListRunning, player.id), page.number, page.pages),
            *((start_button(), puzzles_button()) if idle else ()),
            *offered,
        ),
    )


def next_match_card(text: str, match: NextMatch, server: str | None, *, playable: bool) -> Message:
    """The next match that waits for a player, below a text such as the effect of their turn."""
    link = markdown.card_link(match.delivery.home.guild_id, match.delivery.message)
    items = [_("**your turn**"), *_whereabouts(link, match.delivery.channel_id, server)]
    play = [_play_button(OpenTurn(match.id), _("Next match"))] if playable else []
    buttons = (*play, ActionButton(SkipMatch(match.id), _("Skip")))
    title = _title(match.id, GAMES[match.game], match.opponent)
    return compose(text, Aside(f"🟢 {title}\n-# {' · '.join(items)}", buttons=buttons))


def digest_entry(listed: ListedMatch, boards: Mapping[int, Picture], player: Player) -> Aside:
    """A match that waits for a player, with a button that works even if the board has moved on."""
    return _entry(listed, boards, player, mine=True, press=OpenTurn(listed.pending.match.id))


def _entry(
    listed: ListedMatch,
    boards: Mapping[int, Picture],
    player: Player,
    *,
    mine: bool,
    press: OpenTurn | None = None,
) -> Aside:
    """A match beside its board, with a button to play or to nudge the opponent."""
    match = listed.pending.match
    buttons: tuple[ActionButton, ...] = ()
    if mine and listed.playable and listed.pending.to_act.id == player.id:
        label = _("Play #{match}").format(match=match.id)
        buttons = (_play_button(press or OpenTurn(match.id, match.step), label),)
    elif mine and listed.nudgeable:
        buttons = (ActionButton(Nudge(match.id), _("Nudge #{match}").format(match=match.id), emoji="👋"),)
    return Aside(_status(listed, player, mine=mine), boards.get(match.id), buttons)


def _play_button(press: OpenTurn, label: str) -> ActionButton:
    return ActionButton(press, label, discord.ButtonStyle.primary)


def _status(listed: ListedMatch, player: Player, *, mine: bool) -> str:
    match, awaited = listed.pending.match, listed.pending.to_act
    to_play = listed.pending.awaits(player.id)
    if match.waiting:
        whose = _("waiting for a place")
    elif not to_play:
        whose = _("{player}'s turn").format(player=words.name(awaited))
    else:
        whose = _("**your turn**") if mine else _("**{player}'s turn**").format(player=words.name(awaited))
    asked = mine and any(proposal.proposer.id != player.id for proposal in match.proposals)
    emoji = "🟢" if to_play or asked else "▫️"
    items = [whose, format_dt(listed.pending.since, "R")]
    if asked:
        items.append(_("waiting for **your answer**"))
    if match.turn_due_at is not None:
        items.append(f"⏳ {format_dt(match.turn_due_at, 'R')}")
    if match.is_between_places:
        items.append(_("🌍 from elsewhere"))
    if match.ladder is not None:
        items.append(f"🪜 {words.ladder(match.ruleset.game)}")
    items += _whereabouts(None if match.waiting else listed.link, listed.channel_id, listed.server)
    title = _title(match.id, match.ruleset.game, match.opponent_of(player.id))
    return f"{emoji} {title}\n-# {' · '.join(items)}"


def _title(match_id: int, game: type[Position], opponent: Player) -> str:
    against = _("against {player}").format(player=words.name(opponent))
    return f"**#{match_id}** {game.title} {against}"


def _whereabouts(link: str | None, channel_id: int | None, server: str | None) -> list[str]:
    """The card of a match, or else its channel, and its server unless it is this one."""
    where = None if channel_id is None else markdown.channel(channel_id)
    if link is not None:
        where = _("[card]({link})").format(link=link)
    return [*filter(None, [where, server])]


def nudge_notice(match: Match, player: Player, link: str | None) -> Message:
    """The reminder to a player that the opponent is waiting."""
    text = _("👋 {player}, {opponent} is waiting for your turn in match #{match}.").format(
        player=markdown.mention(player), opponent=words.name(match.opponent_of(player.id)), match=match.id
    )
    board = "" if link is None else _("[card]({link})").format(link=link)
    return compose(" ".join(filter(None, [text, board])), pings=(player,))

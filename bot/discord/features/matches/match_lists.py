"""Lists of matches: those that are running, and those that are over."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import discord
from discord.utils import format_dt

from bot.discord.posting.cards.match import board_picture
from bot.discord.ui import words
from bot.discord.ui.links import (
    ChooseReplay,
    ListChallenges,
    OpenTurn,
    first_steps,
    puzzles_button,
    start_button,
)
from bot.discord.ui.messages import ActionButton, Aside, Menu, Message, Picture, compose, option_menu, turners
from bot.discord.ui.presses import NONE, GameType, Id, Press, chosen
from bot.discord.ui.quoting import as_markdown
from bot.discord.ui.scenes import private_look
from bot.domain.deliveries import MatchDelivery
from bot.domain.matches import Ending, Game, Match, MatchFilter, MatchPage, NextMatch, Pending, PendingPage, Score
from bot.domain.places import Place
from bot.domain.players import Player
from bot.domain.preferences import Preferences
from bot.texts import gettext as _
from bot.texts import gettext_noop, ngettext
from rules import GAMES, Position

#: The most matches on a page: a phone shows about two at a time, and Discord takes 40 components and 10 files.
ON_PAGE = 5
_SCORES = {
    Score.WON: gettext_noop("Won"),
    Score.LOST: gettext_noop("Lost"),
    Score.DRAWN: gettext_noop("Drawn"),
    Score.ABANDONED: gettext_noop("Abandoned"),
}
_SIGNS: dict[str, str] = {Score.WON: "✅", Score.LOST: "❌", Score.DRAWN: "🤝", Score.ABANDONED: "🍂"}
_AGAINST = {
    Score.WON: gettext_noop("won against **{opponent}**"),
    Score.LOST: gettext_noop("lost to **{opponent}**"),
    Score.DRAWN: gettext_noop("drew with **{opponent}**"),
    Score.ABANDONED: gettext_noop("abandoned with **{opponent}**"),
}


class Nudge(Press, action="nudge"):
    match_id: Id


class ListRunning(Press, action="games"):
    player_id: Id
    page: int


@dataclass(frozen=True, slots=True)
class FinishedMatches:
    """The finished matches of a player that a list shows, all or some."""

    player_id: Id
    game: GameType | None
    score: Score | None
    opponent_id: Id | None

    @classmethod
    def of(cls, wanted: MatchFilter) -> FinishedMatches:
        assert wanted.player_id is not None
        game = None if wanted.game is None else GAMES[wanted.game]
        return cls(wanted.player_id, game, wanted.score, wanted.opponent_id)

    @property
    def filter(self) -> MatchFilter:
        game = None if self.game is None else self.game.name
        return MatchFilter(player_id=self.player_id, game=game, score=self.score, opponent_id=self.opponent_id)


class HistoryPress(Press):
    shown: FinishedMatches


class ListFinished(HistoryPress, action="history"):
    page: int


class ChooseScore(HistoryPress, action="history-result"):
    score: Score | None = chosen()


class ChooseOpponent(HistoryPress, action="history-opponent"):
    opponent_id: Id | None = chosen()


@dataclass(frozen=True, slots=True)
class ListedMatch:
    """A running match, with the address of its card and, if it is played on another server, the name of that server.

    ``channel_id`` is the channel that it is played in, None while it waits for one or when it needs none. ``playable``
    if the viewer can play in it from where they are, ``nudgeable`` if they may remind the opponent.
    """

    pending: Pending
    channel_id: int | None
    link: str | None
    server: str | None
    playable: bool = False
    nudgeable: bool = False


def list_match(
    pending: Pending,
    delivery: MatchDelivery,
    guild: discord.Guild | None,
    here: Place,
    *,
    absent: bool,
    keeps_waiting: bool = False,
) -> ListedMatch:
    """A running match as it is listed at a place; ``keeps_waiting`` if it has waited long enough for a nudge.

    The ``guild`` is its server, None if there is none or this process does not know it. Where the bot is ``absent``, it
    shows a turn only by answering.
    """
    match, server = pending.match, _elsewhere(guild, here)
    reached = _is_reached(delivery, here, absent=absent)
    return ListedMatch(
        pending,
        delivery.channel_id,
        words.card_link(match.guild_id, delivery.message),
        server,
        playable=reached and not match.waiting,
        nudgeable=reached and keeps_waiting,
    )


def _elsewhere(guild: discord.Guild | None, here: Place) -> str | None:
    """The name of a server that is another one than here."""
    return None if guild is None or guild.id == here.guild_id else as_markdown(guild.name)


def _is_reached(delivery: MatchDelivery, here: Place, *, absent: bool) -> bool:
    """Whether a turn that somebody makes here can be shown where the match is played."""
    return not absent or delivery.home.channel_id == here.channel_id


def small_boards(games: Iterable[Game], wishes: Preferences, player_id: int) -> dict[int, Picture]:
    """The boards by the numbers of their matches, as a player wants to see them; call it outside the event loop."""
    wishes = replace(wishes, coordinates=False)  # nobody could read them
    return {game.match.id: board_picture(game, private_look(wishes, game, player_id)) for game in games}


def games_card(
    page: PendingPage,
    listed: Sequence[ListedMatch],
    boards: Mapping[int, Picture],
    player: Player,
    *,
    mine: bool,
    challenges: int = 0,
) -> Message:
    """A page of the running matches of a player, as they are ``listed``; ``mine`` if that is the viewer.

    ``boards`` are the pictures of these matches, by number; ``challenges`` is the number of those that the
    viewer may accept. When nothing waits for the viewer, they can start something else.
    """
    heading = _("### 🎲 Your matches") if mine else _("### 🎲 Matches of {player}").format(player=words.name(player))
    offered = (
        []
        if not challenges
        else [ActionButton(ListChallenges(1), _("Open challenges: {count}").format(count=challenges), emoji="⚔️")]
    )
    if not listed:
        return compose(heading, _("Nothing is running."), buttons=(*first_steps(), *offered))
    count = ngettext("{count} match is running", "{count} matches are running", page.total).format(count=page.total)
    for_whom = _("{count} waiting for you") if mine else _("{count} waiting for {player}")
    idle = mine and not page.waiting and not page.asked
    parts = [count] if idle else [count, for_whom.format(count=page.waiting, player=words.name(player))]
    if page.pages > 1:
        parts.append(_("page {number} of {pages}").format(number=page.number, pages=page.pages))
    return compose(
        heading,
        _("No match is waiting for you.") if idle else "",
        *(_with_board(each, boards, player, mine=mine) for each in listed),
        footer="{}\n-# {}".format(
            " · ".join(parts), _("Is a board gone? {board} posts it again.").format(board=words.command("board"))
        ),
        buttons=(
            *turners(partial(ListRunning, player.id), page.number, page.pages),
            *((start_button(), puzzles_button()) if idle else ()),
            *offered,
        ),
    )


def next_card(said: str, match: NextMatch, guild: discord.Guild | None, here: Place, *, absent: bool) -> Message:
    """What a player's turn did, and the next match that waits for them, as :func:`list_match` lists it."""
    delivery, parts = match.delivery, [_("**your turn**")]
    link = words.card_link(delivery.home.guild_id, delivery.message)
    parts += _whereabouts(link, delivery.channel_id, _elsewhere(guild, here))
    buttons: tuple[ActionButton, ...] = ()
    if _is_reached(delivery, here, absent=absent):
        buttons = (ActionButton(OpenTurn(match.id), _("Next game"), discord.ButtonStyle.primary),)
    title = _title(match.id, GAMES[match.game], match.opponent)
    return compose(said, Aside(f"🟢 {title}\n-# {' · '.join(parts)}", buttons=buttons))


def digest_entry(listed: ListedMatch, boards: Mapping[int, Picture], player: Player) -> Aside:
    """A match that waits for a player, beside its board. Its button opens the turn, even if the board has moved on."""
    match = listed.pending.match
    buttons: tuple[ActionButton, ...] = ()
    if listed.playable and listed.pending.awaited.id == player.id:
        label = _("Play #{match}").format(match=match.id)
        buttons = (ActionButton(OpenTurn(match.id), label, discord.ButtonStyle.primary),)
    return Aside(_running(listed, player, mine=True), boards.get(match.id), buttons)


def _with_board(listed: ListedMatch, boards: Mapping[int, Picture], player: Player, *, mine: bool) -> Aside:
    """A match beside its board, with the button that opens the turn of a viewer for whom it waits."""
    match = listed.pending.match
    buttons: tuple[ActionButton, ...] = ()
    if mine and listed.playable and listed.pending.awaited.id == player.id:
        press = OpenTurn(match.id, match.step)
        label = _("Play #{match}").format(match=match.id)
        buttons = (ActionButton(press, label, discord.ButtonStyle.primary),)
    elif mine and listed.nudgeable:
        buttons = (ActionButton(Nudge(match.id), _("Nudge #{match}").format(match=match.id), emoji="👋"),)
    return Aside(_running(listed, player, mine=mine), boards.get(match.id), buttons)


def _running(listed: ListedMatch, player: Player, *, mine: bool) -> str:
    match, awaited = listed.pending.match, listed.pending.awaited
    if awaited.id != player.id:
        whose = _("{player}'s turn").format(player=words.name(awaited))
    else:
        whose = _("**your turn**") if mine else _("**{player}'s turn**").format(player=words.name(awaited))
    asked = mine and _asked(listed, player)
    sign = "🟢" if awaited.id == player.id or asked else "▫️"
    parts = [whose, format_dt(listed.pending.since, "R")]
    if asked:
        parts.append(_("**your answer** is awaited"))
    if match.clock is not None and match.clock.flag_at is not None:
        parts.append(f"⏳ {format_dt(match.clock.flag_at, 'R')}")
    if match.waiting:
        parts.append(_("waiting for a place"))
        parts += _whereabouts(None, None, listed.server)
    else:
        parts += _whereabouts(listed.link, listed.channel_id, listed.server)
    title = _title(match.id, match.ruleset.game, match.opponent_of(player.id))
    return f"{sign} {title}\n-# {' · '.join(parts)}"


def _asked(listed: ListedMatch, player: Player) -> bool:
    """Whether a proposal of the opponent waits for the player's answer."""
    return any(each.proposer.id != player.id for each in listed.pending.match.proposals)


def _title(match_id: int, game: type[Position], opponent: Player) -> str:
    against = _("against {player}").format(player=words.name(opponent))
    return f"**#{match_id}** {game.title} {against}"


def _whereabouts(link: str | None, channel_id: int | None, server: str | None) -> list[str]:
    """Where a match is played, in words: its card or its channel, and its server if that is another one."""
    where = []
    if link is not None:
        where.append(_("[board]({link})").format(link=link))
    elif channel_id is not None:
        where.append(words.channel(channel_id))
    return where if server is None else [*where, server]


def history_card(
    page: MatchPage,
    reasons: Mapping[int, str],
    wanted: MatchFilter,
    player: Player,
    opponents: list[Player],
    *,
    mine: bool,
) -> Message:
    """A page of the finished matches that fit, with menus that narrow them down and open a replay.

    ``reasons`` tells why the rules ended a match, by its number.
    """
    assert wanted.player_id == player.id
    heading = _("### 📜 Your finished matches")
    if not mine:
        heading = _("### 📜 Finished matches of {player}").format(player=words.name(player))
    narrowed = any(each is not None for each in (wanted.game, wanted.score, wanted.opponent_id))
    if page.matches:
        said = "\n".join(_finished(match, reasons.get(match.id), player.id) for match in page.matches)
    elif narrowed:
        said = _("No finished match fits.")
    else:
        said = _("None yet.")
    count = ngettext("{count} match", "{count} matches", page.total).format(count=page.total)
    parts = [count, _("page {number} of {pages}").format(number=page.number, pages=page.pages)]
    menus = []
    if page.matches:
        menus.append(_replays(page.matches, player.id))
    if page.matches or narrowed:
        menus.append(_scores(wanted))
        if len(opponents) > 1 or wanted.opponent_id is not None:
            menus.append(_opponents(wanted, opponents))
    return compose(
        heading,
        said,
        footer=" · ".join(parts if page.pages > 1 else parts[:1]) if page.matches else "",
        menus=tuple(menus),
        buttons=turners(partial(ListFinished, FinishedMatches.of(wanted)), page.number, page.pages)
        if page.matches or narrowed
        else first_steps(),
    )


def score_of(match: Match, player_id: int) -> Score:
    """How a finished match ended for one of its players."""
    assert match.result is not None
    if not match.result.counts:
        return Score.ABANDONED
    if match.result.winner_id is None:
        return Score.DRAWN
    return Score.WON if match.result.winner_id == player_id else Score.LOST


def _finished(match: Match, reason: str | None, player_id: int) -> str:
    score = score_of(match, player_id)
    against = _(_AGAINST[score]).format(opponent=words.name(match.opponent_of(player_id)))
    turns = ngettext("{count} turn", "{count} turns", match.ply).format(count=match.ply)
    parts = [f"#{match.id}", turns]
    if match.ended_at is not None:
        parts.append(format_dt(match.ended_at, "d"))
    if match.result is not None and match.result.ending is Ending.RESIGNATION:
        parts.insert(1, _("by resignation"))
    elif reason is not None:
        parts.insert(1, _("by {reason}").format(reason=_(reason)))
    return f"{_SIGNS[score]} {words.terms(match.ruleset)}: {against}\n-# {' · '.join(parts)}"


def _replays(matches: tuple[Match, ...], player_id: int) -> Menu:
    labels = {
        str(match.id): f"#{match.id} {match.ruleset.game.title} · {words.plain_name(match.opponent_of(player_id))}"
        for match in matches
    }
    signs = {str(match.id): _SIGNS[score_of(match, player_id)] for match in matches}
    return option_menu(ChooseReplay(), labels, _("Replay…"), signs=signs)


def _scores(wanted: MatchFilter) -> Menu:
    labels: dict[str, str] = {NONE: _("All results")}
    labels |= {score: _(label) for score, label in _SCORES.items()}
    press = ChooseScore(FinishedMatches.of(wanted))
    return option_menu(press, labels, _("All results"), wanted.score or NONE, signs=_SIGNS)


def _opponents(wanted: MatchFilter, opponents: list[Player]) -> Menu:
    labels = {NONE: _("All opponents"), **{str(each.id): words.plain_name(each) for each in opponents}}
    current = NONE if wanted.opponent_id is None else str(wanted.opponent_id)
    return option_menu(ChooseOpponent(FinishedMatches.of(wanted)), labels, _("All opponents"), current)

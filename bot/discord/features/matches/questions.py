"""Questions before a match ends, and private cards about a running one."""

from __future__ import annotations

import discord

from bot.discord.posting.cards.match import heading, offered, result
from bot.discord.posting.cards.proposal import Propose
from bot.discord.ui import words
from bot.discord.ui.links import Close, OnBoard
from bot.discord.ui.messages import ActionButton, Message, Picture, compose
from bot.discord.ui.scenes import footer
from bot.domain.matches import Game, Match
from bot.domain.players import Player
from bot.domain.proposals import ProposalKind
from bot.texts import gettext as _


class ConfirmResignation(OnBoard, action="resign-now"):
    pass


class EndMatch(OnBoard, action="end-match"):
    """Ends a match of others, as a moderator."""


def nudge_notice(match: Match, player: Player, link: str | None) -> Message:
    """Reminds a player that the opponent is waiting for them."""
    text = _("👋 {player}, {opponent} is waiting for your turn in match #{match}.").format(
        player=words.mention(player), opponent=words.name(match.opponent_of(player.id)), match=match.id
    )
    board = "" if link is None else _("[board]({link})").format(link=link)
    return compose(" ".join(filter(None, [text, board])), pings=(player,))


def private_board(game: Game, board: Picture, link: str | None, buttons: tuple[ActionButton, ...] = ()) -> Message:
    """A copy of the board for somebody who only looks."""
    if game.match.result is not None:
        status = result(game)
    else:
        awaited = game.to_act
        assert awaited is not None
        status = _("{player} to play.").format(player=words.name(awaited))
    where = _("[Jump to the match]({link})").format(link=link) if link else ""
    return compose(
        heading(game),
        words.last_turn(game),
        status,
        where,
        picture=board,
        footer=footer(game),
        buttons=buttons,
    )


def resign_question(game: Game, player_id: int) -> Message:
    """Asks the player whether they mean to give the match up, and what else may end it."""
    match = game.match
    gentler = []
    if not match.waiting:
        label = _("Accept the draw") if offered(match, ProposalKind.DRAW, player_id) else _("Offer a draw")
        gentler.append(ActionButton(Propose(match.id, game.step, ProposalKind.DRAW), label))
    footer = _("Both players have to agree to abandon a match.")
    if match.rated:
        footer = _("An abandoned match does not count; both players have to agree.")
    label = _("Agree to abandon") if offered(match, ProposalKind.ABANDON, player_id) else _("Propose to abandon")
    if match.computer is not None:
        footer, label = _("If you abandon the match, nobody wins."), _("Abandon")
    gentler.append(ActionButton(Propose(match.id, game.step, ProposalKind.ABANDON), label))
    return compose(
        _("Resign match #{match}? **{opponent}** wins.").format(
            match=match.id, opponent=words.name(match.opponent_of(player_id))
        ),
        footer=footer,
        buttons=(
            ActionButton(ConfirmResignation(match.id, game.step), _("Yes, resign"), discord.ButtonStyle.danger),
            *gentler,
            ActionButton(Close(), _("Keep playing")),
        ),
    )


def end_question(match: Match) -> Message:
    """Asks a moderator whether they mean to end a match of others."""
    return compose(
        _(
            "You are not playing in match #{match}: it is {players}. As a moderator, you can end it if it is stuck. "
            "Nobody wins then, and it does not count."
        ).format(match=match.id, players=words.versus(match)),
        buttons=(
            ActionButton(EndMatch(match.id, match.step), _("End this match"), discord.ButtonStyle.danger),
            ActionButton(Close(), _("Leave it alone")),
        ),
    )

"""The card of a match: the board, the last turn, and whose decision is awaited."""

from __future__ import annotations

import discord

import render
from bot.cards import words
from bot.cards.post import ActionButton, Picture, Post, Press, compose
from bot.matches.model import Ending, Game, Player
from bot.texts import current, later
from bot.texts import gettext as _
from rules import PASS, Phase, Side

#: By what a player's decision ends a match.
_DECIDED = {Ending.RESIGNATION: later("resignation")}
_COLOURS = {None: 0x5B8C3E, Side.FIRST: 0x2F5A2B, Side.SECOND: 0xA9D66B}


def board_picture(game: Game, look: render.Look, *, draw: bool = True) -> Picture:
    """The picture of the board; drawing takes a while, so call it outside the event loop's thread."""
    match = game.match
    result, decided = match.result, None
    if result is not None and result.ending is not Ending.RULES:
        winner = None if result.winner_id is None else game.side_of(result.winner_id)
        decided = render.Ending(winner, _DECIDED[result.ending])
    shown = (game.position, game.events, decided, look)
    return Picture(
        f"{match.ruleset.game.name}-{match.id}-{game.ply}.png",
        render.picture(*shown) if draw else None,
        render.describe(*shown),
    )


def match_card(game: Game, board: Picture, *, quiet: bool = False) -> Post:
    """The live card; it pings the player whose decision is awaited, unless ``quiet``."""
    if game.match.result is not None:
        return _final_card(game, board, quiet=quiet)
    awaited = game.to_act
    assert awaited is not None
    return compose(
        _heading(game),
        words.last_turn(game),
        _request(game),
        picture=board,
        footer=footer(game),
        buttons=_buttons(game),
        colour=_COLOURS[game.position.to_play],
        pings=() if quiet else (awaited,),
    )


def past_card(game: Game) -> Post:
    """What stays of a card after the next turn: its picture and its turn, without buttons."""
    board = board_picture(game, render.Look(texts=current()), draw=False)
    return compose(words.last_turn(game) or _heading(game), picture=board)


def _final_card(game: Game, board: Picture, *, quiet: bool) -> Post:
    """The end; it pings the player who did not bring it about, for they may not be looking."""
    result = game.match.result
    assert result is not None
    if result.ending is Ending.RESIGNATION and result.winner_id is not None:
        other = next(player for player in game.match.players if player.id == result.winner_id)
    else:
        assert game.last_player is not None
        other = game.match.opponent_of(game.last_player.id)
    return compose(
        _heading(game),
        f"🏆 {words.ended(game)}",
        words.last_turn(game),
        picture=board,
        footer=f"{_again(other)} · {footer(game)}",
        pings=() if quiet else (other,),
    )


def _again(player: Player) -> str:
    return _("{player}, again? {challenge}").format(player=words.mention(player), challenge=words.command("challenge"))


def private_board(game: Game, board: Picture, link: str | None) -> Post:
    """A copy of the board for somebody who only looks."""
    if game.match.result is not None:
        status = f"🏆 {words.ended(game)}"
    else:
        awaited = game.to_act
        assert awaited is not None
        status = _("{player} to play.").format(player=words.name(awaited))
    where = _("[Jump to the match]({link})").format(link=link) if link else ""
    return compose(_heading(game), words.last_turn(game), status, where, picture=board, footer=footer(game))


def _heading(game: Game) -> str:
    return f"### 🍃 {game.match.ruleset.game.title} · {words.versus(game.match)}"


def footer(game: Game) -> str:
    """Which match this is, and of which game."""
    number = _("Match #{match}").format(match=game.match.id)
    return f"{number} · {words.terms(game.match.ruleset)}"


def _request(game: Game) -> str:
    awaited = game.to_act
    assert awaited is not None
    player, ruleset = words.mention(awaited), game.match.ruleset
    move = words.command("move")
    match game.position.phase:
        case Phase.OPENING:
            piece = _(_OPENINGS.get(ruleset.game.name, _ANY_OPENING)).format(side=words.side(ruleset, Side.FIRST))
            request = _("{player}, open with {move} or **Play**: {piece}. {other} then picks a side.").format(
                player=player, move=move, piece=piece, other=words.name(game.match.second)
            )
            goal = words.goal(ruleset)
            return f"{request}\n-# {goal}" if goal else request
        case Phase.CHOICE:
            dark, light = (words.side(ruleset, side) for side in Side)
            return _(
                "{player}, choose your side: **{first}** (the stone on the board) or **{second}** (plays next)."
            ).format(player=player, first=dark, second=light)
    side = words.side(ruleset, game.position.turn_of)
    if game.position.draft().steps == (PASS,):
        return _("{player} ({side}) has no legal placement: press Pass.").format(player=player, side=side)
    return _("{player} ({side}) to play: {move}, or press **Play**").format(player=player, side=side, move=move)


_ANY_OPENING = later("a {side} stone anywhere")
_OPENINGS = {
    "dendria": later("a {side} Seed anywhere"),
    "nadraz": later("an egg of each side anywhere but on the edge"),
}


def _buttons(game: Game) -> tuple[ActionButton, ...]:
    match, position = game.match, game.position
    buttons = []
    if position.phase is Phase.CHOICE:
        buttons += [
            ActionButton.make(
                Press("turn", match.id, game.step, match.ruleset.game.sides[side]),
                _("Play {side}").format(side=words.side(match.ruleset, side)),
                discord.ButtonStyle.primary,
            )
            for side in Side
        ]
    else:
        steps = position.draft().steps
        if steps != (PASS,):
            buttons.append(
                ActionButton.make(Press("play", match.id, game.step), _("Play"), discord.ButtonStyle.primary)
            )
            buttons.append(ActionButton.make(Press("type", match.id, game.step), _("Type it")))
        if PASS in steps:
            style = discord.ButtonStyle.primary if steps == (PASS,) else discord.ButtonStyle.secondary
            buttons.append(ActionButton.make(Press("turn", match.id, game.step, PASS), _("Pass"), style))
    buttons.append(ActionButton.make(Press("resign", match.id, game.step), _("Resign")))
    return tuple(buttons)


def resign_question(game: Game, player_id: int) -> Post:
    """Asks the player whether they mean to give the match up."""
    match = game.match
    return compose(
        _("Resign match #{match}? **{opponent}** wins.").format(
            match=match.id, opponent=words.name(match.opponent_of(player_id))
        ),
        buttons=(
            ActionButton.make(Press("resign-now", match.id, game.step), _("Yes, resign"), discord.ButtonStyle.danger),
            ActionButton.make(Press("keep-playing", match.id, game.step), _("Keep playing")),
        ),
    )

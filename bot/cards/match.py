"""The card of a match: the board, the last turn, and whose decision is awaited."""

from __future__ import annotations

import discord

import render
from bot.cards import words
from bot.cards.clock import clock_line, clock_of, time_button
from bot.cards.post import ActionButton, Picture, Post, Press, compose
from bot.matches.model import Ending, Game, Player
from bot.texts import current, later
from bot.texts import gettext as _
from rules import PASS, Phase, Side

#: By what a player's decision ends a match.
_DECIDED = {Ending.RESIGNATION: later("resignation"), Ending.TIME: later("time")}
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
        clock_line(game.match),
        picture=board,
        footer=_footer(game),
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
    elif result.ending is Ending.TIME:
        assert game.match.clock is not None
        other = game.match.players[game.match.clock.seat]
    else:
        assert game.last_player is not None
        other = game.match.opponent_of(game.last_player.id)
    return compose(
        _heading(game),
        f"🏆 {words.ended(game)}",
        words.last_turn(game),
        picture=board,
        footer=f"{_again(other)} · {_footer(game)}",
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
    return compose(_heading(game), words.last_turn(game), status, where, picture=board, footer=_footer(game))


def _heading(game: Game) -> str:
    return f"### 🍃 {game.match.ruleset.game.title} · {words.versus(game.match)}"


def _footer(game: Game) -> str:
    number = _("Match #{match}").format(match=game.match.id)
    return " · ".join(filter(None, [number, words.terms(game.match.ruleset), clock_of(game)]))


def _request(game: Game) -> str:
    awaited = game.to_act
    assert awaited is not None
    player, ruleset = words.mention(awaited), game.match.ruleset
    move = words.command("move")
    match game.position.phase:
        case Phase.OPENING:
            request = _("{player}, open with {move}: a {side} stone anywhere. {other} then picks a side.").format(
                player=player, move=move, side=words.side(ruleset, Side.FIRST), other=words.name(game.match.second)
            )
            return f"{request}\n-# {words.goal(ruleset)}"
        case Phase.CHOICE:
            dark, light = (words.side(ruleset, side) for side in Side)
            return _(
                "{player}, choose your side: **{first}** (the stone on the board) or **{second}** (plays next)."
            ).format(player=player, first=dark, second=light)
    side = words.side(ruleset, game.position.turn_of)
    if game.position.legal_turns == (PASS,):
        return _("{player} ({side}) has no legal placement: press Pass.").format(player=player, side=side)
    return _("{player} ({side}) to play: {move}").format(player=player, side=side, move=move)


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
    elif PASS in position.legal_turns:
        buttons.append(
            ActionButton.make(Press("turn", match.id, game.step, PASS), _("Pass"), discord.ButtonStyle.primary)
        )
    buttons.append(ActionButton.make(Press("resign", match.id, game.step), _("Resign")))
    buttons += time_button(match)
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

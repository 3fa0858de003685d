"""Words that several cards and answers share."""

from __future__ import annotations

from discord import utils

from bot.matches.model import Ending, Game, Match, Player
from rules import Event, Flipped, Passed, Ruleset, Side, SideChosen

SIDE_MARKS = {Side.FIRST: "⚫", Side.SECOND: "⚪"}


def name(player: Player) -> str:
    """The player's name, so that nothing in it is read as formatting or a mention."""
    return utils.escape_mentions(utils.escape_markdown(player.name))


def mention(player: Player) -> str:
    return f"<@{player.id}>"


def channel(channel_id: int) -> str:
    return f"<#{channel_id}>"


def side(ruleset: Ruleset, which: Side) -> str:
    return ruleset.game.sides[which].title()


def terms(ruleset: Ruleset) -> str:
    """The game with its size, and its variant when it is not the standard one."""
    variant = "" if ruleset.variant == ruleset.game.variants[0] else f", variant *{ruleset.variant}*"
    return f"{ruleset.game.title}, size {ruleset.size}{variant}"


def versus(match: Match) -> str:
    return f"{name(match.first)} vs {name(match.second)}"


def effect(events: tuple[Event, ...]) -> str:
    """What a turn does beyond placing its stone, such as ``flips 7``; empty when it does nothing more."""
    mover = next((event.side for event in events if not isinstance(event, Flipped)), None)
    flips = losses = 0
    for event in events:
        if isinstance(event, Flipped):
            if event.side is mover:
                flips += len(event.cells)
            else:
                losses += len(event.cells)
    parts = [f"flips {flips}"] * bool(flips) + [f"loses {losses}"] * bool(losses)
    return ", ".join(parts)


def last_turn(game: Game) -> str:
    """Who made the last turn, and what it did; empty before the opening."""
    player = game.last_player
    if player is None:
        return ""
    ruleset = game.match.ruleset
    first, *_ = game.events
    if isinstance(first, SideChosen):
        return f"{name(player)} chose **{side(ruleset, first.side)}**."
    if game.ply == 1:
        return f"{name(player)} opened with **{game.turns[0]}**."
    verb = "passed" if isinstance(first, Passed) else f"played **{game.turns[-1]}**"
    did = effect(game.events)
    return f"{name(player)} ({side(ruleset, first.side)}) {verb}{f' · {did}' if did else ''}."


def ended(game: Game) -> str:
    """The result of a match that is over, and its reason."""
    result = game.match.result
    assert result is not None
    if result.winner_id is None:
        return "The game is a draw."
    winner = next(player for player in game.match.players if player.id == result.winner_id)
    loser = game.match.opponent_of(result.winner_id)
    won_by = game.side_of(winner.id)
    shown = f"**{name(winner)}**" + ("" if won_by is None else f" ({side(game.match.ruleset, won_by)})")
    if result.ending is Ending.RESIGNATION:
        return f"{shown} wins: {name(loser)} resigned."
    assert game.outcome is not None
    return f"{shown} wins by {game.outcome.reason}."

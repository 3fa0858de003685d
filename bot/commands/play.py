"""``/move``, ``/pass``, ``/resign`` and ``/board``: everything that happens on a board."""

from __future__ import annotations

import asyncio
from typing import Any

from discord import app_commands

from bot import replies
from bot.cards import words
from bot.cards.looks import private_look
from bot.cards.match import board_picture, private_board, resign_question
from bot.commands.context import (
    LONGEST_CHOICE,
    MOST_CHOICES,
    Choices,
    Interaction,
    all_matches,
    choice,
    match_number,
    my_matches,
    place_of,
    suggestions,
)
from bot.commands.courtesies import may_moderate, offer_to_void
from bot.commands.places import bring_board
from bot.errors import RefusalError, sentence
from bot.matches.errors import MatchError, NotAPlayerError
from bot.matches.model import Game
from bot.presenter import card_link
from bot.texts import current, later
from bot.texts import gettext as _
from rules import PASS, Event, Placed, SideChosen, TurnError

_MATCH = later("The number of the match, where several fit")


def offered_turns(game: Game, typed: str) -> Choices:
    """The legal turns that begin with what is typed, each with what it would do.

    What is typed whole comes first, then turns that do something, then those near the last stone. When no legal turn
    begins so, the reason for the refusal.
    """
    position = game.position
    wanted = typed.strip().lower()
    last = next((event.cell for event in game.events if isinstance(event, Placed)), position.board.centre)
    turns = []
    for turn in position.legal_turns:
        if turn.startswith(wanted):
            events = position.play(turn)[1]
            did = _described(game, turn, events)
            placed = [event.cell for event in events if isinstance(event, Placed)]
            away = min((position.board.distance(last, cell) for cell in placed), default=0)
            turns.append((turn != wanted, not did, away, f"{turn} · {did}" if did else turn, turn))
    if turns:
        turns.sort(key=lambda each: each[:3])  # and the order of the board where these are equal
        return [choice(label, turn) for *_, label, turn in turns[:MOST_CHOICES]]
    try:
        position.parse(typed)
    except TurnError as error:
        return [refusal(error.told(current()), typed)]
    return []


def _described(game: Game, turn: str, events: tuple[Event, ...]) -> str:
    """What a turn would do; for a side, its name where the turn itself does not say it."""
    for event in events:
        if isinstance(event, SideChosen):
            side = words.side(game.match.ruleset, event.side)
            return "" if side.casefold() == turn else side
    return words.effect(events)


def refusal(reason: str, typed: str) -> app_commands.Choice[str]:
    """A choice that only explains; whoever picks it is told once more."""
    return choice(f"✗ {reason}", typed[:LONGEST_CHOICE] or PASS)


@suggestions
async def turns(interaction: Interaction, typed: str) -> Choices:
    matches = interaction.client.matches
    try:
        number = match_number(getattr(interaction.namespace, "match", None) or None)
        match = await matches.find_match(place_of(interaction), interaction.user.id, number)
    except (MatchError, RefusalError) as error:
        return [refusal(words.plain(sentence(error) or ""), typed)]
    game = await matches.game(match.id)
    awaited = game.to_act
    if awaited is None or awaited.id != interaction.user.id:
        if awaited is None:
            waiting = _("match #{match}: it is over").format(match=match.id)
        else:
            waiting = _("match #{match}: it is {player}'s turn").format(match=match.id, player=awaited.name)
        return [refusal(waiting, typed)]
    return await asyncio.to_thread(offered_turns, game, typed)


@app_commands.command(description=later("Play a turn: a cell, or a side after the opening"))
@app_commands.describe(turn=later("A cell such as e5, or a side"), match=_MATCH)
@app_commands.autocomplete(turn=turns, match=my_matches)
async def move(interaction: Interaction, turn: str, match: str | None = None) -> None:
    await _play(interaction, turn, match)


@app_commands.command(name="pass", description=later("Pass (only when you have no legal placement)"))
@app_commands.describe(match=_MATCH)
@app_commands.autocomplete(match=my_matches)
async def pass_turn(interaction: Interaction, match: str | None = None) -> None:
    await _play(interaction, PASS, match)


@suggestions
async def matches_to_end(interaction: Interaction, current: str) -> Choices:
    """One's own running matches; all of the server for a moderator."""
    return await (all_matches if may_moderate(interaction) else my_matches)(interaction, current)


@app_commands.command(description=later("Give a match up, or end one that is stuck; I ask before it counts"))
@app_commands.describe(match=_MATCH)
@app_commands.autocomplete(match=matches_to_end)
async def resign(interaction: Interaction, match: str | None = None) -> None:
    matches = interaction.client.matches
    try:
        found = await matches.find_match(place_of(interaction), interaction.user.id, match_number(match))
    except NotAPlayerError as error:
        await offer_to_void(interaction, error.match)
        return
    game = await matches.running_game(found.id, interaction.user.id)
    await replies.tell(interaction, resign_question(game, interaction.user.id))


@app_commands.command(description=later("Show the current board again"))
@app_commands.describe(match=later("The number of the match, if it is not the one played here"))
@app_commands.autocomplete(match=all_matches)
async def board(interaction: Interaction, match: str | None = None) -> None:
    client = interaction.client
    found = await client.matches.find_board(place_of(interaction), interaction.user.id, match_number(match))
    if found.result is None and found.has_player(interaction.user.id):
        await bring_board(interaction, found)
        return
    game = await client.matches.game(found.id)
    look = private_look(await client.preferences.preferences(interaction.user.id), game, interaction.user.id)
    picture: Any = await asyncio.to_thread(board_picture, game, look)
    link = None if found.channel_id == interaction.channel_id else card_link(found.home.guild_id, found.card)
    await replies.tell(interaction, private_board(game, picture, link))


async def _play(interaction: Interaction, turn: str, match: str | None) -> None:
    client = interaction.client
    found = await client.matches.find_match(place_of(interaction), interaction.user.id, match_number(match))
    game = await client.matches.play(found.id, interaction.user.id, turn)
    shown = await client.presenter.show_match(found.id)
    if shown.channel_id is None or shown.channel_id == interaction.channel_id:
        await replies.finish(interaction)
    else:
        played = _("Played **{turn}** in match #{match}: {channel}").format(
            turn=game.turns[-1], match=found.id, channel=words.channel(shown.channel_id)
        )
        await replies.tell(interaction, played)

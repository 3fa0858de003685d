"""``/move``, ``/pass``, ``/resign`` and ``/board``: everything that happens on a board."""

from __future__ import annotations

import asyncio
from typing import Any

from discord import app_commands

from bot import replies
from bot.cards import words
from bot.cards.match import board_picture, private_board, resign_question
from bot.commands.context import (
    MOST_CHOICES,
    Choices,
    Interaction,
    choice,
    match_number,
    place_of,
    running_matches,
    suggestions,
)
from bot.errors import RefusalError
from bot.matches.errors import MatchError
from bot.matches.model import Game
from bot.presenter import card_link
from rules import PASS, TurnError

_MATCH = "The number of the match, where several fit"


def offered_turns(game: Game, typed: str) -> Choices:
    """The legal turns that begin with what is typed, each with what it would do; those that do most come first.

    When there is none, the reason for the refusal.
    """
    position = game.position
    wanted = typed.strip().lower()
    turns = []
    for turn in position.legal_turns:
        if turn.startswith(wanted):
            did = words.effect(position.play(turn)[1])
            turns.append((turn != wanted, not did, f"{turn} · {did}" if did else turn, turn))
    if turns:
        turns.sort(key=lambda each: each[:2])  # the order of the board within each kind
        return [choice(label, turn) for *_, label, turn in turns[:MOST_CHOICES]]
    try:
        position.parse(typed)
    except TurnError as error:
        return [choice(f"✗ {error}", typed[:100])]
    return []


@suggestions
async def turns(interaction: Interaction, current: str) -> Choices:
    matches = interaction.client.matches
    try:
        number = match_number(getattr(interaction.namespace, "match", None) or None)
        match = await matches.find_match(place_of(interaction), interaction.user.id, number)
    except (MatchError, RefusalError):
        return []
    game = await matches.game(match.id)
    awaited = game.to_act
    if awaited is None or awaited.id != interaction.user.id:
        waiting = "The match is over" if awaited is None else f"It is {awaited.name}'s turn"
        return [choice(waiting, current or PASS)]
    return await asyncio.to_thread(offered_turns, game, current)


@app_commands.command(description="Play a turn: a cell such as e5, or a side after the opening")
@app_commands.describe(turn="Your turn; type a few letters to see what is legal", match=_MATCH)
@app_commands.autocomplete(turn=turns, match=running_matches)
async def move(interaction: Interaction, turn: str, match: str | None = None) -> None:
    await _play(interaction, turn, match)


@app_commands.command(name="pass", description="Pass, when the rules let you or make you")
@app_commands.describe(match=_MATCH)
@app_commands.autocomplete(match=running_matches)
async def pass_turn(interaction: Interaction, match: str | None = None) -> None:
    await _play(interaction, PASS, match)


@app_commands.command(description="Give a match up; I ask before it counts")
@app_commands.describe(match=_MATCH)
@app_commands.autocomplete(match=running_matches)
async def resign(interaction: Interaction, match: str | None = None) -> None:
    matches = interaction.client.matches
    found = await matches.find_match(place_of(interaction), interaction.user.id, match_number(match))
    await replies.tell(interaction, resign_question(await matches.resignable(found.id, interaction.user.id)))


@app_commands.command(description="Show the current board again")
@app_commands.describe(match="The number of the match, if it is not the one played here")
@app_commands.autocomplete(match=running_matches)
async def board(interaction: Interaction, match: str | None = None) -> None:
    client = interaction.client
    found = await client.matches.find_board(place_of(interaction), interaction.user.id, match_number(match))
    if found.result is None and found.has_player(interaction.user.id):
        # A player gets the live card anew, with its buttons, where the match is played.
        await client.storage.request_match_card(found.id)
        shown = await client.presenter.show_match(found.id, quiet=True)
        if shown.channel_id is None:
            await replies.tell(interaction, f"Match #{found.id} waits until the match that is running here has ended.")
        elif shown.channel_id == interaction.channel_id:
            await replies.finish(interaction)
        else:
            await replies.tell(interaction, f"The board is in {words.channel(shown.channel_id)}.")
        return
    game = await client.matches.game(found.id)
    picture: Any = await asyncio.to_thread(board_picture, game)
    link = card_link(found.home.guild_id, found.card)
    await replies.tell(interaction, private_board(game, picture, link))


async def _play(interaction: Interaction, turn: str, match: str | None) -> None:
    client = interaction.client
    found = await client.matches.find_match(place_of(interaction), interaction.user.id, match_number(match))
    await client.matches.play(found.id, interaction.user.id, turn)
    await client.presenter.show_match(found.id)
    await replies.finish(interaction)

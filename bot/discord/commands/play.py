"""``/move``, ``/pass``, ``/resign`` and ``/board``: everything that happens on a board."""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress

from discord import app_commands

from bot.discord import replies
from bot.discord.access import viewer_of
from bot.discord.cards import words
from bot.discord.cards.match import resign_question
from bot.discord.cards.turn_builder import LONGEST_TURN, without_last_step
from bot.discord.commands.proposals import offer_to_void
from bot.discord.commands.turn_builder import submit
from bot.discord.errors import RefusalError, sentence
from bot.discord.interactions import (
    LONGEST_CHOICE,
    MOST_CHOICES,
    Choices,
    Interaction,
    Typed,
    choice,
    match_number,
    suggestions,
)
from bot.discord.match_choices import matches_to_end, my_matches
from bot.domain.errors import MatchError, NotAPlayerError
from bot.domain.matches import Game
from bot.texts import gettext as _
from bot.texts import gettext_noop, translations
from rules import PASS, Draft, Phase, Placed, Position, SideChosen, TurnError, tidy

_MATCH = gettext_noop("The number of the match, where several fit")


def offered_turns(game: Game, typed: str) -> Choices:
    """What may follow or complete what is typed, each with what it would do.

    What is typed whole comes first, then turns that do something, then those near the last stone. When no legal turn
    begins so, the reason for the refusal.
    """
    position = game.position
    wanted = tidy(typed)
    last = next((event.cell for event in game.events if isinstance(event, Placed)), position.board.centre)

    def away(text: str) -> int:
        cell = position.board.find(re.split("[-+*,]", text)[-1])
        return 0 if cell is None else position.board.distance(last, cell)

    texts = sorted(_beginning(position, wanted), key=lambda text: (text != wanted, away(text)))
    if position.phase is Phase.OPENING:
        del texts[MOST_CHOICES:]  # no opening does anything, so there is no need to look at all of them
    offered = []
    for draft in map(position.draft, texts):
        did = _described(game, draft)
        label = " · ".join(filter(None, [draft.text, did, "" if draft.complete else _("goes on …")]))
        offered.append((draft.text != wanted, not did, away(draft.text), label, draft.text))
    if offered:
        offered.sort(key=lambda each: each[:3])  # and the order of the board where these are equal
        return [choice(label, turn) for *_rank, label, turn in offered[:MOST_CHOICES] if len(turn) <= LONGEST_CHOICE]
    try:
        position.draft(wanted)
    except TurnError as error:
        return [refusal(error.translate(translations()), typed)]
    return []


def _beginning(position: Position, wanted: str) -> list[str]:
    """The turns and parts of turns that begin with what is typed, up to the next step."""
    texts: dict[str, None] = {}
    for begun in dict.fromkeys([without_last_step(wanted), wanted]):
        with suppress(TurnError):
            draft = position.draft(begun)
            if begun == wanted and begun:
                texts[draft.text] = None
            texts |= dict.fromkeys(begun + step for step in draft.steps if (begun + step).startswith(wanted))
    return list(texts)


def _described(game: Game, draft: Draft) -> str:
    """What a turn would do; for a side, its name where the turn itself does not say it."""
    for event in draft.events:
        if isinstance(event, SideChosen):
            side = words.side(game.match.ruleset, event.side)
            return "" if side.casefold() == draft.text else side
    return words.effect(draft.events)


def refusal(reason: str, typed: str) -> app_commands.Choice[str]:
    """A choice that only explains; whoever picks it is told once more."""
    return choice(f"✗ {reason}", typed[:LONGEST_CHOICE] or PASS)


@suggestions
async def turns(interaction: Interaction, typed: str) -> Choices:
    matches = interaction.client.matches
    try:
        number = match_number(getattr(interaction.namespace, "match", None) or None)
        match = await matches.find_match(viewer_of(interaction), number)
    except (MatchError, RefusalError) as error:
        return [refusal(words.plain(sentence(error) or ""), typed)]
    game = await matches.game(match.id)
    awaited = game.to_act
    if awaited is None or awaited.id != interaction.user.id:
        if awaited is None:
            waiting = _("match #{match}: it is over").format(match=match.id)
        else:
            waiting = _("match #{match}: it is {player}'s turn").format(
                match=match.id, player=words.plain_name(awaited)
            )
        return [refusal(waiting, typed)]
    return await asyncio.to_thread(offered_turns, game, typed)


@app_commands.command(description=gettext_noop("Play a turn: a cell, or a side after the opening"))
@app_commands.describe(turn=gettext_noop("A cell such as e5, or a side"), match=_MATCH)
@app_commands.autocomplete(turn=turns, match=my_matches)
async def move(
    interaction: Interaction, turn: app_commands.Range[str, 1, LONGEST_TURN], match: Typed | None = None
) -> None:
    found = await interaction.client.matches.find_match(viewer_of(interaction), match_number(match))
    await submit(interaction, found.id, turn)


@app_commands.command(name="pass", description=gettext_noop("Pass, where the rules of the game allow it"))
@app_commands.describe(match=_MATCH)
@app_commands.autocomplete(match=my_matches)
async def pass_turn(interaction: Interaction, match: Typed | None = None) -> None:
    found = await interaction.client.matches.find_match(viewer_of(interaction), match_number(match))
    await submit(interaction, found.id, PASS)


@app_commands.command(description=gettext_noop("Give a match up, or end one that is stuck; I ask before it counts"))
@app_commands.describe(match=_MATCH)
@app_commands.autocomplete(match=matches_to_end)
async def resign(interaction: Interaction, match: Typed | None = None) -> None:
    matches = interaction.client.matches
    try:
        found = await matches.find_match(viewer_of(interaction), match_number(match))
    except NotAPlayerError as error:
        await offer_to_void(interaction, error.match)
        return
    game = await matches.running_game(found.id, interaction.user.id)
    await replies.tell(interaction, resign_question(game, interaction.user.id))

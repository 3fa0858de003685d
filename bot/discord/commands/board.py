"""``/board`` and ``/try``: the board as it is, with marks on request, and as it could become."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from discord import app_commands

import render
from bot.discord import replies
from bot.discord.access import may_overrule, viewer_of
from bot.discord.cards.match import board_picture, private_board
from bot.discord.cards.privacy import void_button
from bot.discord.cards.replay import LONGEST_LINE, tried_card
from bot.discord.cards.scenes import private_look
from bot.discord.commands.moving import bring_board
from bot.discord.commands.play import offered_turns, refusal
from bot.discord.commands.replay import match_to_look_at
from bot.discord.errors import RefusalError, sentence
from bot.discord.interactions import LONGEST_CHOICE, Choices, Interaction, Typed, choice, match_number, suggestions
from bot.discord.match_choices import all_matches, any_match
from bot.discord.messages import Message, Picture, Press
from bot.discord.presenter import card_link
from bot.discord.quoting import as_markdown
from bot.domain.matches import Game, Match
from bot.texts import gettext as _
from bot.texts import gettext_noop, translations
from rules import TurnError
from rules.notation import tidy

_MOST_TRIED = 40


@suggestions
async def overlays(interaction: Interaction, typed: str) -> Choices:
    match = await _board_meant(interaction, interaction.namespace.match or None)
    titles = _titles(match)
    return [choice(title, name) for name, title in titles.items() if typed.strip().casefold() in title.casefold()]


@suggestions
async def cells(interaction: Interaction, typed: str) -> Choices:
    match = await _board_meant(interaction, interaction.namespace.match or None)
    on = match.ruleset.board
    return [choice(name, name) for name in on.names(on.mask) if name.startswith(typed.strip().lower())]


@app_commands.command(description=gettext_noop("Show the current board again, with marks if you like"))
@app_commands.describe(
    match=gettext_noop("The number of the match, if it is not the one played here"),
    overlay=gettext_noop("What to mark on the board, for you alone"),
    cell=gettext_noop("Mark only what has to do with this cell"),
)
@app_commands.autocomplete(match=all_matches, overlay=overlays, cell=cells)
async def board(
    interaction: Interaction, match: Typed | None = None, overlay: Typed | None = None, cell: Typed | None = None
) -> None:
    client = interaction.client
    found = await _board_meant(interaction, match)
    if overlay is None and cell is not None:
        named = as_markdown(cell[:20])
        raise RefusalError(_("Say with `overlay` what to mark about “{cell}”.").format(cell=named))
    if overlay is None and found.result is None and found.has_player(interaction.user.id):
        await bring_board(interaction, found)
        return
    game = await client.matches.game(found.id)
    name = None if overlay is None else _overlay(found, overlay)
    about = None if cell is None else game.position.named(tidy(cell))
    look = private_look(await client.preferences.preferences(interaction.user.id), game, interaction.user.id)
    picture = await asyncio.to_thread(board_picture, game, look, overlay=name, cell=about)
    link = None if found.channel_id == interaction.channel_id else card_link(found.home.guild_id, found.card)
    marked = "" if name is None else _titles(found)[name]
    if about is not None:
        marked = f"{marked} · {game.position.board.name(about)}"
    counts = found.result is not None and found.result.counts
    buttons = (void_button(found.id),) if counts and await may_overrule(interaction, found) else ()
    await replies.tell(interaction, private_board(game, picture, link, marked, buttons))


async def _board_meant(interaction: Interaction, match: str | None) -> Match:
    return await interaction.client.matches.find_board(viewer_of(interaction), match_number(match))


def _titles(match: Match) -> dict[str, str]:
    """The overlays of the match's game, each in words."""
    titles = render.overlay_titles(match.ruleset.game)
    return {name: _(title)[:1].upper() + _(title)[1:] for name, title in titles.items()}


def _overlay(match: Match, typed: str) -> str:
    """The overlay that was picked, or whose title was typed."""
    titles = _titles(match)
    for name, title in titles.items():
        if typed.strip().casefold() in (name, title.casefold()):
            return name
    raise RefusalError(
        _("{game} has no such marks. There are: {overlays}.").format(
            game=match.ruleset.game.title, overlays=", ".join(titles.values())
        )
    )


@suggestions
async def lines(interaction: Interaction, typed: str) -> Choices:
    """The turns typed so far, each with one that may follow."""
    after = interaction.namespace.after
    start = await _start(interaction, interaction.namespace.match or None, after if isinstance(after, int) else None)
    return await asyncio.to_thread(_following, start, typed)


@app_commands.command(
    name="try", description=gettext_noop("Try turns on a board of your own: nobody sees it, nothing is played")
)
@app_commands.describe(
    turns=gettext_noop("Turns with spaces between them, yours and those of your opponent"),
    match=gettext_noop("The number of the match, if it is not the one played here"),
    after=gettext_noop("Begin after this turn of the match, not after the last one"),
)
@app_commands.autocomplete(turns=lines, match=any_match)
async def try_turns(
    interaction: Interaction,
    turns: app_commands.Range[str, 1, LONGEST_LINE],
    match: Typed | None = None,
    after: app_commands.Range[int, 0, 10_000] | None = None,
) -> None:
    await replies.tell(interaction, await _trial(interaction, await _start(interaction, match, after), turns))


async def try_again(interaction: Interaction, press: Press) -> None:
    """Tries what was filled in, on the card that showed the turns before."""
    start = await _start(interaction, str(press.subject), press.step)
    await replies.replace(interaction, await _trial(interaction, start, press.values[0]))


async def _trial(interaction: Interaction, start: Game, turns: str) -> Message:
    wanted = tidy(turns).split()
    if len(wanted) > _MOST_TRIED:
        raise RefusalError(_("That is a lot: I try up to {count} turns at once.").format(count=_MOST_TRIED))
    client, user = interaction.client, interaction.user
    look = private_look(await client.preferences.preferences(user.id), start, user.id)

    def try_out() -> tuple[list[Game], TurnError | None, Picture]:
        tried, error = _tried(start, wanted)
        return tried, error, board_picture(tried[-1], look)

    tried, error, picture = await asyncio.to_thread(try_out)
    refused = ""
    if error is not None:
        refused = f"**{as_markdown(wanted[len(tried) - 1][:40])}** – {sentence(error)}"
    return tried_card(tried, refused, picture, None if error is None else error.rule)


async def _start(interaction: Interaction, match: str | None, after: int | None) -> Game:
    """The match after so many turns, or all, as if nobody had ended it."""
    matches = interaction.client.matches
    found = await match_to_look_at(interaction, match)
    return await matches.game_at(found, found.ply if after is None else after)


def _tried(start: Game, turns: list[str]) -> tuple[list[Game], TurnError | None]:
    """The games after none, one and more of the turns, until one is refused; and why."""
    tried = [start]
    for turn in turns:
        game = tried[-1]
        try:
            played = game.position.parse(turn)
            position, events = game.position.play(played)
        except TurnError as error:
            return tried, error
        tried.append(replace(game, turns=(*game.turns, played), position=position, events=events))
    return tried, None


def _following(start: Game, typed: str) -> Choices:
    *before, begun = tidy(typed).split() if typed.strip() and not typed.endswith(" ") else [*tidy(typed).split(), ""]
    tried, error = _tried(start, before)
    if error is not None:
        return [refusal(error.translate(translations()), typed)]
    line = "".join(f"{turn} " for turn in tried[-1].turns[start.ply :])
    offered = offered_turns(tried[-1], begun)
    return [
        refusal(each.name.removeprefix("✗ "), typed)
        if each.name.startswith("✗")
        else choice(f"{line}{each.name}", f"{line}{each.value}")
        for each in offered
        if len(line) + len(each.value) <= LONGEST_CHOICE
    ]

"""``/rules``: the rule pages, leaf by leaf."""

from __future__ import annotations

import asyncio

from discord import app_commands

import render
from bot import texts
from bot.discord import replies
from bot.discord.cards import rulebook
from bot.discord.errors import RefusalError
from bot.discord.interactions import Choices, Interaction, Typed, choice, suggestions
from bot.discord.messages import Message, Press
from bot.texts import gettext as _
from bot.texts import gettext_noop
from rules import GAMES


@suggestions
async def pages(interaction: Interaction, current: str) -> Choices:
    name = interaction.namespace.game
    if name not in rulebook.choices():
        return []
    wanted = current.strip().casefold()
    return [
        choice(title, str(number)) for number, title in rulebook.contents(name).items() if wanted in title.casefold()
    ]


@app_commands.command(description=gettext_noop("The rules of a game, with pictures"))
@app_commands.describe(game=gettext_noop("The game to read about"), page=gettext_noop("Where to open them"))
@app_commands.choices(
    game=[
        *(app_commands.Choice(name=game.title, value=game.name) for game in GAMES.values()),
        app_commands.Choice(name=gettext_noop("What all games share"), value=rulebook.SHARED),
    ]
)
@app_commands.autocomplete(page=pages)
async def rules(interaction: Interaction, game: str, page: Typed | None = None) -> None:
    await replies.tell(interaction, await _leaf(interaction, game, 0 if page is None else _number(game, page)))


async def turn_rules(interaction: Interaction, press: Press) -> None:
    """Another leaf of the rules, in the place of the one before."""
    number = int(press.values[0]) if press.values else press.subject
    name, _, _ = press.argument.partition(".")
    await replies.replace(interaction, await _leaf(interaction, name, number))


async def open_rule(interaction: Interaction, press: Press) -> None:
    """The section that a refusal comes from, beside it."""
    await replies.tell(interaction, await _leaf(interaction, press.argument, press.subject))


async def _leaf(interaction: Interaction, name: str, number: int) -> Message:
    if name not in rulebook.choices():
        raise RefusalError(_("I have no rules of that. Pick a game from the list."))
    scheme = (await interaction.client.preferences.preferences(interaction.user.id)).theme or render.DEFAULT_LOOK.theme
    # The pages say where things are on the board, so nobody sees it turned here.
    look = render.Look(scheme, texts=texts.translations())
    english = texts.translations() is texts.catalogue(texts.SOURCE)
    return await asyncio.to_thread(rulebook.leaf_card, name, number, look, english=english)


def _number(name: str, page: str) -> int:
    """The leaf that was picked, or whose section was typed."""
    wanted = page.strip().casefold()
    if page.isascii() and page.isdecimal() and len(page) < 5:
        return int(page)
    for number, title in (rulebook.contents(name) if name in rulebook.choices() else {}).items():
        if wanted in title.casefold():
            return number
    raise RefusalError(_("The rules have no section “{page}”. Pick one from the list.").format(page=page[:60]))

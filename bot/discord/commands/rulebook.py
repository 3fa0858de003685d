"""``/rules``: the rule pages, one leaf at a time."""

from __future__ import annotations

import asyncio

from discord import app_commands

import render
from bot import texts
from bot.discord import replies
from bot.discord.cards import rulebook
from bot.discord.errors import RefusalError
from bot.discord.feature import Feature, handles
from bot.discord.game_option import choose_game
from bot.discord.interactions import Choices, Interaction, Typed, choice, suggestions
from bot.discord.messages import Message, Press
from bot.services.settings import Settings
from bot.texts import gettext as _
from bot.texts import gettext_noop


class RuleCommands(Feature):
    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    @suggestions
    async def pages(self, interaction: Interaction, current: str) -> Choices:
        """The sections of the chosen game's rules."""
        name = interaction.namespace.game
        if name not in rulebook.choices():
            return []
        wanted = current.strip().casefold()
        sections = rulebook.contents(name).items()
        return [choice(title, str(number)) for number, title in sections if wanted in title.casefold()]

    @app_commands.command(description=gettext_noop("The rules of a game, with pictures"))
    @app_commands.describe(game=gettext_noop("The game to read about"), page=gettext_noop("The section to open"))
    @choose_game(**{rulebook.SHARED: gettext_noop("What all games share")})
    @app_commands.autocomplete(page=pages)
    async def rules(self, interaction: Interaction, game: str, page: Typed | None = None) -> None:
        number = 0 if page is None else leaf_number(game, page)
        await replies.tell(interaction, await self._leaf(interaction, game, number))

    @handles("rules", "rules-section")
    async def turn_page(self, interaction: Interaction, press: Press) -> None:
        """Replace the leaf by another one."""
        number = int(press.values[0]) if press.values else press.subject
        name, _, _ = press.argument.partition(".")
        await replies.replace(interaction, await self._leaf(interaction, name, number))

    @handles("rule")
    async def open_rule(self, interaction: Interaction, press: Press) -> None:
        """Show the section that a refusal comes from, beside the refusal."""
        await replies.tell(interaction, await self._leaf(interaction, press.argument, press.subject))

    async def _leaf(self, interaction: Interaction, name: str, number: int) -> Message:
        if name not in rulebook.choices():
            raise RefusalError(_("I have no rules for that. Pick a game from the list."))
        theme = (await self._settings.preferences(interaction.user.id)).theme or render.DEFAULT_LOOK.theme
        # The pages say where things are on the board, so the player's orientation does not apply.
        look = render.Look(theme, texts=texts.translations())
        english = texts.current_language() == texts.SOURCE
        return await asyncio.to_thread(rulebook.leaf_card, name, number, look, english=english)


def leaf_number(name: str, page: str) -> int:
    """Return the number of the leaf that was picked, or on which the typed section begins."""
    if page.isascii() and page.isdecimal() and len(page) < 5:
        return int(page)
    wanted = page.strip().casefold()
    for number, title in (rulebook.contents(name) if name in rulebook.choices() else {}).items():
        if wanted in title.casefold():
            return number
    raise RefusalError(_("The rules have no section “{page}”. Pick one from the list.").format(page=page[:60]))

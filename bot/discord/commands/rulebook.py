"""``/rules``: the lessons of a game, one card at a time, and the rule pages, one leaf at a time."""

from __future__ import annotations

import asyncio

from discord import app_commands

import render
import rules
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
        return [choice(title, anchor) for anchor, title in sections if wanted in title.casefold()]

    @app_commands.command(description=gettext_noop("The rules of a game, with pictures"))
    @app_commands.describe(game=gettext_noop("The game to read about"), page=gettext_noop("The section to open"))
    @choose_game(explain=True, **{rulebook.SHARED: gettext_noop("What all games share")})
    @app_commands.autocomplete(page=pages)
    async def rules(self, interaction: Interaction, game: str, page: Typed | None = None) -> None:
        if page is None and game in rules.GAMES:
            await replies.tell(interaction, await self._lesson(interaction, game, 0))
            return
        number = 0 if page is None else leaf_number(game, page)
        await replies.tell(interaction, await self._leaf(interaction, game, number))

    @handles("learn")
    async def learn(self, interaction: Interaction, press: Press) -> None:
        """Open the lessons of a game, or go to another lesson if they are open."""
        name, _dot, way = press.argument.partition(".")
        answer = replies.replace if way else replies.tell
        await answer(interaction, await self._lesson(interaction, name, press.subject))

    @handles("rules", "rules-section", "rules-at")
    async def turn_page(self, interaction: Interaction, press: Press) -> None:
        """Replace the leaf by another one."""
        name, _dot, anchor = press.argument.partition(".")
        place: int | str = anchor if press.action == "rules-at" else press.subject
        if (chosen := press.chosen) is not None:
            place = int(chosen) if chosen.isdecimal() else chosen  # older menus have the numbers of leaves
        await replies.replace(interaction, await self._leaf(interaction, name, place))

    @handles("rule")
    async def open_rule(self, interaction: Interaction, press: Press) -> None:
        """Show the section that a refusal comes from, beside the refusal."""
        name, dot, anchor = press.argument.partition(".")
        place = anchor if dot else press.subject  # older buttons have the number of the leaf
        await replies.tell(interaction, await self._leaf(interaction, name, place))

    async def _leaf(self, interaction: Interaction, name: str, place: int | str) -> Message:
        """The leaf with that number, or the one on which a section begins."""
        if name not in rulebook.choices():
            raise RefusalError(_("I have no rules for that. Pick a game from the list."))
        number = place if isinstance(place, int) else rulebook.number_of(name, place)
        return await asyncio.to_thread(rulebook.leaf_card, name, number, await self._look(interaction))

    async def _lesson(self, interaction: Interaction, name: str, number: int) -> Message:
        if name not in rules.GAMES:
            raise RefusalError(_("I have no rules for that. Pick a game from the list."))
        return await asyncio.to_thread(rulebook.lesson_card, name, number, await self._look(interaction))

    async def _look(self, interaction: Interaction) -> render.Look:
        theme = (await self._settings.preferences(interaction.user.id)).theme or render.DEFAULT_LOOK.theme
        # The pages say where things are on the board, so the player's orientation does not apply.
        return render.Look(theme, texts=texts.translations())


def leaf_number(name: str, page: str) -> int:
    """Return the number of the leaf on which the section begins that was picked or whose title was typed."""
    found = rulebook.contents(name) if name in rulebook.choices() else {}
    if page in found:
        return rulebook.number_of(name, page)
    wanted = page.strip().casefold()
    for anchor, title in found.items():
        if wanted in title.casefold():
            return rulebook.number_of(name, anchor)
    raise RefusalError(_("The rules have no section “{page}”. Pick one from the list.").format(page=page[:60]))

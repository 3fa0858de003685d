"""``/learn``: a guided first game, in small tasks on a private card that replaces itself."""

from __future__ import annotations

import asyncio

from discord import app_commands

import render
from bot import texts
from bot.discord import replies
from bot.discord.cards.keypad import AREA, Picked, up_to_choice
from bot.discord.cards.learning import last_card, lessons, task_card, verdict_card
from bot.discord.commands.turn_builder import part_number
from bot.discord.errors import refused
from bot.discord.feature import Feature, handles
from bot.discord.game_option import choose_game
from bot.discord.interactions import Interaction, player_of
from bot.discord.languages import theme_of
from bot.discord.messages import Message, Press
from bot.services.settings import Settings
from bot.texts import gettext_noop
from rules import TurnError


class Learning(Feature):
    """All that a card knows, the game, the task and the turn so far, is in the ids of its buttons."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    @app_commands.command(description=gettext_noop("Learn a game in a few small tasks, with pictures"))
    @app_commands.describe(game=gettext_noop("The game to learn"))
    @choose_game(explain=True)
    async def learn(self, interaction: Interaction, game: str) -> None:
        await replies.tell(interaction, await asyncio.to_thread(_card, game, 0, _look(interaction)))

    @handles("task")
    async def turn_to(self, interaction: Interaction, press: Press) -> None:
        """Begin a guided game, or go to another task if one is open."""
        name, _dot, way = press.argument.partition(".")
        if press.subject >= len(await asyncio.to_thread(lessons, name)):
            await self._settings.mark_known(player_of(interaction.user), name)
        answer = replies.replace if way else replies.tell
        await answer(interaction, await asyncio.to_thread(_card, name, press.subject, _look(interaction)))

    @handles("task-pick", "task-turn", "task-show")
    async def play(self, interaction: Interaction, press: Press) -> None:
        """Do what was pressed in a task: choose the next step of a turn, end it there, or see the solution."""
        picked = Picked.of(press)
        name, text, chosen = picked.game, picked.text, picked.chosen
        look = _look(interaction)

        def card() -> Message:
            found = lessons(name)
            if press.subject >= len(found):  # a card of another version
                return _card(name, press.subject, look)
            task = found[press.subject]
            if press.action == "task-show":
                return verdict_card(name, press.subject, task.solution, look, shown=True)
            try:
                if press.action == "task-turn":
                    return verdict_card(name, press.subject, text, look)
                if chosen.startswith(AREA):
                    draft = task.position.draft(text)
                    area = part_number(chosen.removeprefix(AREA))
                    return task_card(name, press.subject, look, draft, area=area)
                draft = up_to_choice(task.position, text + chosen)
                if task.solved_by(draft.text) or (draft.complete and not draft.steps):
                    return verdict_card(name, press.subject, draft.text, look)
                return task_card(name, press.subject, look, draft)
            except TurnError as error:
                return task_card(name, press.subject, look, note=f"✗ {refused(text + chosen, error)}", rule=error.rule)

        await replies.replace(interaction, await asyncio.to_thread(card))


def _card(name: str, number: int, look: render.Look) -> Message:
    """The task of that number, or what comes after the last one. This draws."""
    return task_card(name, number, look) if number < len(lessons(name)) else last_card(name, look.theme)


def _look(interaction: Interaction) -> render.Look:
    # The tasks say where things are on the board, so the player's orientation does not apply.
    return render.Look(theme_of(interaction), texts=texts.translations())

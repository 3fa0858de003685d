"""``/learn``: small tasks that teach a game, on a private card that replaces itself."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import partial

import discord
from discord import app_commands

import render
from bot.discord.features.challenges.challenge_form import ANYBODY, ChallengeForm, computer_button
from bot.discord.interaction.errors import why_refused
from bot.discord.interaction.feature import Feature, handles
from bot.discord.interaction.interactions import Interaction, player_of
from bot.discord.interaction.languages import Languages
from bot.discord.interaction.options.ruleset import ExplainedGame
from bot.discord.transport.answers import Answer
from bot.discord.ui import scenes
from bot.discord.ui.actions import (
    OpenTask,
    Origin,
    ReadLesson,
    ReadPage,
    StartGame,
    continue_button,
    puzzles_button,
    rule_button,
)
from bot.discord.ui.keypad import ControlKey, Key, after_key
from bot.discord.ui.messages import ActionButton, Message, compose
from bot.discord.ui.presses import GameType, Press
from bot.discord.ui.turn_entry import Backdrop, entry_view
from bot.domain.challenges import can_continue
from bot.domain.turn_entry import TurnEntry, digest
from bot.pictures import page_look
from bot.services.people.settings import Settings
from bot.texts import gettext as _, gettext_noop
from bot.wording.tasks import completion, lesson_above, progress, tasks_of, verdict_on
from bot.wording.turns import effect_of
from rules import Position, TurnError, ruleset
from rules.puzzles import puzzles
from rules.search import LEVELS


class TaskPress(Press):
    game: GameType
    number: int


class TaskKey(TaskPress, action="task-key"):
    """A key pressed while the turn is ``text``."""

    text: str
    key: Key


class ShowTurn(TaskPress, action="task-show"):
    """Show a turn that solves the task."""


@dataclass
class LearnCommand(Feature):
    """The tasks. The ids of their buttons hold the game, the task and the turn so far."""

    settings: Settings
    languages: Languages

    @app_commands.command(description=gettext_noop("Learn a game in a few small tasks, with pictures"))
    @app_commands.describe(game=gettext_noop("The game to learn"))
    async def learn(self, interaction: Interaction, game: ExplainedGame) -> None:
        await Answer.of(interaction).respond(await asyncio.to_thread(card_of, game, 0, await self._look(interaction)))

    @handles(OpenTask)
    async def open(self, interaction: Interaction, press: OpenTask) -> None:
        """Begin a game's tasks, or turn an open card to another task."""
        if press.number >= len(await asyncio.to_thread(tasks_of, press.game)):
            await self.settings.mark_known(player_of(interaction.user), press.game.name)
        card = await asyncio.to_thread(card_of, press.game, press.number, await self._look(interaction))
        await Answer.of(interaction).respond(card, beside=not press.in_place)

    @handles(TaskKey, ShowTurn)
    async def go_on(self, interaction: Interaction, press: TaskPress) -> None:
        """Choose the next element of a turn, go back, end the turn, or show the solution."""
        game, number, look = press.game, press.number, await self._look(interaction)

        def card() -> tuple[Message, bool]:
            if number >= len(tasks_of(game)):  # a card from another version
                return card_of(game, number, look), False
            task = tasks_of(game)[number]
            if not isinstance(press, TaskKey):
                return verdict_card(game, number, None, look), False
            try:
                entry = after_key(press.key, task.position, press.text, task.offered)
            except TurnError as error:
                tried = press.text if isinstance(press.key, int | ControlKey) else press.text + press.key
                return task_card(game, number, look, note=f"✗ {why_refused(tried, error)}", rule=error.rule), False
            if (solved := task.solved_by(entry.text)) or entry.done:
                return verdict_card(game, number, entry.text, look), solved
            return task_card(game, number, look, entry), False

        shown, solved = await asyncio.to_thread(card)
        if solved:
            await self.settings.mark_solved(player_of(interaction.user), game.name, number)
        await Answer.of(interaction).respond(shown)

    @handles(ReadLesson)
    async def open_lesson(self, interaction: Interaction, press: ReadLesson) -> None:
        """Open the first task of a lesson, in place of the pressed card or beside it."""
        found = await asyncio.to_thread(tasks_of, press.game)
        begun = [number for number, task in enumerate(found) if task.lesson]
        number = begun[min(press.lesson, len(begun) - 1)]
        card = await asyncio.to_thread(card_of, press.game, number, await self._look(interaction))
        await Answer.of(interaction).respond(card, beside=not press.in_place)

    async def _look(self, interaction: Interaction) -> render.Look:
        return page_look(await self.languages.load(interaction))


def card_of(game: type[Position], number: int, look: render.Look) -> Message:
    """A task, or the card after the last task. Renders pictures: call it in a thread."""
    return task_card(game, number, look) if number < len(tasks_of(game)) else last_card(game, look.theme)


def task_card(
    game: type[Position],
    number: int,
    look: render.Look,
    entry: TurnEntry | None = None,
    *,
    note: str = "",
    rule: str | None = None,
) -> Message:
    """A task with the turn under construction, and a ``note`` below the request. Renders pictures: call it in a thread.

    ``rule`` is the section of the rules by which a turn was refused.
    """
    task = tasks_of(game)[number]
    position, events = task.start
    entry = entry or TurnEntry.begin(position, offered=task.offered)
    backdrop = Backdrop(events, f"learn-{game.name}-{number}", overlay=task.overlay, whole=True)
    view = entry_view(entry, backdrop, look, partial(TaskKey, game, number, entry.text))
    question = " ".join(filter(None, [effect_of(entry, position.turn_of), view.question]))
    return compose(
        "\n".join(filter(None, [f"### 🎓 {task.title}", lesson_above(game, task), task.request])),
        note,
        question if view.back else "",
        picture=view.picture,
        footer=progress(game, number),
        keypad=view.keypad,
        buttons=(
            *view.pass_,
            *(view.back or [_back(game, number)]),
            *view.end,
            ActionButton(ShowTurn(game, number), _("Show me")),
            _next(game, number),
            *(() if view.back else (rule_button(rule or task.rule),)),
        ),
        colour=scenes.colour(game),
    )


def verdict_card(game: type[Position], number: int, tried: str | None, look: render.Look) -> Message:
    """The verdict on the turn ``tried`` or, without one, the solution. Raises :class:`rules.TurnError`.

    Renders pictures: call it in a thread.
    """
    task = tasks_of(game)[number]
    turn = task.solution if tried is None else tried
    verdict = task.verdict(turn)
    filename = f"learn-{game.name}-{number}-{digest(turn)}.png"
    again = discord.ButtonStyle.secondary if verdict.solves else discord.ButtonStyle.primary
    return compose(
        f"### 🎓 {task.title}\n{verdict_on(task, tried)}",
        picture=scenes.picture(filename, verdict.position, verdict.events, look, overlay=verdict.overlay),
        footer=progress(game, number),
        buttons=(
            _back(game, number),
            ActionButton(OpenTask(game, number, in_place=True), _("Try again"), again),
            *([] if verdict.solves else [ActionButton(ShowTurn(game, number), _("Show me"))]),
            _next(game, number, solved=verdict.solves),
            rule_button(task.rule),
        ),
        more_buttons=(
            (continue_button(Origin.TASK, game.name, number),)
            if verdict.solves and can_continue(task.example.position())
            else ()
        ),
        colour=scenes.colour(game),
    )


def last_card(game: type[Position], theme: str) -> Message:
    """The card after the last task, with buttons to play. Renders pictures: call it in a thread."""
    return compose(
        scenes.game_aside(game, theme, "### 🎓 " + "\n".join(completion(game))),
        buttons=(
            computer_button(ChallengeForm(ANYBODY, ruleset(game.name, game.sizes[0])), LEVELS[0]),
            ActionButton(StartGame(game), _("Challenge a friend"), emoji="⚔️"),
            *([puzzles_button(game)] if puzzles(game.name) else []),
            ActionButton(ReadPage(game.name), _("Rules"), emoji="📖"),
            _back(game, len(tasks_of(game))),
        ),
        colour=scenes.colour(game),
    )


def _back(game: type[Position], number: int) -> ActionButton:
    # All buttons of a message need different ids, even disabled buttons.
    before = number - 1 if number else len(tasks_of(game)) + 1
    return ActionButton(OpenTask(game, before, in_place=True), _("Previous task"), disabled=number == 0)


def _next(game: type[Position], number: int, *, solved: bool = False) -> ActionButton:
    style = discord.ButtonStyle.primary if solved else discord.ButtonStyle.secondary
    # "Next" would seem to continue a turn under construction.
    return ActionButton(OpenTask(game, number + 1, in_place=True), _("Next") if solved else _("Skip"), style)

"""``/learn``: a guided first game, in small tasks on a private card that replaces itself."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import discord
from discord import app_commands

import render
from bot import texts
from bot.discord.features.challenges.form_cards import ANYBODY, ChallengeForm, ChooseLevel
from bot.discord.interaction.errors import refused
from bot.discord.interaction.feature import Feature, handles
from bot.discord.interaction.interactions import Interaction, player_of
from bot.discord.interaction.languages import theme_of
from bot.discord.interaction.options.game import choose_game
from bot.discord.transport import replies
from bot.discord.ui import scenes, words
from bot.discord.ui.keypad import AREA, Picked, digest, end_key, part_number, pass_key, up_to_choice
from bot.discord.ui.links import ReadPage, StartGame, five_cards_button, puzzles_button, rule_button
from bot.discord.ui.messages import ActionButton, Aside, Message, Picture, Press, compose
from bot.discord.ui.turn_entry import TurnBoard, next_choice, told_of
from bot.services.settings import Settings
from bot.texts import current_language, gettext_noop
from bot.texts import gettext as _
from rules import GAMES, PASS, Draft, Side, TurnError, ruleset
from rules.puzzles import puzzles
from rules.search import LEVELS
from rules.tasks import Task, tasks


@dataclass
class Learning(Feature):
    """All that a card knows, the game, the task and the turn so far, is in the ids of its buttons."""

    settings: Settings

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
            await self.settings.mark_known(player_of(interaction.user), name)
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


def lessons(name: str) -> tuple[Task, ...]:
    """The tasks of a game in the current language. Raises :class:`rules.UnknownRuleset` if there is no such game."""
    return tasks(ruleset(name).game.name, current_language())


def task_card(
    name: str,
    number: int,
    look: render.Look,
    draft: Draft | None = None,
    *,
    area: int | None = None,
    note: str = "",
    rule: str | None = None,
) -> Message:
    """A task of a game, and how to go on with the turn that is put together in it.

    ``note`` is said below the request, ``rule`` is the section of the rules by which a turn was refused, and ``area``
    the part of the board to choose in.
    """
    task = lessons(name)[number]
    position, events = task.start
    draft = draft or position.draft()
    board = TurnBoard(
        position, events, f"learn-{name}-{number}", overlay=task.overlay, offered=task.offered, whole=True
    )

    def pick(choice: str) -> Press:
        return Press("task-pick", number, 0, f"{name}.{draft.text}.{choice}")

    choice = next_choice(board, draft, look, pick, area)
    begun = bool(draft.text) or choice.area is not None
    if begun:
        buttons = [ActionButton(_to(name, number, "again"), _("Back"))]
    else:
        buttons = [_back(name, number) if number else five_cards_button(name)]
    if draft.text and draft.complete:
        buttons.append(end_key(position, draft, Press("task-turn", number, 0, f"{name}.{draft.text}")))
    if not begun and PASS in task.offered:
        buttons.insert(0, pass_key(position, draft, pick))
    buttons += [_show(name, number), _next(name, number)]
    if not begun:
        buttons.append(rule_button(rule or task.rule))
    return compose(
        f"### 🎓 {task.title}\n{task.request}",
        note,
        " ".join(filter(None, [told_of(position, draft, position.turn_of), choice.question])) if begun else "",
        picture=choice.picture,
        footer=_progress(name, number),
        keypad=choice.keypad,
        buttons=tuple(buttons),
        colour=scenes.colour(GAMES[name]),
    )


def verdict_card(name: str, number: int, turn: str, look: render.Look, *, shown: bool = False) -> Message:
    """What comes of a turn in a task, which the player has found or, if ``shown``, wanted to see.

    Raises :class:`rules.TurnError` if the turn is refused.
    """
    task = lessons(name)[number]
    verdict = task.verdict(turn)
    sign = "💡" if shown else "✅" if verdict.solves else "❌"
    overlay = verdict.overlay
    png = render.picture(
        verdict.position,
        verdict.events,
        None,
        look,
        overlay=overlay and overlay.name,
        cell=overlay and overlay.cell,
    )
    description = render.describe(verdict.position, verdict.events, None, look)
    buttons = [_back(name, number), _again(name, number, primary=not verdict.solves)]
    if not verdict.solves:
        buttons.append(_show(name, number))
    buttons += [_next(name, number, solved=verdict.solves), rule_button(task.rule)]
    return compose(
        f"### 🎓 {task.title}\n{sign} {words.turn(task.position, turn)} · {verdict.remark}",
        picture=Picture(f"learn-{name}-{number}-{digest(turn)}.png", png, description),
        footer=_progress(name, number),
        buttons=tuple(buttons),
        colour=scenes.colour(GAMES[name]),
    )


def last_card(name: str, theme: str) -> Message:
    """What to do with what was learned. This draws."""
    game, count = GAMES[name], len(lessons(name))
    opening = _("To begin, one player opens: {piece}. The other one then picks a side.").format(
        piece=_(game.opening_hint).format(side=words.named(game.side_name(Side.FIRST)))
    )
    told = [_("### 🎓 Now you can play {game}").format(game=game.title), opening, _("The rules have the details.")]
    picture = Picture(
        f"{name}-{theme}.png", render.thumbnail(game, theme), _("Part of a board of {game}.").format(game=game.title)
    )
    return compose(
        Aside("\n".join(told), picture),
        buttons=(
            ActionButton(
                ChooseLevel(ChallengeForm(ANYBODY, ruleset(name, game.sizes[0])), LEVELS[0]),
                _("Play the computer, level {level}").format(level=LEVELS[0]),
                discord.ButtonStyle.success,
                "🤖",
            ),
            ActionButton(StartGame(game), _("Challenge somebody"), emoji="⚔️"),
            *([puzzles_button(name)] if puzzles(name) else []),
            ActionButton(ReadPage(name), _("Read the rules"), emoji="📖"),
            _back(name, count),
        ),
        colour=scenes.colour(game),
    )


def _progress(name: str, number: int) -> str:
    return _("{game} · task {number} of {count}").format(
        game=GAMES[name].title, number=number + 1, count=len(lessons(name))
    )


def _to(name: str, number: int, way: str) -> Press:
    """The way to a task, under a name of its own, because several ways may lead there."""
    return Press("task", number, 0, f"{name}.{way}")


def _back(name: str, number: int) -> ActionButton:
    return ActionButton(_to(name, max(0, number - 1), "back"), _("Previous task"), disabled=number == 0)


def _again(name: str, number: int, *, primary: bool = False) -> ActionButton:
    style = discord.ButtonStyle.primary if primary else discord.ButtonStyle.secondary
    return ActionButton(_to(name, number, "again"), _("Try again"), style)


def _show(name: str, number: int) -> ActionButton:
    return ActionButton(Press("task-show", number, 0, name), _("Show me"))


def _next(name: str, number: int, *, solved: bool = False) -> ActionButton:
    style = discord.ButtonStyle.primary if solved else discord.ButtonStyle.secondary
    # "Next" would seem to go on with a turn that is being put together.
    return ActionButton(_to(name, number + 1, "next"), _("Next") if solved else _("Skip"), style)

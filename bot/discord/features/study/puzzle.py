"""``/puzzle``: positions in which one turn is to be found, on a private card that replaces itself."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from discord import app_commands

import render
from bot.discord.features.study.hint import found_by
from bot.discord.features.study.puzzle_cards import (
    Stage,
    puzzle_card,
    puzzle_form,
    refuted_card,
    reply_told,
    seen_note,
    solution_card,
    solution_question,
    solved_card,
    wrong_card,
)
from bot.discord.interaction.errors import refused, sentence
from bot.discord.interaction.feature import Feature, handles, opens_form
from bot.discord.interaction.interactions import Interaction, player_of
from bot.discord.interaction.languages import PREFERENCES
from bot.discord.interaction.options.game import choose_game
from bot.discord.transport import replies
from bot.discord.transport.in_flight import InFlight
from bot.discord.ui.keypad import AREA, Picked, part_number, up_to_choice
from bot.discord.ui.messages import Form, Message, OutdatedPressError, Press
from bot.discord.ui.scenes import private_look
from bot.domain.computer import reply_request
from bot.domain.preferences import Preferences
from bot.services.fair_play import FairPlay
from bot.services.hints import Hints
from bot.services.puzzles import Puzzles
from bot.texts import gettext as _
from bot.texts import gettext_noop
from rules import Draft, Position, TurnError


@dataclass
class PuzzleCommands(Feature):
    """All that a card knows, the puzzle and the turn so far, is in the ids of its buttons."""

    puzzles: Puzzles
    hints: Hints
    fair_play: FairPlay
    in_flight: InFlight

    @app_commands.command(description=gettext_noop("Solve a puzzle: find the only turn that wins"))
    @app_commands.describe(game=gettext_noop("One game only"))
    @choose_game(explain=True)
    async def puzzle(self, interaction: Interaction, game: str | None = None) -> None:
        await self._open_next(interaction, game or "")

    @handles("puzzle-next")
    async def go_to_next(self, interaction: Interaction, press: Press) -> None:
        await self._open_next(interaction, Picked.of(press).game)

    @handles("puzzle-open")
    async def open(self, interaction: Interaction, press: Press) -> None:
        """Open a puzzle or, on its private card, begin the turn that is to be found again."""
        stage = await self._stage(press)
        if replies.on_private_card(interaction):
            counts = await self.puzzles.solved(interaction.user.id, stage.puzzle) is None
            await _show(interaction, lambda look: puzzle_card(stage, look, counts=counts))
        else:
            await self._open(interaction, stage)

    @opens_form("puzzle-type")
    async def open_form(self, _interaction: Interaction, press: Press) -> Form:
        stage = await self._stage(press)
        return await asyncio.to_thread(puzzle_form, stage, Picked.of(press).text)

    @handles("puzzle-pick", "puzzle-turn", "puzzle-typed")
    async def go_on(self, interaction: Interaction, press: Press) -> None:
        """Do what was pressed or typed: choose the next step of a turn, or end it there."""
        stage, picked = await self._stage(press), Picked.of(press)
        text, chosen = picked.text, picked.chosen
        typed = press.chosen or ""

        def drafted() -> tuple[Draft, bool]:
            """The turn so far, and whether it is the whole turn."""
            position = stage.position
            if press.action != "puzzle-pick":
                draft = position.draft(typed or text)
                return draft, draft.complete
            if chosen.startswith(AREA):
                return position.draft(text), False
            draft = up_to_choice(position, text + chosen)
            # What was not pressed itself is shown before it counts.
            return draft, draft.complete and not draft.steps and draft.text == text + chosen

        try:
            draft, whole = await asyncio.to_thread(drafted)
        except TurnError as error:
            note, rule = f"✗ {refused(typed, error) if typed else sentence(error)}", error.rule
            counts = await self.puzzles.solved(interaction.user.id, stage.puzzle) is None
            await _show(interaction, lambda look: puzzle_card(stage, look, note=note, rule=rule, counts=counts))
            return
        if whole:
            await self._judge(interaction, stage, draft.text)
            return
        area = part_number(chosen.removeprefix(AREA)) if chosen.startswith(AREA) else None
        note = _("This turn is not complete yet.") if typed else ""
        await _show(interaction, lambda look: puzzle_card(stage, look, draft, area=area, note=note))

    @handles("puzzle-why")
    async def show_reply(self, interaction: Interaction, press: Press) -> None:
        """Show what the reply to a wrong turn would be."""
        stage, turn = await self._stage(press), Picked.of(press).text
        await self._check_fair(interaction, stage, turn)
        request = reply_request(stage.puzzle, stage.ply, turn)
        found = await found_by(self.hints, self.in_flight, interaction, request, press)
        await _show(interaction, lambda look: refuted_card(stage, turn, found, look))

    @handles("puzzle-show", "puzzle-reveal")
    async def show_solution(self, interaction: Interaction, press: Press) -> None:
        """Show the solution, after which the puzzle cannot be solved at the first try; so ask before, if it can be."""
        stage = await self._stage(press)
        await self._check_fair(interaction, stage)
        if press.action == "puzzle-show" and await self.puzzles.solved(interaction.user.id, stage.puzzle) is None:
            await _show(interaction, lambda look: solution_question(stage, look))
            return
        answered = await self.puzzles.answer(player_of(interaction.user), stage.puzzle, solved=False)
        tried = Picked.of(press).text or None
        await _show(interaction, lambda look: solution_card(stage, answered, look, instead_of=tried))

    async def _check_fair(self, interaction: Interaction, stage: Stage, *turns: str) -> None:
        """Raise if the user plays the position against a person, or the one after these turns."""

        def positions() -> list[Position]:
            position = stage.position
            return [position, *(position.play(turn)[0] for turn in turns)]

        await self.fair_play.check(interaction.user.id, *await asyncio.to_thread(positions))

    async def _stage(self, press: Press) -> Stage:
        """How far a puzzle was solved where something was pressed."""
        puzzle = await self.puzzles.get(f"{press.subject:08x}")
        if press.step not in range(0, len(puzzle.solution), 2):
            raise OutdatedPressError
        return Stage(puzzle, press.step, Picked.of(press).game)

    async def _open_next(self, interaction: Interaction, wanted: str) -> None:
        puzzle = await self.puzzles.next(interaction.user.id, wanted or None)
        await self._open(interaction, Stage(puzzle, wanted=wanted))

    async def _open(self, interaction: Interaction, stage: Stage) -> None:
        solved = await self.puzzles.see(player_of(interaction.user), stage.puzzle)
        note, counts = seen_note(solved), solved is None
        await _show(interaction, lambda look: puzzle_card(stage, look, note=note, counts=counts))

    async def _judge(self, interaction: Interaction, stage: Stage, turn: str) -> None:
        """Say whether a turn is the one that was to be found."""
        player = player_of(interaction.user)
        right = await asyncio.to_thread(stage.puzzle.solves, stage.ply, turn)
        if right and not stage.is_last:
            await _show(interaction, lambda look: puzzle_card(stage.next(), look, note=reply_told(stage, turn)))
            return
        answered = await self.puzzles.answer(player, stage.puzzle, solved=right)
        card = solved_card if right else wrong_card
        await _show(interaction, lambda look: card(stage, turn, answered, look))


async def _show(interaction: Interaction, card: Callable[[render.Look], Message]) -> None:
    """Show a card, which replaces the one where something was pressed."""
    preferences: Preferences = interaction.extras.get(PREFERENCES) or Preferences()
    look = private_look(preferences)
    await replies.show(interaction, await asyncio.to_thread(card, look))

"""``/puzzle``: positions in which one turn is to be found, on a private card that replaces itself."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from discord import app_commands

import render
from bot.discord.features.study.hint import HintCommand
from bot.discord.features.study.puzzle_cards import (
    AskWhyNot,
    OpenPuzzle,
    PuzzleKey,
    PuzzlePress,
    ShowSolution,
    Stage,
    TypedSolution,
    TypeSolution,
    puzzle_card,
    puzzle_form,
    refuted_card,
    reply_sentences,
    seen_note,
    solution_card,
    solution_question,
    solved_card,
    wrong_card,
)
from bot.discord.interaction.errors import refused, sentence
from bot.discord.interaction.feature import Feature, handles, opens_form
from bot.discord.interaction.interactions import Interaction, player_of
from bot.discord.interaction.options.ruleset import ExplainedGame
from bot.discord.transport import replies
from bot.discord.ui.keypad import AfterKey, after_key
from bot.discord.ui.links import NextPuzzle
from bot.discord.ui.messages import Form, Message
from bot.discord.ui.presses import OutdatedPressError
from bot.discord.ui.scenes import private_look
from bot.domain.computer import reply_request
from bot.domain.turn_entry import TurnEntry
from bot.services.fair_play import FairPlay
from bot.services.puzzles import Puzzles
from bot.services.settings import Settings
from bot.texts import gettext as _
from bot.texts import gettext_noop
from rules import Position, TurnError


@dataclass
class PuzzleCommand(Feature):
    """The ids of a card's buttons hold the puzzle and the turn so far."""

    puzzles: Puzzles
    hints: HintCommand
    fair_play: FairPlay
    settings: Settings

    @app_commands.command(description=gettext_noop("Solve a puzzle: find the only turn that wins"))
    @app_commands.describe(game=gettext_noop("One game only"))
    async def puzzle(self, interaction: Interaction, game: ExplainedGame | None = None) -> None:
        await self._open_next(interaction, game)

    @handles(NextPuzzle)
    async def go_to_next(self, interaction: Interaction, press: NextPuzzle) -> None:
        await self._open_next(interaction, press.game)

    @handles(OpenPuzzle)
    async def open(self, interaction: Interaction, press: OpenPuzzle) -> None:
        """Open a puzzle or, on its private card, begin the turn again."""
        stage = await self._stage(press)
        if replies.on_private_card(interaction):
            await self._show_turn(interaction, stage)
        else:
            await self._open(interaction, stage)

    @opens_form(TypeSolution)
    async def open_form(self, _interaction: Interaction, press: TypeSolution) -> Form:
        stage = await self._stage(press)
        return await asyncio.to_thread(puzzle_form, stage, press.text)

    @handles(PuzzleKey)
    async def go_on(self, interaction: Interaction, press: PuzzleKey) -> None:
        """Choose the next step of a turn, go back, or end the turn."""
        stage = await self._stage(press)
        try:
            after = await asyncio.to_thread(after_key, press.key, stage.position, press.text)
        except TurnError as error:
            await self._show_turn(interaction, stage, note=f"✗ {sentence(error)}", rule=error.rule)
            return
        # Steps that follow by themselves are shown before they count.
        if after.done and after.entry.text in (press.text, f"{press.text}{press.key}"):
            await self._judge(interaction, stage, after.entry.text)
        else:
            await self._show_turn(interaction, stage, after)

    @handles(TypedSolution)
    async def judge_typed(self, interaction: Interaction, press: TypedSolution) -> None:
        """Judge a typed turn, or go on with it if it is not complete."""
        stage = await self._stage(press)
        try:
            entry = await asyncio.to_thread(TurnEntry.begin, stage.position, press.turn)
        except TurnError as error:
            await self._show_turn(interaction, stage, note=f"✗ {refused(press.turn, error)}", rule=error.rule)
            return
        if entry.complete:
            await self._judge(interaction, stage, entry.text)
        else:
            await self._show_turn(interaction, stage, AfterKey(entry), note=_("This turn is not complete yet."))

    @handles(AskWhyNot)
    async def show_reply(self, interaction: Interaction, press: AskWhyNot) -> None:
        stage, turn = await self._stage(press), press.turn
        await self._check_fair(interaction, stage, turn)
        found = await self.hints.search(interaction, reply_request(stage.puzzle, stage.ply, turn), press)
        await self._show(interaction, lambda look: refuted_card(stage, turn, found, look))

    @handles(ShowSolution)
    async def show_solution(self, interaction: Interaction, press: ShowSolution) -> None:
        """Show the solution; ask first if that ends the player's first try."""
        stage = await self._stage(press)
        await self._check_fair(interaction, stage)
        if not press.sure and await self.puzzles.solved(interaction.user.id, stage.puzzle) is None:
            await self._show(interaction, lambda look: solution_question(stage, look))
            return
        answered = await self.puzzles.answer(player_of(interaction.user), stage.puzzle, solved=False)
        await self._show(interaction, lambda look: solution_card(stage, answered, look, instead_of=press.tried or None))

    async def _check_fair(self, interaction: Interaction, stage: Stage, *turns: str) -> None:
        """Raise if the user plays the position, or the position after one of these turns, against a person."""

        def positions() -> list[Position]:
            return [stage.position, *(stage.position.play(turn)[0] for turn in turns)]

        await self.fair_play.check(interaction.user.id, *await asyncio.to_thread(positions))

    async def _stage(self, press: PuzzlePress) -> Stage:
        """The place in a puzzle of the card where something was pressed."""
        puzzle = await self.puzzles.get(press.puzzle)
        if press.ply not in range(0, len(puzzle.solution), 2):
            raise OutdatedPressError
        return Stage(puzzle, press.ply, press.wanted)

    async def _open_next(self, interaction: Interaction, wanted: type[Position] | None) -> None:
        puzzle = await self.puzzles.next(interaction.user.id, None if wanted is None else wanted.name)
        await self._open(interaction, Stage(puzzle, wanted=wanted))

    async def _open(self, interaction: Interaction, stage: Stage) -> None:
        solved = await self.puzzles.see(player_of(interaction.user), stage.puzzle)
        note, counts = seen_note(solved), solved is None
        await self._show(interaction, lambda look: puzzle_card(stage, look, note=note, counts=counts))

    async def _show_turn(
        self,
        interaction: Interaction,
        stage: Stage,
        after: AfterKey | None = None,
        *,
        note: str = "",
        rule: str | None = None,
    ) -> None:
        """Show the turn so far; before its first step, the card says whether it counts."""
        entry, area = (None, None) if after is None else (after.entry, after.area)
        begun = area is not None or (entry is not None and entry.text)
        counts = not begun and await self.puzzles.solved(interaction.user.id, stage.puzzle) is None
        await self._show(
            interaction, lambda look: puzzle_card(stage, look, entry, area=area, note=note, rule=rule, counts=counts)
        )

    async def _judge(self, interaction: Interaction, stage: Stage, turn: str) -> None:
        right = await asyncio.to_thread(stage.puzzle.solves, stage.ply, turn)
        if right and not stage.is_last:
            await self._show(
                interaction, lambda look: puzzle_card(stage.next(), look, note=reply_sentences(stage, turn))
            )
            return
        answered = await self.puzzles.answer(player_of(interaction.user), stage.puzzle, solved=right)
        card = solved_card if right else wrong_card
        await self._show(interaction, lambda look: card(stage, turn, answered, look))

    async def _show(self, interaction: Interaction, card: Callable[[render.Look], Message]) -> None:
        look = private_look(await self.settings.preferences(interaction.user.id))
        await replies.show(interaction, await asyncio.to_thread(card, look))

"""``/puzzle``: positions with a turn to find, on a private card that replaces itself."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any, TypeVar

import discord
from discord import app_commands

import render
from bot.discord.features.study.hint import HintButtons
from bot.discord.features.study.replay import ReplayCommands
from bot.discord.interaction.errors import RefusalError, why_refused
from bot.discord.interaction.feature import Feature, handles, opens_form
from bot.discord.interaction.interactions import Interaction, player_of
from bot.discord.interaction.languages import Languages
from bot.discord.interaction.options.ruleset import ExplainedGame
from bot.discord.transport.answers import Answer, on_private_card
from bot.discord.ui import scenes
from bot.discord.ui.actions import NextPuzzle, Origin, continue_button, rule_button, rules_button
from bot.discord.ui.keypad import Key, Keypad, after_key
from bot.discord.ui.messages import MOST_IN_ROW, ActionButton, Form, Message, Picture, compose, turners
from bot.discord.ui.presses import GameType, OutdatedPressError, Press, user_input
from bot.discord.ui.turn_entry import Backdrop, entry_view, typing_form
from bot.domain.computer import SearchResult, reply_request
from bot.domain.players import Player
from bot.domain.study.puzzles import DailyResult, FirstTry, PuzzleStage
from bot.domain.turn_entry import TurnEntry, digest
from bot.pictures import private_look
from bot.services.fair_play import FairPlay
from bot.services.study.puzzles import Puzzles
from bot.texts import gettext as _, gettext_noop
from bot.wording import puzzles, words
from bot.wording.refusals import reason
from bot.wording.turns import effect_of, play_question
from rules import Position, TurnError


class PuzzlePress(Press):
    """A press on the card of a puzzle after ``ply`` turns of the solution.

    ``only`` is the game from which the player wants puzzles, or None for any game.
    """

    puzzle: Annotated[str, 8]
    ply: int
    only: GameType | None


class PuzzleKey(PuzzlePress, action="puzzle-key"):
    """A key pressed while the turn is ``text``."""

    text: str
    key: Key


class OpenPuzzle(PuzzlePress, action="puzzle-open"):
    """Open the puzzle or, on its private card, begin the turn again."""


class TypeSolution(PuzzlePress, action="puzzle-type"):
    text: str


class TypedSolution(PuzzlePress, action="puzzle-typed"):
    turn: str = user_input()


class AskWhyNot(PuzzlePress, action="puzzle-why"):
    turn: str


class ShowSolution(PuzzlePress, action="puzzle-show"):
    """Show the solution after ``step`` of its other turns; the first is compared with the ``attempt``.

    Unless ``sure``, ask first if that ends the first try.
    """

    attempt: str = ""
    sure: bool = False
    step: int = 0


class ShareResult(Press, action="puzzle-share"):
    """Post the result of the puzzle of the day."""

    puzzle: Annotated[str, 8]


_PuzzlePress = TypeVar("_PuzzlePress", bound=PuzzlePress)


@dataclass(frozen=True)
class Stage(PuzzleStage):
    """How far a player has come in a puzzle; :class:`PuzzlePress` explains the fields."""

    only: type[Position] | None = None

    def press(self, kind: type[_PuzzlePress], *more: Any) -> _PuzzlePress:
        """A press of a kind at this stage, with ``more`` fields."""
        return kind(self.puzzle.key, self.ply, self.only, *more)


@dataclass
class PuzzleCommand(Feature):
    """The puzzles. The ids of their buttons hold the puzzle and the turn so far."""

    puzzles: Puzzles
    hints: HintButtons
    fair_play: FairPlay
    languages: Languages
    replays: ReplayCommands

    @app_commands.command(description=gettext_noop("Solve a puzzle: find the only turn that wins"))
    @app_commands.describe(game=gettext_noop("One game only"))
    async def puzzle(self, interaction: Interaction, game: ExplainedGame | None = None) -> None:
        await self.open_next(interaction, NextPuzzle(game))

    @handles(NextPuzzle)
    async def open_next(self, interaction: Interaction, press: NextPuzzle) -> None:
        puzzle = await self.puzzles.next(interaction.user.id, press.game.name if press.game else None)
        await self._open(interaction, Stage(puzzle, only=press.game))

    @handles(OpenPuzzle)
    async def open(self, interaction: Interaction, press: OpenPuzzle) -> None:
        """Open a puzzle or, on its private card, begin the turn again."""
        stage = await self._stage(press)
        if on_private_card(interaction):
            await self._show_turn(interaction, stage)
        else:
            await self._open(interaction, stage)

    @opens_form(TypeSolution)
    async def open_form(self, _interaction: Interaction, press: TypeSolution) -> Form:
        stage = await self._stage(press)
        return typing_form(stage.press(TypedSolution), await asyncio.to_thread(lambda: stage.position), press.text)

    @handles(PuzzleKey)
    async def go_on(self, interaction: Interaction, press: PuzzleKey) -> None:
        """Choose the next element of a turn, go back, or end the turn."""
        stage = await self._stage(press)
        try:
            entry = await asyncio.to_thread(after_key, press.key, stage.position, press.text)
        except TurnError as error:
            await self._show_turn(interaction, stage, note=f"✗ {reason(error)}", rule=error.rule)
            return
        # A turn that the bot has completed is shown before it counts.
        if entry.done and entry.text in (press.text, f"{press.text}{press.key}"):
            await self._judge(interaction, stage, entry.text)
        else:
            await self._show_turn(interaction, stage, entry)

    @handles(TypedSolution)
    async def judge_typed(self, interaction: Interaction, press: TypedSolution) -> None:
        """Judge a typed turn; if it is not complete, go on with it."""
        stage = await self._stage(press)
        try:
            entry = await asyncio.to_thread(TurnEntry.begin, stage.position, press.turn)
        except TurnError as error:
            await self._show_turn(interaction, stage, note=f"✗ {why_refused(press.turn, error)}", rule=error.rule)
            return
        if entry.complete:
            await self._judge(interaction, stage, entry.text)
        else:
            await self._show_turn(interaction, stage, entry, note=_("This turn is not complete yet."))

    @handles(AskWhyNot)
    async def show_reply(self, interaction: Interaction, press: AskWhyNot) -> None:
        stage, turn = await self._stage(press), press.turn
        await self._check_fair(interaction, stage, turn)
        found = await self.hints.search(interaction, reply_request(stage.puzzle, stage.ply, turn), press)
        await self._show(interaction, lambda look: refuted_card(stage, turn, found, look))

    @handles(ShowSolution)
    async def show_solution(self, interaction: Interaction, press: ShowSolution) -> None:
        stage = await self._stage(press)
        await self._check_fair(interaction, stage)
        if not press.sure and await self.puzzles.first_try(interaction.user.id, stage.puzzle) is None:
            await self._show(interaction, lambda look: solution_question(stage, look))
            return
        answered = await self.puzzles.answer(player_of(interaction.user), stage.puzzle, solved=False, shown=True)
        shares = await self._shares(interaction, stage)
        await self._show(interaction, lambda look: solution_card(stage, answered, look, press, shares))

    @handles(ShareResult)
    async def share(self, interaction: Interaction, press: ShareResult) -> None:
        """Post the result of the puzzle of the day in the channel once."""
        assert interaction.message is not None
        player, puzzle = player_of(interaction.user), await self.puzzles.get(press.puzzle)
        result = await self.puzzles.daily_result(player.id, puzzle)
        if result is None:
            raise RefusalError(_("This is no longer the puzzle of the day."))

        async def card(_look: render.Look) -> Message:
            return result_card(result, player)

        nonce = f"q{interaction.message.id:x}.{puzzle.key[:7]}"
        is_new = not self.replays.messenger.has_shared(nonce) and await self.replays.post(interaction, card, nonce)
        text = _("📣 Everybody here can see your result now.") if is_new else _("It has already been shared here.")
        await Answer.of(interaction).follow_up(text)

    async def _shares(self, interaction: Interaction, stage: Stage) -> tuple[ActionButton, ...]:
        """The button that shares the result of the puzzle of the day; none for other puzzles."""
        if await self.puzzles.daily_result(interaction.user.id, stage.puzzle) is None:
            return ()
        return (ActionButton(ShareResult(stage.puzzle.key), _("Share the result"), emoji="📣"),)

    async def _check_fair(self, interaction: Interaction, stage: Stage, *turns: str) -> None:
        """Raise a refusal if the user plays against a person in this position, or after any of these turns."""
        found = await asyncio.to_thread(lambda: [stage.position, *(stage.position.play(turn)[0] for turn in turns)])
        await self.fair_play.check(interaction.user.id, *found)

    async def _stage(self, press: PuzzlePress) -> Stage:
        puzzle = await self.puzzles.get(press.puzzle)
        if press.ply not in range(0, len(puzzle.solution), 2):
            raise OutdatedPressError
        return Stage(puzzle, press.ply, press.only)

    async def _open(self, interaction: Interaction, stage: Stage) -> None:
        solved = await self.puzzles.see(player_of(interaction.user), stage.puzzle)
        note = _("You have solved this one before.") if solved else _("You have tried this one before.")
        card = partial(puzzle_card, stage, note="" if solved is None else note, counts=solved is None)
        await self._show(interaction, card)

    async def _show_turn(
        self,
        interaction: Interaction,
        stage: Stage,
        entry: TurnEntry | None = None,
        *,
        note: str = "",
        rule: str | None = None,
    ) -> None:
        """Show the turn so far. Before its first element, the card says whether the try counts."""
        begun = entry is not None and (entry.text or entry.area is not None)
        counts = not begun and await self.puzzles.first_try(interaction.user.id, stage.puzzle) is None
        await self._show(interaction, lambda look: puzzle_card(stage, look, entry, note=note, rule=rule, counts=counts))

    async def _judge(self, interaction: Interaction, stage: Stage, turn: str) -> None:
        right = await asyncio.to_thread(stage.puzzle.solves, stage.ply, turn)
        if right and not stage.is_last:
            after = replace(stage, ply=stage.ply + 2)
            await self._show(interaction, lambda look: puzzle_card(after, look, note=puzzles.right_so_far(stage, turn)))
            return
        answered = await self.puzzles.answer(player_of(interaction.user), stage.puzzle, solved=right)
        if not right:
            await self._show(interaction, lambda look: wrong_card(stage, turn, answered, look))
            return
        shares = await self._shares(interaction, stage)
        await self._show(interaction, lambda look: solved_card(stage, turn, answered, look, shares))

    async def _show(self, interaction: Interaction, card: Callable[[render.Look], Message]) -> None:
        look = private_look(await self.languages.load(interaction))
        await Answer.of(interaction).respond(await asyncio.to_thread(card, look))


def puzzle_card(
    stage: Stage,
    look: render.Look,
    entry: TurnEntry | None = None,
    *,
    note: str = "",
    rule: str | None = None,
    counts: bool = False,
) -> Message:
    """A puzzle with the turn under construction, and a ``note`` above the request.

    ``rule`` is the section of the rules by which a turn was refused. If the player's try ``counts``, the card says so.
    Renders pictures: call it in a thread.
    """
    position = stage.position
    entry = entry or TurnEntry.begin(position)
    backdrop = Backdrop(stage.events, f"puzzle-{stage.puzzle.key}-{stage.ply}", whole=True)
    view = entry_view(entry, backdrop, look, partial(stage.press, PuzzleKey, entry.text))
    buttons = [*view.back, *view.end, *view.pass_]
    buttons += [ActionButton(stage.press(TypeSolution, entry.text), _("Type it")), _solution(stage), _next(stage)]
    if len(buttons) < MOST_IN_ROW:
        buttons.append(rules_button(stage.puzzle.ruleset.game) if rule is None else rule_button(rule))
    effect = effect_of(entry, position.turn_of)
    request: list[str] = [effect or puzzles.request(stage)]
    if entry.finished:
        request = [f"**{play_question(entry)}**", effect]
    if counts and rule is None:
        request.append(_("Only your first try counts."))
    elif counts:
        request.insert(0, _("That did not count: you still have your first try."))
    return _card(stage, (note, *request, view.question), view.picture, *buttons, keypad=view.keypad)


def _card(stage: Stage, lines: Iterable[str], picture: Picture, *buttons: ActionButton, keypad: Keypad = ()) -> Message:
    return compose(
        "\n".join(filter(None, [f"### {puzzles.heading(stage)}", *lines])),
        picture=picture,
        footer=puzzles.footer(stage),
        keypad=keypad,
        buttons=buttons,
        colour=scenes.colour(stage.puzzle.ruleset.game),
    )


def wrong_card(stage: Stage, turn: str, answered: FirstTry, look: render.Look) -> Message:
    why = stage.press(AskWhyNot, turn)
    asks = stage.position.play(turn)[0].outcome is None and why.fits
    buttons = (ActionButton(why, _("Why not?")),) if asks else ()
    return _to_try_again(stage, turn, puzzles.wrong(stage, turn, answered), _picture(stage, look, turn), buttons)


def refuted_card(stage: Stage, turn: str, found: SearchResult, look: render.Look) -> Message:
    """The best reply to a wrong turn, found by a search, and what the right turn achieves, without naming it."""
    lines = puzzles.refutation(stage, turn, found)
    return _to_try_again(stage, turn, lines, _picture(stage, look, turn, found.turn))


def _to_try_again(
    stage: Stage, turn: str, lines: Iterable[str], picture: Picture, buttons: tuple[ActionButton, ...] = ()
) -> Message:
    again = ActionButton(stage.press(OpenPuzzle), _("Try again"), discord.ButtonStyle.primary)
    others = _solution(stage, turn), _next(stage), rules_button(stage.puzzle.ruleset.game)
    return _card(stage, lines, picture, again, *buttons, *others)


def solved_card(
    stage: Stage, turn: str, answered: FirstTry, look: render.Look, shares: tuple[ActionButton, ...] = ()
) -> Message:
    lines = puzzles.success(stage, turn, answered)
    buttons = *shares, _next(stage, primary=True), rules_button(stage.puzzle.ruleset.game), _continue(stage)
    return _card(stage, lines, _picture(stage, look, turn), *buttons)


def solution_question(stage: Stage, look: render.Look) -> Message:
    return _card(
        stage,
        [_("**Show the solution?** The puzzle then counts as not solved.")],
        _picture(stage, look),
        ActionButton(stage.press(OpenPuzzle), _("Back")),
        ActionButton(stage.press(ShowSolution, "", True), _("Yes, show it"), discord.ButtonStyle.danger),
    )


def solution_card(
    stage: Stage, answered: FirstTry, look: render.Look, press: ShowSolution, shares: tuple[ActionButton, ...] = ()
) -> Message:
    """One of the remaining turns of the solution, with buttons to the others.

    The first one has the reasons why it is better than the attempt or than other turns.
    """
    turns = stage.puzzle.solution[stage.ply :]
    step = min(press.step, len(turns) - 1)
    lines = list(puzzles.solution(stage, answered, instead_of=press.attempt or None))

    def at(number: int) -> ShowSolution:
        shown = replace(press, sure=True, step=number - 1)
        return shown if shown.fits else replace(shown, attempt="")

    return compose(
        f"### {puzzles.heading(stage)}\n{lines[step]}",
        picture=_picture(stage, look, *turns[: step + 1]),
        footer=puzzles.terms(stage.puzzle),
        buttons=(
            *turners(at, step + 1, len(turns)),
            *shares,
            ActionButton(stage.press(OpenPuzzle), _("Try again")),
            _next(stage, primary=True),
        ),
        more_buttons=(rules_button(stage.puzzle.ruleset.game), _continue(stage)),
        colour=scenes.colour(stage.puzzle.ruleset.game),
    )


def result_card(result: DailyResult, by: Player) -> Message:
    """The result of the puzzle of a day, which names no turn."""
    stage = Stage(result.puzzle)
    return compose(
        puzzles.daily_result(result),
        footer=_("Shared by {player}").format(player=words.name(by)),
        buttons=(ActionButton(stage.press(OpenPuzzle), _("Solve"), discord.ButtonStyle.success, "🧩"),),
        colour=scenes.colour(result.puzzle.ruleset.game),
    )


def _picture(stage: Stage, look: render.Look, *turns: str) -> Picture:
    after, events = stage.position, stage.events
    for turn in turns:
        after, events = after.play(turn)
    return scenes.picture(f"puzzle-{stage.puzzle.key}-{stage.ply}-{digest(' '.join(turns))}.png", after, events, look)


def _continue(stage: Stage) -> ActionButton:
    """The button that starts a match from the beginning of a solved or shown puzzle."""
    return continue_button(Origin.PUZZLE, stage.puzzle.key, 0)


def _solution(stage: Stage, tried: str = "") -> ActionButton:
    """The button that shows the solution, compared with the turn ``tried`` if that fits into its id."""
    compared = stage.press(ShowSolution, tried)
    return ActionButton(compared if compared.fits else stage.press(ShowSolution), _("Show the solution"))


def _next(stage: Stage, *, primary: bool = False) -> ActionButton:
    style = discord.ButtonStyle.primary if primary else discord.ButtonStyle.secondary
    return ActionButton(NextPuzzle(stage.only), _("Next puzzle"), style)

"""*Continue from here*: a casual match that begins with a position of a match, puzzle, task or lesson."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import partial
from typing import Any

import discord

import render
import rules
from bot.discord.features.challenges.challenge import ChallengeCommands, find_opponent
from bot.discord.features.challenges.challenge_form import ANYBODY, Level
from bot.discord.features.challenges.computer import AgainstComputer
from bot.discord.interaction.access import Access
from bot.discord.interaction.feature import Feature, handles
from bot.discord.interaction.interactions import Interaction, is_computer, player_of
from bot.discord.interaction.languages import Languages
from bot.discord.interaction.permissions import check_challenge, check_permissions
from bot.discord.transport.answers import Answer
from bot.discord.ui import scenes
from bot.discord.ui.actions import ContinueFrom, Origin
from bot.discord.ui.messages import ActionButton, Message, compose
from bot.discord.ui.presses import Id, OutdatedPressError, Press, user_input
from bot.domain import challenges
from bot.domain.challenges import First
from bot.domain.players import Player
from bot.pictures import private_look
from bot.services.fair_play import FairPlay
from bot.services.history import History
from bot.services.matches import Matches
from bot.services.study.puzzles import Puzzles
from bot.texts import gettext as _
from bot.wording import words
from bot.wording.tasks import tasks_of
from rules import Ruleset, Side
from rules.pages import LESSONS, Example, sections


class ContinuationPress(Press):
    """A press on the card with the terms: the position, the user's side and the opponent."""

    start: ContinueFrom
    side: Side
    opponent_id: Id


class ChangeTerms(ContinuationPress, action="continue-as"):
    """Show the terms with this side and opponent."""


class ChallengeTo(ContinuationPress, action="continue-with"):
    """Choose another opponent from the menu."""

    opponents: tuple[Id, ...] = user_input()


class SendContinuation(ContinuationPress, action="continue-send"):
    pass


class ContinueAgainst(ContinuationPress, action="continue-against"):
    """Play against the computer at a level, or ask for the level."""

    level: Level | None = None


@dataclass
class ContinuationButtons(Feature):
    matches: Matches
    history: History
    puzzles: Puzzles
    fair_play: FairPlay
    access: Access
    languages: Languages
    challenges: ChallengeCommands
    against_computer: AgainstComputer

    @handles(ContinueFrom)
    async def open(self, interaction: Interaction, press: ContinueFrom) -> None:
        ruleset = await self._ruleset(interaction, press)
        await Answer.of(interaction).follow_up(await self._card(interaction, ruleset, press, None, None))

    @handles(ChangeTerms, ChallengeTo)
    async def change(self, interaction: Interaction, press: ContinuationPress) -> None:
        ruleset = await self._ruleset(interaction, press.start)
        chosen_ones = press.opponents if isinstance(press, ChallengeTo) else (press.opponent_id,)
        opponent_id = next(iter(chosen_ones), ANYBODY)
        opponent = await find_opponent(interaction, opponent_id)
        if is_computer(interaction, opponent):
            await self._ask_level(interaction, ruleset, press)
            return
        await check_challenge(interaction, opponent)
        person = None if opponent is None else player_of(opponent)
        await Answer.of(interaction).respond(await self._card(interaction, ruleset, press.start, press.side, person))

    @handles(SendContinuation)
    async def send(self, interaction: Interaction, press: SendContinuation) -> None:
        ruleset = await self._ruleset(interaction, press.start)
        opponent, first = await find_opponent(interaction, press.opponent_id), await _seat(ruleset, press.side)
        if await self.challenges.send(interaction, opponent, ruleset, first, rated=False, control=None):
            await Answer.of(interaction).respond(_("✅ The challenge is in the channel."))

    @handles(ContinueAgainst)
    async def start(self, interaction: Interaction, press: ContinueAgainst) -> None:
        ruleset = await self._ruleset(interaction, press.start)
        await self.fair_play.check(interaction.user.id, await asyncio.to_thread(ruleset.start))
        if press.level is None:
            await self._ask_level(interaction, ruleset, press)
            return
        check_permissions(interaction)
        other = partial(_against, press)
        await self.against_computer.start(
            interaction, press.level, ruleset, await _seat(ruleset, press.side), press=other
        )

    async def _ask_level(self, interaction: Interaction, ruleset: Ruleset, press: ContinuationPress) -> None:
        back = ActionButton(ChangeTerms(press.start, press.side, ANYBODY), _("Back"))
        card = await self.against_computer.level_choice(interaction, ruleset, partial(_against, press), back=(back,))
        await Answer.of(interaction).respond(card)

    async def _ruleset(self, interaction: Interaction, press: ContinueFrom) -> Ruleset:
        """The ruleset of a match that begins with the position. Raises a refusal unless the user may see it."""
        match press.origin:
            case Origin.MATCH:
                viewer = self.access.viewer_of(interaction)
                game = await self.matches.game_of(await self.history.look_up(viewer, _number(press.name)))
                return await asyncio.to_thread(challenges.from_match, game, press.at)
            case Origin.PUZZLE:
                puzzle = await self.puzzles.get(press.name)
                return await asyncio.to_thread(challenges.from_turns, puzzle.ruleset, puzzle.turns)
        return await asyncio.to_thread(lambda: challenges.from_example(_example(press)))

    async def _card(
        self,
        interaction: Interaction,
        ruleset: Ruleset,
        start: ContinueFrom,
        side: Side | None,
        opponent: Player | None,
    ) -> Message:
        look = private_look(await self.languages.load(interaction))
        return await asyncio.to_thread(continuation_card, ruleset, start, side, opponent, look)


def continuation_card(
    ruleset: Ruleset, start: ContinueFrom, side: Side | None, opponent: Player | None, look: render.Look
) -> Message:
    """The position with the terms: the user's side, by default the side to play, and the opponent.

    Renders pictures: call it in a thread.
    """
    position = ruleset.start()
    sides_are_known, opponent_id = position.second_player is not None, ANYBODY if opponent is None else opponent.id
    mine = side if side is not None else position.turn_of if sides_are_known else Side.SECOND
    picker: discord.ui.UserSelect[Any] = discord.ui.UserSelect(
        custom_id=ChallengeTo(start, mine, opponent_id).custom_id,
        placeholder=_("Anybody here may accept"),
        min_values=0,
        default_values=[] if opponent is None else [discord.Object(opponent.id)],
    )
    if sides_are_known:
        state = _("{side} to play").format(side=words.side(ruleset, position.turn_of))
        labels = [_("I play {side}").format(side=words.side(ruleset, offered)) for offered in Side]
    else:
        state, labels = _("a side is chosen next"), [_("My opponent chooses"), _("I choose a side")]
    sides = (
        ActionButton(
            ChangeTerms(start, offered, opponent_id),
            label,
            discord.ButtonStyle.primary if offered is mine else discord.ButtonStyle.secondary,
        )
        for offered, label in zip(Side, labels, strict=True)
    )
    return compose(
        _("### ⏩ Continue from here"),
        f"**{words.terms(ruleset, rated=False)}** · {state}",
        picture=scenes.picture("continue.png", position, (), look),
        menus=(picker,),
        buttons=tuple(sides),
        more_buttons=(
            ActionButton(
                SendContinuation(start, mine, opponent_id), _("Send the challenge"), discord.ButtonStyle.success
            ),
            ActionButton(ContinueAgainst(start, mine, opponent_id), _("The computer"), emoji="🤖"),
        ),
        colour=scenes.colour(ruleset.game),
    )


def _against(press: ContinuationPress, level: int) -> ContinueAgainst:
    return ContinueAgainst(press.start, press.side, press.opponent_id, level)


async def _seat(ruleset: Ruleset, side: Side) -> First:
    return await asyncio.to_thread(lambda: challenges.seat_for(side, ruleset.start()))


def _number(name: str) -> int:
    """The number of a match. Raises :class:`OutdatedPressError`."""
    if not name.isascii() or not name.isdecimal() or int(name) >= 2**63:
        raise OutdatedPressError
    return int(name)


def _example(press: ContinueFrom) -> Example:
    """The example of a task or lesson. Raises :class:`OutdatedPressError`."""
    game = rules.GAMES.get(press.name)
    if game is None:
        raise OutdatedPressError
    examples: list[Example | None] = [task.example for task in tasks_of(game)]
    if press.origin is Origin.LESSON:
        examples = [challenges.example_among(lesson.content) for lesson in sections(f"{game.name}{LESSONS}")[1:]]
    example = examples[press.at] if press.at < len(examples) else None
    if example is None:
        raise OutdatedPressError
    return example

"""The puzzle of the day: posting it on servers, and updating the number of solvers."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, replace

import discord
import structlog

import render
from bot import texts
from bot.discord.features.study.puzzle import OpenPuzzle, Stage
from bot.discord.interaction.feature import Feature
from bot.discord.interaction.languages import Languages
from bot.discord.transport.sender import NotShownError, Sender
from bot.discord.ui import scenes
from bot.discord.ui.actions import rules_button
from bot.discord.ui.messages import ActionButton, Message, compose
from bot.domain.deliveries import PostedMessage
from bot.domain.places import Place
from bot.domain.study.puzzles import DailyPuzzle, PuzzleCount, UnknownPuzzleError
from bot.domain.timers import TimerKind
from bot.pictures import public_look
from bot.runtime.timers import RetryLaterError, on_timer
from bot.services.people.settings import Settings
from bot.services.study.puzzles import Puzzles
from bot.texts import gettext as _
from bot.wording import puzzles

_LOG = structlog.get_logger(__name__)


@dataclass
class DailyPuzzles(Feature):
    puzzles: Puzzles
    settings: Settings
    languages: Languages
    sender: Sender

    @on_timer(TimerKind.DAILY_PUZZLE)
    async def post(self, server_id: int) -> None:
        """Post today's puzzle on a server, unless it has been posted."""
        daily = await self.puzzles.to_post(server_id)
        if daily is None:
            return
        card = replace(await self._card(daily), silent=True)
        nonce = f"z{daily.server_id}.{daily.day.toordinal() % 1000}"  # at most 25 characters on Discord
        try:
            place = Place(daily.server_id, daily.channel_id)
            message_id = await self.sender.send(daily.channel_id, card, nonce=nonce, place=place)
        except NotShownError as error:
            _LOG.info("daily_puzzle_not_posted", channel=error.channel_id, reason=str(error))
            if error.gone:
                await self.puzzles.give_up(daily)
            elif error.closed:
                await self.puzzles.skip(server_id)
            else:
                raise RetryLaterError from error
            return
        await self.puzzles.set_posted(replace(daily, message_id=message_id))

    @on_timer(TimerKind.PUZZLE_COUNT)
    async def recount(self, server_id: int) -> None:
        """Update the number of solvers in the latest messages."""
        while outdated := await self.puzzles.outdated_counts(server_id):  # players may solve a puzzle meanwhile
            for daily in outdated:
                await self._show_count(daily)

    async def _show_count(self, daily: DailyPuzzle) -> None:
        assert daily.message_id is not None, "it was posted"
        try:
            with suppress(UnknownPuzzleError):  # this version may no longer have it
                card = await self._card(daily, draw=False)
                await self.sender.edit(PostedMessage(daily.channel_id, daily.message_id, 0), card, patient=True)
        except NotShownError as error:
            if not error.closed:
                raise RetryLaterError from error
        await self.puzzles.set_counted(daily)

    async def _card(self, daily: DailyPuzzle, *, draw: bool = True) -> Message:
        stage = Stage(await self.puzzles.get(daily.puzzle))
        settings = await self.settings.server_settings(daily.server_id)
        with texts.in_language(await self.languages.of_server(daily.server_id, settings)):
            return await asyncio.to_thread(daily_card, stage, daily.count, public_look(settings), draw=draw)


def daily_card(stage: Stage, count: PuzzleCount, look: render.Look, *, draw: bool = True) -> Message:
    """The position and the number of solvers. Without ``draw``, the message keeps its picture.

    Renders pictures: call it in a thread.
    """
    game, solvers = stage.puzzle.ruleset.game, ""
    if count.tried:
        solvers = _("Solved at the first try by {solved} of {count}.").format(solved=count.solved, count=count.tried)
    heading = _("### 🧩 Puzzle of the day · {game}").format(game=game.title)
    return compose(
        "\n".join(filter(None, [heading, puzzles.request(stage), solvers])),
        picture=scenes.picture(f"puzzle-{stage.puzzle.key}.png", stage.position, stage.events, look, draw=draw),
        footer=puzzles.footer(stage),
        buttons=(
            ActionButton(stage.press(OpenPuzzle), _("Solve"), discord.ButtonStyle.success, "🧩"),
            rules_button(game),
        ),
        colour=scenes.colour(game),
    )

"""Acknowledges every interaction in time, calls its handler in the user's language, and explains failures."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import discord
from discord import app_commands

from bot.discord.features.people.digests import tell_refusal
from bot.discord.gateway.router import Router
from bot.discord.interaction import errors, limits
from bot.discord.interaction.feature import is_loading_preferences
from bot.discord.interaction.languages import Languages
from bot.discord.interaction.private_cards import PrivateCards
from bot.discord.transport.answers import Answer
from bot.discord.transport.in_flight import InFlight
from bot.discord.transport.sender import Sender
from bot.discord.transport.servers import Servers
from bot.discord.ui.markdown import CommandMentions
from bot.discord.ui.messages import Form
from bot.discord.ui.presses import Press
from bot.pictures import draw_for
from bot.runtime import metrics
from bot.runtime.metrics import InteractionOutcome
from bot.services.people.reminders import Reminders
from bot.storage.failures import watch_writes
from bot.texts import gettext as _

#: The name of unknown presses and commands in metrics.
_UNKNOWN = "unknown"
#: Maximum number of seconds for opening a form, which leaves time to explain a failure.
_FORM_PATIENCE = 1.5


@dataclass
class Dispatcher:
    router: Router
    languages: Languages
    servers: Servers
    sender: Sender
    reminders: Reminders
    in_flight: InFlight
    private_cards: PrivateCards
    command_mentions: CommandMentions
    catch_up_later: Callable[[], None]

    def __post_init__(self) -> None:
        #: The users who do not know yet that their digests have stopped.
        self._uninformed: set[int] = set()

    async def begin_command(self, interaction: discord.Interaction[Any]) -> bool:
        """Acknowledge a command; return False if it must not run: too late, refused, or for another process."""
        if not self.servers.concerns(interaction):
            return False
        self._receive(interaction)
        acknowledged = await Answer.of(interaction).defer()
        if not _loads_preferences(interaction):
            await self._load_language(interaction)
        if not acknowledged:
            metrics.INTERACTIONS.labels(_command_name(interaction), InteractionOutcome.UNACKNOWLEDGED).inc()
            return False
        try:
            await self._check(interaction, limits.check_options)
        except errors.RefusalError as error:
            await self.fail(interaction, error)
            return False
        await self.in_flight.wait_for_room(interaction.user.id)
        return True

    async def begin_autocomplete(self, interaction: discord.Interaction[Any]) -> None:
        limits.cut_options(interaction)
        draw_for(interaction.user.id)
        self.languages.hear(interaction)
        await self._load_language(interaction)

    async def press(self, interaction: discord.Interaction[Any]) -> None:
        """Handle a press of a button, a choice from a menu, or a submitted form."""
        if not self.servers.concerns(interaction):
            return
        name, outcome, loads_preferences = _UNKNOWN, InteractionOutcome.DONE, False
        try:
            self._receive(interaction)
            press = self.router.read(interaction)
            name = press.action
            form = await self._form(interaction, press)
            if not await Answer.of(interaction).defer(form):
                outcome = InteractionOutcome.UNACKNOWLEDGED
            elif form is None:
                async with Answer.of(interaction).announced():
                    loads_preferences = self.router.loads_preferences(press)
                    if not loads_preferences:
                        await self._load_language(interaction)
                    await self._check(interaction, partial(limits.check_fields, press))
                    await self.in_flight.wait_for_room(interaction.user.id)
                    self.private_cards.untrack(interaction)
                    await self.router.handle(interaction, press)
                await self._tell_refusal(interaction)
        except Exception as error:
            if loads_preferences:
                await self._load_language(interaction)
            outcome = await errors.answer_failure(interaction, error, self.command_mentions)
        self._finish(name, outcome)

    async def _form(self, interaction: discord.Interaction[Any], press: Press) -> Form | None:
        """The form that a press opens; None if it opens none, so it is acknowledged before anything is loaded."""
        if not self.router.opens_form(press):
            return None
        try:
            async with asyncio.timeout(_FORM_PATIENCE):
                await self._load_language(interaction)
                return await self.router.form(interaction, press)
        except TimeoutError:
            raise errors.RefusalError(_("I have a lot to do at the moment. Please press that again.")) from None

    async def fail(self, interaction: discord.Interaction[Any], error: Exception) -> None:
        """Answer a command that failed."""
        if _loads_preferences(interaction):
            await self._load_language(interaction)
        self._finish(_command_name(interaction), await errors.answer_failure(interaction, error, self.command_mentions))

    async def complete(self, interaction: discord.Interaction[Any]) -> None:
        """Finish a command that has succeeded."""
        await self._tell_refusal(interaction)
        self._finish(_command_name(interaction), InteractionOutcome.DONE)

    async def _tell_refusal(self, interaction: discord.Interaction[Any]) -> None:
        """Tell a user once that their digests have stopped, because the last one could not be delivered."""
        if interaction.user.id in self._uninformed:
            self._uninformed.discard(interaction.user.id)
            await tell_refusal(interaction, self.reminders, self.command_mentions)

    def _finish(self, name: str, outcome: InteractionOutcome) -> None:
        metrics.INTERACTIONS.labels(name, outcome).inc()
        if outcome is InteractionOutcome.FAILED:  # it may have stored a change and not shown it
            self.catch_up_later()

    def _receive(self, interaction: discord.Interaction[Any]) -> None:
        """Prepare the current task for an interaction. From now on, a stop waits for it."""
        Answer.of(interaction)  # measures the time from now on
        self.languages.hear(interaction)
        self.sender.remember(interaction)
        watch_writes()
        draw_for(interaction.user.id)
        self.in_flight.add_current_task()

    async def _check(self, interaction: discord.Interaction[Any], check: Callable[[Any], None]) -> None:
        """Raise the refusal of a failed check, in the user's language."""
        try:
            check(interaction)
        except errors.RefusalError:
            await self._load_language(interaction)
            check(interaction)

    async def _load_language(self, interaction: discord.Interaction[Any]) -> None:
        if (await self.languages.load(interaction)).digest_refused:
            self._uninformed.add(interaction.user.id)


def _loads_preferences(interaction: discord.Interaction[Any]) -> bool:
    return is_loading_preferences(getattr(interaction.command, "callback", None))


def _command_name(interaction: discord.Interaction[Any]) -> str:
    return _UNKNOWN if interaction.command is None else interaction.command.qualified_name


class CommandTree(app_commands.CommandTree[Any]):
    """Acknowledges every command before its callback runs, and explains every failure."""

    def __init__(self, client: discord.Client, dispatcher: Dispatcher) -> None:
        super().__init__(
            client,
            allowed_installs=app_commands.AppInstallationType(guild=True, user=True),
            allowed_contexts=app_commands.AppCommandContext(guild=True, dm_channel=True, private_channel=True),
        )
        self.dispatcher = dispatcher

    async def interaction_check(self, interaction: discord.Interaction[Any]) -> bool:
        if interaction.type is discord.InteractionType.autocomplete:
            await self.dispatcher.begin_autocomplete(interaction)
            return True
        return await self.dispatcher.begin_command(interaction)

    async def on_error(self, interaction: discord.Interaction[Any], error: app_commands.AppCommandError) -> None:
        if interaction.type is discord.InteractionType.autocomplete:
            await interaction.response.autocomplete([])
        else:
            await self.dispatcher.fail(interaction, error)

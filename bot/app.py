"""The application: a Discord client with the commands, the domain and what they need, wired together."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import discord
import structlog
from discord import app_commands

import render
from bot import texts
from bot.config import Settings
from bot.discord import errors, lengths, replies
from bot.discord.cards import words
from bot.discord.commands import COMMANDS
from bot.discord.delivery import answer_through
from bot.discord.languages import language_for, locale_language
from bot.discord.messages import ActionButton, ActionMenu, Form, Press
from bot.discord.presenter import Presenter
from bot.discord.router import form_for, handle_press
from bot.discord.timer_handlers import Absence, Bells
from bot.discord.tournament_presenter import TournamentDesk
from bot.discord.translator import CommandTranslator
from bot.services.clocks import Timekeeper
from bot.services.fair_queue import FairQueue
from bot.services.history import History
from bot.services.matches import Matches
from bot.services.preferences import PreferenceService
from bot.services.privacy import FairPlay
from bot.services.proposals import Proposals
from bot.services.ratings import Ratings
from bot.services.timers import Alarms, Sleeper
from bot.services.tournaments import Tournaments
from bot.storage import Database, Storage

_LOG = structlog.get_logger(__name__)
_COMMANDS_MEMO = "registered-commands"
#: Seconds that a stop waits for what is being done.
_LAST_WORDS = 5.0
#: Films that one person may wait for.
_FILMS = 3


def utc_now() -> datetime:
    return datetime.now(UTC)


class Hexgrove(discord.Client):
    """The bot. It stores in ``settings.database_url``; ``clock`` tells the time in UTC."""

    def __init__(self, settings: Settings, *, clock: Callable[[], datetime] = utc_now) -> None:
        super().__init__(
            intents=discord.Intents(guilds=True),
            allowed_mentions=discord.AllowedMentions.none(),
            member_cache_flags=discord.MemberCacheFlags.none(),
        )
        self.tree = Tree(
            self,
            allowed_installs=app_commands.AppInstallationType(guild=True, user=True),
            allowed_contexts=app_commands.AppCommandContext(guild=True, dm_channel=True, private_channel=True),
        )
        for command in COMMANDS:
            self.tree.add_command(command)
        self.database = Database(settings.database_url)
        self.storage = Storage(self.database)
        self.matches = Matches(self.storage, clock=clock, challenge_lifetime=settings.challenge_lifetime)
        self.proposals = Proposals(self.storage, self.matches, clock=clock)
        self.history = History(self.storage, self.matches)
        self.ratings = Ratings(self.storage, clock=clock)
        self.preferences = PreferenceService(self.storage, themes=render.THEME_NAMES, languages=texts.LANGUAGES)
        self.fair_play = FairPlay(self.storage, clock=clock)
        self.presenter = Presenter(self, self.matches, self.storage)
        self.tournaments = Tournaments(self.storage, self.matches, clock=clock)
        self.desk = TournamentDesk(self, self.tournaments, self.presenter, self.storage)
        self.timekeeper = Timekeeper(self.storage, self.matches, clock=clock)
        alarms = Alarms(self.storage, Bells(self).handlers, clock)
        self.timers = Sleeper(self.storage.next_timer, alarms.ring, clock)
        self._absence = Absence(clock)
        self.connected = False
        #: Animated pictures take seconds to draw, and the boards of others wait for nobody's film.
        self.filming = FairQueue(_FILMS)
        self._working: set[asyncio.Task[Any]] = set()

    async def login(self, token: str) -> None:
        await self.database.migrate()  # Discord is not troubled as long as there is no database
        await super().login(token)

    async def setup_hook(self) -> None:
        await self.ratings.catch_up()
        self.add_dynamic_items(ActionButton, ActionMenu)
        await self.tree.set_translator(CommandTranslator())
        await self._register_commands()
        await self.timekeeper.make_up_for_stop()
        await self.matches.purge()
        await self.timers.wake()
        # Interactions may come before this is done; what they show is not shown again.
        self.presenter.start_catching_up()
        self.presenter.start_warming_up()

    async def close(self) -> None:
        # What people have just done is shown before the connection goes, and nothing uses the database after it went.
        working = {*self._working, *self.timers.stop(), *self.presenter.stop()}
        if working:
            _, late = await asyncio.wait(working, timeout=_LAST_WORDS)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        await super().close()
        if self.connected:
            await self.timekeeper.note_presence()
        await self.presenter.note_retired()
        await self.database.close()

    async def on_connect(self) -> None:
        await self._back()

    async def on_resumed(self) -> None:
        await self._back()

    async def on_disconnect(self) -> None:
        self.connected = False
        self._absence.begin()

    async def _back(self) -> None:
        try:
            await self.has_been_away()
        finally:
            self.connected = True

    async def beat(self) -> None:
        """Tells, every 20 seconds or so, that the process is running."""
        await self.has_been_away()
        self._absence.beat()

    async def has_been_away(self) -> bool:
        """Whether Discord was out of reach until now, or the process stood still, as on a computer that slept: nobody
        is charged for that time."""
        since = self._absence.end()
        if since is None:
            return False
        try:
            await self.timekeeper.make_up_for(since)
        except BaseException:
            self._absence.begin(since)  # that is tried again
            raise
        await self.timers.wake()
        return True

    async def on_app_command_completion(self, interaction: discord.Interaction[Any], *_: object) -> None:
        await self.done(interaction)

    async def done(self, interaction: discord.Interaction[Any]) -> None:
        """What was done for an interaction may have set a timer, even if it failed in the end."""
        if self.is_closed():
            return
        try:
            await self.timers.wake()
        except Exception:
            _LOG.exception("timers_not_read", interaction=interaction.id)

    async def on_ready(self) -> None:
        _LOG.info("ready", user=str(self.user), guilds=len(self.guilds))

    async def on_guild_join(self, _guild: discord.Guild) -> None:
        self.presenter.start_catching_up()  # it may be back where matches are running

    async def on_interaction(self, interaction: discord.Interaction[Hexgrove]) -> None:
        if interaction.type is discord.InteractionType.modal_submit:
            await self.pressed(interaction, Form.press(interaction))

    async def begin(self, interaction: discord.Interaction[Hexgrove]) -> bool:
        """Acknowledges an interaction; False when it is too late and nothing should be done."""
        self._attend(interaction)
        acknowledged = await replies.acknowledge(interaction)
        await self.speak_to(interaction)
        return acknowledged

    def _attend(self, interaction: discord.Interaction[Hexgrove]) -> None:
        """What is done for the interaction from now on is in its language and place, and a stop waits for it."""
        texts.speak(locale_language(interaction))
        answer_through(interaction)
        task = asyncio.current_task()
        assert task is not None
        self._working.add(task)
        task.add_done_callback(self._working.discard)

    async def speak_to(self, interaction: discord.Interaction[Hexgrove]) -> None:
        """From here on the running task speaks the language that the user has chosen."""
        try:
            texts.speak(await language_for(interaction))
        except Exception:  # whoever asks for something gets an answer, in whatever language
            _LOG.exception("language_not_read", interaction=interaction.id)

    async def pressed(self, interaction: discord.Interaction[Hexgrove], press: Press | None) -> None:
        """Every press of a button, choice from a menu and form that was filled in comes here."""
        try:
            self._attend(interaction)
            await self.speak_to(interaction)  # before the acknowledgement, for that may be a form
            lengths.check_fields(press)
            form = await form_for(interaction, press)
            if await replies.acknowledge(interaction, form) and form is None:
                await handle_press(interaction, press)
        except Exception as error:
            await errors.answer(interaction, error)
        await self.done(interaction)

    async def _register_commands(self) -> None:
        """Registers the commands with Discord when they differ from those that were registered last.

        What Discord has is compared too, by ids, for somebody else may have removed commands.
        """
        translator = self.tree.translator
        assert translator is not None
        ours = [await command.get_translated_payload(self.tree, translator) for command in self.tree.get_commands()]
        digest = hashlib.sha256(json.dumps(ours, sort_keys=True).encode()).hexdigest()
        registered = await self.tree.fetch_commands()
        if await self.storage.memo(_COMMANDS_MEMO) != _registration(digest, registered):
            registered = await self.tree.sync()
            await self.storage.set_memo(_COMMANDS_MEMO, _registration(digest, registered))
            _LOG.info("commands_registered", count=len(registered))
        words.COMMAND_IDS.update({command.name: command.id for command in registered})
        for command in registered:
            for part in command.options:
                if isinstance(part, app_commands.AppCommandGroup):
                    words.COMMAND_IDS[f"{command.name} {part.name}"] = command.id


class Tree(app_commands.CommandTree[Hexgrove]):
    """Acknowledges every command before its callback runs, and answers every failure."""

    async def interaction_check(self, interaction: discord.Interaction[Hexgrove]) -> bool:
        if interaction.type is discord.InteractionType.autocomplete:
            lengths.cut_options(interaction)
            texts.speak(locale_language(interaction))
            await interaction.client.speak_to(interaction)
            return True
        if not await interaction.client.begin(interaction):
            return False
        try:
            lengths.check_options(interaction)
        except errors.RefusalError as error:
            await errors.answer(interaction, error)
            return False
        return True

    async def on_error(self, interaction: discord.Interaction[Any], error: app_commands.AppCommandError) -> None:
        if interaction.type is discord.InteractionType.autocomplete:
            await interaction.response.autocomplete([])
        else:
            await errors.answer(interaction, error)
            await interaction.client.done(interaction)


def _registration(digest: str, commands: list[app_commands.AppCommand]) -> str:
    return " ".join([digest, *sorted(str(command.id) for command in commands)])

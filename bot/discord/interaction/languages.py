"""The languages of private answers and of cards that everybody sees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import discord
import structlog

from bot import texts
from bot.discord.transport.requests import DISCORD_FAILURES
from bot.discord.transport.servers import Servers
from bot.domain.deliveries import MatchDelivery
from bot.domain.matches import Match
from bot.domain.preferences import Preferences, ServerSettings
from bot.runtime.recent import Recent
from bot.services.people.settings import Settings

_LOG = structlog.get_logger(__name__)
#: Maximum number of entries to remember of each kind.
_REMEMBERED = 1000


def locale_language(interaction: discord.Interaction[Any]) -> str:
    """Return the language of the user's Discord client, which needs no query."""
    return texts.language_of(interaction.locale.value)


@dataclass
class Languages:
    client: discord.Client
    servers: Servers
    settings: Settings

    def __post_init__(self) -> None:
        #: By user id, the client languages of people who have recently used the bot outside servers.
        self._language_of: Recent[int, str] = Recent(_REMEMBERED)
        #: By interaction id, the preferences loaded for recent interactions.
        self._preferences_of: Recent[int, Preferences] = Recent(_REMEMBERED)

    def hear(self, interaction: discord.Interaction[Any]) -> None:
        """Use the language of the user's Discord client until their preferences are loaded."""
        language = locale_language(interaction)
        texts.set_language(language)
        if interaction.guild_id is None:
            self._language_of[interaction.user.id] = language

    async def load(self, interaction: discord.Interaction[Any]) -> Preferences:
        """Load the user's preferences, once for each interaction, and use their language.

        If loading fails, the defaults apply: an answer in the wrong language is better than none.
        """
        loaded = self._preferences_of.get(interaction.id)
        if loaded is None:
            try:
                loaded = await self.settings.preferences(interaction.user.id)
            except Exception:
                _LOG.exception("preferences_not_read", interaction=interaction.id)
                loaded = Preferences()
        self.speak(interaction, loaded)
        return loaded

    def speak(self, interaction: discord.Interaction[Any], preferences: Preferences) -> None:
        """Use the language of the user's ``preferences``, and remember these for the interaction."""
        self._preferences_of[interaction.id] = preferences
        texts.set_language(preferences.language or locale_language(interaction))

    async def of_user(self, interaction: discord.Interaction[Any]) -> str:
        """Return the language that an interaction's user has chosen, or else their client's."""
        loaded = await self.settings.preferences(interaction.user.id)
        return loaded.language or locale_language(interaction)

    async def of_match(self, match: Match, delivery: MatchDelivery, settings: ServerSettings | None = None) -> str:
        """Return the language of a match's cards in a home.

        It is the server's or, outside servers, the language of the stranger or of the computer's opponent.
        """
        guild_id, person_id = delivery.home.guild_id, delivery.player_id
        if match.computer is not None:
            person_id = match.opponent_of(match.computer.id).id
        if guild_id is not None or person_id is None:
            return await self.of_server(guild_id, settings)
        chosen = (await self.settings.preferences(person_id)).language
        return chosen or self._language_of.get(person_id) or texts.current_language()

    async def of_server(self, guild_id: int | None, settings: ServerSettings | None = None) -> str:
        """Return the language chosen for a server, or else the server's own; ``settings`` are its settings, if loaded.

        Where the bot is not a member, it only answers interactions, so the user's language applies.
        """
        if guild_id is None:
            return texts.current_language()
        chosen = (settings or await self.settings.server_settings(guild_id)).language
        if chosen is not None:
            return chosen
        guild = self.servers.get(guild_id) or await self._fetch(guild_id)
        return texts.current_language() if guild is None else texts.language_of(guild.preferred_locale.value)

    async def _fetch(self, guild_id: int) -> discord.Guild | None:
        """A server that is not known yet, or belongs to another process; None where the bot is not a member."""
        if self.servers.is_ready(guild_id) or self.servers.lacks(guild_id):
            return None
        try:
            return await self.client.fetch_guild(guild_id, with_counts=False)
        except (discord.NotFound, discord.Forbidden):
            self.servers.note_absence(guild_id)
        except DISCORD_FAILURES:
            pass
        return None

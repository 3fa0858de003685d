"""How players want to see and play, and how servers want to be played in."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from bot.domain.errors import InvalidSettingError
from bot.domain.players import Player
from bot.domain.preferences import ORIENTATIONS, Bottom, Confirmation, Outside, PlayIn, Preferences, ServerSettings
from bot.storage import Storage


class PreferenceService:
    """Tells and changes settings. ``themes`` and ``languages`` are the names that these settings may have."""

    def __init__(self, storage: Storage, *, themes: Collection[str], languages: Collection[str]) -> None:
        self._storage = storage
        self._allowed: dict[str, tuple[object, ...]] = {
            "theme": (None, *themes),
            "language": (None, *languages),
            "orientation": (*Bottom, *range(ORIENTATIONS)),
            "confirmation": tuple(Confirmation),
            "coordinates": (True, False),
            "pings": (True, False),
            "outside": tuple(Outside),
            "play_in": tuple(PlayIn),
        }

    async def preferences(self, player_id: int) -> Preferences:
        return await self._storage.preferences(player_id)

    async def change_preferences(self, player: Player, **changes: Any) -> Preferences:
        """Changes the named fields of the player's :class:`Preferences`: all of them, or none when one is invalid."""
        checked = {name: self._checked(name, value) for name, value in changes.items()}
        replace(Preferences(), **checked)
        await self._storage.change_preferences(player, checked)
        return await self.preferences(player.id)

    async def server_settings(self, guild_id: int) -> ServerSettings:
        return await self._storage.server_settings(guild_id)

    async def change_server_settings(self, guild_id: int, **changes: Any) -> ServerSettings:
        """Changes the named fields of the server's :class:`ServerSettings`: all of them, or none when one is invalid.

        Whoever calls this knows that the person may do so.
        """
        checked = {name: self._checked(name, value) for name, value in changes.items()}
        replace(ServerSettings(), **checked)
        await self._storage.change_server_settings(guild_id, checked)
        return await self.server_settings(guild_id)

    async def needs_hint(self, player: Player, game: str) -> bool:
        """Whether the player has still to see the game's hint for newcomers."""
        return not await self._storage.has_seen_hint(player, game)

    async def hint_shown(self, player: Player, game: str) -> None:
        """The player has seen the game's hint, and needs it no more."""
        await self._storage.see_hint(player, game)

    def _checked(self, name: str, value: Any) -> Any:
        """The value, as the member of its enumeration when it has one."""
        if name not in self._allowed:
            return value
        for allowed in self._allowed[name]:
            if allowed == value:
                return allowed
        raise InvalidSettingError(name, value, self._allowed[name])

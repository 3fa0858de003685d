"""The preferences of players and the settings of servers."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

from bot.domain.players import Player
from bot.domain.preferences import (
    ORIENTATIONS,
    BoardCards,
    Bottom,
    Confirmation,
    InvalidSettingError,
    Outside,
    PlayIn,
    Preferences,
    ServerSettings,
)
from bot.services.people.programs import rename_programs
from bot.storage import Storage


@dataclass
class Settings:
    """Preferences and server settings; ``themes`` and ``languages`` are the allowed names."""

    storage: Storage
    themes: Collection[str]
    languages: Collection[str]

    def __post_init__(self) -> None:
        self._choices: dict[str, tuple[object, ...]] = {
            "theme": (None, *self.themes),
            "language": (None, *self.languages),
            "orientation": (*Bottom, *range(ORIENTATIONS)),
            "confirmation": tuple(Confirmation),
            "coordinates": (True, False),
            "pings": (True, False),
            "outside": tuple(Outside),
            "play_in": tuple(PlayIn),
            "strangers": (True, False),
            "board_cards": tuple(BoardCards),
        }

    async def preferences(self, player_id: int) -> Preferences:
        async with self.storage.read() as tx:
            return await tx.settings.preferences(player_id)

    async def change_preferences(self, player: Player, **changes: Any) -> Preferences:
        """Change fields of the player's :class:`Preferences`: all of them, or none if one is invalid."""
        checked = {name: self._check(name, value) for name, value in changes.items()}
        replace(Preferences(), **checked)
        async with self.storage.transaction() as tx:
            await tx.players.save(player)
            await tx.settings.change_preferences(player.id, checked)
            if "outside" in checked:
                await rename_programs(tx, player.id)
            return await tx.settings.preferences(player.id)

    async def count_turn_by_buttons(self, player_id: int) -> bool:
        """Count a turn made with buttons; return whether to offer now to play such turns without asking."""
        async with self.storage.transaction() as tx:
            return await tx.settings.count_turn_by_buttons(player_id)

    async def mark_known(self, player: Player, game: str) -> None:
        """Store that a player knows a game, so they are no longer a newcomer to it."""
        async with self.storage.transaction() as tx:
            await tx.players.save(player)
            await tx.settings.mark_known(player.id, game)

    async def known_games(self, player_id: int) -> set[str]:
        """The names of the games that a player knows."""
        async with self.storage.read() as tx:
            return await tx.settings.known_games(player_id)

    async def solved_tasks(self, player_id: int) -> dict[str, set[int]]:
        """The numbers of the tasks that a player has solved, by game, counted from 0."""
        async with self.storage.read() as tx:
            return await tx.settings.solved_tasks(player_id)

    async def mark_solved(self, player: Player, game: str, number: int) -> None:
        """Store that a player has solved a task of a game, counted from 0."""
        async with self.storage.transaction() as tx:
            await tx.players.save(player)
            await tx.settings.mark_solved(player.id, game, number)

    async def server_settings(self, guild_id: int | None) -> ServerSettings:
        """The settings of a server; the defaults outside servers."""
        async with self.storage.read() as tx:
            return await tx.settings.server_settings(guild_id)

    async def change_server_settings(self, guild_id: int, **changes: Any) -> ServerSettings:
        """Change fields of the server's :class:`ServerSettings`: all of them, or none if one is invalid."""
        checked = {name: self._check(name, value) for name, value in changes.items()}
        replace(ServerSettings(), **checked)
        async with self.storage.transaction() as tx:
            await tx.settings.change_server_settings(guild_id, checked)
            return await tx.settings.server_settings(guild_id)

    def _check(self, name: str, value: Any) -> Any:
        if name not in self._choices:
            return value
        for allowed in self._choices[name]:
            if allowed == value:
                return allowed
        raise InvalidSettingError(value=str(value))

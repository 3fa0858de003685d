"""What players and servers have chosen, and which hints were seen."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from sqlalchemy import Table, delete, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain.players import Player
from bot.domain.preferences import Bottom, Confirmation, Outside, PlayIn, Preferences, ServerSettings
from bot.storage.base import Store
from bot.storage.tables import hints, preferences, server_channels, servers


class SettingsStore(Store):
    """Keeps the settings. A change names only what changes, so two changes at once do not undo each other."""

    async def preferences(self, player_id: int) -> Preferences:
        async with self._database.read() as connection:
            row = (
                await connection.execute(select(preferences).where(preferences.c.player_id == player_id))
            ).one_or_none()
        if row is None:
            return Preferences()
        fixed = row.orientation.isdecimal()
        return Preferences(
            theme=row.theme,
            orientation=int(row.orientation) if fixed else Bottom(row.orientation),
            coordinates=row.coordinates,
            confirmation=Confirmation(row.confirmation),
            pings=row.pings,
            language=row.language,
            outside=Outside(row.outside),
        )

    async def change_preferences(self, player: Player, changes: dict[str, Any]) -> None:
        """``changes`` are values of :class:`Preferences` by name."""
        usual = Preferences()
        values = {name: changes.get(name, getattr(usual, name)) for name in _names(Preferences)}
        values["orientation"] = str(values["orientation"])
        async with self._database.write() as connection:
            await self._remember(connection, player)
            await self._put(connection, preferences, {"player_id": player.id}, values, set(changes))

    async def server_settings(self, guild_id: int) -> ServerSettings:
        async with self._database.read() as connection:
            rows = (
                await connection.execute(
                    select(servers, server_channels.c.channel_id)
                    .outerjoin(server_channels, server_channels.c.server_id == servers.c.id)
                    .where(servers.c.id == guild_id)
                )
            ).all()
        if not rows:
            return ServerSettings()
        row = rows[0]
        return ServerSettings(
            play_in=PlayIn(row.play_in),
            channel_ids=frozenset(each.channel_id for each in rows if each.channel_id is not None),
            challenger_role_id=row.challenger_role_id,
            theme=row.theme,
            language=row.language,
        )

    async def change_server_settings(self, guild_id: int, changes: dict[str, Any]) -> None:
        """``changes`` are values of :class:`ServerSettings` by name."""
        usual = ServerSettings()
        names = _names(ServerSettings) - {"channel_ids"}
        values = {name: changes.get(name, getattr(usual, name)) for name in names}
        async with self._database.write() as connection:
            await self._put(connection, servers, {"id": guild_id}, values, names & changes.keys())
            if "channel_ids" in changes:
                await connection.execute(delete(server_channels).where(server_channels.c.server_id == guild_id))
                for channel_id in sorted(changes["channel_ids"]):
                    await connection.execute(insert(server_channels).values(server_id=guild_id, channel_id=channel_id))

    async def has_seen_hint(self, player: Player, game: str) -> bool:
        seen = select(hints).where(hints.c.player_id == player.id, hints.c.game == game)
        async with self._database.read() as connection:
            return (await connection.execute(seen)).one_or_none() is not None

    async def see_hint(self, player: Player, game: str) -> None:
        """Notes that the player has seen the game's hint."""
        async with self._database.write() as connection:
            await self._remember(connection, player)
            await self._put(connection, hints, {"player_id": player.id, "game": game}, {}, set())

    async def _put(
        self,
        connection: AsyncConnection,
        table: Table,
        key: dict[str, Any],
        values: dict[str, Any],
        changed: set[str],
    ) -> bool:
        """Inserts a row, or changes some columns of the one that is there; whether there was something to do."""
        put = self._insert(connection, table).values(**key, **values)
        if changed:
            put = put.on_conflict_do_update(index_elements=list(key), set_={name: values[name] for name in changed})
        else:
            put = put.on_conflict_do_nothing(index_elements=list(key))
        return (await connection.execute(put)).rowcount == 1


def _names(settings: type[Preferences | ServerSettings]) -> set[str]:
    return {field.name for field in fields(settings)}

"""The preferences of players, the settings of servers, and the games that players know."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import fields
from typing import Any

from sqlalchemy import Table, and_, bindparam, delete, select, update

from bot.domain.day_times import zone_of, zone_text
from bot.domain.preferences import (
    TURNS_BEFORE_OFFER,
    BoardCards,
    Bottom,
    Confirmation,
    Outside,
    PlayIn,
    Preferences,
    ServerSettings,
)
from bot.storage.repository import AnyRow, Repository
from bot.storage.tables import known_games, players, preferences, server_channels, servers, solved_tasks

#: The fields of :class:`ServerSettings` that are sets of channels.
_CHANNELS = {"channel_ids", "other_cards_in"}
_SERVER_NAMES = {field.name for field in fields(ServerSettings)} - _CHANNELS
_NAMES = {field.name for field in fields(Preferences)}
# Built once, for every interaction.
_PREFERENCES = select(preferences).where(preferences.c.player_id == bindparam("player_id"))
_PREFERENCES_AND_KNOWN = (
    select(players.c.id, preferences, known_games.c.game)
    .outerjoin(preferences, preferences.c.player_id == players.c.id)
    .outerjoin(known_games, and_(known_games.c.player_id == players.c.id, known_games.c.game == bindparam("game")))
    .where(players.c.id.in_(bindparam("player_ids", expanding=True)))
)
_SERVER = (
    select(servers, server_channels.c.channel_id, server_channels.c.setting)
    .outerjoin(server_channels, server_channels.c.server_id == servers.c.id)
    .where(servers.c.id == bindparam("guild_id"))
)


class SettingsRepository(Repository):
    """Settings. A change writes only the changed fields, so simultaneous changes do not undo each other."""

    async def preferences(self, player_id: int) -> Preferences:
        row = await self._row(_PREFERENCES, {"player_id": player_id})
        return Preferences() if row is None else _to_preferences(row)

    async def preferences_and_known(
        self, player_ids: Collection[int], game: str
    ) -> dict[int, tuple[Preferences, bool]]:
        """The preferences of these players, and whether they know a game, by player."""
        rows = await self._rows(_PREFERENCES_AND_KNOWN, {"player_ids": list(player_ids), "game": game})
        return {
            row.id: (Preferences() if row.player_id is None else _to_preferences(row), row.game is not None)
            for row in rows
        }

    async def change_preferences(self, player_id: int, changes: dict[str, Any]) -> None:
        """Store values of :class:`Preferences` by name, for a stored player."""
        await self._change(preferences, {"player_id": player_id}, _preferences_row(changes), set(changes))

    async def count_turn_by_buttons(self, player_id: int) -> bool:
        """Count a turn that a stored player has put together with buttons; return whether to make the offer now.

        After the offer, turns are not counted.
        """
        count = preferences.c.turns_by_buttons
        put = (
            self._insert(preferences)
            .values(player_id=player_id, **_preferences_row({"turns_by_buttons": 1}))
            .on_conflict_do_update(
                index_elements=["player_id"],
                set_={"turns_by_buttons": count + 1},
                where=count < TURNS_BEFORE_OFFER,
            )
            .returning(count)
        )
        turns: int | None = await self._scalar(put)
        return turns == TURNS_BEFORE_OFFER

    async def pop_refusal(self, player_id: int) -> bool:
        """Clear the mark that Discord has refused a digest; False if it was not set."""
        refused = update(preferences).where(preferences.c.player_id == player_id, preferences.c.digest_refused)
        return await self._execute(refused.values(digest_refused=False)) == 1

    async def server_settings(self, guild_id: int | None) -> ServerSettings:
        """The settings of a server; the defaults outside servers."""
        rows = [] if guild_id is None else await self._rows(_SERVER, {"guild_id": guild_id})
        if not rows:
            return ServerSettings()
        values = {name: getattr(rows[0], name) for name in _SERVER_NAMES}
        values |= {name: frozenset(row.channel_id for row in rows if row.setting == name) for name in _CHANNELS}
        values |= {"play_in": PlayIn(values["play_in"]), "board_cards": BoardCards(values["board_cards"])}
        return ServerSettings(**values)

    async def change_server_settings(self, guild_id: int, changes: dict[str, Any]) -> None:
        """Store values of :class:`ServerSettings` by name."""
        default = ServerSettings()
        values = {name: changes.get(name, getattr(default, name)) for name in _SERVER_NAMES}
        await self._change(servers, {"id": guild_id}, values, _SERVER_NAMES & changes.keys())
        for name in _CHANNELS & changes.keys():
            its = {"server_id": guild_id, "setting": name}
            await self._execute(delete(server_channels).filter_by(**its))
            await self._add(server_channels, *({**its, "channel_id": channel} for channel in sorted(changes[name])))

    async def known_games(self, player_id: int) -> set[str]:
        """The names of the games that a player knows."""
        return set(await self._scalars(select(known_games.c.game).where(known_games.c.player_id == player_id)))

    async def mark_known(self, player_id: int, game: str) -> None:
        """Store that a stored player knows a game."""
        known = self._insert(known_games).values(player_id=player_id, game=game)
        await self._execute(known.on_conflict_do_nothing())

    async def solved_tasks(self, player_id: int) -> dict[str, set[int]]:
        """The numbers of the tasks that a player has solved, by game."""
        found: dict[str, set[int]] = {}
        query = select(solved_tasks.c.game, solved_tasks.c.number).where(solved_tasks.c.player_id == player_id)
        for game, number in await self._rows(query):
            found.setdefault(game, set()).add(number)
        return found

    async def mark_solved(self, player_id: int, game: str, number: int) -> None:
        """Store that a stored player has solved a task."""
        solved = self._insert(solved_tasks).values(player_id=player_id, game=game, number=number)
        await self._execute(solved.on_conflict_do_nothing())

    async def _change(self, table: Table, key: dict[str, Any], values: dict[str, Any], changed: set[str]) -> None:
        """Insert a row, or change some columns of the existing row."""
        put = self._insert(table).values(**key, **values)
        if changed:
            put = put.on_conflict_do_update(index_elements=list(key), set_={name: values[name] for name in changed})
        else:
            put = put.on_conflict_do_nothing(index_elements=list(key))
        await self._execute(put)


def _to_preferences(row: AnyRow) -> Preferences:
    values = {name: getattr(row, name) for name in _NAMES}
    fixed = row.orientation.isdecimal()
    values |= {
        "orientation": int(row.orientation) if fixed else Bottom(row.orientation),
        "confirmation": Confirmation(row.confirmation),
        "outside": Outside(row.outside),
        "time_zone": zone_of(row.time_zone),
    }
    return Preferences(**values)


def _preferences_row(changes: dict[str, Any]) -> dict[str, Any]:
    """The columns of a row with these changes to the default preferences."""
    default = Preferences()
    values = {name: changes.get(name, getattr(default, name)) for name in _NAMES}
    return {**values, "orientation": str(values["orientation"]), "time_zone": zone_text(values["time_zone"])}

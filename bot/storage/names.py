"""What people are called where they are named.

On a server this is the nickname that they have there, or else the display name of their account. Nicknames stay on
their server: elsewhere people are called as they have chosen.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain.players import Names, Player
from bot.domain.preferences import Outside
from bot.storage.base import AnyRow, Store
from bot.storage.tables import nicknames, players, preferences

#: People asked for at once; databases take so many values in one question.
_BATCH = 5000


class Role:
    """Somebody in a query, such as the challenger, as they are known on a server: ``guild_id`` is its column there.

    The column with their id has to be named ``…_id`` after the role.
    """

    def __init__(self, name: str, guild_id: ColumnElement[Any]) -> None:
        self._name = name
        self._guild_id = guild_id
        self._person = players.alias(f"{name}_player")
        self._met = nicknames.alias(f"{name}_nickname")
        self.columns: tuple[ColumnElement[Any], ...] = (
            self._person.c.name.label(f"{name}_account"),
            self._person.c.username.label(f"{name}_username"),
            self._met.c.name.label(f"{name}_nickname"),
        )

    def join(self, query: Select[Any], player_id: ColumnElement[Any], *, optional: bool = False) -> Select[Any]:
        """Adds the person of that id to a query that selects the columns; ``optional`` when there may be nobody."""
        return query.join(self._person, self._person.c.id == player_id, isouter=optional).outerjoin(
            self._met, and_(self._met.c.player_id == player_id, self._met.c.guild_id == self._guild_id)
        )

    def optional_player(self, row: AnyRow, guild_id: int | None) -> Player | None:
        """The person in a row of the query, on that server; None when there is nobody."""
        return None if getattr(row, f"{self._name}_id") is None else self.player(row, guild_id)

    def player(self, row: AnyRow, guild_id: int | None) -> Player:
        """The person in a row of the query, on that server."""
        identity, account, username, nickname = (
            getattr(row, f"{self._name}_{what}") for what in ("id", "account", "username", "nickname")
        )
        return Player(identity, nickname or account, Names(account, username, guild_id, nickname))


class NameStore(Store):
    """Tells and keeps names."""

    async def meet(self, player: Player) -> None:
        """Keeps the names of somebody who was met."""
        async with self._database.write() as connection:
            await self._remember(connection, player)

    async def known(self, people: Collection[int], guild_id: int | None) -> dict[int, Player]:
        """These people under the names that they have on a server, or outside of servers, by their ids."""
        async with self._database.read() as connection:
            return await self._known(connection, people, guild_id)

    async def _known(
        self, connection: AsyncConnection, people: Collection[int], guild_id: int | None
    ) -> dict[int, Player]:
        query = (
            select(players, nicknames.c.guild_id, nicknames.c.name.label("nickname"), preferences.c.outside)
            .outerjoin(nicknames, and_(nicknames.c.player_id == players.c.id, nicknames.c.guild_id == (guild_id or 0)))
            .outerjoin(preferences, preferences.c.player_id == players.c.id)
        )
        wanted, found = sorted(set(people)), {}
        for first in range(0, len(wanted), _BATCH):
            for row in await connection.execute(query.where(players.c.id.in_(wanted[first : first + _BATCH]))):
                found[row.id] = Player(row.id, _name_there(row))
        return found


def _name_there(row: AnyRow) -> str:
    name: str = row.nickname or row.name
    if row.guild_id is not None:
        return name
    match Outside(row.outside or Outside.ACCOUNT):
        case Outside.ACCOUNT:
            return name
        case Outside.USERNAME:
            return str(row.username)
        case Outside.HIDDEN:
            return ""

"""The names of players in queries about other things."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Select, and_

from bot.domain.players import Names, Player
from bot.domain.preferences import Outside
from bot.storage.repository import AnyRow
from bot.storage.tables import nicknames, players, preferences

#: The columns that :func:`name_in` reads.
NAMES: tuple[ColumnElement[Any], ...] = (
    players.c.name,
    players.c.username,
    nicknames.c.player_id.label("met_id"),
    nicknames.c.name.label("nickname"),
    preferences.c.outside,
)


def join_names(query: Select[Any], guild_id: int | ColumnElement[int]) -> Select[Any]:
    """Join the nickname on a server (0: outside servers) to a query that selects players with :data:`NAMES`."""
    met = and_(nicknames.c.player_id == players.c.id, nicknames.c.guild_id == guild_id)
    return query.outerjoin(nicknames, met).outerjoin(preferences, preferences.c.player_id == players.c.id)


def name_in(row: AnyRow) -> str:
    """The player's name in a row of a query with :func:`join_names`; empty for an anonymous player."""
    name: str = row.nickname or row.name
    if row.met_id is not None:
        return name
    match Outside(row.outside or Outside.ACCOUNT):
        case Outside.ACCOUNT:
            return name
        case Outside.USERNAME:
            return str(row.username)
        case Outside.HIDDEN:
            return ""


@dataclass
class JoinedPlayer:
    """A player in a query, such as the challenger, with their names on the server in the column ``guild_id``.

    ``name`` is the player's role; the query must have the id in a column ``<name>_id``.
    """

    name: str
    guild_id: ColumnElement[Any]

    def __post_init__(self) -> None:
        self._account = players.alias(f"{self.name}_player")
        self._nickname = nicknames.alias(f"{self.name}_nickname")
        self.columns: tuple[ColumnElement[Any], ...] = (
            self._account.c.name.label(f"{self.name}_account"),
            self._account.c.username.label(f"{self.name}_username"),
            self._nickname.c.name.label(f"{self.name}_nickname"),
        )

    def join(self, query: Select[Any], player_id: ColumnElement[Any], *, optional: bool = False) -> Select[Any]:
        """Join the player with an id to a query for the columns; ``optional`` if there may be no player."""
        return query.join(self._account, self._account.c.id == player_id, isouter=optional).outerjoin(
            self._nickname, and_(self._nickname.c.player_id == player_id, self._nickname.c.guild_id == self.guild_id)
        )

    def optional_player(self, row: AnyRow, guild_id: int | None) -> Player | None:
        """The player in a row of the query, with their name on the server; None if there is none."""
        return None if getattr(row, f"{self.name}_id") is None else self.player(row, guild_id)

    def player(self, row: AnyRow, guild_id: int | None) -> Player:
        """The player in a row of the query, with their name on the server."""
        identity, account, username, nickname = (
            getattr(row, f"{self.name}_{what}") for what in ("id", "account", "username", "nickname")
        )
        return Player(identity, nickname or account, Names(account, username, guild_id, nickname))

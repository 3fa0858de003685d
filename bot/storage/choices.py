"""The matches that are offered: by an autocompletion while somebody types, and after a turn."""

from __future__ import annotations

from functools import cache
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Select, and_, bindparam, case, or_, select

from bot.domain.matches import MatchChoice, MatchScope, NextMatch
from bot.domain.places import Viewer
from bot.domain.players import Player
from bot.storage.deliveries import DELIVERY, to_delivery
from bot.storage.matches import found_by
from bot.storage.names import NAMES, join_names, name_in
from bot.storage.players import PlayerRepository
from bot.storage.repository import Repository, opponent_of, played_by
from bot.storage.tables import match_deliveries, matches, players


class ChoiceRepository(Repository):
    async def matches(self, viewer: Viewer, scope: MatchScope, number: int | None, *, most: int) -> list[MatchChoice]:
        """The first matches to suggest to the viewer here.

        The one with the ``number`` comes first. Then running matches follow by number; among finished ones, the
        viewer's own come first, then running ones, then the latest.
        """
        mine = played_by(viewer.player_id)
        runs = matches.c.ended_at.is_(None)
        condition = {
            MatchScope.OWN: and_(found_by(viewer), mine, runs),
            MatchScope.RUNNING: and_(found_by(viewer), runs),
            MatchScope.FINISHED: and_(or_(found_by(viewer), mine), ~runs),
            MatchScope.ALL: or_(found_by(viewer), mine),
        }[scope]
        order: list[ColumnElement[Any]] = [matches.c.id]
        if scope in (MatchScope.FINISHED, MatchScope.ALL):
            order = [case((mine, 0), else_=1), case((runs, 0), else_=1), matches.c.ended_at.desc(), matches.c.id]
        if number is not None:
            order.insert(0, case((matches.c.id == number, 0), else_=1))
        columns = (matches.c[name] for name in ("id", "game", "first_id", "second_id", "awaited_id", "ended_at"))
        rows = await self._read(select(*columns).where(condition).order_by(*order).limit(most))
        ids = {each for row in rows for each in (row.first_id, row.second_id)}
        known = await self._other(PlayerRepository).named(ids, viewer.place.guild_id)
        return [
            MatchChoice(
                row.id, row.game, known[row.first_id], known[row.second_id], known.get(row.awaited_id), row.ended_at
            )
            for row in rows
        ]

    async def next_match(self, match_id: int, player: Player) -> NextMatch:
        """A match of the player, whose names tell on which server they are."""
        guild_id = None if player.names is None else player.names.guild_id
        asked = {"match_id": match_id, "player": player.id, "guild": guild_id or 0}
        row = (await self._connection.execute(_next_match(), asked)).one()
        return NextMatch(row.id, row.game, Player(row.opponent_id, name_in(row)), to_delivery(row))


@cache
def _next_match() -> Select[Any]:
    """Built once, because it is asked for after a turn."""
    guild_id, player_id = (bindparam(name, type_=BigInteger) for name in ("guild", "player"))
    query = (
        select(matches.c.id, matches.c.game, matches.c.guild_id, players.c.id.label("opponent_id"), *NAMES, *DELIVERY)
        .select_from(matches)
        .join(match_deliveries, match_deliveries.c.match_id == matches.c.id)
        .join(players, players.c.id == opponent_of(player_id))
        .where(matches.c.id == bindparam("match_id"))
    )
    return join_names(query, guild_id)

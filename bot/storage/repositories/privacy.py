"""Blocks, the conduct of players, and all data of a player."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Collection, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Table, and_, bindparam, case, delete, exists, func, or_, select, true, update

from bot.domain.matches import Ending, ProposalState
from bot.domain.players import Conduct
from bot.domain.ratings import LEAST_PLY
from bot.domain.timers import PERSONAL
from bot.storage.repositories.deliveries import PROPOSED_ON
from bot.storage.repositories.imports import imported_by
from bot.storage.repositories.matches import APART, BETWEEN_PEOPLE
from bot.storage.repository import Repository, played_by
from bot.storage.tables import (
    KNOWN_BLOCKS,
    OPEN_CHALLENGES,
    OPEN_PROPOSALS,
    UNACCEPTED_CHALLENGES,
    blocks,
    challenges,
    entrants,
    match_deliveries,
    matches,
    metadata,
    pairings,
    players,
    proposals,
    timers,
    turns,
)

# Built once, for every challenge.
_BLOCKER = (
    select(blocks.c.player_id)
    .where(
        or_(
            and_(blocks.c.player_id == bindparam("one"), blocks.c.blocked_id == bindparam("other")),
            and_(blocks.c.player_id == bindparam("other"), blocks.c.blocked_id == bindparam("one")),
        )
    )
    .order_by(blocks.c.player_id != bindparam("one"))
)
_KNOWN_BLOCKER = _BLOCKER.where(KNOWN_BLOCKS)
_STRANGER_BLOCKER = _BLOCKER.where(or_(~KNOWN_BLOCKS, blocks.c.player_id == bindparam("other")))


class PrivacyRepository(Repository):
    """Blocks, the conduct of players, and all their data."""

    async def blocker(self, player_id: int, other_id: int, *, strangers: bool = False) -> int | None:
        """The player who has blocked the other, ``player_id`` if both have; None without a block.

        Where they meet as ``strangers``, blocks of unknown accounts count, too, but not the player's blocks of known
        ones: a refusal would confirm whose account the stranger has.
        """
        return await self._scalar(
            _STRANGER_BLOCKER if strangers else _KNOWN_BLOCKER, {"one": player_id, "other": other_id}
        )

    async def blocks(self, player_id: int, *, strangers: bool = False) -> list[int]:
        """The ids of the people whom a player has blocked; with ``strangers``, also unknown accounts."""
        own = select(blocks.c.blocked_id).where(blocks.c.player_id == player_id, true() if strangers else KNOWN_BLOCKS)
        return await self._scalars(own.order_by(blocks.c.blocked_id))

    async def block_stranger(self, player_id: int, other_id: int) -> None:
        """Block someone whose account the stored player does not know, if they are not blocked yet."""
        row = {"player_id": player_id, "blocked_id": other_id, "stranger": True}
        await self._execute(self._insert(blocks).values(row).on_conflict_do_nothing())

    async def set_blocked(self, player_id: int, others: Collection[int]) -> None:
        """Block these people, and nobody else whose account the stored player knows."""
        await self._execute(delete(blocks).where(blocks.c.player_id == player_id, KNOWN_BLOCKS))
        await self._add(blocks, *({"player_id": player_id, "blocked_id": other} for other in others))

    async def conduct(self, player_id: int, game: str | None) -> Conduct:
        """How the player's matches with people ended, in one game or in all."""
        lost = and_(matches.c.winner_id.is_not(None), matches.c.winner_id != player_id)
        lost_on_time = and_(matches.c.ending == Ending.TIME, lost)
        abandoned = or_(
            matches.c.ending == Ending.ABANDONED,
            and_(matches.c.ending == Ending.RESIGNATION, lost, matches.c.ply < LEAST_PLY),
        )
        query = select(func.count(), func.count(case((lost_on_time, 1))), func.count(case((abandoned, 1)))).where(
            played_by(player_id),
            BETWEEN_PEOPLE,
            true() if game is None else matches.c.game == game,
            matches.c.ended_at.is_not(None),
            or_(matches.c.moderator_id.is_(None), _removed_from_tournament(player_id)),
            or_(matches.c.ending != Ending.ABANDONED, ~APART),
        )
        return Conduct(*(await self._result(query)).one())

    async def rows_of(
        self, player_ids: Collection[int], most: int
    ) -> AsyncGenerator[tuple[str, list[dict[str, Any]]], None]:
        """Yield all rows that refer to one of the players or belong to their imported records.

        The rows come in batches of at most ``most``, with the name of their table. They do not say which accounts the
        players' opponents in matches of strangers have, or where these play.
        """
        imported, strangers = or_(*map(imported_by, player_ids)), await self._strangers(player_ids)
        for table in metadata.sorted_tables:
            columns = [column for column in table.c if column.references(players.c.id)]
            if table is players:
                columns = [players.c.id]
            mine: list[ColumnElement[bool]] = [column.in_(player_ids) for column in columns]
            if table is timers:
                mine = [and_(timers.c.kind.in_(PERSONAL), timers.c.subject_id.in_(player_ids))]
            if table is matches:
                mine.append(imported)
            if table is turns:
                mine.append(turns.c.match_id.in_(select(matches.c.id).where(imported)))
            if mine:
                query = select(table).where(or_(*mine)).order_by(*table.primary_key.columns)
                found = await self._connection.stream(query)
                async for rows in found.mappings().partitions(most):
                    yield table.name, [_masked(table, dict(row), strangers) for row in rows]

    async def _strangers(self, player_ids: Collection[int]) -> dict[int, int]:
        """The opponents of players in matches of strangers, by match, the oldest first."""
        own, other = match_deliveries.alias("own"), match_deliveries.alias("other")
        theirs = and_(other.c.match_id == own.c.match_id, other.c.seat != own.c.seat)
        query = select(own.c.match_id, other.c.player_id).join(other, theirs).where(own.c.player_id.in_(player_ids))
        return {row.match_id: row.player_id for row in await self._read(query.order_by(own.c.match_id))}

    async def open_challenges(self, player_id: int) -> list[tuple[int, int]]:
        """The ids of the open challenges by and to a player, each with the challenger's id."""
        theirs = or_(challenges.c.challenger_id == player_id, challenges.c.opponent_id == player_id)
        query = select(challenges.c.id, challenges.c.challenger_id).where(theirs, OPEN_CHALLENGES)
        return [(row.id, row.challenger_id) for row in await self._rows(query.order_by(challenges.c.id))]

    async def lapse_proposals(self, player_id: int) -> list[tuple[int, int | None]]:
        """Close the open proposals in a player's matches; return their ids, each with its server."""
        theirs = select(matches.c.id).where(played_by(player_id))
        lapsed = await self._rows(
            update(proposals)
            .where(proposals.c.match_id.in_(theirs), OPEN_PROPOSALS)
            .values(state=ProposalState.LAPSED, version=proposals.c.version + 1)
            .returning(proposals.c.id, PROPOSED_ON.label("guild_id"))
        )
        return [(row.id, row.guild_id) for row in lapsed]

    async def delete_challenges(self, before: datetime, most: int) -> list[set[int]]:
        """Delete up to ``most`` unaccepted challenges that expired before a time; return the players of each."""
        old = await self._rows(
            select(challenges.c.id, challenges.c.challenger_id, challenges.c.opponent_id)
            .where(UNACCEPTED_CHALLENGES, challenges.c.expires_at < before)
            .order_by(challenges.c.expires_at)
            .limit(most)
        )
        await self._execute(delete(challenges).where(challenges.c.id.in_([row.id for row in old])))
        return [{row.challenger_id, row.opponent_id} - {None} for row in old]


def _removed_from_tournament(player_id: int) -> ColumnElement[bool]:
    """Whether a match ended because the absent player was removed from its tournament."""
    return (
        exists()
        .where(
            pairings.c.match_id == matches.c.id,
            entrants.c.tournament_id == pairings.c.tournament_id,
            entrants.c.player_id == player_id,
            entrants.c.withdrawn_at == matches.c.ended_at,
        )
        .correlate(matches)
    )


def _masked(table: Table, row: dict[str, Any], strangers: Mapping[int, int]) -> dict[str, Any]:
    """A row without what it says about the ``strangers``, who are the opponents by match.

    Instead of a stranger's id, it has the number of the first match with that stranger.
    """
    stranger = strangers.get(row["id"] if table is matches else row.get("match_id", 0))
    if table is blocks and row["stranger"]:
        stranger = row["blocked_id"]
    if stranger is None:
        return row
    met = (f"the opponent in match {match_id}" for match_id, player_id in strangers.items() if player_id == stranger)
    alias = next(met, "a deleted player")
    masked = {name: alias if value == stranger else value for name, value in row.items()}
    if table is proposals:  # its card is in the home of the player who answers it
        masked |= {"card_channel_id": None, "card_message_id": None}
    return masked

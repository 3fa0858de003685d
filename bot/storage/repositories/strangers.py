"""Standing requests, and who has met whom in matches of strangers."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Any

from sqlalchemy import and_, delete, func, select, update

from bot.domain.places import Place
from bot.domain.strangers import Pace, RequestState, StandingRequest
from bot.storage.database import lock
from bot.storage.repository import AnyRow, Repository
from bot.storage.tables import excluded_accounts, match_deliveries, matches, standing_requests, turns

#: The key of the lock for pairing; channels have larger keys.
_PAIRING = 42
_OWN_HOMES = match_deliveries.alias("own")
_OTHER_HOMES = match_deliveries.alias("other")


class StrangerRepository(Repository):
    """The standing requests, and what pairing needs to know."""

    async def lock(self) -> None:
        """Let one transaction at a time begin or call off matches of strangers."""
        await lock(self._connection, _PAIRING)

    async def get(self, player_id: int) -> StandingRequest | None:
        row = await self._row(select(standing_requests).where(standing_requests.c.player_id == player_id))
        return None if row is None else _to_request(row)

    async def put(self, request: StandingRequest, asked_at: datetime) -> None:
        """Store a request of a stored player, in place of an earlier one."""
        row = _row(request) | {"player_id": request.player_id, "asked_at": asked_at, "version": 1}
        put = self._insert(standing_requests).values(row)
        changed = {**row, "version": standing_requests.c.version + 1}
        del changed["player_id"]
        await self._execute(put.on_conflict_do_update(index_elements=["player_id"], set_=changed))

    async def replace(self, before: StandingRequest, after: StandingRequest) -> bool:
        """Replace a request; False, without a change, if another transaction has changed it."""
        values = _row(after) | {"version": standing_requests.c.version + 1}
        same = standing_requests.c.version == before.version
        this = update(standing_requests).where(standing_requests.c.player_id == before.player_id, same)
        return await self._execute(this.values(values)) == 1

    async def current(self) -> list[StandingRequest]:
        """The requests that have not ended, the longest wait first."""
        left = standing_requests.c.state != RequestState.ENDED
        query = select(standing_requests).where(left)
        rows = await self._rows(query.order_by(standing_requests.c.waiting_since, standing_requests.c.player_id))
        return [_to_request(row) for row in rows]

    async def running(self, player_ids: Collection[int]) -> dict[int, int]:
        """The numbers of running matches of strangers, by player."""
        query = (
            select(_OWN_HOMES.c.player_id, func.count())
            .join(matches, matches.c.id == _OWN_HOMES.c.match_id)
            .where(_OWN_HOMES.c.player_id.in_(player_ids), matches.c.ended_at.is_(None))
            .group_by(_OWN_HOMES.c.player_id)
        )
        return {row[0]: row[1] for row in await self._rows(query)}

    async def met(self, player_ids: Collection[int], since: datetime) -> dict[int, dict[int, datetime]]:
        """When players last began a match of strangers since a time, by player and opponent."""
        query = (
            select(_OWN_HOMES.c.player_id, _OTHER_HOMES.c.player_id, func.max(matches.c.started_at))
            .join(matches, matches.c.id == _OWN_HOMES.c.match_id)
            .join(_OTHER_HOMES, and_(_OTHER_HOMES.c.match_id == matches.c.id, _OTHER_HOMES.c.seat != _OWN_HOMES.c.seat))
            .where(_OWN_HOMES.c.player_id.in_(player_ids), matches.c.started_at > since)
            .group_by(_OWN_HOMES.c.player_id, _OTHER_HOMES.c.player_id)
        )
        found: dict[int, dict[int, datetime]] = {}
        for own, other, at in await self._rows(query):
            found.setdefault(own, {})[other] = at
        return found

    async def last_active(self, player_ids: Collection[int]) -> dict[int, datetime]:
        """When these players last asked or made a turn, by player."""
        asked = select(standing_requests.c.player_id, standing_requests.c.asked_at)
        asked = asked.where(standing_requests.c.player_id.in_(player_ids))
        played = select(turns.c.player_id, func.max(turns.c.played_at, type_=turns.c.played_at.type))
        played = played.where(turns.c.player_id.in_(player_ids)).group_by(turns.c.player_id)
        latest: dict[int, datetime] = {}
        for player_id, at in [*await self._rows(asked), *await self._rows(played)]:
            latest[player_id] = max(at, latest.get(player_id, at))
        return latest

    async def excluded(self, player_ids: Iterable[int]) -> set[int]:
        """The accounts among these that the operator has excluded."""
        query = select(excluded_accounts.c.id).where(excluded_accounts.c.id.in_(list(player_ids)))
        return set(await self._scalars(query))

    async def exclude(self, account_id: int, *, excluded: bool) -> None:
        """Exclude an account, or let it in again."""
        if excluded:
            await self._execute(self._insert(excluded_accounts).values(id=account_id).on_conflict_do_nothing())
        else:
            await self._execute(delete(excluded_accounts).where(excluded_accounts.c.id == account_id))

    async def has_played(self, match_id: int, player_id: int) -> bool:
        """Whether a player has made a turn in a match."""
        return await self._exists(
            select(turns.c.step).where(turns.c.match_id == match_id, turns.c.player_id == player_id)
        )


def _row(request: StandingRequest) -> dict[str, Any]:
    return {
        "games": sorted(request.games),
        "at_once": request.at_once,
        "offences": request.offences,
        "pace": request.pace,
        "state": request.state,
        "near": request.near,
        "guild_id": request.home.guild_id,
        "channel_id": request.home.channel_id,
        "direct": request.home.direct,
        "waiting_since": request.waiting_since,
        "resumes_at": request.resumes_at,
    }


def _to_request(row: AnyRow) -> StandingRequest:
    return StandingRequest(
        player_id=row.player_id,
        games=frozenset(row.games),
        at_once=row.at_once,
        pace=Pace(row.pace),
        near=row.near,
        home=Place(row.guild_id, row.channel_id, row.direct),
        state=RequestState(row.state),
        waiting_since=row.waiting_since,
        resumes_at=row.resumes_at,
        offences=row.offences,
        version=row.version,
    )

"""Challenges, with the matches that they lead to, and standing requests to play anyone."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, bindparam, delete, exists, func, or_, select, update
from sqlalchemy.sql.dml import ReturningInsert

from bot.domain.challenges import Challenge, ChallengeState, First
from bot.domain.clocks import TimeControl
from bot.domain.competitions.strangers import MEET_AGAIN_AFTER, Pace, RequestState, StandingRequest
from bot.domain.places import Place, Viewer
from bot.domain.players import Player
from bot.storage.database import insert_for, lock
from bot.storage.names import JoinedPlayer
from bot.storage.repositories.matches import in_view
from bot.storage.repository import AnyRow, Repository
from bot.storage.tables import (
    KNOWN_BLOCKS,
    OPEN_CHALLENGES,
    blocks,
    challenges,
    excluded_accounts,
    match_deliveries,
    matches,
    standing_requests,
    turns,
)
from rules import Ruleset, ruleset_by_id

_challenger, _opponent = (JoinedPlayer(name, challenges.c.guild_id) for name in ("challenger", "opponent"))
_CHALLENGES: Select[Any] = _opponent.join(
    _challenger.join(
        select(challenges, *_challenger.columns, *_opponent.columns, matches.c.id.label("match_id")),
        challenges.c.challenger_id,
    ),
    challenges.c.opponent_id,
    optional=True,
).outerjoin(matches, matches.c.challenge_id == challenges.c.id)
# Built once, for every press on a challenge and every card.
_CHALLENGE = _CHALLENGES.where(challenges.c.id == bindparam("challenge_id"))
_CLOSING = (
    update(challenges)
    .where(challenges.c.id == bindparam("this"), OPEN_CHALLENGES)
    .values(state=bindparam("new_state"), version=challenges.c.version + 1)
    .returning(challenges.c.opponent_id)
)
_ACCEPTING = _CLOSING.values(opponent_id=bindparam("accepter_id"))


class ChallengeRepository(Repository):
    """The challenges."""

    async def add(
        self,
        place: Place,
        challenger: Player,
        opponent: Player | None,
        ruleset: Ruleset,
        first: First,
        created_at: datetime,
        expires_at: datetime,
        *,
        rated: bool,
        control: TimeControl | None,
        ladder_id: int | None = None,
    ) -> int | None:
        """Store an open challenge between stored players; return its id, or None if they already have one here."""
        self.wake(None if opponent is None else opponent.id)
        low, high = _pair(challenger, opponent)
        row = {
            "guild_id": place.guild_id,
            "channel_id": place.channel_id,
            "challenger_id": challenger.id,
            "opponent_id": opponent and opponent.id,
            "low_id": low,
            "high_id": high,
            "ruleset": ruleset.id,
            "first": first,
            "rated": rated,
            "state": ChallengeState.OPEN,
            "created_at": created_at,
            "expires_at": expires_at,
            "version": 1,
            "shown_version": None,
            "control": control and control.code,
            "ladder_id": ladder_id,
        }
        return await self._scalar(_adding(self._connection.dialect.name), row)

    async def get(self, challenge_id: int) -> Challenge | None:
        return await self._one(_CHALLENGE, {"challenge_id": challenge_id})

    async def open_between(self, place: Place, challenger: Player, opponent: Player | None) -> Challenge | None:
        """The open challenge between two players in a channel."""
        low, high = _pair(challenger, opponent)
        here = (challenges.c.channel_id == place.channel_id, OPEN_CHALLENGES)
        return await self._one(_CHALLENGES.where(*here, challenges.c.low_id == low, challenges.c.high_id == high))

    async def open_to(self, viewer: Viewer, now: datetime) -> list[Challenge]:
        """The open challenges at the viewer's place that the viewer can see and may accept, newest first.

        A block between the viewer and the challenger hides a challenge.
        """
        me, place = viewer.player_id, viewer.place
        here = challenges.c.channel_id == place.channel_id
        if place.guild_id is not None:
            here = in_view(challenges.c.channel_id, viewer)
        query = _CHALLENGES.where(
            *_acceptable(me, now),
            challenges.c.guild_id == place.guild_id,
            here,
            challenges.c.challenger_id != me,
            or_(challenges.c.opponent_id.is_(None), challenges.c.opponent_id == me),
        )
        return [_to_challenge(row) for row in await self._rows(query.order_by(challenges.c.id.desc()))]

    async def open_to_player(self, player_id: int, now: datetime) -> list[Challenge]:
        """The open challenges to the player from everywhere that they may accept, oldest first."""
        query = _CHALLENGES.where(*_acceptable(player_id, now), challenges.c.opponent_id == player_id)
        return [_to_challenge(row) for row in await self._rows(query.order_by(challenges.c.id))]

    async def open_of(self, player_id: int) -> list[Challenge]:
        """The open challenges to and by a player, oldest first, even if their time is over."""
        theirs = or_(challenges.c.opponent_id == player_id, challenges.c.challenger_id == player_id)
        query = _CHALLENGES.where(OPEN_CHALLENGES, theirs)
        return [_to_challenge(row) for row in await self._rows(query.order_by(challenges.c.id))]

    async def close(self, challenge_id: int, state: ChallengeState, accepter: Player | None = None) -> bool:
        """Close an open challenge; False if it is no longer open."""
        values = {"this": challenge_id, "new_state": state}
        if accepter is None:
            closed = await self._row(_CLOSING, values)
        else:
            closed = await self._row(_ACCEPTING, {**values, "accepter_id": accepter.id})
        if closed is not None:
            self.wake(closed.opponent_id)
        return closed is not None

    async def _one(self, query: Select[Any], values: dict[str, int] | None = None) -> Challenge | None:
        row = await self._row(query, values)
        return None if row is None else _to_challenge(row)


@cache
def _adding(dialect: str) -> ReturningInsert[int]:
    """Adds a challenge; a unique index prevents a second open one."""
    return insert_for(dialect, challenges).on_conflict_do_nothing().returning(challenges.c.id)


def _acceptable(player_id: int, now: datetime) -> tuple[ColumnElement[bool], ...]:
    """The conditions: a challenge is open, and there is no block between its challenger and the player."""
    with_challenger = or_(
        and_(blocks.c.player_id == player_id, blocks.c.blocked_id == challenges.c.challenger_id),
        and_(blocks.c.blocked_id == player_id, blocks.c.player_id == challenges.c.challenger_id),
    )
    return (
        OPEN_CHALLENGES,
        challenges.c.expires_at > now,
        ~exists().where(KNOWN_BLOCKS, with_challenger).correlate(challenges),
    )


def _pair(challenger: Player, opponent: Player | None) -> tuple[int, int]:
    low, high = sorted((challenger.id, 0 if opponent is None else opponent.id))
    return low, high


def _to_challenge(row: AnyRow) -> Challenge:
    return Challenge(
        id=row.id,
        place=Place(row.guild_id, row.channel_id),
        challenger=_challenger.player(row, row.guild_id),
        opponent=_opponent.optional_player(row, row.guild_id),
        ruleset=ruleset_by_id(row.ruleset),
        first=First(row.first),
        state=ChallengeState(row.state),
        created_at=row.created_at,
        expires_at=row.expires_at,
        match_id=row.match_id,
        rated=row.rated,
        control=None if row.control is None else TimeControl.from_code(row.control),
        ladder_id=row.ladder_id,
    )


#: The key of the lock for pairing; channels have larger keys.
_PAIRING = 42
_OWN_HOMES = match_deliveries.alias("own")
_OTHER_HOMES = match_deliveries.alias("other")


class StrangerRepository(Repository):
    """The standing requests, and what pairing needs to know."""

    async def lock(self) -> None:
        """Let one transaction at a time change requests or matches of strangers."""
        await lock(self._connection, _PAIRING)

    async def get(self, player_id: int) -> StandingRequest | None:
        row = await self._row(select(standing_requests).where(standing_requests.c.player_id == player_id))
        return None if row is None else _to_request(row)

    async def put(self, request: StandingRequest, asked_at: datetime) -> None:
        """Store a request of a stored player, in place of an earlier one."""
        row = _request_row(request) | {"player_id": request.player_id, "asked_at": asked_at, "version": 1}
        put = self._insert(standing_requests).values(row)
        changed = {**row, "version": standing_requests.c.version + 1}
        del changed["player_id"]
        await self._execute(put.on_conflict_do_update(index_elements=["player_id"], set_=changed))

    async def replace(self, before: StandingRequest, after: StandingRequest) -> bool:
        """Replace a request; False, without a change, if another transaction has changed it."""
        values = _request_row(after) | {"version": standing_requests.c.version + 1}
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

    async def met(self, player_ids: Collection[int], now: datetime) -> dict[int, dict[int, datetime]]:
        """When players' latest matches with each other as strangers ended, by player and opponent.

        The times of running matches are later than ``now``; matches that ended long ago do not matter.
        """
        until = func.coalesce(matches.c.ended_at, now + MEET_AGAIN_AFTER)
        query = (
            select(_OWN_HOMES.c.player_id, _OTHER_HOMES.c.player_id, func.max(until, type_=matches.c.ended_at.type))
            .join(matches, matches.c.id == _OWN_HOMES.c.match_id)
            .join(_OTHER_HOMES, and_(_OTHER_HOMES.c.match_id == matches.c.id, _OTHER_HOMES.c.seat != _OWN_HOMES.c.seat))
            .where(_OWN_HOMES.c.player_id.in_(player_ids), until > now - MEET_AGAIN_AFTER)
            .group_by(_OWN_HOMES.c.player_id, _OTHER_HOMES.c.player_id)
        )
        found: dict[int, dict[int, datetime]] = {}
        for own, other, at in await self._rows(query):
            found.setdefault(own, {})[other] = at
        return found

    async def blocked(self, player_ids: Collection[int]) -> dict[int, set[int]]:
        """Whom these players have blocked, by player."""
        found: dict[int, set[int]] = {}
        for row in await self._rows(select(blocks).where(blocks.c.player_id.in_(player_ids))):
            found.setdefault(row.player_id, set()).add(row.blocked_id)
        return found

    async def idle(self, since: datetime) -> set[int]:
        """The players who have neither asked nor made a turn since a time."""
        played = exists().where(turns.c.player_id == standing_requests.c.player_id, turns.c.played_at > since)
        query = select(standing_requests.c.player_id).where(standing_requests.c.asked_at <= since, ~played)
        return set(await self._scalars(query))

    async def end(self, player_id: int) -> None:
        """End a player's request, if there is one."""
        ended = {"state": RequestState.ENDED, "version": standing_requests.c.version + 1}
        await self._execute(update(standing_requests).where(standing_requests.c.player_id == player_id).values(ended))

    async def is_excluded(self, account_id: int) -> bool:
        """Whether the operator has excluded an account."""
        return await self._exists(select(excluded_accounts.c.id).where(excluded_accounts.c.id == account_id))

    async def exclude(self, account_id: int, *, excluded: bool) -> None:
        """Exclude an account, or let it in again."""
        if excluded:
            await self._execute(self._insert(excluded_accounts).values(id=account_id).on_conflict_do_nothing())
        else:
            await self._execute(delete(excluded_accounts).where(excluded_accounts.c.id == account_id))


def _request_row(request: StandingRequest) -> dict[str, Any]:
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

"""Challenges, from the offer to the match."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Row, Select, and_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain.challenges import Challenge, ChallengeState, First
from bot.domain.clocks import TimeControl
from bot.domain.limits import CHALLENGE_LIMIT, IN_VAIN_LIMIT, Wait
from bot.domain.places import Place, PostedMessage
from bot.domain.players import Player
from bot.domain.timers import TimerKind
from bot.storage.base import to_card
from bot.storage.matches import MatchStore
from bot.storage.names import Role
from bot.storage.tables import challenges, matches
from rules import Ruleset, ruleset_by_id

_challenger, _opponent = (Role(name, challenges.c.guild_id) for name in ("challenger", "opponent"))
_CHALLENGES: Select[Any] = _opponent.join(
    _challenger.join(
        select(challenges, *_challenger.columns, *_opponent.columns, matches.c.id.label("match_id")),
        challenges.c.challenger_id,
    ),
    challenges.c.opponent_id,
    optional=True,
).outerjoin(matches, matches.c.challenge_id == challenges.c.id)


class ChallengeStore(MatchStore):
    """Keeps the challenges."""

    async def add_challenge(
        self,
        place: Place,
        challenger: Player,
        opponent: Player | None,
        ruleset: Ruleset,
        first: First,
        created_at: datetime,
        expires_at: datetime,
        *,
        rated: bool = True,
        control: TimeControl | None = None,
    ) -> Challenge | Wait | None:
        """Stores an open challenge, or says how long the challenger has to wait; None when the two have an open one in
        this channel already."""
        low, high = _pair(challenger, opponent)
        async with self._database.write() as connection:
            await self._remember(connection, challenger, opponent)
            wait = await self._wait_to_challenge(connection, challenger, opponent, created_at)
            if wait is not None:
                return wait
            added = await connection.execute(
                self._insert(connection, challenges)
                .values(
                    guild_id=place.guild_id,
                    channel_id=place.channel_id,
                    challenger_id=challenger.id,
                    opponent_id=opponent and opponent.id,
                    low_id=low,
                    high_id=high,
                    ruleset=ruleset.id,
                    first=first,
                    rated=rated,
                    state=ChallengeState.OPEN,
                    created_at=created_at,
                    expires_at=expires_at,
                    version=1,
                    control=control and control.code,
                )
                .on_conflict_do_nothing()  # there is one index that allows one open challenge
                .returning(challenges.c.id)
            )
            identity = added.scalar_one_or_none()
            if identity is None:
                return None
            await self._set_timer(connection, TimerKind.EXPIRY, identity, expires_at)
            return await self._challenge(connection, challenges.c.id == identity)

    async def add_accepted_challenge(
        self,
        place: Place,
        players: tuple[Player, Player],
        ruleset: Ruleset,
        control: TimeControl | None,
        created_at: datetime,
        accepted_at: datetime,
    ) -> int:
        """Add a challenge that was accepted and needs no card, as a tournament makes it; the first player opens."""
        low, high = _pair(*players)
        async with self._database.write() as connection:
            added = await connection.execute(
                self._insert(connection, challenges)
                .values(
                    guild_id=place.guild_id,
                    channel_id=place.channel_id,
                    challenger_id=players[0].id,
                    opponent_id=players[1].id,
                    low_id=low,
                    high_id=high,
                    ruleset=ruleset.id,
                    first=First.CHALLENGER,
                    state=ChallengeState.ACCEPTED,
                    created_at=created_at,
                    expires_at=accepted_at,
                    version=1,
                    shown_version=1,
                    control=control and control.code,
                )
                .returning(challenges.c.id)
            )
            return int(added.scalar_one())

    async def challenge(self, challenge_id: int) -> Challenge | None:
        async with self._database.read() as connection:
            return await self._challenge(connection, challenges.c.id == challenge_id)

    async def open_challenge(self, place: Place, challenger: Player, opponent: Player | None) -> Challenge | None:
        """The open challenge between the two in that channel."""
        low, high = _pair(challenger, opponent)
        async with self._database.read() as connection:
            return await self._challenge(
                connection,
                and_(
                    challenges.c.channel_id == place.channel_id,
                    challenges.c.low_id == low,
                    challenges.c.high_id == high,
                    challenges.c.state == ChallengeState.OPEN,
                ),
            )

    async def close_challenge(self, challenge_id: int, state: ChallengeState) -> bool:
        """Ends an open challenge; False when it is not open any more."""
        async with self._database.write() as connection:
            return await self._close(connection, challenge_id, state)

    async def accept_challenge(
        self,
        challenge_id: int,
        first: Player,
        second: Player,
        accepter: Player,
        started_at: datetime,
        *,
        to_thread: bool = False,
    ) -> int | None:
        """Turns an open challenge into a match and returns the match's id; None when it is not open any more.

        The match gets the challenge's channel unless another match is running there, or it wants a thread.
        """
        async with self._database.write() as connection:
            await self._remember(connection, accepter)
            if not await self._close(connection, challenge_id, ChallengeState.ACCEPTED, opponent_id=accepter.id):
                return None
            challenge = await self._challenge(connection, challenges.c.id == challenge_id)
            assert challenge is not None
            return await self._add_match(
                connection,
                challenge.ruleset,
                challenge.place,
                None if to_thread else challenge.place.channel_id,
                (first, second),
                started_at,
                rated=challenge.rated,
                control=challenge.control,
                challenge_id=challenge_id,
            )

    async def challenge_shown(self, challenge_id: int, version: int, card: PostedMessage | None) -> None:
        """Notes that the card shows that version, or that there is no card and no need for one."""
        await self._shown(challenges, challenge_id, version, card)

    async def _wait_to_challenge(
        self, connection: AsyncConnection, challenger: Player, opponent: Player | None, now: datetime
    ) -> Wait | None:
        made_at, own = challenges.c.created_at, challenges.c.challenger_id == challenger.id
        until = await self._free_at(connection, CHALLENGE_LIMIT, made_at, now, own)
        if until is not None:
            return Wait(until)
        if opponent is None:
            return None
        in_vain = and_(challenges.c.opponent_id == opponent.id, challenges.c.state != ChallengeState.ACCEPTED)
        until = await self._free_at(connection, IN_VAIN_LIMIT, made_at, now, own, in_vain)
        return None if until is None else Wait(until, to_one=True)

    async def _close(
        self, connection: AsyncConnection, challenge_id: int, state: ChallengeState, **values: object
    ) -> bool:
        closed = await connection.execute(
            update(challenges)
            .where(challenges.c.id == challenge_id, challenges.c.state == ChallengeState.OPEN)
            .values(state=state, version=challenges.c.version + 1, **values)
        )
        await self._set_timer(connection, TimerKind.EXPIRY, challenge_id, None)
        return closed.rowcount == 1

    async def _challenge(self, connection: AsyncConnection, condition: ColumnElement[bool]) -> Challenge | None:
        row = (await connection.execute(_CHALLENGES.where(condition))).one_or_none()
        return row and _to_challenge(row)


def _pair(challenger: Player, opponent: Player | None) -> tuple[int, int]:
    low, high = sorted((challenger.id, 0 if opponent is None else opponent.id))
    return low, high


def _to_challenge(row: Row[Any]) -> Challenge:
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
        version=row.version,
        card=to_card(row, step=0),
        match_id=row.match_id,
        rated=row.rated,
        control=None if row.control is None else TimeControl.from_code(row.control),
    )

"""Challenges, and the matches that they become."""

from __future__ import annotations

from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, Row, Select, and_, bindparam, exists, insert, or_, select, update
from sqlalchemy.sql.dml import ReturningInsert

from bot.domain.challenges import Challenge, ChallengeState, First
from bot.domain.clocks import TimeControl
from bot.domain.places import Place, Viewer
from bot.domain.players import Player
from bot.storage.database import insert_for
from bot.storage.matches import in_view
from bot.storage.names import JoinedPlayer
from bot.storage.repository import Repository
from bot.storage.tables import OPEN_CHALLENGES, blocks, challenges, matches
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
# Built once, because every press on a challenge and every card of one asks for it.
_CHALLENGE = _CHALLENGES.where(challenges.c.id == bindparam("challenge_id"))
_OPEN_BETWEEN = _CHALLENGES.where(
    challenges.c.channel_id == bindparam("channel_id"),
    challenges.c.low_id == bindparam("low_id"),
    challenges.c.high_id == bindparam("high_id"),
    OPEN_CHALLENGES,
)
#: When somebody made challenges; those to one player that were in vain.
_MADE = select(challenges.c.created_at).where(
    challenges.c.challenger_id == bindparam("challenger_id"), challenges.c.created_at > bindparam("since")
)
_IN_VAIN = challenges.c.state != ChallengeState.ACCEPTED
_MADE_IN_VAIN = _MADE.where(challenges.c.opponent_id == bindparam("opponent_id"), _IN_VAIN)
_CLOSING = (
    update(challenges)
    .where(challenges.c.id == bindparam("this"), OPEN_CHALLENGES)
    .values(state=bindparam("new_state"), version=challenges.c.version + 1)
)
_ACCEPTING = _CLOSING.values(opponent_id=bindparam("accepter_id"))


class ChallengeRepository(Repository):
    """The challenges, with the timers of their expiry."""

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
    ) -> int | None:
        """Store an open challenge between players who are stored already, and return its id.

        None if the two already have an open challenge in this channel.
        """
        row = _row(place, challenger, opponent, ruleset, first, control, created_at, expires_at)
        added = await self._connection.execute(
            _adding(self._connection.dialect.name), {**row, "rated": rated, "state": ChallengeState.OPEN}
        )
        identity: int | None = added.scalar_one_or_none()
        return identity

    async def add_accepted(
        self,
        place: Place,
        players: tuple[Player, Player],
        ruleset: Ruleset,
        control: TimeControl | None,
        created_at: datetime,
        accepted_at: datetime,
    ) -> int:
        """Store an accepted challenge without a card, for a tournament; the first player makes the opening."""
        row = _row(place, *players, ruleset, First.CHALLENGER, control, created_at, accepted_at)
        added = await self._connection.execute(
            insert(challenges).values(**row, state=ChallengeState.ACCEPTED, shown_version=1).returning(challenges.c.id)
        )
        return int(added.scalar_one())

    async def get(self, challenge_id: int) -> Challenge | None:
        return await self._one(_CHALLENGE, {"challenge_id": challenge_id})

    async def open_between(self, place: Place, challenger: Player, opponent: Player | None) -> Challenge | None:
        """The open challenge between the two in that channel."""
        low, high = _pair(challenger, opponent)
        return await self._one(_OPEN_BETWEEN, {"channel_id": place.channel_id, "low_id": low, "high_id": high})

    async def open_to(self, viewer: Viewer, now: datetime) -> list[Challenge]:
        """The open challenges at the viewer's place that they can see and may accept, the newest first.

        Those of players whom they have blocked are not among them, nor of players who have blocked them.
        """
        me, place = viewer.player_id, viewer.place
        here = challenges.c.channel_id == place.channel_id
        if place.guild_id is not None:
            here = in_view(challenges.c.channel_id, viewer)
        found = await self._connection.execute(
            _CHALLENGES.where(
                *_acceptable(me, now),
                challenges.c.guild_id == place.guild_id,
                here,
                challenges.c.challenger_id != me,
                or_(challenges.c.opponent_id.is_(None), challenges.c.opponent_id == me),
            ).order_by(challenges.c.id.desc())
        )
        return [_to_challenge(row) for row in found]

    async def open_to_player(self, player_id: int, now: datetime) -> list[Challenge]:
        """The open challenges to this player, wherever they were made, that they may accept, the oldest first."""
        found = await self._connection.execute(
            _CHALLENGES.where(*_acceptable(player_id, now), challenges.c.opponent_id == player_id).order_by(
                challenges.c.id
            )
        )
        return [_to_challenge(row) for row in found]

    async def made_at(self, challenger_id: int, since: datetime, *, in_vain_to: int | None = None) -> list[datetime]:
        """When the player made challenges after that time: all of them, or those to one player that were in vain."""
        values = {"challenger_id": challenger_id, "since": since}
        if in_vain_to is None:
            return list(await self._connection.scalars(_MADE, values))
        return list(await self._connection.scalars(_MADE_IN_VAIN, {**values, "opponent_id": in_vain_to}))

    async def in_vain(self, challenger_id: int, since: datetime) -> list[tuple[int, datetime]]:
        """To whom the player made challenges after that time that were not accepted, and when."""
        found = await self._connection.execute(
            _MADE.with_only_columns(challenges.c.opponent_id, challenges.c.created_at).where(
                challenges.c.opponent_id.is_not(None), _IN_VAIN
            ),
            {"challenger_id": challenger_id, "since": since},
        )
        return [(row.opponent_id, row.created_at) for row in found]

    async def close(self, challenge_id: int, state: ChallengeState, accepter: Player | None = None) -> bool:
        """Close an open challenge; False if it is no longer open."""
        values = {"this": challenge_id, "new_state": state}
        if accepter is None:
            closed = await self._connection.execute(_CLOSING, values)
        else:
            closed = await self._connection.execute(_ACCEPTING, {**values, "accepter_id": accepter.id})
        return closed.rowcount == 1

    async def _one(self, query: Select[Any], values: dict[str, int]) -> Challenge | None:
        row = (await self._connection.execute(query, values)).one_or_none()
        return row and _to_challenge(row)


@cache
def _adding(dialect: str) -> ReturningInsert[int]:
    """Add a challenge, unless there is an open one: a unique index allows no second."""
    return insert_for(dialect, challenges).on_conflict_do_nothing().returning(challenges.c.id)


def _acceptable(player_id: int, now: datetime) -> tuple[ColumnElement[bool], ...]:
    """What is true of challenges that are still open, by nobody whom the player has blocked or who has blocked them."""
    with_challenger = or_(
        and_(blocks.c.player_id == player_id, blocks.c.blocked_id == challenges.c.challenger_id),
        and_(blocks.c.blocked_id == player_id, blocks.c.player_id == challenges.c.challenger_id),
    )
    return (
        OPEN_CHALLENGES,
        challenges.c.expires_at > now,
        ~exists().where(with_challenger).correlate(challenges),
    )


def _row(
    place: Place,
    challenger: Player,
    opponent: Player | None,
    ruleset: Ruleset,
    first: First,
    control: TimeControl | None,
    created_at: datetime,
    expires_at: datetime,
) -> dict[str, Any]:
    low, high = _pair(challenger, opponent)
    return {
        "guild_id": place.guild_id,
        "channel_id": place.channel_id,
        "challenger_id": challenger.id,
        "opponent_id": opponent and opponent.id,
        "low_id": low,
        "high_id": high,
        "ruleset": ruleset.id,
        "first": first,
        "created_at": created_at,
        "expires_at": expires_at,
        "version": 1,
        "control": control and control.code,
    }


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
        match_id=row.match_id,
        rated=row.rated,
        control=None if row.control is None else TimeControl.from_code(row.control),
    )

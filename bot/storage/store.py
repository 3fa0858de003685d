"""All questions to the database and all changes of it; each method is one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Row,
    Select,
    Table,
    and_,
    case,
    delete,
    exists,
    func,
    insert,
    literal,
    or_,
    select,
    union_all,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.matches.model import (
    Card,
    Challenge,
    ChallengeState,
    Ending,
    First,
    Match,
    Place,
    Player,
    Result,
    Standing,
)
from bot.storage.database import Database
from bot.storage.tables import challenges, matches, memos, players, timers, turns
from rules import Ruleset, ruleset_by_id

_CHALLENGE_EXPIRY = "challenge-expiry"

_challenger = players.alias("challenger")
_opponent = players.alias("opponent")
_first = players.alias("first_player")
_second = players.alias("second_player")


class Storage:
    def __init__(self, database: Database) -> None:
        self._database = database

    # Challenges

    async def add_challenge(
        self,
        place: Place,
        challenger: Player,
        opponent: Player | None,
        ruleset: Ruleset,
        first: First,
        created_at: datetime,
        expires_at: datetime,
    ) -> Challenge | None:
        """Stores an open challenge; None when the two have an open one in this channel already."""
        low, high = _pair(challenger, opponent)
        async with self._database.write() as connection:
            await self._remember(connection, challenger, opponent)
            taken = await connection.scalar(
                select(challenges.c.id).where(
                    challenges.c.channel_id == place.channel_id,
                    challenges.c.low_id == low,
                    challenges.c.high_id == high,
                    challenges.c.state == ChallengeState.OPEN,
                )
            )
            if taken is not None:
                return None
            added = await connection.execute(
                insert(challenges)
                .values(
                    guild_id=place.guild_id,
                    channel_id=place.channel_id,
                    challenger_id=challenger.id,
                    opponent_id=opponent and opponent.id,
                    low_id=low,
                    high_id=high,
                    ruleset=ruleset.id,
                    first=first,
                    state=ChallengeState.OPEN,
                    created_at=created_at,
                    expires_at=expires_at,
                    version=1,
                )
                .returning(challenges.c.id)
            )
            identity = added.scalar_one()
            await connection.execute(
                insert(timers).values(kind=_CHALLENGE_EXPIRY, subject_id=identity, due_at=expires_at)
            )
            return await self._challenge(connection, challenges.c.id == identity)

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
        self, challenge_id: int, first: Player, second: Player, accepter: Player, started_at: datetime
    ) -> int | None:
        """Turns an open challenge into a match and returns the match's id; None when it is not open any more.

        The match gets the challenge's channel unless another match is running there.
        """
        async with self._database.write() as connection:
            await self._remember(connection, accepter)
            if not await self._close(connection, challenge_id, ChallengeState.ACCEPTED, opponent_id=accepter.id):
                return None
            challenge = await self._challenge(connection, challenges.c.id == challenge_id)
            assert challenge is not None
            channel_id = challenge.place.channel_id
            busy = await connection.scalar(
                select(matches.c.id).where(matches.c.channel_id == channel_id, matches.c.ended_at.is_(None))
            )
            added = await connection.execute(
                insert(matches)
                .values(
                    challenge_id=challenge_id,
                    ruleset=challenge.ruleset.id,
                    game=challenge.ruleset.game.name,
                    guild_id=challenge.place.guild_id,
                    home_channel_id=channel_id,
                    channel_id=channel_id if busy is None else None,
                    first_id=first.id,
                    second_id=second.id,
                    ply=0,
                    started_at=started_at,
                    version=1,
                )
                .returning(matches.c.id)
            )
            match_id: int = added.scalar_one()
            return match_id

    async def challenge_shown(self, challenge_id: int, version: int, card: Card | None) -> None:
        """Notes that the card shows that version, or that there is no card and no need for one."""
        await self._shown(challenges, challenge_id, version, card)

    # Matches

    async def match(self, match_id: int) -> Match | None:
        async with self._database.read() as connection:
            return await self._match(connection, matches.c.id == match_id)

    async def turns(self, match_id: int) -> tuple[str, ...]:
        """The match's turns, in order."""
        async with self._database.read() as connection:
            found = await connection.scalars(
                select(turns.c.turn).where(turns.c.match_id == match_id).order_by(turns.c.ply)
            )
            return tuple(found)

    async def running_matches(
        self, guild_id: int, *, player_id: int | None = None, channel_id: int | None = None
    ) -> list[Match]:
        """The server's running matches, oldest first; those of a player, or in a channel."""
        conditions: list[ColumnElement[bool]] = [matches.c.guild_id == guild_id, matches.c.ended_at.is_(None)]
        if player_id is not None:
            conditions.append(or_(matches.c.first_id == player_id, matches.c.second_id == player_id))
        if channel_id is not None:
            conditions.append(matches.c.channel_id == channel_id)
        async with self._database.read() as connection:
            return await self._matches(connection, and_(*conditions))

    async def latest_match(self, channel_id: int) -> Match | None:
        """The match that was played last in that channel, running or not."""
        async with self._database.read() as connection:
            newest = (
                select(matches.c.id)
                .where(matches.c.channel_id == channel_id)
                .order_by(matches.c.id.desc())
                .limit(1)
                .scalar_subquery()
            )
            return await self._match(connection, matches.c.id == newest)

    async def add_turn(
        self, match_id: int, ply: int, turn: str, player_id: int, played_at: datetime, result: Result | None
    ) -> bool:
        """Stores the match's turn number ``ply`` + 1, and the result when it ends the match.

        False, and nothing is stored, unless the match is running and has exactly ``ply`` turns.
        """
        async with self._database.write() as connection:
            stored = await self._change(connection, match_id, ply, played_at, result, ply=ply + 1)
            if stored:
                await connection.execute(
                    insert(turns).values(
                        match_id=match_id, ply=ply + 1, turn=turn, player_id=player_id, played_at=played_at
                    )
                )
            return stored

    async def end_match(self, match_id: int, ply: int, ended_at: datetime, result: Result) -> bool:
        """Ends the match without a turn; False unless it is running and has exactly ``ply`` turns."""
        async with self._database.write() as connection:
            return await self._change(connection, match_id, ply, ended_at, result)

    async def place_match(self, match_id: int, channel_id: int) -> bool:
        """Gives a waiting match its channel; False when it has one, or another match runs there."""
        async with self._database.write() as connection:
            running = matches.alias("running")
            busy = exists().where(running.c.channel_id == channel_id, running.c.ended_at.is_(None))
            placed = await connection.execute(
                update(matches)
                .where(matches.c.id == match_id, matches.c.channel_id.is_(None), matches.c.ended_at.is_(None), ~busy)
                .values(channel_id=channel_id)
                .returning(matches.c.challenge_id)
            )
            challenge_id = placed.scalar_one_or_none()
            if challenge_id is None:
                return False
            await connection.execute(
                update(challenges).where(challenges.c.id == challenge_id).values(version=challenges.c.version + 1)
            )
            return True

    async def unplace_match(self, match_id: int, channel_id: int) -> None:
        """Takes a running match out of a channel that is gone."""
        async with self._database.write() as connection:
            await connection.execute(
                update(matches)
                .where(matches.c.id == match_id, matches.c.channel_id == channel_id, matches.c.ended_at.is_(None))
                .values(channel_id=None)
            )

    async def waiting_matches(self, home_channel_id: int | None = None) -> list[Match]:
        """The running matches that have no channel, oldest first; those challenged in one channel, or all."""
        conditions: list[ColumnElement[bool]] = [matches.c.channel_id.is_(None), matches.c.ended_at.is_(None)]
        if home_channel_id is not None:
            conditions.append(matches.c.home_channel_id == home_channel_id)
        async with self._database.read() as connection:
            return await self._matches(connection, and_(*conditions))

    async def match_shown(self, match_id: int, card: Card) -> None:
        await self._shown(matches, match_id, card.version, card, shown_ply=card.ply)

    async def request_match_card(self, match_id: int) -> None:
        """Asks for the match's card to be shown once more."""
        async with self._database.write() as connection:
            await connection.execute(
                update(matches).where(matches.c.id == match_id).values(version=matches.c.version + 1)
            )

    # What a start has to catch up with

    async def unshown(self) -> tuple[list[int], list[int]]:
        """The ids of the challenges and of the matches whose last change was not shown."""
        found = []
        async with self._database.read() as connection:
            for table in (challenges, matches):
                rows = await connection.scalars(
                    select(table.c.id)
                    .where(or_(table.c.shown_version.is_(None), table.c.shown_version < table.c.version))
                    .order_by(table.c.id)
                )
                found.append(list(rows))
        return found[0], found[1]

    async def forget_discord(self) -> None:
        """Forgets all messages and threads, for a Discord that starts empty: what is open or running is shown anew."""
        blank = {"card_channel_id": None, "card_message_id": None}
        running = matches.c.ended_at.is_(None)
        in_thread = matches.c.channel_id != matches.c.home_channel_id
        async with self._database.write() as connection:
            await connection.execute(update(challenges).values(blank))
            await connection.execute(
                update(challenges).where(challenges.c.state == ChallengeState.OPEN).values(shown_version=None)
            )
            await connection.execute(update(matches).values(blank))
            await connection.execute(update(matches).where(running).values(shown_version=None))
            await connection.execute(update(matches).where(running, in_thread).values(channel_id=None))

    async def next_timer(self) -> datetime | None:
        """When the next timer is due."""
        async with self._database.read() as connection:
            due: datetime | None = await connection.scalar(select(timers.c.due_at).order_by(timers.c.due_at).limit(1))
            return due

    async def expired_challenges(self, now: datetime) -> list[int]:
        """The ids of the challenges whose time is over."""
        async with self._database.read() as connection:
            found = await connection.scalars(
                select(timers.c.subject_id)
                .where(timers.c.kind == _CHALLENGE_EXPIRY, timers.c.due_at <= now)
                .order_by(timers.c.due_at)
            )
            return list(found)

    async def memo(self, name: str) -> str | None:
        async with self._database.read() as connection:
            value: str | None = await connection.scalar(select(memos.c.value).where(memos.c.name == name))
            return value

    async def set_memo(self, name: str, value: str) -> None:
        async with self._database.write() as connection:
            await connection.execute(delete(memos).where(memos.c.name == name))
            await connection.execute(insert(memos).values(name=name, value=value))

    # Results

    async def standings(self, guild_id: int, game: str | None) -> list[Standing]:
        """The results of everybody who finished a match in the server, of one game or all; in no particular order."""
        finished = [matches.c.guild_id == guild_id, matches.c.ended_at.is_not(None)]
        if game is not None:
            finished.append(matches.c.game == game)
        seats = union_all(
            *(select(seat.label("player_id"), matches.c.winner_id).where(*finished) for seat in _SEATS)
        ).subquery()
        won = func.sum(case((seats.c.winner_id == seats.c.player_id, 1), else_=0))
        drawn = func.sum(case((seats.c.winner_id.is_(None), 1), else_=0))
        async with self._database.read() as connection:
            rows = await connection.execute(
                select(players.c.id, players.c.name, won, drawn, func.count(literal(1)))
                .join(seats, seats.c.player_id == players.c.id)
                .group_by(players.c.id, players.c.name)
            )
            return [
                Standing(Player(identity, name), wins, games - wins - draws, draws)
                for identity, name, wins, draws, games in rows
            ]

    # Shared parts

    async def _remember(self, connection: AsyncConnection, *people: Player | None) -> None:
        dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
        for person in people:
            if person is not None:
                known = dialect.insert(players).values(id=person.id, name=person.name)
                await connection.execute(
                    known.on_conflict_do_update(index_elements=["id"], set_={"name": known.excluded.name})
                )

    async def _close(
        self, connection: AsyncConnection, challenge_id: int, state: ChallengeState, **values: object
    ) -> bool:
        closed = await connection.execute(
            update(challenges)
            .where(challenges.c.id == challenge_id, challenges.c.state == ChallengeState.OPEN)
            .values(state=state, version=challenges.c.version + 1, **values)
        )
        await connection.execute(
            delete(timers).where(timers.c.kind == _CHALLENGE_EXPIRY, timers.c.subject_id == challenge_id)
        )
        return closed.rowcount == 1

    async def _change(
        self,
        connection: AsyncConnection,
        match_id: int,
        expected_ply: int,
        at: datetime,
        result: Result | None,
        **values: object,
    ) -> bool:
        if result is not None:
            values |= {"ended_at": at, "ending": result.ending, "winner_id": result.winner_id}
        changed = await connection.execute(
            update(matches)
            .where(matches.c.id == match_id, matches.c.ply == expected_ply, matches.c.ended_at.is_(None))
            .values(version=matches.c.version + 1, **values)
        )
        return changed.rowcount == 1

    async def _shown(self, table: Table, identity: int, version: int, card: Card | None, **values: object) -> None:
        values |= {
            "shown_version": version,
            "card_channel_id": card and card.channel_id,
            "card_message_id": card and card.message_id,
        }
        async with self._database.write() as connection:
            await connection.execute(update(table).where(table.c.id == identity).values(values))

    async def _challenge(self, connection: AsyncConnection, condition: ColumnElement[bool]) -> Challenge | None:
        row = (await connection.execute(_CHALLENGES.where(condition))).one_or_none()
        return row and _to_challenge(row)

    async def _match(self, connection: AsyncConnection, condition: ColumnElement[bool]) -> Match | None:
        found = await self._matches(connection, condition)
        return found[0] if found else None

    async def _matches(self, connection: AsyncConnection, condition: ColumnElement[bool]) -> list[Match]:
        rows: Sequence[Row[Any]] = (await connection.execute(_MATCHES.where(condition).order_by(matches.c.id))).all()
        return [_to_match(row) for row in rows]


_SEATS = (matches.c.first_id, matches.c.second_id)

_CHALLENGES: Select[Any] = (
    select(
        challenges,
        _challenger.c.name.label("challenger_name"),
        _opponent.c.name.label("opponent_name"),
        matches.c.id.label("match_id"),
    )
    .join(_challenger, _challenger.c.id == challenges.c.challenger_id)
    .outerjoin(_opponent, _opponent.c.id == challenges.c.opponent_id)
    .outerjoin(matches, matches.c.challenge_id == challenges.c.id)
)

_MATCHES: Select[Any] = (
    select(matches, _first.c.name.label("first_name"), _second.c.name.label("second_name"))
    .join(_first, _first.c.id == matches.c.first_id)
    .join(_second, _second.c.id == matches.c.second_id)
)


def _pair(challenger: Player, opponent: Player | None) -> tuple[int, int]:
    low, high = sorted((challenger.id, 0 if opponent is None else opponent.id))
    return low, high


def _to_challenge(row: Row[Any]) -> Challenge:
    return Challenge(
        id=row.id,
        place=Place(row.guild_id, row.channel_id),
        challenger=Player(row.challenger_id, row.challenger_name),
        opponent=None if row.opponent_id is None else Player(row.opponent_id, row.opponent_name),
        ruleset=ruleset_by_id(row.ruleset),
        first=First(row.first),
        state=ChallengeState(row.state),
        created_at=row.created_at,
        expires_at=row.expires_at,
        version=row.version,
        card=_to_card(row, ply=0),
        match_id=row.match_id,
    )


def _to_match(row: Row[Any]) -> Match:
    return Match(
        id=row.id,
        challenge_id=row.challenge_id,
        ruleset=ruleset_by_id(row.ruleset),
        home=Place(row.guild_id, row.home_channel_id),
        channel_id=row.channel_id,
        first=Player(row.first_id, row.first_name),
        second=Player(row.second_id, row.second_name),
        ply=row.ply,
        version=row.version,
        result=None if row.ending is None else Result(row.winner_id, Ending(row.ending)),
        card=_to_card(row, ply=row.shown_ply),
    )


def _to_card(row: Row[Any], ply: int) -> Card | None:
    if row.card_message_id is None:
        return None
    return Card(row.card_channel_id, row.card_message_id, row.shown_version, ply)

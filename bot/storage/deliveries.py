"""Where matches are played, what was shown of everything that has a card, and what still has to be shown.

A match changes before its delivery does, and its row is locked first, so that two changes never wait for each other.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from functools import cache
from typing import Any

from sqlalchemy import (
    BigInteger,
    BindParameter,
    ColumnElement,
    Select,
    Table,
    Update,
    and_,
    bindparam,
    case,
    delete,
    func,
    insert,
    or_,
    select,
    true,
    union_all,
    update,
)
from sqlalchemy.sql.dml import ReturningInsert

from bot.domain.deliveries import CardState, MatchDelivery, PostedMessage, ReplacedMessage
from bot.domain.places import Place
from bot.domain.preferences import BoardCards
from bot.domain.proposals import ProposalKind, ProposalState
from bot.storage.database import insert_for, lock
from bot.storage.repository import AnyRow, Repository
from bot.storage.tables import (
    OPEN_PROPOSALS,
    challenges,
    match_deliveries,
    matches,
    proposals,
    replaced_cards,
    tournaments,
    turns,
)

#: What is to be shown of a match: its steps, its end, and what was asked for besides.
_VERSION = matches.c.step + case((matches.c.ended_at.is_not(None), 1), else_=0) + match_deliveries.c.requests
_OUTDATED = or_(match_deliveries.c.shown_version.is_(None), match_deliveries.c.shown_version < _VERSION)
_RUNNING = matches.c.ended_at.is_(None)
#: Whether a match is waiting for a place.
WAITING: ColumnElement[bool] = and_(match_deliveries.c.channel_id.is_(None), _RUNNING)
#: Whether the last change of a proposal was not shown; one that was settled before it was ever shown needs no card.
_UNSHOWN_PROPOSAL = or_(
    proposals.c.shown_version < proposals.c.version,
    and_(proposals.c.shown_version.is_(None), OPEN_PROPOSALS),
)
#: What a delivery is read from, besides the server of its match.
DELIVERY: tuple[ColumnElement[Any], ...] = (*match_deliveries.c, _VERSION.label("version"))
_DELIVERIES: Select[Any] = select(*DELIVERY, matches.c.guild_id).join(
    matches, matches.c.id == match_deliveries.c.match_id
)
_DELIVERY_WITH_PROPOSALS = (
    _DELIVERIES.add_columns(proposals.c.id.label("proposal_id"))
    .outerjoin(proposals, and_(proposals.c.match_id == matches.c.id, _UNSHOWN_PROPOSAL))
    .where(matches.c.id == bindparam("match_id"))
    .order_by(proposals.c.id)
)
_DELIVERIES_OF = _DELIVERIES.where(matches.c.id.in_(bindparam("match_ids", expanding=True)))
# What is left to be done. Built once, because every start and every server that is joined asks for all of it.
_UNSHOWN_CHALLENGES = (
    select(challenges.c.id)
    .where(or_(challenges.c.shown_version.is_(None), challenges.c.shown_version < challenges.c.version))
    .order_by(challenges.c.id.desc())
)
_LAST_PLAYED = (
    select(turns.c.played_at).where(turns.c.match_id == matches.c.id, turns.c.step == matches.c.step).scalar_subquery()
)
_UNSHOWN_MATCHES = (
    select(match_deliveries.c.match_id)
    .join(matches, matches.c.id == match_deliveries.c.match_id)
    .where(_OUTDATED, or_(match_deliveries.c.channel_id.is_not(None), _RUNNING))
    .order_by(func.coalesce(matches.c.ended_at, _LAST_PLAYED, matches.c.started_at).desc(), matches.c.id.desc())
)
_UNSHOWN_PROPOSALS = (
    select(proposals.c.id)
    .join(match_deliveries, match_deliveries.c.match_id == proposals.c.match_id)
    .where(_UNSHOWN_PROPOSAL)
    .order_by(proposals.c.id)
)
_ALL_UNSHOWN_PROPOSALS = (
    _UNSHOWN_PROPOSALS.join(matches, matches.c.id == proposals.c.match_id)
    .order_by(None)
    .order_by(proposals.c.id.desc())
)
_REPLACED = (
    select(replaced_cards)
    .join(matches, matches.c.id == replaced_cards.c.match_id)
    .order_by(replaced_cards.c.message_id)
)


class DeliveryRepository(Repository):
    """The places of matches, and the messages that show matches, challenges, proposals and tournaments."""

    # Matches

    async def get(self, match_id: int) -> MatchDelivery:
        """Where a match is played and what was shown of it."""
        return (await self.get_all([match_id]))[match_id]

    async def get_all(self, match_ids: Collection[int]) -> dict[int, MatchDelivery]:
        """The deliveries of these matches, by the ids of the matches."""
        rows = await self._connection.execute(_DELIVERIES_OF, {"match_ids": list(match_ids)})
        return {each.match_id: each for each in map(to_delivery, rows)}

    async def with_proposals(self, match_id: int) -> tuple[MatchDelivery, list[int]]:
        """The delivery of a match, and the ids of the proposals whose last change was not shown."""
        rows = (await self._connection.execute(_DELIVERY_WITH_PROPOSALS, {"match_id": match_id})).all()
        unshown = [row.proposal_id for row in rows if row.proposal_id is not None]
        return to_delivery(rows[0]), unshown

    async def add(self, match_id: int, home_id: int, channel_id: int | None, *, direct: bool = False) -> bool:
        """Give a new match a home, and the channel, if any, unless another match is running there; whether it can be
        played now.
        """
        placed = channel_id is not None and await self._claim(channel_id)
        await self._connection.execute(
            insert(match_deliveries).values(
                match_id=match_id, home_channel_id=home_id, direct=direct, requests=1, **_played_in(channel_id, placed)
            )
        )
        return placed

    async def place(self, match_id: int, channel_id: int) -> bool:
        """Give a waiting match its channel; False when it has one, or another match is running there."""
        if not await self._claim(channel_id, match_id):
            return False
        placed = await self._connection.execute(
            update(match_deliveries)
            .where(_is_running(match_id), match_deliveries.c.channel_id.is_(None))
            .values(_played_in(channel_id))
        )
        if placed.rowcount == 1:
            self._changed.add(match_id)
            await self._renew_origin(match_id)
        return placed.rowcount == 1

    async def unplace(self, match_id: int, channel_id: int) -> bool:
        """Take a running match out of a channel that is gone; False when it is not there any more."""
        taken = await self._connection.execute(
            update(match_deliveries)
            .where(_is_running(match_id), match_deliveries.c.channel_id == channel_id)
            .values(_played_in(None))
        )
        return taken.rowcount == 1

    async def move(self, match_id: int, place: Place, *, to_thread: bool) -> bool:
        """Make ``place`` the home of a match that is locked. It is played there, or waits for a place when that
        channel is taken or when it wants a thread; whether it can be played now.
        """
        placed = not to_thread and await self._claim(place.channel_id, match_id)
        await self._connection.execute(update(matches).where(matches.c.id == match_id).values(guild_id=place.guild_id))
        values = {
            "home_channel_id": place.channel_id,
            "direct": place.direct,
            **_played_in(place.channel_id, placed),
        }
        await self._connection.execute(_updating(match_id).values(requests=match_deliveries.c.requests + 1, **values))
        await self._renew_origin(match_id)
        return placed

    async def close(self, match_id: int) -> None:
        """Let others play where a match is over. If it never found a place, the card that it came from says so."""
        freed = await self._connection.execute(
            _updating(match_id).values(occupied_channel_id=None).returning(match_deliveries.c.channel_id)
        )
        if freed.scalar_one() is None:
            await self._renew_origin(match_id)

    async def waiting(self, home_channel_id: int | None = None) -> list[int]:
        """The running matches that wait for a place, oldest first: those whose home is one channel, or all for which
        this process is to find one.
        """
        query = (
            select(match_deliveries.c.match_id)
            .join(matches, matches.c.id == match_deliveries.c.match_id)
            .where(WAITING)
            .order_by(match_deliveries.c.match_id)
        )
        if home_channel_id is None:
            query = query.where(self._is_held(matches.c.guild_id))
        else:
            query = query.where(match_deliveries.c.home_channel_id == home_channel_id)
        return list(await self._connection.scalars(query))

    async def request(self, match_id: int) -> None:
        """Ask for the match to be shown once more."""
        await self._connection.execute(_updating(match_id).values(requests=match_deliveries.c.requests + 1))

    async def set_message(
        self, match_id: int, message: PostedMessage, ping_id: int | None = None, *, surplus: Collection[int] = ()
    ) -> list[ReplacedMessage] | None:
        """Store the message that shows a match, and the one that pings a player below it, unless another process has
        shown as much already; then return None.

        Return the messages before. They are kept until their buttons are gone, or they are: the ping, and those whose
        ids are ``surplus``.
        """
        await self._lock_match(match_id)
        shown = {
            "this": match_id,
            "its_version": message.version,
            "its_step": message.step,
            "its_channel": message.channel_id,
            "its_message": message.message_id,
            "ping": ping_id,
        }
        rows = await self._connection.execute(
            _replacing(self._connection.dialect.name), {**shown, "others": list(surplus)}
        )
        replaced = [_to_replaced(row) for row in rows]
        stored = await self._connection.execute(_SHOWING, shown)
        if stored.rowcount != 1:
            return None
        known = {ping_id, message.message_id, *(each.message.message_id for each in replaced)}
        others = [
            ReplacedMessage(match_id, replace(message, message_id=each), surplus=True) for each in {*surplus} - known
        ]
        await self.add_replaced(others)
        return [*replaced, *others]

    async def add_replaced(self, messages: Iterable[ReplacedMessage]) -> None:
        """Keep messages until their buttons are gone, or they are if they are surplus."""
        rows = [
            {
                "message_id": each.message.message_id,
                "channel_id": each.message.channel_id,
                "match_id": each.match_id,
                "step": each.message.step,
                "surplus": each.surplus,
            }
            for each in messages
        ]
        if rows:
            await self._connection.execute(self._insert(replaced_cards).values(rows).on_conflict_do_nothing())

    async def replaced(self) -> list[ReplacedMessage]:
        """The messages that later ones have replaced and this process is to retire, which may still be there or have
        buttons.
        """
        rows = await self._connection.execute(self._held(_REPLACED, matches.c.guild_id))
        return [_to_replaced(row) for row in rows]

    async def choose_board_cards(self, match_id: int, chosen: BoardCards) -> None:
        """Store how the match is to be shown from now on."""
        await self._connection.execute(_updating(match_id).values(board_cards=chosen))

    async def remove_replaced(self, message_ids: Collection[int]) -> None:
        """Forget replaced messages whose buttons are gone, or out of reach."""
        await self._connection.execute(_REMOVING_REPLACED, {"message_ids": list(message_ids)})

    # Challenges, proposals and tournaments

    async def challenge(self, challenge_id: int) -> CardState:
        return await self._card(challenges, challenge_id)

    async def challenge_messages(self, challenge_ids: Collection[int]) -> dict[int, PostedMessage | None]:
        """The messages that show these challenges, by the ids of the challenges."""
        rows = await self._connection.execute(_CHALLENGE_CARDS, {"ids": list(challenge_ids)})
        return {row.id: _to_message(row, step=0) for row in rows}

    async def set_challenge(self, challenge_id: int, version: int, message: PostedMessage | None) -> None:
        """Store the message that shows that version of a challenge; None when none is needed."""
        await self._set_card(challenges, challenge_id, version, message)

    async def proposal(self, proposal_id: int) -> CardState:
        return await self._card(proposals, proposal_id)

    async def set_proposal(self, proposal_id: int, message: PostedMessage) -> None:
        await self._set_card(proposals, proposal_id, message.version, message)

    async def note_lapsed(self, proposal_ids: Collection[int]) -> None:
        """Store that the cards of proposals show that these have lapsed, after which nothing changes any more."""
        await self._connection.execute(
            update(proposals).where(proposals.c.id.in_(proposal_ids)).values(shown_version=proposals.c.version)
        )

    async def tournament(self, tournament_id: int) -> CardState:
        return await self._card(tournaments, tournament_id)

    async def set_tournament(self, tournament_id: int, message: PostedMessage) -> None:
        await self._set_card(tournaments, tournament_id, message.version, message)

    # What is not shown

    async def unshown(self) -> tuple[list[int], list[int]]:
        """The ids of the challenges and of the matches whose last change was not shown, and is to be by this process;
        the newest first.

        A match that ended while it waited for a place has nowhere to be shown.
        """
        offered = await self._connection.scalars(self._held(_UNSHOWN_CHALLENGES, challenges.c.guild_id))
        played = await self._connection.scalars(self._held(_UNSHOWN_MATCHES, matches.c.guild_id))
        return list(offered), list(played)

    async def unshown_proposals(self, match_id: int | None = None) -> list[int]:
        """The ids of the proposals whose last change was not shown: of a match, or all that this process is to show,
        the newest first.
        """
        if match_id is None:
            query = self._held(_ALL_UNSHOWN_PROPOSALS, matches.c.guild_id)
        else:
            query = _UNSHOWN_PROPOSALS.where(proposals.c.match_id == match_id)
        return list(await self._connection.scalars(query))

    # Shared parts

    async def _claim(self, channel_id: int, match_id: int | None = None) -> bool:
        """Whether no match is running in the channel, which stays so until the end of this change, but for what the
        change does itself; ``match_id`` is a match that is about to be played there.

        Every change locks its match first and its channel next, so that two never wait for each other.
        """
        if match_id is not None:
            await self._lock_match(match_id)
        await lock(self._connection, channel_id)
        running = await self._connection.scalar(_PLAYED_THERE, {"channel": channel_id})
        return running is None

    async def _renew_origin(self, match_id: int) -> None:
        """Ask for the card of the match's challenge, or that of the proposal of the rematch that it is, to be shown
        anew: it says where the match is."""
        origin = select(matches.c.challenge_id).where(matches.c.id == match_id).scalar_subquery()
        await self._connection.execute(
            update(challenges).where(challenges.c.id == origin).values(version=challenges.c.version + 1)
        )
        before = select(matches.c.rematch_of).where(matches.c.id == match_id).scalar_subquery()
        await self._connection.execute(
            update(proposals)
            .where(
                proposals.c.match_id == before,
                proposals.c.kind == ProposalKind.REMATCH,
                proposals.c.state == ProposalState.ACCEPTED,
            )
            .values(version=proposals.c.version + 1)
        )

    async def _card(self, table: Table, identity: int) -> CardState:
        row = (await self._connection.execute(_card_of(table), {"this": identity})).one()
        return CardState(row.version, _to_message(row, step=0))

    async def _set_card(self, table: Table, identity: int, version: int, message: PostedMessage | None) -> None:
        await self._connection.execute(
            _setting_card(table),
            {
                "this": identity,
                "shown_version": version,
                "card_channel_id": message and message.channel_id,
                "card_message_id": message and message.message_id,
            },
        )


# Built once, because every turn shows a match and every answer to a proposal its card.
_PLAYED_THERE = select(match_deliveries.c.match_id).where(
    match_deliveries.c.occupied_channel_id == bindparam("channel")
)
_PING: BindParameter[int | None] = bindparam("ping", type_=BigInteger)
#: The delivery of a match, unless as much is shown already.
_BEFORE = and_(
    match_deliveries.c.match_id == bindparam("this"),
    or_(
        match_deliveries.c.shown_version.is_(None),
        match_deliveries.c.shown_version < bindparam("its_version"),
        and_(
            match_deliveries.c.card_message_id == bindparam("its_message"),
            match_deliveries.c.ping_message_id.is_not_distinct_from(_PING),
        ),
    ),
)
_SHOWING = (
    update(match_deliveries)
    .where(_BEFORE)
    .values(
        shown_version=bindparam("its_version"),
        shown_step=bindparam("its_step"),
        card_channel_id=bindparam("its_channel"),
        card_message_id=bindparam("its_message"),
        ping_message_id=_PING,
    )
)
_REMOVING_REPLACED = delete(replaced_cards).where(
    replaced_cards.c.message_id.in_(bindparam("message_ids", expanding=True))
)


@cache
def _replacing(dialect: str) -> ReturningInsert[Any]:
    """Keep the card and the ping that are shown of a match, unless the new ones are the same."""
    shown = match_deliveries.c
    is_surplus = shown.card_message_id.in_(bindparam("others", expanding=True))
    before = union_all(
        *(
            select(column, shown.card_channel_id, shown.match_id, shown.shown_step, surplus).where(
                _BEFORE, column != kept
            )
            for column, kept, surplus in (
                (shown.card_message_id, bindparam("its_message"), is_surplus),
                (shown.ping_message_id, func.coalesce(_PING, 0), true()),
            )
        )
    )
    return (
        insert_for(dialect, replaced_cards)
        .from_select(["message_id", "channel_id", "match_id", "step", "surplus"], before)
        .on_conflict_do_nothing()
        .returning(replaced_cards)
    )


def _cards(table: Table) -> Select[Any]:
    return select(table.c.id, table.c.version, table.c.card_channel_id, table.c.card_message_id, table.c.shown_version)


@cache
def _card_of(table: Table) -> Select[Any]:
    return _cards(table).where(table.c.id == bindparam("this"))


_CHALLENGE_CARDS = _cards(challenges).where(challenges.c.id.in_(bindparam("ids", expanding=True)))


@cache
def _setting_card(table: Table) -> Update:
    return update(table).where(table.c.id == bindparam("this"))


def _played_in(channel_id: int | None, placed: bool = True) -> dict[str, int | None]:
    """The values of a running match that is played in the channel if it is ``placed``, and waits otherwise."""
    taken = channel_id if placed else None
    return {"channel_id": taken, "occupied_channel_id": taken}


def _updating(match_id: int) -> Update:
    return update(match_deliveries).where(match_deliveries.c.match_id == match_id)


def _is_running(match_id: int) -> ColumnElement[bool]:
    return match_deliveries.c.match_id.in_(select(matches.c.id).where(matches.c.id == match_id, _RUNNING))


def to_delivery(row: AnyRow) -> MatchDelivery:
    """The delivery in a row with the columns of :data:`DELIVERY`."""
    return MatchDelivery(
        version=row.version,
        message=_to_message(row, step=row.shown_step),
        match_id=row.match_id,
        home=Place(row.guild_id, row.home_channel_id, row.direct),
        channel_id=row.channel_id,
        ping_id=row.ping_message_id,
        board_cards=None if row.board_cards is None else BoardCards(row.board_cards),
    )


def _to_message(row: AnyRow, step: int) -> PostedMessage | None:
    if row.card_message_id is None:
        return None
    return PostedMessage(row.card_channel_id, row.card_message_id, row.shown_version, step)


def _to_replaced(row: AnyRow) -> ReplacedMessage:
    return ReplacedMessage(row.match_id, PostedMessage(row.channel_id, row.message_id, 0, row.step), row.surplus)

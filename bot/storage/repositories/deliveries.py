"""The places of matches, the messages of cards, and the changes that cards do not show yet.

Every transaction locks a match before its delivery, so there are no deadlocks.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    FromClause,
    Integer,
    Select,
    Table,
    and_,
    bindparam,
    case,
    delete,
    exists,
    func,
    null,
    or_,
    select,
    update,
)

from bot.domain.deliveries import CardKey, CardState, MatchDelivery, PostedMessage, ReplacedMessage
from bot.domain.matches import ProposalKind, ProposalState
from bot.domain.places import Place
from bot.domain.preferences import BoardCards
from bot.storage.database import lock
from bot.storage.repository import AnyRow, Repository
from bot.storage.tables import (
    OPEN_PROPOSALS,
    challenges,
    ladders,
    match_deliveries,
    matches,
    proposals,
    replaced_cards,
    threads,
    tournaments,
    turns,
)

#: The version of a match to show: its steps, its end, and further requests.
_VERSION = matches.c.step + case((matches.c.ended_at.is_not(None), 1), else_=0) + match_deliveries.c.requests
_OUTDATED = or_(match_deliveries.c.shown_version.is_(None), match_deliveries.c.shown_version < _VERSION)
_RUNNING = matches.c.ended_at.is_(None)
#: The delivery of a match in its common home or, if strangers play it, in the home of the first player.
PLACED: ColumnElement[bool] = and_(match_deliveries.c.match_id == matches.c.id, match_deliveries.c.seat == 0)
#: The delivery of a match of strangers in the home of the second player.
SECOND_HOME = match_deliveries.alias("second_home")
_in_second_home = exists().where(SECOND_HOME.c.match_id == match_deliveries.c.match_id, SECOND_HOME.c.seat == 1)
#: Whether a match waits for a place in one of its homes.
WAITING: ColumnElement[bool] = and_(
    or_(match_deliveries.c.channel_id.is_(None), _in_second_home.where(SECOND_HOME.c.channel_id.is_(None))), _RUNNING
)


def _is_shown(home: FromClause) -> ColumnElement[bool]:
    """Whether a card of the match has been posted; in a home of one player, where the match is played now."""
    here = home.c.card_channel_id.is_not_distinct_from(home.c.channel_id)
    return and_(
        home.c.card_message_id.is_not(None), or_(home.c.player_id.is_(None), and_(here, home.c.lost_at.is_(None)))
    )


#: Whether the match is shown in each of its homes.
SHOWN: ColumnElement[bool] = and_(_is_shown(match_deliveries), ~_in_second_home.where(~_is_shown(SECOND_HOME)))
#: Whether a proposal has an unshown change. A proposal that was closed before it was shown needs no card.
_UNSHOWN_PROPOSAL = or_(
    proposals.c.shown_version < proposals.c.version,
    and_(proposals.c.shown_version.is_(None), OPEN_PROPOSALS),
)
#: The columns that :func:`to_delivery` reads.
DELIVERY: tuple[ColumnElement[Any], ...] = (
    *(column for column in match_deliveries.c if column.name not in ("seat", "player_id")),
    match_deliveries.c.seat.label("home_seat"),
    match_deliveries.c.player_id.label("home_player_id"),
    _VERSION.label("version"),
)
_DELIVERIES: Select[Any] = select(*DELIVERY).join(matches, matches.c.id == match_deliveries.c.match_id)
_DELIVERY_WITH_PROPOSALS = (
    _DELIVERIES.add_columns(proposals.c.id.label("proposal_id"))
    .outerjoin(proposals, and_(proposals.c.match_id == matches.c.id, _UNSHOWN_PROPOSAL))
    .where(matches.c.id == bindparam("match_id"), match_deliveries.c.seat == bindparam("seat"))
    .order_by(proposals.c.id)
)
_DELIVERIES_OF = _DELIVERIES.where(matches.c.id.in_(bindparam("match_ids", expanding=True))).order_by(
    match_deliveries.c.seat
)
# Changes that cards do not show yet. Built once, for every start and every joined server.
_UNSHOWN_CHALLENGES = (
    select(challenges.c.id)
    .where(or_(challenges.c.shown_version.is_(None), challenges.c.shown_version < challenges.c.version))
    .order_by(challenges.c.id.desc())
)
_LAST_PLAYED = (
    select(turns.c.played_at).where(turns.c.match_id == matches.c.id, turns.c.step == matches.c.step).scalar_subquery()
)
_UNSHOWN_MATCHES = (
    select(match_deliveries.c.match_id, match_deliveries.c.seat)
    .join(matches, matches.c.id == match_deliveries.c.match_id)
    .where(_OUTDATED, or_(match_deliveries.c.channel_id.is_not(None), _RUNNING))
    .order_by(func.coalesce(matches.c.ended_at, _LAST_PLAYED, matches.c.started_at).desc(), matches.c.id.desc())
)
_RUNNING_MATCHES = (
    select(match_deliveries.c.match_id, match_deliveries.c.seat)
    .join(matches, matches.c.id == match_deliveries.c.match_id)
    .where(_RUNNING)
    .order_by(match_deliveries.c.match_id)
)
#: The server of the home in which a proposal is shown: of strangers, the home of the player who answers it.
PROPOSED_ON: ColumnElement[int | None] = (
    select(match_deliveries.c.home_guild_id)
    .where(
        match_deliveries.c.match_id == proposals.c.match_id,
        match_deliveries.c.player_id.is_distinct_from(proposals.c.proposer_id),
    )
    .correlate(proposals)
    .scalar_subquery()
)
_UNSHOWN_PROPOSALS = select(proposals.c.id).where(_UNSHOWN_PROPOSAL).order_by(proposals.c.id.desc())
_REPLACED = (
    select(replaced_cards)
    .join(
        match_deliveries,
        and_(
            match_deliveries.c.match_id == replaced_cards.c.match_id, match_deliveries.c.seat == replaced_cards.c.seat
        ),
    )
    .order_by(replaced_cards.c.message_id)
)


class DeliveryRepository(Repository):
    """The places of matches, and the messages of all cards."""

    # Matches

    async def get(self, match_id: int, player_id: int | None = None) -> MatchDelivery:
        """The delivery of a match in its common home, or in the home of that player."""
        return (await self.get_all([match_id], player_id))[match_id]

    async def get_all(self, match_ids: Collection[int], player_id: int | None = None) -> dict[int, MatchDelivery]:
        """The deliveries of these matches in their common homes or those of the player, by match."""
        found: dict[int, MatchDelivery] = {}
        for row in await self._rows(_DELIVERIES_OF, {"match_ids": list(match_ids)}):
            if row.match_id not in found or row.home_player_id == player_id is not None:
                found[row.match_id] = to_delivery(row)
        return found

    async def card_subjects(self, match_ids: Collection[int]) -> list[int]:
        """The subjects of the timers of all cards of these matches."""
        rows = await self._rows(_DELIVERIES_OF, {"match_ids": list(match_ids)})
        return [CardKey(row.match_id, row.home_seat).subject for row in rows]

    async def homes(self, match_id: int) -> list[MatchDelivery]:
        """The deliveries of a match in all its homes, by seat."""
        return [to_delivery(row) for row in await self._rows(_DELIVERIES_OF, {"match_ids": [match_id]})]

    async def with_proposals(self, key: CardKey) -> tuple[MatchDelivery, list[int]]:
        """A delivery, and the ids of the match's proposals with an unshown change."""
        rows = await self._rows(_DELIVERY_WITH_PROPOSALS, {"match_id": key.match_id, "seat": key.seat})
        return to_delivery(rows[0]), [row.proposal_id for row in rows if row.proposal_id is not None]

    async def add(self, key: CardKey, home: Place, channel_id: int | None, *, player_id: int | None = None) -> bool:
        """Give a new match a home and, unless another match occupies it, the channel; return whether it got that.

        In a direct conversation with the bot, several matches can be played at once. ``player_id`` is the player whose
        home it is, if strangers have a home each.
        """
        assigned = channel_id is not None and (home.direct or await self._reserve(channel_id))
        row = {"match_id": key.match_id, "seat": key.seat, "player_id": player_id, "requests": 1, **_home(home)}
        await self._add(match_deliveries, {**row, **_played_in(channel_id if assigned else None, shared=home.direct)})
        return assigned

    async def assign_channel(self, key: CardKey, channel_id: int, *, shared: bool = False) -> bool:
        """Give a waiting match its channel; False if it has one, or if another match occupies the channel.

        A channel ``shared`` with other matches is not occupied.
        """
        if not (shared or await self._reserve(channel_id, key.match_id)):
            return False
        if not await self._change_channel(key, None, **_played_in(channel_id, shared=shared)):
            return False
        self._changed_ids.add(key.match_id)
        await self._renew_origin(key.match_id)
        return True

    async def release_channel(self, key: CardKey, channel_id: int) -> bool:
        """Let a locked, running match wait, because its channel cannot show it; False if it is not played there.

        In its next place, it gets another card.
        """
        requested = {"requests": match_deliveries.c.requests + 1}
        return await self._change_channel(key, channel_id, **_played_in(None), **requested)

    async def note_loss(self, key: CardKey, now: datetime) -> None:
        """Store that a match is not seen in a home from now on, unless it already was not."""
        seen = match_deliveries.c.card_channel_id == match_deliveries.c.channel_id
        lost = update(match_deliveries).where(_is(key), seen, match_deliveries.c.lost_at.is_(None))
        await self._execute(lost.values(lost_at=now))

    async def move(self, key: CardKey, place: Place, *, to_thread: bool) -> bool:
        """Make ``place`` the home of a locked match; return whether the match got the channel.

        Otherwise it waits: for the channel, if another match occupies it, or for a thread.
        """
        own: int | None = await self._scalar(select(match_deliveries.c.player_id).where(_is(key)))
        is_open = place.channel_id != 0  # 0: a conversation that is still to open
        free = place.direct or (not to_thread and await self._reserve(place.channel_id, key.match_id))
        assigned = is_open and free
        if own is None:
            here = update(matches).where(matches.c.id == key.match_id)
            await self._execute(here.values(guild_id=place.guild_id))
        channel = _played_in(place.channel_id if assigned else None, shared=place.direct)
        await self._update(key, requests=match_deliveries.c.requests + 1, **_home(place), **channel)
        await self._renew_origin(key.match_id)
        return assigned

    async def is_free(self, channel_id: int) -> bool:
        """Whether no match is played in the channel."""
        return await self._row(_PLAYED_THERE, {"channel": channel_id}) is None

    async def close(self, match_id: int) -> None:
        """Free the channel of a match that is over; if it never had a channel, update the card of its origin."""
        freeing = update(match_deliveries).where(match_deliveries.c.match_id == match_id)
        freed = freeing.values(occupied_channel_id=None).returning(match_deliveries.c.channel_id)
        if None in await self._scalars(freed):
            await self._renew_origin(match_id)

    async def waiting_matches(self, home_channel_id: int | None = None) -> list[CardKey]:
        """The running matches that wait for a place, oldest first: all with a home, or all of this process."""
        query = _RUNNING_MATCHES.where(match_deliveries.c.channel_id.is_(None))
        if home_channel_id is None:
            query = query.where(self._is_held(match_deliveries.c.home_guild_id))
        else:
            query = query.where(match_deliveries.c.home_channel_id == home_channel_id)
        return await self._keys(query)

    async def running_in(self, home_channel_id: int) -> list[CardKey]:
        """The running matches with a home, oldest first, whether they are played there or wait."""
        return await self._keys(_RUNNING_MATCHES.where(match_deliveries.c.home_channel_id == home_channel_id))

    async def played_on(self, guild_id: int) -> list[tuple[CardKey, int, bool]]:
        """The running matches played on a server, oldest first, each with its channel and whether strangers play."""
        there = (match_deliveries.c.home_guild_id == guild_id, match_deliveries.c.channel_id.is_not(None))
        played = _RUNNING_MATCHES.add_columns(match_deliveries.c.channel_id, match_deliveries.c.player_id).where(*there)
        return [
            (CardKey(row.match_id, row.seat), row.channel_id, row.player_id is not None)
            for row in await self._rows(played)
        ]

    async def servers(self) -> list[int]:
        """The servers of this process on which running matches are played."""
        server = match_deliveries.c.home_guild_id
        played = select(server).join(matches, matches.c.id == match_deliveries.c.match_id).distinct()
        played = played.where(_RUNNING, match_deliveries.c.channel_id.is_not(None), server.is_not(None))
        return await self._scalars(self._in_own_servers(played, server))

    async def request(self, key: CardKey) -> None:
        """Request another card of the match."""
        await self._update(key, requests=match_deliveries.c.requests + 1)

    async def set_message(
        self,
        key: CardKey,
        message: PostedMessage,
        ping_id: int | None = None,
        *,
        seen: int | None = None,
        replaced: Iterable[ReplacedMessage] = (),
    ) -> bool:
        """Store the message that shows a match, the ping below it, and the messages that they replace.

        Return False, and store nothing, if ``seen`` is no longer the version that was shown last: another process has
        shown the match since.
        """
        await self._lock_match(key.match_id)
        shown = {
            "this": key.match_id,
            "its_seat": key.seat,
            "seen": seen,
            "its_version": message.version,
            "its_step": message.step,
            "its_channel": message.channel_id,
            "its_message": message.message_id,
            "ping": ping_id,
        }
        noted = await self._execute(_SHOWING, shown) == 1
        if noted:
            await self.add_replaced(replaced)
        return noted

    async def add_replaced(self, messages: Iterable[ReplacedMessage]) -> None:
        """Store replaced messages until they have lost their buttons or, if surplus, are deleted."""
        rows = [
            {
                "message_id": replaced.message.message_id,
                "channel_id": replaced.message.channel_id,
                "match_id": replaced.key.match_id,
                "seat": replaced.key.seat,
                "step": replaced.message.step,
                "surplus": replaced.surplus,
            }
            for replaced in messages
        ]
        if rows:
            await self._execute(self._insert(replaced_cards).values(rows).on_conflict_do_nothing())

    async def replaced_messages(self) -> list[ReplacedMessage]:
        """The replaced messages that this process has to retire."""
        return [
            _to_replaced(row)
            for row in await self._rows(self._in_own_servers(_REPLACED, match_deliveries.c.home_guild_id))
        ]

    async def choose_board_cards(self, key: CardKey, chosen: BoardCards) -> None:
        """Store the kind of cards that shows the match from now on."""
        await self._update(key, board_cards=chosen)

    async def remove_replaced(self, message_ids: Collection[int]) -> None:
        """Remove replaced messages that have lost their buttons or are out of reach."""
        await self._execute(_REMOVING_REPLACED, [{"removed": message_id} for message_id in message_ids])

    # Threads

    async def thread_channel(self, thread_id: int) -> int | None:
        """The channel of a public thread; None for an unknown thread."""
        return await self._scalar(select(threads.c.parent_id).where(threads.c.id == thread_id))

    async def add_thread(self, thread_id: int, channel_id: int) -> None:
        await self._execute(self._insert(threads).values(id=thread_id, parent_id=channel_id).on_conflict_do_nothing())

    # Challenges, ladders, proposals and tournaments

    async def challenge(self, challenge_id: int) -> CardState:
        return await self._card(challenges, challenge_id)

    async def challenge_messages(self, challenge_ids: Collection[int]) -> dict[int, PostedMessage | None]:
        """The messages that show these challenges, by challenge."""
        rows = await self._rows(_cards(challenges).where(challenges.c.id.in_(challenge_ids)))
        return {row.id: _to_message(row, step=0) for row in rows}

    async def set_challenge(self, challenge_id: int, version: int, message: PostedMessage | None) -> None:
        """Store the message that shows that version of a challenge; None if no message is needed."""
        await self._set_card(challenges, challenge_id, version, message)

    async def proposal(self, proposal_id: int) -> CardState:
        return await self._card(proposals, proposal_id)

    async def set_proposal(self, proposal_id: int, message: PostedMessage) -> None:
        await self._set_card(proposals, proposal_id, message.version, message)

    async def note_lapsed(self, proposal_ids: Collection[int]) -> None:
        """Store that these proposals' cards already show that they have lapsed."""
        lapsed = update(proposals).where(proposals.c.id.in_(proposal_ids))
        await self._execute(lapsed.values(shown_version=proposals.c.version))

    async def ladder(self, ladder_id: int) -> CardState:
        return await self._card(ladders, ladder_id)

    async def set_ladder(self, ladder_id: int, message: PostedMessage) -> None:
        await self._set_card(ladders, ladder_id, message.version, message)

    async def tournament(self, tournament_id: int) -> CardState:
        return await self._card(tournaments, tournament_id)

    async def set_tournament(self, tournament_id: int, message: PostedMessage) -> None:
        await self._set_card(tournaments, tournament_id, message.version, message)

    # Unshown changes

    async def unshown_challenges(self) -> list[int]:
        """The ids of this process's challenges with unshown changes, the newest first."""
        return await self._scalars(self._in_own_servers(_UNSHOWN_CHALLENGES, challenges.c.guild_id))

    async def unshown_matches(self) -> list[CardKey]:
        """The cards of this process's matches with unshown changes, the newest first.

        A match that ended while it waited for a place is not shown.
        """
        return await self._keys(self._in_own_servers(_UNSHOWN_MATCHES, match_deliveries.c.home_guild_id))

    async def outdated(self, match_ids: Collection[int]) -> list[int]:
        """The matches among these that have unshown changes."""
        return await self._scalars(_UNSHOWN_MATCHES.where(match_deliveries.c.match_id.in_(match_ids)))

    async def unshown_proposals(self) -> list[int]:
        """The ids of this process's proposals with unshown changes, the newest first."""
        return await self._scalars(self._in_own_servers(_UNSHOWN_PROPOSALS, PROPOSED_ON))

    # Helpers

    async def _reserve(self, channel_id: int, match_id: int | None = None) -> bool:
        """Lock the channel until the end of the transaction; False if a match occupies it.

        Every transaction locks ``match_id``, the match to play there, before the channel, so there are no deadlocks.
        """
        if match_id is not None:
            await self._lock_match(match_id)
        await lock(self._connection, channel_id)
        return await self.is_free(channel_id)

    async def _keys(self, query: Select[Any]) -> list[CardKey]:
        return [CardKey(row.match_id, row.seat) for row in await self._rows(query)]

    async def _change_channel(self, key: CardKey, old: int | None, **values: Any) -> bool:
        """Change the channel of a running match, and other values; False if its channel is not the old one."""
        running = match_deliveries.c.match_id.in_(select(matches.c.id).where(matches.c.id == key.match_id, _RUNNING))
        there = update(match_deliveries).where(running, _is(key))
        from_old = there.where(match_deliveries.c.channel_id.is_not_distinct_from(old))
        return await self._execute(from_old.values(values)) == 1

    async def _update(self, key: CardKey, **values: Any) -> None:
        await self._execute(update(match_deliveries).where(_is(key)).values(values))

    async def _renew_origin(self, match_id: int) -> None:
        """Request another card of the challenge or rematch proposal behind the match, which says where the match is."""
        origin = select(matches.c.challenge_id).where(matches.c.id == match_id).scalar_subquery()
        challenge = update(challenges).where(challenges.c.id == origin)
        await self._execute(challenge.values(version=challenges.c.version + 1))
        before = select(matches.c.rematch_of).where(matches.c.id == match_id).scalar_subquery()
        rematch = update(proposals).where(
            proposals.c.match_id == before,
            proposals.c.kind == ProposalKind.REMATCH,
            proposals.c.state == ProposalState.ACCEPTED,
        )
        await self._execute(rematch.values(version=proposals.c.version + 1))

    async def _card(self, table: Table, number: int) -> CardState:
        row = (await self._result(_card_of(table), {"this": number})).one()
        return CardState(row.version, _to_message(row, step=0))

    async def _set_card(self, table: Table, number: int, version: int, message: PostedMessage | None) -> None:
        values = {
            "shown_version": version,
            "card_channel_id": message and message.channel_id,
            "card_message_id": message and message.message_id,
        }
        await self._execute(update(table).where(table.c.id == number).values(values))


# Built once, for every turn.
_PLAYED_THERE = select(match_deliveries.c.match_id).where(
    match_deliveries.c.occupied_channel_id == bindparam("channel")
)
#: Changes nothing if something has been shown since the version ``seen``.
_SHOWING = (
    update(match_deliveries)
    .where(
        match_deliveries.c.match_id == bindparam("this"),
        match_deliveries.c.seat == bindparam("its_seat"),
        match_deliveries.c.shown_version.is_not_distinct_from(bindparam("seen", type_=Integer)),
    )
    .values(
        shown_version=bindparam("its_version"),
        shown_step=bindparam("its_step"),
        card_channel_id=bindparam("its_channel"),
        card_message_id=bindparam("its_message"),
        ping_message_id=bindparam("ping", type_=BigInteger),
        lost_at=null(),
    )
)
_REMOVING_REPLACED = delete(replaced_cards).where(replaced_cards.c.message_id == bindparam("removed"))


def _cards(table: Table) -> Select[Any]:
    return select(table.c.id, table.c.version, table.c.card_channel_id, table.c.card_message_id, table.c.shown_version)


@cache
def _card_of(table: Table) -> Select[Any]:
    return _cards(table).where(table.c.id == bindparam("this"))


def _is(key: CardKey) -> ColumnElement[bool]:
    return and_(match_deliveries.c.match_id == key.match_id, match_deliveries.c.seat == key.seat)


def _home(place: Place) -> dict[str, Any]:
    return {"home_guild_id": place.guild_id, "home_channel_id": place.channel_id, "direct": place.direct}


def _played_in(channel_id: int | None, *, shared: bool = False) -> dict[str, int | None]:
    """The columns for the channel of a running match; None while it waits. It may be ``shared`` with other matches."""
    return {"channel_id": channel_id, "occupied_channel_id": None if shared else channel_id}


def to_delivery(row: AnyRow) -> MatchDelivery:
    """The delivery in a row with the columns of :data:`DELIVERY`."""
    return MatchDelivery(
        version=row.version,
        message=_to_message(row, step=row.shown_step),
        match_id=row.match_id,
        home=Place(row.home_guild_id, row.home_channel_id, row.direct),
        channel_id=row.channel_id,
        ping_id=row.ping_message_id,
        board_cards=None if row.board_cards is None else BoardCards(row.board_cards),
        lost_at=row.lost_at,
        seat=row.home_seat,
        player_id=row.home_player_id,
    )


def _to_message(row: AnyRow, step: int) -> PostedMessage | None:
    if row.card_message_id is None:
        return None
    return PostedMessage(row.card_channel_id, row.card_message_id, row.shown_version, step)


def _to_replaced(row: AnyRow) -> ReplacedMessage:
    message = PostedMessage(row.channel_id, row.message_id, 0, row.step)
    return ReplacedMessage(CardKey(row.match_id, row.seat), message, row.surplus)

"""Deleting a player's data: whatever interrupts it, it can be completed, and nothing of the player is left."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from itertools import count

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain.challenges import ChallengeState, First
from bot.domain.limits import (
    CHALLENGE_LIMIT,
    IN_VAIN_LIMIT,
    POST_LIMIT,
    PROPOSAL_LIMIT,
    TOURNAMENT_LIMIT,
    Limit,
    TooManyError,
)
from bot.domain.matches import Ending, Result
from bot.domain.places import Place
from bot.domain.players import Player
from bot.domain.proposals import ProposalKind, ProposalState
from bot.domain.timers import TimerKind
from bot.domain.tournaments import TournamentState
from bot.services.challenges import Challenges
from bot.services.matches import Matches
from bot.services.proposals import Proposals
from bot.services.tournaments import Tournaments
from bot.storage import Database, Storage
from bot.storage.tables import kept_counts, memos, metadata
from tests.support.services import ALICE, BOB, CAROL, DALEN, PLACE, Clock, challenging, privacy_service, start
from tests.support.thorough import THOROUGH, sample


class Interrupted(Exception):
    pass


async def rows_naming(storage: Storage, player_id: int) -> list[str]:
    """The tables that still have a row with the player's id or name."""
    async with storage.database.read() as connection:
        return [
            table.name
            for table in metadata.sorted_tables
            for row in await connection.execute(select(table))
            if player_id in row or ALICE.name in row
        ]


async def test_whatever_interrupts_a_deletion_the_next_one_completes_it(
    storage: Storage,
    matches: Matches,
    challenges: Challenges,
    proposals: Proposals,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    finished = await start(matches)
    await matches.resign(finished.id, BOB.id)
    rematch = await proposals.propose(finished.id, BOB.id, ProposalKind.REMATCH)
    running = [await start(matches, place=Place(1, 20 + number)) for number in range(2)]
    mine = await challenges.challenge(Place(1, 30), ALICE, None, DALEN, First.RANDOM)
    theirs = await challenges.challenge(Place(1, 30), CAROL, ALICE, DALEN, First.RANDOM)
    tournaments = Tournaments(storage, matches, clock=clock)
    cup = await tournaments.create(PLACE, "Cup", ALICE, DALEN)
    privacy = privacy_service(storage, matches, clock)
    await privacy.set_blocked(ALICE, [CAROL.id])
    await privacy.count_post(ALICE)
    write = Database.write
    allowed = 0

    @asynccontextmanager
    async def interrupted(database: Database) -> AsyncIterator[AsyncConnection]:
        nonlocal allowed
        if allowed == 0:
            raise Interrupted
        allowed -= 1
        async with write(database) as connection:
            yield connection

    monkeypatch.setattr(Database, "write", interrupted)
    for transactions in count():
        allowed = transactions
        try:
            await privacy.delete(ALICE.id)
        except Interrupted:
            assert await rows_naming(storage, ALICE.id)
        else:
            break
    monkeypatch.undo()
    assert transactions >= 2, "it was interrupted in between"
    assert await rows_naming(storage, ALICE.id) == []
    for match in running:
        assert (await matches.match(match.id)).result == Result(BOB.id, Ending.RESIGNATION)
    assert (await challenges.get(mine.id)).state is ChallengeState.WITHDRAWN
    assert (await challenges.get(theirs.id)).state is ChallengeState.DECLINED
    assert (await proposals.get(rematch.id)).state is ProposalState.LAPSED
    assert (await tournaments.get(cup.id)).state is TournamentState.CANCELLED


@pytest.mark.both_databases
async def test_of_two_deletions_at_once_one_does_nothing(storage: Storage, matches: Matches, clock: Clock) -> None:
    running = await start(matches)
    privacy = privacy_service(storage, matches, clock)
    await asyncio.gather(privacy.delete(ALICE.id), privacy.delete(ALICE.id))
    assert (await matches.match(running.id)).result == Result(BOB.id, Ending.RESIGNATION)
    assert await rows_naming(storage, ALICE.id) == []
    await privacy.delete(ALICE.id)


# What counts against a deleted player


class Busy:
    """Alice, who does everything that is limited as often as she can."""

    def __init__(self, storage: Storage, matches: Matches, proposals: Proposals, clock: Clock) -> None:
        self.challenges = challenging(matches)
        self.matches, self.proposals = matches, proposals
        self.tournaments = Tournaments(storage, matches, clock=clock)
        self.privacy = privacy_service(storage, matches, clock)
        self.others = count(1000)

    async def challenge(self) -> None:
        offered = await self.challenges.challenge(PLACE, ALICE, None, DALEN, First.RANDOM)
        await self.challenges.withdraw(offered.id, ALICE.id)

    async def challenge_bob(self) -> None:
        offered = await self.challenges.challenge(PLACE, ALICE, BOB, DALEN, First.RANDOM)
        await self.challenges.decline(offered.id, BOB.id)

    async def offer_draw(self, other: Player | None = None) -> None:
        number = next(self.others)
        match = await start(self.matches, other or Player(number, "Somebody"), ALICE, Place(1, number))
        await self.proposals.propose(match.id, ALICE.id, ProposalKind.DRAW)

    async def offer_bob_draw(self) -> None:
        await self.offer_draw(BOB)

    async def open_tournament(self) -> None:
        await self.tournaments.create(PLACE, "Cup", ALICE, DALEN)

    async def post(self) -> None:
        await self.privacy.count_post(ALICE)


async def kept(storage: Storage) -> list[object]:
    """All that is stored of what deleted players have done, and of when it is to be forgotten."""
    async with storage.database.read() as connection:
        rows = [*(await connection.execute(select(kept_counts))).all()]
        keys = [*(await connection.execute(select(memos).where(memos.c.name == "limits-key"))).all()]
    async with storage.read() as tx:
        due = await tx.timers.due(datetime.max.replace(tzinfo=UTC), 1000)
    return [*rows, *keys, *(timer for timer in due if timer.kind is TimerKind.FORGET)]


@pytest.mark.parametrize(
    ("act", "limit"),
    sample(
        [
            (Busy.challenge, CHALLENGE_LIMIT),
            (Busy.challenge_bob, IN_VAIN_LIMIT),
            (Busy.open_tournament, TOURNAMENT_LIMIT),
            (Busy.offer_draw, PROPOSAL_LIMIT),
            (Busy.post, POST_LIMIT),
            (Busy.offer_bob_draw, IN_VAIN_LIMIT),
        ],
        2,
    ),
)
async def test_limits_outlive_the_data_for_as_long_as_they_look_back(
    storage: Storage,
    matches: Matches,
    proposals: Proposals,
    clock: Clock,
    act: Callable[[Busy], Awaitable[None]],
    limit: Limit,
) -> None:
    busy, begun = Busy(storage, matches, proposals, clock), clock.now
    for number in range(limit.most):
        await act(busy)
        clock.now += timedelta(seconds=1)
        if number % (2 if THOROUGH or limit.most < 10 else 7) == 1:
            await busy.privacy.delete(ALICE.id)
            assert await rows_naming(storage, ALICE.id) == []
    await busy.privacy.delete(ALICE.id)
    for _ in range(2):
        with pytest.raises(TooManyError) as refused:
            await act(busy)
        assert refused.value.again_at == begun + limit.span
        await busy.privacy.delete(ALICE.id)
    clock.now = begun + limit.span
    await busy.privacy.forget()
    await act(busy)
    clock.now += timedelta(seconds=limit.most)
    await busy.privacy.forget()
    await act(busy)
    await busy.privacy.delete(ALICE.id)
    clock.now += max(limit.span, CHALLENGE_LIMIT.span)
    assert await kept(storage)
    await busy.privacy.forget()
    assert await kept(storage) == []


@pytest.mark.both_databases
async def test_what_is_kept_of_a_deleted_player_tells_neither_who_nor_what(
    storage: Storage, matches: Matches, proposals: Proposals, clock: Clock
) -> None:
    busy = Busy(storage, matches, proposals, clock)
    for act in (busy.challenge_bob, busy.challenge, busy.open_tournament, busy.post, busy.post, busy.offer_bob_draw):
        await act()
    await busy.privacy.delete(ALICE.id)
    async with storage.database.read() as connection:
        rows = (await connection.execute(select(kept_counts))).all()
    hashes = [row.hash for row in rows]
    assert len(set(hashes)) == 6, "one for all challenges, and one for those to Bob; so for the offers; posts have one"
    assert all(len(each) == 64 for each in hashes)
    assert {(row.kept_until - row.counted_at) for row in rows} == {
        CHALLENGE_LIMIT.span,
        IN_VAIN_LIMIT.span,
        POST_LIMIT.span,
    }
    carol = Player(CAROL.id, "Carol")
    await busy.privacy.count_post(carol)
    for _ in range(IN_VAIN_LIMIT.most):
        offered = await busy.challenges.challenge(PLACE, carol, BOB, DALEN, First.RANDOM)
        await busy.challenges.decline(offered.id, BOB.id)


async def test_who_has_done_nothing_leaves_nothing(storage: Storage, matches: Matches, clock: Clock) -> None:
    privacy = privacy_service(storage, matches, clock)
    await start(matches, BOB, ALICE)
    await privacy.delete(ALICE.id)
    assert await kept(storage) == []

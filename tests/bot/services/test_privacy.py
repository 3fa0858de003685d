"""Deleting a player's data: whatever interrupts it, it can be completed, and nothing of the player is left."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from itertools import count

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain.challenges import ChallengeState, First
from bot.domain.limits import RecentlyDeletedError
from bot.domain.matches import Ending, Result
from bot.domain.places import Place
from bot.domain.players import Conduct, Player
from bot.domain.proposals import ProposalKind, ProposalState
from bot.domain.timers import Timer, TimerKind
from bot.domain.tournaments import TournamentState
from bot.services.challenges import Challenges
from bot.services.history import History
from bot.services.matches import Matches
from bot.services.privacy import CHALLENGE_RETENTION
from bot.services.proposals import Proposals
from bot.services.reminders import Reminders
from bot.services.tournaments import Tournaments
from bot.storage import Database, Storage, tables
from bot.storage.tables import memos, metadata, tombstones
from tests.support.house import PLAYED, House
from tests.support.services import ALICE, BOB, CAROL, DALEN, PLACE, Clock, privacy_service, start
from tests.support.stored import add_challenge, due_timers, end_match


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


async def kept(storage: Storage) -> list[object]:
    """All that is stored of deletions, and of when they are to be forgotten."""
    async with storage.database.read() as connection:
        rows = [*(await connection.execute(select(tombstones))).all()]
        keys = [*(await connection.execute(select(memos).where(memos.c.name == "limits-key"))).all()]
    async with storage.read() as tx:
        due = await tx.timers.due(datetime.max.replace(tzinfo=UTC), 1000)
    return [*rows, *keys, *(timer for timer in due if timer.kind is TimerKind.FORGET)]


@pytest.mark.both_databases
async def test_after_a_deletion_all_limits_are_full_for_an_hour(
    storage: Storage, matches: Matches, challenges: Challenges, proposals: Proposals, clock: Clock
) -> None:
    privacy, tournaments = privacy_service(storage, matches, clock), Tournaments(storage, matches, clock=clock)
    cup = await tournaments.create(PLACE, "Cup", BOB, DALEN)
    old = await start(matches, BOB, ALICE)
    await privacy.delete(ALICE.id)
    match = await start(matches, CAROL, ALICE, Place(1, 20))
    acts: list[Callable[[], Awaitable[object]]] = [
        lambda: challenges.challenge(PLACE, ALICE, None, DALEN, First.RANDOM),
        lambda: proposals.propose(match.id, ALICE.id, ProposalKind.DRAW),
        lambda: tournaments.create(PLACE, "Cup", ALICE, DALEN),
        lambda: tournaments.join(cup.id, ALICE),
        lambda: privacy.count_post(ALICE),
    ]
    until = clock.now + timedelta(hours=1)
    for act in acts:
        with pytest.raises(RecentlyDeletedError) as refused:
            await act()
        assert refused.value.again_at == until
    await challenges.challenge(PLACE, CAROL, None, DALEN, First.RANDOM)
    assert (await matches.match(old.id)).second.deleted
    clock.now = until
    for act in acts:
        await act()


@pytest.mark.both_databases
async def test_what_is_kept_of_a_deleted_player_does_not_tell_who_and_is_forgotten(
    storage: Storage, matches: Matches, clock: Clock
) -> None:
    privacy = privacy_service(storage, matches, clock)
    await start(matches, BOB, ALICE)
    for player in (ALICE, BOB):
        await privacy.delete(player.id)
        clock.now += timedelta(minutes=30)
    async with storage.database.read() as connection:
        rows = (await connection.execute(select(tombstones))).all()
    assert {len(row.hash) for row in rows} == {64}
    assert len(await kept(storage)) == 4, "two hashes, their key, and a timer"
    await privacy.forget()
    assert len(await kept(storage)) == 3
    clock.now += timedelta(minutes=30)
    await privacy.forget()
    assert await kept(storage) == []


async def test_who_was_never_stored_leaves_nothing(storage: Storage, matches: Matches, clock: Clock) -> None:
    await privacy_service(storage, matches, clock).delete(ALICE.id)
    assert await kept(storage) == []


async def test_conduct_counts_matches_that_a_player_aborted_or_lost_on_time(house: House) -> None:
    async def end(result: Result) -> int:
        match_id = await house.start(ALICE, BOB, turns=())
        assert await end_match(house.storage, match_id, 0, house.now, result)
        return match_id

    await end(Result(BOB.id, Ending.TIME))
    await end(Result(BOB.id, Ending.RESIGNATION))
    await end(Result(None, Ending.ABANDONED))
    await end(Result(None, Ending.ABANDONED, CAROL))
    await house.matches.void(await end(Result(BOB.id, Ending.RESIGNATION)), CAROL)
    assert await house.privacy.conduct(ALICE.id) == Conduct(3, 1, 2)
    assert await house.privacy.conduct(BOB.id) == Conduct(3, 0, 1)
    assert (await house.privacy.conduct(CAROL.id)).aborted_rate == 0
    for turns in ((), ("e5",), PLAYED):
        await house.beat(BOB, ALICE, turns=turns)
    assert await house.privacy.conduct(ALICE.id) == Conduct(6, 1, 4)


async def test_much_is_purged_a_little_at_a_time(
    storage: Storage, matches: Matches, challenges: Challenges, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.services.privacy._PURGE_BATCH", 10)
    privacy, now = privacy_service(storage, matches, clock), clock.now
    for number in range(25):
        made, other = now - timedelta(hours=number), Player(1000 + number, "Somebody")
        await add_challenge(storage, Place(1, number), ALICE, other, DALEN, First.RANDOM, made, now)
        await challenges.expire(number + 1)
    clock.now += CHALLENGE_RETENTION + timedelta(days=1)
    for left, people in ((15, 16), (5, 6), (0, 0)):
        await privacy.purge()
        async with storage.database.read() as connection:
            assert len((await connection.execute(select(tables.challenges))).all()) == left
            assert len((await connection.execute(select(tables.players))).all()) == people


async def test_times_of_a_player_are_in_the_data_and_go_with_it(
    storage: Storage, matches: Matches, clock: Clock
) -> None:
    privacy = privacy_service(storage, matches, clock)
    reminders = Reminders(storage, History(storage, matches), clock=clock)
    await reminders.change_times(BOB, time_zone=UTC, quiet=(0, 480), digest_at=540, language="en")
    async with storage.transaction() as tx:
        await tx.timers.set(Timer(TimerKind.QUIET_END, BOB.id, clock.now))
    export = await privacy.export(BOB.id)
    assert export is not None
    data = json.loads(export.data)
    assert {row["kind"] for row in data["timers"]} == {TimerKind.QUIET_END, TimerKind.DIGEST}
    assert data["preferences"][0]["quiet_from"] is not None
    assert data["preferences"][0]["digest_at"] is not None
    await privacy.delete(BOB.id)
    assert not {TimerKind.QUIET_END, TimerKind.DIGEST} & {
        kind for kind, _ in await due_timers(storage, clock.now + timedelta(days=2))
    }

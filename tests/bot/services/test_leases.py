"""Processes that share the shards: what one stores, another one shows."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from bot.domain.challenges import First
from bot.domain.clocks import TimeControl
from bot.domain.matches import Ending, ProposalKind
from bot.domain.places import Place
from bot.domain.play import TimeLeftError
from bot.domain.players import PROGRAM_IDS, Player
from bot.domain.shards import Shards
from bot.domain.timers import Timer, TimerKind
from bot.runtime.leases import Leases, LeaseTimes, Processes, SoleProcess
from bot.runtime.timers import Scheduler
from bot.services.clocks import Clocks
from bot.services.proposals import Proposals
from bot.storage import Database, Storage, UnusableDatabaseError
from bot.storage.session import DatabaseSession, LockKind
from tests.support.postgres import until_unlocked
from tests.support.services import ALICE, BOB, DALEN, Clock, challenging, note_card, play_turn, service

MINUTE = timedelta(minutes=1)
#: A place in the second of two shards.
THERE = Place(1 << 22, 20)
_CONNECTION = text("SELECT pid FROM pg_locks WHERE classid::bigint = :kind")
TIMES = LeaseTimes(renew=60, valid=60, idle=60, identify=0.05)


@pytest.fixture(scope="module")
def backend() -> str:
    return "postgresql"


class Process:
    """A process that holds some of two shards, on a database that it shares with others."""

    def __init__(self, database: Database, clock: Clock, *held: int) -> None:
        self.shards = Shards(2, leased=True, clock=lambda: 0.0)
        self.shards.renew(1.0)
        for shard in held:
            self.shards.acquired.add(shard)
        self.storage = Storage(database, self.shards)
        self.matches = service(self.storage, clock)
        self.challenges = challenging(self.matches)
        self.proposals = Proposals(self.storage, self.matches, clock=clock)
        self.clocks = Clocks(self.storage, self.matches, clock=clock)

    async def due(self, clock: Clock) -> set[tuple[TimerKind, int]]:
        """The timers that this process would ring."""
        async with self.storage.read() as tx:
            return {(timer.kind, timer.subject_id) for timer in await tx.timers.due(clock.now, 99)}


class Holder:
    """Notes that the leases are kept."""

    def __init__(self) -> None:
        self.running = asyncio.Event()

    async def acquire(self, shard: int) -> None: ...

    async def release(self, shard: int) -> None: ...

    async def renewed(self, processes: int) -> None:
        self.running.set()

    def timer_stored(self) -> None: ...


@asynccontextmanager
async def session_of(
    database: Database, on_notified: Callable[[str], None] | None = None
) -> AsyncIterator[DatabaseSession]:
    session = DatabaseSession(database)
    await session.open(60, on_notified=on_notified)
    yield session
    await session.close()


async def test_what_is_stored_in_another_process_shard_is_shown_by_that_one(database: Database, clock: Clock) -> None:
    here, there = Process(database, clock, 0), Process(database, clock, 1)
    heard: list[str] = []
    changed = asyncio.Event()

    def hear(notification: str) -> None:
        heard.append(notification)
        changed.set()

    async with session_of(database, hear):
        challenge = await there.challenges.challenge(THERE, ALICE, BOB, DALEN, First.CHALLENGER)
        match = await there.challenges.accept(challenge.id, BOB, shown_by_caller=True)
        await play_turn(there.matches, match.id, ALICE.id, "e5", to_show=True)
        assert await there.due(clock) == set(), "it shows its own matches at once"
        await play_turn(here.matches, match.id, BOB.id, "dark", to_show=True)
        offered = await here.proposals.propose(match.id, BOB.id, ProposalKind.DRAW, shown_by_caller=True)
        expected = {(TimerKind.SHOW_MATCH, match.id), (TimerKind.SHOW_PROPOSAL, offered.id)}
        assert await there.due(clock) == expected
        assert await here.due(clock) == set()
        async with asyncio.timeout(10):
            while len(heard) < len(expected):
                changed.clear()
                await changed.wait()
    assert heard == [f"show-match:{match.id}", f"show-proposal:{offered.id}"]


async def test_nobody_claims_a_win_for_time_in_which_the_shard_was_out_of_reach(
    database: Database, clock: Clock
) -> None:
    here, there = Process(database, clock, 0), Process(database, clock, 1)
    await there.clocks.acquire_shard(1)
    challenge = await there.challenges.challenge(
        THERE, ALICE, BOB, DALEN, First.CHALLENGER, control=TimeControl.banks_of(10 * MINUTE, 0 * MINUTE)
    )
    match = await there.challenges.accept(challenge.id, BOB)
    await note_card(there.storage, match.id)
    clock.now += 9 * MINUTE
    await there.clocks.note_presence([1])
    clock.now += 2 * MINUTE
    with pytest.raises(TimeLeftError):
        await here.clocks.claim(match.id, BOB.id)
    await there.clocks.note_presence([1])
    ended = await here.clocks.claim(match.id, BOB.id)
    assert ended.result is not None
    assert ended.result.ending is Ending.TIME


async def test_taking_a_shard_waits_for_no_transaction_of_a_frozen_process(database: Database, clock: Clock) -> None:
    there = Process(database, clock, 1)
    frozen_shards = Shards(2, leased=True)
    its_own = Database(database.url.render_as_string(hide_password=False), client=frozen_shards.holder)
    frozen = Clocks(Storage(its_own, frozen_shards), there.matches, clock=clock)
    await frozen.acquire_shard(1)
    challenge = await there.challenges.challenge(
        THERE, ALICE, BOB, DALEN, First.CHALLENGER, control=TimeControl.banks_of(10 * MINUTE, 0 * MINUTE)
    )
    await there.challenges.accept(challenge.id, BOB)
    away_since = clock.now
    clock.now += 5 * MINUTE
    async with session_of(database) as session, its_own.engine.connect() as connection:
        await connection.execute(text("SELECT id FROM matches FOR UPDATE"))
        await session.disconnect_holder(0)
        await connection.execute(text("SELECT 1"))  # it held another shard
        await session.disconnect_holder(1)
        async with asyncio.timeout(10):
            await there.clocks.acquire_shard(1)
            assert await there.clocks.make_up_for(1, away_since) == 1
        with pytest.raises(DBAPIError):
            await connection.execute(text("SELECT 1"))
    await its_own.close()


async def test_processes_that_count_the_shards_differently_do_not_run_together(database: Database) -> None:
    one = Leases(DatabaseSession(database), Shards(2, leased=True), TIMES)
    holder = Holder()
    keeping = asyncio.create_task(one.keep(holder))
    await holder.running.wait()
    with pytest.raises(UnusableDatabaseError, match="Processes with SHARDS=2 are using the database"):
        await Leases(DatabaseSession(database), Shards(3, leased=True), TIMES).check()
    await Leases(DatabaseSession(database), Shards(2, leased=True), TIMES).check()
    keeping.cancel()
    await one.close()
    await until_unlocked(database)
    await Leases(DatabaseSession(database), Shards(3, leased=True), TIMES).check()


async def test_a_process_without_shards_does_not_run_beside_others(database: Database) -> None:
    others: list[Processes] = [
        Leases(DatabaseSession(database), Shards(2, leased=True), TIMES),
        SoleProcess(DatabaseSession(database), TIMES),
    ]
    sole = SoleProcess(DatabaseSession(database), TIMES)
    await sole.check()
    for other, reason in zip(others, ("A process without SHARDS is", "Another process is"), strict=True):
        with pytest.raises(UnusableDatabaseError, match=f"^{reason} using the database"):
            await other.check()
        await other.close()
    await sole.close()
    async with session_of(database) as session:
        await session.share(LockKind.PROCESS, 2)
        with pytest.raises(UnusableDatabaseError, match="Processes with SHARDS=2 are using the database"):
            await sole.check()
        await sole.close()
    await until_unlocked(database)
    await sole.check()
    await sole.close()


async def test_a_process_without_shards_keeps_others_away_once_it_is_connected(database: Database) -> None:
    its_own = Database(database.url.render_as_string(hide_password=False))
    sole = SoleProcess(DatabaseSession(its_own), replace(TIMES, renew=0.01))
    await sole.check()
    async with database.read() as connection, asyncio.timeout(10):
        first = await connection.scalar(_CONNECTION, {"kind": LockKind.PROCESS})
        await connection.execute(text("SELECT pg_terminate_backend(:first)"), {"first": first})
        while await connection.scalar(_CONNECTION, {"kind": LockKind.PROCESS}) in (None, first):
            pass
    await sole.close()
    await its_own.close()


async def test_whoever_takes_a_shard_finishes_at_once_what_its_holder_began(database: Database, clock: Clock) -> None:
    gone, heir = Process(database, clock, 1), Process(database, clock, 1)
    await gone.clocks.acquire_shard(1)
    control = TimeControl.banks_of(10 * MINUTE, 0 * MINUTE, hard=True)
    challenge = await gone.challenges.challenge(THERE, ALICE, BOB, DALEN, First.CHALLENGER, control=control)
    match = await gone.challenges.accept(challenge.id, BOB, shown_by_caller=True)
    async with gone.storage.transaction() as tx:
        await tx.timers.set(Timer(TimerKind.COMPUTER, match.id, clock.now))
    clock.now += 11 * MINUTE
    async with gone.storage.transaction() as tx:
        while (await tx.timers.lease(clock.now, clock.now + MINUTE)) is not None:
            pass
    await gone.clocks.note_presence([1])
    assert await heir.due(clock) == set()
    clock.now += timedelta(seconds=5)
    away_since = await heir.clocks.acquire_shard(1)
    await Scheduler(heir.storage, {}, clock).expire_leases()
    assert await heir.due(clock) == {(TimerKind.COMPUTER, match.id)}
    assert away_since is not None
    await heir.clocks.make_up_for(1, away_since)
    assert (TimerKind.FLAG, match.id) in await heir.due(clock)


async def test_of_those_who_identify_in_a_bucket_one_waits_for_the_other(database: Database) -> None:
    async with session_of(database) as first, session_of(database) as second:
        one, other = (Leases(session, Shards(4, leased=True), TIMES) for session in (first, second))
        await one.wait_to_identify(0)
        waiting = asyncio.create_task(other.wait_to_identify(0))
        await other.wait_to_identify(1)
        assert not waiting.done()
        await waiting
        await one.close()
        await other.close()


def test_shards_that_nobody_renews_are_not_held_any_more() -> None:
    now = 0.0
    shards = Shards(4, leased=True, clock=lambda: now)
    shards.acquired.add(1)
    assert not shards.current
    shards.renew(10.0)
    assert shards.current == {1}
    assert [shards.holds(guild_id) for guild_id in (None, 1 << 22, 5 << 22)] == [False, True, True]
    now = 10.0
    assert not shards.holds(1 << 22)
    assert Shards(4).holds(1 << 22), "without leases, one process holds all"


async def test_a_turn_that_one_process_stores_wakes_the_watchers_of_another(database: Database, clock: Clock) -> None:
    changed: asyncio.Queue[int] = asyncio.Queue()
    watcher = Leases(DatabaseSession(database), Shards(2, leased=True), TIMES, changed.put_nowait)
    holder = Holder()
    keeping = asyncio.create_task(watcher.keep(holder))
    await holder.running.wait()
    player = Process(database, clock, 0, 1)
    player.storage.on_changed = lambda _match_id: None
    challenge = await player.challenges.challenge(THERE, ALICE, BOB, DALEN, First.CHALLENGER)
    match = await player.challenges.accept(challenge.id, BOB)
    await play_turn(player.matches, match.id, ALICE.id, "e5")
    assert await asyncio.wait_for(changed.get(), 30) == match.id
    program = Player(PROGRAM_IDS[0], "⚙ Stony")
    await player.challenges.challenge(THERE, ALICE, program, DALEN, First.CHALLENGER)
    assert await asyncio.wait_for(changed.get(), 30) == program.id
    keeping.cancel()
    await watcher.close()

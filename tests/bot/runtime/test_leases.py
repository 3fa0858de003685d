"""Processes that share the shards: what one stores, another one shows."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from bot.domain.clocks import TimeControl
from bot.domain.matches import Ending, Match, ProposalKind
from bot.domain.places import Place
from bot.domain.play import TimeLeftError
from bot.domain.players import PROGRAM_IDS, Player
from bot.domain.shards import Shards
from bot.domain.timers import Timer, TimerKind
from bot.runtime.leases import Leases, LeaseTimes, Processes, SoleProcess
from bot.storage import Database, UnusableDatabaseError
from bot.storage.session import DatabaseSession, LockKind
from tests.support.processes.postgres import until_unlocked
from tests.support.services.house import House
from tests.support.services.matches import ALICE, BOB, note_card, refused

MINUTE = timedelta(minutes=1)
QUICK = TimeControl.banks_of(10 * MINUTE, 0 * MINUTE)
#: A place in the second of two shards.
THERE = Place(1 << 22, 20)
_CONNECTION = text("SELECT pid FROM pg_locks WHERE classid::bigint = :kind")
TIMES = LeaseTimes(renew=60, valid=60, idle=60, identify=0.05)


@pytest.fixture(scope="module")
def backend() -> str:
    return "postgresql"


def process(house: House, *held: int) -> House:
    """A process that holds some of two shards, on a database that it shares with others."""
    other = house.another(shards=2)
    other.shards.renew(other.shards.clock() + 600)
    other.shards.acquired.update(held)
    return other


async def accepted(process: House, **how: Any) -> Match:
    """A match of Alice and Bob in the second shard, which the process shows at once."""
    challenge = await process.challenge(place=THERE, **how)
    return await process.challenges.accept(challenge.id, BOB, shown_by_caller=True)


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
async def kept(leases: Leases) -> AsyncIterator[None]:
    """Keep leases during the block."""
    holder = Holder()
    keeping = asyncio.create_task(leases.keep(holder))
    await holder.running.wait()
    yield
    keeping.cancel()
    await leases.close()


@asynccontextmanager
async def session_of(
    database: Database, on_notified: Callable[[str], None] | None = None
) -> AsyncIterator[DatabaseSession]:
    session = DatabaseSession(database)
    await session.open(60, on_notified=on_notified)
    yield session
    await session.close()


def leases_of(database: Database, shards: int, wake: Callable[[int], None] | None = None) -> Leases:
    return Leases(DatabaseSession(database), Shards(shards, leased=True), TIMES, *([wake] if wake else []))


async def test_the_process_that_holds_a_shard_shows_what_another_one_stores(house: House) -> None:
    here, there = process(house, 0), process(house, 1)
    heard: asyncio.Queue[str] = asyncio.Queue()
    async with session_of(house.database, heard.put_nowait):
        match = await accepted(there)
        await there.play(match, ALICE, "e5", to_show=True)
        assert await there.due() == set(), "it shows its own matches at once"
        await here.play(match, BOB, "dark", to_show=True)
        offered = await here.propose(match, BOB, ProposalKind.ABANDON, shown_by_caller=True)
        assert await there.due() == {(TimerKind.SHOW_MATCH, match.id), (TimerKind.SHOW_PROPOSAL, offered.id)}
        assert await here.due() == set()
        notifications = [await asyncio.wait_for(heard.get(), 10) for _ in range(2)]
    assert notifications == [f"show-match:{match.id}", f"show-proposal:{offered.id}"]


async def test_nobody_claims_a_win_for_time_in_which_the_shard_was_out_of_reach(house: House) -> None:
    here, there = process(house, 0), process(house, 1)
    await there.clocks.acquire_shard(1)
    match = await accepted(there, control=QUICK)
    await note_card(there.storage, match.id)
    house.now += 9 * MINUTE
    await there.clocks.note_presence([1])
    house.now += 2 * MINUTE
    await refused(TimeLeftError, here.clocks.claim(match.id, BOB.id))
    await there.clocks.note_presence([1])
    await here.clocks.claim(match.id, BOB.id)
    assert (await house.result(match)).ending is Ending.TIME


async def test_taking_a_shard_waits_for_no_transaction_of_a_frozen_process(house: House) -> None:
    there, frozen = process(house, 1), process(house)
    await frozen.clocks.acquire_shard(1)
    await accepted(there, control=QUICK)
    away_since = house.now
    house.now += 5 * MINUTE
    async with session_of(house.database) as session, frozen.database.engine.connect() as connection:
        await connection.execute(text("SELECT id FROM matches FOR UPDATE"))
        await session.disconnect_holder(0)
        await connection.execute(text("SELECT 1"))  # it held another shard
        await session.disconnect_holder(1)
        async with asyncio.timeout(10):
            await there.clocks.acquire_shard(1)
            assert await there.clocks.make_up_for(1, away_since) == 1
        await refused(DBAPIError, connection.execute(text("SELECT 1")))


async def test_processes_that_count_the_shards_differently_do_not_run_together(database: Database) -> None:
    async with kept(leases_of(database, 2)):
        with pytest.raises(UnusableDatabaseError, match="Processes with SHARDS=2 are using the database"):
            await leases_of(database, 3).check()
        await leases_of(database, 2).check()
    await until_unlocked(database)
    await leases_of(database, 3).check()


async def test_a_process_without_shards_does_not_run_beside_others(database: Database) -> None:
    others: list[Processes] = [leases_of(database, 2), SoleProcess(DatabaseSession(database), TIMES)]
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


async def test_a_process_without_shards_keeps_others_away_once_it_is_connected(house: House) -> None:
    sole = SoleProcess(DatabaseSession(house.another().database), replace(TIMES, renew=0.01))
    await sole.check()
    async with house.database.read() as connection, asyncio.timeout(10):
        first = await connection.scalar(_CONNECTION, {"kind": LockKind.PROCESS})
        await connection.execute(text("SELECT pg_terminate_backend(:first)"), {"first": first})
        while await connection.scalar(_CONNECTION, {"kind": LockKind.PROCESS}) in (None, first):
            pass
    await sole.close()


async def test_the_next_holder_of_a_shard_finishes_at_once_what_the_last_one_began(house: House) -> None:
    gone, heir = process(house, 1), process(house, 1)
    await gone.clocks.acquire_shard(1)
    match = await accepted(gone, control=replace(QUICK, hard=True))
    async with gone.storage.transaction() as tx:
        await tx.timers.set(Timer(TimerKind.COMPUTER, match.id, house.now))
    house.now += 11 * MINUTE
    async with gone.storage.transaction() as tx:
        while (await tx.timers.lease(house.now, house.now + MINUTE)) is not None:
            pass
    await gone.clocks.note_presence([1])
    assert await heir.due() == set()
    house.now += timedelta(seconds=5)
    away_since = await heir.clocks.acquire_shard(1)
    await heir.scheduler.expire_leases()
    assert await heir.due() == {(TimerKind.COMPUTER, match.id)}
    assert away_since is not None
    await heir.clocks.make_up_for(1, away_since)
    assert (TimerKind.FLAG, match.id) in await heir.due()


async def test_processes_identify_in_a_bucket_one_after_the_other(database: Database) -> None:
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


async def test_a_turn_that_one_process_stores_wakes_the_watchers_of_another(house: House) -> None:
    changed: asyncio.Queue[int] = asyncio.Queue()
    async with kept(leases_of(house.database, 2, changed.put_nowait)):
        player = process(house.another(web_url="http://localhost"), 0, 1)
        match = await player.accepted(place=THERE)
        await player.play(match, ALICE, "e5")
        assert await asyncio.wait_for(changed.get(), 30) == match.id
        program = Player(PROGRAM_IDS[0], "⚙ Stony")
        await player.challenge(ALICE, program, THERE)
        assert await asyncio.wait_for(changed.get(), 30) == program.id

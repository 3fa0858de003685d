"""Deleting a player's data: an interrupted deletion can be completed, and nothing is left."""

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
from bot.domain.competitions.tournaments import TournamentState
from bot.domain.limits import RecentlyDeletedError
from bot.domain.matches import Ending, ProposalKind, ProposalState, Result
from bot.domain.places import Place
from bot.domain.players import Conduct, Player
from bot.domain.timers import Timer, TimerKind
from bot.services.people.privacy import CHALLENGE_RETENTION
from bot.storage import Database, tables
from bot.storage.tables import key_values, metadata, tombstones
from tests.support.services.house import House
from tests.support.services.matches import ALICE, BOB, CAROL, DALEN, PLACE, PLAYED, refused
from tests.support.services.stored import add_challenge, due_timers, end_match


class Interrupted(Exception):
    pass


async def tables_with_alice(house: House) -> list[str]:
    """The tables that still have a row with her id or name."""
    async with house.database.read() as connection:
        return [
            table.name
            for table in metadata.sorted_tables
            for row in await connection.execute(select(table))
            if ALICE.id in row or ALICE.name in row
        ]


async def test_whatever_interrupts_a_deletion_the_next_one_completes_it(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    finished = await house.start()
    await house.resign(finished, BOB)
    rematch = await house.propose(finished, BOB, ProposalKind.REMATCH)
    running = [await house.start(place=house.room()) for _ in range(2)]
    mine = await house.challenge(ALICE, None, house.room())
    theirs = await house.challenge(CAROL, ALICE, house.room())
    cup = await house.tournaments.create(PLACE, "Cup", ALICE, DALEN)
    await house.privacy.set_blocked(ALICE, [CAROL.id])
    await house.privacy.count_post(ALICE)
    write, allowed = Database.write, 0

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
            await house.privacy.delete(ALICE.id)
        except Interrupted:
            assert await tables_with_alice(house)
        else:
            break
    monkeypatch.undo()
    assert transactions >= 2, "it was interrupted in between"
    assert await tables_with_alice(house) == []
    for match in running:
        assert await house.result(match) == Result(BOB.id, Ending.RESIGNATION)
    for challenge, state in ((mine, ChallengeState.WITHDRAWN), (theirs, ChallengeState.DECLINED)):
        assert (await house.challenges.get(challenge.id)).state is state
    assert (await house.proposals.get(rematch.id)).state is ProposalState.LAPSED
    assert (await house.tournaments.get(cup.id)).state is TournamentState.CANCELLED


@pytest.mark.both_databases
async def test_a_second_deletion_at_the_same_time_does_nothing(house: House) -> None:
    running = await house.start()
    await asyncio.gather(house.privacy.delete(ALICE.id), house.privacy.delete(ALICE.id))
    assert await house.result(running) == Result(BOB.id, Ending.RESIGNATION)
    assert await tables_with_alice(house) == []
    await house.privacy.delete(ALICE.id)


# What counts against a deleted player


async def kept(house: House) -> list[object]:
    """All that is stored of deletions, and the timers that make the bot forget it."""
    async with house.database.read() as connection:
        rows = [*(await connection.execute(select(tombstones))).all()]
        keys = [*(await connection.execute(select(key_values).where(key_values.c.name == "limits-key"))).all()]
    async with house.storage.read() as tx:
        due = await tx.timers.due(datetime.max.replace(tzinfo=UTC), 1000)
    return [*rows, *keys, *(timer for timer in due if timer.kind is TimerKind.LIFT_LIMITS)]


@pytest.mark.both_databases
async def test_after_a_deletion_all_limits_are_full_for_an_hour(house: House) -> None:
    cup = await house.tournaments.create(PLACE, "Cup", BOB, DALEN)
    old = await house.start(BOB, ALICE)
    await house.privacy.delete(ALICE.id)
    match = await house.start(CAROL, ALICE, house.room())
    acts: list[Callable[[], Awaitable[object]]] = [
        lambda: house.challenge(ALICE, None),
        lambda: house.propose(match, ALICE, ProposalKind.ABANDON),
        lambda: house.tournaments.create(PLACE, "Cup", ALICE, DALEN),
        lambda: house.tournaments.join(cup.id, ALICE),
        lambda: house.privacy.count_post(ALICE),
    ]
    until = house.now + timedelta(hours=1)
    for act in acts:
        error = await refused(RecentlyDeletedError, act())
        assert error.again_at == until
    await house.challenge(CAROL, None)
    assert (await house.match(old)).second.deleted
    house.now = until
    for act in acts:
        await act()


@pytest.mark.both_databases
async def test_the_record_of_a_deletion_names_nobody_and_is_forgotten(house: House) -> None:
    await house.start(BOB, ALICE)
    for player in (ALICE, BOB):
        await house.privacy.delete(player.id)
        house.now += timedelta(minutes=30)
    async with house.database.read() as connection:
        rows = (await connection.execute(select(tombstones))).all()
    assert {len(row.hash) for row in rows} == {64}
    assert len(await kept(house)) == 4, "two hashes, their key, and a timer"
    for left in (3, 0):
        await house.privacy.lift_limits()
        assert len(await kept(house)) == left
        house.now += timedelta(minutes=30)


async def test_deleting_a_player_who_was_never_stored_leaves_nothing(house: House) -> None:
    await house.privacy.delete(ALICE.id)
    assert await kept(house) == []


async def test_conduct_counts_matches_that_a_player_aborted_or_lost_on_time(house: House) -> None:
    async def end(result: Result) -> int:
        match = await house.start(ALICE, BOB)
        assert await end_match(house.storage, match.id, 0, house.now, result)
        return match.id

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


async def test_much_is_purged_a_little_at_a_time(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.services.people.privacy._PURGE_BATCH", 10)
    now = house.now
    for number in range(25):
        made, other = now - timedelta(hours=number), Player(1000 + number, "Somebody")
        await add_challenge(house.storage, Place(1, number), ALICE, other, DALEN, First.RANDOM, made, now)
        await house.challenges.expire(number + 1)
    house.now += CHALLENGE_RETENTION + timedelta(days=1)
    for left, people in ((15, 16), (5, 6), (0, 0)):
        await house.privacy.purge()
        async with house.database.read() as connection:
            assert len((await connection.execute(select(tables.challenges))).all()) == left
            assert len((await connection.execute(select(tables.players))).all()) == people


async def test_times_of_a_player_are_in_the_data_and_go_with_it(house: House) -> None:
    await house.reminders.change_times(BOB, time_zone=UTC, quiet=(0, 480), digest_at=540, language="en")
    async with house.storage.transaction() as tx:
        await tx.timers.set(Timer(TimerKind.QUIET_END, BOB.id, house.now))
    export = await house.privacy.export(BOB.id)
    assert export is not None
    data = json.loads(export.data)
    assert {row["kind"] for row in data["timers"]} == {TimerKind.QUIET_END, TimerKind.DIGEST}
    assert data["preferences"][0]["quiet_from"] is not None
    assert data["preferences"][0]["digest_at"] is not None
    await house.privacy.delete(BOB.id)
    assert not {TimerKind.QUIET_END, TimerKind.DIGEST} & {
        kind for kind, _ in await due_timers(house.storage, house.now + timedelta(days=2))
    }

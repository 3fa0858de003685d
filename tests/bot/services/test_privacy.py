"""Deleting a player's data: whatever interrupts it, it can be completed, and nothing of the player is left."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain.challenges import ChallengeState, First
from bot.domain.matches import Ending, Result
from bot.domain.places import Place
from bot.domain.players import Deletion
from bot.domain.proposals import ProposalKind, ProposalState
from bot.domain.tournaments import TournamentState
from bot.services.challenges import Challenges
from bot.services.matches import Matches
from bot.services.proposals import Proposals
from bot.services.tournaments import Tournaments
from bot.storage import Database, Storage
from bot.storage.tables import metadata
from tests.support.services import ALICE, BOB, CAROL, DALEN, PLACE, Clock, privacy_service, start


class Interrupted(Exception):
    pass


async def rows_naming(storage: Storage, player_id: int) -> list[str]:
    """The tables that still have a row with the player's id or name."""
    async with storage._database.read() as connection:
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


async def test_of_two_deletions_at_once_one_does_nothing(storage: Storage, matches: Matches, clock: Clock) -> None:
    running = await start(matches)
    privacy = privacy_service(storage, matches, clock)
    both = await asyncio.gather(privacy.delete(ALICE.id), privacy.delete(ALICE.id))
    assert sorted(each.matches for each in both) == [(), (running.id,)]
    assert await rows_naming(storage, ALICE.id) == []
    assert await privacy.delete(ALICE.id) == Deletion()

"""Plans: answers in any order, at the same time, and when a process dies in the middle."""

from __future__ import annotations

import random
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest

import rules
from bot.domain.clocks import TimeControl
from bot.domain.matches import Ending, Match, MatchOverError, MovedOnError, NotAPlayerError, ProposalKind
from bot.domain.plans import (
    MOST_BRANCHES,
    MOST_PLANS,
    NothingToPlanError,
    Plan,
    TooManyBranchesError,
    TooManyPlansError,
)
from bot.domain.play import TimeUpError
from bot.domain.players import Player
from bot.domain.study.lines import Line
from tests.support.services.failures import dying_at
from tests.support.services.house import House
from tests.support.services.matches import ALICE, BOB, CAROL, DALEN, outcomes, refused
from tests.support.services.stored import stored_steps
from tests.support.thorough import THOROUGH, fewer, sample

BEGUN = ("e5", "light")
TAKE_BACK = ProposalKind.TAKE_BACK
STRICT = TimeControl.banks_of(timedelta(minutes=10), timedelta(seconds=30), hard=True)


async def plan(house: House, match: Match, player: Player, *turns: str) -> Plan:
    """Add a line from the current board to a player's plan."""
    match = await house.match(match)
    return await house.plans.add(match, player.id, Line(match.step, match.ply, turns))


class Reader:
    """A player's plan as a table of answers, one for each sequence of turns."""

    def __init__(self, player_id: int) -> None:
        self.player_id = player_id
        self.answers: dict[tuple[str, ...], str] = {}

    def note(self, before: tuple[str, ...], line: tuple[str, ...], movers: list[int]) -> None:
        for at, turn in enumerate(line):
            if movers[at] == self.player_id:
                self.answers[before + line[:at]] = turn


def mover(match: Match, position: rules.Position) -> int:
    """The player to act, by the rules."""
    if position.phase is rules.Phase.OPENING:
        return match.first.id
    if position.phase is rules.Phase.CHOICE or position.turn_of is position.second_player:
        return match.second.id
    return match.first.id


@pytest.mark.parametrize("game", sample([*rules.GAMES.values()][::-1], 5), ids=lambda game: game.name)
async def test_turns_are_played_as_an_independent_reader_says(house: House, game: type[rules.Position]) -> None:
    """In a random game, both players plan at random and mostly play what the other one expects."""
    chance = random.Random(game.name)
    match = await house.start(ruleset=rules.Ruleset(game, min(game.sizes), game.variants[0]))
    readers = {player.id: Reader(player.id) for player in match.players}
    played, planned, take_backs = tuple[str, ...](), list[bool](), 0
    while (position := match.ruleset.replay(played)).outcome is None:
        own = mover(match, position)
        for player in match.players:
            if chance.random() < 0.5:
                line, movers = random_line(match, position, chance)
                with suppress(NothingToPlanError, TooManyBranchesError):
                    await plan(house, match, player, *line)
                    readers[player.id].note(played, line, movers)
        if take_backs < 3 and len(played) > 4 and chance.random() < 0.1:
            take_backs += 1
            await house.agree(match, TAKE_BACK, match.player(own))
            played = await house.turns(match)
            readers = {player_id: Reader(player_id) for player_id in readers}
            continue
        ways = [way for reader in readers.values() for way in reader.answers if len(way) > len(played)]
        expected = [way[len(played)] for way in ways if way[: len(played)] == played]
        turn = chance.choice(expected) if expected and chance.random() < 0.8 else chance.choice(position.legal_turns)
        await house.play(match, match.player(own), turn)
        played, by_hand = (*played, turn), True
        planned.append(False)
        while (position := match.ruleset.replay(played)).outcome is None:
            awaited = mover(match, position)
            if played not in readers[awaited].answers or (by_hand and awaited == own):
                break
            played, by_hand = (*played, readers[awaited].answers[played]), False
            planned.append(True)
        assert await house.turns(match) == played
    steps = [step for step in await stored_steps(house.storage, match.id) if step.turn is not None]
    assert [step.planned > 0 for step in steps] == planned
    assert sum(planned) > 3
    assert (await house.result(match)).ending is Ending.RULES


def random_line(match: Match, position: rules.Position, chance: random.Random) -> tuple[tuple[str, ...], list[int]]:
    """Some random turns, and who makes each."""
    line, movers = list[str](), list[int]()
    while len(line) < chance.randint(1, 6) and position.outcome is None:
        movers.append(mover(match, position))
        line.append(chance.choice(position.legal_turns))
        position, _events = position.play(line[-1])
    return tuple(line), movers


@pytest.mark.both_databases
async def test_an_answer_is_played_once_by_two_processes(house: House) -> None:
    match, other = await house.start(turns=BEGUN), house.another()
    await plan(house, match, ALICE, "d4", "a1", "a2", "a3")
    counted = await outcomes(*(process.play(match, BOB, "d4", seen_step=2) for process in (house, other) * 5))
    assert counted["Game"] == 1
    assert counted.keys() <= {"Game", "MovedOnError", "NotYourTurnError"}
    assert await house.turns(match) == (*BEGUN, "d4", "a1")
    assert [step.planned for step in await stored_steps(house.storage, match.id)] == [0, 0, 0, 1]
    assert (await other.game(match)).planned == 1
    await other.play(match, BOB, "a2")
    assert await house.turns(match) == (*BEGUN, "d4", "a1", "a2", "a3")


@pytest.mark.both_databases
async def test_a_process_that_dies_has_played_both_turns_or_none(house: House, backend: str) -> None:
    number, seen, other = 0, set[int](), house.another()
    while True:
        number += 1 if THOROUGH else 3 if backend == "sqlite" else 4
        match = await house.start(turns=BEGUN)
        await plan(house, match, ALICE, "d4", "a1")
        with dying_at(house.storage, number) as statements, suppress(KeyboardInterrupt):
            await house.play(match, BOB, "d4")
        stored = await house.turns(match)
        assert stored in (BEGUN, (*BEGUN, "d4", "a1"))
        seen.add(len(stored))
        with suppress(MovedOnError):
            await other.play(match, BOB, "d4", seen_step=2)
        assert await house.turns(match) == (*BEGUN, "d4", "a1")
        await house.resign(match, ALICE)
        if len(statements) < number:
            break
    assert seen == {2, 4}
    assert number > 8


@pytest.mark.both_databases
async def test_a_take_back_and_a_planned_answer_exclude_each_other(house: House) -> None:
    endings = set[int]()
    for first in ("turn", "take-back") * fewer(3, 3):
        match = await house.start(turns=BEGUN)
        await plan(house, match, ALICE, "d4", "a1")
        asked = await house.propose(match, ALICE, TAKE_BACK)
        calls: list[Any] = [house.play(match, BOB, "d4"), house.proposals.accept(asked.id, BOB.id)]
        counted = await outcomes(*(calls if first == "turn" else calls[::-1]))
        turns = await house.turns(match)
        assert turns in ((), (*BEGUN, "d4", "a1"))
        # Bob may read the board before the take-back or after it.
        assert counted.keys() <= {"Game", "Proposal", "MovedOnError", "NotYourTurnError", "ProposalClosedError"}
        assert counted["Game"] + counted["Proposal"] == 1
        endings.add(len(turns))
        if not turns:
            await house.play_on(match, *BEGUN, "d4")
            assert await house.turns(match) == (*BEGUN, "d4"), "a take-back ends the plan"
        await house.resign(match, ALICE)
    assert endings <= {0, 4}


async def test_a_plan_that_begins_with_an_own_turn_waits_until_it_is_played(house: House) -> None:
    match = await house.start(turns=BEGUN)
    await plan(house, match, BOB, "d4", "a1", "a2")
    assert await house.turns(match) == BEGUN
    await house.play_on(match, "d4", "a1")
    assert await house.turns(match) == (*BEGUN, "d4", "a1", "a2")


async def test_two_own_turns_in_a_row_are_planned_only_as_an_answer(house: House) -> None:
    """Whoever chooses Light in Dalen also makes the next turn."""
    match = await house.start(turns=("e5",))
    await plan(house, match, BOB, "light", "d4", "a1", "c3")
    await house.play(match, BOB, "light")
    assert await house.turns(match) == BEGUN, "he may still think about it"
    await house.resign(match, ALICE)
    match = await house.start()
    await plan(house, match, BOB, "e5", "light", "d4")
    await house.play(match, ALICE, "e5")
    assert await house.turns(match) == (*BEGUN, "d4")


async def test_a_turn_to_the_same_position_is_answered_however_it_is_written(house: House) -> None:
    begun = ("i5", "dark", "m13", "c1", "k13", "f11", "g13", "m12", "e11", "d5", "k12", "e2", "a1", "b4")
    one, other = "c5+m13+k13", "c5+k13+m13"
    match = await house.start(ruleset=rules.ruleset("dendria", 7), turns=begun)
    await plan(house, match, BOB, one, "c4")
    assert (await plan(house, match, BOB, other, "c4")).branches == ((one, "c4"),)
    await plan(house, match, BOB, "pass", "c4")
    found = await plan(house, match, BOB, one, "d4", "pass", "pass")
    assert found.branches == (("pass", "c4"), (one, "d4", "pass", "pass"))
    game = await house.play(match, ALICE, other)
    assert await house.turns(match) == (*begun, other, "d4")
    assert found.came_true(game) == (other, "d4")
    assert [*found.open_branches(game).values()] == [("pass", "pass")]


async def test_another_turn_ends_a_plan_and_leaves_the_match_alone(house: House) -> None:
    match = await house.start(turns=BEGUN)
    await plan(house, match, ALICE, "d4", "a1")
    await house.play(match, BOB, "g7")
    assert await house.turns(match) == (*BEGUN, "g7")
    found = await house.plans.get(match.id, ALICE.id)
    assert found is not None
    assert found.open_branches(await house.game(match)) == {}
    await house.play(match, ALICE, "a1")
    assert await house.plans.get(match.id, ALICE.id) is None, "she has seen that it came to nothing"


async def test_a_step_that_is_not_legal_ends_a_plan(house: House) -> None:
    match = await house.start(turns=BEGUN)
    async with house.storage.transaction() as tx:
        await tx.plans.set(match.id, ALICE.id, Plan(2, 2, (("d4", "d4"),)))
    await house.play(match, BOB, "d4")
    assert await house.turns(match) == (*BEGUN, "d4")


async def test_a_fallen_flag_comes_before_a_plan(house: House) -> None:
    match = await house.start(turns=BEGUN, control=STRICT)
    await plan(house, match, ALICE, "d4", "a1")
    house.now += STRICT.bank * 2
    await refused(TimeUpError, house.play(match, BOB, "d4"))
    assert await house.turns(match) == BEGUN


async def test_an_answer_takes_no_time_from_the_clock(house: House) -> None:
    match = await house.start(turns=BEGUN, control=STRICT)
    await plan(house, match, ALICE, "d4", "a1")
    before = match.clock
    assert before is not None
    house.now += STRICT.bank / 2
    after = (await house.play(match, BOB, "d4")).match.clock
    assert after == (await house.match(match)).clock
    assert after is not None
    alice, bob = before.time_left
    assert after.time_left == (alice + STRICT.bonus, bob - STRICT.bank / 2 + STRICT.bonus)
    assert (after.seat, after.since) == (1, house.now)


async def test_only_a_player_plans_and_only_from_the_current_board(house: House) -> None:
    match = await house.start(turns=BEGUN)
    await refused(NotAPlayerError, plan(house, match, CAROL, "d4", "a1"))
    await refused(NothingToPlanError, plan(house, match, BOB, "d4", "a1"))
    await house.play(match, BOB, "d4")
    await refused(MovedOnError, house.plans.add(await house.match(match), ALICE.id, Line(2, 2, ("d4", "a1"))))
    await house.resign(match, BOB)
    await refused(MatchOverError, plan(house, match, ALICE, "a1", "a2", "a3"))


async def test_branches_and_plans_are_limited(house: House) -> None:
    match = await house.start(turns=BEGUN)
    cells = list((await house.game(match)).position.legal_turns)
    for cell in cells[1 : MOST_BRANCHES + 1]:
        await plan(house, match, ALICE, cell, cells[0])
    await plan(house, match, ALICE, cells[1], cells[-1])  # another answer, not another branch
    await refused(TooManyBranchesError, plan(house, match, ALICE, cells[-2], cells[0]))
    found = await house.plans.get(match.id, ALICE.id)
    assert found is not None
    assert len(found.branches) == MOST_BRANCHES
    async with house.storage.transaction() as tx:
        for _ in range(MOST_PLANS - 1):
            other = await tx.matches.add(DALEN, 1, (ALICE, BOB), house.now, awaited_id=ALICE.id, rated=False)
            await tx.plans.set(other, ALICE.id, found)
    full = await house.start(ALICE, CAROL, house.room(), turns=BEGUN)
    await refused(TooManyPlansError, plan(house, full, ALICE, "d4", "a1"))
    await house.plans.delete(match.id, ALICE.id)
    await plan(house, full, ALICE, "d4", "a1")


async def test_branches_are_deleted_one_by_one_and_with_the_last_the_plan(house: House) -> None:
    match = await house.start(turns=BEGUN)
    await plan(house, match, ALICE, "d4", "a1")
    first, second = (await plan(house, match, ALICE, "d3", "a1")).branches
    await house.plans.delete(match.id, ALICE.id, first)
    assert await house.plans.get(match.id, ALICE.id) == Plan(2, 2, (("d3", "a1"),))
    await house.plans.delete(match.id, ALICE.id, second)
    assert await house.plans.get(match.id, ALICE.id) is None


async def test_plans_go_with_the_match_and_with_their_player(house: House) -> None:
    over, running = [await house.start(turns=BEGUN, place=house.room()) for _ in range(2)]
    for match in (over, running):
        await plan(house, match, ALICE, "d4", "a1")
    await house.resign(over, BOB)
    await house.privacy.purge()
    assert await house.plans.get(over.id, ALICE.id) is None
    assert await house.plans.get(running.id, ALICE.id) is not None
    await house.privacy.delete(ALICE.id)
    async with house.storage.read() as tx:
        assert await tx.plans.of_match(running.id) == {}


async def test_both_plans_answer_each_other(house: House) -> None:
    match = await house.start(turns=BEGUN)
    await plan(house, match, BOB, "d4", "a1", "a2", "a3", "b1")
    await plan(house, match, ALICE, "d4", "a1", "a2", "c1")
    await house.play(match, BOB, "d4")
    assert await house.turns(match) == (*BEGUN, "d4", "a1", "a2", "c1")
    assert (await house.game(match)).turn_after(2) == "d4"
    assert [step.planned for step in await stored_steps(house.storage, match.id)] == [0, 0, 0, 1, 2, 3]

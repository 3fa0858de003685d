"""Plans: whatever is planned and played, in any order, at the same time, and when the bot dies in the middle."""

from __future__ import annotations

import random
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest

import rules
from bot.domain.challenges import First
from bot.domain.clocks import TimeControl
from bot.domain.matches import Ending, Match, MatchOverError, MovedOnError, NotAPlayerError, ProposalKind
from bot.domain.places import Place
from bot.domain.plans import (
    MOST_BRANCHES,
    MOST_PLANS,
    NothingToPlanError,
    Plan,
    TooManyBranchesError,
    TooManyPlansError,
)
from bot.domain.play import TimeUpError
from bot.domain.study.lines import Line
from bot.services.matches import Matches
from bot.services.plans import Plans
from bot.services.proposals import Proposals
from bot.storage import Storage
from tests.support.club import stored_turns
from tests.support.failures import dying_at
from tests.support.services import (
    ALICE,
    BOB,
    CAROL,
    DALEN,
    PLACE,
    Clock,
    challenging,
    outcomes,
    play_turn,
    privacy_service,
    service,
    start,
)
from tests.support.stored import stored_steps
from tests.support.thorough import THOROUGH, fewer, sample

BEGUN = ("e5", "light")
TAKE_BACK = ProposalKind.TAKE_BACK
STRICT = TimeControl.banks_of(timedelta(minutes=10), timedelta(seconds=30), hard=True)


@pytest.fixture
def plans(storage: Storage, matches: Matches) -> Plans:
    return Plans(storage, matches)


async def plan(plans: Plans, match_id: int, player_id: int, *turns: str) -> Plan:
    """Add a line from the current board to a player's plan."""
    match = await plans.matches.match(match_id)
    return await plans.add(match, player_id, Line(match.step, match.ply, turns))


class Reader:
    """A player's plan, read as simply as possible: the answer to every way in which a match may have gone."""

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
async def test_what_is_played_is_what_an_independent_reader_says(
    matches: Matches, proposals: Proposals, storage: Storage, plans: Plans, game: type[rules.Position]
) -> None:
    """A whole random game in which both players plan at random and mostly play what the other one expects."""
    chance = random.Random(game.name)
    match = await start(matches, ruleset=rules.Ruleset(game, min(game.sizes), game.variants[0]))
    readers = {player.id: Reader(player.id) for player in match.players}
    played, planned, take_backs = tuple[str, ...](), list[bool](), 0
    while (position := match.ruleset.replay(played)).outcome is None:
        own = mover(match, position)
        for player_id in readers:
            if chance.random() < 0.5:
                line, movers = random_line(match, position, chance)
                with suppress(NothingToPlanError, TooManyBranchesError):
                    await plan(plans, match.id, player_id, *line)
                    readers[player_id].note(played, line, movers)
        if take_backs < 3 and len(played) > 4 and chance.random() < 0.1:
            take_backs += 1
            asked = await proposals.propose(match.id, own, TAKE_BACK)
            await proposals.accept(asked.id, match.opponent_of(own).id)
            played = await stored_turns(storage, match.id)
            readers = {player_id: Reader(player_id) for player_id in readers}
            continue
        ways = [way for each in readers.values() for way in each.answers if len(way) > len(played)]
        expected = [way[len(played)] for way in ways if way[: len(played)] == played]
        turn = chance.choice(expected) if expected and chance.random() < 0.8 else chance.choice(position.legal_turns)
        await play_turn(matches, match.id, own, turn)
        played, by_hand = (*played, turn), True
        planned.append(False)
        while (position := match.ruleset.replay(played)).outcome is None:
            awaited = mover(match, position)
            if played not in readers[awaited].answers or (by_hand and awaited == own):
                break
            played, by_hand = (*played, readers[awaited].answers[played]), False
            planned.append(True)
        assert await stored_turns(storage, match.id) == played
    steps = [step for step in await stored_steps(storage, match.id) if step.turn is not None]
    assert [step.planned > 0 for step in steps] == planned
    assert sum(planned) > 3
    over = await matches.match(match.id)
    assert over.result is not None
    assert over.result.ending is Ending.RULES


def random_line(match: Match, position: rules.Position, chance: random.Random) -> tuple[tuple[str, ...], list[int]]:
    """Some random turns, and who makes each."""
    line, movers = list[str](), list[int]()
    while len(line) < chance.randint(1, 6) and position.outcome is None:
        movers.append(mover(match, position))
        line.append(chance.choice(position.legal_turns))
        position, _events = position.play(line[-1])
    return tuple(line), movers


@pytest.mark.both_databases
async def test_an_answer_is_played_once_by_two_processes(
    matches: Matches, storage: Storage, clock: Clock, plans: Plans
) -> None:
    match = await start(matches, turns=BEGUN)
    await plan(plans, match.id, ALICE.id, "d4", "a1", "a2", "a3")
    other = service(storage, clock)
    counted = await outcomes(*(play_turn(each, match.id, BOB.id, "d4", seen_step=2) for each in (matches, other) * 5))
    assert counted["Game"] == 1
    assert counted.keys() <= {"Game", "MovedOnError", "NotYourTurnError"}
    assert await stored_turns(storage, match.id) == (*BEGUN, "d4", "a1")
    assert [step.planned for step in await stored_steps(storage, match.id)] == [0, 0, 0, 1]
    assert (await other.game(match.id)).planned == 1
    await play_turn(other, match.id, BOB.id, "a2")
    assert await stored_turns(storage, match.id) == (*BEGUN, "d4", "a1", "a2", "a3")


@pytest.mark.both_databases
async def test_a_bot_that_dies_in_the_middle_has_played_both_turns_or_none(
    matches: Matches, storage: Storage, clock: Clock, plans: Plans, backend: str
) -> None:
    number, seen = 0, set[int]()
    while True:
        number += 1 if THOROUGH else 3 if backend == "sqlite" else 4
        match = await start(matches, turns=BEGUN)
        await plan(plans, match.id, ALICE.id, "d4", "a1")
        with dying_at(storage, number) as statements, suppress(KeyboardInterrupt):
            await play_turn(matches, match.id, BOB.id, "d4")
        stored = await stored_turns(storage, match.id)
        assert stored in (BEGUN, (*BEGUN, "d4", "a1"))
        seen.add(len(stored))
        with suppress(MovedOnError):
            await play_turn(service(storage, clock), match.id, BOB.id, "d4", seen_step=2)
        assert await stored_turns(storage, match.id) == (*BEGUN, "d4", "a1")
        await matches.resign(match.id, ALICE.id)
        if len(statements) < number:
            break
    assert seen == {2, 4}
    assert number > 8


@pytest.mark.both_databases
async def test_a_take_back_and_a_planned_answer_exclude_each_other(
    matches: Matches, proposals: Proposals, storage: Storage, plans: Plans
) -> None:
    endings = set[int]()
    for first in ("turn", "take-back") * fewer(3, 3):
        match = await start(matches, turns=BEGUN)
        await plan(plans, match.id, ALICE.id, "d4", "a1")
        asked = await proposals.propose(match.id, ALICE.id, TAKE_BACK)
        calls: list[Any] = [play_turn(matches, match.id, BOB.id, "d4"), proposals.accept(asked.id, BOB.id)]
        counted = await outcomes(*(calls if first == "turn" else calls[::-1]))
        turns = await stored_turns(storage, match.id)
        assert turns in ((), (*BEGUN, "d4", "a1"))
        # Bob may read the board before the take-back or after it.
        assert counted.keys() <= {"Game", "Proposal", "MovedOnError", "NotYourTurnError", "ProposalClosedError"}
        assert counted["Game"] + counted["Proposal"] == 1
        endings.add(len(turns))
        if not turns:
            for turn in (*BEGUN, "d4"):
                awaited = (await matches.game(match.id)).to_act
                assert awaited is not None
                await play_turn(matches, match.id, awaited.id, turn)
            assert await stored_turns(storage, match.id) == (*BEGUN, "d4"), "a take-back ends the plan"
        await matches.resign(match.id, ALICE.id)
    assert endings <= {0, 4}


async def test_a_plan_of_ones_own_turn_goes_on_once_that_is_played_by_hand(
    matches: Matches, storage: Storage, plans: Plans
) -> None:
    match = await start(matches, turns=BEGUN)
    await plan(plans, match.id, BOB.id, "d4", "a1", "a2")
    assert await stored_turns(storage, match.id) == BEGUN
    await play_turn(matches, match.id, BOB.id, "d4")
    await play_turn(matches, match.id, ALICE.id, "a1")
    assert await stored_turns(storage, match.id) == (*BEGUN, "d4", "a1", "a2")


async def test_of_two_own_turns_in_a_row_only_an_answer_is_played_as_planned(
    matches: Matches, storage: Storage, plans: Plans
) -> None:
    """Whoever chooses Light in Dalen plays next, too."""
    match = await start(matches, turns=("e5",))
    await plan(plans, match.id, BOB.id, "light", "d4", "a1", "c3")
    await play_turn(matches, match.id, BOB.id, "light")
    assert await stored_turns(storage, match.id) == BEGUN, "she may still think about it"
    await matches.resign(match.id, ALICE.id)
    match = await start(matches)
    await plan(plans, match.id, BOB.id, "e5", "light", "d4")
    await play_turn(matches, match.id, ALICE.id, "e5")
    assert await stored_turns(storage, match.id) == (*BEGUN, "d4")


async def test_a_turn_to_the_same_position_is_answered_however_it_is_written(
    matches: Matches, storage: Storage, plans: Plans
) -> None:
    begun = ("i5", "dark", "m13", "c1", "k13", "f11", "g13", "m12", "e11", "d5", "k12", "e2", "a1", "b4")
    one, other = "c5+m13+k13", "c5+k13+m13"
    match = await start(matches, ruleset=rules.ruleset("dendria", 7), turns=begun)
    await plan(plans, match.id, BOB.id, one, "c4")
    assert (await plan(plans, match.id, BOB.id, other, "c4")).branches == ((one, "c4"),)
    await plan(plans, match.id, BOB.id, "pass", "c4")
    found = await plan(plans, match.id, BOB.id, one, "d4", "pass", "pass")
    assert found.branches == (("pass", "c4"), (one, "d4", "pass", "pass"))
    game = await play_turn(matches, match.id, ALICE.id, other)
    assert await stored_turns(storage, match.id) == (*begun, other, "d4")
    assert found.came_true(game) == (other, "d4")
    assert [*found.open_branches(game).values()] == [("pass", "pass")]


async def test_another_turn_ends_a_plan_and_leaves_the_match_alone(
    matches: Matches, storage: Storage, plans: Plans
) -> None:
    match = await start(matches, turns=BEGUN)
    await plan(plans, match.id, ALICE.id, "d4", "a1")
    await play_turn(matches, match.id, BOB.id, "g7")
    assert await stored_turns(storage, match.id) == (*BEGUN, "g7")
    found = await plans.get(match.id, ALICE.id)
    assert found is not None
    assert found.open_branches(await matches.game(match.id)) == {}
    await play_turn(matches, match.id, ALICE.id, "a1")
    assert await plans.get(match.id, ALICE.id) is None, "she has seen that it came to nothing"


async def test_a_step_that_is_not_legal_ends_a_plan(matches: Matches, storage: Storage, plans: Plans) -> None:
    match = await start(matches, turns=BEGUN)
    async with storage.transaction() as tx:
        await tx.plans.set(match.id, ALICE.id, Plan(2, 2, (("d4", "d4"),)))
    await play_turn(matches, match.id, BOB.id, "d4")
    assert await stored_turns(storage, match.id) == (*BEGUN, "d4")


async def started_with_clock(matches: Matches) -> Match:
    offered = challenging(matches)
    challenge = await offered.challenge(PLACE, ALICE, BOB, DALEN, First.CHALLENGER, control=STRICT)
    match = await offered.accept(challenge.id, BOB)
    await play_turn(matches, match.id, ALICE.id, BEGUN[0])
    await play_turn(matches, match.id, BOB.id, BEGUN[1])
    return await matches.match(match.id)


async def test_a_fallen_flag_comes_before_a_plan(
    matches: Matches, storage: Storage, plans: Plans, clock: Clock
) -> None:
    match = await started_with_clock(matches)
    await plan(plans, match.id, ALICE.id, "d4", "a1")
    clock.now += STRICT.bank * 2
    with pytest.raises(TimeUpError):
        await play_turn(matches, match.id, BOB.id, "d4")
    assert await stored_turns(storage, match.id) == BEGUN


async def test_an_answer_takes_no_time_from_the_clock(matches: Matches, plans: Plans, clock: Clock) -> None:
    match = await started_with_clock(matches)
    await plan(plans, match.id, ALICE.id, "d4", "a1")
    before = match.clock
    assert before is not None
    clock.now += STRICT.bank / 2
    game = await play_turn(matches, match.id, BOB.id, "d4")
    after = game.match.clock
    assert after == (await matches.match(match.id)).clock
    assert after is not None
    alice, bob = before.time_left
    assert after.time_left == (alice + STRICT.bonus, bob - STRICT.bank / 2 + STRICT.bonus)
    assert (after.seat, after.since) == (1, clock.now)


async def test_only_a_player_plans_and_only_from_the_board_there_is(matches: Matches, plans: Plans) -> None:
    match = await start(matches, turns=BEGUN)
    with pytest.raises(NotAPlayerError):
        await plan(plans, match.id, CAROL.id, "d4", "a1")
    with pytest.raises(NothingToPlanError):
        await plan(plans, match.id, BOB.id, "d4", "a1")
    await play_turn(matches, match.id, BOB.id, "d4")
    with pytest.raises(MovedOnError):
        await plans.add(await matches.match(match.id), ALICE.id, Line(2, 2, ("d4", "a1")))
    await matches.resign(match.id, BOB.id)
    with pytest.raises(MatchOverError):
        await plan(plans, match.id, ALICE.id, "a1", "a2", "a3")


async def test_branches_and_plans_are_limited(matches: Matches, storage: Storage, plans: Plans) -> None:
    match = await start(matches, turns=BEGUN)
    cells = list((await matches.game(match.id)).position.legal_turns)
    for cell in cells[1 : MOST_BRANCHES + 1]:
        await plan(plans, match.id, ALICE.id, cell, cells[0])
    await plan(plans, match.id, ALICE.id, cells[1], cells[-1])  # another answer, not another branch
    with pytest.raises(TooManyBranchesError):
        await plan(plans, match.id, ALICE.id, cells[-2], cells[0])
    found = await plans.get(match.id, ALICE.id)
    assert found is not None
    assert len(found.branches) == MOST_BRANCHES
    async with storage.transaction() as tx:
        for _ in range(MOST_PLANS - 1):
            other = await tx.matches.add(DALEN, 1, (ALICE, BOB), matches.clock(), awaited_id=ALICE.id, rated=False)
            await tx.plans.set(other, ALICE.id, found)
    full = await start(matches, ALICE, CAROL, Place(1, 11), BEGUN)
    with pytest.raises(TooManyPlansError):
        await plan(plans, full.id, ALICE.id, "d4", "a1")
    await plans.delete(match.id, ALICE.id)
    await plan(plans, full.id, ALICE.id, "d4", "a1")


async def test_branches_are_deleted_one_by_one_and_with_the_last_the_plan(matches: Matches, plans: Plans) -> None:
    match = await start(matches, turns=BEGUN)
    await plan(plans, match.id, ALICE.id, "d4", "a1")
    two = await plan(plans, match.id, ALICE.id, "d3", "a1")
    await plans.delete(match.id, ALICE.id, two.branches[0])
    assert await plans.get(match.id, ALICE.id) == Plan(2, 2, (("d3", "a1"),))
    await plans.delete(match.id, ALICE.id, two.branches[1])
    assert await plans.get(match.id, ALICE.id) is None


async def test_plans_go_with_the_match_and_with_their_player(
    matches: Matches, storage: Storage, clock: Clock, plans: Plans
) -> None:
    privacy = privacy_service(storage, matches, clock)
    over, running = [await start(matches, turns=BEGUN, place=Place(1, number)) for number in (10, 11)]
    for match in (over, running):
        await plan(plans, match.id, ALICE.id, "d4", "a1")
    await matches.resign(over.id, BOB.id)
    await privacy.purge()
    assert await plans.get(over.id, ALICE.id) is None
    assert await plans.get(running.id, ALICE.id) is not None
    await privacy.delete(ALICE.id)
    async with storage.read() as tx:
        assert await tx.plans.of_match(running.id) == {}


async def test_both_plans_answer_each_other(matches: Matches, storage: Storage, plans: Plans) -> None:
    match = await start(matches, turns=BEGUN)
    await plan(plans, match.id, BOB.id, "d4", "a1", "a2", "a3", "b1")
    await plan(plans, match.id, ALICE.id, "d4", "a1", "a2", "c1")
    await play_turn(matches, match.id, BOB.id, "d4")
    assert await stored_turns(storage, match.id) == (*BEGUN, "d4", "a1", "a2", "c1")
    game = await matches.game(match.id)
    assert game.turn_after(2) == "d4"
    assert [step.planned for step in await stored_steps(storage, match.id)] == [0, 0, 0, 1, 2, 3]

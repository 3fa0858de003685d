"""What players propose to each other, with many people at once on a real database.

``test_any_order.py`` compares any order of proposals and turns with a model, and ``domain/test_proposals.py`` says
who may propose and answer what.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from bot.domain.limits import IN_VAIN_LIMIT
from bot.domain.matches import (
    Ending,
    MatchOverError,
    MovedOnError,
    NotAPlayerError,
    ProposalKind,
    ProposalState,
    Result,
    WaitingForPlaceError,
)
from bot.domain.places import Place
from bot.domain.players import Player
from bot.domain.preferences import PlayIn
from bot.domain.proposals import (
    AlreadyThereError,
    DuplicateProposalError,
    NothingToTakeBackError,
    NotOverError,
    NotYourProposalError,
    OwnProposalError,
    ProposalClosedError,
    RematchExistsError,
    UnknownProposalError,
)
from tests.support.games import WHOLE_GAME
from tests.support.services.house import House
from tests.support.services.matches import ALICE, BOB, CAROL, DALEN, HEDU, PLACE, PLAYED, outcomes, refused
from tests.support.services.stored import running_matches, stored_card, stored_match, waiting_matches
from tests.support.thorough import fewer

DRAW, TAKE_BACK, ABANDON, MOVE, REMATCH = ProposalKind
ELSEWHERE = Place(1, 11)


@pytest.mark.parametrize(("kind", "ending"), [(DRAW, Ending.AGREEMENT), (ABANDON, Ending.ABANDONED)])
async def test_an_end_by_agreement_has_no_winner(house: House, kind: ProposalKind, ending: Ending) -> None:
    match = await house.start(turns=("e5",), ruleset=HEDU)
    before = await house.delivery(match)
    offered = await house.propose(match, ALICE, kind)
    waiting = await house.match(match)
    assert (waiting.proposals, waiting.result) == ((offered,), None)
    assert (await house.delivery(match)).version == before.version, "the board is not shown again for it"
    assert (await house.proposals.accept(offered.id, BOB.id)).state is ProposalState.ACCEPTED
    ended = await house.match(match)
    assert (ended.result, ended.proposals) == (Result(None, ending), ())


async def test_proposals_of_several_kinds_stand_until_they_are_answered(house: House) -> None:
    match, answer = await house.start(turns=("e5",), ruleset=HEDU), house.proposals
    await refused(NothingToTakeBackError, house.propose(match, BOB, TAKE_BACK))
    await refused(NotOverError, house.propose(match, ALICE, REMATCH))
    draw, take_back, abandon = [await house.propose(match, ALICE, kind) for kind in (DRAW, TAKE_BACK, ABANDON)]
    assert (await house.match(match)).proposals == (draw, take_back, abandon)
    assert (await refused(DuplicateProposalError, house.propose(match, ALICE, DRAW))).proposal == draw
    await refused(DuplicateProposalError, house.propose(match, BOB, TAKE_BACK))
    await refused(OwnProposalError, answer.accept(draw.id, ALICE.id), answer.decline(draw.id, ALICE.id))
    await refused(NotAPlayerError, answer.accept(draw.id, CAROL.id))
    await refused(NotYourProposalError, answer.withdraw(take_back.id, BOB.id))
    assert (await answer.decline(draw.id, BOB.id)).state is ProposalState.DECLINED
    assert (await answer.withdraw(take_back.id, ALICE.id)).state is ProposalState.WITHDRAWN
    await refused(ProposalClosedError, answer.accept(draw.id, BOB.id), answer.accept(take_back.id, BOB.id))
    assert (await house.propose(match, BOB, DRAW)).id not in (draw.id, take_back.id)
    await house.resign(match, BOB)
    assert (await house.match(match)).proposals == ()
    await refused(MatchOverError, *(house.propose(match, ALICE, kind) for kind in (DRAW, TAKE_BACK, ABANDON)))


@pytest.mark.parametrize("who", [ALICE, BOB])
async def test_a_lapsed_proposal_takes_no_answer_and_says_why(house: House, who: Player) -> None:
    match = await house.start()
    offered = await house.propose(match, who, ABANDON)
    assert (await house.play(match, ALICE, "e5")).match.proposals == ()
    error = await refused(ProposalClosedError, house.proposals.accept(offered.id, match.opponent_of(who.id).id))
    assert error.proposal.state is ProposalState.LAPSED
    await refused(UnknownProposalError, house.proposals.accept(99, ALICE.id))


# Taking back


async def test_a_take_back_removes_the_last_turn_of_the_player_and_all_after_it(house: House) -> None:
    match = await house.start(turns=PLAYED)
    # Bob chose Light, so he has played the second and the third turn.
    for step, (who, left) in enumerate(((ALICE, 3), (BOB, 2), (ALICE, 0)), 5):
        offered = await house.propose(match, who, TAKE_BACK)
        assert offered.keeps == left
        await house.proposals.accept(offered.id, match.opponent_of(who.id).id)
        for process in (house, house.another()):
            game = await process.game(match)
            assert game.turns == await process.turns(match) == PLAYED[:left]
            assert game.position == DALEN.replay(PLAYED[:left])
            assert (game.match.ply, game.step, game.to_act) == (left, step, who)


async def test_a_board_from_before_a_take_back_is_stale_despite_as_many_turns(house: House) -> None:
    match = await house.start(turns=("e5", "light"))
    seen = (await house.game(match)).step
    await house.play(match, BOB, "d4", seen_step=seen)
    await house.agree(match, TAKE_BACK, BOB)
    game = await house.game(match)
    assert game.ply == 2
    await refused(
        MovedOnError,
        house.play(match, BOB, "a1", seen_step=seen),
        house.resign(match, BOB, seen_step=seen),
        house.propose(match, BOB, ABANDON, seen_step=seen),
    )
    assert (await house.play(match, BOB, "a1", seen_step=game.step)).turns == ("e5", "light", "a1")


async def test_a_board_from_before_a_take_back_can_still_be_loaded(house: House) -> None:
    match = await house.start(turns=("e5", "light", "d4"))
    for who, turn in ((BOB, "a1"), (ALICE, "c3")):
        await house.agree(match, TAKE_BACK, who)
        await house.play(match, who, turn)
    match = await house.match(match)
    boards = [(await house.matches.past_game(match, step)).turns for step in range(match.step + 1)]
    taken_back, after = [(), ("e5",), ("e5", "light"), ("e5", "light", "d4")], [("e5", "light"), ("e5", "light", "a1")]
    assert boards == [*taken_back, *after, (), ("c3",)]
    assert (await house.matches.game_at(match, 1)).position == DALEN.replay(("c3",))


async def test_another_process_does_not_play_on_a_board_that_was_taken_back(house: House) -> None:
    match, other = await house.start(turns=("e5", "light", "d4")), house.another()
    assert (await other.game(match)).turns == ("e5", "light", "d4")
    await house.agree(match, TAKE_BACK, BOB)
    await house.play(match, BOB, "a1")
    assert (await other.game(match)).position == DALEN.replay(("e5", "light", "a1"))


# Other channels


async def test_a_match_moves_when_both_want_it(house: House) -> None:
    match = await house.start()
    shown = await stored_card(house.storage, 1)
    await refused(AlreadyThereError, house.propose(match, ALICE, MOVE, place=PLACE))
    offered = await house.propose(match, ALICE, MOVE, place=ELSEWHERE)
    await refused(DuplicateProposalError, house.propose(match, BOB, MOVE, place=Place(1, 12)))
    assert (await house.propose(match, BOB, MOVE, place=ELSEWHERE)).id == offered.id
    moved = await house.delivery(match)
    assert (moved.home, moved.channel_id) == (ELSEWHERE, ELSEWHERE.channel_id)
    assert (await stored_card(house.storage, 1)).version > shown.version
    assert (await house.delivery(await house.start(ALICE, CAROL))).channel_id == PLACE.channel_id


async def test_a_match_that_moves_to_a_taken_channel_waits_for_a_thread_there(house: House) -> None:
    match = await house.start()
    await house.start(ALICE, CAROL, ELSEWHERE)
    await house.agree(match, MOVE, place=ELSEWHERE)
    moved = await house.delivery(match)
    assert (moved.home, moved.channel_id) == (ELSEWHERE, None)
    assert await waiting_matches(house.storage, ELSEWHERE.channel_id) == [match.id]


@pytest.mark.both_databases
async def test_a_match_moves_without_asking_when_its_channel_is_gone(house: House) -> None:
    match = await house.start()
    await refused(NotAPlayerError, house.proposals.move_home(match.id, CAROL.id, ELSEWHERE))
    moves = [(who, Place(1, 20 + number)) for number, who in enumerate([ALICE, BOB] * 4)]
    counted = await outcomes(*(house.proposals.move_home(match.id, who.id, to) for who, to in moves))
    assert counted["Match"] >= 1
    moved = await house.delivery(match)
    assert moved.channel_id == moved.home.channel_id in range(20, 28)


async def test_a_waiting_match_can_be_resigned_abandoned_and_moved_not_played(house: House) -> None:
    await house.start()
    waiting = [await house.start(ALICE, CAROL) for _ in range(3)]
    assert all(match.waiting for match in waiting)
    resigned, abandoned, moved = waiting
    await refused(
        WaitingForPlaceError,
        house.play(resigned, ALICE, "e5"),
        house.propose(resigned, ALICE, DRAW),
        house.propose(resigned, ALICE, TAKE_BACK),
    )
    await house.resign(resigned, ALICE)
    await house.agree(abandoned, ABANDON)
    await house.agree(moved, MOVE, place=ELSEWHERE)
    ended = [await house.match(match) for match in waiting]
    results = [Result(CAROL.id, Ending.RESIGNATION), Result(None, Ending.ABANDONED), None]
    assert [(match.result, match.waiting) for match in ended] == [(result, False) for result in results]
    assert (await house.delivery(moved)).channel_id == ELSEWHERE.channel_id


async def test_a_match_that_ended_while_waiting_shows_only_its_challenge(house: House) -> None:
    await house.start()
    waiting = await house.start(ALICE, CAROL)
    await house.deliveries.set_challenge(2, (await stored_card(house.storage, 2)).version, None)
    await house.resign(waiting, ALICE)
    async with house.storage.read() as tx:
        assert await tx.deliveries.unshown_challenges() == [2, 1]
        assert [card.match_id for card in await tx.deliveries.unshown_matches()] == [1]


async def test_servers_that_want_threads_get_matches_that_wait_for_one(house: House) -> None:
    await house.settings.change_server_settings(1, play_in=PlayIn.THREAD)
    assert (await house.start()).waiting
    outside = await house.start(place=Place(None, 50))
    assert (await house.delivery(outside)).channel_id == 50
    assert (await house.agree(outside, MOVE, place=ELSEWHERE)).waiting


# Rematches


async def test_a_rematch_has_the_seats_exchanged_and_the_same_rules_and_place(house: House) -> None:
    old = await house.start(turns=WHOLE_GAME)
    offered = await house.propose(old, BOB, REMATCH)
    assert (await house.match(old)).proposals == (offered,)
    await house.proposals.accept(offered.id, ALICE.id)
    new = await house.matches.match((await house.match(old)).rematch_id or 0)
    assert (new.first, new.second, new.ruleset) == (BOB, ALICE, old.ruleset)
    assert (new.challenge_id, new.rematch_of) == (None, old.id)
    before, after = await house.delivery(old), await house.delivery(new)
    assert (after.home, after.channel_id) == (before.home, before.channel_id)
    assert (await house.play(new, BOB, "e5")).turns == ("e5",)
    await refused(RematchExistsError, house.propose(old, ALICE, REMATCH))
    await house.resign(new, ALICE)
    await house.rematch(new)
    assert [match.rematch_of for match in await running_matches(house.storage, PLACE)] == [new.id]


async def test_a_rematch_waits_when_its_channel_is_taken_by_now(house: House) -> None:
    match = await house.start()
    await house.resign(match, ALICE)
    await house.start(ALICE, CAROL)
    assert (await house.rematch(match)).waiting


# At the same time


@pytest.mark.both_databases
async def test_a_rematch_wanted_by_both_many_times_at_once_is_one_match(house: House) -> None:
    match = await house.start()
    await house.resign(match, ALICE)
    counted = await outcomes(*(house.propose(match, who, REMATCH) for who in [ALICE, BOB] * 6))
    assert counted.keys() <= {"Proposal", "DuplicateProposalError", "ProposalClosedError", "RematchExistsError"}
    assert (await house.match(match)).rematch_id == 2
    assert await stored_match(house.storage, 3) is None


@pytest.mark.both_databases
async def test_a_draw_offered_by_both_at_once_is_a_draw(house: House) -> None:
    match = await house.start(ruleset=HEDU)
    assert await outcomes(*(house.propose(match, who, DRAW) for who in (ALICE, BOB))) == {"Proposal": 2}
    assert await house.result(match) == Result(None, Ending.AGREEMENT)


@pytest.mark.both_databases
@pytest.mark.parametrize("kind", [DRAW, TAKE_BACK, ABANDON])
async def test_either_a_turn_or_an_agreement_at_the_same_time_counts(house: House, kind: ProposalKind) -> None:
    for number in range(fewer(6, 3)):
        house.now += IN_VAIN_LIMIT.span
        match = await house.start(place=house.room(), turns=("e5", "white"), ruleset=HEDU)
        offered = await house.propose(match, ALICE, kind)
        calls: list[Any] = [house.proposals.accept(offered.id, BOB.id), house.play(match, BOB, "d4")]
        counted = await outcomes(*(calls if number % 2 else calls[::-1]))
        assert sum(counted[good] for good in ("Proposal", "Game")) == 1, counted
        refusals = {"ProposalClosedError", "MovedOnError", "MatchOverError", "NotYourTurnError"}
        assert counted.keys() <= {"Proposal", "Game"} | refusals
        played = counted["Game"] == 1
        after = await house.game(match)
        assert (after.match.result is not None) is (not played and kind is not TAKE_BACK)
        assert after.turns == await house.turns(match)
        assert after.turns == (("e5", "white", "d4") if played else () if kind is TAKE_BACK else ("e5", "white"))


@pytest.mark.both_databases
async def test_answers_at_once_have_one_outcome(house: House) -> None:
    for _ in range(fewer(6, 3)):
        house.now += IN_VAIN_LIMIT.span
        match = await house.start(place=house.room())
        offered = await house.propose(match, ALICE, ABANDON)
        counted = await outcomes(
            house.proposals.withdraw(offered.id, ALICE.id),
            house.proposals.accept(offered.id, BOB.id),
            house.proposals.decline(offered.id, BOB.id),
        )
        assert counted == {"Proposal": 1, "ProposalClosedError": 2}
        state = (await house.proposals.get(offered.id)).state
        assert ((await house.match(match)).result is None) is (state is not ProposalState.ACCEPTED)


async def test_a_match_has_the_times_of_its_turns_and_of_its_end(house: House) -> None:
    began, hour = house.now, timedelta(hours=1)
    match = await house.start()
    assert (match.started_at, match.moved_at, match.ended_at) == (began, began, None)
    house.now += hour
    await house.play(match, ALICE, "e5")
    house.now += hour
    assert (await house.agree(match, TAKE_BACK)).moved_at == began + 2 * hour
    house.now += hour
    ended = (await house.resign(match, ALICE)).match
    assert (ended.started_at, ended.ended_at) == (began, began + 3 * hour)

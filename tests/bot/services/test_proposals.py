"""What players propose to each other, with many hands at once on a real database."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.domain.limits import IN_VAIN_LIMIT
from bot.domain.matches import (
    Ending,
    Match,
    MatchOverError,
    MovedOnError,
    NotAPlayerError,
    Proposal,
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
from bot.services.matches import Matches
from bot.services.proposals import Proposals
from bot.storage import Storage
from tests.support.club import stored_turns
from tests.support.databases import fast_database
from tests.support.games import WHOLE_GAME
from tests.support.services import (
    ALICE,
    BOB,
    CAROL,
    DALEN,
    PLACE,
    Clock,
    outcomes,
    play_turn,
    service,
    start,
)
from tests.support.stored import running_matches, stored_card, stored_delivery, stored_match, waiting_matches
from tests.support.thorough import fewer

DRAW, TAKE_BACK, ABANDON, MOVE, REMATCH = ProposalKind
ELSEWHERE = Place(1, 11)


# Draws and giving up


@pytest.mark.parametrize(("kind", "ending"), [(DRAW, Ending.AGREEMENT), (ABANDON, Ending.ABANDONED)])
async def test_both_have_to_agree_to_an_end_without_a_winner(
    matches: Matches, proposals: Proposals, storage: Storage, kind: ProposalKind, ending: Ending
) -> None:
    match = await start(matches, turns=("e5",))
    before = await stored_delivery(storage, match.id)
    offered = await proposals.propose(match.id, ALICE.id, kind)
    waiting = await matches.match(match.id)
    assert waiting.proposals == (offered,)
    after = await stored_delivery(storage, match.id)
    assert after.version == before.version, "the board is not shown again for it"
    assert waiting.result is None
    with pytest.raises(OwnProposalError):
        await proposals.accept(offered.id, ALICE.id)
    with pytest.raises(NotAPlayerError):
        await proposals.accept(offered.id, CAROL.id)
    assert (await proposals.accept(offered.id, BOB.id)).state is ProposalState.ACCEPTED
    ended = await matches.match(match.id)
    assert ended.result == Result(None, ending)
    assert ended.proposals == ()
    with pytest.raises(ProposalClosedError):
        await proposals.accept(offered.id, BOB.id)


async def test_offering_what_the_opponent_offers_is_an_agreement(matches: Matches, proposals: Proposals) -> None:
    match = await start(matches)
    offered = await proposals.propose(match.id, ALICE.id, DRAW)
    agreed = await proposals.propose(match.id, BOB.id, DRAW)
    assert (agreed.id, agreed.state) == (offered.id, ProposalState.ACCEPTED)
    assert (await matches.match(match.id)).result == Result(None, Ending.AGREEMENT)


async def test_offering_twice_is_refused_and_changes_nothing(matches: Matches, proposals: Proposals) -> None:
    match = await start(matches)
    offered = await proposals.propose(match.id, ALICE.id, DRAW)
    with pytest.raises(DuplicateProposalError) as refused:
        await proposals.propose(match.id, ALICE.id, DRAW)
    assert refused.value.proposal == offered


@pytest.mark.parametrize("who", [ALICE, BOB])
async def test_a_proposal_lapses_with_the_next_turn(matches: Matches, proposals: Proposals, who: Player) -> None:
    match = await start(matches)
    offered = await proposals.propose(match.id, who.id, DRAW)
    assert (await play_turn(matches, match.id, ALICE.id, "e5")).match.proposals == ()
    with pytest.raises(ProposalClosedError) as refused:
        await proposals.accept(offered.id, (BOB if who is ALICE else ALICE).id)
    assert refused.value.proposal.state is ProposalState.LAPSED


async def test_a_declined_or_withdrawn_offer_may_be_made_again(matches: Matches, proposals: Proposals) -> None:
    match = await start(matches)
    first = await proposals.propose(match.id, ALICE.id, DRAW)
    with pytest.raises(OwnProposalError):
        await proposals.decline(first.id, ALICE.id)
    assert (await proposals.decline(first.id, BOB.id)).state is ProposalState.DECLINED
    second = await proposals.propose(match.id, ALICE.id, DRAW)
    with pytest.raises(NotYourProposalError):
        await proposals.withdraw(second.id, BOB.id)
    assert (await proposals.withdraw(second.id, ALICE.id)).state is ProposalState.WITHDRAWN
    third = await proposals.propose(match.id, BOB.id, DRAW)
    assert len({first.id, second.id, third.id}) == 3
    for old in (first, second):
        with pytest.raises(ProposalClosedError):
            await proposals.accept(old.id, BOB.id)
    assert (await matches.match(match.id)).result is None
    with pytest.raises(UnknownProposalError):
        await proposals.accept(99, ALICE.id)


async def test_offers_of_different_kinds_stand_side_by_side(matches: Matches, proposals: Proposals) -> None:
    match = await start(matches, turns=("e5",))
    for kind in (DRAW, TAKE_BACK, ABANDON):
        await proposals.propose(match.id, ALICE.id, kind)
    assert [each.kind for each in (await matches.match(match.id)).proposals] == [DRAW, TAKE_BACK, ABANDON]
    await matches.resign(match.id, BOB.id)
    assert (await matches.match(match.id)).proposals == ()


# Taking back


async def take_back(proposals: Proposals, match: Match, who: Player) -> Proposal:
    other = match.opponent_of(who.id)
    offered = await proposals.propose(match.id, who.id, TAKE_BACK)
    return await proposals.accept(offered.id, other.id)


@pytest.mark.parametrize(
    ("turns", "who", "left"),
    [
        (("e5",), ALICE, ()),
        (("e5", "light"), BOB, ("e5",)),
        (("e5", "light"), ALICE, ()),
        (("e5", "light", "d4"), ALICE, ()),  # Bob chose Light, so he played twice
        (("e5", "light", "d4"), BOB, ("e5", "light")),
        (("e5", "dark", "d4"), ALICE, ("e5", "dark")),
        (("e5", "dark", "d4"), BOB, ("e5",)),
        (("e5", "light", "d4", "a1"), BOB, ("e5", "light")),
        (("e5", "light", "d4", "a1"), ALICE, ("e5", "light", "d4")),
    ],
)
async def test_taking_back_removes_the_own_last_turn_and_all_after_it(
    matches: Matches,
    proposals: Proposals,
    storage: Storage,
    clock: Clock,
    turns: tuple[str, ...],
    who: Player,
    left: Any,
) -> None:
    match = await start(matches, turns=turns)
    offered = await proposals.propose(match.id, who.id, TAKE_BACK)
    assert offered.keeps == len(left)
    await proposals.accept(offered.id, match.opponent_of(who.id).id)
    for each in (matches, service(storage, clock)):
        game = await each.game(match.id)
        assert game.turns == left
        assert game.position == DALEN.replay(left)
        assert game.match.ply == len(left)
        assert game.step == len(turns) + 1
        assert game.to_act == who
    assert await stored_turns(storage, match.id) == left


async def test_nobody_takes_back_what_they_have_not_played(matches: Matches, proposals: Proposals) -> None:
    match = await start(matches, turns=("e5",))
    with pytest.raises(NothingToTakeBackError):
        await proposals.propose(match.id, BOB.id, TAKE_BACK)
    await take_back(proposals, match, ALICE)
    with pytest.raises(NothingToTakeBackError):
        await proposals.propose(match.id, ALICE.id, TAKE_BACK)


async def test_asking_to_take_back_is_no_answer_to_the_same_question(matches: Matches, proposals: Proposals) -> None:
    match = await start(matches, turns=("e5", "light", "d4", "a1"))
    await proposals.propose(match.id, ALICE.id, TAKE_BACK)
    with pytest.raises(DuplicateProposalError):
        await proposals.propose(match.id, BOB.id, TAKE_BACK)
    assert (await matches.match(match.id)).ply == 4


async def test_a_board_from_before_a_take_back_is_stale_despite_as_many_turns(
    matches: Matches, proposals: Proposals
) -> None:
    match = await start(matches, turns=("e5", "light"))
    seen = (await matches.game(match.id)).step
    await play_turn(matches, match.id, BOB.id, "d4", seen_step=seen)
    await take_back(proposals, match, BOB)
    game = await matches.game(match.id)
    assert game.ply == 2
    for press in (
        play_turn(matches, match.id, BOB.id, "a1", seen_step=seen),
        matches.resign(match.id, BOB.id, seen_step=seen),
        proposals.propose(match.id, BOB.id, DRAW, seen_step=seen),
    ):
        with pytest.raises(MovedOnError):
            await press
    assert (await play_turn(matches, match.id, BOB.id, "a1", seen_step=game.step)).turns == ("e5", "light", "a1")


async def test_a_board_from_before_a_take_back_can_still_be_loaded(matches: Matches, proposals: Proposals) -> None:
    match = await start(matches, turns=("e5", "light", "d4"))
    await take_back(proposals, match, BOB)
    await play_turn(matches, match.id, BOB.id, "a1")
    await take_back(proposals, match, ALICE)
    await play_turn(matches, match.id, ALICE.id, "c3")
    match = await matches.match(match.id)
    boards = [(await matches.past_game(match, step)).turns for step in range(match.step + 1)]
    assert boards == [
        (),
        ("e5",),
        ("e5", "light"),
        ("e5", "light", "d4"),
        ("e5", "light"),
        ("e5", "light", "a1"),
        (),
        ("c3",),
    ]
    assert (await matches.game_at(match, 1)).position == DALEN.replay(("c3",))


async def test_another_bot_does_not_play_on_a_board_that_was_taken_back(
    matches: Matches, proposals: Proposals, database_url: str, clock: Clock
) -> None:
    match = await start(matches, turns=("e5", "light", "d4"))
    database = fast_database(database_url)
    try:
        other = service(Storage(database), clock)
        assert (await other.game(match.id)).turns == ("e5", "light", "d4")
        await take_back(proposals, match, BOB)
        await play_turn(matches, match.id, BOB.id, "a1")
        assert (await other.game(match.id)).position == DALEN.replay(("e5", "light", "a1"))
    finally:
        await database.close()


# Other channels


async def test_a_match_moves_when_both_want_it(matches: Matches, proposals: Proposals, storage: Storage) -> None:
    match = await start(matches)
    shown = await stored_card(storage, 1)
    with pytest.raises(AlreadyThereError):
        await proposals.propose(match.id, ALICE.id, MOVE, place=PLACE)
    offered = await proposals.propose(match.id, ALICE.id, MOVE, place=ELSEWHERE)
    with pytest.raises(DuplicateProposalError):
        await proposals.propose(match.id, BOB.id, MOVE, place=Place(1, 12))
    agreed = await proposals.propose(match.id, BOB.id, MOVE, place=ELSEWHERE)
    assert agreed.id == offered.id
    moved = await stored_delivery(storage, match.id)
    assert (moved.home, moved.channel_id) == (ELSEWHERE, ELSEWHERE.channel_id)
    assert (await stored_card(storage, 1)).version > shown.version
    other = await start(matches, ALICE, CAROL)
    assert (await stored_delivery(storage, other.id)).channel_id == PLACE.channel_id


async def test_a_match_that_moves_to_a_taken_channel_waits_for_a_thread_there(
    matches: Matches, proposals: Proposals, storage: Storage
) -> None:
    match = await start(matches)
    await start(matches, ALICE, CAROL, ELSEWHERE)
    await proposals.accept((await proposals.propose(match.id, ALICE.id, MOVE, place=ELSEWHERE)).id, BOB.id)
    moved = await stored_delivery(storage, match.id)
    assert (moved.home, moved.channel_id) == (ELSEWHERE, None)
    assert await waiting_matches(storage, ELSEWHERE.channel_id) == [match.id]


@pytest.mark.both_databases
async def test_a_match_moves_without_asking_when_its_channel_is_gone(
    matches: Matches, proposals: Proposals, storage: Storage
) -> None:
    match = await start(matches)
    with pytest.raises(NotAPlayerError):
        await proposals.move_from_gone_channel(match.id, CAROL.id, ELSEWHERE)
    counted = await outcomes(
        *(
            proposals.move_from_gone_channel(match.id, who.id, Place(1, 20 + number))
            for number, who in enumerate([ALICE, BOB] * 4)
        )
    )
    assert counted["Match"] >= 1
    moved = await stored_delivery(storage, match.id)
    assert moved.channel_id == moved.home.channel_id in range(20, 28)


async def test_a_waiting_match_can_be_resigned_abandoned_and_moved_not_played(
    matches: Matches, proposals: Proposals, storage: Storage
) -> None:
    await start(matches)
    waiting = [await start(matches, ALICE, CAROL) for _ in range(3)]
    assert all(each.waiting for each in waiting)
    for call in (
        play_turn(matches, waiting[0].id, ALICE.id, "e5"),
        proposals.propose(waiting[0].id, ALICE.id, DRAW),
        proposals.propose(waiting[0].id, ALICE.id, TAKE_BACK),
    ):
        with pytest.raises(WaitingForPlaceError):
            await call
    await matches.resign(waiting[0].id, ALICE.id)
    await proposals.propose(waiting[1].id, ALICE.id, ABANDON)
    await proposals.propose(waiting[1].id, CAROL.id, ABANDON)
    await proposals.propose(waiting[2].id, ALICE.id, MOVE, place=ELSEWHERE)
    await proposals.propose(waiting[2].id, CAROL.id, MOVE, place=ELSEWHERE)
    ended = [await matches.match(each.id) for each in waiting]
    assert [each.result for each in ended] == [
        Result(CAROL.id, Ending.RESIGNATION),
        Result(None, Ending.ABANDONED),
        None,
    ]
    assert not any(each.waiting for each in ended)
    assert (await stored_delivery(storage, waiting[2].id)).channel_id == ELSEWHERE.channel_id


async def test_a_match_that_ended_while_waiting_shows_only_its_challenge(matches: Matches, storage: Storage) -> None:
    await start(matches)
    waiting = await start(matches, ALICE, CAROL)
    version = (await stored_card(storage, 2)).version
    async with storage.transaction() as tx:
        await tx.deliveries.set_challenge(2, version, None)
    await matches.resign(waiting.id, ALICE.id)
    async with storage.read() as tx:
        assert await tx.deliveries.unshown_challenges() == [2, 1]
        assert [card.match_id for card in await tx.deliveries.unshown_matches()] == [1]


# Rematches


async def test_a_rematch_has_the_seats_exchanged_and_the_same_rules_and_place(
    matches: Matches, proposals: Proposals, storage: Storage
) -> None:
    match = await start(matches, turns=WHOLE_GAME)
    offered = await proposals.propose(match.id, BOB.id, REMATCH)
    assert (await matches.match(match.id)).proposals == (offered,)
    await proposals.accept(offered.id, ALICE.id)
    old = await matches.match(match.id)
    assert old.rematch_id is not None
    new = await matches.match(old.rematch_id)
    assert (new.first, new.second) == (BOB, ALICE)
    assert new.ruleset == old.ruleset
    before, after = await stored_delivery(storage, old.id), await stored_delivery(storage, new.id)
    assert (after.home, after.channel_id) == (before.home, before.channel_id)
    assert (new.challenge_id, new.rematch_of) == (None, old.id)
    assert (await play_turn(matches, new.id, BOB.id, "e5")).turns == ("e5",)
    with pytest.raises(RematchExistsError):
        await proposals.propose(match.id, ALICE.id, REMATCH)
    await matches.resign(new.id, ALICE.id)
    await proposals.propose(new.id, ALICE.id, REMATCH)
    await proposals.propose(new.id, BOB.id, REMATCH)
    assert [each.rematch_of for each in await running_matches(storage, PLACE)] == [new.id]


async def test_a_rematch_is_for_matches_that_are_over_and_the_rest_for_others(
    matches: Matches, proposals: Proposals
) -> None:
    match = await start(matches)
    with pytest.raises(NotOverError):
        await proposals.propose(match.id, ALICE.id, REMATCH)
    await matches.resign(match.id, ALICE.id)
    for kind in (DRAW, TAKE_BACK, ABANDON):
        with pytest.raises(MatchOverError):
            await proposals.propose(match.id, ALICE.id, kind)


async def test_a_rematch_waits_when_its_channel_is_taken_by_now(matches: Matches, proposals: Proposals) -> None:
    match = await start(matches)
    await matches.resign(match.id, ALICE.id)
    await start(matches, ALICE, CAROL)
    await proposals.propose(match.id, ALICE.id, REMATCH)
    await proposals.propose(match.id, BOB.id, REMATCH)
    rematch = (await matches.match(match.id)).rematch_id
    assert rematch is not None
    assert (await matches.match(rematch)).waiting


# At the same time


@pytest.mark.both_databases
async def test_a_rematch_wanted_by_both_many_times_at_once_is_one_match(
    matches: Matches, proposals: Proposals, storage: Storage
) -> None:
    match = await start(matches)
    await matches.resign(match.id, ALICE.id)
    counted = await outcomes(*(proposals.propose(match.id, who.id, REMATCH) for who in [ALICE, BOB] * 6))
    assert counted.keys() <= {"Proposal", "DuplicateProposalError", "ProposalClosedError", "RematchExistsError"}
    assert (await matches.match(match.id)).rematch_id == 2
    assert await stored_match(storage, 3) is None


@pytest.mark.both_databases
async def test_a_draw_offered_by_both_at_once_is_a_draw(matches: Matches, proposals: Proposals) -> None:
    match = await start(matches)
    counted = await outcomes(*(proposals.propose(match.id, who.id, DRAW) for who in (ALICE, BOB)))
    assert counted == {"Proposal": 2}
    assert (await matches.match(match.id)).result == Result(None, Ending.AGREEMENT)


@pytest.mark.both_databases
@pytest.mark.parametrize("kind", [DRAW, TAKE_BACK, ABANDON])
async def test_a_turn_and_an_agreement_at_once_have_one_winner(
    matches: Matches, proposals: Proposals, storage: Storage, clock: Clock, kind: ProposalKind
) -> None:
    for number in range(fewer(6, 3)):
        clock.now += IN_VAIN_LIMIT.span
        match = await start(matches, place=Place(1, 100 + number), turns=("e5", "light"))
        offered = await proposals.propose(match.id, ALICE.id, kind)
        calls: list[Any] = [proposals.accept(offered.id, BOB.id), play_turn(matches, match.id, BOB.id, "d4")]
        counted = await outcomes(*(calls if number % 2 else calls[::-1]))
        assert sum(counted[good] for good in ("Proposal", "Game")) == 1, counted
        refusals = {"ProposalClosedError", "MovedOnError", "MatchOverError", "NotYourTurnError"}
        assert counted.keys() <= {"Proposal", "Game"} | refusals
        played = counted["Game"] == 1
        after = await matches.game(match.id)
        assert (after.match.result is not None) is (not played and kind is not TAKE_BACK)
        assert after.turns == await stored_turns(storage, match.id)
        assert after.turns == (("e5", "light", "d4") if played else () if kind is TAKE_BACK else ("e5", "light"))


@pytest.mark.both_databases
async def test_answers_at_once_have_one_outcome(matches: Matches, proposals: Proposals, clock: Clock) -> None:
    for number in range(fewer(6, 3)):
        clock.now += IN_VAIN_LIMIT.span
        match = await start(matches, place=Place(1, 100 + number))
        offered = await proposals.propose(match.id, ALICE.id, DRAW)
        counted = await outcomes(
            proposals.withdraw(offered.id, ALICE.id),
            proposals.accept(offered.id, BOB.id),
            proposals.decline(offered.id, BOB.id),
        )
        assert counted == {"Proposal": 1, "ProposalClosedError": 2}
        state = (await proposals.get(offered.id)).state
        assert ((await matches.match(match.id)).result is None) is (state is not ProposalState.ACCEPTED)


# Threads and times


async def test_servers_that_want_threads_get_matches_that_wait_for_one(
    matches: Matches, proposals: Proposals, storage: Storage
) -> None:
    async with storage.transaction() as tx:
        await tx.settings.change_server_settings(1, {"play_in": PlayIn.THREAD})
    assert (await start(matches)).waiting
    outside = await start(matches, place=Place(None, 50))
    assert (await stored_delivery(storage, outside.id)).channel_id == 50
    await proposals.propose(outside.id, ALICE.id, MOVE, place=ELSEWHERE)
    await proposals.propose(outside.id, BOB.id, MOVE, place=ELSEWHERE)
    assert (await matches.match(outside.id)).waiting


async def test_times_are_those_of_the_clock(matches: Matches, proposals: Proposals, clock: Clock) -> None:
    began = clock.now
    match = await start(matches)
    assert (match.started_at, match.moved_at, match.ended_at) == (began, began, None)
    clock.now += timedelta(hours=1)
    await play_turn(matches, match.id, ALICE.id, "e5")
    clock.now += timedelta(hours=1)
    await take_back(proposals, match, ALICE)
    assert (await matches.match(match.id)).moved_at == clock.now
    clock.now += timedelta(hours=1)
    await matches.resign(match.id, ALICE.id)
    ended = await matches.match(match.id)
    assert (ended.started_at, ended.ended_at) == (began, datetime(2026, 1, 1, 3, tzinfo=UTC))

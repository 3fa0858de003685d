"""Ladders: who gets whose place, and what does not keep it."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from bot.domain.challenges import BlockedError, ChallengeClosedError, ChallengeState
from bot.domain.clocks import DAY
from bot.domain.competitions.ladders import (
    AGAIN,
    ANSWER,
    AWAY,
    BETWEEN_PAUSES,
    LONGEST_MATCH,
    LONGEST_PAUSE,
    UNPAUSED,
    AlreadyOnLadderError,
    ChallengedLatelyError,
    Ladder,
    LadderBusyError,
    Loss,
    NoPauseYetError,
    NotOnLadderError,
    OutOfReachError,
    PausingError,
)
from bot.domain.matches import Ending, ProposalKind
from bot.domain.places import Viewer
from bot.domain.proposals import LadderMatchError
from bot.domain.ratings import OVERALL
from bot.domain.timers import TimerKind
from bot.storage import Storage
from tests.support.ladder import HEDU, PEOPLE, LadderHouse
from tests.support.services import PLACE, Clock, outcomes, play_turn

SECOND = timedelta(seconds=1)


@pytest.fixture
def house(storage: Storage, clock: Clock) -> LadderHouse:
    return LadderHouse(storage, clock)


async def told(house: LadderHouse, ladder_id: int) -> list[tuple[int, int, Loss]]:
    """Who hears of the loss of a place, and why; nobody hears it twice."""
    lost = (await house.deliveries.ladder_view(ladder_id)).lost
    for each in lost:
        await house.ladders.note_told(each.id)
    return [(each.player.id - PEOPLE[0].id, each.number, each.loss) for each in lost]


@pytest.mark.both_databases
async def test_everybody_joins_at_the_foot_even_all_at_once(house: LadderHouse) -> None:
    joined = [house.ladders.open(PLACE, HEDU, player) for player in (*PEOPLE[:8], PEOPLE[0])]
    found = await asyncio.gather(*joined, return_exceptions=True)
    assert sum(isinstance(each, AlreadyOnLadderError) for each in found) == 1
    (ladder_id,) = {each.id for each in found if isinstance(each, Ladder)}
    await house.ladders.join(ladder_id, PEOPLE[8])
    assert sorted(await house.order(ladder_id)) == list(range(9))
    assert (await house.order(ladder_id))[-1] == 8
    with pytest.raises(AlreadyOnLadderError):
        await house.ladders.join(ladder_id, PEOPLE[8])
    for channels, places in (({PLACE.channel_id}, {HEDU: (9, 9)}), (set(), {})):
        assert await house.ladders.rungs_of(PEOPLE[8].id, Viewer(PEOPLE[4].id, PLACE, channels=channels)) == places


async def test_only_a_challenger_who_wins_takes_the_place(house: LadderHouse) -> None:
    ladder = await house.open(5)
    await house.beat(ladder.id, 4, 1)
    assert await house.order(ladder.id) == [0, 4, 1, 2, 3]
    await house.beat(ladder.id, 3, 1, loses=True)
    await house.end(await house.begin(ladder.id, 2, 4), None, Ending.AGREEMENT)
    assert await house.order(ladder.id) == [0, 4, 1, 2, 3]
    assert await told(house, ladder.id) == []  # the last cards of the matches say it
    profile = await house.matches.ratings.profile(PEOPLE[4], Viewer(PEOPLE[4].id, PLACE), None, PLACE.guild_id)
    assert OVERALL in profile.ratings


async def test_whoever_declines_or_is_silent_for_three_days_loses_the_place(house: LadderHouse) -> None:
    ladder = await house.open(4)
    await house.challenges.decline(await house.challenge(ladder.id, 3, 0), PEOPLE[0].id)
    assert await house.order(ladder.id) == [3, 0, 1, 2]
    assert await told(house, ladder.id) == []
    challenge_id = await house.challenge(ladder.id, 2, 3)
    await house.wait(ANSWER - SECOND)
    assert await house.order(ladder.id) == [3, 0, 1, 2]
    await house.wait(SECOND)
    assert await house.order(ladder.id) == [2, 3, 0, 1]
    assert (await house.challenges.get(challenge_id)).state is ChallengeState.EXPIRED
    with pytest.raises(ChallengeClosedError):
        await house.challenges.accept(challenge_id, PEOPLE[3])
    assert await told(house, ladder.id) == [(3, 1, Loss.SILENCE)]
    assert await told(house, ladder.id) == []


async def test_a_challenge_that_could_not_be_posted_costs_no_place(house: LadderHouse) -> None:
    ladder = await house.open(2)
    await house.challenge(ladder.id, 1, 0, posted=False)
    await house.wait(ANSWER)
    assert await house.order(ladder.id) == [0, 1]
    assert await told(house, ladder.id) == []
    await house.challenge(ladder.id, 1, 0)  # at once


async def test_a_loss_is_told_even_if_the_bot_dies_when_it_is_stored(house: LadderHouse) -> None:
    ladder = await house.open(3)
    await house.wait(AWAY - SECOND)
    await house.challenge(ladder.id, 1, 0)  # which sets a later date
    await house.wait(timedelta(0))
    house.clock.now += SECOND
    await house.ladders.advance(ladder.id)
    async with house.storage.read() as tx:
        assert await tx.timers.is_due(TimerKind.LADDER, ladder.id, house.clock.now)
    assert len((await house.deliveries.ladder_view(ladder.id)).lost) == 1


async def test_three_places_above_are_in_reach_without_those_who_pause(house: LadderHouse) -> None:
    ladder = await house.open(7)
    with pytest.raises(OutOfReachError):
        await house.challenge(ladder.id, 6, 2)
    for downwards in (5, 6):
        with pytest.raises(OutOfReachError):
            await house.challenge(ladder.id, 5, downwards)
    await house.wait(UNPAUSED)
    await house.ladders.pause(ladder.id, PEOPLE[4].id)
    with pytest.raises(OutOfReachError):
        await house.challenge(ladder.id, 6, 4)
    with pytest.raises(NotOnLadderError):
        await house.challenge(ladder.id, 6, 9)
    options = await house.ladders.options(await house.ladders.get(ladder.id), PEOPLE[6].id)
    assert [each.player for each in options.rungs] == [PEOPLE[5], PEOPLE[3], PEOPLE[2]]
    await house.beat(ladder.id, 6, 2)
    assert await house.order(ladder.id) == [0, 1, 6, 2, 3, 4, 5]


async def test_nobody_has_two_challenges_or_matches_at_a_time(house: LadderHouse) -> None:
    ladder = await house.open(6)
    tried = [house.challenge(ladder.id, challenger, 2) for challenger in (3, 4, 5)]
    assert await outcomes(*tried) == {"int": 1, "LadderBusyError": 2}
    (contest,) = (await house.ladders.get(ladder.id)).contests
    (free, _) = {3, 4, 5} - {contest.challenger_id - PEOPLE[0].id}
    for challenger, opponent in ((2, 1), (free, 2)):
        with pytest.raises(LadderBusyError):
            await house.challenge(ladder.id, challenger, opponent)
    async with house.storage.read() as tx:
        ((challenge_id, _),) = await tx.privacy.open_challenges(PEOPLE[2].id)
    match = await house.challenges.accept(challenge_id, PEOPLE[2])
    with pytest.raises(LadderBusyError):
        await house.challenge(ladder.id, 2, 1)
    for leaving in (house.ladders.leave, house.ladders.pause):
        with pytest.raises(LadderBusyError):
            await leaving(ladder.id, PEOPLE[2].id)
    await house.end(match, 2)
    await house.challenge(ladder.id, 2, 1)


async def test_a_flag_that_falls_gives_the_place_away_without_a_claim(house: LadderHouse) -> None:
    ladder = await house.open(2)
    match = await house.begin(ladder.id, 1, 0)
    while (await house.matches.game(match.id)).to_act != PEOPLE[0]:
        game = await house.matches.game(match.id)
        assert game.to_act is not None
        await play_turn(house.matches, match.id, game.to_act.id, game.position.legal_turns[0])
    await house.wait(AWAY - DAY)
    ended = await house.matches.match(match.id)
    assert ended.result is not None
    assert (ended.result.ending, ended.result.winner_id) == (Ending.TIME, PEOPLE[1].id)
    assert await house.order(ladder.id) == [1, 0]
    await house.wait(2 * DAY)  # the loser was last seen at the challenge
    assert await house.order(ladder.id) == [1]
    assert await told(house, ladder.id) == [(0, 2, Loss.AWAY)]


async def test_a_challenger_withdraws_but_not_over_and_over(house: LadderHouse) -> None:
    ladder = await house.open(4)
    begun = house.clock.now
    await house.challenges.withdraw(await house.challenge(ladder.id, 3, 1), PEOPLE[3].id)
    assert await house.order(ladder.id) == [0, 1, 2, 3]
    await house.ladders.leave(ladder.id, PEOPLE[3].id)
    await house.ladders.join(ladder.id, PEOPLE[3])  # which makes it no better
    for opponent in (0, 1, 2):
        with pytest.raises(ChallengedLatelyError):
            await house.challenge(ladder.id, 3, opponent)
    await house.challenges.decline(await house.challenge(ladder.id, 2, 1), PEOPLE[1].id)  # others may
    await house.wait(begun + ANSWER - house.clock.now)
    with pytest.raises(ChallengedLatelyError):
        await house.challenge(ladder.id, 3, 1)
    await house.beat(ladder.id, 3, 2, loses=True)
    await house.wait(begun + AGAIN - house.clock.now)
    await house.beat(ladder.id, 3, 1)
    assert await house.order(ladder.id) == [0, 2, 3, 1]


@pytest.mark.parametrize("winner", [0, None])
async def test_the_same_two_meet_again_only_after_a_week(house: LadderHouse, winner: int | None) -> None:
    ladder = await house.open(3)
    await house.end(await house.begin(ladder.id, 2, 0), winner)
    await house.beat(ladder.id, 2, 1, loses=True)
    options = await house.ladders.options(await house.ladders.get(ladder.id), PEOPLE[2].id)
    assert options.rungs == ()
    assert isinstance(options.refusal, ChallengedLatelyError)
    await house.ladders.leave(ladder.id, PEOPLE[2].id)
    await house.ladders.join(ladder.id, PEOPLE[2])
    await house.wait(AGAIN - SECOND)
    with pytest.raises(ChallengedLatelyError):
        await house.challenge(ladder.id, 2, 0)
    await house.wait(SECOND)
    await house.beat(ladder.id, 2, 0)
    await house.challenge(ladder.id, 0, 2)  # the one who has lost a place may answer at once


async def test_no_end_by_consent_or_by_a_moderator_keeps_a_place_for_long(house: LadderHouse) -> None:
    ladder = await house.open(2)
    match = await house.begin(ladder.id, 1, 0)
    for player in match.players:
        with pytest.raises(LadderMatchError):
            await house.proposals.propose(match.id, player.id, ProposalKind.ABANDON)
    await house.matches.force_abandon(match.id, PEOPLE[9])
    match = await house.begin(ladder.id, 1, 0)  # at once
    await house.matches.resign(match.id, PEOPLE[0].id)
    await house.matches.void(match.id, PEOPLE[9])
    assert await house.order(ladder.id) == [1, 0]
    await house.challenge(ladder.id, 0, 1)


async def test_a_rematch_is_no_ladder_match(house: LadderHouse) -> None:
    ladder = await house.open(2)
    match = await house.begin(ladder.id, 1, 0)
    await house.matches.resign(match.id, PEOPLE[1].id)
    for player in match.players:
        await house.proposals.propose(match.id, player.id, ProposalKind.REMATCH)
    again = (await house.matches.match(match.id)).rematch_id
    assert again is not None
    await house.matches.resign(again, PEOPLE[0].id)
    assert await house.order(ladder.id) == [0, 1]


async def test_a_pause_is_said_and_ends(house: LadderHouse) -> None:
    ladder = await house.open(3)
    with pytest.raises(NoPauseYetError):
        await house.ladders.pause(ladder.id, PEOPLE[0].id)
    await house.wait(UNPAUSED)
    challenge_id = await house.challenge(ladder.id, 2, 0)
    for number in (0, 2):
        with pytest.raises(LadderBusyError):  # nobody dodges
            await house.ladders.pause(ladder.id, PEOPLE[number].id)
    await house.challenges.decline(challenge_id, PEOPLE[0].id)
    with pytest.raises(NoPauseYetError):  # nobody takes a place and hides
        await house.ladders.pause(ladder.id, PEOPLE[2].id)
    since = house.clock.now
    paused = (await house.ladders.pause(ladder.id, PEOPLE[0].id)).rung(PEOPLE[0].id)
    assert paused is not None
    assert (paused.paused_at, paused.paused_until) == (since, since + LONGEST_PAUSE)
    with pytest.raises(PausingError):
        await house.challenge(ladder.id, 0, 2)
    await house.wait(LONGEST_PAUSE - DAY)
    await house.ladders.come_back(ladder.id, PEOPLE[0].id)
    await house.wait(BETWEEN_PAUSES - DAY)
    with pytest.raises(NoPauseYetError):
        await house.ladders.pause(ladder.id, PEOPLE[0].id)
    assert await house.order(ladder.id) == [0]  # the others were away
    assert await told(house, ladder.id) == [(1, 3, Loss.AWAY), (2, 1, Loss.AWAY)]


async def test_a_pause_of_more_than_thirty_days_costs_the_place(house: LadderHouse) -> None:
    ladder = await house.open(2)
    await house.wait(UNPAUSED)
    await house.ladders.pause(ladder.id, PEOPLE[0].id)
    await house.wait(AWAY - UNPAUSED)
    assert await house.order(ladder.id) == [0]
    await house.wait(UNPAUSED)
    assert await house.order(ladder.id) == []
    assert await told(house, ladder.id) == [(1, 2, Loss.AWAY), (0, 1, Loss.PAUSE)]
    await house.ladders.join(ladder.id, PEOPLE[0])


async def test_thirty_days_without_a_sign_of_life_are_too_many(house: LadderHouse) -> None:
    ladder = await house.open(4)
    await house.wait(AWAY - DAY)
    match = await house.begin(ladder.id, 3, 2)
    challenge_id = await house.challenge(ladder.id, 1, 0)
    await house.wait(2 * DAY)
    assert await house.order(ladder.id) == [0, 1, 2, 3]  # an answer is due anyway
    await house.challenges.withdraw(challenge_id, PEOPLE[1].id)
    await house.wait(timedelta(0))
    assert await house.order(ladder.id) == [1, 2, 3]
    for _ in range(20):
        game = await house.matches.game(match.id)
        if game.to_act is None:
            break
        await play_turn(house.matches, match.id, game.to_act.id, game.position.legal_turns[0])
        await house.wait(2 * DAY)
    assert (await house.matches.match(match.id)).result is None
    assert await house.order(ladder.id) == [2, 3]


async def test_a_match_without_end_holds_nobody_for_ever(house: LadderHouse) -> None:
    ladder = await house.open(3)
    challenge_id = await house.challenge(ladder.id, 2, 1)
    match = await house.challenges.accept(challenge_id, PEOPLE[1])
    await house.deliveries.release_channel(match.id, PLACE.channel_id)  # nobody can play, and the clock stands still
    await house.wait(LONGEST_MATCH - SECOND)
    assert sorted(await house.order(ladder.id)) == [1, 2]
    await house.wait(DAY)
    assert await house.order(ladder.id) == []
    await house.ladders.join(ladder.id, PEOPLE[1])
    await house.ladders.join(ladder.id, PEOPLE[2])
    await house.matches.resign(match.id, PEOPLE[1].id)
    assert await house.order(ladder.id) == [1, 2]


async def test_a_block_neither_keeps_nor_takes_a_place(house: LadderHouse) -> None:
    ladder = await house.open(4)
    await house.privacy.set_blocked(PEOPLE[0], [PEOPLE[3].id])
    await house.privacy.set_blocked(PEOPLE[2], [PEOPLE[1].id])
    with pytest.raises(BlockedError):
        await house.challenge(ladder.id, 2, 1)
    assert await house.challenges.challenge_on_ladder(ladder.id, PEOPLE[3], PEOPLE[0].id) is None
    assert await house.order(ladder.id) == [3, 0, 1, 2]
    assert await told(house, ladder.id) == [(0, 1, Loss.BLOCK)]
    assert (await house.ladders.get(ladder.id)).contests == ()
    # A challenger who blocks afterwards does not take the answer away.
    challenge_id = await house.challenge(ladder.id, 2, 0)
    await house.privacy.set_blocked(PEOPLE[2], [PEOPLE[0].id])
    match = await house.challenges.accept(challenge_id, PEOPLE[0])
    await house.matches.resign(match.id, PEOPLE[2].id)
    assert await house.order(ladder.id) == [3, 0, 1, 2]


async def test_deleted_players_leave_in_the_middle_of_anything(house: LadderHouse) -> None:
    ladder = await house.open(8)
    await house.challenge(ladder.id, 2, 0)
    await house.privacy.delete(PEOPLE[0].id)  # challenged
    assert await house.order(ladder.id) == [2, 1, 3, 4, 5, 6, 7]
    await house.challenge(ladder.id, 3, 2)
    await house.privacy.delete(PEOPLE[3].id)  # a challenger
    assert await house.order(ladder.id) == [2, 1, 4, 5, 6, 7]
    await house.begin(ladder.id, 5, 1)
    await house.begin(ladder.id, 7, 4)
    await house.privacy.delete(PEOPLE[1].id)  # in a match about their place
    await house.privacy.delete(PEOPLE[7].id)  # in a match about somebody else's
    await house.privacy.delete(PEOPLE[6].id)
    assert await house.order(ladder.id) == [2, 5, 4]
    assert (await house.ladders.get(ladder.id)).contests == ()


@pytest.mark.both_databases
async def test_simultaneous_changes_give_nobody_a_place_twice(house: LadderHouse) -> None:
    ladder = await house.open(12)
    matches = {low: await house.begin(ladder.id, low, low - 2) for low in (2, 3, 6, 7, 10, 11)}
    changes = [house.matches.resign(match.id, PEOPLE[low - 2].id) for low, match in matches.items()]
    moving = (house.ladders.join(ladder.id, PEOPLE[20]), house.ladders.leave(ladder.id, PEOPLE[99].id))
    found = await outcomes(*changes, *moving, house.privacy.delete(PEOPLE[5].id))
    assert found == {"Game": 6, "Ladder": 1, "NotOnLadderError": 1, "NoneType": 1}, found
    order = await house.order(ladder.id)
    assert sorted(order) == [each for each in (*range(12), 20) if each != 5]
    for winner, loser in ((2, 0), (3, 1), (6, 4), (10, 8), (11, 9)):
        assert order.index(winner) < order.index(loser)

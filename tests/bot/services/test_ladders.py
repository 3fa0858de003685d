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
from bot.domain.deliveries import CardKey
from bot.domain.matches import Ending, ProposalKind, Result
from bot.domain.places import Viewer
from bot.domain.proposals import LadderMatchError
from bot.domain.ratings import OVERALL
from bot.domain.timers import TimerKind
from tests.support.services.house import House
from tests.support.services.ladders import HEDU, Rungs, open_ladder
from tests.support.services.matches import CROWD, PLACE, outcomes, refused

SECOND = timedelta(seconds=1)


@pytest.mark.both_databases
async def test_everybody_joins_at_the_foot_even_all_at_once(house: House) -> None:
    joined = [house.ladders.open(PLACE, HEDU, player) for player in (*CROWD[:8], CROWD[0])]
    found = await asyncio.gather(*joined, return_exceptions=True)
    assert sum(isinstance(result, AlreadyOnLadderError) for result in found) == 1
    (ladder_id,) = {result.id for result in found if isinstance(result, Ladder)}
    ladder = Rungs(house, ladder_id)
    await ladder.join(8)
    order = await ladder.order()
    assert (sorted(order), order[-1]) == (list(range(9)), 8)
    await refused(AlreadyOnLadderError, ladder.join(8))
    for channels, places in (({PLACE.channel_id}, {HEDU: (9, 9)}), (set(), {})):
        assert await house.ladders.rungs_of(CROWD[8].id, Viewer(CROWD[4].id, PLACE, channels=channels)) == places


async def test_only_a_challenger_who_wins_takes_the_place(house: House) -> None:
    ladder = await open_ladder(house, 5)
    await ladder.beat(4, 1)
    assert await ladder.order() == [0, 4, 1, 2, 3]
    await ladder.beat(3, 1, loses=True)
    await house.end(await ladder.begin(2, 4), Result(None, Ending.AGREEMENT))
    assert await ladder.order() == [0, 4, 1, 2, 3]
    assert await ladder.losses() == []  # the last cards of the matches say it
    profile = await house.ratings.profile(CROWD[4], Viewer(CROWD[4].id, PLACE), None, PLACE.guild_id)
    assert OVERALL in profile.ratings


async def test_a_player_who_declines_or_is_silent_for_three_days_loses_the_place(house: House) -> None:
    ladder = await open_ladder(house, 4)
    await ladder.decline(3, 0)
    assert await ladder.order() == [3, 0, 1, 2]
    assert await ladder.losses() == []
    challenge_id = await ladder.challenge(2, 3)
    await house.wait(ANSWER - SECOND)
    assert await ladder.order() == [3, 0, 1, 2]
    await house.wait(SECOND)
    assert await ladder.order() == [2, 3, 0, 1]
    assert (await house.challenges.get(challenge_id)).state is ChallengeState.EXPIRED
    await refused(ChallengeClosedError, house.challenges.accept(challenge_id, CROWD[3]))
    assert await ladder.losses() == [(3, 1, Loss.SILENCE)]
    assert await ladder.losses() == []


async def test_a_challenge_that_could_not_be_posted_costs_no_place(house: House) -> None:
    ladder = await open_ladder(house, 2)
    await ladder.challenge(1, 0, posted=False)
    await house.wait(ANSWER)
    assert await ladder.order() == [0, 1]
    assert await ladder.losses() == []
    await ladder.challenge(1, 0)  # at once


async def test_players_hear_of_a_loss_even_if_the_bot_dies_when_it_is_stored(house: House) -> None:
    ladder = await open_ladder(house, 3)
    await house.wait(AWAY - SECOND)
    await ladder.challenge(1, 0)  # which sets a later date
    await house.wait()
    house.now += SECOND
    await house.ladders.advance(ladder.id)
    assert (TimerKind.LADDER, ladder.id) in await house.due()
    assert len(await ladder.losses()) == 1


async def test_three_places_above_are_in_reach_without_players_who_pause(house: House) -> None:
    ladder = await open_ladder(house, 7)
    for challenger, opponent in ((6, 2), (5, 5), (5, 6)):
        await refused(OutOfReachError, ladder.challenge(challenger, opponent))
    await house.wait(UNPAUSED)
    await ladder.pause(4)
    await refused(OutOfReachError, ladder.challenge(6, 4))
    await refused(NotOnLadderError, ladder.challenge(6, 9))
    assert [rung.player for rung in (await ladder.options(6)).rungs] == [CROWD[5], CROWD[3], CROWD[2]]
    await ladder.beat(6, 2)
    assert await ladder.order() == [0, 1, 6, 2, 3, 4, 5]


async def test_nobody_has_two_challenges_or_matches_at_a_time(house: House) -> None:
    ladder = await open_ladder(house, 6)
    assert await outcomes(*(ladder.challenge(challenger, 2) for challenger in (3, 4, 5))) == {
        "int": 1,
        "LadderBusyError": 2,
    }
    (contest,) = (await ladder.get()).contests
    (free, _) = {3, 4, 5} - {contest.challenger_id - CROWD[0].id}
    for challenger, opponent in ((2, 1), (free, 2)):
        await refused(LadderBusyError, ladder.challenge(challenger, opponent))
    async with house.storage.read() as tx:
        ((challenge_id, _),) = await tx.privacy.open_challenges(CROWD[2].id)
    match = await house.challenges.accept(challenge_id, CROWD[2])
    await refused(LadderBusyError, ladder.challenge(2, 1), ladder.leave(2), ladder.pause(2))
    await house.end(match, Result(CROWD[2].id, Ending.RULES))
    await ladder.challenge(2, 1)


async def test_a_flag_that_falls_gives_the_place_away_without_a_claim(house: House) -> None:
    ladder = await open_ladder(house, 2)
    match = await ladder.begin(1, 0)
    while (game := await house.game(match)).to_act != CROWD[0]:
        await house.play_on(match, game.position.legal_turns[0])
    await house.wait(AWAY - DAY)
    result = await house.result(match)
    assert (result.ending, result.winner_id) == (Ending.TIME, CROWD[1].id)
    assert await ladder.order() == [1, 0]
    await house.wait(2 * DAY)  # the loser was last seen at the challenge
    assert await ladder.order() == [1]
    assert await ladder.losses() == [(0, 2, Loss.AWAY)]


async def test_a_challenger_withdraws_but_not_over_and_over(house: House) -> None:
    ladder = await open_ladder(house, 4)
    begun = house.now
    await house.challenges.withdraw(await ladder.challenge(3, 1), CROWD[3].id)
    assert await ladder.order() == [0, 1, 2, 3]
    await ladder.leave(3)
    await ladder.join(3)  # which makes it no better
    for opponent in (0, 1, 2):
        await refused(ChallengedLatelyError, ladder.challenge(3, opponent))
    await ladder.decline(2, 1)  # others may
    await house.wait(begun + ANSWER - house.now)
    await refused(ChallengedLatelyError, ladder.challenge(3, 1))
    await ladder.beat(3, 2, loses=True)
    await house.wait(begun + AGAIN - house.now)
    await ladder.beat(3, 1)
    assert await ladder.order() == [0, 2, 3, 1]


@pytest.mark.parametrize("winner", [0, None])
async def test_the_same_two_meet_again_only_after_a_week(house: House, winner: int | None) -> None:
    ladder = await open_ladder(house, 3)
    result = Result(None if winner is None else CROWD[winner].id, Ending.RULES)
    await house.end(await ladder.begin(2, 0), result)
    await ladder.beat(2, 1, loses=True)
    options = await ladder.options(2)
    assert options.rungs == ()
    assert isinstance(options.refusal, ChallengedLatelyError)
    await ladder.leave(2)
    await ladder.join(2)
    await house.wait(AGAIN - SECOND)
    await refused(ChallengedLatelyError, ladder.challenge(2, 0))
    await house.wait(SECOND)
    await ladder.beat(2, 0)
    await ladder.challenge(0, 2)  # a player who has lost a place may answer at once


async def test_no_end_by_consent_or_by_a_moderator_keeps_a_place_for_long(house: House) -> None:
    ladder = await open_ladder(house, 2)
    match = await ladder.begin(1, 0)
    for player in match.players:
        await refused(LadderMatchError, house.propose(match, player, ProposalKind.ABANDON))
    await house.matches.force_abandon(match.id, CROWD[9])
    match = await ladder.begin(1, 0)  # at once
    await house.resign(match, CROWD[0])
    await house.matches.void(match.id, CROWD[9])
    assert await ladder.order() == [1, 0]
    await ladder.challenge(0, 1)


async def test_a_rematch_is_no_ladder_match(house: House) -> None:
    ladder = await open_ladder(house, 2)
    match = await ladder.begin(1, 0)
    await house.resign(match, CROWD[1])
    await house.resign(await house.rematch(match), CROWD[0])
    assert await ladder.order() == [0, 1]


# Pauses and absences


async def test_a_pause_is_shown_and_ends(house: House) -> None:
    ladder = await open_ladder(house, 3)
    await refused(NoPauseYetError, ladder.pause(0))
    await house.wait(UNPAUSED)
    challenge_id = await ladder.challenge(2, 0)
    for player in (0, 2):
        with pytest.raises(LadderBusyError):  # nobody dodges
            await ladder.pause(player)
    await house.challenges.decline(challenge_id, CROWD[0].id)
    with pytest.raises(NoPauseYetError):  # nobody takes a place and hides
        await ladder.pause(2)
    since = house.now
    paused = (await ladder.pause(0)).rung(CROWD[0].id)
    assert paused is not None
    assert (paused.paused_at, paused.paused_until) == (since, since + LONGEST_PAUSE)
    await refused(PausingError, ladder.challenge(0, 2))
    await house.wait(LONGEST_PAUSE - DAY)
    await ladder.come_back(0)
    await house.wait(BETWEEN_PAUSES - DAY)
    await refused(NoPauseYetError, ladder.pause(0))
    assert await ladder.order() == [0]  # the others were away
    assert await ladder.losses() == [(1, 3, Loss.AWAY), (2, 1, Loss.AWAY)]


async def test_a_pause_of_more_than_thirty_days_costs_the_place(house: House) -> None:
    ladder = await open_ladder(house, 2)
    await house.wait(UNPAUSED)
    await ladder.pause(0)
    await house.wait(AWAY - UNPAUSED)
    assert await ladder.order() == [0]
    await house.wait(UNPAUSED)
    assert await ladder.order() == []
    assert await ladder.losses() == [(1, 2, Loss.AWAY), (0, 1, Loss.PAUSE)]
    await ladder.join(0)


async def test_thirty_days_without_a_sign_of_life_are_too_many(house: House) -> None:
    ladder = await open_ladder(house, 4)
    await house.wait(AWAY - DAY)
    match = await ladder.begin(3, 2)
    challenge_id = await ladder.challenge(1, 0)
    await house.wait(2 * DAY)
    assert await ladder.order() == [0, 1, 2, 3]  # an answer is due anyway
    await house.challenges.withdraw(challenge_id, CROWD[1].id)
    await house.wait()
    assert await ladder.order() == [1, 2, 3]
    for _ in range(20):
        await house.play_on(match, (await house.game(match)).position.legal_turns[0])
        await house.wait(2 * DAY)
    assert (await house.match(match)).result is None
    assert await ladder.order() == [2, 3]


async def test_a_match_without_end_holds_nobody_for_ever(house: House) -> None:
    ladder = await open_ladder(house, 3)
    match = await house.challenges.accept(await ladder.challenge(2, 1), CROWD[1])
    await house.deliveries.release_channel(
        CardKey(match.id), PLACE.channel_id
    )  # nobody can play, and the clock stands still
    await house.wait(LONGEST_MATCH - SECOND)
    assert sorted(await ladder.order()) == [1, 2]
    await house.wait(DAY)
    assert await ladder.order() == []
    for player in (1, 2):
        await ladder.join(player)
    await house.resign(match, CROWD[1])
    assert await ladder.order() == [1, 2]


# Blocks, deletions, and many at once


async def test_a_block_neither_keeps_nor_takes_a_place(house: House) -> None:
    ladder = await open_ladder(house, 4)
    await house.privacy.set_blocked(CROWD[0], [CROWD[3].id])
    await house.privacy.set_blocked(CROWD[2], [CROWD[1].id])
    await refused(BlockedError, ladder.challenge(2, 1))
    assert await house.challenges.challenge_on_ladder(ladder.id, CROWD[3], CROWD[0].id) is None
    assert await ladder.order() == [3, 0, 1, 2]
    assert await ladder.losses() == [(0, 1, Loss.BLOCK)]
    assert (await ladder.get()).contests == ()
    # A challenger who blocks afterwards does not take the answer away.
    challenge_id = await ladder.challenge(2, 0)
    await house.privacy.set_blocked(CROWD[2], [CROWD[0].id])
    await house.resign(await house.challenges.accept(challenge_id, CROWD[0]), CROWD[2])
    assert await ladder.order() == [3, 0, 1, 2]


async def test_deleted_players_leave_in_the_middle_of_anything(house: House) -> None:
    async def delete(player: int) -> list[int]:
        await house.privacy.delete(CROWD[player].id)
        return await ladder.order()

    ladder = await open_ladder(house, 8)
    await ladder.challenge(2, 0)
    assert await delete(0) == [2, 1, 3, 4, 5, 6, 7], "the challenged player"
    await ladder.challenge(3, 2)
    assert await delete(3) == [2, 1, 4, 5, 6, 7], "a challenger"
    await ladder.begin(5, 1)
    await ladder.begin(7, 4)
    assert await delete(1) == [2, 5, 4, 6, 7], "in a match about their place"
    assert await delete(7) == [2, 5, 4, 6], "in a match about another player's place"
    assert await delete(6) == [2, 5, 4]
    assert (await ladder.get()).contests == ()


@pytest.mark.both_databases
async def test_simultaneous_changes_give_nobody_a_place_twice(house: House) -> None:
    ladder = await open_ladder(house, 12)
    matches = {low: await ladder.begin(low, low - 2) for low in (2, 3, 6, 7, 10, 11)}
    changes = [house.resign(match, CROWD[low - 2]) for low, match in matches.items()]
    found = await outcomes(*changes, ladder.join(20), ladder.leave(99), house.privacy.delete(CROWD[5].id))
    assert found == {"Game": 6, "NoneType": 2, "NotOnLadderError": 1}, found
    order = await ladder.order()
    assert sorted(order) == [player for player in (*range(12), 20) if player != 5]
    for winner, loser in ((2, 0), (3, 1), (6, 4), (10, 8), (11, 9)):
        assert order.index(winner) < order.index(loser)

"""Challenges and their outcomes, with many people at once on a real database."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from bot.domain.challenges import ChallengeClosedError, ChallengeState, First
from bot.domain.matches import ProposalKind
from bot.domain.players import Player
from rules import GAMES, ruleset
from tests.support.services.house import House
from tests.support.services.matches import ALICE, BOB, CAROL, CROWD, outcomes
from tests.support.services.stored import stored_match


@pytest.mark.both_databases
async def test_a_challenge_accepted_by_many_at_once_becomes_one_match(house: House) -> None:
    challenge = await house.challenge(opponent=None)
    counted = await outcomes(*(house.challenges.accept(challenge.id, guest) for guest in CROWD[:10]))
    assert counted == {"Match": 1, "ChallengeClosedError": 9}
    assert await stored_match(house.storage, 2) is None


@pytest.mark.both_databases
async def test_challenges_made_at_once_by_the_same_two_become_one(house: House) -> None:
    counted = await outcomes(*(house.challenge(*pair) for pair in [(ALICE, BOB), (BOB, ALICE)] * 5))
    assert counted == {"Challenge": 1, "DuplicateChallengeError": 9}


@pytest.mark.both_databases
async def test_one_of_several_matches_accepted_at_once_gets_the_channel(house: House) -> None:
    async def accept(guest: Player, challenge_id: int) -> int | None:
        return (await house.delivery(await house.challenges.accept(challenge_id, guest))).channel_id

    made = [(guest, (await house.challenge(opponent=guest)).id) for guest in CROWD[:6]]
    channels = await asyncio.gather(*(accept(*challenge) for challenge in made))
    assert sorted(map(str, channels)) == ["10"] + ["None"] * 5


@pytest.mark.both_databases
async def test_answering_and_expiring_at_once_have_one_outcome(house: House) -> None:
    challenge = await house.challenge()
    house.now += timedelta(days=1) - timedelta(seconds=1)
    decline = house.challenges.decline(challenge.id, BOB.id)
    house.now += timedelta(seconds=2)
    await outcomes(house.challenges.expire(challenge.id), decline, house.challenges.expire(challenge.id))
    assert (await house.challenges.get(challenge.id)).state in (ChallengeState.EXPIRED, ChallengeState.DECLINED)
    assert not await house.challenges.expire(challenge.id)


@pytest.mark.both_databases
async def test_accepting_and_withdrawing_at_once_have_one_outcome(house: House) -> None:
    number = (await house.challenge()).id
    counted = await outcomes(house.challenges.accept(number, BOB), house.challenges.withdraw(number, ALICE.id))
    assert counted["ChallengeClosedError"] == 1
    accepted = (await house.challenges.get(number)).state is ChallengeState.ACCEPTED
    assert (await stored_match(house.storage, 1) is not None) is accepted


async def test_a_challenge_past_its_time_is_expired_before_the_timer_is_due(house: House) -> None:
    challenge = await house.challenge()
    house.now += timedelta(days=1)
    with pytest.raises(ChallengeClosedError, match="has expired"):
        await house.challenges.accept(challenge.id, BOB)


async def test_chance_decides_who_opens_when_asked_to(house: House) -> None:
    openers = {(await house.accepted(place=house.room(), first=First.RANDOM)).first for _ in range(20)}
    assert openers == {ALICE, BOB}


@pytest.mark.both_databases
async def test_running_and_finished_matches_of_a_game_count_but_not_abandoned_ones(house: House) -> None:
    async def small(player: Player = ALICE) -> bool:
        terms, rated = await house.challenges.suggested_terms(player.id, GAMES["dalen"])
        assert rated == (terms.size == GAMES["dalen"].default_size)
        return terms.size == GAMES["dalen"].sizes[0]

    await house.beat(ALICE, BOB)
    await house.start(ALICE, CAROL, house.room(), ruleset=ruleset("hedu"))
    await house.agree(await house.start(ALICE, CAROL, house.room()), ProposalKind.ABANDON)
    assert await small()
    await house.start(CAROL, ALICE, house.room())
    assert not await small()
    assert await small(BOB)

"""Challenges and what becomes of them, with many hands at once on a real database."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from bot.domain.challenges import ChallengeClosedError, ChallengeState, First
from bot.domain.places import Place
from bot.domain.players import Player
from bot.services.challenges import Challenges
from bot.services.matches import Matches
from bot.storage import Storage
from tests.support.services import ALICE, BOB, DALEN, PLACE, Clock, outcomes
from tests.support.stored import stored_delivery, stored_match


@pytest.mark.both_databases
async def test_a_challenge_accepted_by_many_at_once_becomes_one_match(
    matches: Matches, challenges: Challenges, storage: Storage
) -> None:
    challenge = await challenges.challenge(PLACE, ALICE, None, DALEN, First.RANDOM)
    guests = [Player(200 + number, f"Guest {number}") for number in range(10)]
    counted = await outcomes(*(challenges.accept(challenge.id, guest) for guest in guests))
    assert counted == {"Match": 1, "ChallengeClosedError": 9}
    assert await stored_match(storage, 2) is None


@pytest.mark.both_databases
async def test_challenges_made_at_once_by_the_same_two_become_one(matches: Matches, challenges: Challenges) -> None:
    pairs = [(ALICE, BOB), (BOB, ALICE)] * 5
    counted = await outcomes(*(challenges.challenge(PLACE, one, two, DALEN, First.RANDOM) for one, two in pairs))
    assert counted == {"Challenge": 1, "DuplicateChallengeError": 9}


@pytest.mark.both_databases
async def test_matches_accepted_at_once_share_a_channel_with_nobody(
    matches: Matches, challenges: Challenges, storage: Storage
) -> None:
    guests = [Player(200 + number, f"Guest {number}") for number in range(6)]
    made = [await challenges.challenge(PLACE, ALICE, guest, DALEN, First.RANDOM) for guest in guests]
    accepted = await asyncio.gather(
        *(challenges.accept(each.id, guest) for each, guest in zip(made, guests, strict=True))
    )
    deliveries = [await stored_delivery(storage, each.id) for each in accepted]
    assert sorted(str(each.channel_id) for each in deliveries) == ["10"] + ["None"] * 5


@pytest.mark.both_databases
async def test_answering_and_expiring_at_once_have_one_outcome(
    matches: Matches, challenges: Challenges, clock: Clock
) -> None:
    challenge = await challenges.challenge(PLACE, ALICE, BOB, DALEN, First.RANDOM)
    clock.now += timedelta(days=1) - timedelta(seconds=1)
    decline = challenges.decline(challenge.id, BOB.id)
    clock.now += timedelta(seconds=2)
    await outcomes(challenges.expire(challenge.id), decline, challenges.expire(challenge.id))
    assert (await challenges.get(challenge.id)).state in (ChallengeState.EXPIRED, ChallengeState.DECLINED)
    assert not await challenges.expire(challenge.id)


@pytest.mark.both_databases
async def test_accepting_and_withdrawing_at_once_have_one_outcome(challenges: Challenges, storage: Storage) -> None:
    challenge = await challenges.challenge(PLACE, ALICE, BOB, DALEN, First.RANDOM)
    counted = await outcomes(challenges.accept(challenge.id, BOB), challenges.withdraw(challenge.id, ALICE.id))
    assert counted["ChallengeClosedError"] == 1
    accepted = (await challenges.get(challenge.id)).state is ChallengeState.ACCEPTED
    assert (await stored_match(storage, 1) is not None) is accepted


async def test_a_challenge_past_its_time_is_expired_before_the_timer_is_due(
    matches: Matches, challenges: Challenges, clock: Clock
) -> None:
    challenge = await challenges.challenge(PLACE, ALICE, BOB, DALEN, First.RANDOM)
    clock.now += timedelta(days=1)
    with pytest.raises(ChallengeClosedError) as refused:
        await challenges.accept(challenge.id, BOB)
    assert "has expired" in str(refused.value)


async def test_chance_decides_who_opens_when_asked_to(matches: Matches, challenges: Challenges) -> None:
    openers = set()
    for number in range(20):
        place = Place(1, 100 + number)
        challenge = await challenges.challenge(place, ALICE, BOB, DALEN, First.RANDOM)
        openers.add((await challenges.accept(challenge.id, BOB)).first)
    assert openers == {ALICE, BOB}

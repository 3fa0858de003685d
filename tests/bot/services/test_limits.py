"""Limits on what pings others or is visible to everyone."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.domain.limits import (
    CHALLENGE_LIMIT,
    IN_VAIN_LIMIT,
    POST_LIMIT,
    PROPOSAL_LIMIT,
    TOURNAMENT_LIMIT,
    LimitedAction,
    TooManyChallengesError,
    TooManyError,
    TooManyProposalsError,
)
from bot.domain.matches import ProposalKind
from bot.domain.places import Place
from bot.domain.players import Player
from bot.domain.proposals import BlockedProposalError
from tests.support.services.house import House
from tests.support.services.matches import ALICE, BOB, CAROL, DALEN, HEDU, PLACE, outcomes, refused

DRAW, TAKE_BACK, ABANDON, MOVE, REMATCH = ProposalKind


async def test_what_the_opponent_agrees_to_is_never_too_much(house: House) -> None:
    match = await house.start(turns=("e5", "light"))
    for _ in range(PROPOSAL_LIMIT.most + 1):
        game = await house.game(match)
        game = await house.play_on(match, "d4" if game.ply == 2 else "light" if game.ply else "e5")
        assert game.last_player is not None
        await house.agree(match, TAKE_BACK, game.last_player)


async def test_proposals_to_many_opponents_are_limited(house: House) -> None:
    begun = house.now
    for number in range(PROPOSAL_LIMIT.most):
        if number % CHALLENGE_LIMIT.most == 0:
            house.now += CHALLENGE_LIMIT.span
        match = await house.start(ALICE, Player(1000 + number, "Dan"), house.room())
        await house.propose(match, ALICE, ABANDON)
    last = await house.start(BOB, ALICE, house.room())
    error = await refused(TooManyProposalsError, house.propose(last, ALICE, ABANDON))
    assert error.other is None
    assert error.again_at == begun + CHALLENGE_LIMIT.span + PROPOSAL_LIMIT.span
    await house.propose(last, BOB, ABANDON)


@pytest.mark.parametrize("kind", [DRAW, TAKE_BACK, ABANDON, MOVE])
async def test_a_blocked_player_proposes_nothing_but_may_answer(house: House, kind: ProposalKind) -> None:
    match = await house.start(turns=("e5", "white"), ruleset=HEDU)
    await house.privacy.set_blocked(BOB, [ALICE.id])
    place = Place(1, 11) if kind is MOVE else None
    await refused(BlockedProposalError, house.propose(match, ALICE, kind, place=place))
    await house.agree(match, kind, BOB, place=place)


async def test_friends_play_one_match_after_the_other(house: House) -> None:
    for _ in range(CHALLENGE_LIMIT.most):
        await house.resign(await house.accepted(), BOB)
    error = await refused(TooManyChallengesError, house.challenge())
    assert error.other is None


async def test_only_posts_that_count_are_kept(house: House) -> None:
    for _ in range(3 * POST_LIMIT.most):
        await house.privacy.count_post(ALICE)
        house.now += POST_LIMIT.span / 2
    async with house.storage.read() as tx:
        kept = await tx.limits.times(LimitedAction.POSTS, ALICE.id, house.now - 9 * POST_LIMIT.span)
    assert len(kept) == 2


@pytest.mark.both_databases
async def test_processes_count_together_and_simultaneous_actions_one_after_the_other(house: House) -> None:
    both = house, house.another()
    counted = await outcomes(*(both[number % 2].privacy.count_post(ALICE) for number in range(3 * POST_LIMIT.most)))
    assert counted == {"NoneType": POST_LIMIT.most, "TooManyPostsError": 2 * POST_LIMIT.most}
    attempts = range(CHALLENGE_LIMIT.most + 4)
    counted = await outcomes(*(both[number % 2].challenge(CAROL, None, house.room()) for number in attempts))
    assert counted == {"Challenge": CHALLENGE_LIMIT.most, "TooManyChallengesError": 4}


async def test_actions_in_the_future_do_not_count(house: House) -> None:
    """The clock was ahead, and has been set back."""
    match, ahead = await house.start(turns=("e5",)), timedelta(days=1)
    house.now += ahead

    async def do_all() -> None:
        for number in range(CHALLENGE_LIMIT.most):
            await house.challenges.withdraw((await house.challenge(CAROL, None)).id, CAROL.id)
            if number < IN_VAIN_LIMIT.most:
                await house.challenges.withdraw((await house.challenge(BOB, ALICE)).id, BOB.id)
                await house.proposals.withdraw((await house.propose(match, ALICE, ABANDON)).id, ALICE.id)
            if number < POST_LIMIT.most:
                await house.privacy.count_post(ALICE)
            if number < TOURNAMENT_LIMIT.most:
                await house.tournaments.create(PLACE, "", ALICE, DALEN)

    await do_all()
    house.now -= ahead
    await do_all()
    error = await refused(TooManyChallengesError, house.challenge(CAROL, None))
    assert error.again_at == house.now + CHALLENGE_LIMIT.span
    for action in (
        house.challenge(BOB, ALICE),
        house.propose(match, ALICE, ABANDON),
        house.privacy.count_post(ALICE),
        house.tournaments.create(PLACE, "", ALICE, DALEN),
    ):
        assert (await refused(TooManyError, action)).again_at <= house.now + CHALLENGE_LIMIT.span

"""Limits on what calls others or is seen by everybody."""

from __future__ import annotations

from collections.abc import Awaitable
from datetime import timedelta
from typing import Any

import pytest

from bot.domain.challenges import Challenge, First
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
from bot.services.challenges import Challenges
from bot.services.matches import Matches
from bot.services.proposals import Proposals
from bot.services.tournaments import Tournaments
from bot.storage import Database, Storage
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

DRAW, TAKE_BACK, ABANDON, MOVE, REMATCH = ProposalKind


async def test_what_the_opponent_agrees_to_is_never_too_much(matches: Matches, proposals: Proposals) -> None:
    match = await start(matches, turns=("e5", "light"))
    for _ in range(PROPOSAL_LIMIT.most + 1):
        game = await matches.game(match.id)
        assert game.to_act is not None
        await play_turn(matches, match.id, game.to_act.id, "d4" if game.ply == 2 else "light" if game.ply else "e5")
        last = (await matches.game(match.id)).last_player
        assert last is not None
        asked = await proposals.propose(match.id, last.id, TAKE_BACK)
        await proposals.accept(asked.id, match.opponent_of(last.id).id)


async def test_somebody_with_many_opponents_has_a_limit_too(
    matches: Matches, proposals: Proposals, clock: Clock
) -> None:
    begun = clock.now
    for number in range(PROPOSAL_LIMIT.most):
        if number % CHALLENGE_LIMIT.most == 0:
            clock.now += CHALLENGE_LIMIT.span
        match = await start(matches, ALICE, Player(1000 + number, "Somebody"), Place(1, 100 + number))
        await proposals.propose(match.id, ALICE.id, DRAW)
    last = await start(matches, BOB, ALICE, Place(1, 99))
    with pytest.raises(TooManyProposalsError) as raised:
        await proposals.propose(last.id, ALICE.id, DRAW)
    assert raised.value.other is None
    assert raised.value.again_at == begun + CHALLENGE_LIMIT.span + PROPOSAL_LIMIT.span
    await proposals.propose(last.id, BOB.id, ABANDON)


@pytest.mark.parametrize("kind", [DRAW, TAKE_BACK, ABANDON, MOVE])
async def test_who_is_blocked_asks_for_nothing_and_may_answer(
    matches: Matches, proposals: Proposals, storage: Storage, clock: Clock, kind: ProposalKind
) -> None:
    match = await start(matches, turns=("e5", "light"))
    await privacy_service(storage, matches, clock).set_blocked(BOB, [ALICE.id])
    place = Place(1, 11) if kind is MOVE else None
    with pytest.raises(BlockedProposalError):
        await proposals.propose(match.id, ALICE.id, kind, place=place)
    asked = await proposals.propose(match.id, BOB.id, kind, place=place)
    await proposals.accept(asked.id, ALICE.id)


async def test_friends_play_one_match_after_the_other(matches: Matches, challenges: Challenges) -> None:
    async def challenge() -> Challenge:
        return await challenges.challenge(PLACE, ALICE, BOB, DALEN, First.CHALLENGER)

    for _ in range(CHALLENGE_LIMIT.most):
        match = await challenges.accept((await challenge()).id, BOB)
        await matches.resign(match.id, BOB.id)
    with pytest.raises(TooManyChallengesError) as raised:
        await challenge()
    assert raised.value.other is None


async def test_only_what_counts_is_kept_of_posts(storage: Storage, clock: Clock) -> None:
    fair_play = privacy_service(storage, service(storage, clock), clock)
    for _ in range(3 * POST_LIMIT.most):
        await fair_play.count_post(ALICE)
        clock.now += POST_LIMIT.span / 2
    async with storage.read() as tx:
        kept = await tx.limits.times(LimitedAction.POSTS, ALICE.id, clock.now - 9 * POST_LIMIT.span)
    assert len(kept) == 2


@pytest.mark.both_databases
async def test_processes_count_together_and_hands_at_once_one_after_the_other(
    storage: Storage, database_url: str, clock: Clock
) -> None:
    database = Database(database_url)
    both = (storage, Storage(database))
    services = [service(each, clock) for each in both]
    challengers = [challenging(each) for each in services]
    people = [privacy_service(*each, clock) for each in zip(both, services, strict=True)]
    counted = await outcomes(*(people[number % 2].count_post(ALICE) for number in range(3 * POST_LIMIT.most)))
    assert counted == {"NoneType": POST_LIMIT.most, "TooManyPostsError": 2 * POST_LIMIT.most}
    counted = await outcomes(
        *(
            challengers[number % 2].challenge(Place(1, number), CAROL, None, DALEN, First.RANDOM)
            for number in range(CHALLENGE_LIMIT.most + 4)
        )
    )
    assert counted == {"Challenge": CHALLENGE_LIMIT.most, "TooManyChallengesError": 4}
    await database.close()


async def test_what_was_made_in_the_future_does_not_count(
    matches: Matches, challenges: Challenges, proposals: Proposals, storage: Storage, clock: Clock
) -> None:
    """The clock went ahead, and somebody has set it back."""
    fair_play, cups = privacy_service(storage, matches, clock), Tournaments(storage, matches, now=clock)
    match, ahead = await start(matches, turns=("e5",)), timedelta(days=1)
    clock.now += ahead

    async def do_all() -> None:
        for number in range(CHALLENGE_LIMIT.most):
            offered = await challenges.challenge(PLACE, CAROL, None, DALEN, First.RANDOM)
            await challenges.withdraw(offered.id, CAROL.id)
            if number < IN_VAIN_LIMIT.most:
                offered = await challenges.challenge(PLACE, BOB, ALICE, DALEN, First.RANDOM)
                await challenges.withdraw(offered.id, BOB.id)
                asked = await proposals.propose(match.id, ALICE.id, DRAW)
                await proposals.withdraw(asked.id, ALICE.id)
            if number < POST_LIMIT.most:
                await fair_play.count_post(ALICE)
            if number < TOURNAMENT_LIMIT.most:
                await cups.create(PLACE, "", ALICE, DALEN)

    await do_all()
    clock.now -= ahead
    await do_all()
    with pytest.raises(TooManyChallengesError) as raised:
        await challenges.challenge(PLACE, CAROL, None, DALEN, First.RANDOM)
    assert raised.value.again_at == clock.now + CHALLENGE_LIMIT.span
    refusals: list[Awaitable[Any]] = [
        challenges.challenge(PLACE, BOB, ALICE, DALEN, First.RANDOM),
        proposals.propose(match.id, ALICE.id, DRAW),
        fair_play.count_post(ALICE),
        cups.create(PLACE, "", ALICE, DALEN),
    ]
    for refused in refusals:
        with pytest.raises(TooManyError) as later:
            await refused
        assert later.value.again_at <= clock.now + CHALLENGE_LIMIT.span

"""What cards show, and the version that they show: both are of one state, whatever happens while they are read."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

import pytest

from bot.domain.challenges import ChallengeState, First
from bot.domain.matches import ProposalKind, ProposalState
from bot.services.tournaments import Tournaments
from bot.storage import Storage
from bot.storage.repositories.deliveries import DeliveryRepository
from tests.support.databases import fast_database
from tests.support.failures import patch_storage
from tests.support.ladder import PEOPLE, LadderHouse
from tests.support.services import ALICE, BOB, DALEN, PLACE, Clock, play_turn, start

#: Loads the version of a card and something that it shows.
Load: TypeAlias = Callable[[], Awaitable[tuple[int, object]]]


@pytest.mark.both_databases
@pytest.mark.parametrize("kind", ["with_proposals", "challenge", "proposal", "ladder", "tournament"])
async def test_a_change_between_two_reads_is_not_shown_as_the_version_before_it(
    kind: str, storage: Storage, clock: Clock, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would be shown and pinged again; shown as the version after it, it would never be."""
    other = fast_database(database_url)
    read_version: Callable[..., Awaitable[Any]] = getattr(DeliveryRepository, kind)

    try:
        load, change = await _subject(kind, LadderHouse(storage, clock), LadderHouse(Storage(other), clock))
        old = await load()

        async def read_and_change(self: DeliveryRepository, number: int) -> Any:
            monkeypatch.setattr(DeliveryRepository, kind, read_version)
            before = await read_version(self, number)
            await change()
            return before

        patch_storage(monkeypatch, f"DeliveryRepository.{kind}", read_and_change)
        seen, new = await load(), await load()
    finally:
        await other.close()
    assert old[0] < new[0]
    assert old[1] != new[1]
    assert seen in (old, new)


async def _subject(kind: str, house: LadderHouse, other: LadderHouse) -> tuple[Load, Callable[[], Awaitable[object]]]:
    """What loads a card of that kind, and a change to it in another process."""
    if kind == "ladder":
        ladder = await house.open(2)

        async def load_ladder() -> tuple[int, object]:
            view = await house.deliveries.ladder_view(ladder.id)
            return view.state.version, len(view.ladder.rungs)

        return load_ladder, lambda: other.ladders.join(ladder.id, PEOPLE[2])
    if kind == "tournament":
        here, there = (Tournaments(each.storage, each.matches, clock=house.clock) for each in (house, other))
        cup = await here.create(PLACE, "Cup", ALICE, DALEN)

        async def load_tournament() -> tuple[int, object]:
            view = await house.deliveries.tournament_view(cup.id)
            return view.state.version, len(view.tables.tournament.entrants)

        return load_tournament, lambda: there.join(cup.id, BOB)
    if kind == "challenge":
        made = await house.challenges.challenge(PLACE, ALICE, BOB, DALEN, First.RANDOM)

        async def load_challenge() -> tuple[int, ChallengeState]:
            view = await house.deliveries.challenge_view(made.id)
            return view.state.version, view.challenge.state

        return load_challenge, lambda: other.challenges.decline(made.id, BOB.id)
    match = await start(house.matches, turns=("e5", "light"))
    if kind == "proposal":
        offer = await house.proposals.propose(match.id, ALICE.id, ProposalKind.DRAW)

        async def load_proposal() -> tuple[int, ProposalState]:
            view = await house.deliveries.proposal_view(offer.id)
            return view.state.version, view.proposal.state

        return load_proposal, lambda: other.proposals.decline(offer.id, BOB.id)

    async def load_match() -> tuple[int, object]:
        view = await house.matches.view(match.id)
        return view.delivery.version, view.game.step

    return load_match, lambda: play_turn(other.matches, match.id, BOB.id, "d4")

"""What cards show, and the version that they show: both are of one state, whatever happens while they are read."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

import pytest

from bot.domain.deliveries import CardKey
from bot.domain.matches import ProposalKind
from bot.storage.repositories.deliveries import DeliveryRepository
from tests.support.services.failures import patch_storage
from tests.support.services.house import House
from tests.support.services.ladders import Rungs, open_ladder
from tests.support.services.matches import ALICE, BOB, DALEN, PLACE

#: Loads the version of a card and something that it shows.
Load: TypeAlias = Callable[[], Awaitable[tuple[int, object]]]
#: Changes it in another process.
Change: TypeAlias = Callable[[], Awaitable[object]]


async def ladder(house: House, other: House) -> tuple[Load, Change]:
    rungs = await open_ladder(house, 2)

    async def load() -> tuple[int, object]:
        view = await house.deliveries.ladder_view(rungs.id)
        return view.state.version, len(view.ladder.rungs)

    return load, lambda: Rungs(other, rungs.id).join(2)


async def tournament(house: House, other: House) -> tuple[Load, Change]:
    cup = await house.tournaments.create(PLACE, "Cup", ALICE, DALEN)

    async def load() -> tuple[int, object]:
        view = await house.deliveries.tournament_view(cup.id)
        return view.state.version, len(view.tables.tournament.entrants)

    return load, lambda: other.tournaments.join(cup.id, BOB)


async def challenge(house: House, other: House) -> tuple[Load, Change]:
    made = await house.challenge()

    async def load() -> tuple[int, object]:
        view = await house.deliveries.challenge_view(made.id)
        return view.state.version, view.challenge.state

    return load, lambda: other.challenges.decline(made.id, BOB.id)


async def proposal(house: House, other: House) -> tuple[Load, Change]:
    offer = await house.propose(await house.start(), ALICE, ProposalKind.ABANDON)

    async def load() -> tuple[int, object]:
        view = await house.deliveries.proposal_view(offer.id)
        return view.state.version, view.proposal.state

    return load, lambda: other.proposals.decline(offer.id, BOB.id)


async def with_proposals(house: House, other: House) -> tuple[Load, Change]:
    match = await house.start(turns=("e5", "light"))

    async def load() -> tuple[int, object]:
        view = await house.matches.view(CardKey(match.id))
        return view.delivery.version, view.game.step

    return load, lambda: other.play(match, BOB, "d4")


@pytest.mark.both_databases
@pytest.mark.parametrize(
    "kind", [with_proposals, challenge, proposal, ladder, tournament], ids=lambda kind: kind.__name__
)
async def test_a_change_between_two_reads_is_not_shown_as_the_version_before_it(
    kind: Callable[[House, House], Awaitable[tuple[Load, Change]]], house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise it would be shown and pinged twice, or not at all."""
    read_version: Callable[..., Awaitable[Any]] = getattr(DeliveryRepository, kind.__name__)
    load, change = await kind(house, house.another())
    old = await load()

    async def read_and_change(self: DeliveryRepository, number: int) -> Any:
        monkeypatch.setattr(DeliveryRepository, kind.__name__, read_version)
        before = await read_version(self, number)
        await change()
        return before

    patch_storage(monkeypatch, f"DeliveryRepository.{kind.__name__}", read_and_change)
    seen, new = await load(), await load()
    assert old[0] < new[0]
    assert old[1] != new[1]
    assert seen in (old, new)

"""Who is helped with which position."""

from __future__ import annotations

import pytest

import rules
from bot.domain.computer import SamePositionError
from tests.support.services.house import House
from tests.support.services.matches import ALICE, BOB, CAROL, DALEN, refused


@pytest.mark.both_databases
async def test_only_the_present_positions_of_ones_own_running_matches_count(house: House) -> None:
    match = await house.start(BOB, ALICE, turns=("e5", "light"))
    check, position = house.fair_play.check, DALEN.replay(("e5", "light", "d4"))
    await check(ALICE.id, position)
    await house.play_on(match, "d4")
    for player in (ALICE, BOB):
        await refused(SamePositionError, check(player.id, position))
    await check(CAROL.id, position)
    await check(ALICE.id, DALEN.replay(("e5", "light")))
    await house.resign(match, ALICE)
    await check(ALICE.id, position)


async def test_a_position_is_the_same_however_the_game_began(house: House) -> None:
    continued = rules.continued(DALEN, ("e5", "light", "d4"))
    await house.start(ruleset=continued, turns=("e7",))
    for same in (
        DALEN.replay(("e5", "light", "d4", "e7")),
        continued.replay(("e7",)),
        rules.with_setup(DALEN, "●e5 ●e7 ○d4 light").start(),
    ):
        await refused(SamePositionError, house.fair_play.check(ALICE.id, same))
    await house.fair_play.check(ALICE.id, DALEN.replay(("e5", "light", "d4")))

"""Who is helped with which position."""

from __future__ import annotations

import pytest

import rules
from bot.domain.computer import SamePositionError
from bot.services.fair_play import FairPlay
from bot.services.matches import Matches
from bot.storage import Storage
from tests.support.services import ALICE, BOB, CAROL, DALEN, play_turn, start


@pytest.mark.both_databases
async def test_only_the_present_positions_of_ones_own_running_matches_count(matches: Matches, storage: Storage) -> None:
    match = await start(matches, BOB, ALICE, turns=("e5", "light"))
    fair, position = FairPlay(storage, matches), DALEN.replay(("e5", "light", "d4"))
    await fair.check(ALICE.id, position)
    awaited = (await matches.game(match.id)).to_act
    assert awaited is not None
    await play_turn(matches, match.id, awaited.id, "d4")
    for player in (ALICE, BOB):
        with pytest.raises(SamePositionError):
            await fair.check(player.id, position)
    await fair.check(CAROL.id, position)
    await fair.check(ALICE.id, DALEN.replay(("e5", "light")))
    await matches.resign(match.id, ALICE.id)
    await fair.check(ALICE.id, position)


async def test_a_position_is_the_same_however_the_game_began(matches: Matches, storage: Storage) -> None:
    continued = rules.continued(DALEN, ("e5", "light", "d4"))
    await start(matches, ruleset=continued, turns=("e7",))
    fair = FairPlay(storage, matches)
    for same in (
        DALEN.replay(("e5", "light", "d4", "e7")),
        continued.replay(("e7",)),
        rules.with_setup(DALEN, "●e5 ●e7 ○d4 light").start(),
    ):
        with pytest.raises(SamePositionError):
            await fair.check(ALICE.id, same)
    await fair.check(ALICE.id, DALEN.replay(("e5", "light", "d4")))

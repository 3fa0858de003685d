"""Nudges: who may send them, to whom, and how often."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.domain.limits import NUDGE_AFTER, NUDGE_LIMIT, TooManyNudgesError
from bot.domain.matches import MatchOverError, NotAPlayerError
from bot.domain.play import NotNudgedError
from bot.domain.players import Player
from tests.support.services.house import House
from tests.support.services.matches import ALICE, BOB, CAROL, refused


@pytest.mark.parametrize(
    ("reason", "text"), [("pings", "has turned pings off"), ("blocked", "does not accept nudges from you")]
)
async def test_nobody_is_nudged_who_does_not_want_it(house: House, reason: str, text: str) -> None:
    match = await house.start(turns=("e5",))
    house.now += NUDGE_AFTER
    if reason == "pings":
        await house.settings.change_preferences(BOB, pings=False)
    else:
        await house.privacy.set_blocked(BOB, [ALICE.id])
    assert text in str(await refused(NotNudgedError, house.nudges.nudge(match.id, ALICE.id)))


async def test_only_a_player_who_has_waited_long_nudges(house: House) -> None:
    match = await house.start(turns=("e5",))
    early = await refused(TooManyNudgesError, house.nudges.nudge(match.id, ALICE.id))
    assert early.again_at == house.now + NUDGE_AFTER
    house.now += NUDGE_AFTER
    await refused(NotNudgedError, house.nudges.nudge(match.id, BOB.id))
    await refused(NotAPlayerError, house.nudges.nudge(match.id, CAROL.id))
    await house.nudges.nudge(match.id, ALICE.id)
    await house.resign(match, BOB)
    await refused(MatchOverError, house.nudges.nudge(match.id, ALICE.id))


async def test_nudges_to_many_opponents_are_limited(house: House) -> None:
    started = [
        await house.start(Player(1000 + number, "Dan"), ALICE, house.room()) for number in range(NUDGE_LIMIT.most + 1)
    ]
    house.now += NUDGE_AFTER
    for match in started[:-1]:
        await house.nudges.nudge(match.id, ALICE.id)
    error = await refused(TooManyNudgesError, house.nudges.nudge(started[-1].id, ALICE.id))
    assert error.other is None
    house.now += NUDGE_LIMIT.span
    await house.nudges.nudge(started[-1].id, ALICE.id)
    house.now += timedelta(days=1)
    await house.nudges.nudge(started[0].id, ALICE.id)
    async with house.storage.read() as tx:
        assert list(await tx.limits.nudges(ALICE.id)) == [started[0].id], "what no limit asks for is forgotten"

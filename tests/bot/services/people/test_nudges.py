"""Nudges: who may send them, to whom, and how often."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.domain.limits import NUDGE_AFTER, NUDGE_LIMIT, TooManyNudgesError
from bot.domain.matches import MatchOverError, NotAPlayerError
from bot.domain.places import Place
from bot.domain.play import NotNudgedError
from bot.domain.players import Player
from bot.services.matches import Matches
from bot.services.people.reminders import Nudges
from bot.services.people.settings import Settings
from bot.storage import Storage
from tests.support.services import ALICE, BOB, Clock, privacy_service, start


@pytest.mark.parametrize(
    ("reason", "text"), [("pings", "has turned pings off"), ("blocked", "does not accept nudges from you")]
)
async def test_nobody_is_nudged_who_does_not_want_it(
    matches: Matches, storage: Storage, clock: Clock, reason: str, text: str
) -> None:
    match = await start(matches, turns=("e5",))
    clock.now += NUDGE_AFTER
    if reason == "pings":
        await Settings(storage, themes=(), languages=()).change_preferences(BOB, pings=False)
    else:
        await privacy_service(storage, matches, clock).set_blocked(BOB, [ALICE.id])
    with pytest.raises(NotNudgedError) as refused:
        await Nudges(storage, matches, now=clock).nudge(match.id, ALICE.id)
    assert text in str(refused.value)


async def test_only_who_waits_long_in_a_slow_match_nudges(matches: Matches, storage: Storage, clock: Clock) -> None:
    nudges = Nudges(storage, matches, now=clock)
    match = await start(matches, turns=("e5",))
    with pytest.raises(TooManyNudgesError) as early:
        await nudges.nudge(match.id, ALICE.id)
    assert early.value.again_at == clock.now + NUDGE_AFTER
    clock.now += NUDGE_AFTER
    with pytest.raises(NotNudgedError):
        await nudges.nudge(match.id, BOB.id)
    with pytest.raises(NotAPlayerError):
        await nudges.nudge(match.id, 999)
    await nudges.nudge(match.id, ALICE.id)
    await matches.resign(match.id, BOB.id)
    with pytest.raises(MatchOverError):
        await nudges.nudge(match.id, ALICE.id)


async def test_somebody_with_many_slow_opponents_has_a_limit(matches: Matches, storage: Storage, clock: Clock) -> None:
    nudges = Nudges(storage, matches, now=clock)
    started = [
        await start(matches, Player(1000 + number, "Somebody"), ALICE, Place(1, 1000 + number))
        for number in range(NUDGE_LIMIT.most + 1)
    ]
    clock.now += NUDGE_AFTER
    for match in started[:-1]:
        await nudges.nudge(match.id, ALICE.id)
    with pytest.raises(TooManyNudgesError) as raised:
        await nudges.nudge(started[-1].id, ALICE.id)
    assert raised.value.other is None
    clock.now += NUDGE_LIMIT.span
    await nudges.nudge(started[-1].id, ALICE.id)
    clock.now += timedelta(days=1)
    await nudges.nudge(started[0].id, ALICE.id)
    async with storage.read() as tx:
        assert list(await tx.limits.nudges(ALICE.id)) == [started[0].id], "what no limit asks for is forgotten"

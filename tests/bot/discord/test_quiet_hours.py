"""In quiet hours nothing notifies; when they end, one ping tells of all that waits."""

from __future__ import annotations

import json
from datetime import timedelta

from bot.domain.timers import Timer, TimerKind
from bot.services.history import History
from bot.services.matches import Matches
from bot.services.reminders import Reminders
from bot.storage import Storage
from tests.support.actions import rest
from tests.support.club import Club, seen
from tests.support.services import Clock, outcomes, start

HOUR = 3600.0


async def test_one_ping_follows_the_quiet_hours_however_much_came(club: Club) -> None:
    await club.match()
    await club.match(club.carol, club.bob)
    await rest(club)
    await club.move(club.alice, "e5", match="1")
    assert club.card().pinged == ()
    assert f"<@{club.bob.id}>" in "".join(card.text for card in club.cards()), "he is named all the same"
    await club.move(club.carol, "e5", match="2", where=club.threads()[0])
    await club.challenge(club.alice, club.bob, size=7)
    assert club.card().pinged == ()
    await club.restart()
    await club.env.advance_time(8 * HOUR)
    pings = [card for card in (*club.cards(), *club.cards(club.threads()[0])) if card.pinged == (club.bob.id,)]
    assert len(pings) == 1
    assert "your quiet hours are over. Waiting for you: 2 matches · 1 challenge." in pings[0].text
    await club.env.advance_time(48 * HOUR)
    assert sum("quiet hours are over" in card.text for card in club.cards()) == 1


async def test_who_has_answered_meanwhile_is_left_alone(club: Club) -> None:
    await club.match()
    await rest(club)
    await club.move(club.alice, "e5")
    await club.press(club.bob, "Play Dark")
    await club.env.advance_time(9 * HOUR)
    assert "quiet hours" not in "".join(card.text for card in club.cards())


async def test_at_other_times_pings_are_as_ever(club: Club) -> None:
    await club.match()
    await rest(club, 1)
    await club.env.advance_time(HOUR)
    await club.move(club.alice, "e5")
    assert club.card().pinged == (club.bob.id,)


async def test_quiet_hours_that_were_made_longer_hold_until_their_new_end(club: Club) -> None:
    await club.match()
    await rest(club, 2)
    await club.move(club.alice, "e5")
    await rest(club, 10)
    await club.env.advance_time(3 * HOUR)
    assert club.card().pinged == ()
    await club.env.advance_time(8 * HOUR)
    assert club.card().pinged == (club.bob.id,)


async def test_of_two_that_claim_a_ping_at_once_one_gets_it(storage: Storage, matches: Matches, clock: Clock) -> None:
    match = await start(matches, turns=("e5",))
    async with storage.transaction() as tx:
        await tx.timers.set(Timer(TimerKind.QUIET_END, match.second.id, clock.now))
    reminders = Reminders(storage, History(storage, matches), clock=clock)
    both = await outcomes(*(reminders.quiet_over(match.second.id) for _ in range(2)))
    assert both == {"Waiting": 1, "NoneType": 1}


async def test_the_form_sets_time_zone_and_quiet_hours(club: Club) -> None:
    handle = (await club.slash(club.bob, "settings")).private_handle
    opened = await club.press(club.bob, "Quiet hours", on=handle)
    assert (await club.fill(club.bob, opened, offset="+5:30", quiet="22-7:15")).nothing
    assert "🌙 No pings during 22:00-7:15 (UTC+5:30)" in seen(club.env, handle).text
    chosen = await club.app.settings.preferences(club.bob.id)
    assert (chosen.utc_offset, chosen.quiet_from, chosen.quiet_to) == (330, 1320, 435)
    opened = await club.press(club.bob, "Quiet hours", on=handle)
    refused = await club.fill(club.bob, opened, offset="+2", quiet="at night")
    assert refused.private.startswith("I cannot read “at night” as quiet hours.")
    opened = await club.press(club.bob, "Quiet hours", on=handle)
    await club.fill(club.bob, opened, offset="+2", quiet="")
    assert "🌙" not in seen(club.env, handle).text


async def test_the_timer_of_a_player_is_part_of_their_data(club: Club) -> None:
    await club.match()
    await rest(club)
    await club.move(club.alice, "e5")
    (part,) = [each async for each in club.app.privacy.export(club.bob.id)]
    data = json.loads(part.data)
    assert [row["kind"] for row in data["timers"]] == [TimerKind.QUIET_END]
    assert data["preferences"][0]["quiet_from"] is not None
    await club.app.privacy.delete(club.bob.id)
    async with club.app.storage.read() as tx:
        due = await tx.timers.due(club.env.now() + timedelta(days=2), 100)
    assert TimerKind.QUIET_END not in {each.kind for each in due}

"""In quiet hours nothing notifies. When they end, one ping names everything that waits."""

from __future__ import annotations

from datetime import timedelta, timezone

import pytest

from tests.support.actions import rest
from tests.support.club import Answer, Club

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


@pytest.mark.parametrize("refused", [False, True])
async def test_outside_servers_the_ping_is_a_direct_message(club: Club, refused: bool) -> None:
    chat = club.conversation(club.alice, club.bob)
    await club.whisper(club.alice, "challenge", game="dalen", size=5, first="challenger")
    await club.bob.user.click(chat.history()[0], label="Accept")
    await rest(club)
    await club.whisper(club.alice, "move", turn="e5")
    assert club.seen(chat.history()[-1]).pinged == ()
    # so far, the simulation knew no other conversation of Bob's
    del club.env.backend.dm_channels[club.bob.id]
    if refused:
        club.env.inject_error("POST", "/users/@me/channels", status=403, code=50278)
    await club.env.advance_time(9 * HOUR)
    direct = club.direct_messages(club.bob)
    assert [message.pinged for message in direct] == ([] if refused else [(club.bob.id,)])
    assert all("your quiet hours are over. Waiting for you: 1 match." in message.text for message in direct)


async def test_a_player_who_has_answered_meanwhile_gets_no_ping(club: Club) -> None:
    await club.match()
    await rest(club)
    await club.move(club.alice, "e5")
    await club.press(club.bob, "Play Dark")
    await club.env.advance_time(9 * HOUR)
    assert "quiet hours" not in "".join(card.text for card in club.cards())


async def test_pings_are_sent_at_once_outside_quiet_hours(club: Club) -> None:
    await club.match()
    await rest(club, 1)
    await club.env.advance_time(HOUR)
    await club.move(club.alice, "e5")
    assert club.card().pinged == (club.bob.id,)


async def test_extended_quiet_hours_last_until_their_new_end(club: Club) -> None:
    await club.match()
    await rest(club, 2)
    await club.move(club.alice, "e5")
    await rest(club, 10)
    await club.env.advance_time(3 * HOUR)
    assert club.card().pinged == ()
    await club.env.advance_time(8 * HOUR)
    assert club.card().pinged == (club.bob.id,)


async def test_the_form_sets_time_zone_and_quiet_hours(club: Club) -> None:
    handle = await club.open(club.bob, "settings")

    async def fill(zone: str, quiet: str, digest: str = "") -> Answer:
        opened = await club.press(club.bob, "Quiet hours and digest", on=handle)
        return await club.fill(club.bob, opened, zone=zone, quiet=quiet, digest=digest)

    assert (await fill("+5:30", "22-7:15")).nothing
    assert "🌙 No pings during 22:00-7:15 (UTC+5:30)." in club.seen(handle).text
    chosen = await club.app.settings.preferences(club.bob.id)
    assert (chosen.time_zone, chosen.quiet_from, chosen.quiet_to) == (timezone(timedelta(minutes=330)), 1320, 435)
    assert (await fill("+2", "at night")).private.startswith("I cannot read “at night” as quiet hours.")
    assert (await fill("Atlantis", "22-8")).private.startswith("I do not know the time zone “Atlantis”.")
    assert (await fill("+2", "22-8", "soon")).private.startswith("I cannot read “soon” as a time of the day.")
    assert (await fill("CET", "0-24")).nothing
    assert "🌙 No pings during 0:00-24:00 (Europe/Brussels)." in club.seen(handle).text
    assert (await fill("new york", "", "18:30")).nothing
    assert "🌙" not in club.seen(handle).text
    assert "📬 Daily digest at 18:30 (America/New York)" in club.seen(handle).text
    await fill("new york", "", "")
    assert "📬" not in club.seen(handle).text

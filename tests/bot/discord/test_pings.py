"""Whom the bot pings: one person a turn, nobody who does not want it, and nobody in their quiet hours."""

from __future__ import annotations

from datetime import timedelta, timezone

import pytest
from simcord import MemberActor

from bot.domain.matches import ProposalKind
from bot.domain.players import Player
from bot.domain.preferences import BoardCards
from tests.support.discord.actions import ask, rest
from tests.support.discord.club import Answer, Club
from tests.support.thorough import covered

HOUR = 3600.0


async def leave_in_peace(club: Club, who: MemberActor) -> None:
    await club.app.settings.change_preferences(Player(who.id, "Somebody"), pings=False)


@pytest.mark.parametrize(("board_cards", "quiet"), covered(BoardCards, ["alice", "bob"]))
async def test_a_player_without_pings_is_named_and_not_mentioned(club: Club, quiet: str) -> None:
    silent, called = (club.alice, club.bob) if quiet == "alice" else (club.bob, club.alice)
    await leave_in_peace(club, silent)
    pinged: set[int] = set()

    def note() -> None:
        pinged.update(*(club.seen(message).pinged for message in club.messages()))

    await club.challenge(called, silent, size=5, first="challenger")
    note()
    assert f"<@{silent.id}>" in club.card().text
    await club.press(silent, "Accept")
    note()
    await club.move(called, "e5")
    note()
    await club.press(silent, "Play Light")
    note()
    await ask(club, called, ProposalKind.TAKE_BACK)
    note()
    await club.press(silent, "Decline")
    await ask(club, silent, ProposalKind.ABANDON)
    assert club.card().pinged == (called.id,)
    await club.press(called, "Accept")
    assert club.card().pinged == ()
    await ask(club, called, ProposalKind.REMATCH)
    note()
    assert pinged == {called.id}


# Quiet hours


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
    assert (await fill("+2", "at night")).private.startswith("“at night” is no span of quiet hours.")
    assert (await fill("new york", "", "18:30")).nothing
    assert "🌙" not in club.seen(handle).text
    assert "📬 Daily digest at 18:30 (America/New York)" in club.seen(handle).text
    await fill("new york", "", "")
    assert "📬" not in club.seen(handle).text

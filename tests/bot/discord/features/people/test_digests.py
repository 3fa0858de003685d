"""Daily digests in direct messages: what waits for a player."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from simcord import MemberActor

from bot.domain.challenges import First
from bot.domain.matches import ProposalKind
from bot.domain.places import Place
from bot.domain.players import Player
from rules import ruleset
from tests.support.discord.actions import ask, quick_match
from tests.support.discord.club import Club, numbers

HOUR = 3600.0


def shown(at: datetime, later: float) -> str:
    """The time that a clock shows after some hours."""
    return f"{at + timedelta(hours=later):%H:%M}"


async def subscribe(
    club: Club, who: MemberActor, later: float = 1, *, quiet: tuple[float, float] | None = None
) -> None:
    """Let a player ask for a digest some hours from now, perhaps with quiet hours."""
    first, last = (minutes_of(club, each) for each in quiet or (0, 0))
    await club.app.reminders.change_times(
        club.player(who),
        time_zone=UTC,
        quiet=None if quiet is None else (first, last),
        digest_at=minutes_of(club, later),
        language="en",
    )


def minutes_of(club: Club, later: float) -> int:
    """The minute of the day after some hours."""
    at = club.env.now() + timedelta(hours=later)
    return at.hour * 60 + at.minute


def refuse_direct_messages(club: Club, status: int = 403, code: int = 50007) -> None:
    """Let Discord refuse the next message to Bob, by default because he takes none."""
    path = f"/channels/{club.bob.user.dm_channel.id}/messages"
    club.env.inject_error("POST", path, status=status, code=code)


async def test_a_digest_shows_everything_that_waits_and_opens_turns(club: Club) -> None:
    await club.match(turns=["e5"])
    await club.env.advance_time(60)
    await club.match(club.carol, club.bob, clock="2 days")
    (thread,) = club.threads()
    await club.move(club.carol, "e5", where=thread)
    await club.match(club.bob, club.carol)
    await club.challenge(club.alice, club.bob, size=7)
    await subscribe(club, club.bob)
    await club.env.advance_time(HOUR)
    (digest,) = club.direct_messages(club.bob)
    assert "### 📬 Waiting for you: 3 matches · 1 challenge" in digest.text
    assert numbers(digest) == [1, 2, 3], "the longest waiting first"
    assert "**#1** Dalen against Alice\n-# **your turn** · <t:" in digest.text
    assert "⏳ <t:" in digest.text.split("**#2**")[1]
    assert f"[card](https://discord.com/channels/{club.guild.id}/{thread.id}/" in digest.text
    assert "Alice challenges you: **Dalen, size 7**" in digest.text
    assert f"[challenge](https://discord.com/channels/{club.guild.id}/{club.channel.id}/" in digest.text
    assert digest.labels == ("Play #1", "Play #2", "Play #3", "Accept")
    assert len(digest.files) == 3
    await club.move(club.bob, "dark", match="1")
    await club.move(club.alice, "d5", match="1")
    await club.restart()
    opened = await club.press(club.bob.user, "Play #1", on=club.bob.user.dm_channel.history()[-1])
    assert "Your turn" in opened.private
    assert "Last turn: Light on d5" in opened.messages[0].descriptions[0], "the board has moved on"
    assert club.direct_messages(club.bob) == [digest]
    assert (await club.press(club.bob.user, "Play #2", on=club.bob.user.dm_channel.history()[0])).private
    for said in ("Match #4 is played in <#", "This challenge was already accepted."):
        assert said in (await club.press(club.bob.user, "Accept", on=club.bob.user.dm_channel.history()[0])).private
    assert (await club.newest_match()).has_player(club.bob.id)


async def test_a_digest_comes_every_day_at_its_hour_if_something_waits(club: Club) -> None:
    await subscribe(club, club.bob)
    await club.env.advance_time(HOUR)
    assert club.direct_messages(club.bob) == []
    await club.match(turns=["e5"])
    await club.env.advance_time(23 * HOUR)
    assert len(club.direct_messages(club.bob)) == 0
    await club.env.advance_time(HOUR)
    assert len(club.direct_messages(club.bob)) == 1
    await club.stop()
    await club.env.advance_time(26 * HOUR)
    await club.start()
    await club.env.advance_time(61)
    assert len(club.direct_messages(club.bob)) == 2, "a little late, since the bot was stopped"
    await club.stop()
    await club.env.advance_time(26 * HOUR)
    await club.start()
    await club.env.advance_time(61)
    assert len(club.direct_messages(club.bob)) == 2, "so late that it waits for a day"
    await club.env.advance_time(20 * HOUR)
    assert [digest.labels for digest in club.direct_messages(club.bob)] == [("Play #1",)] * 3
    await club.press(club.bob, "Play Dark")
    await club.env.advance_time(24 * HOUR)
    assert len(club.direct_messages(club.bob)) == 3
    assert club.direct_messages(club.alice) == [], "nobody gets one who did not ask"


async def test_a_player_who_takes_no_direct_messages_reads_once_that_digests_end(club: Club) -> None:
    await club.match(turns=["e5"])
    await subscribe(club, club.bob)
    club.env.inject_error("POST", "/users/@me/channels", status=400, code=50007)
    await club.env.advance_time(HOUR)
    assert "Your daily digest is off" in (await club.press(club.bob, "Play Dark")).private, "a press tells of it"
    await club.match(turns=["e5"])
    await subscribe(club, club.bob)
    refuse_direct_messages(club)
    await club.env.advance_time(HOUR)
    assert (await club.app.settings.preferences(club.bob.id)).digest_at is None
    first, note = (await club.slash(club.bob, "games")).messages
    assert numbers(first) == [2, 1]
    assert "Your daily digest is off: you do not accept direct messages from me" in note.text
    assert note.private
    assert len((await club.slash(club.bob, "games")).messages) == 1
    await club.env.advance_time(48 * HOUR)
    assert club.direct_messages(club.bob) == []


async def test_a_refused_digest_is_sent_again_with_the_same_nonce_and_another_one_with_another(club: Club) -> None:
    await club.match(turns=["e5"])
    await subscribe(club, club.bob)
    refuse_direct_messages(club, 503, 0)
    await club.env.advance_time(HOUR)
    assert club.direct_messages(club.bob) == []
    await club.env.advance_time(660)
    await subscribe(club, club.bob, 3 / 60)
    await club.env.advance_time(4 * 60)
    assert len(club.direct_messages(club.bob)) == 2
    sent = club.requests("POST", f"/channels/{club.bob.user.dm_channel.id}/messages")
    first, second, third = (str((each.json or {})["nonce"]) for each in sent)
    assert first == second != third
    assert len(first) <= 25


async def test_a_digest_in_quiet_hours_makes_no_sound_and_the_ping_follows(club: Club) -> None:
    await club.match()
    await subscribe(club, club.bob, 1, quiet=(0, 2))
    await club.move(club.alice, "e5")
    await club.env.advance_time(HOUR)
    (digest,) = club.bob.user.dm_channel.history()
    assert digest.flags.suppress_notifications
    await club.env.advance_time(HOUR)
    assert club.card().pinged == (club.bob.id,)
    assert pings(club) == 1
    await subscribe(club, club.bob, 2, quiet=(0, 2))
    await club.move(club.bob, "dark")
    await club.move(club.alice, "d4")
    refuse_direct_messages(club)
    await club.env.advance_time(3 * HOUR)
    assert pings(club) == 2, "also when the digest is refused"


async def test_a_digest_at_the_end_of_quiet_hours_replaces_their_ping(club: Club) -> None:
    await club.match()
    await subscribe(club, club.bob, 2, quiet=(0, 2))
    await club.move(club.alice, "e5")
    await club.env.advance_time(2 * HOUR)
    (digest,) = club.bob.user.dm_channel.history()
    assert not digest.flags.suppress_notifications
    await club.env.advance_time(4 * HOUR)
    assert pings(club) == 0
    await subscribe(club, club.bob, 2.1, quiet=(0, 2))
    await club.press(club.bob, "Play Light")
    await club.move(club.bob, "d4")
    await club.move(club.alice, "a1")
    await club.stop()
    await club.env.advance_time(3 * HOUR)
    await club.start()
    await club.env.advance_time(HOUR)
    assert len(club.direct_messages(club.bob)) == 2
    assert pings(club) == 0, "also after a stop over both"


def pings(club: Club) -> int:
    """Count the pings that have followed quiet hours."""
    return sum("quiet hours are over" in card.text for card in club.cards())


async def test_a_digest_is_in_the_language_of_its_reader(club: Club) -> None:
    await club.match(turns=["e5"])
    club.speak(club.bob, "de")
    handle = await club.open(club.bob, "settings")
    opened = await club.press(club.bob, "Ruhezeit und Tagesübersicht", on=handle)
    await club.fill(club.bob, opened, zone="+0", quiet="", digest=shown(club.env.now(), 1))
    await club.env.advance_time(HOUR)
    (digest,) = club.direct_messages(club.bob)
    assert "### 📬 Das wartet auf dich: 1 Partie" in digest.text


async def test_a_long_digest_says_where_the_rest_is(club: Club) -> None:
    for number in range(6):
        await quick_match(club, club.bob, club.carol, channel_id=100 + number)
    await subscribe(club, club.bob)
    await club.env.advance_time(HOUR)
    (digest,) = club.direct_messages(club.bob)
    assert digest.labels == (*(f"Play #{number}" for number in range(1, 6)), "Your matches")
    answer = await club.press(club.bob.user, "Your matches", on=club.bob.user.dm_channel.history()[0])
    assert "6 matches are running" in answer.private
    for made in range(1, 6):
        await challenged(club, made, club.channel.id)
        if made < 3:
            continue
        await subscribe(club, club.bob)
        await club.env.advance_time(HOUR)
        text = club.direct_messages(club.bob)[-1].text
        assert f"6 matches · {made} challenges" in text
        assert text.count("challenges you: ") == 3
        rest = "" if made == 3 else f"And {made - 3} more challenge{'s' * (made > 4)}, in <#{club.channel.id}>."
        assert rest in text
        assert text.count("more challenge") == bool(rest)


async def test_a_digest_counts_all_challenges_and_names_some_of_their_channels(club: Club) -> None:
    channels = [club.guild.create_text_channel(f"games-{number}") for number in range(15)]
    for number, channel in enumerate(channels):
        await challenged(club, number, channel.id)
    await subscribe(club, club.bob)
    await club.env.advance_time(HOUR)
    (digest,) = club.direct_messages(club.bob)
    assert "Waiting for you: 15 challenges" in digest.text
    digest.says(f"And 12 more challenges, in <#{channels[3].id}>", f"<#{channels[12].id}>, ….")
    assert f"<#{channels[13].id}>" not in digest.text


async def challenged(club: Club, number: int, channel_id: int) -> None:
    """Challenge Bob in a channel."""
    place, dora = Place(club.guild.id, channel_id), Player(1000 + number, f"Dora{number}")
    await club.app.challenges.challenge(place, dora, club.player(club.bob), ruleset("dalen", 5), First.RANDOM)


async def test_a_digest_has_no_challenges_of_blocked_players_or_lost_channels(club: Club) -> None:
    bob = club.player(club.bob)
    await club.challenge(club.alice, club.bob)
    await subscribe(club, club.bob)
    await club.app.privacy.set_blocked(bob, [club.alice.id])
    await club.env.advance_time(HOUR)
    assert club.direct_messages(club.bob) == []
    await club.app.privacy.set_blocked(bob, [])
    await subscribe(club, club.bob)
    await club.env.advance_time(HOUR)
    club.hide_from(club.bob)
    answer = await club.press(club.bob.user, "Accept", on=club.bob.user.dm_channel.history()[-1])
    assert answer.private.startswith("This challenge no longer exists.")
    assert "Accept" in club.card().labels


async def test_a_proposal_waits_for_an_answer(club: Club) -> None:
    await club.match(turns=["e5", "light", "d4"])
    await ask(club, club.bob, ProposalKind.ABANDON)
    await subscribe(club, club.alice)
    await subscribe(club, club.bob)
    await club.env.advance_time(HOUR)
    (digest,) = club.direct_messages(club.alice)
    assert "waiting for **your answer**" in digest.text
    assert club.direct_messages(club.bob) == []

"""Challenges: terms, who may answer, refusals, and how they end."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import discord
from simcord import ChannelHandle, MemberActor

import render
from bot.domain.players import Player
from bot.domain.timers import TimerKind
from rules import GAMES
from tests.support.discord.club import Answer, Club
from tests.support.services.stored import stored_challenge

DAY = 24 * 60 * 60


async def test_open_challenges_are_listed_for_members_who_may_accept_them(club: Club) -> None:
    hidden = club.guild.create_text_channel("hidden")
    club.hide_from(club.bob, hidden)
    await club.challenge(club.alice, where=hidden)
    await club.challenge(club.alice, size=7, clock="1 day a turn")
    await club.challenge(club.alice, club.carol)
    bobs = club.seen(listed := await club.open(club.bob, "play", "Open challenges: 1"))
    assert bobs.text.count("Alice challenges anyone") == 1
    bobs.says("Dalen, size 7", "1 day a turn")
    assert bobs.labels == ("Accept", "Play anyone")
    carols = club.seen(await club.open(club.carol, "games", "Open challenges: 3"))
    assert carols.text.count("challenges anyone") == 2
    assert carols.text.count("Alice challenges you") == 1
    for command in ("play", "games"):
        labels = (await club.slash(club.alice, command)).messages[0].labels
        assert not [label for label in labels if "challenges" in label], "not one's own"
    await club.restart()
    assert (await club.press(club.bob, "Accept", on=listed)).nothing
    after = club.seen(listed)
    assert "Use /challenge to challenge" in after.text, "no other is left"
    assert "Match #1 is played here" in after.text
    assert after.labels == ("Play anyone",)


async def test_a_listed_challenge_is_refused_once_it_is_answered_hidden_or_blocked(club: Club) -> None:
    await club.challenge(club.alice)
    lists = [await club.open(who, "play", "Open challenges: 1") for who in (club.bob, club.carol)]
    await club.press(club.bob, "Accept", on=lists[0])
    await club.press(club.carol, "Accept", on=lists[1])
    assert "This challenge was already accepted." in club.seen(lists[1]).text
    other = club.guild.create_text_channel("other")
    await club.challenge(club.alice, where=other)
    late = await club.open(club.carol, "play", "Open challenges: 1")
    club.hide_from(club.carol, other)
    assert "This challenge no longer exists." in (await club.change(club.carol, "Accept", on=late)).text
    assert club.seen(await club.open(club.bob, "play", "Open challenges: 1")).labels == ("Accept", "Play anyone")
    await club.app.privacy.set_blocked(Player(club.alice.id, "Alice"), [club.bob.id])
    assert "Open challenges: 1" not in (await club.slash(club.bob, "play")).messages[0].labels


async def test_a_challenge_shows_its_terms_and_pings_whom_it_challenges(club: Club) -> None:
    await club.challenge(club.alice, club.bob, size=6, variant="leaves", first="opponent")
    card = club.card()
    assert not card.private
    card.says("Alice challenges Bob", "**Dalen, size 6, variant *leaves*** · Bob opens")
    assert card.labels == ("Accept", "Decline", "Withdraw", "Play the computer", "Learn in 3 minutes")
    assert "Expires <t:" in card.text
    assert card.pinged == (club.bob.id,)
    (post,) = club.payloads()
    assert post["allowed_mentions"] == {"parse": [], "users": [club.bob.id]}
    # Without options, it is the usual game, and chance decides who opens. The card has the game's sign and colour.
    challenge = await club.challenge(club.alice, club.carol, game="hedu")
    hedu = GAMES["hedu"]
    assert (challenge.ruleset.size, challenge.ruleset.variant) == (hedu.default_size, "standard")
    face = render.face(hedu)
    assert f"### {face.emoji} Alice challenges" in club.card().text
    assert f"**Hedu, size {hedu.default_size}** · a random player opens" in club.card().text
    (box,) = club.last_card().components
    assert isinstance(box, discord.Container)
    assert box.accent_colour is not None
    assert box.accent_colour.to_rgb() == face.colour
    # An open challenge pings nobody and has no button to decline.
    await club.challenge(club.alice)
    card = club.card()
    assert "Alice challenges anyone" in card.text
    assert card.pinged == ()
    assert card.labels == ("Accept", "Withdraw", "Play the computer", "Learn in 3 minutes")


async def test_a_handicap_goes_to_the_opener_who_keeps_that_side(club: Club) -> None:
    answer = await club.slash(club.alice, "challenge", game="nadraz", opponent=club.bob, variant="reverse", handicap=1)
    assert "A handicap in Nadraz has 0 extra stones" in answer.private
    assert club.cards() == []
    await club.challenge(club.alice, club.bob, size=5, handicap=2)
    assert "**Dalen, size 5 · handicap: 2 extra pieces · casual** · Bob opens and stays Dark" in club.card().text
    await club.press(club.bob, "Accept")
    assert "You stay Dark." in club.card().text
    await club.move(club.bob, "e5")
    club.card().says("Bob opened with `e5`", f"{club.alice.mention}'s turn (Light)")
    match = await club.newest_match()
    assert (await club.app.matches.game(match.id)).position.pieces() == {"e5": "d", "e3": "d", "e7": "d"}
    assert not match.rated
    await club.resign(club.alice, match.id)
    await club.press(club.alice, "Rematch")
    assert "a rematch of match #1." in club.card().text
    await club.press(club.bob, "Accept")
    assert (await club.newest_match()).first.id == club.bob.id, "the handicap stays"


async def test_an_answered_challenge_shows_the_answer_without_buttons_and_never_expires(club: Club) -> None:
    for who, label, expected, late in (
        (club.bob, "Decline", "Bob declined", "was declined"),
        (club.alice, "Withdraw", "Alice withdrew the challenge", "was withdrawn"),
        (club.bob, "Accept", "Bob accepted", "already accepted"),
    ):
        await club.challenge(club.alice, club.bob, first="opponent")
        screen, number = club.screen(), len(club.cards())
        assert (await club.press(who, label)).nothing
        card = club.cards()[number - 1]
        assert expected in card.text
        assert card.labels == ()
        assert card.pinged == ()
        assert late in (await club.press_late(club.bob, "Accept", screen)).private
    async with club.app.storage.read() as tx:
        ahead = await tx.timers.due(club.env.now() + timedelta(days=365), 100)
    assert TimerKind.EXPIRY not in {timer.kind for timer in ahead}


async def test_impossible_challenges_are_refused_privately(club: Club) -> None:
    robot = club.join_as_bot("Robot")
    stranger = club.env.create_user("dora", global_name="Dora")
    terms: list[tuple[dict[str, Any], str]] = [
        ({"opponent": club.alice}, "You cannot challenge yourself"),
        ({"opponent": robot}, "Robot is a bot"),
        ({"opponent": stranger}, "Dora is not on this server"),
        ({"opponent": club.bob, "variant": "wild"}, "Dalen has the variants standard, leaves, not “wild”."),
        ({"opponent": club.bob, "size": 10}, "Dalen is played on sizes 5, 6, 7, 8, 9, not 10."),
        ({"opponent": club.bob, "handicap": 1, "rated": True}, "A match with a handicap is casual"),
        ({"opponent": club.computer, "handicap": 1}, "There is no handicap against the computer"),
        ({"level": 3, "rated": True}, "Matches against the computer are casual and have no clock"),
        ({"level": 3, "clock": "3 days + 1 day"}, "Matches against the computer are casual and have no clock"),
        ({"level": 3, "opponent": club.bob}, "Leave out the opponent or the level."),
        ({"clock": "when I like"}, "“when I like” is not a clock"),
    ]
    for options, expected in terms:
        assert expected in (await club.slash(club.alice, "challenge", game="dalen", **options)).private
    club.forbid("attach_files")
    answer = await club.slash(club.alice, "challenge", game="dalen", opponent=club.bob)
    assert "I may not play in this channel" in answer.private
    assert club.cards() == []
    assert await stored_challenge(club.app.storage, 1) is None


async def test_nobody_is_challenged_in_a_channel_they_cannot_see(club: Club) -> None:
    async def refused(opponent: MemberActor, where: ChannelHandle | None = None) -> bool:
        await club.env.settle()
        answer = await club.slash(club.alice, "challenge", where=where, game="dalen", opponent=opponent)
        return f"{opponent.user.global_name} cannot see this channel" in answer.private

    role = club.guild.create_role("Newcomers")
    hidden = discord.PermissionOverwrite(view_channel=False)
    room = club.guild.create_text_channel("regulars", overwrites={role: hidden})
    dora = club.guild.add_member(club.env.create_user("dora", global_name="Dora"), roles=[role])
    assert await refused(dora, room)
    thread = await club.open_thread(club.alice, private=True)
    assert await refused(club.bob, thread)
    club.env.backend.add_thread_member(thread.id, club.bob.id)
    await club.challenge(club.alice, club.bob, where=thread)
    club.hide_from(club.bob)
    assert await refused(club.bob)


async def test_a_second_challenge_between_the_same_players_or_to_anyone_is_refused(club: Club) -> None:
    await club.challenge(club.alice, club.bob)
    first = club.card()

    async def refused(one: MemberActor, other: MemberActor) -> Answer:
        answer = await club.slash(one, "challenge", game="dalen", opponent=other)
        assert "Alice has already challenged Bob in this channel" in answer.private
        assert f"/{club.channel.id}/{first.id}" in answer.private
        assert len(club.cards()) == 1
        return answer

    assert (await refused(club.bob, club.alice)).messages[0].labels == ("Accept", "Decline")
    again = await refused(club.alice, club.bob)
    assert again.messages[0].labels == ("Withdraw",)
    # Other pairs, other channels and answered challenges do not matter.
    await club.challenge(club.alice, club.carol)
    await club.challenge(club.alice)
    answer = await club.slash(club.alice, "challenge", game="dalen")
    assert "You already have an open challenge to anyone in this channel" in answer.private
    await club.challenge(club.alice, club.bob, where=club.guild.create_text_channel("elsewhere"))
    assert (await club.press(club.alice, "Withdraw", on=again.private_handle)).nothing
    assert "Alice withdrew" in club.cards()[0].text
    await club.challenge(club.alice, club.bob)
    assert (await club.newest_challenge()).id == 5


async def test_each_challenge_expires_after_a_day_and_makes_room_for_another(club: Club) -> None:
    await club.challenge(club.alice, club.bob)
    screen = club.screen()
    await club.env.advance_time(3600)
    await club.challenge(club.alice, club.carol)
    await club.restart()
    await club.env.advance_time(DAY - 3600 - 60)
    assert ["Accept" in card.labels for card in club.cards()] == [True, True]
    await club.env.advance_time(61)
    first, second = club.cards()
    assert first.labels == ()
    assert "expired without an answer" in first.text
    assert "Accept" in second.labels
    assert "has expired" in (await club.press_late(club.bob, "Accept", screen)).private
    await club.env.advance_time(3600)
    assert ["expired without an answer" in card.text for card in club.cards()] == [True, True]
    await club.challenge(club.alice, club.bob)


async def test_sizes_and_variants_are_offered_while_typing(club: Club) -> None:
    sizes = await club.offers(club.alice, "", command="challenge", option="size", game="dalen")
    named = {"5 · small": 5, "6": 6, "7 · usual": 7, "8": 8, "9 · large": 9}
    assert {choice["name"]: choice["value"] for choice in sizes} == named
    variants = await club.offers(club.alice, "lea", command="challenge", option="variant", game="dalen")
    assert [choice["value"] for choice in variants] == ["leaves"]
    assert await club.offers(club.alice, "", command="challenge", option="size") == []

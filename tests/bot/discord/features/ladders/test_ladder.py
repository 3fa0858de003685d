"""``/ladder``, its card, and challenges for places."""

from __future__ import annotations

from typing import Any

import pytest
from simcord import MemberActor

from bot.domain.challenges import ChallengeState
from bot.domain.competitions.ladders import ANSWER, AWAY, UNPAUSED
from bot.domain.places import Place
from rules import GAMES
from tests.support.discord.club import Club, Seen

MINUTE = 60


def rungs(club: Club) -> list[str]:
    """The lines of the ladder's only card."""
    (card,) = [each for each in club.cards() if each.labels == ("Join", "Challenge…")]
    return [line for line in card.text.splitlines() if line.startswith("`")]


async def view(club: Club, who: MemberActor) -> Any:
    """The ladder as a player sees it."""
    return (await club.slash(who, "ladder", game="hedu")).private_handle


async def press(club: Club, who: MemberActor, label: str) -> Seen:
    """Press a button of a player's view, and return the view after it."""
    return await club.change(who, label, on=await view(club, who))


async def opened(club: Club) -> None:
    """Store a ladder with Alice at the top, then Bob, then Carol, without commands or presses."""
    place = Place(club.guild.id, club.channel.id)
    for who in (club.alice, club.bob, club.carol):
        await club.app.ladders.open(place, GAMES["hedu"], club.player(who))
    await club.app.timers.run_due()
    assert rungs(club) == ["` 1.` Alice", "` 2.` Bob", "` 3.` Carol"]


async def challenge(club: Club, who: MemberActor, opponent: str) -> Seen:
    """Challenge a player from the menu, and return the challenge's card."""
    on = await view(club, who)
    assert (await club.choose(who, opponent, on=on)).nothing
    assert "✅ The challenge is in" in club.seen(on).text
    return club.card()


async def test_a_challenger_who_wins_takes_the_place(club: Club) -> None:
    assert "Nobody is on the Hedu ladder yet" in club.seen(await view(club, club.alice)).text
    for number, who in enumerate((club.alice, club.bob), 1):
        assert f"You have place **{number}** of {number}." in (await press(club, who, "Join")).text
    assert "You have place **3** of 3." in (await club.press(club.carol, "Join")).private
    assert rungs(club) == ["` 1.` Alice", "` 2.` Bob", "` 3.` Carol"]
    posts = len(club.posts())
    card = await challenge(club, club.carol, "1. Alice")
    assert "🪜 Hedu ladder: Carol plays for Alice's place." in card.text
    assert card.labels[:3] == ("Accept", "Decline and lose the place", "Withdraw")
    assert len(club.posts()) == posts + 1, "the ladder's card is edited"
    assert rungs(club)[0] == "` 1.` Alice · ⚔️ challenged by Carol"
    refused = await club.press(club.alice, "Pause", on=await view(club, club.alice))
    assert "You have an open challenge" in refused.private
    await club.press(club.alice, "Accept")
    await club.env.advance_time(MINUTE)
    assert rungs(club)[2] == "` 3.` Carol · ⚔️ plays Alice, match #1"
    assert "🪜 Hedu ladder · Match #1" in club.boards()[-1].text
    assert "🪜 Hedu ladder" in (await club.slash(club.alice, "games")).private
    await club.app.matches.resign(1, club.alice.id)
    await club.show(1)
    await club.app.timers.run_due()
    assert "🪜 Carol takes Alice's place on the ladder." in club.card().text
    assert rungs(club) == ["` 1.` Carol", "` 2.` Alice", "` 3.` Bob"]
    profile = (await club.slash(club.alice, "profile", player=club.carol)).private
    assert "**Ladders here** Hedu: place 1 of 3" in profile


async def test_a_place_lost_by_silence_is_announced_once_with_one_ping(club: Club) -> None:
    await opened(club)
    await challenge(club, club.carol, "1. Alice")
    posts = len(club.posts())
    await club.env.advance_time(ANSWER.total_seconds() + MINUTE)
    assert rungs(club) == ["` 1.` Carol", "` 2.` Alice", "` 3.` Bob"]
    notice = club.card()
    assert f"<@{club.alice.id}>, you have not answered Carol for three days, so Carol has taken your place 1." in (
        notice.text
    )
    assert "Alice has not answered, so Carol takes the place." in club.cards()[1].text
    await club.restart()
    await club.env.advance_time(MINUTE)
    assert len(club.posts()) == posts + 1
    await challenge(club, club.alice, "1. Carol")
    await club.press(club.carol, "Decline and lose the place")
    assert "Carol declined, so Alice takes the place." in club.card().text
    assert rungs(club) == ["` 1.` Alice", "` 2.` Carol", "` 3.` Bob"]
    assert len(club.posts()) == posts + 2, "whoever declines knows"


@pytest.mark.parametrize("gone", ["channel", "bot"])
async def test_silence_costs_no_place_where_nobody_can_answer_the_challenge(club: Club, gone: str) -> None:
    await opened(club)
    await challenge(club, club.carol, "1. Alice")
    if gone == "channel":
        club.env.backend.delete_channel(club.channel.id)
    else:
        club.env.backend.remove_guild(club.guild.id)
    await club.env.advance_time(ANSWER.total_seconds() + MINUTE)
    assert (await club.app.challenges.get(1)).state is ChallengeState.EXPIRED
    assert [rung.player.name for rung in (await club.app.ladders.get(1)).rungs] == ["Alice", "Bob", "Carol"]


async def test_lost_places_are_announced_with_different_nonces(club: Club) -> None:
    """Discord ignores a message whose nonce it has seen in the last minutes. The simulation does not."""
    await opened(club)
    dave = club.join("Dave")
    await club.app.ladders.open(Place(club.guild.id, club.channel.id), GAMES["hedu"], club.player(dave))
    await challenge(club, club.bob, "1. Alice")
    await club.env.advance_time(MINUTE)
    await challenge(club, dave, "3. Carol")
    await club.env.advance_time(ANSWER.total_seconds() + MINUTE)
    assert rungs(club) == ["` 1.` Bob", "` 2.` Alice", "` 3.` Dave", "` 4.` Carol"]
    nonces = [post["nonce"] for post in club.payloads() if "nonce" in post]
    assert len(set(nonces)) == len(nonces)
    assert all(len(nonce) <= 25 for nonce in nonces)
    for said in ("so Bob has taken your place 1", "so Dave has taken your place 3"):
        assert sum(said in card.text for card in club.cards()) == 1


async def test_a_pause_is_public_and_a_player_who_stays_away_leaves_the_ladder(club: Club) -> None:
    await opened(club)
    answer = await club.press(club.bob, "Pause", on=await view(club, club.bob))
    assert "Wait a week after you join" in answer.private
    await club.env.advance_time(UNPAUSED.total_seconds())
    assert "You are pausing." in (await press(club, club.bob, "Pause")).text
    assert "` 2.` Bob · ⏸️ pausing since" in rungs(club)[1]
    assert [*club.seen(await view(club, club.carol)).menus.values()] == [{str(club.alice.id): "1. Alice"}]
    assert "place **2** of 3" in (await press(club, club.bob, "Come back")).text
    assert rungs(club)[1] == "` 2.` Bob"
    assert (await press(club, club.carol, "Leave")).labels == ("Yes, leave", "Stay")
    asked = await view(club, club.carol)
    await club.press_all(club.carol, "Leave", "Yes, leave", on=asked)
    assert rungs(club) == ["` 1.` Alice", "` 2.` Bob"]
    await club.env.advance_time(AWAY.total_seconds() - UNPAUSED.total_seconds() + MINUTE)
    assert rungs(club) == ["` 1.` Bob"]
    assert f"<@{club.alice.id}>, you have not played or answered here for thirty days" in club.card().text
    assert "You have place **2** of 2." in (await club.press(club.alice, "Join")).private


async def test_a_challenge_between_blocked_players_takes_the_place_without_a_match(club: Club) -> None:
    await opened(club)
    await club.app.privacy.set_blocked(club.player(club.alice), [club.carol.id])
    on = await view(club, club.carol)
    await club.choose(club.carol, "1. Alice", on=on)
    text = "Alice does not play with you, which counts as declining: you take place 1."
    assert text in club.seen(on).text
    assert rungs(club) == ["` 1.` Carol", "` 2.` Alice", "` 3.` Bob"]
    assert f"<@{club.alice.id}>, Carol has taken your place 1, without a match." in club.card().text
    (card,) = [each for each in club.messages() if club.seen(each).labels == ("Join", "Challenge…")]
    await card.delete()
    await club.app.ladders.leave(1, club.bob.id)
    await club.app.timers.run_due()
    assert rungs(club) == ["` 1.` Carol", "` 2.` Alice"], "a card that was deleted is posted again"


async def test_a_ladder_in_a_hidden_or_closed_channel_is_out_of_reach(club: Club) -> None:
    await opened(club)
    other, dora = club.guild.create_text_channel("other"), club.join("Dora")
    on = await club.open(club.carol, "ladder", game="hedu", where=other)
    club.hide_from(dora)
    club.forbid("send_messages")
    answer = await club.choose(club.carol, "1. Alice", on=on)
    assert "I cannot post in the channel of the ladder" in answer.private
    assert (await club.app.ladders.get(1)).contests == (), "no place is lost by what nobody sees"
    answer = await club.slash(dora, "ladder", game="hedu", where=other)
    assert "This ladder is in a channel that you cannot see." in answer.private
    assert (await club.slash(dora, "ladder", game="dalen", where=other)).private.startswith("Nobody is on")


async def test_moderators_move_a_ladder_but_do_not_judge_one_they_are_on(club: Club) -> None:
    await opened(club)
    other, maud = club.guild.create_text_channel("other"), club.join_as_moderator("Maud")
    assert "Move the ladder here" not in club.seen(await view(club, maud)).labels
    hers, mauds = [
        (await club.slash(who, "ladder", game="hedu", where=other)).private_handle for who in (club.alice, maud)
    ]
    assert club.seen(hers).labels == ("Pause", "Leave")
    await club.app.settings.change_server_settings(club.guild.id, challenger_role_id=1)
    await club.press(maud, "Move the ladder here", on=mauds)
    await club.app.settings.change_server_settings(club.guild.id, challenger_role_id=None)
    assert "The ladder is now in" in club.card().text
    assert "` 1.` Alice" in club.card(other).text
    await club.press(maud, "Join", on=club.last_card(other))
    sent = await club.app.challenges.challenge_on_ladder(1, club.player(club.carol), club.bob.id)
    assert sent is not None
    await club.app.challenges.accept(sent.id, club.player(club.bob))
    assert "You are on this ladder" in (await club.slash(maud, "resign", match="1")).private
    mia = club.join_as_moderator("Mia")
    assert "As a moderator, you can end it" in (await club.slash(mia, "resign", match="1")).private

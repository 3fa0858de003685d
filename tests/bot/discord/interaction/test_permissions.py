"""Presses that are not allowed, and matches that moderators end."""

from __future__ import annotations

import pytest
from simcord import MemberActor

from bot.domain.matches import Ending, ProposalKind, Result
from bot.domain.places import Place
from tests.support.discord.actions import ask
from tests.support.discord.club import FINAL_BUTTONS, Club

STRANGER = "You are not playing in match #1 (Alice vs Bob)"
STRANGER_AFTER = "You did not play in match #1 (Alice vs Bob)"


# Ending other people's matches


async def test_a_press_of_somebody_else_is_refused_in_words(club: Club) -> None:
    """Who may press what is decided by the domain, whose tests have every case."""
    moderator = club.join_as_moderator("Mo")

    async def check(*cases: tuple[str, MemberActor, str]) -> None:
        screen = club.screen()
        for label, who, said in cases:
            assert said in (await club.press_late(who, label, screen)).private, (label, who.name)

    await club.challenge(club.alice, club.bob)
    await check(
        ("Accept", club.alice, "This is your own challenge"),
        ("Accept", club.carol, "This challenge is for Bob"),
        ("Decline", moderator, "This challenge is for Bob"),
        ("Withdraw", club.bob, "Only Alice can withdraw this challenge"),
    )
    await club.press(club.bob, "Decline")
    await club.match(turns=["e5"])
    not_bob = "It is not your turn: Bob is choosing a side in match #1"
    await check(("Play Dark", club.alice, not_bob), ("Play Light", club.carol, STRANGER))
    for kind, stranger in ((ProposalKind.TAKE_BACK, STRANGER), (ProposalKind.REMATCH, STRANGER_AFTER)):
        if kind is ProposalKind.REMATCH:
            await club.resign(club.bob)
            await check(("Rematch", club.carol, STRANGER_AFTER))
        await ask(club, club.alice, kind)
        await check(
            ("Accept", club.alice, "You proposed this yourself"),
            ("Decline", moderator, stranger),
            ("Withdraw", club.carol, stranger),
            ("Withdraw", club.bob, "Only Alice can withdraw this"),
        )
        assert "Accept" in club.card().labels


@pytest.mark.parametrize(
    ("permission", "by"), [("manage_messages", "button"), ("manage_guild", "command"), ("administrator", "button")]
)
async def test_a_moderator_ends_a_stuck_match_after_a_question(club: Club, permission: str, by: str) -> None:
    moderator = club.join_as_moderator("Mo", permission)
    await club.match(turns=["e5"])
    question = await (club.press_old(moderator, "resign") if by == "button" else club.slash(moderator, "resign"))
    assert question.private.startswith("Match #1 is not yours: it is Alice vs Bob. As a moderator, you can")
    assert question.messages[0].labels == ("End this match", "Leave it alone")
    assert (await club.app.matches.match(1)).result is None
    assert (await club.press(moderator, "End this match", on=question.private_handle)).nothing
    assert question.private == "You ended match #1."
    card = club.card()
    assert "🍂 Mo ended this match as a moderator. Nobody wins, and it does not count." in card.text
    assert card.pinged == (club.alice.id, club.bob.id)
    assert card.labels == FINAL_BUTTONS[:3]
    assert (await club.app.matches.match(1)).result == Result(None, Ending.ABANDONED, club.player(moderator))
    assert "is over" in (await club.slash(moderator, "resign", match="1")).private


async def test_only_moderators_may_end_a_match_of_others(club: Club) -> None:
    moderator = club.join_as_moderator("Mo")
    await club.match()
    question = await club.slash(moderator, "resign")
    await club.press(moderator, "Leave it alone", on=question.private_handle)
    assert question.nothing
    for permission in ("manage_channels", "kick_members", "send_messages"):
        helper = club.join_as_moderator(permission, permission)
        assert STRANGER in (await club.slash(helper, "resign")).private
    assert (await club.app.matches.match(1)).result is None
    # Moderators are offered all matches, players their own, and as a player, a moderator needs the opponent.
    options = {"command": "resign", "option": "match"}
    assert len(await club.offers(moderator, "", **options)) == 1
    assert len(await club.offers(club.alice, "", **options)) == 1
    assert await club.offers(club.carol, "", **options) == []
    await club.match(moderator, club.carol)
    labels = (await club.slash(moderator, "resign", match="2")).card.labels
    assert labels == ("Yes, resign", "Call it off", "Keep playing")


async def test_moderators_end_no_match_that_goes_on_or_has_left_their_server(club: Club) -> None:
    moderator = club.join_as_moderator("Mo")
    match = await club.match()
    question = await club.slash(moderator, "resign")
    await club.move(club.alice, "e5")
    await club.press(moderator, "End this match", on=question.private_handle)
    assert question.private == "The board has moved on since you asked, so the match goes on."
    card = club.screen()
    late = club.screen((await club.slash(moderator, "resign")).private_handle.message)
    elsewhere = Place(club.guild.id + 1, club.channel.id + 1)
    await club.app.proposals.move_home(match.id, club.alice.id, elsewhere)
    assert "As a moderator" not in (await club.press_old(moderator, "resign", card)).private
    assert "You are not playing" in (await club.press_late(moderator, "End this match", late)).private
    assert (await club.app.matches.match(1)).result is None

"""Who may press what: each button, pressed by each player, a stranger and a moderator."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from bot.domain.matches import Ending, ProposalKind, Result
from bot.domain.places import Place
from tests.support.actions import ask, resigned
from tests.support.club import FINAL_BUTTONS, Club, Screen
from tests.support.thorough import sample

OWN_CHALLENGE = "This is your own challenge"
FOR_BOB = "This challenge is for Bob"
OWN = "You proposed this yourself"
ONLY_ALICE = "Only Alice can withdraw this"
STRANGER = "You are not playing in match #1 (Alice vs Bob)"
STRANGER_AFTER = "You did not play in match #1 (Alice vs Bob)"
NOT_BOB = "It is not your turn: Bob is choosing a side in match #1"
RESIGN = "Resign match #1?"
VOID = "As a moderator, you can end it if it is stuck"


class Case(NamedTuple):
    """A button on a card, and how it answers each person. None means that the press is allowed."""

    card: str
    label: str
    alice: str | None
    bob: str | None
    carol: str | None
    moderator: str | None


CASES = [
    Case("challenge", "Decline", OWN_CHALLENGE, None, FOR_BOB, FOR_BOB),
    Case("challenge", "Withdraw", None, *["Only Alice can withdraw this challenge"] * 3),
    Case("challenge", "Accept", OWN_CHALLENGE, None, FOR_BOB, FOR_BOB),
    Case("choice", "resign", RESIGN, RESIGN, STRANGER, VOID),
    *(Case("choice", side, NOT_BOB, None, STRANGER, STRANGER) for side in sample(("Play Dark", "Play Light"), 2)),
    *[
        case
        for kind in sample(("draw", "take-back", "abandon"), 3)
        for case in (
            Case(kind, "Decline", OWN, None, STRANGER, STRANGER),
            Case(kind, "Withdraw", None, ONLY_ALICE, STRANGER, STRANGER),
            Case(kind, "Accept", OWN, None, STRANGER, STRANGER),
        )
    ],
    Case("final", "Rematch", None, None, STRANGER_AFTER, STRANGER_AFTER),
    Case("rematch", "Decline", OWN, None, STRANGER_AFTER, STRANGER_AFTER),
    Case("rematch", "Withdraw", None, ONLY_ALICE, STRANGER_AFTER, STRANGER_AFTER),
    Case("rematch", "Accept", OWN, None, STRANGER_AFTER, STRANGER_AFTER),
]


async def begin(club: Club, card: str) -> None:
    """Start a match in which the card can be shown."""
    if card != "challenge":
        await club.match(turns=["e5"])
    if card in {"final", "rematch"}:
        await resigned(club, club.bob)


async def show(club: Club, card: str) -> Screen:
    """Show a new card, and return it as it is on the screen."""
    if card == "challenge":
        await club.challenge(club.alice, club.bob)
    elif card == "rematch":
        final = next(each for each in club.messages() if "Rematch" in club.seen(each).labels)
        await club.press(club.alice, "Rematch", on=final)
    elif card not in {"choice", "final"}:
        await ask(club, club.alice, ProposalKind(card))
    return club.screen()


async def stored(club: Club, proposal_id: int) -> tuple[object, ...]:
    """Everything that a press could change."""
    challenge = await club.newest_challenge()
    async with club.app.storage.read() as tx:
        proposal, match, rematch = await tx.proposals.get(proposal_id), await tx.matches.get(1), await tx.matches.get(2)
    return (challenge.state, proposal and proposal.state, match and (match.step, match.result), rematch)


#: Every button with each person who may press it. Nobody may resign with one press.
PRESSES = [
    (case, who)
    for case in CASES
    for who in [name for name in ("alice", "bob") if getattr(case, name) is None] or ["nobody"]
]
#: Presses in groups that can follow each other, since each begins with a new challenge or proposal.
STORIES = [
    *(
        [each for each in PRESSES if each[0].card == card]
        for card in dict.fromkeys(case.card for case in CASES if case.card not in {"choice", "final"})
    ),
    *([each] for each in PRESSES if each[0].card in {"choice", "final"}),
]


@pytest.mark.parametrize("presses", STORIES, ids=lambda each: f"{each[0][0].card}-{each[-1][0].label}-{each[-1][1]}")
async def test_who_may_press_what(club: Club, presses: list[tuple[Case, str]]) -> None:
    people = {"alice": club.alice, "bob": club.bob, "carol": club.carol, "moderator": club.join_as_moderator("Mo")}
    await begin(club, presses[0][0].card)
    for number, (case, may) in enumerate(presses, 1):
        screen = await show(club, case.card)
        before = await stored(club, number)
        press = club.press_old if case.label == "resign" else club.press_late
        for who, person in people.items():
            refused: str | None = getattr(case, who)
            if refused is not None:
                assert refused in (await press(person, case.label, screen)).private
                assert await stored(club, number) == before
        if may != "nobody":
            assert (await press(people[may], case.label, screen)).nothing
            assert await stored(club, number) != before


# Ending other people's matches


@pytest.mark.parametrize(
    ("permission", "by"), [("manage_messages", "button"), ("manage_guild", "command"), ("administrator", "button")]
)
async def test_a_moderator_ends_a_stuck_match_after_a_question(club: Club, permission: str, by: str) -> None:
    moderator = club.join_as_moderator("Mo", permission)
    await club.match(turns=["e5"])
    question = await (club.press_old(moderator, "resign") if by == "button" else club.slash(moderator, "resign"))
    assert question.private.startswith("You are not playing in match #1: it is Alice vs Bob. As a moderator, you can")
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
    # Moderators are offered all matches, players their own.
    options = {"command": "resign", "option": "match"}
    assert len(await club.offers(moderator, "", **options)) == 1
    assert len(await club.offers(club.alice, "", **options)) == 1
    assert await club.offers(club.carol, "", **options) == []


async def test_a_match_that_goes_on_is_not_stuck(club: Club) -> None:
    moderator = club.join_as_moderator("Mo")
    await club.match()
    question = await club.slash(moderator, "resign")
    await club.move(club.alice, "e5")
    await club.press(moderator, "End this match", on=question.private_handle)
    assert question.private == "The board has moved on since you asked, so the match goes on."
    assert (await club.app.matches.match(1)).result is None


async def test_moderators_end_no_match_that_has_left_their_server(club: Club) -> None:
    moderator = club.join_as_moderator("Mo")
    match = await club.match()
    card = club.screen()
    question = club.screen((await club.slash(moderator, "resign")).private_handle.message)
    elsewhere = Place(club.guild.id + 1, club.channel.id + 1)
    await club.app.proposals.move_from_gone_channel(match.id, club.alice.id, elsewhere)
    assert VOID not in (await club.press_old(moderator, "resign", card)).private
    assert "You are not playing" in (await club.press_late(moderator, "End this match", question)).private
    assert (await club.app.matches.match(1)).result is None


async def test_a_moderator_who_plays_needs_the_opponent_as_everybody_does(club: Club) -> None:
    moderator = club.join_as_moderator("Mo")
    await club.match(moderator, club.bob)
    question = await club.slash(moderator, "resign")
    assert "End this match" not in question.messages[0].labels
    assert "Propose to abandon" in question.messages[0].labels

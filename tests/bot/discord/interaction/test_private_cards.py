"""Private cards whose match is over or has moved on."""

from __future__ import annotations

import pytest
from simcord.results import ResponseMessage

from tests.support.discord.club import Club
from tests.support.thorough import sample


def is_there(club: Club, card: ResponseMessage) -> bool:
    return card.id in club.env.backend.messages[card.channel_id]


@pytest.mark.parametrize("way", sample(["Play", "More…", "Resign…"], 2))
async def test_open_private_cards_are_closed_when_the_match_ends(club: Club, way: str) -> None:
    await club.match(turns=["e5", "light"])
    card = (await club.press(club.bob, "More…" if way == "Resign…" else way)).private_handle
    if way == "Resign…":
        await club.press(club.bob, way, on=card)
    assert club.seen(card).labels
    assert not is_there(club, await club.open(club.alice, "resign", "Yes, resign"))
    assert club.seen(card).labels == ()
    assert club.seen(card).text == "Match #1 is over. /play starts a new one."
    assert club.seen(card).pictures == ()


@pytest.mark.parametrize("label", sample(["Resign…", "Call it off", "Yes, resign", "Type it", "Cancel"], 2))
async def test_a_press_on_the_private_card_of_a_match_that_is_over_replaces_it(club: Club, label: str) -> None:
    await club.match(turns=["e5", "light"])
    answer = await club.press(club.bob, "Play" if label in ("Type it", "Cancel") else "More…")
    card = answer.private_handle
    if label in ("Yes, resign", "Call it off"):
        await club.press(club.bob, "Resign…", on=card)
    await club.restart()  # with the process that knew the card
    await club.resign(club.alice, 1)
    await club.env.settle()
    assert club.seen(card).labels
    assert (await club.change(club.bob, label, on=card)).labels == ()
    assert "Match #1 is over" in club.seen(card).text


async def test_a_list_of_matches_stays_when_one_of_them_is_over(club: Club) -> None:
    await club.match(club.bob, club.alice, turns=["e5", "light"])
    await club.match(club.carol, club.alice, turns=["e5", "light"])
    games = await club.open(club.alice, "games")
    await club.app.matches.resign(1, club.bob.id, shown_by_caller=True)
    assert "Match #1 is over" in (await club.press(club.alice, "Play #1", on=games)).private
    assert "Play #2" in club.seen(games).labels


async def test_several_wrong_turns_in_the_form_leave_one_card(club: Club) -> None:
    await club.match(turns=["e5", "light"])
    cards = []
    for turn in ("e5", "z9", "e5"):
        answer = await club.type_in(club.bob, turn)
        cards.append(answer.private_handle)
    assert [is_there(club, card) for card in cards] == [False, False, True]
    assert (await club.fill(club.bob, await club.press(club.bob, "Type it", on=cards[-1]), turn="z9")).nothing
    assert "z9" in club.seen(cards[-1]).text

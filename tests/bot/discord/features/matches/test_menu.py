"""*More…*: everything about a match except the next turn, and the board with marks."""

from __future__ import annotations

import pytest

import render
import rules
from tests.support.club import Club
from tests.support.thorough import sample


@pytest.mark.parametrize("game", sample([*rules.GAMES], 5))
async def test_the_menu_has_everything_about_a_match_and_the_marks_of_its_board(club: Club, game: str) -> None:
    await club.match(game=game, size=rules.GAMES[game].sizes[0], clock="3 days")
    answer = await club.press(club.alice, "More…")
    labels, menu = answer.card.labels, answer.private_handle
    assert labels[0].startswith("Rules · ")
    look_up, ask = ("Marks on the board", "Try turns", "Plan", "Note"), ("Offer a draw", "Time", "One living card")
    assert labels[1:] == (*look_up, *ask, "Resign…")
    await club.press(club.alice, "Marks on the board", on=menu)
    before = len(club.env.backend.messages[club.channel.id])
    pictures = set()
    offered = render.overlays_of(rules.GAMES[game])
    for name, overlay in offered.items():
        await club.choose(club.alice, name, menu)
        card = club.seen(menu)
        assert overlay.legend in card.text
        pictures.add(card.pictures)
    assert len(pictures) == len(offered)
    assert len(club.env.backend.messages[club.channel.id]) == before
    assert (await club.change(club.alice, "More…", on=menu)).labels == labels
    await club.press(club.alice, labels[0], on=menu)
    assert await club.turns() == ()


async def test_spectators_look_things_up_and_moderators_end_a_stuck_match(club: Club) -> None:
    await club.match(turns=["e5", "light", "d4"], clock="3 days")
    assert not {"Resign", "Resign…", "Time"} & set(club.card().labels), "the board itself has nothing destructive"
    labels = (await club.press(club.carol, "More…")).card.labels
    assert labels[1:] == ("Marks on the board", "Try turns", "Replay", "Time")
    moderator = club.join_as_moderator("Mo")
    menu = await club.press(moderator, "More…")
    await club.press(moderator, "End this match…", on=menu.private_handle)
    assert "As a moderator, you can end it" in menu.private
    assert "Turn 3 of 3" in club.seen(await club.press_all(club.alice, "More…", "Replay")).text


async def test_resigning_from_the_menu_of_any_card_leaves_no_private_card(club: Club) -> None:
    await club.match()
    screen = club.screen()
    await club.move(club.alice, "e5")
    for label in ("Keep playing", "Yes, resign"):
        assert (await club.app.matches.match(1)).result is None
        menu = (await club.press_late(club.alice, "More…", screen)).private_handle
        await club.press(club.alice, "Resign…", on=menu)
        assert "Resign match #1?" in club.seen(menu).text
        await club.press(club.alice, label, on=menu)
        assert menu.id not in club.env.backend.messages[club.channel.id]
    assert "Alice resigned" in club.card().text


async def test_a_take_back_and_a_draw_can_be_asked_for_and_agreed_to(club: Club) -> None:
    await club.match(turns=["e5", "light", "d4"])
    await club.press_all(club.alice, "More…", "Take back")
    assert "asks to take back" in club.card().text
    board = next(message for message in reversed(club.messages()) if club.screen(message).buttons.get("More…"))
    theirs = await club.press_all(club.bob, "More…", "Take back", on=board)
    assert "has already asked to take turns back" in club.seen(theirs).text
    await club.press(club.bob, "Accept", on=theirs)
    assert await club.turns() == ()
    await club.press_all(club.alice, "More…", "Offer a draw")
    assert "offers a draw" in club.card().text


async def test_marks_about_a_cell_keep_the_cell(club: Club) -> None:
    await club.match(game="hedu", turns=["e5", "black"])
    card = await club.open(club.bob, "board", overlay="groups", cell="e5")
    assert "· e5" in club.seen(card).text
    await club.choose(club.bob, "regions", card)
    assert "· e5" in club.seen(card).text

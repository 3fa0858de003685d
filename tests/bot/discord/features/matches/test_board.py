"""/board, and *More…*: everything about a match except the next turn, and the board with marks."""

from __future__ import annotations

import pytest

import render
import rules
from tests.support.discord.club import Club
from tests.support.thorough import sample


async def test_a_player_gets_the_live_card_again_without_a_ping(club: Club) -> None:
    await club.match(turns=["e5"])
    await club.slash(club.bob, "board")  # the hint for newcomers appears once
    before = club.card()
    assert (await club.slash(club.alice, "board")).nothing
    card = club.card()
    assert card.id != before.id
    assert card.texts == before.texts
    assert card.buttons == before.buttons
    assert card.pinged == ()
    assert club.payloads()[-1]["allowed_mentions"]["users"] == []
    old = next(each for each in club.cards() if each.id == before.id)
    assert old.labels == ()
    assert old.pictures == before.pictures
    assert (await club.press(club.bob, "Play Light")).nothing
    assert await club.turns() == ("e5", "light")


async def test_other_people_get_a_private_copy_without_buttons(club: Club) -> None:
    await club.match(turns=["e5", "light"])
    cards = club.cards()
    copy = (await club.slash(club.carol, "board")).card
    assert copy.labels == ()
    assert copy.pinged == ()
    assert "Bob's turn." in copy.text
    assert copy.descriptions == cards[-1].descriptions
    assert club.picture(copy).tobytes() == club.picture(cards[-1]).tobytes()
    assert [file["description"] for file in copy.files] == list(copy.descriptions)
    assert club.cards() == cards
    # Any member may look at any match of the server by its number.
    elsewhere = club.guild.create_text_channel("elsewhere")
    copy = (await club.slash(club.carol, "board", where=elsewhere, match="1")).card
    copy.says("Alice vs Bob", f"/{club.channel.id}/{club.card().id})")
    assert [choice["value"] for choice in await club.offers(club.carol, "", command="board", option="match")] == ["1"]
    # Players of other matches see the board of this channel, too.
    await club.match(club.bob, club.carol)
    copy = (await club.slash(club.carol, "board")).card
    assert "Alice vs Bob" in copy.text
    # Players elsewhere read where the board is.
    boards = len(club.boards())
    answer = await club.slash(club.alice, "board", where=elsewhere)
    assert answer.private == f"The board is in <#{club.channel.id}>."
    assert len(club.boards()) == boards + 1
    assert club.boards(elsewhere) == []


@pytest.mark.parametrize("game", sample([*rules.GAMES], 5))
async def test_the_menu_has_everything_about_a_match_and_the_marks_of_its_board(club: Club, game: str) -> None:
    await club.match(game=game, size=rules.GAMES[game].sizes[0], clock="3 days")
    answer = await club.press(club.alice, "More…")
    labels, menu = answer.card.labels, answer.private_handle
    assert labels == ("Show on the board", "Try turns", "Time", "Resign…", "Even more…")
    rule, *rare = (await club.change(club.alice, "Even more…", on=menu)).labels
    assert rule == "Rules"
    draw = ["Offer a draw"] if rules.GAMES[game].has_draws else []
    assert rare == ["Plan", "Note", *draw, "One living card", "Back"]
    assert (await club.change(club.alice, "Back", on=menu)).labels == labels
    await club.press(club.alice, "Show on the board", on=menu)
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
    await club.press_all(club.alice, "Even more…", rule, on=menu)
    assert await club.turns() == ()


async def test_spectators_look_things_up_and_moderators_end_a_stuck_match(club: Club) -> None:
    await club.match(turns=["e5", "light", "d4"], clock="3 days")
    assert not {"Resign", "Resign…", "Time"} & set(club.card().labels), "the board itself has nothing destructive"
    labels = (await club.press(club.carol, "More…")).card.labels
    assert labels[:2] == ("Show on the board", "Try turns")
    assert labels[2] == "Rules"
    assert labels[3:] == ("Replay", "Time"), "few enough for one card"
    moderator = club.join_as_moderator("Mo")
    menu = await club.press(moderator, "More…")
    await club.press(moderator, "End this match…", on=menu.private_handle)
    assert "As a moderator, you can end it" in menu.private
    assert "Turn 3 of 3" in club.seen(await club.press_all(club.alice, "More…", "Even more…", "Replay")).text


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
    await club.match(game="hedu", turns=["e5", "white", "d4"])
    await club.press_all(club.alice, "More…", "Take back")
    assert "asks to take back" in club.card().text
    board = next(message for message in reversed(club.messages()) if club.screen(message).buttons.get("More…"))
    theirs = await club.press_all(club.bob, "More…", "Take back", on=board)
    assert "has already asked to take turns back" in club.seen(theirs).text
    await club.press(club.bob, "Accept", on=theirs)
    assert await club.turns() == ()
    await club.press_all(club.alice, "More…", "Even more…", "Offer a draw")
    assert "offers a draw" in club.card().text


async def test_marks_about_a_cell_keep_the_cell(club: Club) -> None:
    await club.match(game="hedu", turns=["e5", "black"])
    card = await club.open(club.bob, "board", overlay="groups", cell="e5")
    assert "· e5" in club.seen(card).text
    await club.choose(club.bob, "regions", card)
    assert "· e5" in club.seen(card).text

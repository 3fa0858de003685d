"""/board shows a player the live card again, and everyone else a private copy."""

from __future__ import annotations

from tests.support.club import Club


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
    assert "Bob to play." in copy.text
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

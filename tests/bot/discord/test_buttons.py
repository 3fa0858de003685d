"""Buttons after a restart, on old cards and from other versions. Every press is answered."""

from __future__ import annotations

import pytest

from bot.domain.preferences import BoardCards
from tests.support.discord.club import Club
from tests.support.thorough import sample

#: With a card for every turn, and with a living card.
BOTH_WAYS = pytest.mark.parametrize("board_cards", BoardCards)


@pytest.mark.parametrize("board_cards", sample([*BoardCards], 2))
async def test_the_buttons_of_a_board_work_after_a_restart(club: Club) -> None:
    await club.match(turns=["e5"])
    await club.restart()
    assert (await club.press(club.bob, "Play Dark")).nothing
    assert await club.turns() == ("e5", "dark")
    await club.restart()
    assert "Resign match #1" in (await club.press_old(club.alice, "resign")).private


@BOTH_WAYS
async def test_a_stale_button_says_that_the_board_has_moved_on(club: Club) -> None:
    await club.match(turns=["e5"])
    screen = club.screen()
    await club.press(club.bob, "Play Light")
    assert "The board has moved on since then" in (await club.press_late(club.bob, "Play Dark", screen)).private
    assert "The board has moved on since then" in (await club.press_old(club.alice, "resign", screen)).private
    assert await club.turns() == ("e5", "light")
    assert club.card().labels == ("Play", "a–c", "d–f", "g–i", "Type it", "More…"), "the card as it is now stays"


@pytest.mark.parametrize("board_cards", sample([*BoardCards], 2))
async def test_a_stale_button_of_a_finished_match_says_that_it_is_over(club: Club) -> None:
    await club.match(turns=["e5"])
    screen = club.screen()
    question = await club.press_old(club.alice, "resign")
    await club.press(club.alice, "Yes, resign", on=question.private_handle)
    assert "Match #1 is over" in (await club.press_late(club.bob, "Play Dark", screen)).private


async def test_an_old_card_that_kept_its_buttons_loses_them_at_a_press(club: Club) -> None:
    await club.match(turns=["e5"])
    club.refuse("PATCH", status=503)
    old = club.last_message()
    await club.press(club.bob, "Play Light")
    assert "Play Dark" in club.boards()[-2].labels
    assert "The board has moved on" in (await club.press(club.bob, "Play Dark", on=old)).private
    assert club.boards()[-2].labels == ()
    assert "Alice opened with `e5`" in club.boards()[-2].text
    assert len(club.boards()[-2].pictures) == 1
    assert club.boards()[-1].labels == ("Play", "a–c", "d–f", "g–i", "Type it", "More…")


async def test_outdated_buttons_are_answered(club: Club) -> None:
    await club.match(turns=["e5"])
    outdated = "This button comes from an earlier version. /board shows the current board."
    for custom_id, words in (
        ("hexgrove:1:juggle:1:1:", outdated),
        ("hexgrove:turn:one:1:dark", outdated),
        ("hexgrove:turn:1::dark", outdated),
        ("hexgrove:challenge:77:accept", "This challenge no longer exists"),
        ("hexgrove:challenge:77:withdraw", "This challenge no longer exists"),
        ("hexgrove:turn:77:0:dark", "There is no match with that number"),
        ("hexgrove:resign-now:77:0", "There is no match with that number"),
        ("hexgrove:turn:1:1:purple", "The second player chooses a side now: `dark` or `light`."),
        ("hexgrove:turn:1:1:", "Which side do you want to play?"),
    ):
        screen = club.screen().relabelled("Play Dark", custom_id)
        assert words in (await club.press_late(club.bob, "Play Dark", screen)).private, custom_id
        assert await club.turns() == ("e5",)


async def test_discord_py_keeps_nothing_of_the_boards_that_were_shown(club: Club) -> None:
    await club.match()
    for _ in range(5):
        await club.slash(club.alice, "board")
    await club.press_old(club.alice, "resign")
    await club.slash(club.alice, "rules", game="dalen")
    await club.slash(club.alice, "settings")
    assert len(club.boards()) == 6
    store = club.app.client._connection._view_store
    assert store._views == {}
    assert store._synced_message_views == {}
    assert store._modals == {}
    assert store._dynamic_items == {}

"""The requests of a turn that count against Discord's limit, and their order."""

from __future__ import annotations

import pytest

from bot.domain.preferences import BoardCards
from tests.support.discord.club import Club
from tests.support.thorough import covered

both_kinds = pytest.mark.parametrize("board_cards", BoardCards)
#: Seconds after which nothing can be sent through an interaction any more.
LONG = 16 * 60
NOT_COUNTED = ("/interactions/", "/webhooks/")


def sent(club: Club, since: int) -> list[str]:
    """The requests in order: counted requests by their methods, and ``post`` for each new public message."""
    posts, requests = club.posts(since), list[str]()
    for request in club.env.http_requests[since:]:
        if not request.path.startswith(NOT_COUNTED):
            requests.append(request.method)
        elif request in posts:
            requests.append("post")
    return requests


@both_kinds
async def test_turns_in_quick_succession_need_no_counted_request(club: Club) -> None:
    await club.match()
    await club.move(club.alice, "e5")
    since = len(club.env.http_requests)
    await club.press(club.bob, "Play Dark")
    await club.move(club.alice, "d4")
    assert sent(club, since) == ["post", "post"]


@pytest.mark.parametrize(("board_cards", "typed"), covered(BoardCards, [True, False]))
async def test_a_turn_after_a_long_time_needs_few_requests(club: Club, board_cards: BoardCards, typed: bool) -> None:
    await club.match()
    await club.move(club.alice, "e5")
    await club.env.advance_time(LONG)
    since = len(club.env.http_requests)
    await (club.move(club.bob, "dark") if typed else club.press(club.bob, "Play Dark"))
    edited = ["PATCH"] if typed else []
    if board_cards is BoardCards.LIVING:
        assert sent(club, since) == [*edited, "post", "DELETE"]
    else:
        assert sent(club, since) == ["post", *edited]


@both_kinds
async def test_a_turn_against_the_computer_needs_few_requests(club: Club, board_cards: BoardCards) -> None:
    await club.slash(club.alice, "challenge", game="dalen", size=5, level=1, first="challenger")
    await club.move(club.alice, "e5")
    club.search.release()
    await club.env.settle()
    await club.env.advance_time(LONG)
    since = len(club.env.http_requests)
    await club.move(club.alice, (await club.app.matches.game(1)).position.legal_turns[0])
    club.search.release()
    await club.env.settle()
    posted = ["POST"] if board_cards is BoardCards.EVERY_TURN else []
    assert sent(club, since) == ["PATCH", *posted, "PATCH"]

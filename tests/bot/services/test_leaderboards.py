"""Leaderboards: who is on them, in which order and on which page."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from bot.domain.competitions.leaderboards import Leaderboard, LeaderboardQuery, Order, Period, Scope
from bot.domain.places import Place
from bot.domain.players import Player
from tests.support.games import WHOLE_GAME
from tests.support.services.house import House
from tests.support.services.matches import ALICE, BOB, CAROL, DAN, HEDU, PLACE, THERE


def rows(board: Leaderboard) -> list[tuple[int | None, str]]:
    return [(entry.rank, entry.player.name) for entry in board.rows]


async def ask(house: House, **terms: Any) -> Leaderboard:
    page = terms.pop("page", 1)
    return await house.ratings.leaderboard(LeaderboardQuery(terms.pop("viewer", ALICE).id, **terms), page)


async def test_those_who_are_not_certain_yet_stand_apart_below(house: House) -> None:
    long = WHOLE_GAME[:20]
    for _ in range(5):
        await house.beat(BOB, ALICE, turns=long)
        await house.beat(ALICE, BOB, turns=long)
    await house.beat(CAROL, ALICE, turns=long)
    board = await ask(house)
    assert rows(board)[2:] == [(None, "Carol")]
    assert [rank for rank, _ in rows(board)[:2]] == [1, 2]
    assert (board.ranked, board.total) == (2, 3)
    carol = board.rows[2]
    assert carol.rating.provisional
    assert carol.rating.value > board.rows[0].rating.value
    house.now = house.now.replace(year=house.now.year + 5)
    assert [rank for rank, _ in rows(await ask(house))] == [None] * 3


async def test_equal_results_share_a_rank(house: House) -> None:
    await house.beat(BOB, ALICE)
    await house.beat(CAROL, ALICE)
    assert rows(await ask(house, order=Order.WINS)) == [(1, "Bob"), (1, "Carol"), (3, "Alice")]


async def test_each_order_counts_what_it_says(house: House) -> None:
    for winner, loser in ((BOB, ALICE), (BOB, ALICE), (BOB, CAROL), (ALICE, CAROL), (BOB, CAROL), (ALICE, BOB)):
        await house.beat(winner, loser)
    await house.draw(ALICE, CAROL)
    shown = {entry.player.name: entry.totals for entry in (await ask(house)).rows}
    counted = {
        name: (totals.wins, totals.draws, totals.losses, totals.best, totals.streak) for name, totals in shown.items()
    }
    assert counted == {"Alice": (2, 1, 2, 2, 0), "Bob": (4, 0, 1, 4, 0), "Carol": (0, 1, 3, 0, 0)}
    assert rows(await ask(house, order=Order.GAMES)) == [(1, "Alice"), (1, "Bob"), (3, "Carol")]
    assert rows(await ask(house, order=Order.WINS)) == [(1, "Bob"), (2, "Alice"), (3, "Carol")]
    assert rows(await ask(house, order=Order.STREAK)) == [(1, "Bob"), (2, "Alice"), (3, "Carol")]
    assert rows(await ask(house, order=Order.RATE)) == [(1, "Bob"), (2, "Alice"), (None, "Carol")]


async def test_games_servers_and_friends_have_boards_of_their_own(house: House) -> None:
    await house.beat(BOB, ALICE, place=PLACE)
    await house.beat(CAROL, DAN, place=THERE, ruleset=HEDU)
    await house.beat(DAN, BOB, place=Place(None, 5))
    by = {"order": Order.WINS}

    async def names(**terms: Any) -> set[str]:
        return {name for _, name in rows(await ask(house, **by, **terms))}

    assert await names() == {"Alice", "Bob", "Carol", "Dan"}
    assert await names(scope=Scope.SERVER, guild_id=1) == {"Alice", "Bob"}
    assert await names(scope=Scope.SERVER, guild_id=2) == {"Carol", "Dan"}
    assert await names(scope=Scope.SERVER, guild_id=3) == set()
    assert await names(game="hedu") == {"Carol", "Dan"}
    assert await names(scope=Scope.FRIENDS) == {"Alice", "Bob"}
    assert await names(scope=Scope.FRIENDS, viewer=DAN) == {"Bob", "Carol", "Dan"}


async def test_months_and_seasons_start_from_zero(house: House) -> None:
    async def wins(span: Period) -> list[tuple[str, int]]:
        board = await ask(house, period=span, order=Order.WINS)
        return [(entry.player.name, entry.totals.wins) for entry in board.rows if entry.totals.wins]

    house.now = house.now.replace(month=2, day=27)
    await house.beat(BOB, ALICE)
    assert await wins(Period.MONTH) == await wins(Period.SEASON) == [("Bob", 1)]
    house.now = house.now.replace(month=3)
    assert await wins(Period.MONTH) == []
    await house.beat(ALICE, BOB)
    assert await wins(Period.MONTH) == [("Alice", 1)]
    assert await wins(Period.SEASON) == [("Alice", 1), ("Bob", 1)]
    house.now = house.now.replace(month=4)
    assert await wins(Period.SEASON) == []
    assert await wins(Period.ALL) == [("Alice", 1), ("Bob", 1)]


async def test_pages_hold_everybody_once_and_ones_own_row_is_always_there(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.services.ratings._PAGE", 3)
    crowd = [Player(1000 + number, f"P{number:02}") for number in range(7)]
    for number, player in enumerate(crowd):
        for _ in range(2 if number < 2 else 1):
            house.now += timedelta(minutes=10)
            await house.beat(player, ALICE)
    boards = [await ask(house, order=Order.WINS, page=page) for page in (1, 2, 3)]
    assert [board.pages for board in boards] == [3, 3, 3]
    names = [name for board in boards for _, name in rows(board)]
    assert len(names) == len(set(names)) == 8
    ranks = [rank for board in boards for rank, _ in rows(board)]
    assert ranks == [1] * 2 + [3] * 5 + [8]
    assert all(board.own_row == boards[2].rows[-1] for board in boards)
    assert await ask(house, order=Order.WINS, page=None) == boards[2]
    assert await ask(house, order=Order.WINS, page=99) == boards[2]
    for board in boards:
        for entry in (board.rows[0], board.rows[-1]):
            own = await ask(house, viewer=entry.player, order=Order.WINS, page=None)
            assert entry.player in [each.player for each in own.rows]
            assert (own.page, own.own_row) == (board.page, entry)


async def test_casual_drawn_and_voided_games_are_counted_as_they_should(house: House) -> None:
    await house.beat(BOB, ALICE, rated=False)
    assert (await ask(house)).total == 0
    match = await house.beat(BOB, ALICE)
    await house.draw(ALICE, BOB)
    await house.matches.void(match.id, DAN)
    board = await ask(house, order=Order.GAMES)
    assert [(entry.totals.wins, entry.totals.draws) for entry in board.rows] == [(0, 1), (0, 1)]

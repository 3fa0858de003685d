"""/leaderboard: who is best, where, when and by what, page by page, and always with one's own place."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from simcord import MemberActor

from bot.domain.competitions.leaderboards import Leaderboard, LeaderboardQuery, Order, Period, Scope
from bot.domain.matches import ProposalKind
from bot.domain.places import Place
from bot.domain.players import Player
from render.geometry import WIDTH
from tests.support.actions import beat
from tests.support.club import Answer, Club, Seen, plain
from tests.support.counts import counting
from tests.support.games import WHOLE_GAME
from tests.support.house import House, house_beside
from tests.support.services import ALICE, BOB, CAROL, DAN, HEDU, PLACE, PLAYED, THERE


def rows(board: Leaderboard) -> list[tuple[int | None, str]]:
    return [(entry.rank, entry.player.name) for entry in board.rows]


async def ask(house: House, **terms: Any) -> Leaderboard:
    page = terms.pop("page", 1)
    return await house.ratings.leaderboard(LeaderboardQuery(terms.pop("viewer", ALICE).id, **terms), page)


# What a leaderboard says


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


# How Discord shows it


async def leaderboard(club: Club, who: MemberActor, **options: Any) -> tuple[Answer, Seen]:
    cards = len(club.cards())
    answer = await club.slash(who, "leaderboard", **options)
    assert len(club.cards()) == cards
    (seen,) = answer.messages
    assert seen.private
    return answer, seen


async def test_a_picture_is_described_in_words_and_the_menu_leads_to_every_other(club: Club) -> None:
    _, seen = await leaderboard(club, club.alice)
    assert "Nobody has finished a rated match here yet." in seen.text
    assert seen.labels == ("Start a game", "Learn")
    assert seen.pictures == ()
    await beat(club, club.bob, club.alice)
    with counting(club.app.database) as counts:
        answer, seen = await leaderboard(club, club.alice, game="dalen", by="wins")
    assert counts.names_on_the_loop == []
    assert seen.texts[0] == "### 🏆 Leaderboard · Dalen"
    assert "You: **#2** of 2 · 0 wins · +0 =0 −1" in plain(seen.text)
    assert seen.descriptions == ("Dalen · Club. By wins · all time · 2 players. 1. Bob 1 win; 2. Alice 0 wins.",)
    assert club.picture(seen).width == WIDTH
    _, seen = await leaderboard(club, club.carol)
    assert "You are not on this leaderboard yet" in seen.text
    assert "unranked Bob 1534? ± 342; unranked Alice 1466? ± 342." in plain(seen.descriptions[0])
    for choice, told in (
        ("order-streak", "By longest winning streak"),
        ("game--", "All games · Club"),
        ("period-season", "this season"),
        ("scope-friends", "All games · people I have played"),
        ("game-dalen", "Dalen · people I have played"),
        ("scope-everywhere", "everywhere"),
    ):
        await club.choose(club.alice, choice, on=answer.private_handle)
        (now,) = answer.messages
        assert told in now.descriptions[0]
        assert len(now.files) == 1
    await club.restart()
    await club.choose(club.alice, "game-hedu", on=answer.private_handle)
    (now,) = answer.messages
    assert "Nobody has finished a rated match in this period yet" in now.text
    assert now.pictures == ()
    await club.choose(club.alice, "game--", on=answer.private_handle)
    assert len(answer.messages[0].pictures) == 1


async def test_buttons_turn_the_pages_and_show_names_in_any_script(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.services.ratings._PAGE", 5)
    alice, strange = club.player(club.alice), ("Анна", "深圳", "👑", "\u202eabc", "𝓐𝓵ice", "x" * 32, "مرحبا", "*_~`|")
    async with house_beside(club.config, club.env.now()) as house:
        for number, name in enumerate(strange):
            await house.beat(Player(1000 + number, name), alice, place=Place(club.guild.id, 1))
    answer, seen = await leaderboard(club, club.alice, by="wins")
    assert seen.labels == ("Next", "My rank")
    assert "You: **#9** of 9" in seen.text
    assert "9. Alice 0 wins" in seen.descriptions[0]
    await club.restart()
    await club.press(club.alice, "Next", on=answer.private_handle)
    (last,) = answer.messages
    assert last.labels == ("Back",)
    assert "page 2 of 2" in last.descriptions[0]
    for name in ("Анна", "深圳", "👑", "مرحبا"):
        assert name in f"{seen.descriptions}{last.descriptions}"
    assert club.picture(seen).width == club.picture(last).width == WIDTH
    await club.press(club.alice, "Back", on=answer.private_handle)
    await club.press(club.alice, "My rank", on=answer.private_handle)
    assert "page 2 of 2" in answer.messages[0].descriptions[0]
    # A button of another time is answered in words.
    await club.press(club.alice, "Back", on=answer.private_handle)
    screen = club.screen(answer.private_handle.message)
    for shown in ("dalen.server.all", "chess.server.all.wins", "dalen.server.week.wins", "...."):
        old = screen.relabelled("Next", f"hexgrove:leaderboard:{shown}:2")
        assert "an earlier version" in (await club.press_late(club.alice, "Next", old)).private, shown


# What the cards of a match say of ratings


async def test_the_last_card_tells_how_ratings_change_or_why_they_do_not(club: Club) -> None:
    card = await beat(club, club.bob, club.alice)
    assert "📈 Alice 1466? ± 342 (−34) · Bob 1534? ± 342 (+34)" in plain(card.text)
    card = await beat(club, club.alice, club.bob)
    assert "📈 Bob 1498? ± 333 (−36) · Alice" in plain(card.text)
    early = await club.match()
    await club.app.matches.resign(early.id, club.alice.id, shown_by_caller=True)
    await club.show(early.id)
    assert "It ended before both players had made two turns, so ratings do not change." in club.card().text
    abandoned = await club.match(turns=PLAYED)
    offered = await club.app.proposals.propose(abandoned.id, club.alice.id, ProposalKind.ABANDON, shown_by_caller=True)
    await club.app.proposals.accept(offered.id, club.bob.id, shown_by_caller=True)
    await club.show(abandoned.id)
    assert "ratings" not in club.card().text, "everybody knows"


async def test_a_casual_game_says_so_from_the_challenge_to_the_end(club: Club) -> None:
    await club.challenge(club.alice, club.bob, size=5, first="challenger", rated=False)
    assert "**Dalen, size 5 · casual**" in club.card().text
    await club.press(club.bob, "Accept")
    assert "Dalen, size 5 · casual" in club.card().text
    await club.play_quietly(1, PLAYED)
    await club.app.matches.resign(1, club.alice.id, shown_by_caller=True)
    await club.show(1)
    assert "This was a casual match, so ratings do not change." in club.card().text

"""Ratings: what a game does to them, what counts, and that they can always be computed again from what is stored."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings, strategies as st
from sqlalchemy import delete, select, update

from bot.__main__ import main
from bot.domain.challenges import ChallengeState, First
from bot.domain.competitions.leaderboards import LeaderboardQuery, Order, Period, Scope
from bot.domain.limits import AFTER_DELETION
from bot.domain.matches import AlreadyVoidError, Ending, ProposalKind
from bot.domain.places import Place
from bot.domain.proposals import NotOverError
from bot.domain.ratings import NEW, Rating
from bot.operator import recompute
from bot.services import ratings
from bot.services.ratings import rate
from bot.storage.repositories.ratings import RatingRepository
from bot.storage.tables import key_values, metadata, rating_changes, rating_events, standings
from tests.support.games import WHOLE_GAME
from tests.support.positions import repeatable
from tests.support.services.house import House, NewHouse
from tests.support.services.matches import (
    ALICE,
    BOB,
    CAROL,
    DALEN,
    DAN,
    HEDU,
    PEOPLE,
    PLACE,
    PLAYED,
    THERE,
    refused,
)
from tests.support.services.stored import running_matches
from tests.support.thorough import fewer, sample

NOW = datetime(2026, 1, 1, tzinfo=UTC)
DAY, YEAR = timedelta(days=1), timedelta(days=365)
EVEN = [1500] * 4


@pytest.fixture
def careful_house(house: House, monkeypatch: pytest.MonkeyPatch) -> House:
    """A house that corrects a single event in each transaction."""
    monkeypatch.setattr(ratings, "_BATCH", 1)
    return house


async def crash(*_: object) -> None:
    raise OSError("the disk is full")


# The formula

PLAYERS = st.builds(
    lambda value, deviation, days: Rating(value, deviation, NOW + timedelta(days=days)),
    st.floats(300, 3000),
    st.floats(60, 350),
    st.floats(0, 365),
)


@settings(repeatable, max_examples=fewer(150, 3))
@given(PLAYERS, PLAYERS, st.sampled_from([1.0, 0.5, 0.0]), st.integers(4, 60), st.floats(0, 2000))
def test_a_game_moves_ratings_the_right_way_and_not_too_far(
    one: Rating, other: Rating, score: float, ply: int, days: float
) -> None:
    at = NOW + YEAR + timedelta(days=days)
    after = rate(one, other, score, ply, at)
    assert after == tuple(reversed(rate(other, one, 1 - score, ply, at)))
    for before, now, own in zip((one, other), after, (score, 1 - score), strict=True):
        aged = before.on(at)
        assert 60 <= now.deviation <= aged.deviation <= 350
        assert aged.deviation >= before.deviation
        assert abs(now.value - before.value) <= 2 * 350 * 3
        if own != 0.5:
            assert (now.value - before.value) * (own - 0.5) >= 0


def test_newcomers_start_at_1500_and_settle_after_about_seven_games() -> None:
    one, other = NEW.on(NOW), NEW.on(NOW)
    assert (one.value, one.deviation, one.provisional) == (1500, 350, True)
    games = 0
    while one.provisional or other.provisional:
        one, other = rate(one, other, float(games % 2), 20, NOW)
        games += 1
    assert games == 7
    assert abs(one.value - 1500) < 60


def test_a_game_of_four_turns_moves_ratings_a_fifth_as_far() -> None:
    for opponent in (NEW, Rating(1700, 60)):
        short, whole, longer = (rate(NEW, opponent, 1, ply, NOW)[0] for ply in (4, 20, 200))
        assert short.value - 1500 == pytest.approx((whole.value - 1500) / 5)
        assert 350 > short.deviation > whole.deviation
        assert whole == longer


def test_a_certain_player_stronger_by_400_points_wins_ten_times_to_one() -> None:
    strong, weak = Rating(1900, 60, NOW), Rating(1500, 60, NOW)
    won, lost = rate(strong, weak, 1, 20, NOW)[0], rate(strong, weak, 0, 20, NOW)[0]
    gain, loss = won.value - strong.value, strong.value - lost.value
    assert 0 < 7 * gain < loss < 13 * gain


def test_a_draw_helps_the_weaker() -> None:
    strong, weak = rate(Rating(1700, 80, NOW), Rating(1500, 80, NOW), 0.5, 20, NOW)
    assert strong.value < 1700
    assert weak.value > 1500


def test_uncertainty_grows_from_60_to_110_in_a_year_and_has_a_limit() -> None:
    rating = Rating(1600, 60, NOW)
    assert [round(rating.on(NOW + time).deviation) for time in (-DAY, 0 * DAY, YEAR, 100 * YEAR)] == [60, 60, 110, 350]
    assert rating.on(NOW + YEAR).value == 1600
    until = datetime.fromtimestamp(rating.settled_until, UTC)
    assert [rating.on(until + time).provisional for time in (-DAY, DAY)] == [False, True]


# What counts


async def test_a_win_raises_the_winner_in_the_game_and_over_all_games(house: House) -> None:
    match = await house.beat(BOB, ALICE)
    assert [(change.player_id, round(change.after.value)) for change in match.rating_changes] == [
        (ALICE.id, 1466),
        (BOB.id, 1534),
    ]
    assert await house.values() == await house.values("") == [1466, 1534, 1500, 1500]
    await house.beat(ALICE, BOB, ruleset=HEDU)
    assert await house.values() == [1466, 1534, 1500, 1500]
    assert await house.values("hedu") == [1534, 1466, 1500, 1500]
    alice, bob, *_ = await house.values("")
    assert 1500 < alice < 1600
    assert bob == 3000 - alice


async def test_a_drawn_game_counts(house: House) -> None:
    await house.beat(BOB, ALICE)
    alice, bob = (await house.draw(ALICE, BOB)).rating_changes
    assert alice.after.value > alice.before.value
    assert bob.after.value < bob.before.value


async def test_a_game_that_the_rules_end_counts(house: House) -> None:
    match = await house.start(turns=WHOLE_GAME)
    assert (await house.result(match)).ending is Ending.RULES
    assert len(match.rating_changes) == 2


@pytest.mark.parametrize("count", range(4))
async def test_a_game_given_up_before_both_made_two_turns_does_not_count(house: House, count: int) -> None:
    assert (await house.beat(BOB, ALICE, turns=PLAYED[:count])).rating_changes == ()
    assert (await house.draw(ALICE, BOB, turns=PLAYED[:count])).rating_changes == ()
    assert await house.values() == EVEN
    await house.check_ratings()


async def test_casual_and_abandoned_games_do_not_count(house: House) -> None:
    assert (await house.beat(BOB, ALICE, rated=False)).rating_changes == ()
    await house.agree(await house.start(turns=PLAYED), ProposalKind.ABANDON)
    await house.matches.force_abandon((await house.start(turns=PLAYED)).id, CAROL)
    assert await house.values() == EVEN
    assert (await house.ratings.leaderboard(LeaderboardQuery(ALICE.id))).total == 0
    await house.check_ratings()


@pytest.mark.parametrize("rated", [True, False])
async def test_a_rematch_is_rated_as_the_match_before(house: House, rated: bool) -> None:
    assert (await house.rematch(await house.beat(BOB, ALICE, rated=rated))).rated is rated


async def test_a_match_counts_once_even_if_it_is_counted_again(house: House) -> None:
    match = await house.beat(BOB, ALICE)
    before = await house.ratings.digest()
    async with house.storage.transaction() as tx:
        await house.ratings.rate(tx, match.id)
    assert await house.ratings.digest() == before


async def test_a_crash_before_the_end_is_stored_leaves_no_trace_in_the_ratings(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = await house.start(turns=PLAYED)
    for step in ("log", "latest", "put_updates", "totals", "save_standings", "update_standings"):
        with monkeypatch.context() as broken:
            broken.setattr(RatingRepository, step, crash)
            with pytest.raises(OSError, match="disk is full"):
                await house.resign(match, ALICE)
        assert (await house.match(match)).result is None
        assert await house.values() == EVEN
    await house.resign(match, ALICE)
    assert await house.values() == [1466, 1534, 1500, 1500]
    await house.check_ratings()


# Voiding


@pytest.fixture
def interrupt(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Fills the disk before a given transaction of a correction ends."""

    @contextmanager
    def full_disk(after: int) -> Iterator[None]:
        put, done = RatingRepository.put_updates, 0

        async def put_or_crash(*what: Any) -> None:
            nonlocal done
            done += 1
            await (crash if done == after else put)(*what)

        with monkeypatch.context() as broken:
            broken.setattr(RatingRepository, "put_updates", put_or_crash)
            yield

    return full_disk


async def test_a_void_that_is_interrupted_is_finished_by_the_next_try(careful_house: House, interrupt: Any) -> None:
    house = careful_house
    first = await house.beat(BOB, ALICE)
    for _ in range(3):
        await house.beat(BOB, CAROL)
    with interrupt(after=2), pytest.raises(OSError, match="disk is full"):
        await house.matches.void(first.id, DAN)
    await refused(AlreadyVoidError, house.matches.void(first.id, DAN))
    assert await house.values() == [1500, 1590, 1410, 1500]
    await house.check_ratings()


async def test_the_next_start_finishes_a_void_that_was_stopped_anywhere(careful_house: House, interrupt: Any) -> None:
    """Nothing that was corrected before the stop is lost."""
    house = careful_house
    games = [(BOB, ALICE), (CAROL, ALICE), (BOB, CAROL), (CAROL, DAN), (DAN, ALICE), (ALICE, CAROL), (DAN, BOB)]
    played = [await house.beat(*pair) for pair in games]
    for stop in sample(range(2, 9), 4):
        # The first two of the last seven games.
        for match in played[-7:-5]:
            with interrupt(after=stop), suppress(OSError):
                await house.matches.void(match.id, DAN)
        await house.ratings.catch_up()
        await house.check_ratings()
        played += [await house.beat(*pair) for pair in games[:2]]


async def test_a_void_rates_only_the_matches_from_there_on_again(
    careful_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house, played, rated = careful_house, [], list[datetime]()

    def note(first: Rating, second: Rating, score: float, ply: int, at: datetime) -> tuple[Rating, Rating]:
        rated.append(at)
        return rate(first, second, score, ply, at)

    for winner, loser in ((BOB, ALICE), (CAROL, DAN), (BOB, CAROL), (ALICE, DAN)):
        house.now += DAY
        played.append(await house.beat(winner, loser))
    monkeypatch.setattr(house.ratings, "formula", note)
    for voided, following in ((1, played[2:]), (3, [])):
        rated.clear()
        await house.matches.void(played[voided].id, DAN)
        assert rated == [match.ended_at for match in following for _game_and_all_games in range(2)]
        await house.check_ratings()


@pytest.mark.both_databases
async def test_games_go_on_during_a_correction(careful_house: House) -> None:
    house = careful_house
    early = [await house.beat(*pair) for pair in ((BOB, ALICE), (CAROL, BOB), (BOB, CAROL), (ALICE, CAROL))]
    pairs = ((BOB, CAROL), (ALICE, DAN), (CAROL, ALICE))
    running = [await house.start(*pair, house.room(), turns=PLAYED) for pair in pairs]
    await asyncio.gather(
        house.matches.void(early[0].id, DAN),
        house.matches.void(early[2].id, DAN),
        house.resign(running[0], BOB),
        house.privacy.delete(DAN.id),
        house.resign(running[2], ALICE),
    )
    await house.check_ratings()


@pytest.mark.both_databases
async def test_the_first_start_with_another_formula_rates_all_matches_again(house: House) -> None:
    for winner, loser in ((BOB, ALICE), (CAROL, BOB), (ALICE, CAROL)):
        await house.beat(winner, loser)
        house.now += 2 * DAY
    rated = await house.values(), await house.values("")
    async with house.database.write() as connection:
        for table in (standings, rating_changes, key_values):
            await connection.execute(delete(table))
    await house.ratings.catch_up()
    assert (await house.values(), await house.values("")) == rated
    await house.check_ratings()
    digest = await house.ratings.digest()
    await house.ratings.catch_up()
    assert await house.ratings.digest() == digest


async def test_a_recomputation_that_is_interrupted_is_finished_by_the_next_start(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    await house.beat(BOB, ALICE)
    right = await house.ratings.digest()
    async with house.database.write() as connection:
        await connection.execute(update(standings).values(wins=7))
    with monkeypatch.context() as broken:
        broken.setattr(RatingRepository, "players_after", crash)
        with pytest.raises(OSError, match="disk is full"):
            await house.ratings.recompute()
    await house.ratings.catch_up()
    assert await house.ratings.digest() == right


async def test_a_voided_match_is_as_if_it_had_never_been_played(house: House) -> None:
    """Ratings computed from the stored events alone are the same, also for later opponents."""
    results = [(BOB, ALICE), (CAROL, BOB), (ALICE, CAROL), (DAN, CAROL), (ALICE, DAN)]
    played = []
    for winner, loser in results:
        played.append(await house.beat(winner, loser))
        house.now += 3 * DAY
    match = await house.matches.void(played[1].id, DAN)
    assert match.result is not None
    assert (match.result.ending, match.result.winner_id, match.result.moderator) == (Ending.VOID, None, DAN)
    assert match.rating_changes == ()
    after = await house.values(), await house.values("")
    await house.check_ratings()
    async with house.database.read() as connection:
        kinds = (await connection.execute(select(rating_events.c.kind).order_by(rating_events.c.seq))).scalars().all()
    assert kinds == ["rated"] * 5 + ["voided"]
    async with house.database.write() as connection:
        for table in (standings, rating_changes):
            await connection.execute(delete(table))
    await house.ratings.recompute()
    assert (await house.values(), await house.values("")) == after


async def test_only_a_match_that_is_over_and_counts_can_be_voided(house: House) -> None:
    await refused(NotOverError, house.matches.void((await house.start()).id, DAN))
    over = await house.beat(BOB, ALICE)
    await house.matches.void(over.id, DAN)
    await refused(AlreadyVoidError, house.matches.void(over.id, DAN))
    assert await house.values() == EVEN
    casual = await house.beat(BOB, ALICE, rated=False)
    assert (await house.matches.void(casual.id, DAN)).result is not None


async def test_the_command_reports_changes_by_its_status(
    house: House, database_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    await house.beat(ALICE, BOB)
    right = await house.values()
    monkeypatch.setenv("DATABASE_URL", database_url)
    assert await recompute(database_url)
    assert capsys.readouterr().out == "1 games count. All ratings are as they were.\n"
    async with house.database.write() as connection:
        await connection.execute(update(rating_changes).values(value=1234.0))
    for status, said in ((1, "The ratings have changed."), (0, "All ratings are as they were.")):
        assert await asyncio.to_thread(main, ["ratings"]) == status
        assert capsys.readouterr().out == f"1 games count. {said}\n"
    assert await house.values() == right
    with pytest.raises(SystemExit):
        main(["ratings", "--help"])
    assert "exit status is 1 when the ratings have changed" in " ".join(capsys.readouterr().out.split())


# Deletion of a player


@pytest.mark.both_databases
async def test_a_deleted_player_leaves_their_matches_to_the_opponents(house: House) -> None:
    won = await house.beat(BOB, ALICE)
    await house.beat(CAROL, BOB)
    running = [await house.start(ALICE, CAROL, turns=PLAYED)]
    open_to_all = await house.challenge(CAROL, None)
    running.append(await house.challenges.accept(open_to_all.id, ALICE))
    mine, theirs = await house.challenge(ALICE, BOB), await house.challenge(CAROL, ALICE)
    await house.privacy.delete(ALICE.id)
    for match in running:
        assert (await house.match(match)).result is not None
    for offered, state in ((mine, ChallengeState.WITHDRAWN), (theirs, ChallengeState.DECLINED)):
        assert (await house.challenges.get(offered.id)).state is state
    match = await house.match(won)
    assert (match.first.name, match.second, match.result and match.result.winner_id) == ("", BOB, BOB.id)
    assert [round(change.after.value) for change in match.rating_changes] == [1466, 1534]
    assert (await house.values())[0] == 1500
    for order in Order:
        board = await house.ratings.leaderboard(LeaderboardQuery(BOB.id, order=order))
        assert {entry.player for entry in board.rows} == {BOB, CAROL}
    await house.check_ratings()
    async with house.database.read() as connection:
        for table in metadata.sorted_tables:
            for row in await connection.execute(select(table)):
                assert ALICE.id not in row
                assert ALICE.name not in row
    await house.privacy.delete(ALICE.id)
    await house.beat(ALICE, BOB)
    assert round((await house.ratings.rating(ALICE.id)).value) > 1500
    await house.check_ratings()


@pytest.mark.both_databases
@pytest.mark.parametrize("seed", sample(range(6), 6))
async def test_no_running_match_has_a_player_without_a_name(house: House, seed: int) -> None:
    offered = await house.challenge(first=First.CHALLENGER)
    running = await house.start(place=house.room(), turns=PLAYED)
    calls = [
        house.challenges.accept(offered.id, BOB),
        house.play(running, BOB, "d5"),
        house.privacy.delete(ALICE.id),
    ]
    random.Random(seed).shuffle(calls)
    await asyncio.gather(*calls, return_exceptions=True)
    for match in await running_matches(house.storage):
        assert not any(player.deleted for player in match.players)
    await house.check_ratings()


# Anything at all

DEEDS = st.one_of(
    st.tuples(st.just("play"), st.permutations(range(4)), st.integers(0, 99)),
    st.tuples(st.just("play"), st.permutations(range(4)), st.integers(0, 99)),
    st.tuples(st.just("void"), st.integers(0, 30), st.integers(1, 7)),
    st.tuples(st.just("wait"), st.integers(-5, 400), st.none()),
    st.tuples(st.just("delete"), st.integers(0, 3), st.integers(0, 9)),
)


@pytest.mark.both_databases
def test_whatever_happened_the_ratings_follow_from_what_is_stored(new_house: NewHouse, backend: str) -> None:
    async def run(deeds: list[Any]) -> None:
        async with new_house() as house:
            ended = list[int]()
            for deed, what, how in deeds:
                match deed:
                    case "play":
                        one, other = PEOPLE[what[0]], PEOPLE[what[1]]
                        ways: dict[str, Any] = {
                            "turns": PLAYED if how % 7 else PLAYED[:2],
                            "ruleset": (DALEN, HEDU)[how % 2],
                            "place": (PLACE, THERE, Place(None, 30))[how % 3],
                            "rated": how % 5 > 0,
                        }
                        played = await (house.beat if how % 4 else house.draw)(one, other, **ways)
                        ended.append(played.id)
                    case "void" if ended:
                        with patch.object(ratings, "_BATCH", how):
                            await house.matches.void(ended.pop(what % len(ended)), DAN)
                    case "wait":
                        house.now += timedelta(days=what)
                    case "delete" if how < 3:
                        await house.privacy.delete(PEOPLE[what].id)
                        house.now += AFTER_DELETION.span
            await house.check_ratings()
            for scope in Scope:
                for order in Order:
                    board = await house.ratings.leaderboard(
                        LeaderboardQuery(ALICE.id, 1, scope, "dalen", Period.ALL, order)
                    )
                    assert len(board.rows) == board.total

    @settings(repeatable, max_examples=fewer(10 if backend == "sqlite" else 4, 3))
    @given(st.lists(DEEDS, min_size=8, max_size=25))
    def check(deeds: list[Any]) -> None:
        asyncio.run(run(deeds))

    check()

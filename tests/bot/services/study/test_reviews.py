"""Reviews: their contents, and that each is made once."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

import rules
from bot.config import Config
from bot.domain.computer import NothingFoundError, SearchRequest, SearchResult, hint_request
from bot.domain.matches import Game
from bot.domain.players import Player
from bot.domain.study.reviews import (
    NothingToReviewError,
    Review,
    StillReviewingError,
    StillRunningError,
    TurningPoint,
    review_of,
)
from bot.services.study.reviews import PendingReview, Reviews
from bot.storage.repositories.study import ReviewRepository
from rules import PASS, Outcome, Phase
from rules.search import VERSION, Level, choose
from rules.search.players import at_random
from tests.support.services.house import House, house_fixture
from tests.support.services.matches import ALICE, BOB, CAROL, HEDU, PLAYED, Clock, refused
from tests.support.waiting import until

LARGE = rules.ruleset("dendria", 11)
#: What is found after the choice of side, by the number of turns so far. Light is to play first.
FOUND = {
    2: SearchResult("c3", 0.6, ("c3", "d5", "e6", "f6", "g6")),
    3: SearchResult("a2", 0.75, ("a2", "b2")),
    4: SearchResult("c1", 0.7),
}
#: The chances to win of Light, Dark and Light.
LIGHT, DARK, AFTER = (found.value for found in FOUND.values())
REVIEW = Review(
    (1 - LIGHT, DARK, 1 - AFTER),
    (
        TurningPoint(3, "c3", ("d5", "e6", "f6"), LIGHT, 1 - DARK, "a2"),
        TurningPoint(4, "a2", ("b2",), DARK, 1 - AFTER, "c1"),
    ),
)


class ReviewHouse(House):
    """A house whose searches end when the test says so."""

    def __init__(self, config: Config, clock: Clock) -> None:
        super().__init__(config, clock)
        self.asked: list[SearchRequest] = []
        #: The people whose turn each of these searches takes, and the searches that each says to be left.
        self.people: list[int] = []
        self.left: list[int] = []
        self.failures: list[Exception] = []
        self.free = asyncio.Event()
        self.free.set()
        self.find: Callable[[SearchRequest], SearchResult] = found_in_example
        #: How much people have used.
        self.used: dict[int, float] = {}
        self.begin()

    def begin(self, version: int = VERSION) -> None:
        """A process begins, which knows of no review that is being made."""
        self.reviews = Reviews(
            self.storage, self.fair_play, self.think, lambda person: self.used.get(person, 0), version=version
        )

    async def think(self, player_id: int, request: SearchRequest, *, searches: int = 1) -> SearchResult:
        self.people.append(player_id)
        self.left.append(searches)
        self.asked.append(request)
        await self.free.wait()
        if self.failures:
            raise self.failures.pop()
        return self.find(request)

    async def finished(self, turns: tuple[str, ...] = PLAYED, **how: Any) -> Game:
        """A game that Alice resigns after these turns."""
        return await self.resign(await self.start(turns=turns, all_stored=True, **how), ALICE)

    async def pending(self, game: Game, player: Player = ALICE) -> PendingReview:
        pending = await self.reviews.get(game, player.id)
        assert isinstance(pending, PendingReview)
        return pending

    async def review(self, game: Game) -> Review:
        found = await self.reviews.get(game, ALICE.id)
        return await made(found) if isinstance(found, PendingReview) else found


def found_in_example(request: SearchRequest) -> SearchResult:
    return FOUND.get(len(request.turns), SearchResult(request.turns[-1], 0.5))


async def made(pending: PendingReview) -> Review:
    """The review, when it is there."""
    async with asyncio.timeout(20):
        while (review := await pending.wait()) is None:
            pass
        return review


def plies(review: Review) -> list[int]:
    return [point.ply for point in review.points]


house = house_fixture(ReviewHouse)


# What a review finds


async def test_a_review_finds_who_stood_better_and_the_turns_that_gave_most_away(house: ReviewHouse) -> None:
    assert await house.review(await house.finished()) == REVIEW
    levels = [(len(request.turns), request.level) for request in house.asked]
    assert levels == [(2, 3), (3, 3), (4, 3), (2, 4), (3, 4), (4, 4)], "what gave something away is looked at again"
    assert house.left == [3, 2, 1, 3, 2, 1], "short reviews come first, and long ones once little is left"


async def test_nobody_is_blamed_for_what_a_hint_would_have_advised(house: ReviewHouse) -> None:
    game = await house.finished()
    before = Game(replace(game.match, ply=2, result=None), PLAYED[:2], game.match.ruleset.replay(PLAYED[:2]), ())
    hint = replace(hint_request(before), explained=False)

    def find(request: SearchRequest) -> SearchResult:
        found = found_in_example(request)
        return replace(found, turn=PLAYED[2]) if request == hint else found

    house.find = find
    assert plies(await house.review(game)) == [4]


async def test_a_turn_that_only_seems_to_give_something_away_is_no_turning_point(house: ReviewHouse) -> None:
    def find(request: SearchRequest) -> SearchResult:
        found = found_in_example(request)
        return found if request.level == 3 else replace(found, value=0.5)

    house.find = find
    assert await house.review(await house.finished()) == Review((0.5, 0.5, 0.5), ())


async def test_only_a_few_turns_that_give_most_away_are_searched_again(house: ReviewHouse) -> None:
    turns = (*PLAYED, "c3", "i9", "g7", "a3", "g3", "c7", "e2")
    chances = (0.5, 0.4, 0.3, 0.2, 0.1, 0.2, 0.3, 0.4, 0.4, 0.5)

    def find(request: SearchRequest) -> SearchResult:
        ply = len(request.turns)
        return SearchResult("b2", chances[ply - 2] if ply % 2 == 0 else 0.9)

    house.find = find
    await house.review(await house.finished(turns))
    deeper = [len(request.turns) for request in house.asked if request.level == 4]
    assert 6 <= len(deeper) <= 10
    assert len(deeper) == len(set(deeper)), "no position is searched twice"


async def test_a_turn_that_the_search_would_have_played_too_is_no_turning_point(
    house: ReviewHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(FOUND, 2, SearchResult(PLAYED[2], LIGHT, (PLAYED[2],)))
    assert plies(await house.review(await house.finished())) == [4]


@pytest.mark.parametrize(("better", "blamed"), [("d6-c5", []), ("c5", [7])])
async def test_a_turn_to_the_same_position_is_not_better(house: ReviewHouse, better: str, blamed: list[int]) -> None:
    turns = ("e5,g7", "white", "d4-c4", "f7-f10", "e6-i6", "f6-c3", "c5-d6")
    game = await house.finished(turns, ruleset=rules.ruleset("nadraz", 6))
    found = {2: SearchResult("d4", 0.6), 6: SearchResult(better, 0.6), 7: SearchResult("c7", 0.8)}
    assert plies(review_of(game, found, found)) == blamed


@pytest.mark.parametrize(
    ("light", "dark", "after", "blamed"),
    [
        (0.99, 0.06, 0.9, []),  # Light still stands to win, and Dark to lose, whatever they have played.
        (0.2, 0.8, 0.6, [4]),
        (0.99, 0.6, 0.42, [3]),
    ],
)
async def test_a_turn_that_leaves_a_game_as_good_as_decided_is_no_turning_point(
    house: ReviewHouse, light: float, dark: float, after: float, blamed: list[int]
) -> None:
    found = {2: SearchResult("c3", light), 3: SearchResult("a2", dark), 4: SearchResult("c1", after)}
    assert plies(review_of(await house.finished(), found, found)) == blamed


async def test_only_matches_that_are_over_and_were_played_are_reviewed(house: ReviewHouse) -> None:
    await refused(StillRunningError, house.reviews.get(await house.game(await house.start()), ALICE.id))
    await refused(
        NothingToReviewError, house.reviews.get(await house.finished(PLAYED[:2], place=house.room()), ALICE.id)
    )
    assert house.asked == []


@pytest.mark.both_databases
async def test_the_end_by_the_rules_is_no_matter_of_opinion(house: ReviewHouse) -> None:
    game = await house.game(await house.start(turns=("e5", "white", "pass", "pass"), ruleset=HEDU))
    assert isinstance(game.outcome, Outcome)
    review = await house.review(game)
    assert {len(request.turns) for request in house.asked} == {2, 3}
    assert review.chances[-1] == (0.5 if game.outcome.winner is None else 1 - game.outcome.winner)
    assert len(review.chances) == 3


async def test_the_search_itself_sees_a_pass_too_early_and_one_that_was_missed(house: ReviewHouse) -> None:
    def find(request: SearchRequest) -> SearchResult:
        choice = choose(HEDU.replay(request.turns), Level(12), request.seed)
        return SearchResult(choice.turn, choice.value, choice.line)

    house.find = find
    game = await house.finished(("e5", "white", "d4", "d5", "pass", "f6"), ruleset=HEDU)
    review = await house.review(game)
    assert len(review.chances) == 5
    points = {point.ply: point for point in review.points}
    assert points[5].after == 0
    assert (points[6].better, points[6].before) == (PASS, 1)
    for point in review.points:
        HEDU.replay([*game.turns[: point.ply - 1], point.better, *point.line])


# How it is made


async def test_it_is_stored_and_searched_again_only_by_another_version(house: ReviewHouse) -> None:
    game = await house.finished()
    await house.review(game)
    house.begin()
    assert await house.reviews.get(game, ALICE.id) == REVIEW
    assert len(house.asked) == 6
    house.begin(version=VERSION + 1)
    assert await house.review(game) == REVIEW
    assert len(house.asked) == 12


async def test_two_requests_at_once_wait_for_one_review_and_see_its_progress(house: ReviewHouse) -> None:
    game = await house.finished()
    house.free.clear()
    pending, same = [await house.pending(game) for _ in range(2)]
    assert pending is same
    await until(lambda: house.asked)
    assert (pending.done, pending.total) == (0, 3)
    house.free.set()
    assert await made(pending) == REVIEW
    assert pending.done == pending.total == len(house.asked) == 6


async def test_a_request_while_it_is_being_stored_does_not_make_it_again(
    house: ReviewHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = await house.finished()
    house.free.clear()
    pending = await house.pending(game)
    get = ReviewRepository.get

    async def get_just_before_it_is_stored(self: ReviewRepository, match_id: int, version: int) -> Review | None:
        stored = await get(self, match_id, version)
        await made(pending)
        return stored

    monkeypatch.setattr(ReviewRepository, "get", get_just_before_it_is_stored)
    house.free.set()
    assert await house.review(game) == REVIEW
    assert len(house.asked) == 6


async def test_a_waiting_person_sees_each_step_of_the_review(
    house: ReviewHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def think(player_id: int, request: SearchRequest, *, searches: int = 1) -> SearchResult:
        for _ in range(3):  # in which a waiting person can look
            await asyncio.sleep(0)
        return await house.think(player_id, request, searches=searches)

    monkeypatch.setattr(house.reviews, "think", think)
    pending, steps = await house.pending(await house.finished()), []
    while await pending.wait() is None:
        steps.append((pending.done, pending.total))
    assert steps == [(1, 3), (2, 3), (3, 3), (3, 6), (4, 6), (5, 6), (6, 6)]


async def test_a_review_that_fails_begins_again_with_the_next_request(house: ReviewHouse) -> None:
    game = await house.finished()
    house.failures = [RuntimeError("it breaks")]
    with pytest.raises(RuntimeError, match="it breaks"):
        await house.review(game)
    assert await house.review(game) == REVIEW


async def test_a_stop_leaves_nothing_behind(house: ReviewHouse) -> None:
    game = await house.finished()
    house.free.clear()
    pending = await house.pending(game)
    house.reviews.stop()
    await refused(NothingFoundError, made(pending))
    house.free.set()
    assert await house.review(game) == REVIEW


async def test_each_person_waits_for_one_review_and_all_are_made_at_once(house: ReviewHouse) -> None:
    games = [await house.finished() for _ in range(4)]
    house.free.clear()
    people = [ALICE, BOB, CAROL]
    waiting = [await house.pending(game, player) for game, player in zip(games, people, strict=False)]
    for game in games[1:]:
        error = await refused(StillReviewingError, house.reviews.get(game, ALICE.id))
        assert error.match.id == games[0].match.id
    await until(lambda: len(house.people) == 3)
    assert set(house.people) == {player.id for player in people}
    house.free.set()
    for pending in waiting:
        assert await made(pending) == REVIEW
    assert await house.reviews.get(games[1], ALICE.id) == REVIEW
    assert await house.review(games[3]) == REVIEW


async def test_a_review_takes_the_turns_of_the_waiting_person_who_has_used_least(house: ReviewHouse) -> None:
    game = await house.finished()
    house.used = {ALICE.id: 20.0}
    house.free.clear()
    pending = await house.pending(game)
    await until(lambda: house.people)
    assert await house.pending(game, BOB) is pending
    house.free.set()
    await made(pending)
    assert house.people == [ALICE.id, *[BOB.id] * 5]


# Long matches


@pytest.fixture(scope="module")
def long_game() -> tuple[str, ...]:
    """The turns of a game that goes on and on."""
    position, chance, turns = LARGE.start(), random.Random(1), list[str]()
    while position.outcome is None:
        chosen = (
            position.legal_turns[0] if position.phase is not Phase.PLAY else at_random(position, chance.getrandbits(30))
        )
        turns.append(chosen)
        position, _events = position.play(chosen)
    return tuple(turns)


async def test_in_a_long_match_only_turns_that_changed_most_are_searched(
    house: ReviewHouse, long_game: tuple[str, ...]
) -> None:
    game = await house.game(await house.start(turns=long_game, ruleset=LARGE, all_stored=True))
    review = await made(await house.pending(game))
    assert len(review.chances) == len(long_game) - 1 > 350
    searched = [len(request.turns) for request in house.asked if request.level == 3]
    assert 200 < len(searched) <= 250
    assert (searched[0], searched[-1]) == (2, len(long_game) - 1)
    assert len(house.asked) <= len(searched) + 10
    position, changes = LARGE.start(), list[int]()
    for turn in long_game:
        position, events = position.play(turn)
        changes.append(sum(len(event.changed_cells) for event in events))
    looked_at = [changes[ply - 1] for ply in searched if ply - 1 in searched]
    left_out = [changes[ply - 1] for ply in range(3, len(long_game)) if not {ply, ply - 1} <= set(searched)]
    assert sum(looked_at) / len(looked_at) > sum(left_out) / len(left_out)
    gaps = [after - before for before, after in pairwise(searched)]
    assert max(gaps) < 10, "no part of the match is left out"


async def test_between_positions_that_were_looked_at_chances_change_evenly(
    house: ReviewHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.domain.study.reviews._MOST_POSITIONS", 4)

    def find(request: SearchRequest) -> SearchResult:
        chance = (len(request.turns) - 2) / 10
        return SearchResult("b2", chance if len(request.turns) % 2 else 1 - chance)

    house.find = find
    review = await house.review(await house.finished((*PLAYED, "c3", "i9", "g7", "a3")))
    assert review.chances == pytest.approx([0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    assert len(house.asked) < 7

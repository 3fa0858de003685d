"""Reviews: what they find, and that it is searched for once."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace
from itertools import pairwise

import pytest

import rules
from bot.domain.computer import NothingFoundError, SearchRequest, SearchResult, hint_request
from bot.domain.matches import Game
from bot.domain.reviews import (
    NothingToReviewError,
    Review,
    StillReviewingError,
    StillRunningError,
    TurningPoint,
    review_of,
)
from bot.services.fair_play import FairPlay
from bot.services.reviews import PendingReview, Reviews, Think
from bot.storage.study import ReviewRepository
from rules import PASS, Outcome, Phase
from rules.search import VERSION, Level, choose
from rules.search.players import at_random
from tests.support.house import House
from tests.support.random_search import until
from tests.support.services import ALICE, BOB, CAROL, HEDU, PLAYED

LARGE = rules.ruleset("dendria", 11)
#: What is found after the choice of side, by the number of turns so far. Light is to play first.
FOUND = {
    2: SearchResult("c3", 0.6, ("c3", "d5", "e6", "f6", "g6")),
    3: SearchResult("a2", 0.75, ("a2", "b2")),
    4: SearchResult("c1", 0.7),
}
#: The chances to win of Light, Dark and Light, as people are told them.
LIGHT, DARK, AFTER = (found.value for found in FOUND.values())
REVIEW = Review(
    (1 - LIGHT, DARK, 1 - AFTER),
    (
        TurningPoint(3, "c3", ("d5", "e6", "f6"), LIGHT, 1 - DARK, "a2"),
        TurningPoint(4, "a2", ("b2",), DARK, 1 - AFTER, "c1"),
    ),
)


class Reader:
    """Reviews whose searches end when the test says so."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.asked: list[SearchRequest] = []
        self.failures: list[Exception] = []
        self.free = asyncio.Event()
        self.free.set()
        #: Whose turn each of these searches takes, and how much people have used.
        self.people: list[int] = []
        self.used: dict[int, float] = {}
        self.begin()

    def begin(self, think: Think | None = None, version: int = VERSION) -> None:
        """A process begins, which knows of no review that is being made."""
        storage = self.house.storage
        fair_play = FairPlay(storage, self.house.matches)
        self.reviews = Reviews(
            storage, fair_play, think or self.think, lambda person: self.used.get(person, 0), version=version
        )

    async def think(self, player_id: int, request: SearchRequest, *, searches: int) -> SearchResult:
        assert searches > 0
        self.people.append(player_id)
        self.asked.append(request)
        await self.free.wait()
        if self.failures:
            raise self.failures.pop()
        return FOUND.get(len(request.turns), SearchResult(request.turns[-1], 0.5))

    async def finished(self, *turns: str) -> Game:
        match_id = await self.house.start(turns=turns or PLAYED)
        return await self.house.matches.resign(match_id, ALICE.id)

    async def review(self, game: Game) -> Review:
        found = await self.reviews.get(game, ALICE.id)
        return await made(found) if isinstance(found, PendingReview) else found


async def made(pending: PendingReview) -> Review:
    """The review, when it is there."""
    async with asyncio.timeout(20):
        while (review := await pending.wait()) is None:
            pass
        return review


@pytest.fixture
def reader(house: House) -> Reader:
    return Reader(house)


async def test_a_review_finds_who_stood_better_and_the_turns_that_gave_most_away(reader: Reader) -> None:
    assert await reader.review(await reader.finished()) == REVIEW
    levels = [(len(request.turns), request.level) for request in reader.asked]
    assert levels == [(2, 3), (3, 3), (4, 3), (2, 4), (3, 4), (4, 4)], "what gave something away is looked at again"


async def test_nobody_is_blamed_for_what_a_hint_would_have_advised(reader: Reader) -> None:
    game = await reader.finished()
    before = Game(replace(game.match, ply=2, result=None), PLAYED[:2], game.match.ruleset.replay(PLAYED[:2]), ())
    hint = replace(hint_request(before), explained=False)

    async def think(player_id: int, request: SearchRequest, *, searches: int) -> SearchResult:
        found = await reader.think(player_id, request, searches=searches)
        return replace(found, turn=PLAYED[2]) if request == hint else found

    reader.begin(think)
    review = await reader.review(game)
    assert [point.ply for point in review.points] == [4]


async def test_what_only_seems_to_give_something_away_is_no_turning_point(reader: Reader) -> None:
    async def think(player_id: int, request: SearchRequest, *, searches: int) -> SearchResult:
        found = await reader.think(player_id, request, searches=searches)
        return found if request.level == 3 else replace(found, value=0.5)

    reader.begin(think)
    review = await reader.review(await reader.finished())
    assert review == Review((0.5, 0.5, 0.5), ())


async def test_of_many_turns_only_those_that_give_most_away_are_looked_at_again(reader: Reader) -> None:
    turns = ("e5", "light", "d4", "a1", "c3", "i9", "g7", "a3", "g3", "c7", "e2")
    chances = (0.5, 0.4, 0.3, 0.2, 0.1, 0.2, 0.3, 0.4, 0.4, 0.5)

    async def think(player_id: int, request: SearchRequest, *, searches: int) -> SearchResult:
        ply = len(request.turns)
        await reader.think(player_id, request, searches=searches)
        return SearchResult("b2", chances[ply - 2] if ply % 2 == 0 else 0.9)

    reader.begin(think)
    await reader.review(await reader.finished(*turns))
    deeper = [len(request.turns) for request in reader.asked if request.level == 4]
    assert 6 <= len(deeper) <= 10
    assert len(deeper) == len(set(deeper)), "no position is searched twice"


async def test_a_turn_that_the_search_would_have_played_too_is_no_turning_point(
    reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(FOUND, 2, SearchResult(PLAYED[2], LIGHT, (PLAYED[2],)))
    review = await reader.review(await reader.finished())
    assert [point.ply for point in review.points] == [4]


@pytest.mark.parametrize(("better", "plies"), [("d6-c5", []), ("c5", [7])])
async def test_a_turn_to_the_same_position_is_not_better(reader: Reader, better: str, plies: list[int]) -> None:
    turns = ("e5,g7", "white", "d4-c4", "f7-f10", "e6-i6", "f6-c3", "c5-d6")
    match_id = await reader.house.start(turns=turns, ruleset=rules.ruleset("nadraz", 6))
    game = await reader.house.matches.resign(match_id, ALICE.id)
    found = {2: SearchResult("d4", 0.6), 6: SearchResult(better, 0.6), 7: SearchResult("c7", 0.8)}
    assert [point.ply for point in review_of(game, found, found).points] == plies


@pytest.mark.parametrize(
    ("light", "dark", "after", "plies"),
    [
        (0.99, 0.06, 0.9, []),  # Light still stands to win, and Dark to lose, whatever they have played.
        (0.2, 0.8, 0.6, [4]),
        (0.99, 0.6, 0.42, [3]),
    ],
)
async def test_what_leaves_a_game_as_good_as_decided_is_no_turning_point(
    reader: Reader, light: float, dark: float, after: float, plies: list[int]
) -> None:
    found = {2: SearchResult("c3", light), 3: SearchResult("a2", dark), 4: SearchResult("c1", after)}
    review = review_of(await reader.finished(), found, found)
    assert [point.ply for point in review.points] == plies


async def test_it_is_stored_and_searched_again_only_by_another_version(reader: Reader) -> None:
    game = await reader.finished()
    await reader.review(game)
    assert await Reader(reader.house).reviews.get(game, ALICE.id) == REVIEW
    assert len(reader.asked) == 6
    reader.begin(version=VERSION + 1)
    assert await reader.review(game) == REVIEW
    assert len(reader.asked) == 12


async def test_two_requests_at_once_wait_for_one_review_and_see_its_progress(reader: Reader) -> None:
    game = await reader.finished()
    reader.free.clear()
    pending, same = [await reader.reviews.get(game, ALICE.id) for _ in range(2)]
    assert pending is same
    assert isinstance(pending, PendingReview)
    await until(lambda: reader.asked)
    assert (pending.done, pending.total) == (0, 3)
    reader.free.set()
    assert await made(pending) == REVIEW
    assert pending.done == pending.total == 6
    assert len(reader.asked) == 6


async def test_whoever_asks_while_it_is_being_stored_has_it_not_made_again(
    reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = await reader.finished()
    reader.free.clear()
    pending = await reader.reviews.get(game, ALICE.id)
    assert isinstance(pending, PendingReview)
    get = ReviewRepository.get

    async def get_just_before_it_is_stored(self: ReviewRepository, match_id: int, version: int) -> Review | None:
        stored = await get(self, match_id, version)
        await made(pending)
        return stored

    monkeypatch.setattr(ReviewRepository, "get", get_just_before_it_is_stored)
    reader.free.set()
    assert await reader.review(game) == REVIEW
    assert len(reader.asked) == 6


async def test_those_who_wait_for_a_review_see_each_step_of_it(reader: Reader) -> None:
    async def think(player_id: int, request: SearchRequest, *, searches: int) -> SearchResult:
        for _ in range(3):  # in which those who wait can look
            await asyncio.sleep(0)
        return await reader.think(player_id, request, searches=searches)

    reader.begin(think)
    pending = await reader.reviews.get(await reader.finished(), ALICE.id)
    assert isinstance(pending, PendingReview)
    steps = []
    while await pending.wait() is None:
        steps.append((pending.done, pending.total))
    assert steps == [(1, 3), (2, 3), (3, 3), (3, 6), (4, 6), (5, 6), (6, 6)]


async def test_a_review_that_fails_begins_again_when_it_is_asked_for(reader: Reader) -> None:
    game = await reader.finished()
    reader.failures = [RuntimeError("it breaks")]
    with pytest.raises(RuntimeError, match="it breaks"):
        await reader.review(game)
    assert await reader.review(game) == REVIEW


async def test_a_stop_leaves_nothing_behind(reader: Reader) -> None:
    game = await reader.finished()
    reader.free.clear()
    pending = await reader.reviews.get(game, ALICE.id)
    assert isinstance(pending, PendingReview)
    reader.reviews.stop()
    with pytest.raises(NothingFoundError):
        await made(pending)
    reader.free.set()
    assert await reader.review(game) == REVIEW


async def test_each_person_waits_for_one_review_and_all_are_made_at_once(reader: Reader) -> None:
    games = [await reader.finished() for _ in range(4)]
    reader.free.clear()
    people = [ALICE, BOB, CAROL]
    waiting = [await reader.reviews.get(game, who.id) for game, who in zip(games, people, strict=False)]
    for game in games[1:]:
        with pytest.raises(StillReviewingError) as refused:
            await reader.reviews.get(game, ALICE.id)
        assert refused.value.match.id == games[0].match.id
    await until(lambda: len(reader.people) == 3)
    assert set(reader.people) == {who.id for who in people}
    reader.free.set()
    for each in waiting:
        assert isinstance(each, PendingReview)
        assert await made(each) == REVIEW
    assert await reader.reviews.get(games[1], ALICE.id) == REVIEW
    assert await reader.review(games[3]) == REVIEW


async def test_a_review_takes_the_turns_of_who_has_used_least_of_those_who_wait(reader: Reader) -> None:
    game = await reader.finished()
    reader.used = {ALICE.id: 20.0}
    reader.free.clear()
    pending = await reader.reviews.get(game, ALICE.id)
    assert isinstance(pending, PendingReview)
    await until(lambda: reader.people)
    assert await reader.reviews.get(game, BOB.id) is pending
    reader.free.set()
    await made(pending)
    assert reader.people == [ALICE.id, *[BOB.id] * 5]


async def test_short_reviews_come_first_and_later_ask_for_fewer_searches(reader: Reader) -> None:
    left = list[int]()

    async def think(player_id: int, request: SearchRequest, *, searches: int) -> SearchResult:
        left.append(searches)
        return await reader.think(player_id, request, searches=searches)

    reader.begin(think)
    await reader.review(await reader.finished())
    assert left == [3, 2, 1, 3, 2, 1]


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


async def test_of_a_long_match_only_turns_that_changed_most_are_looked_at(
    reader: Reader, long_game: tuple[str, ...]
) -> None:
    match_id = await reader.house.start(turns=long_game, ruleset=LARGE)
    game = await reader.house.matches.game(match_id)
    pending = await reader.reviews.get(game, ALICE.id)
    assert isinstance(pending, PendingReview)
    review = await made(pending)
    assert len(review.chances) == len(long_game) - 1 > 350
    plies = [len(request.turns) for request in reader.asked if request.level == 3]
    assert 200 < len(plies) <= 250
    assert (plies[0], plies[-1]) == (2, len(long_game) - 1)
    assert len(reader.asked) <= len(plies) + 10
    position, changes = LARGE.start(), list[int]()
    for turn in long_game:
        position, events = position.play(turn)
        changes.append(sum(len(event.changed_cells) for event in events))
    looked_at = [changes[ply - 1] for ply in plies if ply - 1 in plies]
    left_out = [changes[ply - 1] for ply in range(3, len(long_game)) if not {ply, ply - 1} <= set(plies)]
    assert sum(looked_at) / len(looked_at) > sum(left_out) / len(left_out)
    gaps = [after - before for before, after in pairwise(plies)]
    assert max(gaps) < 10, "no part of the match is left out"


async def test_between_positions_that_were_looked_at_chances_change_evenly(
    reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.domain.reviews._MOST_POSITIONS", 4)
    turns = ("e5", "light", "d4", "a1", "c3", "i9", "g7", "a3")

    async def think(player_id: int, request: SearchRequest, *, searches: int) -> SearchResult:
        await reader.think(player_id, request, searches=searches)
        chance = (len(request.turns) - 2) / 10
        return SearchResult("b2", chance if len(request.turns) % 2 else 1 - chance)

    reader.begin(think)
    review = await reader.review(await reader.finished(*turns))
    assert review.chances == pytest.approx([0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    assert len(reader.asked) < 7


async def test_only_what_is_over_and_was_played_is_reviewed(reader: Reader) -> None:
    running = await reader.house.matches.game(await reader.house.start())
    with pytest.raises(StillRunningError):
        await reader.reviews.get(running, ALICE.id)
    with pytest.raises(NothingToReviewError):
        await reader.reviews.get(await reader.finished("e5", "light"), ALICE.id)
    assert reader.asked == []


@pytest.mark.both_databases
async def test_the_end_by_the_rules_is_no_matter_of_opinion(reader: Reader) -> None:
    house = reader.house
    match_id = await house.start(turns=("e5", "white", "pass", "pass"), ruleset=HEDU)
    game = await house.matches.game(match_id)
    assert isinstance(game.outcome, Outcome)
    review = await reader.review(game)
    assert {len(request.turns) for request in reader.asked} == {2, 3}
    assert review.chances[-1] == (0.5 if game.outcome.winner is None else 1 - game.outcome.winner)
    assert len(review.chances) == 3


async def test_the_search_itself_sees_a_pass_too_early_and_one_that_was_missed(reader: Reader) -> None:
    async def think(player_id: int, request: SearchRequest, *, searches: int) -> SearchResult:
        choice = choose(HEDU.replay(request.turns), Level(12), request.seed)
        return SearchResult(choice.turn, choice.value, choice.line)

    reader.begin(think)
    match_id = await reader.house.start(turns=("e5", "white", "d4", "d5", "pass", "f6"), ruleset=HEDU)
    game = await reader.house.matches.resign(match_id, ALICE.id)
    review = await reader.review(game)
    assert len(review.chances) == 5
    points = {point.ply: point for point in review.points}
    assert points[5].after == 0
    assert (points[6].better, points[6].before) == (PASS, 1)
    for point in review.points:
        HEDU.replay([*game.turns[: point.ply - 1], point.better, *point.line])

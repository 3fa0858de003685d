"""Matches against the computer without Discord: how they start, what it does, and what they leave behind."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bot.config import Config
from bot.domain.challenges import ChallengeState, ChannelNotAllowedError, First, NotYourChallengeError, RoleNeededError
from bot.domain.competitions.leaderboards import LeaderboardQuery
from bot.domain.computer import (
    LEAST_RATED_GAMES,
    ComputerBusyError,
    LevelSettledError,
    NotAgainstComputerError,
    SearchResult,
    UnfinishedGamesError,
)
from bot.domain.deliveries import CardKey
from bot.domain.limits import RecentlyDeletedError, TooManyComputerGamesError
from bot.domain.matches import Ending, Match, MatchOverError, NotAPlayerError, ProposalKind, ProposalState
from bot.domain.places import Place, Viewer
from bot.domain.players import Player, computer
from bot.domain.proposals import RematchExistsError
from bot.domain.timers import TimerKind
from bot.services.computer_games import DueSearch
from bot.services.matches import PlayResult
from rules import continued
from rules.search import LEVELS
from tests.support.services.house import House, house_fixture
from tests.support.services.matches import ALICE, BOB, DALEN, HEDU, PLACE, PLAYED, Clock, outcomes, refused, store_turns

ME, COMPUTER = First.CHALLENGER, First.OPPONENT
DRAW, ABANDON = ProposalKind.DRAW, ProposalKind.ABANDON
DAY, MINUTE = timedelta(days=1), timedelta(minutes=1)


class ComputerHouse(House):
    """A house in which the computer thinks as long as the test likes."""

    def __init__(self, config: Config, clock: Clock) -> None:
        super().__init__(config, clock)
        #: The strongest level at which games can start.
        self.strongest = LEVELS[-1]
        #: The match that the computer thinks about; its end makes room for another one at any level.
        self.ending: int | None = None
        self.games = replace(self.computer_games, going_on=self._going_on, has_room=self._has_room)

    def _going_on(self) -> list[int]:
        return [] if self.ending is None else [self.ending]

    def _has_room(self, _person: int, level: int, over: Collection[int]) -> bool:
        return level <= self.strongest or self.ending in over

    async def meet(self, first: First = ME, level: int = 3, who: Player = ALICE, **how: Any) -> Match:
        """Start a match against the computer, by default in a channel of its own."""
        place, ruleset = how.get("place") or self.room(), how.get("ruleset", DALEN)
        return await self.games.start(place, who, level, ruleset, first)

    async def calls(self) -> list[int]:
        """The matches in which the computer is called."""
        return [subject for kind, subject in await self.due() if kind is TimerKind.COMPUTER]

    async def due_search(self, match: Match) -> DueSearch:
        """The search that is due."""
        due = await self.games.due_search(match.id)
        assert due is not None
        return due

    async def think(self, match: Match, turn: str, value: float = 0.5) -> PlayResult | None:
        """What comes of the computer's search when it finds that turn."""
        return await self.games.reply(match.id, (await self.due_search(match)).request, SearchResult(turn, value))

    async def both_play(self, match: Match, *turns: str) -> None:
        """Turns of both, the computer's found by its search."""
        for turn in turns:
            player = (await self.game(match)).to_act
            assert player is not None
            if player.level is None:
                await self.play(match, player, turn)
            else:
                await self.think(match, turn)

    async def win(self, level: int, who: Player = ALICE) -> Match:
        """A game that the person has won."""
        match = await self.meet(level=level, who=who)
        async with self.storage.transaction() as tx:
            await store_turns(tx, self.matches, match.id, PLAYED, self.now)
        await self.resign(match, computer(level))
        return match

    async def win_often(self, level: int) -> list[Match]:
        """Win one game less than a level needs for a rating, one each day."""
        found = []
        for _ in range(LEAST_RATED_GAMES - 1):
            found.append(await self.win(level))
            self.now += DAY
        return found


house = house_fixture(ComputerHouse)


@pytest.mark.parametrize("turns", [("e5",), ("e5", "light"), ("e5", "dark"), ("e5", "light", "d4")])
async def test_the_player_to_act_begins_a_match_from_a_position(house: ComputerHouse, turns: tuple[str, ...]) -> None:
    for first in (ME, COMPUTER):
        match = await house.meet(first, ruleset=continued(DALEN, turns))
        awaited = (await house.game(match)).to_act
        assert awaited is not None
        async with house.storage.read() as tx:
            assert await tx.matches.to_act(match.id) == awaited.id
        assert (match.id in await house.calls()) == (awaited.level is not None)


async def test_every_transaction_that_makes_it_the_computers_turn_calls_it(house: ComputerHouse) -> None:
    # The player who chooses Light plays next.
    for first, called in ((COMPUTER, [True, False, False, True]), (ME, [False, True, True, False])):
        match = await house.meet(first)
        assert (match.rated, match.clock) == (False, None)
        assert match.players == ((computer(3), ALICE) if first is COMPUTER else (ALICE, computer(3)))
        calls = [match.id in await house.calls()]
        for turn in ("e5", "light", "e6"):
            await house.both_play(match, turn)
            calls.append(match.id in await house.calls())
        assert calls == called
        await house.resign(match, ALICE)
        assert await house.calls() == []
        assert await house.games.due_search(match.id) is None


async def test_a_match_that_finds_its_place_late_calls_the_computer_then(house: ComputerHouse) -> None:
    await house.start(BOB, ALICE)
    match = await house.meet(COMPUTER, place=PLACE)
    assert match.waiting
    assert await house.calls() == []
    assert await house.games.due_search(match.id) is None
    await house.deliveries.assign_channel(CardKey(match.id), 999)
    assert await house.calls() == [match.id]


# Take-backs and rematches


async def test_a_turn_found_for_a_board_that_has_moved_on_is_dropped(house: ComputerHouse) -> None:
    match = await house.meet()
    await house.both_play(match, "e5", "dark", "d4")
    due = await house.due_search(match)
    assert due.player_id == ALICE.id
    await house.propose(match, ALICE, ProposalKind.TAKE_BACK)
    before = await house.game(match)
    assert before.to_act == ALICE
    assert await house.games.reply(match.id, due.request, SearchResult("a1", 0.5)) is None
    assert (await house.game(match)).turns == before.turns


async def test_a_take_back_goes_back_to_the_persons_last_turn_at_once(house: ComputerHouse) -> None:
    match = await house.meet()
    await house.both_play(match, "e5", "light", "e6")
    proposal = await house.propose(match, ALICE, ProposalKind.TAKE_BACK)
    assert proposal.state is ProposalState.ACCEPTED
    game = await house.game(match)
    assert (game.turns, game.to_act) == ((), ALICE)


async def test_abandoning_and_a_rematch_need_no_patience(house: ComputerHouse) -> None:
    match = await house.meet()
    await house.propose(match, ALICE, ABANDON)
    assert (await house.result(match)).ending is Ending.ABANDONED
    again = await house.games.rematch(match.id, ALICE, 4)
    assert (again.players, again.rematch_of, again.rated) == ((computer(4), ALICE), match.id, False)
    assert await house.calls() == [again.id]
    await refused(RematchExistsError, house.games.rematch(match.id, ALICE, 4))
    await refused(NotAPlayerError, house.games.rematch(match.id, BOB, 4))


async def test_the_computer_takes_no_part_in_a_rematch_between_people(house: ComputerHouse) -> None:
    match = await house.beat(BOB, ALICE)
    await refused(NotAgainstComputerError, house.games.rematch(match.id, ALICE, 4))


# How games start, and how many


@pytest.mark.both_databases
async def test_two_presses_start_one_match_and_another_wish_starts_another(house: ComputerHouse) -> None:
    both = await asyncio.gather(*(house.meet(place=PLACE) for _ in range(2)))
    assert both[0].id == both[1].id
    others = [
        await house.meet(place=PLACE, level=4),
        await house.meet(place=PLACE, ruleset=HEDU),
        await house.meet(),
    ]
    begun = {both[0].id, *(other.id for other in others)}
    assert len(begun) == 4
    await house.both_play(both[0], "e5")
    assert (await house.meet(place=PLACE)).id not in begun


@pytest.mark.both_databases
async def test_one_match_starts_instead_of_a_challenge_which_is_withdrawn(house: ComputerHouse) -> None:
    offered = await house.challenge(ALICE, None, ruleset=HEDU, first=COMPUTER)
    await refused(NotYourChallengeError, house.games.start_instead(offered.id, BOB, 2))
    counted = await outcomes(*(house.games.start_instead(offered.id, ALICE, 2) for _ in range(2)))
    assert counted == {"Match": 1, "ChallengeClosedError": 1}
    match = await house.matches.match(1)
    assert (match.ruleset, match.players) == (HEDU, (computer(2), ALICE))
    assert (await house.challenges.get(offered.id)).state is ChallengeState.WITHDRAWN


async def test_nobody_starts_more_than_they_finish_or_than_there_is_room_for(house: ComputerHouse) -> None:
    for house.strongest, weaker in ((1, 1), (2, 2)):
        error = await refused(ComputerBusyError, house.meet())
        assert error.weaker == weaker
    house.strongest = 3
    matches = [await house.meet() for _ in range(5)]
    unfinished = await refused(UnfinishedGamesError, house.meet())
    assert "5 unfinished matches" in str(unfinished.text)
    await house.meet(who=BOB)
    for _ in range(15):
        await house.propose(matches.pop(), ALICE, ABANDON)
        matches.append(await house.meet())
    await house.propose(matches.pop(), ALICE, ABANDON)
    await refused(TooManyComputerGamesError, house.meet())
    await house.privacy.delete(ALICE.id)
    await refused(RecentlyDeletedError, house.meet())
    house.now += timedelta(hours=1)
    await house.meet()


async def test_a_game_in_place_of_one_that_is_over_needs_no_more_room(house: ComputerHouse) -> None:
    begun = await house.meet()
    house.strongest, house.ending = 1, begun.id
    await refused(ComputerBusyError, house.meet())
    other = await house.games.change_level(begun.id, ALICE, 4)
    house.ending = other.id
    await house.resign(other, ALICE)
    assert (await house.games.rematch(other.id, ALICE, 5)).computer == computer(5)


@pytest.mark.both_databases
async def test_a_game_that_is_over_makes_room_for_others_at_once(house: ComputerHouse) -> None:
    begun = await house.meet(level=5)
    house.strongest, house.ending = 1, begun.id
    await refused(ComputerBusyError, house.meet(who=BOB, level=5))
    await house.resign(begun, ALICE)
    assert (await house.meet(who=BOB, level=5)).computer == computer(5)


async def test_a_server_also_decides_who_plays_the_computer_and_where(house: ComputerHouse) -> None:
    await house.settings.change_server_settings(1, channel_ids={50}, challenger_role_id=55)

    async def start(place: Place, *roles: int) -> Match:
        return await house.games.start(place, ALICE, 1, DALEN, role_ids=roles)

    await refused(ChannelNotAllowedError, start(Place(1, 60), 55))
    await refused(RoleNeededError, start(Place(1, 50), 54))
    await start(Place(1, 50), 54, 55)
    await start(Place(1, 60, parent_id=50), 55)


# What games leave behind


async def test_levels_are_rated_by_their_games_and_people_are_not(house: ComputerHouse) -> None:
    await house.beat(ALICE, BOB)

    async def people() -> Any:
        board = await house.ratings.leaderboard(LeaderboardQuery(ALICE.id))
        return await house.values(), [(row.player, row.totals, row.rating.value) for row in board.rows]

    before = await people()
    assert await house.ratings.levels("dalen") == {}
    won = await house.win_often(2)
    assert await house.ratings.levels("dalen") == {}, "one more is needed"
    won += [await house.win(2), await house.win(2)]
    levels = await house.ratings.levels("dalen")
    assert list(levels) == [2]
    assert levels[2].value < 1500
    assert await house.ratings.levels("hedu") == {}
    assert await people() == before
    await house.check_ratings()
    await house.matches.void(won[0].id, BOB)
    fewer = await house.ratings.levels("dalen")
    assert levels[2].value < fewer[2].value < 1500
    await house.privacy.delete(ALICE.id)
    assert await house.ratings.levels("dalen") == fewer
    await house.check_ratings()


async def test_a_level_meets_people_at_the_ratings_that_they_had_then(house: ComputerHouse) -> None:
    await house.win_often(2)
    await house.win(2)
    before = await house.ratings.levels("dalen")
    for _ in range(5):
        house.now += MINUTE
        await house.beat(ALICE, BOB)
    assert (await house.ratings.levels("dalen"))[2].value == before[2].value
    house.now += MINUTE
    await house.win_often(3)
    await house.win(3)
    levels = await house.ratings.levels("dalen")
    assert levels[3].value > levels[2].value, "she is known to be stronger by now"


@pytest.mark.both_databases
async def test_games_against_the_computer_are_kept_apart_in_a_profile(house: ComputerHouse) -> None:
    await house.beat(ALICE, BOB)
    await house.win(1)
    await house.propose(await house.meet(), ALICE, ABANDON)
    profile = await house.ratings.profile(ALICE, Viewer(ALICE.id, PLACE), None, PLACE.guild_id)
    assert (profile.results.wins, profile.results.games) == (1, 1)
    assert {level: results.wins for level, results in profile.by_level.items()} == {1: 1}
    assert list(profile.by_opponent) == [BOB]
    assert await house.ratings.levels("dalen") == {}, "there are too few games"
    conduct = await house.privacy.conduct(ALICE.id)
    assert (conduct.matches, conduct.aborted) == (1, 0)


async def test_before_a_persons_first_turn_the_game_restarts_at_another_level(house: ComputerHouse) -> None:
    match = await house.meet(COMPUTER, level=1)
    await house.both_play(match, "e5")
    assert (await house.games.change_level(match.id, ALICE, 1)).id == match.id, "it is that level already"
    await refused(NotAPlayerError, house.games.change_level(match.id, BOB, 4))
    other = await house.games.change_level(match.id, ALICE, 4)
    assert (other.players, other.ruleset, other.rated) == ((computer(4), ALICE), DALEN, False)
    result = await house.result(match)
    assert (result.ending, result.counts) == (Ending.ABANDONED, False)
    assert await house.calls() == [other.id]
    await refused(MatchOverError, house.games.change_level(match.id, ALICE, 5))
    await house.both_play(other, "e5", "light")
    await refused(LevelSettledError, house.games.change_level(other.id, ALICE, 5))


@pytest.mark.both_databases
async def test_a_player_with_as_many_games_as_allowed_may_change_the_level(house: ComputerHouse) -> None:
    matches = [await house.meet() for _ in range(5)]
    other = await house.games.change_level(matches[-1].id, ALICE, 4)
    assert other.computer == computer(4)
    house.strongest = 4
    await refused(ComputerBusyError, house.games.change_level(other.id, ALICE, 5))
    assert (await house.match(other)).result is None, "it goes on"


async def test_the_suggested_level_follows_from_the_results_in_that_game(house: ComputerHouse) -> None:
    suggested = house.games.suggested_level
    assert await suggested(ALICE.id, "dalen") == 1
    await house.win(3)
    house.now += MINUTE
    assert await suggested(ALICE.id, "dalen") == 4
    assert await suggested(ALICE.id, "hedu") == await suggested(BOB.id, "dalen") == 1
    for level in (4, 3):
        house.now += MINUTE
        lost = await house.meet(level=4)
        await house.both_play(lost, *PLAYED)
        await house.resign(lost, ALICE)
        assert await suggested(ALICE.id, "dalen") == level

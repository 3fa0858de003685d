"""Matches against the computer without Discord: how they start, what it does, and what they leave behind."""

from __future__ import annotations

import asyncio
import random
from datetime import timedelta
from typing import Any

import pytest

from bot.domain.challenges import (
    ChallengeClosedError,
    ChallengeState,
    ChannelNotAllowedError,
    First,
    NotYourChallengeError,
    RoleNeededError,
)
from bot.domain.competitions.leaderboards import LeaderboardQuery
from bot.domain.computer import (
    LEAST_RATED_GAMES,
    ComputerBusyError,
    LevelSettledError,
    NotAgainstComputerError,
    SearchResult,
    UnfinishedGamesError,
)
from bot.domain.limits import IN_VAIN_LIMIT, RecentlyDeletedError, TooManyComputerGamesError, TooManyProposalsError
from bot.domain.matches import Ending, Match, MatchOverError, NotAPlayerError, ProposalKind, ProposalState
from bot.domain.places import Place, Viewer
from bot.domain.players import computer
from bot.domain.proposals import RematchExistsError
from bot.domain.timers import TimerKind
from bot.services.computer_games import ComputerGames, Reply
from bot.services.deliveries import Deliveries
from bot.services.fair_play import FairPlay
from rules import continued
from rules.search import LEVELS
from tests.support.house import ALICE, BOB, DALEN, HEDU, HERE, PLAYED, House
from tests.support.services import play_turn, store_turns
from tests.support.stored import stored_proposal

ME, THE_OTHER = First.CHALLENGER, First.OPPONENT


class Table:
    """Alice and the computer, on a database where it thinks as long as the test likes."""

    def __init__(self, house: House) -> None:
        self.house = house
        #: The strongest level at which games can start.
        self.strongest = LEVELS[-1]
        #: The match that the computer thinks about; its end makes room for another one at any level.
        self.ending: int | None = None
        self.games = ComputerGames(
            house.storage,
            house.matches,
            house.proposals,
            FairPlay(house.storage, house.matches),
            lambda: [] if self.ending is None else [self.ending],
            lambda _person, level, over: level <= self.strongest or self.ending in over,
            clock=lambda: house.now,
            chance=random.Random(1),
        )
        self.rooms = 100

    async def start(self, first: First = ME, level: int = 3, **how: Any) -> Match:
        self.rooms += 1
        place = how.pop("place", Place(HERE.guild_id, self.rooms))
        return await self.games.start(place, how.pop("who", ALICE), level, how.pop("ruleset", DALEN), first)

    async def timers(self) -> list[int]:
        """The matches in which the computer is called."""
        async with self.house.storage.read() as tx:
            due = await tx.timers.due(self.house.now, 100)
        return [timer.subject_id for timer in due if timer.kind is TimerKind.COMPUTER]

    async def think(self, match: Match, turn: str, value: float = 0.5) -> Reply | None:
        """What comes of the computer's search when it finds that turn."""
        due = await self.games.due_search(match.id)
        assert due is not None
        return await self.games.reply(match.id, due.request, SearchResult(turn, value))

    async def play(self, match: Match, *turns: str) -> None:
        """Turns of both, the computer's found by its search."""
        for turn in turns:
            game = await self.house.matches.game(match.id)
            assert game.to_act is not None
            if game.to_act.level is None:
                await play_turn(self.house.matches, match.id, game.to_act.id, turn)
            else:
                await self.think(match, turn)

    async def beaten(self, level: int, who: Any = ALICE) -> Match:
        """A game that the person has won."""
        match = await self.start(level=level, who=who)
        async with self.house.storage.transaction() as tx:
            await store_turns(tx, self.house.matches, match.id, PLAYED, self.house.now)
        await self.house.matches.resign(match.id, computer(level).id)
        return match

    async def beaten_often(self, level: int) -> list[Match]:
        """One game less than a level needs for a rating, on as many evenings."""
        found = []
        for _ in range(LEAST_RATED_GAMES - 1):
            found.append(await self.beaten(level))
            self.house.now += timedelta(days=1)
        return found


@pytest.fixture
def table(house: House) -> Table:
    return Table(house)


@pytest.mark.parametrize("turns", [("e5",), ("e5", "light"), ("e5", "dark"), ("e5", "light", "d4")])
async def test_whoever_is_to_act_begins_a_match_from_a_position(table: Table, turns: tuple[str, ...]) -> None:
    for first in (ME, THE_OTHER):
        match = await table.start(first, ruleset=continued(DALEN, turns))
        awaited = (await table.house.matches.game(match.id)).to_act
        assert awaited is not None
        async with table.house.storage.read() as tx:
            assert await tx.matches.to_act(match.id) == awaited.id
        assert (match.id in await table.timers()) == (awaited.level is not None)


async def test_every_transaction_that_makes_it_the_computers_turn_calls_it(
    table: Table,
) -> None:
    match = await table.start(THE_OTHER)
    assert await table.timers() == [match.id]
    assert (match.rated, match.clock, match.players) == (False, None, (computer(3), ALICE))
    await table.play(match, "e5")
    assert await table.timers() == []
    await table.play(match, "light")  # whoever chooses Light plays next
    assert await table.timers() == []
    await table.play(match, "e6")
    assert await table.timers() == [match.id]
    await table.house.matches.resign(match.id, ALICE.id)
    assert await table.timers() == []
    assert await table.games.due_search(match.id) is None


async def test_the_computer_that_has_chosen_the_side_that_begins_is_called_again(table: Table) -> None:
    match = await table.start()
    assert await table.timers() == []
    await table.play(match, "e5", "light")
    assert await table.timers() == [match.id]
    await table.play(match, "e6")
    assert await table.timers() == []


async def test_a_match_that_finds_its_place_late_calls_the_computer_then(table: Table) -> None:
    await table.house.start(BOB, ALICE)
    running = await table.house.matches.match(1)
    async with table.house.storage.read() as tx:
        delivery = await tx.deliveries.get(running.id)
    assert delivery is not None
    match = await table.start(THE_OTHER, place=delivery.home)
    assert match.waiting
    assert await table.timers() == []
    assert await table.games.due_search(match.id) is None
    await Deliveries(table.house.storage, clock=lambda: table.house.now).assign_channel(match.id, 999)
    assert await table.timers() == [match.id]


async def test_what_was_found_for_a_board_that_has_moved_on_is_dropped(table: Table) -> None:
    match = await table.start()
    await table.play(match, "e5", "dark", "d4")
    due = await table.games.due_search(match.id)
    assert due is not None
    assert due.player_id == ALICE.id
    await table.house.proposals.propose(match.id, ALICE.id, ProposalKind.TAKE_BACK)
    before = await table.house.matches.game(match.id)
    assert before.to_act == ALICE
    assert await table.games.reply(match.id, due.request, SearchResult("a1", 0.5)) is None
    assert (await table.house.matches.game(match.id)).turns == before.turns


async def test_a_take_back_goes_back_to_the_persons_last_turn_at_once(table: Table) -> None:
    match = await table.start()
    await table.play(match, "e5", "light", "e6")
    proposal = await table.house.proposals.propose(match.id, ALICE.id, ProposalKind.TAKE_BACK)
    assert proposal.state is ProposalState.ACCEPTED
    game = await table.house.matches.game(match.id)
    assert (game.turns, game.to_act) == ((), ALICE)


@pytest.mark.parametrize("value", [0.2, 0.9])
async def test_a_draw_is_thought_about(table: Table, value: float) -> None:
    match = await table.start()
    await table.play(match, "e5", "dark", "d4", "f6")
    game = await table.house.matches.game(match.id)
    assert game.to_act == ALICE, "she may offer it in her own turn"
    offered = await table.house.proposals.propose(match.id, ALICE.id, ProposalKind.DRAW)
    assert offered.state is ProposalState.OPEN
    assert await table.timers() == [match.id]
    assert await table.think(match, "a1", value) == Reply(None, offered.id)
    settled = await stored_proposal(table.house.storage, offered.id)
    assert settled is not None
    result = (await table.house.matches.match(match.id)).result
    if value > 0.5:  # that is hers
        assert settled.state is ProposalState.ACCEPTED
        assert result is not None
        assert result.ending is Ending.AGREEMENT
    else:
        assert settled.state is ProposalState.DECLINED
        assert result is None
        assert await table.games.due_search(match.id) is None


async def test_a_draw_is_answered_although_the_match_waits_for_a_place(table: Table) -> None:
    match = await table.start()
    await table.play(match, "e5", "dark", "d4", "f6")
    offered = await table.house.proposals.propose(match.id, ALICE.id, ProposalKind.DRAW)
    await Deliveries(table.house.storage, clock=lambda: table.house.now).release_channel(match.id, table.rooms)
    assert (await table.house.matches.match(match.id)).waiting
    assert await table.think(match, "a1", 0.2) == Reply(None, offered.id)
    settled = await stored_proposal(table.house.storage, offered.id)
    assert settled is not None
    assert settled.state is ProposalState.DECLINED


async def test_no_draw_is_agreed_before_both_have_made_two_turns(table: Table) -> None:
    match = await table.start()
    await table.play(match, "e5", "dark")
    offered = await table.house.proposals.propose(match.id, ALICE.id, ProposalKind.DRAW)
    await table.think(match, "a1", 0.9)
    settled = await stored_proposal(table.house.storage, offered.id)
    assert settled is not None
    assert settled.state is ProposalState.DECLINED


async def test_a_draw_offered_while_it_thinks_is_declined_before_it_plays(table: Table) -> None:
    match = await table.start(level=1)
    await table.play(match, "e5")
    offered = await table.house.proposals.propose(match.id, ALICE.id, ProposalKind.DRAW)
    due = await table.games.due_search(match.id)
    assert due is not None
    assert due.request.level > 1, "the weakest level judges a draw as well as the others"
    assert await table.think(match, "dark", 0.9) == Reply(None, offered.id)
    settled = await stored_proposal(table.house.storage, offered.id)
    assert settled is not None
    assert settled.state is ProposalState.DECLINED
    assert await table.timers() == [match.id], "its turn is still due"
    reply = await table.think(match, "dark", 0.9)
    assert reply is not None
    assert reply.result is not None
    assert reply.result.game.turns == ("e5", "dark")


async def test_who_has_offered_too_many_draws_may_still_take_turns_back(table: Table) -> None:
    match = await table.start()
    await table.play(match, "e5", "dark")
    for _ in range(IN_VAIN_LIMIT.most):
        await table.house.proposals.propose(match.id, ALICE.id, ProposalKind.DRAW)
        await table.think(match, "a1", 0.1)
    with pytest.raises(TooManyProposalsError):
        await table.house.proposals.propose(match.id, ALICE.id, ProposalKind.DRAW)
    taken_back = await table.house.proposals.propose(match.id, ALICE.id, ProposalKind.TAKE_BACK)
    assert taken_back.state is ProposalState.ACCEPTED


async def test_abandoning_and_a_rematch_need_no_patience(table: Table) -> None:
    match = await table.start()
    await table.house.proposals.propose(match.id, ALICE.id, ProposalKind.ABANDON)
    over = await table.house.matches.match(match.id)
    assert over.result is not None
    assert over.result.ending is Ending.ABANDONED
    again = await table.games.rematch(match.id, ALICE, 4)
    assert (again.players, again.rematch_of, again.rated) == ((computer(4), ALICE), match.id, False)
    assert await table.timers() == [again.id]
    with pytest.raises(RematchExistsError):
        await table.games.rematch(match.id, ALICE, 4)
    with pytest.raises(NotAPlayerError):
        await table.games.rematch(match.id, BOB, 4)


async def test_a_rematch_of_a_match_between_people_is_for_the_opponent_to_accept(table: Table) -> None:
    match_id = await table.house.start()
    await table.house.matches.resign(match_id, ALICE.id)
    with pytest.raises(NotAgainstComputerError):
        await table.games.rematch(match_id, ALICE, 4)


@pytest.mark.both_databases
async def test_two_presses_start_one_match_and_another_wish_starts_another(table: Table) -> None:
    both = await asyncio.gather(*(table.start(place=HERE) for _ in range(2)))
    assert both[0].id == both[1].id
    others = [
        await table.start(place=HERE, level=4),
        await table.start(place=HERE, ruleset=HEDU),
        await table.start(),
    ]
    assert len({both[0].id, *(other.id for other in others)}) == 4
    await table.play(both[0], "e5")
    assert (await table.start(place=HERE)).id not in {both[0].id, *(other.id for other in others)}


@pytest.mark.both_databases
async def test_one_match_starts_instead_of_a_challenge_which_is_withdrawn(table: Table) -> None:
    offered = await table.house.challenges.challenge(HERE, ALICE, None, HEDU, THE_OTHER)
    with pytest.raises(NotYourChallengeError):
        await table.games.start_instead(offered.id, BOB, 2)
    results = await asyncio.gather(
        *(table.games.start_instead(offered.id, ALICE, 2) for _ in range(2)), return_exceptions=True
    )
    (match,) = [each for each in results if isinstance(each, Match)]
    assert [type(each) for each in results if each is not match] == [ChallengeClosedError]
    assert (match.ruleset, match.players) == (HEDU, (computer(2), ALICE))
    assert (await table.house.challenges.get(offered.id)).state is ChallengeState.WITHDRAWN


async def test_nobody_starts_more_than_they_finish_or_than_there_is_room_for(table: Table) -> None:
    for table.strongest, weaker in ((1, 1), (2, 2)):
        with pytest.raises(ComputerBusyError) as busy:
            await table.start(level=3)
        assert busy.value.weaker == weaker
    table.strongest = 3
    matches = [await table.start() for _ in range(5)]
    with pytest.raises(UnfinishedGamesError) as refused:
        await table.start()
    assert "5 unfinished matches" in str(refused.value.text)
    await table.start(who=BOB)
    for _ in range(15):
        await table.house.proposals.propose(matches.pop().id, ALICE.id, ProposalKind.ABANDON)
        matches.append(await table.start())
    await table.house.proposals.propose(matches.pop().id, ALICE.id, ProposalKind.ABANDON)
    with pytest.raises(TooManyComputerGamesError):
        await table.start()
    await table.house.privacy.delete(ALICE.id)
    with pytest.raises(RecentlyDeletedError):
        await table.start()
    table.house.now += timedelta(hours=1)
    await table.start()


async def test_a_game_in_place_of_one_that_is_over_needs_no_more_room(table: Table) -> None:
    begun = await table.start(level=3)
    table.strongest, table.ending = 1, begun.id
    with pytest.raises(ComputerBusyError):
        await table.start()
    other = await table.games.change_level(begun.id, ALICE, 4)
    table.ending = other.id
    await table.house.matches.resign(other.id, ALICE.id)
    assert (await table.games.rematch(other.id, ALICE, 5)).computer == computer(5)


@pytest.mark.both_databases
async def test_a_game_that_is_over_makes_room_for_others_at_once(table: Table) -> None:
    begun = await table.start(level=5)
    table.strongest, table.ending = 1, begun.id
    with pytest.raises(ComputerBusyError):
        await table.start(who=BOB, level=5)
    await table.house.matches.resign(begun.id, ALICE.id)
    assert (await table.start(who=BOB, level=5)).computer == computer(5)


async def test_a_server_also_decides_who_plays_the_computer_and_where(table: Table) -> None:
    async with table.house.storage.transaction() as tx:
        await tx.settings.change_server_settings(1, {"channel_ids": frozenset({50}), "challenger_role_id": 55})
    with pytest.raises(ChannelNotAllowedError):
        await table.games.start(Place(1, 60), ALICE, 1, DALEN, role_ids=[55])
    with pytest.raises(RoleNeededError):
        await table.games.start(Place(1, 50), ALICE, 1, DALEN, role_ids=[54])
    await table.games.start(Place(1, 50), ALICE, 1, DALEN, role_ids=[54, 55])
    await table.games.start(Place(1, 60, parent_id=50), ALICE, 1, DALEN, role_ids=[55])


async def test_levels_are_rated_by_their_games_and_people_are_not(table: Table) -> None:
    house = table.house
    await house.beat(ALICE, BOB)

    async def people() -> Any:
        board = await house.ratings.leaderboard(LeaderboardQuery(ALICE.id))
        return await house.values(), [(row.player, row.totals, row.rating.value) for row in board.rows]

    before = await people()
    assert await house.ratings.levels("dalen") == {}
    won = await table.beaten_often(2)
    assert await house.ratings.levels("dalen") == {}, "one more is needed"
    won.append(await table.beaten(2))
    await table.beaten(2)
    levels = await house.ratings.levels("dalen")
    assert list(levels) == [2]
    assert levels[2].value < 1500
    assert await house.ratings.levels("hedu") == {}
    assert await people() == before
    await house.check()
    await house.matches.void(won[0].id, BOB)
    fewer = await house.ratings.levels("dalen")
    assert levels[2].value < fewer[2].value < 1500
    await house.privacy.delete(ALICE.id)
    assert await house.ratings.levels("dalen") == fewer
    await house.check()


async def test_a_level_meets_people_at_the_ratings_that_they_had_then(table: Table) -> None:
    await table.beaten_often(2)
    await table.beaten(2)
    before = await table.house.ratings.levels("dalen")
    for _ in range(5):
        table.house.now += timedelta(minutes=1)
        await table.house.beat(ALICE, BOB)
    after = await table.house.ratings.levels("dalen")
    assert after[2].value == before[2].value
    table.house.now += timedelta(minutes=1)
    await table.beaten_often(3)
    await table.beaten(3)
    levels = await table.house.ratings.levels("dalen")
    assert levels[3].value > levels[2].value, "she is known to be stronger by now"


@pytest.mark.both_databases
async def test_games_against_the_computer_are_kept_apart_in_a_profile(table: Table) -> None:
    await table.house.beat(ALICE, BOB)
    await table.beaten(1)
    abandoned = await table.start()
    await table.house.proposals.propose(abandoned.id, ALICE.id, ProposalKind.ABANDON)
    profile = await table.house.ratings.profile(ALICE, Viewer(ALICE.id, HERE), None, HERE.guild_id)
    assert (profile.results.wins, profile.results.games) == (1, 1)
    assert {level: results.wins for level, results in profile.by_level.items()} == {1: 1}
    assert list(profile.by_opponent) == [BOB]
    assert await table.house.ratings.levels("dalen") == {}, "there are too few games"
    conduct = await table.house.privacy.conduct(ALICE.id)
    assert (conduct.matches, conduct.aborted) == (1, 0)


async def test_before_a_persons_first_turn_the_game_restarts_at_another_level(table: Table) -> None:
    match = await table.start(THE_OTHER, level=1)
    await table.play(match, "e5")
    assert (await table.games.change_level(match.id, ALICE, 1)).id == match.id, "it is that level already"
    with pytest.raises(NotAPlayerError):
        await table.games.change_level(match.id, BOB, 4)
    other = await table.games.change_level(match.id, ALICE, 4)
    assert (other.players, other.ruleset, other.rated) == ((computer(4), ALICE), DALEN, False)
    result = (await table.house.matches.match(match.id)).result
    assert result is not None
    assert (result.ending, result.counts) == (Ending.ABANDONED, False)
    assert await table.timers() == [other.id]
    with pytest.raises(MatchOverError):
        await table.games.change_level(match.id, ALICE, 5)
    await table.play(other, "e5", "light")
    with pytest.raises(LevelSettledError):
        await table.games.change_level(other.id, ALICE, 5)


@pytest.mark.both_databases
async def test_the_level_is_changed_even_by_who_has_as_many_games_as_allowed(table: Table) -> None:
    matches = [await table.start() for _ in range(5)]
    other = await table.games.change_level(matches[-1].id, ALICE, 4)
    assert other.computer == computer(4)
    table.strongest = 4
    with pytest.raises(ComputerBusyError):
        await table.games.change_level(other.id, ALICE, 5)
    assert (await table.house.matches.match(other.id)).result is None, "it goes on"


async def test_the_suggested_level_follows_from_the_results_in_that_game(table: Table) -> None:
    assert await table.games.suggested_level(ALICE.id, "dalen") == 1
    await table.beaten(3)
    table.house.now += timedelta(minutes=1)
    assert await table.games.suggested_level(ALICE.id, "dalen") == 4
    assert await table.games.suggested_level(ALICE.id, "hedu") == 1
    assert await table.games.suggested_level(BOB.id, "dalen") == 1
    for suggested in (4, 3):
        table.house.now += timedelta(minutes=1)
        lost = await table.start(level=4)
        await table.play(lost, "e5", "light", "d4", "a1")
        await table.house.matches.resign(lost.id, ALICE.id)
        assert await table.games.suggested_level(ALICE.id, "dalen") == suggested

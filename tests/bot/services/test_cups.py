"""Cups: when they start, their editions and groups, the hard end of a game, and whole cups played at random."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest

from bot.domain.clocks import DAY, TimeControl
from bot.domain.competitions.cross_tables import cross_tables
from bot.domain.competitions.cups import MAX_IN_CUP, STARTS_WITH, WEEK, Cup
from bot.domain.competitions.tournaments import (
    AlreadyEntrantError,
    CupClockError,
    Tournament,
    TournamentState,
    TournamentStateError,
)
from bot.domain.deliveries import CardKey
from bot.domain.limits import ENTRY_LIMIT, TOURNAMENT_LIMIT, TooManyEntriesError
from bot.domain.matches import Ending, Match, Result
from bot.domain.refusals import DomainError
from bot.domain.timers import TimerKind
from bot.services.matches import lock_match
from tests.support.services.failures import dying_at
from tests.support.services.house import house_fixture
from tests.support.services.matches import CROWD, PLAYED, outcomes, refused
from tests.support.services.tournaments import ABANDONED, ORGANISER, TournamentHouse
from tests.support.thorough import THOROUGH, sample

SECOND = timedelta(seconds=1)
SLOW = TimeControl.banks_of(3 * DAY, DAY)
#: The longest time between two looks at the timers of whole cups.
LONGEST_WAIT = timedelta(hours=60)


class CupHouse(TournamentHouse):
    async def open(self, entrants: int = 1, **terms: Any) -> Tournament:
        return await super().open(entrants, **{"control": SLOW} | terms)

    async def begin_games(self, weeks: int = 3) -> list[Match]:
        """Start a cup, and give each game a place."""
        cup = await self.open(4, cup=Cup(4, weeks))
        await self.wait()
        return await self.place_all(cup)

    async def all(self) -> list[Tournament]:
        """All tournaments, the first one first."""
        async with self.storage.read() as tx:
            return await tx.tournaments.get_all(range(1, 1000))


house = house_fixture(CupHouse)

# The start


@pytest.mark.both_databases
@pytest.mark.parametrize("full", sample(STARTS_WITH, 2))
async def test_a_cup_starts_with_the_last_entrant_it_waits_for(house: CupHouse, full: int) -> None:
    cup = await house.open(full - 1, cup=Cup(full, reopens=True))
    assert cup.state is TournamentState.OPEN
    processes = zip((house, house.another()), CROWD[20:22], strict=True)
    together = await outcomes(*(process.tournaments.join(cup.id, player) for process, player in processes))
    assert together == {"Tournament": 1, "TournamentStateError": 1}, "one came too late for the last place"
    assert len((await house.tournament(cup)).entrants) == full
    editions = [(cup.edition, cup.state) for cup in await house.all()]
    assert editions == [(1, TournamentState.RUNNING), (2, TournamentState.OPEN)]


async def test_a_cup_starts_after_a_week_with_at_least_three_or_never(house: CupHouse) -> None:
    for entered, state in ((2, TournamentState.CANCELLED), (3, TournamentState.RUNNING)):
        cup = await house.open(entered, cup=Cup(5, reopens=True))
        await house.wait(WEEK - SECOND)
        assert (await house.tournament(cup)).state is TournamentState.OPEN
        await house.wait(SECOND)
        assert (await house.tournament(cup)).state is state
    previous = [cup.previous_id for cup in await house.all()]
    assert previous == [None, None, 2], "only what has started opens the next one"


async def test_a_cup_without_a_number_waits_for_everybody(house: CupHouse) -> None:
    cup = await house.open(MAX_IN_CUP, cup=Cup(None))
    with pytest.raises(DomainError, match="full"):
        await house.enter(cup, CROWD[MAX_IN_CUP])
    assert (await house.tournament(cup)).state is TournamentState.OPEN
    await house.wait(WEEK)
    begun = await house.tournament(cup)
    assert Counter(pairing.group for pairing in begun.pairings) == dict.fromkeys(range(1, 7), 15)


async def test_the_strongest_players_are_in_the_first_group(house: CupHouse) -> None:
    strong = CROWD[6:9]
    for winner, loser in zip(strong, CROWD[50:], strict=False):
        match = await house.start(winner, loser, turns=PLAYED)
        await house.resign(match, loser)
    cup = await house.open(9, cup=Cup(None))
    begun = await house.tournaments.start(cup.id, ORGANISER.id)
    first = {player_id for pairing in begun.pairings if pairing.group == 1 for player_id in pairing.player_ids}
    assert len(first) == 5
    assert {player.id for player in strong} < first
    assert {entrant.player for entrant in begun.entrants[:3]} == {*strong}, "who come first if all else is equal"


async def test_a_cup_needs_a_clock_and_takes_each_player_once(house: CupHouse) -> None:
    await refused(CupClockError, house.open(cup=Cup(5), control=None))
    cup = await house.open(2, cup=Cup(5))
    error = await refused(AlreadyEntrantError, house.enter(cup, CROWD[1]))
    assert "starts on its own" in str(error.text)


# Editions


async def test_a_process_that_dies_while_a_cup_starts_opens_one_edition(house: CupHouse) -> None:
    """A start that was not stored is repeated, and nothing is left half done."""
    number, step, other = 0, 3 if THOROUGH else 7, house.another()
    while True:
        number += step
        cup = await house.open(3, cup=Cup(4, reopens=True))
        house.now += TOURNAMENT_LIMIT.span
        with dying_at(house.storage, number) as statements, suppress(KeyboardInterrupt):
            await house.enter(cup, CROWD[3])
        with suppress(AlreadyEntrantError, TournamentStateError):
            await other.enter(cup, CROWD[3])
        begun = await other.tournament(cup)
        assert begun.state is TournamentState.RUNNING
        assert len(begun.pairings) == 6
        assert [following.edition for following in await other.all() if following.previous_id == cup.id] == [2]
        await other.tournaments.cancel(begun.id, ORGANISER.id)
        if len(statements) < number:
            break


async def next_edition(house: CupHouse, cup: Tournament) -> Tournament:
    following = (await house.tournament(cup)).open_next
    assert following is not None
    return await house.tournaments.get(following)


async def test_a_new_edition_does_not_count_towards_the_organisers_limit(house: CupHouse) -> None:
    cup = await house.open(4, cup=Cup(4, reopens=True))
    for _ in range(TOURNAMENT_LIMIT.most + 1):
        cup = await next_edition(house, cup)
        assert cup.entrants == ()
        await house.enter(cup, *CROWD[:4])
    for _ in range(TOURNAMENT_LIMIT.most - 1):
        await house.open(cup=Cup())
    with pytest.raises(DomainError, match="a lot of tournaments"):
        await house.open(cup=Cup())


async def test_nobody_fills_one_edition_after_the_other_without_end(house: CupHouse) -> None:
    cup = await house.open(4, cup=Cup(4, reopens=True))
    for _ in range(ENTRY_LIMIT.most - 1):
        cup = await next_edition(house, cup)
        await house.enter(cup, *CROWD[1:5])
    cup = await next_edition(house, cup)
    await refused(TooManyEntriesError, house.enter(cup, CROWD[1]))
    house.now += ENTRY_LIMIT.span
    await house.enter(cup, CROWD[1])


async def test_the_next_edition_stays_when_the_organiser_is_forgotten(house: CupHouse) -> None:
    await house.open(4, cup=Cup(4, reopens=True))
    await house.privacy.delete(ORGANISER.id)
    first, second = await house.all()
    assert (first.state, second.state) == (TournamentState.RUNNING, TournamentState.OPEN)
    assert first.organiser == second.organiser
    assert first.organiser in CROWD[1:4]
    assert second.entrants == ()


async def test_the_card_of_the_edition_before_is_shown_again_when_the_next_one_starts(house: CupHouse) -> None:
    async def version() -> int:
        async with house.storage.read() as tx:
            return (await tx.deliveries.tournament(cup.id)).version

    cup = await house.open(4, cup=Cup(4, reopens=True))
    await house.wait()
    before, following = await version(), await next_edition(house, cup)
    await house.enter(following, *CROWD[:3])
    assert await version() == before
    await house.enter(following, CROWD[3])
    assert await version() == before + 1
    assert (TimerKind.TOURNAMENT, cup.id) in await house.due()
    assert (await house.tournament(cup)).open_next is None


# The hard end


async def test_a_match_ends_at_its_hard_end_whatever_happens(house: CupHouse) -> None:
    matches = slow, quick, _ = (await house.begin_games(weeks=2))[:3]
    ends_at = slow.ends_at
    assert ends_at == house.now + 2 * WEEK
    house.now += 8 * DAY
    await house.play_on(slow, "e5", "light")
    await house.play_on(quick, "e5")
    await house.wait()
    assert any((await house.clocks.view(await house.match(quick))).days_off) is True
    await house.wait(ends_at - SECOND - house.now)
    assert [(await house.match(match)).result for match in matches] == [None] * 3
    house.now, twin = ends_at, house.another()
    await asyncio.gather(*(process.tournaments.end_overdue(slow.id) for process in (house, twin, house)))
    await twin.wait()
    for match in matches:
        over = await house.match(match)
        assert over.result == Result(match.second.id, Ending.TIME), "the first player has used 8 of 14 days"
        assert over.ended_hard


@pytest.mark.both_databases
async def test_a_turn_at_the_hard_end_counts_or_is_refused(house: CupHouse) -> None:
    twin = house.another()
    for match in await house.begin_games():
        house.now = max(house.now, match.ends_at or house.now)
        played = await outcomes(house.play(match, match.first, "e5"), twin.tournaments.end_overdue(match.id))
        over = await twin.game(match)
        assert over.match.result == Result(match.second.id, Ending.TIME), "the first player has used all the time"
        assert (over.turns == ("e5",)) is (played["Game"] == 1)


async def test_a_match_without_a_place_ends_without_a_winner(house: CupHouse) -> None:
    cup = await house.open(4, cup=Cup(4))
    await house.wait(DAY)
    late, *others = await house.place_all(cup)
    assert late.ends_at == house.now + 3 * WEEK, "the time counts from the place"
    await release_channel(house, late)
    await house.wait(3 * WEEK)
    endings = Counter([(await house.result(match)).ending for match in (late, *others)])
    assert endings == {Ending.ABANDONED: 1, Ending.TIME: 3}


async def release_channel(house: CupHouse, match: Match) -> None:
    channel_id = (await house.delivery(match)).channel_id
    assert channel_id is not None
    await house.deliveries.release_channel(CardKey(match.id), channel_id)


async def test_a_hard_end_waits_for_a_game_that_has_lost_its_place(house: CupHouse) -> None:
    game, *_ = await house.begin_games(weeks=2)
    assert game.ends_at is not None
    house.now += 8 * DAY
    await house.play_on(game, "e5")
    await release_channel(house, game)
    await house.wait(10 * DAY)
    assert (await house.match(game)).result is None
    await house.deliveries.assign_channel(CardKey(game.id), 7)
    await house.wait(6 * DAY - SECOND)
    assert (await house.match(game)).result is None
    await house.wait(SECOND)
    assert house.now == game.ends_at + 10 * DAY
    over = await house.result(game)
    assert over == Result(game.second.id, Ending.TIME), "the first player has thought for 8 days, the second for 6"


async def test_nobody_loses_a_game_at_its_hard_end_that_nobody_was_shown(house: CupHouse) -> None:
    cup = await house.open(4, cup=Cup(4))
    await house.wait()
    first, *_ = await house.running(cup)
    await house.deliveries.assign_channel(CardKey(first.id), 7)
    await house.wait(3 * WEEK)
    assert await house.result(first) == ABANDONED


async def test_only_games_of_cups_have_a_hard_end(house: CupHouse) -> None:
    opened = await house.begin(3)
    assert [match.ends_at for match in await house.place_all(opened)] == [None] * 3
    await house.wait(10 * WEEK)
    assert len(await house.running(opened)) == 3


# Whole cups


class Season:
    """Cups that are entered, played, left and interrupted at random, by two processes."""

    def __init__(self, house: CupHouse, chance: random.Random, people: int, editions: int) -> None:
        self.clock, self.chance, self.editions = house.clock, chance, editions
        self.houses = [house, house.another()]
        self.people = CROWD[1 : people + 1]
        self.seen, self.placed, self.delayed = Counter[str](), set[int](), set[tuple[TimerKind, int]]()

    @property
    def house(self) -> CupHouse:
        """One of the processes."""
        return self.chance.choice(self.houses)

    async def open(self, cup: Cup) -> None:
        control = self.chance.choice([SLOW, TimeControl.turns_of(3 * DAY, hard=True)])
        await self.house.open(control=control, at_once=self.chance.randint(1, 3), cup=cup)
        self.clock.now += TOURNAMENT_LIMIT.span

    async def play(self) -> None:
        """Let things happen until every cup is over."""
        while cups := [cup for cup in await self.house.all() if cup.ongoing]:
            self.clock.now += self.chance.uniform(0, 1) * LONGEST_WAIT
            for cup in cups:
                if cup.state is TournamentState.OPEN:
                    await self._enter(cup)
            await self._handle_timers()
            for cup in cups:
                if cup.state is TournamentState.RUNNING:
                    await self._go_on(await self.house.tournament(cup))

    async def _go_on(self, cup: Tournament) -> None:
        busy = Counter(player_id for pairing in cup.running for player_id in pairing.player_ids)
        assert max(busy.values(), default=0) <= cup.at_once, "nobody plays more at once"
        for match in await self.house.running(cup):
            if match.id not in self.placed and self.chance.random() < 0.9:
                await self.house.place(match)
                self.placed.add(match.id)
            await self._play(match)
        if self.chance.random() < 0.05 and cup.active:
            await self._leave(cup)

    async def _enter(self, cup: Tournament) -> None:
        if cup.edition > self.editions:
            await self.house.tournaments.cancel(cup.id, cup.organiser.id)
            return
        entering = self.chance.sample(self.people, min(len(self.people), self.chance.randint(0, 4)))
        self.seen.update(await outcomes(*(self.house.tournaments.join(cup.id, player) for player in entering)))

    async def _handle_timers(self) -> None:
        """Handle what is due, by one process or by two at once; a process may die, but not twice for the same."""
        async with self.house.storage.read() as tx:
            due = await tx.timers.due(self.clock.now, 1000)
        for timer in self.chance.sample(due, len(due)):
            key, house = (timer.kind, timer.subject_id), self.house
            if key not in self.delayed and self.chance.random() < 0.1:
                self.delayed.add(key)
                with dying_at(house.storage, self.chance.randint(1, 30)), suppress(KeyboardInterrupt):
                    await house.scheduler.handlers[timer.kind](timer.subject_id)
                    continue  # the process dies before it removes the timer
                self.seen["dead"] += 1
                self.houses = [self.houses[0].another() for _ in range(2)]
                continue
            together = self.houses if self.chance.random() < 0.2 else [house]
            await asyncio.gather(*(process.scheduler.handlers[timer.kind](timer.subject_id) for process in together))
            async with house.storage.transaction() as tx:
                await tx.timers.remove(timer)

    async def _play(self, match: Match) -> None:
        """Play a turn or end the match, or do nothing."""
        act, house = self.chance.random(), self.house
        if act > 0.4:
            return
        match = await house.match(match)
        with suppress(DomainError):  # a strict flag may have fallen, and the match may have no place
            if act < 0.1:
                await house.resign(match, self.chance.choice(match.players))
            elif act < 0.2:
                async with house.storage.transaction() as tx:
                    match = await lock_match(tx, match.id)
                    await house.matches.end(tx, match, Result(None, Ending.AGREEMENT), self.clock.now)
            elif match.ply < 2:
                await house.play_on(match, PLAYED[match.ply])

    async def _leave(self, cup: Tournament) -> None:
        player = self.chance.choice(cup.active)
        if player.deleted or player == ORGANISER:
            return
        if self.chance.random() < 0.3:
            await self.house.privacy.delete(player.id)
            self.people = [other for other in self.people if other.id != player.id]
            self.seen["deleted"] += 1
        elif cup.ongoing:
            await self.house.tournaments.withdraw(cup.id, player.id)
            self.seen["left"] += 1


@pytest.mark.parametrize("seed", range(2 if THOROUGH else 1))
async def test_cups_are_played_to_their_end_whatever_happens(house: CupHouse, seed: int) -> None:
    chance = random.Random(seed)
    people, cups, editions = (300, 12, 3) if THOROUGH else (7, 1, 1)
    season = Season(house, chance, people, editions)
    for number in range(cups):
        await season.open(Cup([None, *STARTS_WITH][number % 4], chance.choice([2, 3]), reopens=True))
    await season.play()
    found = await house.all()
    following = Counter(cup.previous_id for cup in found)
    for cup in found:
        assert following[cup.id] == bool(cup.pairings), "what has started has opened one edition"
        met = [frozenset(pairing.player_ids) for pairing in cup.pairings]
        assert len(set(met)) == len(met), "no rematch"
        if cup.state is not TournamentState.OVER:
            continue
        for table in cross_tables(cup).groups:
            scores = [meeting.first_score + meeting.second_score for meeting in table.meetings]
            assert sum(row.points for row in table.rows) == sum(scores)
            assert set(scores) <= {0, 2}
            assert len(table.meetings) == table.games, "every game counts, or its player has left"
        for pairing in cup.pairings:
            if pairing.match_id is not None:
                match = await house.matches.match(pairing.match_id)
                assert match.result is not None
                assert match.ends_at is not None
                assert match.ended_at is not None
                assert match.ended_at <= match.ends_at + 2 * LONGEST_WAIT, "a process may have died once"
    assert season.seen["Tournament"] > people // 2
    assert max(cup.edition for cup in found) == editions + 1

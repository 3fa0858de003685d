"""Cups: when they start, their editions and groups, the hard end of a game, and whole cups played at random."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from contextlib import suppress
from datetime import timedelta

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
from bot.domain.limits import ENTRY_LIMIT, TOURNAMENT_LIMIT, TooManyEntriesError
from bot.domain.matches import Ending, Match, Result
from bot.domain.players import Player
from bot.domain.refusals import DomainError
from bot.domain.timers import TimerKind
from bot.services.clocks import Clocks
from bot.services.deliveries import Deliveries
from bot.services.matches import Matches, lock_match
from bot.services.tournaments import Tournaments
from bot.storage import Storage
from tests.support.failures import dying_at
from tests.support.services import DALEN, PLACE, Clock, note_card, outcomes, play_turn, privacy_service, service, start
from tests.support.thorough import THOROUGH, sample

SLOW = TimeControl.banks_of(3 * DAY, DAY)
PEOPLE = [Player(100 + number, f"P{number}") for number in range(400)]
ORGANISER = PEOPLE[0]
#: The longest time between two looks at the timers of whole cups.
LONGEST_WAIT = timedelta(hours=60)


class Bot:
    """A process without Discord."""

    def __init__(self, storage: Storage, clock: Clock, seed: int = 1) -> None:
        self.storage, self.clock = storage, clock
        self.matches: Matches = service(storage, clock)
        self.deliveries = Deliveries(storage, clock=clock)
        self.clocks = Clocks(storage, self.matches, clock=clock)
        self.tournaments = Tournaments(storage, self.matches, clock=clock, chance=random.Random(seed))
        self.privacy = privacy_service(storage, self.matches, clock)

    async def open(self, cup: Cup, people: int = 1, control: TimeControl | None = SLOW) -> Tournament:
        opened = await self.tournaments.create(PLACE, "Cup", ORGANISER, DALEN, control=control, cup=cup)
        await self.enter(opened.id, *PEOPLE[1:people])
        return await self.tournaments.get(opened.id)

    async def enter(self, tournament_id: int, *people: Player) -> None:
        for player in people:
            await self.tournaments.join(tournament_id, player)

    async def ring(self) -> None:
        """Handle the timers that are due, as the scheduler does."""
        while True:
            async with self.storage.read() as tx:
                due = await tx.timers.due(self.clock.now, 1)
            for timer in due:
                await self.handle(timer.kind, timer.subject_id)
            async with self.storage.transaction() as tx:
                for timer in due:
                    await tx.timers.remove(timer)
            if not due:
                return

    async def handle(self, kind: TimerKind, subject_id: int) -> None:
        match kind:
            case TimerKind.TOURNAMENT:
                await self.tournaments.advance(subject_id)
            case TimerKind.CUP_START:
                await self.tournaments.start_cup(subject_id)
            case TimerKind.HARD_END:
                await self.tournaments.end_overdue(subject_id)
            case TimerKind.FLAG:
                await self.clocks.flag_fell(subject_id)

    async def all(self) -> list[Tournament]:
        """All tournaments, the first one first."""
        async with self.storage.read() as tx:
            return await tx.tournaments.get_all(range(1, 1000))

    async def editions(self) -> list[tuple[int, TournamentState]]:
        return [(each.edition, each.state) for each in await self.all()]


@pytest.fixture
def bot(storage: Storage, clock: Clock) -> Bot:
    return Bot(storage, clock)


async def place_all(bot: Bot, tournament_id: int) -> list[Match]:
    """Find a place for the running games of a tournament, show them there, and return them."""
    running = (await bot.tournaments.get(tournament_id)).running
    for each in running:
        assert each.match_id is not None
        await bot.deliveries.assign_channel(each.match_id, 1000 + each.match_id)
        await note_card(bot.storage, each.match_id)
    return [await bot.matches.match(each.match_id) for each in running if each.match_id is not None]


# The start


@pytest.mark.both_databases
@pytest.mark.parametrize("full", sample(STARTS_WITH, 2))
async def test_a_cup_starts_with_the_last_entrant_it_waits_for(bot: Bot, storage: Storage, full: int) -> None:
    cup = await bot.open(Cup(full, reopens=True), full - 1)
    assert cup.state is TournamentState.OPEN
    other = Bot(storage, bot.clock)
    together = await outcomes(
        *(each.tournaments.join(cup.id, who) for each, who in zip((bot, other), PEOPLE[20:22], strict=True))
    )
    assert together == {"Tournament": 1, "TournamentStateError": 1}, "one came too late for the last place"
    assert len((await bot.tournaments.get(cup.id)).entrants) == full
    assert await bot.editions() == [(1, TournamentState.RUNNING), (2, TournamentState.OPEN)]


async def test_a_cup_starts_after_a_week_with_at_least_three_or_never(bot: Bot) -> None:
    for entered, state in ((2, TournamentState.CANCELLED), (3, TournamentState.RUNNING)):
        cup = await bot.open(Cup(5, reopens=True), entered)
        bot.clock.now += WEEK - timedelta(seconds=1)
        await bot.ring()
        assert (await bot.tournaments.get(cup.id)).state is TournamentState.OPEN
        bot.clock.now += timedelta(seconds=1)
        await bot.ring()
        assert (await bot.tournaments.get(cup.id)).state is state
    assert [each.previous_id for each in await bot.all()] == [None, None, 2], "only what has started opens the next one"


async def test_a_cup_without_a_number_waits_for_everybody(bot: Bot) -> None:
    cup = await bot.open(Cup(None), MAX_IN_CUP)
    with pytest.raises(DomainError, match="full"):
        await bot.enter(cup.id, PEOPLE[MAX_IN_CUP])
    assert (await bot.tournaments.get(cup.id)).state is TournamentState.OPEN
    bot.clock.now += WEEK
    await bot.ring()
    begun = await bot.tournaments.get(cup.id)
    assert Counter(each.group for each in begun.pairings) == dict.fromkeys(range(1, 7), 15)


async def test_the_strongest_players_are_in_the_first_group(bot: Bot) -> None:
    strong = PEOPLE[6:9]
    for winner, loser in zip(strong, PEOPLE[50:], strict=False):
        match = await start(bot.matches, winner, loser, turns=("e5", "light", "d4", "a1"))
        await bot.matches.resign(match.id, loser.id)
    cup = await bot.open(Cup(None), 9)
    begun = await bot.tournaments.start(cup.id, ORGANISER.id)
    first = {player_id for each in begun.pairings if each.group == 1 for player_id in each.player_ids}
    assert len(first) == 5
    assert {each.id for each in strong} < first
    assert {each.player for each in begun.entrants[:3]} == {*strong}, "who come first if all else is equal"


async def test_a_cup_needs_a_clock(bot: Bot) -> None:
    with pytest.raises(CupClockError):
        await bot.open(Cup(5), control=None)


async def test_joining_a_cup_twice_is_refused_in_words(bot: Bot) -> None:
    cup = await bot.open(Cup(5), 2)
    with pytest.raises(AlreadyEntrantError) as refused:
        await bot.enter(cup.id, PEOPLE[1])
    assert "starts on its own" in str(refused.value.text)


# Editions


async def test_a_bot_that_dies_while_a_cup_starts_opens_one_edition(bot: Bot, storage: Storage) -> None:
    """Whatever dies before the start is stored starts again, and nothing is left half done."""
    number, step = 0, 3 if THOROUGH else 7
    while True:
        number += step
        cup = await bot.open(Cup(4, reopens=True), 3)
        bot.clock.now += TOURNAMENT_LIMIT.span
        with dying_at(storage, number) as statements, suppress(KeyboardInterrupt):
            await bot.enter(cup.id, PEOPLE[3])
        bot = Bot(storage, bot.clock)
        with suppress(AlreadyEntrantError, TournamentStateError):
            await bot.enter(cup.id, PEOPLE[3])
        begun = await bot.tournaments.get(cup.id)
        assert begun.state is TournamentState.RUNNING
        assert len(begun.pairings) == 6
        assert [each.edition for each in await bot.all() if each.previous_id == cup.id] == [2]
        await bot.tournaments.cancel(begun.id, ORGANISER.id)
        if len(statements) < number:
            break


async def test_a_new_edition_does_not_count_towards_the_organisers_limit(bot: Bot) -> None:
    cup = await bot.open(Cup(4, reopens=True), 4)
    for _ in range(TOURNAMENT_LIMIT.most + 1):
        following = (await bot.tournaments.get(cup.id)).open_next
        assert following is not None
        cup = await bot.tournaments.get(following)
        assert cup.entrants == ()
        await bot.enter(cup.id, *PEOPLE[:4])
    for _ in range(TOURNAMENT_LIMIT.most - 1):
        await bot.open(Cup())
    with pytest.raises(DomainError, match="a lot of tournaments"):
        await bot.open(Cup())


async def test_nobody_fills_one_edition_after_the_other_without_end(bot: Bot) -> None:
    cup = await bot.open(Cup(4, reopens=True), 4)
    for _ in range(ENTRY_LIMIT.most - 1):
        assert cup.open_next is not None
        await bot.enter(cup.open_next, *PEOPLE[1:5])
        cup = await bot.tournaments.get(cup.open_next)
    assert cup.open_next is not None
    with pytest.raises(TooManyEntriesError):
        await bot.enter(cup.open_next, PEOPLE[1])
    bot.clock.now += ENTRY_LIMIT.span
    await bot.enter(cup.open_next, PEOPLE[1])


async def test_the_next_edition_stays_when_the_organiser_is_forgotten(bot: Bot) -> None:
    await bot.open(Cup(4, reopens=True), 4)
    await bot.privacy.delete(ORGANISER.id)
    first, second = await bot.all()
    assert (first.state, second.state) == (TournamentState.RUNNING, TournamentState.OPEN)
    assert first.organiser == second.organiser
    assert first.organiser in PEOPLE[1:4]
    assert second.entrants == ()


async def test_the_card_of_the_edition_before_is_shown_again_when_the_next_one_starts(bot: Bot) -> None:
    cup = await bot.open(Cup(4, reopens=True), 4)
    await bot.ring()
    async with bot.storage.read() as tx:
        before = (await tx.deliveries.tournament(cup.id)).version
    await bot.enter(2, *PEOPLE[:3])
    async with bot.storage.read() as tx:
        assert (await tx.deliveries.tournament(cup.id)).version == before
    await bot.enter(2, PEOPLE[3])
    async with bot.storage.read() as tx:
        assert (await tx.deliveries.tournament(cup.id)).version == before + 1
        assert await tx.timers.is_due(TimerKind.TOURNAMENT, cup.id, bot.clock.now)
    assert (await bot.tournaments.get(cup.id)).open_next is None


# The hard end


async def begun_games(bot: Bot, weeks: int = 3) -> list[Match]:
    """The games of a cup that has just started, each with a place."""
    cup = await bot.open(Cup(4, weeks), 4)
    await bot.ring()
    return await place_all(bot, cup.id)


async def play(bot: Bot, match: Match, *turns: str) -> None:
    for turn in turns:
        awaited = (await bot.matches.game(match.id)).to_act
        assert awaited is not None
        await play_turn(bot.matches, match.id, awaited.id, turn)


async def test_a_match_ends_at_its_hard_end_whatever_happens(bot: Bot, storage: Storage) -> None:
    slow, quick, other = (await begun_games(bot, weeks=2))[:3]
    ends_at = slow.ends_at
    assert ends_at == bot.clock.now + 2 * WEEK
    bot.clock.now += 8 * DAY
    await play(bot, slow, "e5", "light")
    await play(bot, quick, "e5")
    await bot.ring()
    assert any((await bot.clocks.view(await bot.matches.match(quick.id))).days_off) is True
    bot.clock.now = ends_at - timedelta(seconds=1)
    await bot.ring()
    assert [(await bot.matches.match(each.id)).result for each in (slow, quick, other)] == [None] * 3
    bot.clock.now = ends_at
    twin = Bot(storage, bot.clock)
    await asyncio.gather(*(each.tournaments.end_overdue(slow.id) for each in (bot, twin, bot)))
    await twin.ring()
    results = [await bot.matches.match(each.id) for each in (slow, quick, other)]
    assert [each.result for each in results] == [
        Result(slow.second.id, Ending.TIME),
        Result(quick.second.id, Ending.TIME),
        Result(other.second.id, Ending.TIME),
    ], "the first player has used 8 of 14 days"
    assert all(each.ended_hard for each in results)


@pytest.mark.both_databases
async def test_a_turn_at_the_hard_end_counts_or_is_refused(bot: Bot, storage: Storage) -> None:
    for match in await begun_games(bot):
        bot.clock.now = max(bot.clock.now, match.ends_at or bot.clock.now)
        twin = Bot(storage, bot.clock)
        game = await bot.matches.game(match.id)
        assert game.to_act is not None
        played, _ended = await asyncio.gather(
            play_turn(bot.matches, match.id, game.to_act.id, "e5"),
            twin.tournaments.end_overdue(match.id),
            return_exceptions=True,
        )
        over = await twin.matches.game(match.id)
        assert over.match.result == Result(match.second.id, Ending.TIME), "the first player has used all the time"
        assert (over.turns == ("e5",)) is not isinstance(played, Exception)


async def test_a_match_without_a_place_ends_without_a_winner(bot: Bot) -> None:
    cup = await bot.open(Cup(4), 4)
    await bot.ring()
    bot.clock.now += DAY
    late, *_ = await place_all(bot, cup.id)
    assert late.ends_at == bot.clock.now + 3 * WEEK, "the time counts from the place"
    waiting = [each.match_id for each in (await bot.tournaments.get(cup.id)).running]
    async with bot.storage.transaction() as tx:
        await tx.deliveries.release_channel(late.id, 1000 + late.id)
    bot.clock.now += 3 * WEEK
    await bot.ring()
    results = [(await bot.matches.match(each)).result for each in waiting if each is not None]
    assert Counter(result.ending for result in results if result) == {Ending.ABANDONED: 1, Ending.TIME: 3}


async def test_a_hard_end_waits_for_a_game_that_has_lost_its_place(bot: Bot) -> None:
    game, *_ = await begun_games(bot, weeks=2)
    assert game.ends_at is not None
    bot.clock.now += 8 * DAY
    await play(bot, game, "e5")
    await bot.deliveries.release_channel(game.id, 1000 + game.id)
    bot.clock.now += 10 * DAY
    await bot.ring()
    assert (await bot.matches.match(game.id)).result is None
    await bot.deliveries.assign_channel(game.id, 7)
    bot.clock.now += 6 * DAY - timedelta(seconds=1)
    await bot.ring()
    assert (await bot.matches.match(game.id)).result is None
    bot.clock.now += timedelta(seconds=1)
    await bot.ring()
    assert bot.clock.now == game.ends_at + 10 * DAY
    over = (await bot.matches.match(game.id)).result
    assert over == Result(game.second.id, Ending.TIME), "the first player has thought for 8 days, the second for 6"


async def test_nobody_loses_a_game_at_its_hard_end_that_nobody_was_shown(bot: Bot) -> None:
    opened = await bot.open(Cup(4), 4)
    await bot.ring()
    first, *_ = (await bot.tournaments.get(opened.id)).running
    assert first.match_id is not None
    await bot.deliveries.assign_channel(first.match_id, 7)
    bot.clock.now += 3 * WEEK
    await bot.ring()
    assert (await bot.matches.match(first.match_id)).result == Result(None, Ending.ABANDONED)


async def test_only_games_of_cups_have_a_hard_end(bot: Bot) -> None:
    opened = await bot.tournaments.create(PLACE, "Round robin", ORGANISER, DALEN, control=SLOW)
    await bot.enter(opened.id, *PEOPLE[1:3])
    await bot.tournaments.start(opened.id, ORGANISER.id)
    await bot.ring()
    for match in await place_all(bot, opened.id):
        assert match.ends_at is None
    bot.clock.now += 10 * WEEK
    await bot.ring()
    assert all(each.result is None for each in (await bot.tournaments.get(opened.id)).running)


# Whole cups


class Season:
    """Cups that are entered, played, left and interrupted at random, by two processes."""

    def __init__(self, storage: Storage, clock: Clock, chance: random.Random, people: int, editions: int) -> None:
        self.storage, self.clock, self.chance, self.editions = storage, clock, chance, editions
        self.bots = [Bot(storage, clock, chance.getrandbits(32)) for _ in range(2)]
        self.people = PEOPLE[1 : people + 1]
        self.seen, self.placed, self.delayed = Counter[str](), set[int](), set[tuple[TimerKind, int]]()

    @property
    def bot(self) -> Bot:
        return self.chance.choice(self.bots)

    async def open(self, cup: Cup) -> None:
        control = self.chance.choice([SLOW, TimeControl.turns_of(3 * DAY, hard=True)])
        await self.bot.tournaments.create(
            PLACE, "Cup", ORGANISER, DALEN, control=control, at_once=self.chance.randint(1, 3), cup=cup
        )
        self.clock.now += TOURNAMENT_LIMIT.span

    async def play(self) -> None:
        """Let things happen until every cup is over."""
        while cups := [each for each in await self.bot.all() if each.ongoing]:
            self.clock.now += self.chance.uniform(0, 1) * LONGEST_WAIT
            for cup in cups:
                if cup.state is TournamentState.OPEN:
                    await self._enter(cup)
            await self._ring()
            for cup in cups:
                if cup.state is TournamentState.RUNNING:
                    await self._go_on(await self.bot.tournaments.get(cup.id))

    async def _go_on(self, cup: Tournament) -> None:
        busy = Counter(each for pairing in cup.running for each in pairing.player_ids)
        assert max(busy.values(), default=0) <= cup.at_once, "nobody plays more at once"
        for pairing in cup.running:
            assert pairing.match_id is not None
            if pairing.match_id not in self.placed and self.chance.random() < 0.9:
                await self.bot.deliveries.assign_channel(pairing.match_id, 1000 + pairing.match_id)
                await note_card(self.bot.storage, pairing.match_id)
                self.placed.add(pairing.match_id)
            await self._play(pairing.match_id)
        if self.chance.random() < 0.05 and cup.active:
            await self._leave(cup)

    async def _enter(self, cup: Tournament) -> None:
        if cup.edition > self.editions:
            await self.bot.tournaments.cancel(cup.id, cup.organiser.id)
            return
        entering = self.chance.sample(self.people, min(len(self.people), self.chance.randint(0, 4)))
        self.seen.update(await outcomes(*(self.bot.tournaments.join(cup.id, player) for player in entering)))

    async def _ring(self) -> None:
        """Handle what is due, by one process or by two at once; a process may die, but not twice for the same."""
        async with self.storage.read() as tx:
            due = await tx.timers.due(self.clock.now, 1000)
        for timer in self.chance.sample(due, len(due)):
            key = (timer.kind, timer.subject_id)
            if key not in self.delayed and self.chance.random() < 0.1:
                self.delayed.add(key)
                with dying_at(self.storage, self.chance.randint(1, 30)), suppress(KeyboardInterrupt):
                    await self.bot.handle(timer.kind, timer.subject_id)
                    continue  # the process dies before it removes the timer
                self.seen["dead"] += 1
                self.bots = [Bot(self.storage, self.clock, self.chance.getrandbits(32)) for _ in range(2)]
                continue
            twice = self.bots if self.chance.random() < 0.2 else [self.bot]
            await asyncio.gather(*(each.handle(timer.kind, timer.subject_id) for each in twice))
            async with self.storage.transaction() as tx:
                await tx.timers.remove(timer)

    async def _play(self, match_id: int) -> None:
        """Play a turn or end the match, or do nothing."""
        act = self.chance.random()
        if act > 0.4:
            return
        match = await self.bot.matches.match(match_id)
        with suppress(DomainError):  # a strict flag may have fallen, and the match may have no place
            if act < 0.1:
                await self.bot.matches.resign(match.id, self.chance.choice(match.players).id)
            elif act < 0.2:
                async with self.storage.transaction() as tx:
                    match = await lock_match(tx, match.id)
                    await self.bot.matches.end(tx, match, Result(None, Ending.AGREEMENT), self.clock.now)
            elif match.ply < 2:
                turn = ("e5", "light")[match.ply]
                await play_turn(self.bot.matches, match.id, match.players[match.ply].id, turn)

    async def _leave(self, cup: Tournament) -> None:
        player = self.chance.choice(cup.active)
        if player.deleted or player == ORGANISER:
            return
        if self.chance.random() < 0.3:
            await self.bot.privacy.delete(player.id)
            self.people = [each for each in self.people if each.id != player.id]
            self.seen["deleted"] += 1
        elif cup.ongoing:
            await self.bot.tournaments.withdraw(cup.id, player.id)
            self.seen["left"] += 1


@pytest.mark.parametrize("seed", range(2 if THOROUGH else 1))
async def test_cups_are_played_to_their_end_whatever_happens(storage: Storage, clock: Clock, seed: int) -> None:
    chance = random.Random(seed)
    people, cups, editions = (300, 12, 3) if THOROUGH else (7, 1, 1)
    season = Season(storage, clock, chance, people, editions)
    for number in range(cups):
        await season.open(Cup([None, *STARTS_WITH][number % 4], chance.choice([2, 3]), reopens=True))
    await season.play()
    found = await season.bot.all()
    following = Counter(each.previous_id for each in found)
    for cup in found:
        assert following[cup.id] == bool(cup.pairings), "what has started has opened one edition"
        met = [frozenset(each.player_ids) for each in cup.pairings]
        assert len(set(met)) == len(met), "no rematch"
        if cup.state is not TournamentState.OVER:
            continue
        for table in cross_tables(cup).groups:
            assert sum(row.points for row in table.rows) == sum(
                each.first_score + each.second_score for each in table.meetings
            )
            assert all(each.first_score + each.second_score in (0, 2) for each in table.meetings)
            assert len(table.meetings) == table.games, "every game counts, or its player has left"
        for pairing in cup.pairings:
            if pairing.match_id is not None:
                match = await season.bot.matches.match(pairing.match_id)
                assert match.result is not None
                assert match.ends_at is not None
                assert match.ended_at is not None
                assert match.ended_at <= match.ends_at + 2 * LONGEST_WAIT, "a process may have died once"
    assert season.seen["Tournament"] > people // 2
    assert max(cup.edition for cup in found) == editions + 1

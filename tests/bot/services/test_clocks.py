"""Matches with clocks, without Discord: who wins when time is up, and who is charged for what."""

from __future__ import annotations

import asyncio
import random
from datetime import timedelta

import pytest

import rules
from bot.domain.challenges import First
from bot.domain.clocks import DAY, DAYS_OFF, HEARTBEAT, TimeControl
from bot.domain.matches import Ending, Match, MovedOnError, NotAPlayerError, ProposalKind, Result
from bot.domain.places import Place
from bot.domain.play import NoClockError, OwnTimeError, TimeLeftError, TimeUpError
from bot.domain.shards import Shards
from bot.domain.timers import Timer, TimerKind
from bot.services.clocks import Clocks, Fall
from bot.services.deliveries import Deliveries
from bot.services.proposals import Proposals
from bot.storage import Storage
from tests.support.failures import patch_storage
from tests.support.games import WHOLE_GAME
from tests.support.services import (
    ALICE,
    BOB,
    CAROL,
    DALEN,
    PLACE,
    Clock,
    challenging,
    note_card,
    play_turn,
    service,
    start,
)
from tests.support.stored import days_off_left
from tests.support.thorough import sample

HOUR, MINUTE, SECOND = timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1)
BANK = TimeControl.banks_of(3 * DAY, DAY)
QUICK = TimeControl.banks_of(10 * MINUTE, 30 * SECOND)
STRICT = TimeControl.banks_of(10 * MINUTE, 30 * SECOND, hard=True)


class House:
    """The services that clocks concern, and the time."""

    def __init__(self, storage: Storage, clock: Clock) -> None:
        self.storage = storage
        self.clock = clock
        self.matches = service(storage, clock)
        self.deliveries = Deliveries(storage, clock=clock)
        self.challenges = challenging(self.matches)
        self.proposals = Proposals(storage, self.matches, clock=clock)
        self.clocks = Clocks(storage, self.matches, clock=clock)

    async def start(self, control: TimeControl, turns: tuple[str, ...] = (), place: Place = PLACE) -> Match:
        return await start(self.matches, place=place, turns=turns, control=control)

    def process(self, shards: int = 1) -> Clocks:
        """The clocks as another process sees them."""
        return Clocks(Storage(self.storage.database, Shards(shards)), self.matches, clock=self.clock)

    async def restart(self, shards: int = 1) -> int:
        """Let another process look after the clocks; return for how many it makes up."""
        self.clocks = self.process(shards)
        return sum([await take(self.clocks, shard) for shard in range(shards)])

    async def left(self, match: Match) -> tuple[timedelta, timedelta]:
        clock = (await self.matches.match(match.id)).clock
        assert clock is not None
        return clock.time_left_at(0, self.clock.now), clock.time_left_at(1, self.clock.now)

    async def days_off_left(self, player_id: int) -> int:
        return await days_off_left(self.storage, player_id, self.clock.now)

    async def due(self, match: Match) -> dict[TimerKind, timedelta]:
        """The timers of a match, without those that show a change."""
        async with self.storage.read() as tx:
            timers = await tx.timers.due(self.clock.now + 1000 * DAY, 1000)
        return {
            timer.kind: timer.due_at - self.clock.now
            for timer in timers
            if timer.subject_id == match.id and not timer.kind.startswith("show-")
        }


async def take(clocks: Clocks, shard: int) -> int:
    """Let a process take a shard and reach its players; for how many clocks it makes up."""
    away_since = await clocks.acquire_shard(shard)
    return 0 if away_since is None else await clocks.make_up_for(shard, away_since)


@pytest.fixture
async def house(storage: Storage, clock: Clock) -> House:
    house = House(storage, clock)
    await house.restart()
    return house


async def test_a_turn_costs_its_time_and_brings_the_bonus(house: House) -> None:
    match = await house.start(BANK)
    house.clock.now += 5 * HOUR
    await play_turn(house.matches, match.id, ALICE.id, "e5")
    assert await house.left(match) == (4 * DAY - 5 * HOUR, 3 * DAY)
    house.clock.now += 2 * DAY
    await play_turn(house.matches, match.id, BOB.id, "dark")
    assert await house.left(match) == (4 * DAY - 5 * HOUR, 2 * DAY)
    assert (await house.due(match))[TimerKind.FLAG] == 4 * DAY - 5 * HOUR


async def test_a_game_that_begins_with_the_second_player_costs_that_player_time(house: House) -> None:
    match = await start(house.matches, ruleset=rules.continued(DALEN, ("e5",)), control=BANK)
    assert (await house.matches.game(match.id)).to_act == BOB
    house.clock.now += 5 * HOUR
    assert await house.left(match) == (3 * DAY, 3 * DAY - 5 * HOUR)


async def test_without_a_clock_there_are_no_timers_and_nothing_to_claim(house: House) -> None:
    challenge = await house.challenges.challenge(PLACE, ALICE, BOB, DALEN, First.CHALLENGER)
    match = await house.challenges.accept(challenge.id, BOB)
    assert match.clock is None
    assert await house.due(match) == {}
    with pytest.raises(NoClockError):
        await house.clocks.claim(match.id, BOB.id)


async def test_the_opponent_claims_and_until_then_the_player_may_still_play(house: House) -> None:
    match = await house.start(QUICK)
    with pytest.raises(TimeLeftError):
        await house.clocks.claim(match.id, BOB.id)
    house.clock.now += 11 * MINUTE
    assert (await house.clocks.flag_fell(match.id))[0] is Fall.CLAIM
    with pytest.raises(OwnTimeError):
        await house.clocks.claim(match.id, ALICE.id)
    with pytest.raises(NotAPlayerError):
        await house.clocks.claim(match.id, CAROL.id)
    await play_turn(house.matches, match.id, ALICE.id, "e5")
    assert (await house.left(match))[0] == 30 * SECOND
    with pytest.raises(MovedOnError):
        await house.clocks.claim(match.id, BOB.id, seen_step=0)
    house.clock.now += 11 * MINUTE
    ended = await house.clocks.claim(match.id, ALICE.id, seen_step=1)
    assert ended.result == Result(ALICE.id, Ending.TIME)
    assert await house.due(match) == {}


async def test_a_strict_clock_ends_the_match_by_itself_and_takes_no_turn_after(house: House) -> None:
    match = await house.start(STRICT)
    house.clock.now += 10 * MINUTE
    with pytest.raises(TimeUpError):
        await play_turn(house.matches, match.id, ALICE.id, "e5")
    assert (await house.clocks.flag_fell(match.id))[0] is Fall.LOSS
    assert (await house.matches.match(match.id)).result == Result(BOB.id, Ending.TIME)
    assert (await house.clocks.flag_fell(match.id))[0] is Fall.NOTHING


@pytest.mark.both_databases
@pytest.mark.parametrize("seed", sample(range(12), 3))
async def test_of_a_turn_and_a_flag_at_the_same_moment_exactly_one_wins(house: House, seed: int) -> None:
    match = await house.start(STRICT)
    house.clock.now += 10 * MINUTE - SECOND
    struck = asyncio.Event()

    async def strike() -> None:
        for _ in range(0 if seed % 2 else seed):
            await asyncio.sleep(0)
        house.clock.now += SECOND
        struck.set()

    async def fall() -> tuple[Fall, object]:
        await struck.wait()  # a flag is looked at when its time has come, not before
        return await house.clocks.flag_fell(match.id)

    calls = [play_turn(house.matches, match.id, ALICE.id, "e5"), fall(), fall()]
    random.Random(seed).shuffle(calls)
    results = await asyncio.gather(strike(), *calls, return_exceptions=True)
    game = await house.matches.game(match.id)
    assert (game.match.result is None) == (game.turns == ("e5",))
    falls = [result[0] for result in results if isinstance(result, tuple)]
    assert falls.count(Fall.LOSS) == (game.match.result is not None)


@pytest.mark.both_databases
async def test_of_a_claim_and_a_turn_at_once_exactly_one_counts(house: House) -> None:
    for seed in range(6):
        match = await house.start(QUICK, place=Place(PLACE.guild_id, 100 + seed))
        house.clock.now += DAY
        calls = [
            play_turn(house.matches, match.id, ALICE.id, "e5"),
            *(house.clocks.claim(match.id, BOB.id) for _ in range(3)),
        ]
        random.Random(seed).shuffle(calls)
        await asyncio.gather(*calls, return_exceptions=True)
        game = await house.matches.game(match.id)
        assert (game.match.result is None) == (game.turns == ("e5",)), seed


@pytest.mark.both_databases
async def test_more_time_is_given_once_per_press(house: House) -> None:
    match = await house.start(BANK)
    seen = round(BANK.bank.total_seconds())
    calls = (house.clocks.give_time(match.id, BOB.id, seen_step=0, seen_left=seen) for _ in range(5))
    results = await asyncio.gather(*calls, return_exceptions=True)
    assert sum(isinstance(each, Match) for each in results) == 1
    assert await house.left(match) == (4 * DAY, 3 * DAY)
    assert (await house.due(match))[TimerKind.FLAG] == 4 * DAY
    await house.clocks.give_time(match.id, ALICE.id)
    assert await house.left(match) == (4 * DAY, 4 * DAY)


@pytest.mark.parametrize("control", [STRICT, QUICK])
async def test_nobody_loses_a_match_on_time_that_nobody_was_shown(house: House, control: TimeControl) -> None:
    challenge = await house.challenges.challenge(PLACE, ALICE, BOB, DALEN, First.CHALLENGER, control=control)
    match = await house.challenges.accept(challenge.id, BOB)
    house.clock.now += DAY
    with pytest.raises(TimeLeftError):
        await house.clocks.claim(match.id, BOB.id)
    assert (await house.clocks.flag_fell(match.id))[0] is Fall.NOTHING
    assert await house.due(match) == {}
    # The time begins with the first card, and then counts as usual.
    house.clock.now += DAY
    await house.deliveries.begin(match.id)
    await note_card(house.storage, match.id)
    assert (await house.due(match))[TimerKind.FLAG] == control.bank
    house.clock.now += control.bank
    assert (await house.clocks.flag_fell(match.id))[0] is (Fall.LOSS if control.hard else Fall.CLAIM)


async def test_giving_time_to_a_fallen_flag_takes_the_claim_away(house: House) -> None:
    match = await house.start(QUICK)
    house.clock.now += HOUR
    await house.clocks.give_time(match.id, BOB.id)
    assert (await house.left(match))[0] == 5 * MINUTE
    with pytest.raises(TimeLeftError):
        await house.clocks.claim(match.id, BOB.id)


async def test_a_year_of_days_off_is_spent_before_anybody_loses(house: House) -> None:
    match = await house.start(TimeControl.turns_of(DAY, hard=True))
    for spent in range(DAYS_OFF):
        house.clock.now += DAY
        assert await house.days_off_left(ALICE.id) == DAYS_OFF - spent
        assert (await house.clocks.flag_fell(match.id))[0] is Fall.DAY_OFF
        assert await house.left(match) == (DAY, DAY)
    house.clock.now += DAY
    assert (await house.clocks.flag_fell(match.id))[0] is Fall.LOSS
    assert await house.days_off_left(BOB.id) == DAYS_OFF
    house.clock.now += 366 * DAY
    assert await house.days_off_left(ALICE.id) == DAYS_OFF


async def test_a_day_off_saves_a_player_also_before_the_timer_rings(house: House) -> None:
    soft = await house.start(TimeControl.turns_of(DAY))
    house.clock.now += DAY + SECOND
    with pytest.raises(TimeLeftError):
        await house.clocks.claim(soft.id, BOB.id)
    assert (await house.left(soft))[0] == DAY
    await house.matches.resign(soft.id, ALICE.id)
    strict = await house.start(TimeControl.turns_of(DAY, hard=True))
    house.clock.now += DAY + SECOND
    await play_turn(house.matches, strict.id, ALICE.id, "e5")
    assert await house.days_off_left(ALICE.id) == DAYS_OFF - 2
    assert (await house.due(strict))[TimerKind.FLAG] == DAY


async def test_a_day_off_lets_the_turn_count_that_ends_a_match(house: House) -> None:
    match = await house.start(TimeControl.turns_of(DAY, hard=True), WHOLE_GAME[:-1])
    game = await house.matches.game(match.id)
    assert game.to_act is not None
    house.clock.now += DAY + SECOND
    await play_turn(house.matches, match.id, game.to_act.id, WHOLE_GAME[-1])
    ended = await house.matches.match(match.id)
    assert ended.result is not None
    assert ended.result.ending is Ending.RULES
    assert await house.days_off_left(game.to_act.id) == DAYS_OFF - 1
    assert ended.clock is not None
    assert ended.clock.time_left == (DAY, DAY)
    assert await house.due(match) == {}


async def test_time_given_while_a_turn_is_on_its_way_is_kept(house: House) -> None:
    match = await house.start(BANK)
    house.clock.now += HOUR
    game = (await house.matches.turn(match.id, ALICE.id)).game
    await house.clocks.give_time(match.id, BOB.id)
    played = await house.matches.play(game, game.position.draft("e5"), ALICE)
    assert await house.left(match) == (5 * DAY - HOUR, 3 * DAY)
    assert played.match.clock == (await house.matches.match(match.id)).clock
    assert (await house.due(match))[TimerKind.FLAG] == 3 * DAY


async def test_a_turn_that_is_not_stored_spends_no_day_off(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*_: object) -> bool:
        raise OSError("the power is out")

    match = await house.start(TimeControl.turns_of(DAY, hard=True))
    game = (await house.matches.turn(match.id, ALICE.id)).game
    house.clock.now += DAY + SECOND
    with monkeypatch.context() as patch:
        patch_storage(patch, "MatchRepository.add_step", broken)
        with pytest.raises(OSError, match="the power is out"):
            await play_turn(house.matches, match.id, ALICE.id, "e5")
    assert await house.days_off_left(ALICE.id) == DAYS_OFF
    await play_turn(house.matches, match.id, ALICE.id, "e5")
    assert await house.days_off_left(ALICE.id) == DAYS_OFF - 1
    house.clock.now += DAY + SECOND
    with pytest.raises(MovedOnError):
        await house.matches.play(game, game.position.draft("d4"), ALICE)
    assert await house.days_off_left(ALICE.id) == DAYS_OFF - 1
    assert await house.days_off_left(BOB.id) == DAYS_OFF


async def test_time_given_while_a_late_turn_is_on_its_way_lets_it_count(house: House) -> None:
    match = await house.start(STRICT)
    house.clock.now += 10 * MINUTE
    game = (await house.matches.turn(match.id, ALICE.id)).game
    with pytest.raises(TimeUpError):
        await house.matches.play(game, game.position.draft("e5"), ALICE)
    await house.clocks.give_time(match.id, BOB.id)
    await house.matches.play(game, game.position.draft("e5"), ALICE)
    assert await house.left(match) == (5 * MINUTE + 30 * SECOND, 10 * MINUTE)


@pytest.mark.parametrize(
    ("way", "ending"),
    [
        ("turn", Ending.RULES),
        ("resignation", Ending.RESIGNATION),
        ("draw", Ending.AGREEMENT),
        ("claim", Ending.TIME),
        ("abort", Ending.ABANDONED),
        ("moderator", Ending.ABANDONED),
    ],
)
async def test_however_a_match_ends_its_clock_stops_and_it_is_rated_if_it_counts(
    house: House, way: str, ending: Ending
) -> None:
    match = await house.start(QUICK, WHOLE_GAME[: -1 if way == "turn" else 6])
    game = await house.matches.game(match.id)
    assert game.to_act is not None
    player, opponent = game.to_act, match.opponent_of(game.to_act.id)
    match way:
        case "turn":
            await play_turn(house.matches, match.id, player.id, WHOLE_GAME[-1])
        case "resignation":
            await house.matches.resign(match.id, player.id)
        case "claim":
            house.clock.now += DAY
            await house.clocks.claim(match.id, opponent.id)
        case "moderator":
            await house.matches.force_abandon(match.id, CAROL)
        case _:
            kind = ProposalKind.DRAW if way == "draw" else ProposalKind.ABANDON
            proposal = await house.proposals.propose(match.id, player.id, kind)
            await house.proposals.accept(proposal.id, opponent.id)
    ended = await house.matches.match(match.id)
    assert ended.result is not None
    assert ended.result.ending is ending
    assert bool(ended.rating_changes) is (ending is not Ending.ABANDONED)
    assert ended.clock is not None
    assert ended.clock.since is None
    assert await house.due(match) == {}


@pytest.mark.both_databases
async def test_a_clock_that_starts_as_the_last_one_stops_keeps_the_heart_beating(house: House) -> None:
    async def heartbeats() -> list[Timer]:
        async with house.storage.read() as tx:
            found = await tx.timers.due(house.clock.now + DAY, 9)
        return [timer for timer in found if timer.kind is TimerKind.HEARTBEAT]

    match = await house.start(QUICK)
    (ringing,) = await heartbeats()
    await house.matches.resign(match.id, ALICE.id)
    house.clock.now = ringing.due_at
    assert await house.clocks.beat([0])
    assert await heartbeats() == []
    await house.start(QUICK)
    async with house.storage.transaction() as tx:  # as whoever has rung does afterwards
        await tx.timers.remove(ringing)
    assert await heartbeats() == [Timer(TimerKind.HEARTBEAT, 0, ringing.due_at + HEARTBEAT)]


async def test_what_has_rung_does_not_ring_again_for_the_same_time(house: House) -> None:
    async def ring(kind: TimerKind) -> None:
        async with house.storage.transaction() as tx:
            (rung,) = [each for each in await tx.timers.due(house.clock.now, 9) if each.kind is kind]
            await tx.timers.remove(rung)

    slow = await house.start(TimeControl.turns_of(DAY))
    house.clock.now += 18 * HOUR
    await ring(TimerKind.REMINDER)
    await house.clocks.give_time(slow.id, ALICE.id)
    assert set(await house.due(slow)) == {TimerKind.FLAG, TimerKind.CARD}
    await house.matches.resign(slow.id, ALICE.id)
    quick = await house.start(QUICK)
    house.clock.now += 11 * MINUTE
    await ring(TimerKind.FLAG)
    await house.clocks.give_time(quick.id, ALICE.id)
    offered = await house.proposals.propose(quick.id, ALICE.id, ProposalKind.MOVE, place=Place(PLACE.guild_id, 99))
    await house.proposals.accept(offered.id, BOB.id)
    assert TimerKind.FLAG not in await house.due(quick)
    await house.clocks.give_time(quick.id, BOB.id)
    assert (await house.due(quick))[TimerKind.FLAG] == 5 * MINUTE


async def test_a_day_off_holds_in_all_matches(house: House) -> None:
    one, other = await house.start(TimeControl.turns_of(DAY)), await house.start(TimeControl.turns_of(DAY))
    await house.deliveries.assign_channel(other.id, 99)
    house.clock.now += DAY
    assert (await house.clocks.flag_fell(one.id))[0] is Fall.DAY_OFF
    house.clock.now += 6 * HOUR
    assert (await house.clocks.flag_fell(other.id))[0] is Fall.DAY_OFF
    assert await house.days_off_left(ALICE.id) == DAYS_OFF - 1
    assert (await house.left(other))[0] == 18 * HOUR


async def test_days_off_are_for_slow_games_only(house: House) -> None:
    match = await house.start(QUICK)
    house.clock.now += DAY
    assert (await house.clocks.flag_fell(match.id))[0] is Fall.CLAIM


@pytest.mark.both_databases
async def test_a_take_back_gives_the_opponent_back_what_it_cost(house: House) -> None:
    match = await house.start(BANK, turns=("e5", "dark"))
    house.clock.now += 6 * HOUR
    await play_turn(house.matches, match.id, ALICE.id, "a1")
    house.clock.now += 9 * HOUR
    await play_turn(house.matches, match.id, BOB.id, "i9")
    before = await house.left(match)
    house.clock.now += 2 * HOUR
    offered = await house.proposals.propose(match.id, ALICE.id, ProposalKind.TAKE_BACK)
    await house.proposals.accept(offered.id, BOB.id)
    assert before == (5 * DAY - 6 * HOUR, 5 * DAY - 9 * HOUR)
    assert await house.left(match) == (4 * DAY - 6 * HOUR, 4 * DAY)
    house.clock.now += HOUR
    assert await house.left(match) == (4 * DAY - 7 * HOUR, 4 * DAY)


async def test_a_match_that_waits_for_a_place_has_all_its_time(house: House) -> None:
    await house.start(BANK)
    waiting = await house.start(BANK)
    assert waiting.waiting
    house.clock.now += 30 * DAY
    assert await house.left(waiting) == (3 * DAY, 3 * DAY)
    await house.deliveries.assign_channel(waiting.id, 99)
    house.clock.now += HOUR
    assert (await house.left(waiting))[0] == 3 * DAY - HOUR
    await house.deliveries.release_channel(waiting.id, 99)
    house.clock.now += DAY
    assert (await house.left(waiting))[0] == 3 * DAY - HOUR
    assert TimerKind.FLAG not in await house.due(waiting)


async def test_nobody_is_charged_for_the_time_in_which_the_bot_was_away(house: House) -> None:
    match = await house.start(BANK)
    house.clock.now += HOUR
    await house.clocks.note_presence([0])
    house.clock.now += 5 * DAY
    assert await house.restart() == 1
    assert (await house.left(match))[0] == 3 * DAY - HOUR + 10 * MINUTE, "with ten minutes to come back"
    assert (await house.due(match))[TimerKind.FLAG] == 3 * DAY - HOUR + 10 * MINUTE
    assert await house.restart() == 0, "a second start in a row makes up for nothing"
    assert (await house.clocks.flag_fell(match.id))[0] is Fall.NOTHING


async def test_the_absence_from_one_shard_is_made_up_for_once_and_in_no_other(house: House) -> None:
    here = await house.start(BANK)
    there = await house.start(BANK, place=Place(1 << 22, 20))
    assert await house.restart(2) == 0
    first, second = house.clocks, house.process(2)
    house.clock.now += HOUR
    await first.note_presence([0, 1])
    house.clock.now += DAY
    await first.note_presence([0])
    assert await take(second, 1) == 1
    assert await first.make_up_for(1, house.clock.now - DAY) == 0, "the other process has taken the shard"
    await first.note_presence([1])
    assert (await house.left(there))[0] == 3 * DAY - HOUR + 10 * MINUTE
    assert (await house.left(here))[0] == 2 * DAY - HOUR
    house.clock.now += HOUR
    assert await first.make_up_for(0, house.clock.now - HOUR) == 1
    assert (await house.left(here))[0] == 2 * DAY - HOUR + 10 * MINUTE


@pytest.mark.both_databases
async def test_a_stop_is_made_up_for_although_there_are_more_shards_afterwards(house: House) -> None:
    here = await house.start(BANK)
    there = await house.start(BANK, place=Place(1 << 22, 20))
    house.clock.now += HOUR
    await house.clocks.note_presence([0])
    house.clock.now += DAY
    assert await house.restart(3) == 0, "the first of them makes up for all"
    for match in (here, there):
        assert (await house.left(match))[0] == 3 * DAY - HOUR + 10 * MINUTE
    await house.clocks.note_presence([0, 1, 2])
    house.clock.now += DAY
    assert await house.restart(2) == 0
    for match in (here, there):
        assert (await house.left(match))[0] == 3 * DAY - HOUR + 20 * MINUTE


async def test_a_short_absence_is_made_up_for_where_little_time_is_left(house: House) -> None:
    slow, quick = await house.start(BANK), await house.start(STRICT)
    await house.deliveries.assign_channel(quick.id, 99)
    house.clock.now += 9 * MINUTE + 40 * SECOND
    await house.clocks.note_presence([0])
    house.clock.now += 30 * SECOND
    assert await house.restart() == 1
    assert (await house.clocks.flag_fell(quick.id))[0] is Fall.NOTHING
    assert (await house.left(quick))[0] == 50 * SECOND, "as much as before, and as long again to come back"
    assert (await house.left(slow))[0] == 3 * DAY - 10 * MINUTE - 10 * SECOND


async def test_a_flag_that_has_fallen_stays_down_when_the_bot_stops_soon_after(house: House) -> None:
    match = await house.start(QUICK)
    house.clock.now += 10 * MINUTE
    assert (await house.clocks.flag_fell(match.id))[0] is Fall.CLAIM
    house.clock.now += 3 * MINUTE
    assert await house.restart() == 0
    assert (await house.clocks.claim(match.id, BOB.id)).result == Result(BOB.id, Ending.TIME)


async def test_a_rematch_has_the_same_clock(house: House) -> None:
    match = await house.start(QUICK)
    await house.matches.resign(match.id, ALICE.id)
    offered = await house.proposals.propose(match.id, ALICE.id, ProposalKind.REMATCH)
    await house.proposals.accept(offered.id, BOB.id)
    again = await house.matches.match((await house.matches.match(match.id)).rematch_id or 0)
    assert again.clock is not None
    assert again.clock.control == QUICK

"""Matches with clocks, without Discord: who wins when time is up, and who is charged for what."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace
from datetime import timedelta

import pytest

import rules
from bot.domain.clocks import DAY, DAYS_OFF, HEARTBEAT, TimeControl
from bot.domain.deliveries import CardKey
from bot.domain.matches import Ending, Match, MovedOnError, NotAPlayerError, ProposalKind, Result
from bot.domain.places import Place
from bot.domain.play import NoClockError, OwnTimeError, TimeLeftError, TimeUpError
from bot.domain.players import Player
from bot.domain.shards import Shards
from bot.domain.timers import Timer, TimerKind
from bot.services.clocks import Clocks, Fall
from bot.storage import Storage
from tests.support.games import WHOLE_GAME
from tests.support.services.failures import patch_storage
from tests.support.services.house import House, house_fixture
from tests.support.services.matches import ALICE, BOB, CAROL, DALEN, note_card, refused
from tests.support.services.stored import days_off_left
from tests.support.thorough import sample

HOUR, MINUTE, SECOND = timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1)
BANK = TimeControl.banks_of(3 * DAY, DAY)
QUICK = TimeControl.banks_of(10 * MINUTE, 30 * SECOND)
STRICT = TimeControl.banks_of(10 * MINUTE, 30 * SECOND, hard=True)
DAILY, DAILY_STRICT = TimeControl.turns_of(DAY), TimeControl.turns_of(DAY, hard=True)
#: A place in the second of two shards.
THERE = Place(1 << 22, 20)


class ClockHouse(House):
    """A house that looks after the clocks of one shard."""

    async def begin(self, control: TimeControl, turns: tuple[str, ...] = (), place: Place | None = None) -> Match:
        """Start a match in a channel of its own."""
        return await self.start(place=place or self.room(), turns=turns, control=control)

    async def left(self, match: Match) -> tuple[timedelta, timedelta]:
        clock = (await self.match(match)).clock
        assert clock is not None
        return clock.time_left_at(0, self.now), clock.time_left_at(1, self.now)

    async def spent(self, player: Player = ALICE) -> int:
        """The number of days off that a player has spent."""
        return DAYS_OFF - await days_off_left(self.storage, player.id, self.now)

    async def fall(self, match: Match) -> Fall:
        """Look at a flag, as its timer does."""
        return (await self.clocks.flag_fell(match.id))[0]

    async def claim(self, match: Match, player: Player = BOB, seen_step: int | None = None) -> Match:
        return await self.clocks.claim(match.id, player.id, seen_step=seen_step)

    async def give_time(self, match: Match, player: Player = BOB) -> None:
        await self.clocks.give_time(match.id, player.id)

    async def times(self, match: Match) -> dict[TimerKind, timedelta]:
        """The timers of a match, except timers that show a change."""
        async with self.storage.read() as tx:
            timers = await tx.timers.due(self.now + 1000 * DAY, 1000)
        own = [timer for timer in timers if timer.subject_id == match.id and not timer.kind.startswith("show-")]
        return {timer.kind: timer.due_at - self.now for timer in own}

    def process(self, shards: int = 1) -> Clocks:
        """The clocks of another process."""
        return replace(self.clocks, storage=Storage(self.database, Shards(shards)))

    async def restart(self, shards: int = 1) -> int:
        """Let another process take over the clocks; return the number of clocks that it corrects."""
        self.clocks = self.process(shards)
        return sum([await take(self.clocks, shard) for shard in range(shards)])


async def take(clocks: Clocks, shard: int) -> int:
    """Let a process take over a shard; return the number of clocks that it corrects."""
    away_since = await clocks.acquire_shard(shard)
    return 0 if away_since is None else await clocks.make_up_for(shard, away_since)


new = house_fixture(ClockHouse)


@pytest.fixture
async def house(new: ClockHouse) -> ClockHouse:
    await new.restart()
    return new


async def test_a_turn_costs_its_time_and_brings_the_bonus(house: ClockHouse) -> None:
    match = await house.begin(BANK)
    house.now += 5 * HOUR
    await house.play(match, ALICE, "e5")
    assert await house.left(match) == (4 * DAY - 5 * HOUR, 3 * DAY)
    house.now += 2 * DAY
    await house.play(match, BOB, "dark")
    assert await house.left(match) == (4 * DAY - 5 * HOUR, 2 * DAY)
    assert (await house.times(match))[TimerKind.FLAG] == 4 * DAY - 5 * HOUR


async def test_a_game_that_begins_with_the_second_player_costs_that_player_time(house: ClockHouse) -> None:
    match = await house.start(ruleset=rules.continued(DALEN, ("e5",)), control=BANK)
    assert (await house.game(match)).to_act == BOB
    house.now += 5 * HOUR
    assert await house.left(match) == (3 * DAY, 3 * DAY - 5 * HOUR)


async def test_without_a_clock_there_are_no_timers_and_nothing_to_claim(house: ClockHouse) -> None:
    match = await house.accepted()
    assert match.clock is None
    assert await house.times(match) == {}
    await refused(NoClockError, house.claim(match))


async def test_the_opponent_claims_and_until_then_the_player_may_still_play(house: ClockHouse) -> None:
    match = await house.begin(QUICK)
    await refused(TimeLeftError, house.claim(match))
    house.now += 11 * MINUTE
    assert await house.fall(match) is Fall.CLAIM
    await refused(OwnTimeError, house.claim(match, ALICE))
    await refused(NotAPlayerError, house.claim(match, CAROL))
    await house.play(match, ALICE, "e5")
    assert (await house.left(match))[0] == 30 * SECOND
    await refused(MovedOnError, house.claim(match, seen_step=0))
    house.now += 11 * MINUTE
    assert (await house.claim(match, ALICE, seen_step=1)).result == Result(ALICE.id, Ending.TIME)
    assert await house.times(match) == {}


async def test_a_strict_clock_ends_the_match_by_itself_and_takes_no_turn_after(house: ClockHouse) -> None:
    match = await house.begin(STRICT)
    house.now += 10 * MINUTE
    await refused(TimeUpError, house.play(match, ALICE, "e5"))
    assert await house.fall(match) is Fall.LOSS
    assert await house.result(match) == Result(BOB.id, Ending.TIME)
    assert await house.fall(match) is Fall.NOTHING


@pytest.mark.both_databases
@pytest.mark.parametrize("seed", sample(range(12), 3))
async def test_either_a_turn_or_a_flag_at_the_same_moment_wins(house: ClockHouse, seed: int) -> None:
    match = await house.begin(STRICT)
    house.now += 10 * MINUTE - SECOND
    struck = asyncio.Event()

    async def strike() -> None:
        for _ in range(0 if seed % 2 else seed):
            await asyncio.sleep(0)
        house.now += SECOND
        struck.set()

    async def fall() -> Fall:
        await struck.wait()  # a flag is looked at when its time has come, not before
        return await house.fall(match)

    calls = [house.play(match, ALICE, "e5"), fall(), fall()]
    random.Random(seed).shuffle(calls)
    results = await asyncio.gather(strike(), *calls, return_exceptions=True)
    game = await house.game(match)
    assert (game.match.result is None) == (game.turns == ("e5",))
    assert results.count(Fall.LOSS) == (game.match.result is not None)


@pytest.mark.both_databases
async def test_either_a_claim_or_a_turn_at_the_same_time_counts(house: ClockHouse) -> None:
    for seed in range(6):
        match = await house.begin(QUICK)
        house.now += DAY
        calls = [house.play(match, ALICE, "e5"), *(house.claim(match) for _ in range(3))]
        random.Random(seed).shuffle(calls)
        await asyncio.gather(*calls, return_exceptions=True)
        game = await house.game(match)
        assert (game.match.result is None) == (game.turns == ("e5",)), seed


@pytest.mark.both_databases
async def test_more_time_is_given_once_per_press(house: ClockHouse) -> None:
    match = await house.begin(BANK)
    seen = round(BANK.bank.total_seconds())
    calls = (house.clocks.give_time(match.id, BOB.id, seen_step=0, seen_left=seen) for _ in range(5))
    results = await asyncio.gather(*calls, return_exceptions=True)
    assert sum(isinstance(result, Match) for result in results) == 1
    assert await house.left(match) == (4 * DAY, 3 * DAY)
    assert (await house.times(match))[TimerKind.FLAG] == 4 * DAY
    await house.give_time(match, ALICE)
    assert await house.left(match) == (4 * DAY, 4 * DAY)


@pytest.mark.parametrize("control", [STRICT, QUICK])
async def test_nobody_loses_a_match_on_time_that_nobody_was_shown(house: ClockHouse, control: TimeControl) -> None:
    match = await house.accepted(control=control)
    house.now += DAY
    await refused(TimeLeftError, house.claim(match))
    assert await house.fall(match) is Fall.NOTHING
    assert await house.times(match) == {}
    # The time begins with the first card, and then counts as usual.
    house.now += DAY
    await house.deliveries.begin(match.id)
    await note_card(house.storage, match.id)
    assert (await house.times(match))[TimerKind.FLAG] == control.bank
    house.now += control.bank
    assert await house.fall(match) is (Fall.LOSS if control.hard else Fall.CLAIM)


async def test_giving_time_to_a_fallen_flag_takes_the_claim_away(house: ClockHouse) -> None:
    match = await house.begin(QUICK)
    house.now += HOUR
    await house.give_time(match)
    assert (await house.left(match))[0] == 5 * MINUTE
    await refused(TimeLeftError, house.claim(match))


# Days off


async def test_a_year_of_days_off_is_spent_before_a_player_loses(house: ClockHouse) -> None:
    match = await house.begin(DAILY_STRICT)
    for spent in range(DAYS_OFF):
        house.now += DAY
        assert await house.spent() == spent
        assert await house.fall(match) is Fall.DAY_OFF
        assert await house.left(match) == (DAY, DAY)
    house.now += DAY
    assert await house.fall(match) is Fall.LOSS
    assert await house.spent(BOB) == 0
    house.now += 366 * DAY
    assert await house.spent() == 0


async def test_a_day_off_saves_a_player_also_before_the_timer_rings(house: ClockHouse) -> None:
    soft, strict = await house.begin(DAILY), await house.begin(DAILY_STRICT)
    house.now += DAY + SECOND
    await refused(TimeLeftError, house.claim(soft))
    assert (await house.left(soft))[0] == DAY
    await house.play(strict, ALICE, "e5")
    assert await house.spent() == 1
    assert (await house.times(strict))[TimerKind.FLAG] == DAY


async def test_a_day_off_lets_the_turn_count_that_ends_a_match(house: ClockHouse) -> None:
    match = await house.begin(DAILY_STRICT, WHOLE_GAME[:-1])
    player = (await house.game(match)).to_act
    assert player is not None
    house.now += DAY + SECOND
    await house.play(match, player, WHOLE_GAME[-1])
    assert (await house.result(match)).ending is Ending.RULES
    assert await house.spent(player) == 1
    clock = (await house.match(match)).clock
    assert clock is not None
    assert clock.time_left == (DAY, DAY)
    assert await house.times(match) == {}


async def test_a_turn_that_is_not_stored_spends_no_day_off(house: ClockHouse, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*_: object) -> bool:
        raise OSError("the power is out")

    match = await house.begin(DAILY_STRICT)
    game = (await house.matches.turn(match.id, ALICE.id)).game
    house.now += DAY + SECOND
    with monkeypatch.context() as patch:
        patch_storage(patch, "MatchRepository.add_step", broken)
        with pytest.raises(OSError, match="the power is out"):
            await house.play(match, ALICE, "e5")
    assert await house.spent() == 0
    await house.play(match, ALICE, "e5")
    assert await house.spent() == 1
    house.now += DAY + SECOND
    await refused(MovedOnError, house.matches.play(game, game.position.draft("d4"), ALICE))
    assert (await house.spent(), await house.spent(BOB)) == (1, 0)


async def test_a_day_off_holds_in_all_matches(house: ClockHouse) -> None:
    one, other = await house.begin(DAILY), await house.begin(DAILY)
    house.now += DAY
    assert await house.fall(one) is Fall.DAY_OFF
    house.now += 6 * HOUR
    assert await house.fall(other) is Fall.DAY_OFF
    assert await house.spent() == 1
    assert (await house.left(other))[0] == 18 * HOUR


# Changes while a turn is on its way, ends, and take-backs


async def test_time_given_while_a_turn_is_on_its_way_is_kept(house: ClockHouse) -> None:
    match = await house.begin(BANK)
    house.now += HOUR
    game = (await house.matches.turn(match.id, ALICE.id)).game
    await house.give_time(match)
    played = await house.matches.play(game, game.position.draft("e5"), ALICE)
    assert await house.left(match) == (5 * DAY - HOUR, 3 * DAY)
    assert played.match.clock == (await house.match(match)).clock
    assert (await house.times(match))[TimerKind.FLAG] == 3 * DAY


async def test_time_given_while_a_late_turn_is_on_its_way_lets_it_count(house: ClockHouse) -> None:
    match = await house.begin(STRICT)
    house.now += 10 * MINUTE
    game = (await house.matches.turn(match.id, ALICE.id)).game
    await refused(TimeUpError, house.matches.play(game, game.position.draft("e5"), ALICE))
    await house.give_time(match)
    await house.matches.play(game, game.position.draft("e5"), ALICE)
    assert await house.left(match) == (5 * MINUTE + 30 * SECOND, 10 * MINUTE)


@pytest.mark.parametrize(
    ("way", "ending"),
    [
        ("turn", Ending.RULES),
        ("resignation", Ending.RESIGNATION),
        ("claim", Ending.TIME),
        ("abort", Ending.ABANDONED),
        ("moderator", Ending.ABANDONED),
    ],
)
async def test_however_a_match_ends_its_clock_stops_and_it_is_rated_if_it_counts(
    house: ClockHouse, way: str, ending: Ending
) -> None:
    match = await house.begin(QUICK, WHOLE_GAME[: -1 if way == "turn" else 6])
    player = (await house.game(match)).to_act
    assert player is not None
    match way:
        case "turn":
            await house.play(match, player, WHOLE_GAME[-1])
        case "resignation":
            await house.resign(match, player)
        case "claim":
            house.now += DAY
            await house.claim(match, match.opponent_of(player.id))
        case "moderator":
            await house.matches.force_abandon(match.id, CAROL)
        case _:
            await house.agree(match, ProposalKind.ABANDON)
    ended = await house.match(match)
    assert ended.result is not None
    assert ended.result.ending is ending
    assert bool(ended.rating_changes) is (ending is not Ending.ABANDONED)
    assert ended.clock is not None
    assert ended.clock.since is None
    assert await house.times(match) == {}


@pytest.mark.both_databases
async def test_a_clock_that_starts_as_the_last_one_stops_keeps_the_heart_beating(house: ClockHouse) -> None:
    async def heartbeats() -> list[Timer]:
        async with house.storage.read() as tx:
            found = await tx.timers.due(house.now + DAY, 9)
        return [timer for timer in found if timer.kind is TimerKind.HEARTBEAT]

    match = await house.begin(QUICK)
    (ringing,) = await heartbeats()
    await house.resign(match, ALICE)
    house.now = ringing.due_at
    assert await house.clocks.beat([0])
    assert await heartbeats() == []
    await house.begin(QUICK)
    async with house.storage.transaction() as tx:  # as the scheduler does afterwards
        await tx.timers.remove(ringing)
    assert await heartbeats() == [Timer(TimerKind.HEARTBEAT, 0, ringing.due_at + HEARTBEAT)]


async def test_a_handled_timer_is_not_set_again_for_the_same_time(house: ClockHouse) -> None:
    async def handle(kind: TimerKind) -> None:
        async with house.storage.transaction() as tx:
            (due,) = [timer for timer in await tx.timers.due(house.now, 9) if timer.kind is kind]
            await tx.timers.remove(due)

    slow = await house.begin(DAILY)
    house.now += 18 * HOUR
    await handle(TimerKind.REMINDER)
    await house.give_time(slow, ALICE)
    assert set(await house.times(slow)) == {TimerKind.FLAG, TimerKind.CARD}
    await house.resign(slow, ALICE)
    quick = await house.begin(QUICK)
    house.now += 11 * MINUTE
    await handle(TimerKind.FLAG)
    await house.give_time(quick, ALICE)
    await house.agree(quick, ProposalKind.MOVE, place=house.room())
    assert TimerKind.FLAG not in await house.times(quick)
    await house.give_time(quick)
    assert (await house.times(quick))[TimerKind.FLAG] == 5 * MINUTE


@pytest.mark.both_databases
async def test_a_take_back_gives_the_opponent_back_what_it_cost(house: ClockHouse) -> None:
    match = await house.begin(BANK, ("e5", "dark"))
    house.now += 6 * HOUR
    await house.play(match, ALICE, "a1")
    house.now += 9 * HOUR
    await house.play(match, BOB, "i9")
    assert await house.left(match) == (5 * DAY - 6 * HOUR, 5 * DAY - 9 * HOUR)
    house.now += 2 * HOUR
    await house.agree(match, ProposalKind.TAKE_BACK)
    assert await house.left(match) == (4 * DAY - 6 * HOUR, 4 * DAY)
    house.now += HOUR
    assert await house.left(match) == (4 * DAY - 7 * HOUR, 4 * DAY)


async def test_a_rematch_has_the_same_clock(house: ClockHouse) -> None:
    match = await house.begin(QUICK)
    await house.resign(match, ALICE)
    clock = (await house.rematch(match)).clock
    assert clock is not None
    assert clock.control == QUICK


# Matches without a place, and the absence of the bot


async def test_a_match_that_waits_for_a_place_has_all_its_time(house: ClockHouse) -> None:
    waiting = [await house.start(control=BANK) for _ in range(2)][1]
    assert waiting.waiting
    house.now += 30 * DAY
    assert await house.left(waiting) == (3 * DAY, 3 * DAY)
    await house.deliveries.assign_channel(CardKey(waiting.id), 99)
    house.now += HOUR
    assert (await house.left(waiting))[0] == 3 * DAY - HOUR
    await house.deliveries.release_channel(CardKey(waiting.id), 99)
    house.now += DAY
    assert (await house.left(waiting))[0] == 3 * DAY - HOUR
    assert TimerKind.FLAG not in await house.times(waiting)


async def test_nobody_is_charged_for_the_time_in_which_the_bot_was_away(house: ClockHouse) -> None:
    match = await house.begin(BANK)
    house.now += HOUR
    await house.clocks.note_presence([0])
    house.now += 5 * DAY
    assert await house.restart() == 1
    assert (await house.left(match))[0] == 3 * DAY - HOUR + 10 * MINUTE, "with ten minutes to come back"
    assert (await house.times(match))[TimerKind.FLAG] == 3 * DAY - HOUR + 10 * MINUTE
    assert await house.restart() == 0, "a second start in a row makes up for nothing"
    assert await house.fall(match) is Fall.NOTHING


async def test_the_absence_from_one_shard_is_made_up_for_once_and_in_no_other(house: ClockHouse) -> None:
    here, there = await house.begin(BANK), await house.begin(BANK, place=THERE)
    assert await house.restart(2) == 0
    first, second = house.clocks, house.process(2)
    house.now += HOUR
    await first.note_presence([0, 1])
    house.now += DAY
    await first.note_presence([0])
    assert await take(second, 1) == 1
    assert await first.make_up_for(1, house.now - DAY) == 0, "the other process has taken the shard"
    await first.note_presence([1])
    assert (await house.left(there))[0] == 3 * DAY - HOUR + 10 * MINUTE
    assert (await house.left(here))[0] == 2 * DAY - HOUR
    house.now += HOUR
    assert await first.make_up_for(0, house.now - HOUR) == 1
    assert (await house.left(here))[0] == 2 * DAY - HOUR + 10 * MINUTE


@pytest.mark.both_databases
async def test_a_stop_is_made_up_for_although_there_are_more_shards_afterwards(house: ClockHouse) -> None:
    matches = [await house.begin(BANK), await house.begin(BANK, place=THERE)]
    house.now += HOUR
    await house.clocks.note_presence([0])
    for shards, grace in ((3, 10 * MINUTE), (2, 20 * MINUTE)):
        house.now += DAY
        assert await house.restart(shards) == 0, "the first of them makes up for all"
        for match in matches:
            assert (await house.left(match))[0] == 3 * DAY - HOUR + grace
        await house.clocks.note_presence(range(shards))


async def test_a_short_absence_is_made_up_for_where_little_time_is_left(house: ClockHouse) -> None:
    slow, quick = await house.begin(BANK), await house.begin(STRICT)
    house.now += 9 * MINUTE + 40 * SECOND
    await house.clocks.note_presence([0])
    house.now += 30 * SECOND
    assert await house.restart() == 1
    assert await house.fall(quick) is Fall.NOTHING
    assert (await house.left(quick))[0] == 50 * SECOND, "as much as before, and as long again to come back"
    assert (await house.left(slow))[0] == 3 * DAY - 10 * MINUTE - 10 * SECOND


async def test_a_flag_that_has_fallen_stays_down_when_the_bot_stops_soon_after(house: ClockHouse) -> None:
    match = await house.begin(QUICK)
    house.now += 10 * MINUTE
    assert await house.fall(match) is Fall.CLAIM
    house.now += 3 * MINUTE
    assert await house.restart() == 0
    assert (await house.claim(match)).result == Result(BOB.id, Ending.TIME)

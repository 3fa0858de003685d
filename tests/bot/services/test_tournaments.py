"""Tournaments, from the first entrant to the end."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from datetime import timedelta

import pytest

from bot.domain.challenges import BlockedError, RoleNeededError
from bot.domain.clocks import DAY, TimeControl
from bot.domain.competitions.tournaments import (
    MAX_ENTRANTS,
    AlreadyEntrantError,
    BlockedEntrantError,
    NoEntrantError,
    NotAbsentError,
    NotOrganiserError,
    OwnOpponentError,
    OwnTournamentError,
    TooFewEntrantsError,
    Tournament,
    TournamentFullError,
    TournamentState,
    TournamentStateError,
)
from bot.domain.limits import TOURNAMENT_LIMIT, TooManyTournamentsError
from bot.domain.matches import Ending, Game, Match, Result, Step
from bot.domain.players import Conduct, Player
from bot.domain.timers import TimerKind
from bot.services.clocks import Clocks, Fall
from bot.services.deliveries import Deliveries
from bot.services.matches import Matches
from bot.services.tournaments import Tournaments
from bot.storage import Storage
from tests.support.games import WHOLE_GAME
from tests.support.services import DALEN, PLACE, Clock, note_card, play_turn, privacy_service, service, store_turns
from tests.support.stored import due_timers, next_timer
from tests.support.thorough import sample

QUICK = TimeControl.banks_of(timedelta(minutes=10), timedelta(seconds=30))
PEOPLE = [Player(100 + number, f"P{number}") for number in range(20)]


class Cup:
    """Tournaments without Discord."""

    def __init__(self, storage: Storage, clock: Clock) -> None:
        self.storage = storage
        self.clock = clock
        self.restart()

    def restart(self) -> None:
        self.matches: Matches = service(self.storage, self.clock)
        self.deliveries = Deliveries(self.storage, clock=self.clock)
        self.service = Tournaments(self.storage, self.matches, clock=self.clock, chance=random.Random(1))
        self.privacy = privacy_service(self.storage, self.matches, self.clock)

    async def open(self, count: int, at_once: int = 2) -> Tournament:
        opened = await self.service.create(PLACE, "Cup", PEOPLE[0], DALEN, at_once=at_once)
        for player in PEOPLE[1:count]:
            await self.service.join(opened.id, player)
        return await self.service.get(opened.id)

    async def begin(self, count: int, at_once: int = 2) -> Tournament:
        opened = await self.open(count, at_once)
        return await self.service.start(opened.id, PEOPLE[0].id)

    async def running(self, tournament_id: int) -> list[int]:
        found = await self.service.get(tournament_id)
        return [each.match_id for each in found.pairings if each.match_id is not None and each.result is None]

    async def finish(self, match_id: int, result: Result) -> None:
        match = await self.matches.match(match_id)
        self.clock.now += timedelta(minutes=1)
        async with self.storage.transaction() as tx:
            await self.matches.end(tx, match, result, self.clock.now)


@pytest.fixture
def cup(storage: Storage, clock: Clock) -> Cup:
    return Cup(storage, clock)


async def test_only_the_organiser_starts_a_tournament_of_at_least_three(cup: Cup) -> None:
    opened = await cup.open(2)
    with pytest.raises(TooFewEntrantsError):
        await cup.service.start(opened.id, PEOPLE[0].id)
    await cup.service.join(opened.id, PEOPLE[2])
    with pytest.raises(NotOrganiserError):
        await cup.service.start(opened.id, PEOPLE[1].id)
    with pytest.raises(AlreadyEntrantError):
        await cup.service.join(opened.id, PEOPLE[2])
    await cup.service.start(opened.id, PEOPLE[1].id, moderator=True)
    with pytest.raises(TournamentStateError):
        await cup.service.join(opened.id, PEOPLE[3])
    with pytest.raises(TournamentStateError):
        await cup.service.start(opened.id, PEOPLE[0].id)


@pytest.mark.both_databases
async def test_a_tournament_takes_no_more_players_than_fit_even_if_many_join(cup: Cup) -> None:
    opened = await cup.open(MAX_ENTRANTS - 2)
    results = await asyncio.gather(
        *(cup.service.join(opened.id, player) for player in PEOPLE[MAX_ENTRANTS - 2 :]), return_exceptions=True
    )
    assert sum(isinstance(each, TournamentFullError) for each in results) == 20 - MAX_ENTRANTS
    assert len((await cup.service.get(opened.id)).entrants) == MAX_ENTRANTS


@pytest.mark.both_databases
async def test_a_tournament_looks_at_every_result_that_changes(cup: Cup) -> None:
    begun = await cup.begin(3)
    await cup.service.advance(begun.id)

    async def looks(version: int) -> bool:
        """Whether the tournament has something new to show, and its timer rings."""
        async with cup.storage.transaction() as tx:
            due = [each for each in await tx.timers.due(cup.clock.now, 99) if each.kind is TimerKind.TOURNAMENT]
            for timer in due:
                await tx.timers.remove(timer)
            state = await tx.deliveries.tournament(begun.id)
        return len(due) == 1 and state.version == version + 1

    async with cup.storage.read() as tx:
        version = (await tx.deliveries.tournament(begun.id)).version
    assert await looks(version - 1)
    first, second, third = await cup.running(begun.id)
    match = await cup.matches.match(first)
    await cup.matches.resign(first, match.first.id)
    assert await looks(version)
    await cup.matches.force_abandon(second, PEOPLE[9])
    assert await looks(version + 1)
    await cup.matches.void(first, PEOPLE[9])
    assert await looks(version + 2)
    await cup.deliveries.assign_channel(third, 99)
    async with cup.storage.transaction() as tx:
        await store_turns(tx, cup.matches, third, WHOLE_GAME[:-3], cup.clock.now)
    for turn in WHOLE_GAME[-3:]:
        assert not await looks(version + 2)
        game = await cup.matches.game(third)
        assert game.to_act is not None
        await play_turn(cup.matches, third, game.to_act.id, turn)
    assert await looks(version + 3)


@pytest.mark.parametrize("seed", sample(range(4), 4))
async def test_a_tournament_is_played_to_its_end_through_restarts_at_any_point(cup: Cup, seed: int) -> None:
    """Its progress may be asked for twice, at once, or after a crash; every game is played once."""
    chance = random.Random(seed)
    count, at_once = chance.randint(3, 7), chance.randint(1, 3)
    begun = await cup.begin(count, at_once)
    for _ in range(1000):
        if chance.random() < 0.5:
            cup.restart()
        await asyncio.gather(*(cup.service.advance(begun.id) for _ in range(chance.randint(1, 3))))
        running = await cup.running(begun.id)
        if not running:
            break
        found = await cup.service.get(begun.id)
        busy = Counter(
            player for each in found.pairings if each.match_id in running for player in (each.first_id, each.second_id)
        )
        assert max(busy.values()) <= at_once
        match = await cup.matches.match(chance.choice(running))
        winner = chance.choice([match.first.id, match.second.id, None])
        await cup.finish(match.id, Result(winner, Ending.RESIGNATION if winner else Ending.AGREEMENT))
        assert (await next_timer(cup.storage)) is not None, "the tournament has something to do"
    await cup.service.advance(begun.id)
    table = (await cup.service.tables(begun.id)).last
    assert table.tournament.state is TournamentState.OVER
    assert len(table.meetings) == count * (count - 1) // 2
    assert sum(row.points for row in table.rows) == count * (count - 1)
    assert len({each.match_id for each in table.tournament.pairings}) == len(table.meetings)
    assert table.winners


async def test_withdrawing_early_annuls_all_games_and_late_loses_the_rest(cup: Cup) -> None:
    begun = await cup.begin(5, at_once=4)
    await cup.service.advance(begun.id)
    early, late = begun.entrants[0].player, begun.entrants[1].player
    for match_id in await cup.running(begun.id):
        match = await cup.matches.match(match_id)
        if match.has_player(late.id) and not match.has_player(early.id):
            await cup.finish(match_id, Result(late.id, Ending.RULES))
    await cup.service.withdraw(begun.id, early.id)
    cup.clock.now += timedelta(minutes=1)
    await cup.service.withdraw(begun.id, late.id)
    with pytest.raises(NoEntrantError):
        await cup.service.withdraw(begun.id, late.id)
    table = (await cup.service.tables(begun.id)).last
    assert table.annulled == {0}
    assert table.withdrawals == {0, 1}
    rows = {row.player: row for row in table.rows}
    assert rows[0].games == 0
    assert rows[1].points == 6
    assert (table.rows[0].player, table.rows[-1].player) == (1, 0), "an annulled player comes last"
    assert table.games == 6, "of the four others"
    assert table.winners, "the best of those who stayed"
    assert all(begun.entrants[row].player not in table.winners for row in (0, 1))


async def test_players_who_stay_win_the_games_that_were_not_played(cup: Cup) -> None:
    begun = await cup.begin(4, at_once=1)
    for _ in range(2):
        await cup.service.advance(begun.id)
        for match_id in await cup.running(begun.id):
            match = await cup.matches.match(match_id)
            await cup.finish(match_id, Result(match.first.id, Ending.RULES))
    gone = begun.entrants[0].player
    cup.clock.now += timedelta(minutes=1)
    await cup.service.withdraw(begun.id, gone.id)
    await cup.service.advance(begun.id)
    for match_id in await cup.running(begun.id):
        await cup.finish(match_id, Result(None, Ending.ABANDONED))
    await cup.service.advance(begun.id)
    table = (await cup.service.tables(begun.id)).last
    assert table.tournament.state is TournamentState.OVER
    unplayed = [meeting for meeting in table.meetings if not meeting.played]
    assert len(unplayed) == 1
    assert unplayed[0].score_of(0) == 0
    assert unplayed[0].score_of(unplayed[0].opponent_of(0)) == 2
    assert sum((each.first_score, each.second_score) == (0, 0) for each in table.meetings) == 1


async def test_a_withdrawal_that_a_crash_interrupts_is_finished_later(cup: Cup) -> None:
    begun = await cup.begin(4, at_once=3)
    await cup.service.advance(begun.id)
    gone = begun.entrants[0].player.id
    await cup.service.withdraw(begun.id, gone)
    assert len(await cup.running(begun.id)) == 6, "nothing is resigned yet"
    cup.restart()
    await cup.service.advance(begun.id)
    found = await cup.service.get(begun.id)
    theirs = [each for each in found.pairings if each.has_player(gone)]
    assert all(each.result is not None and each.result.winner_id != gone for each in theirs)
    shown = {(TimerKind.SHOW_MATCH, each.match_id) for each in theirs}
    assert shown <= await due_timers(cup.storage, cup.clock()), "their boards show the end"


@pytest.mark.both_databases
async def test_a_turn_at_the_last_moment_does_not_keep_a_withdrawn_player_in(cup: Cup) -> None:
    begun = await cup.begin(3)
    await cup.service.advance(begun.id)
    match = await cup.matches.match((await cup.running(begun.id))[0])
    await cup.service.withdraw(begun.id, match.first.id)
    await asyncio.gather(
        play_turn(cup.matches, match.id, match.first.id, "e5"), cup.service.advance(begun.id), return_exceptions=True
    )
    found = await cup.service.get(begun.id)
    assert found.running_of(match.first.id) == []
    assert len(found.running) == 1


@pytest.mark.both_databases
async def test_no_game_starts_for_a_player_who_withdraws_at_that_moment(cup: Cup) -> None:
    begun = await cup.begin(4, at_once=3)
    gone = begun.entrants[0].player.id
    await asyncio.gather(cup.service.advance(begun.id), cup.service.withdraw(begun.id, gone))
    await cup.service.advance(begun.id)
    found = await cup.service.get(begun.id)
    assert found.running_of(gone) == []
    assert len(found.running) == 3


async def test_the_best_of_those_who_stay_wins_when_the_leader_has_left(cup: Cup) -> None:
    begun = await cup.begin(4, at_once=1)
    leader = begun.entrants[0].player
    while sum(each.has_player(leader.id) for each in (await cup.service.get(begun.id)).pairings if each.result) < 2:
        await cup.service.advance(begun.id)
        for match_id in await cup.running(begun.id):
            if (await cup.matches.match(match_id)).has_player(leader.id):
                await cup.finish(match_id, Result(leader.id, Ending.RULES))
            else:
                await cup.finish(match_id, Result(None, Ending.ABANDONED))
    cup.clock.now += timedelta(minutes=1)
    await cup.service.withdraw(begun.id, leader.id)
    await cup.service.advance(begun.id)
    for match_id in await cup.running(begun.id):
        await cup.finish(match_id, Result(None, Ending.ABANDONED))
    await cup.service.advance(begun.id)
    for match_id in await cup.running(begun.id):
        await cup.finish(match_id, Result(None, Ending.ABANDONED))
    await cup.service.advance(begun.id)
    table = (await cup.service.tables(begun.id)).last
    assert table.tournament.state is TournamentState.OVER
    assert table.player(table.rows[0].player) == leader
    (winner,) = table.winners
    (unplayed,) = [each for each in table.meetings if not each.played]
    assert winner == table.player(unplayed.opponent_of(table.rows[0].player)), "by the game that was not played"


async def test_a_removed_player_loses_the_points_but_no_rating(cup: Cup) -> None:
    begun = await cup.begin(3, at_once=2)
    await cup.service.advance(begun.id)
    (first, *_) = running = await cup.running(begun.id)
    organiser, absent = PEOPLE[0], (await cup.matches.match(first)).first
    if absent == organiser:
        absent = (await cup.matches.match(first)).second
    (other,) = {each.player for each in begun.entrants} - {organiser, absent}
    for match_id in running:
        match = await cup.matches.match(match_id)
        if match.has_player(absent.id) and match.has_player(other.id):
            await cup.finish(match_id, Result(absent.id, Ending.RULES))
    cup.clock.now += timedelta(minutes=1)
    moderator = PEOPLE[9]
    (ending,) = (await cup.service.get(begun.id)).running_of(absent.id)
    await cup.service.remove(begun.id, absent.id, moderator, moderator=True)
    match = await cup.matches.match(ending.match_id or 0)
    assert match.result == Result(None, Ending.ABANDONED, moderator)
    assert match.rating_changes == ()
    assert await cup.privacy.conduct(absent.id) == Conduct(2, 0, 1)
    assert await cup.privacy.conduct(organiser.id) == Conduct(0, 0, 0)
    with pytest.raises(NoEntrantError):
        await cup.service.remove(begun.id, absent.id, other, moderator=True)
    table = (await cup.service.tables(begun.id)).last
    points = {table.player(row.player): row.points for row in table.rows}
    assert points == {absent: 2, organiser: 2, other: 0}
    (unplayed,) = [each for each in table.meetings if not each.played]
    assert unplayed.has(next(row.player for row in table.rows if table.player(row.player) == organiser))


async def waiting_game(cup: Cup, count: int = 4, control: TimeControl | None = None) -> tuple[int, Match]:
    """A running tournament, and a game of it in which neither player is the organiser, with nothing played yet."""
    opened = await cup.service.create(PLACE, "Cup", PEOPLE[0], DALEN, control=control, at_once=1)
    for player in PEOPLE[1:count]:
        await cup.service.join(opened.id, player)
    await cup.service.start(opened.id, PEOPLE[0].id)
    await cup.service.advance(opened.id)
    found = None
    for number, match_id in enumerate(await cup.running(opened.id)):
        await cup.deliveries.assign_channel(match_id, 100 + number)
        await note_card(cup.storage, match_id)
        match = await cup.matches.match(match_id)
        found = found if match.has_player(PEOPLE[0].id) else match
    assert found is not None
    return opened.id, await cup.matches.match(found.id)


async def test_the_organiser_removes_only_players_who_keep_a_game_waiting(cup: Cup) -> None:
    tournament_id, match = await waiting_game(cup)
    present, absent = match.second, match.first
    for days in (0, 2, 0.99):
        cup.clock.now += timedelta(days=days)
        with pytest.raises(NotAbsentError) as refused:
            await cup.service.remove(tournament_id, absent.id, PEOPLE[0])
        assert absent.name in str(refused.value.text)
    cup.clock.now += timedelta(days=0.01)
    with pytest.raises(NotAbsentError):
        await cup.service.remove(tournament_id, present.id, PEOPLE[0])
    with pytest.raises(NotOrganiserError):
        await cup.service.remove(tournament_id, absent.id, present)
    await cup.service.remove(tournament_id, absent.id, PEOPLE[0])
    assert (await cup.matches.match(match.id)).result is not None


async def test_a_player_who_makes_a_turn_is_no_longer_absent(cup: Cup) -> None:
    tournament_id, match = await waiting_game(cup)
    cup.clock.now += timedelta(days=4)
    await play_turn(cup.matches, match.id, match.first.id, "e5")
    with pytest.raises(NotAbsentError):
        await cup.service.remove(tournament_id, match.first.id, PEOPLE[0])


@pytest.mark.both_databases
async def test_a_turn_at_the_last_moment_keeps_the_player_in(cup: Cup, monkeypatch: pytest.MonkeyPatch) -> None:
    tournament_id, match = await waiting_game(cup)
    cup.clock.now += timedelta(days=4)
    game = cup.matches.game

    async def game_before_a_turn(match_id: int) -> Game:
        seen = await game(match_id)
        if match_id == match.id and seen.step == 0:
            async with cup.storage.transaction() as tx:
                opening = Step(1, "e5", match.first.id, cup.clock.now)
                assert await tx.matches.add_step(match_id, 0, opening, match.second.id)
        return seen

    monkeypatch.setattr(cup.matches, "game", game_before_a_turn)
    with pytest.raises(NotAbsentError):
        await cup.service.remove(tournament_id, match.first.id, PEOPLE[0])
    assert (await cup.matches.match(match.id)).result is None


async def test_nobody_removes_their_own_opponent_however_long_the_game_waits(cup: Cup) -> None:
    tournament_id, _ = await waiting_game(cup)
    organiser = PEOPLE[0]
    running = [await cup.matches.match(match_id) for match_id in await cup.running(tournament_id)]
    (opponent,) = [each.opponent_of(organiser.id) for each in running if each.has_player(organiser.id)]
    cup.clock.now += timedelta(days=30)
    for moderator in (False, True):
        with pytest.raises(OwnOpponentError):
            await cup.service.remove(tournament_id, opponent.id, organiser, moderator=moderator)
    await cup.service.remove(tournament_id, opponent.id, PEOPLE[9], moderator=True)
    ended = [await cup.matches.match(match.id) for match in running if match.has_player(opponent.id)]
    assert [match.result is not None for match in ended] == [True]


async def test_a_moderator_who_takes_part_has_no_say_in_the_tournament(cup: Cup) -> None:
    tournament_id, match = await waiting_game(cup)
    cup.clock.now += timedelta(days=30)
    with pytest.raises(OwnTournamentError):
        await cup.service.remove(tournament_id, match.first.id, match.second, moderator=True)
    with pytest.raises(OwnTournamentError):
        await cup.service.cancel(tournament_id, match.second.id, moderator=True)
    assert (await cup.service.cancel(tournament_id, PEOPLE[9].id, moderator=True)).state is TournamentState.CANCELLED


@pytest.mark.parametrize(
    ("control", "patience"),
    [
        (QUICK, timedelta(minutes=10)),
        (TimeControl.banks_of(3 * DAY, DAY), 3 * DAY),
        (TimeControl.turns_of(7 * DAY), 7 * DAY),
    ],
)
async def test_nobody_is_absent_as_long_as_the_clock_gives_them_time(
    cup: Cup, control: TimeControl, patience: timedelta
) -> None:
    tournament_id, match = await waiting_game(cup, control=control)
    cup.clock.now += patience - timedelta(seconds=1)
    with pytest.raises(NotAbsentError):
        await cup.service.remove(tournament_id, match.first.id, PEOPLE[0])
    cup.clock.now += timedelta(seconds=1)
    await cup.service.remove(tournament_id, match.first.id, PEOPLE[0])
    assert (await cup.matches.match(match.id)).result is not None


async def test_a_day_off_saves_the_game_but_its_player_is_still_absent(cup: Cup) -> None:
    tournament_id, match = await waiting_game(cup, control=TimeControl.banks_of(3 * DAY, DAY))
    cup.clock.now += 3 * DAY
    keeper = Clocks(cup.storage, cup.matches, clock=cup.clock)
    assert (await keeper.flag_fell(match.id))[0] is Fall.DAY_OFF
    cup.clock.now += timedelta(hours=1)
    await cup.service.check_removal(tournament_id, match.first.id, PEOPLE[0].id)
    await play_turn(cup.matches, match.id, match.first.id, "e5")
    for player in match.players:
        with pytest.raises(NotAbsentError):
            await cup.service.check_removal(tournament_id, player.id, PEOPLE[0].id)


async def test_a_player_who_lost_on_time_is_absent_until_their_next_turn(cup: Cup) -> None:
    tournament_id, match = await waiting_game(cup, 5, QUICK)
    loser = match.first
    assert match.clock is not None
    cup.clock.now += timedelta(minutes=20)
    await cup.finish(match.id, Result(match.second.id, Ending.TIME))
    await cup.service.advance(tournament_id)
    await cup.service.check_removal(tournament_id, loser.id, PEOPLE[0].id)
    with pytest.raises(NotAbsentError):
        await cup.service.check_removal(tournament_id, match.second.id, PEOPLE[0].id)
    running = [await cup.matches.match(match_id) for match_id in await cup.running(tournament_id)]
    (following,) = [each for each in running if each.has_player(loser.id)]
    assert not following.has_player(PEOPLE[0].id)
    await cup.deliveries.assign_channel(following.id, 200)
    cup.clock.now += timedelta(minutes=1)
    for turn in ("e5", "light"):
        awaited = (await cup.matches.game(following.id)).to_act
        assert awaited is not None
        await play_turn(cup.matches, following.id, awaited.id, turn)
    with pytest.raises(NotAbsentError):
        await cup.service.remove(tournament_id, loser.id, PEOPLE[0])


async def test_a_game_that_was_abandoned_earlier_is_not_won_when_a_player_leaves(cup: Cup) -> None:
    begun = await cup.begin(3)
    await cup.service.advance(begun.id)
    gone = begun.entrants[0].player
    for match_id in await cup.running(begun.id):
        if (await cup.matches.match(match_id)).has_player(gone.id):
            await cup.finish(match_id, Result(None, Ending.ABANDONED))
    cup.clock.now += timedelta(minutes=1)
    await cup.service.withdraw(begun.id, gone.id)
    assert all(row.points == 0 for row in (await cup.service.tables(begun.id)).last.rows)


@pytest.mark.both_databases
async def test_the_next_player_organises_when_the_organiser_is_forgotten(cup: Cup) -> None:
    opened, alone = await cup.open(3), await cup.open(1)
    begun = await cup.begin(3)
    await cup.service.withdraw(opened.id, PEOPLE[0].id)
    await cup.service.withdraw_everywhere(PEOPLE[0].id)
    await cup.privacy.delete(PEOPLE[0].id)
    assert (await cup.service.get(opened.id)).organiser == PEOPLE[1]
    heir = next(each.player for each in begun.entrants if each.player != PEOPLE[0])
    assert (await cup.service.get(begun.id)).organiser == heir
    assert (await cup.service.get(alone.id)).state is TournamentState.CANCELLED
    await cup.service.join(opened.id, PEOPLE[5])
    await cup.service.start(opened.id, PEOPLE[1].id)


async def test_players_open_only_so_many_tournaments_in_an_hour(cup: Cup) -> None:
    for _ in range(TOURNAMENT_LIMIT.most):
        await cup.open(1)
        cup.clock.now += timedelta(minutes=1)
    with pytest.raises(TooManyTournamentsError) as refused:
        await cup.open(1)
    cup.clock.now = refused.value.again_at
    await cup.open(1)


async def test_players_who_may_not_challenge_cannot_open_a_tournament(cup: Cup) -> None:
    async with cup.storage.transaction() as tx:
        await tx.settings.change_server_settings(1, {"challenger_role_id": 55})
    with pytest.raises(RoleNeededError):
        await cup.open(1)
    await cup.service.create(PLACE, "Cup", PEOPLE[0], DALEN, role_ids=[54, 55])


@pytest.mark.parametrize("blocks", ["joiner", "other"])
async def test_players_who_block_each_other_cannot_be_in_one_tournament(cup: Cup, blocks: str) -> None:
    opened = await cup.open(2)
    organiser, entrant, joiner, other = PEOPLE[:4]
    for there, refused in ((organiser, BlockedError), (entrant, BlockedEntrantError)):
        blocker, blocked = (joiner, there) if blocks == "joiner" else (there, joiner)
        await cup.privacy.set_blocked(blocker, [blocked.id])
        with pytest.raises(refused):
            await cup.service.join(opened.id, joiner)
        await cup.privacy.set_blocked(blocker, [])
    await cup.privacy.set_blocked(joiner, [other.id])
    results = await asyncio.gather(
        *(cup.service.join(opened.id, each) for each in (joiner, other)), return_exceptions=True
    )
    assert sum(isinstance(each, BlockedEntrantError) for each in results) == 1


async def test_leaving_before_the_start_leaves_no_trace(cup: Cup) -> None:
    opened = await cup.open(4)
    left = await cup.service.withdraw(opened.id, PEOPLE[2].id)
    assert [each.player.id for each in left.entrants] == [100, 101, 103]
    with pytest.raises(NoEntrantError):
        await cup.service.withdraw(opened.id, PEOPLE[2].id)

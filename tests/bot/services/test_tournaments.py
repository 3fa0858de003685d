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
    BlockedEntrantError,
    NoEntrantError,
    NotAbsentError,
    NotOrganiserError,
    OwnOpponentError,
    OwnTournamentError,
    TooFewEntrantsError,
    Tournament,
    TournamentState,
    TournamentStateError,
)
from bot.domain.deliveries import CardKey
from bot.domain.limits import TOURNAMENT_LIMIT, TooManyTournamentsError
from bot.domain.matches import Ending, Game, Match, Result, Step
from bot.domain.players import Conduct, Player
from bot.domain.timers import TimerKind
from bot.services.clocks import Fall
from tests.support.games import WHOLE_GAME
from tests.support.services.house import house_fixture
from tests.support.services.matches import CROWD, outcomes, refused, store_turns
from tests.support.services.stored import next_timer
from tests.support.services.tournaments import ORGANISER, TournamentHouse
from tests.support.thorough import sample

HOUR, SECOND = timedelta(hours=1), timedelta(seconds=1)
QUICK = TimeControl.banks_of(timedelta(minutes=10), timedelta(seconds=30))
SLOW = TimeControl.banks_of(3 * DAY, DAY)
MODERATOR = CROWD[9]

house = house_fixture(TournamentHouse)


async def test_organisers_and_moderators_start_a_tournament_of_at_least_three(house: TournamentHouse) -> None:
    opened = await house.open(2)
    await refused(TooFewEntrantsError, house.tournaments.start(opened.id, ORGANISER.id))
    await house.enter(opened, CROWD[2])
    await refused(NotOrganiserError, house.tournaments.start(opened.id, CROWD[1].id))
    await house.tournaments.start(opened.id, CROWD[1].id, moderator=True)
    await refused(TournamentStateError, house.enter(opened, CROWD[3]))


@pytest.mark.both_databases
async def test_a_tournament_takes_no_more_players_than_fit_even_if_many_join_at_once(house: TournamentHouse) -> None:
    opened = await house.open(MAX_ENTRANTS - 2)
    joined = await outcomes(*(house.tournaments.join(opened.id, player) for player in CROWD[20:26]))
    assert joined == {"Tournament": 2, "TournamentFullError": 4}
    assert len((await house.tournament(opened)).entrants) == MAX_ENTRANTS


@pytest.mark.both_databases
async def test_every_result_that_changes_shows_the_tournament_again(house: TournamentHouse) -> None:
    begun = await house.begin(3)
    async with house.storage.read() as tx:
        version = (await tx.deliveries.tournament(begun.id)).version - 1

    async def changed() -> bool:
        """Whether there is one more version of the tournament to show, and its timer is due."""
        nonlocal version
        async with house.storage.transaction() as tx:
            due = [timer for timer in await tx.timers.due(house.now, 99) if timer.kind is TimerKind.TOURNAMENT]
            for timer in due:
                await tx.timers.remove(timer)
            before, version = version, (await tx.deliveries.tournament(begun.id)).version
        return len(due) == 1 and version == before + 1

    assert await changed()
    first, second, third = await house.running(begun)
    await house.resign(first, first.first)
    assert await changed()
    await house.matches.force_abandon(second.id, MODERATOR)
    assert await changed()
    await house.matches.void(first.id, MODERATOR)
    assert await changed()
    await house.deliveries.assign_channel(CardKey(third.id), 99)
    async with house.storage.transaction() as tx:
        await store_turns(tx, house.matches, third.id, WHOLE_GAME[:-3], house.now)
    for turn in WHOLE_GAME[-3:]:
        assert not await changed()
        await house.play_on(third, turn)
    assert await changed()


@pytest.mark.parametrize("seed", sample(range(4), 4))
async def test_a_tournament_is_played_to_its_end_through_restarts_at_any_point(
    house: TournamentHouse, seed: int
) -> None:
    """Every game is played once, even if two processes advance the tournament at once or again after a crash."""
    chance, other = random.Random(seed), house.another()
    count, at_once = chance.randint(3, 7), chance.randint(1, 3)
    begun = await house.begin(count, at_once=at_once)
    for _ in range(1000):
        if chance.random() < 0.5:
            house, other = other, house
        await asyncio.gather(*(house.tournaments.advance(begun.id) for _ in range(chance.randint(1, 3))))
        running = await house.running(begun)
        if not running:
            break
        busy = Counter(player.id for match in running for player in match.players)
        assert max(busy.values()) <= at_once
        match = chance.choice(running)
        winner = chance.choice([match.first.id, match.second.id, None])
        house.now += timedelta(minutes=1)
        await house.end(match, Result(winner, Ending.RESIGNATION if winner else Ending.AGREEMENT))
        assert (await next_timer(house.storage)) is not None, "the tournament has something to do"
    table = (await house.tournaments.tables(begun.id)).last
    assert table.tournament.state is TournamentState.OVER
    assert len(table.meetings) == count * (count - 1) // 2
    assert sum(row.points for row in table.rows) == count * (count - 1)
    assert len({pairing.match_id for pairing in table.tournament.pairings}) == len(table.meetings)
    assert table.winners


# Players who leave


async def test_leaving_before_the_start_leaves_no_trace(house: TournamentHouse) -> None:
    opened = await house.open(4)
    await house.withdraw(opened, CROWD[2])
    left = await house.tournament(opened)
    assert [entrant.player for entrant in left.entrants] == [CROWD[0], CROWD[1], CROWD[3]]


async def test_withdrawing_early_annuls_all_games_and_late_loses_the_rest(house: TournamentHouse) -> None:
    begun = await house.begin(5, at_once=4)
    early, late = (entrant.player for entrant in begun.entrants[:2])
    for match in await house.running(begun, late):
        if not match.has_player(early.id):
            await house.finish(match, late)
    for gone in (early, late):
        await house.withdraw(begun, gone)
    await refused(NoEntrantError, house.withdraw(begun, late))
    table = (await house.tournaments.tables(begun.id)).last
    assert table.annulled == {0}
    assert table.withdrawals == {0, 1}
    rows = {row.player: row for row in table.rows}
    assert (rows[0].games, rows[1].points) == (0, 6)
    assert (table.rows[0].player, table.rows[-1].player) == (1, 0), "an annulled player comes last"
    assert table.games == 6, "of the four others"
    assert table.winners, "the best of the players who stayed"
    assert not {early, late} & {*table.winners}


async def test_a_withdrawal_that_a_crash_interrupts_is_finished_later(house: TournamentHouse) -> None:
    begun = await house.begin(4, at_once=3)
    gone = begun.entrants[0].player
    await house.withdraw(begun, gone)
    assert len(await house.running(begun)) == 6, "nothing is resigned yet"
    found = await house.another().advance(begun)
    theirs = [pairing for pairing in found.pairings if pairing.has_player(gone.id)]
    assert all(pairing.result is not None and pairing.result.winner_id != gone.id for pairing in theirs)
    shown = {(TimerKind.SHOW_MATCH, pairing.match_id) for pairing in theirs}
    assert shown <= await house.due(), "their boards show the end"


@pytest.mark.both_databases
async def test_a_turn_at_the_last_moment_does_not_keep_a_withdrawn_player_in(house: TournamentHouse) -> None:
    begun = await house.begin(3)
    match = (await house.running(begun))[0]
    await house.withdraw(begun, match.first)
    await outcomes(house.play(match, match.first, "e5"), house.tournaments.advance(begun.id))
    assert await house.running(begun, match.first) == []
    assert len(await house.running(begun)) == 1


@pytest.mark.both_databases
async def test_no_game_starts_for_a_player_who_withdraws_at_that_moment(house: TournamentHouse) -> None:
    begun = await house.open(4, at_once=3)
    begun = await house.tournaments.start(begun.id, ORGANISER.id)
    gone = begun.entrants[0].player
    await asyncio.gather(house.tournaments.advance(begun.id), house.tournaments.withdraw(begun.id, gone.id))
    await house.advance(begun)
    assert await house.running(begun, gone) == []
    assert len(await house.running(begun)) == 3


@pytest.mark.both_databases
async def test_the_next_player_organises_when_the_organiser_is_forgotten(house: TournamentHouse) -> None:
    opened, alone, begun = await house.open(3), await house.open(1), await house.begin(3)
    await house.withdraw(opened, ORGANISER)
    await house.tournaments.withdraw_everywhere(ORGANISER.id)
    await house.privacy.delete(ORGANISER.id)
    assert (await house.tournament(opened)).organiser == CROWD[1]
    heir = next(entrant.player for entrant in begun.entrants if entrant.player != ORGANISER)
    assert (await house.tournament(begun)).organiser == heir
    assert (await house.tournament(alone)).state is TournamentState.CANCELLED
    await house.enter(opened, CROWD[5])
    await house.tournaments.start(opened.id, CROWD[1].id)


# Players who are removed


async def waiting_game(house: TournamentHouse, entrants: int = 4, **terms: TimeControl) -> tuple[Tournament, Match]:
    """A running tournament, and a game of it without the organiser, in which nothing has been played yet."""
    begun = await house.begin(entrants, at_once=1, **terms)
    placed = await house.place_all(begun)
    return begun, next(match for match in placed if not match.has_player(ORGANISER.id))


async def check_present(house: TournamentHouse, tournament: Tournament, *players: Player) -> None:
    for player in players:
        error = await refused(NotAbsentError, house.remove(tournament, player))
        assert player.name in str(error.text)


async def test_a_removed_player_loses_the_points_but_no_rating(house: TournamentHouse) -> None:
    begun = await house.begin(3)
    absent, other = CROWD[1:3]
    (match,) = await house.running(begun, absent, other)
    await house.finish(match, absent)
    (last,) = await house.running(begun, absent)
    house.now += timedelta(minutes=1)
    await house.remove(begun, absent, MODERATOR, moderator=True)
    last = await house.match(last)
    assert (last.result, last.rating_changes) == (Result(None, Ending.ABANDONED, MODERATOR), ())
    assert await house.privacy.conduct(absent.id) == Conduct(2, 0, 1)
    assert await house.privacy.conduct(ORGANISER.id) == Conduct(0, 0, 0)
    await refused(NoEntrantError, house.remove(begun, absent, other, moderator=True))
    table = (await house.tournaments.tables(begun.id)).last
    points = {table.player(row.player): row.points for row in table.rows}
    assert points == {absent: 2, ORGANISER: 2, other: 0}
    (unplayed,) = [meeting for meeting in table.meetings if not meeting.played]
    assert unplayed.has(next(row.player for row in table.rows if table.player(row.player) == ORGANISER))


async def test_the_organiser_removes_only_players_who_keep_a_game_waiting(house: TournamentHouse) -> None:
    begun, match = await waiting_game(house)
    present, absent = match.second, match.first
    for days in (0, 2, 0.99):
        house.now += days * DAY
        await check_present(house, begun, absent)
    house.now += 0.01 * DAY
    await check_present(house, begun, present)
    await refused(NotOrganiserError, house.remove(begun, absent, present))
    await house.remove(begun, absent)
    assert (await house.result(match)).ending is Ending.ABANDONED


@pytest.mark.both_databases
async def test_a_turn_at_the_last_moment_keeps_the_player_in(
    house: TournamentHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, match = await waiting_game(house)
    house.now += 4 * DAY
    game = house.matches.game

    async def game_before_a_turn(match_id: int) -> Game:
        seen = await game(match_id)
        if match_id == match.id and seen.step == 0:
            async with house.storage.transaction() as tx:
                opening = Step(1, "e5", match.first.id, house.now)
                assert await tx.matches.add_step(match_id, 0, opening, match.second.id)
        return seen

    monkeypatch.setattr(house.matches, "game", game_before_a_turn)
    await check_present(house, begun, match.first)
    assert (await house.match(match)).result is None


async def test_nobody_removes_their_own_opponent_however_long_the_game_waits(house: TournamentHouse) -> None:
    begun, _ = await waiting_game(house)
    (match,) = await house.running(begun, ORGANISER)
    opponent = match.opponent_of(ORGANISER.id)
    house.now += 30 * DAY
    for moderator in (False, True):
        await refused(OwnOpponentError, house.remove(begun, opponent, moderator=moderator))
    await house.remove(begun, opponent, MODERATOR, moderator=True)
    assert (await house.result(match)).ending is Ending.ABANDONED


async def test_a_moderator_who_takes_part_has_no_say_in_the_tournament(house: TournamentHouse) -> None:
    begun, match = await waiting_game(house)
    await refused(
        OwnTournamentError,
        house.remove(begun, match.first, match.second, moderator=True),
        house.tournaments.cancel(begun.id, match.second.id, moderator=True),
    )
    cancelled = await house.tournaments.cancel(begun.id, MODERATOR.id, moderator=True)
    assert cancelled.state is TournamentState.CANCELLED


@pytest.mark.parametrize(
    ("control", "patience"), [(QUICK, QUICK.bank), (SLOW, SLOW.bank), (TimeControl.turns_of(7 * DAY), 7 * DAY)]
)
async def test_nobody_is_absent_as_long_as_the_clock_gives_them_time(
    house: TournamentHouse, control: TimeControl, patience: timedelta
) -> None:
    begun, match = await waiting_game(house, control=control)
    house.now += patience - SECOND
    await check_present(house, begun, match.first)
    house.now += SECOND
    await house.remove(begun, match.first)
    assert (await house.result(match)).ending is Ending.ABANDONED


async def test_a_day_off_saves_the_game_but_its_player_is_still_absent(house: TournamentHouse) -> None:
    begun, match = await waiting_game(house, control=SLOW)
    house.now += 3 * DAY
    assert (await house.clocks.flag_fell(match.id))[0] is Fall.DAY_OFF
    house.now += HOUR
    await house.tournaments.check_removal(begun.id, match.first.id, ORGANISER.id)
    await house.play(match, match.first, "e5")
    await check_present(house, begun, *match.players)


async def test_a_player_who_lost_on_time_is_absent_until_their_next_turn(house: TournamentHouse) -> None:
    begun, match = await waiting_game(house, 5, control=QUICK)
    house.now += timedelta(minutes=20)
    await house.finish(match, match.second, Ending.TIME)
    await house.advance(begun)
    await house.tournaments.check_removal(begun.id, match.first.id, ORGANISER.id)
    await check_present(house, begun, match.second)
    (following,) = await house.running(begun, match.first)
    assert not following.has_player(ORGANISER.id)
    await house.deliveries.assign_channel(CardKey(following.id), 200)
    house.now += timedelta(minutes=1)
    await house.play_on(following, "e5", "light")
    await check_present(house, begun, match.first)


# Who may open and join


async def test_players_open_only_so_many_tournaments_in_an_hour(house: TournamentHouse) -> None:
    for _ in range(TOURNAMENT_LIMIT.most):
        await house.open()
        house.now += timedelta(minutes=1)
    error = await refused(TooManyTournamentsError, house.open())
    house.now = error.again_at
    await house.open()


async def test_players_who_may_not_challenge_cannot_open_a_tournament(house: TournamentHouse) -> None:
    await house.settings.change_server_settings(1, challenger_role_id=55)
    await refused(RoleNeededError, house.open())
    await house.open(role_ids=[54, 55])


@pytest.mark.parametrize("blocks", ["joiner", "other"])
async def test_players_who_block_each_other_cannot_be_in_one_tournament(house: TournamentHouse, blocks: str) -> None:
    opened = await house.open(2)
    organiser, entrant, joiner, other = CROWD[:4]
    for there, refusal in ((organiser, BlockedError), (entrant, BlockedEntrantError)):
        blocker, blocked = (joiner, there) if blocks == "joiner" else (there, joiner)
        await house.privacy.set_blocked(blocker, [blocked.id])
        await refused(refusal, house.enter(opened, joiner))
        await house.privacy.set_blocked(blocker, [])
    await house.privacy.set_blocked(joiner, [other.id])
    joined = await outcomes(*(house.tournaments.join(opened.id, player) for player in (joiner, other)))
    assert joined == {"Tournament": 1, "BlockedEntrantError": 1}

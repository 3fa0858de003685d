"""Round robins, from the first entry to the cross table."""

from __future__ import annotations

import asyncio
import random
import re
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.discord.cards.tournament import cross_table_picture
from bot.discord.messages import Message
from bot.domain import errors
from bot.domain.clocks import DAY, TimeControl
from bot.domain.limits import TOURNAMENT_LIMIT
from bot.domain.matches import Ending, Match, Result
from bot.domain.places import PostedMessage
from bot.domain.players import Conduct, Player
from bot.domain.tournaments import Entrant, Pairing, Tournament, TournamentState
from bot.services.clocks import Clocks, Fall
from bot.services.matches import Matches
from bot.services.tournaments import MOST, Tournaments
from bot.services.tournaments import table as table_of
from bot.storage import Storage
from render import DEFAULT_LOOK
from tests.support.club import Club, seen
from tests.support.services import DALEN, PLACE, Clock, service

NOW = datetime(2026, 1, 1, tzinfo=UTC)
QUICK = TimeControl.banks_of(timedelta(minutes=10), timedelta(seconds=30))
PEOPLE = [Player(100 + number, f"P{number}") for number in range(20)]


class Cup:
    """A tournament without Discord."""

    def __init__(self, storage: Storage, clock: Clock) -> None:
        self.storage = storage
        self.clock = clock
        self.restart()

    def restart(self) -> None:
        self.matches: Matches = service(self.storage, self.clock)
        self.service = Tournaments(self.storage, self.matches, clock=self.clock, chance=random.Random(1))

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
        assert await self.storage.end_match(match_id, match.step, self.clock.now, result)


@pytest.fixture
def cup(storage: Storage, clock: Clock) -> Cup:
    return Cup(storage, clock)


async def test_only_the_organiser_starts_and_not_with_two(cup: Cup) -> None:
    opened = await cup.open(2)
    with pytest.raises(errors.TooFewEntrantsError):
        await cup.service.start(opened.id, PEOPLE[0].id)
    await cup.service.join(opened.id, PEOPLE[2])
    with pytest.raises(errors.NotOrganiserError):
        await cup.service.start(opened.id, PEOPLE[1].id)
    with pytest.raises(errors.AlreadyEntrantError):
        await cup.service.join(opened.id, PEOPLE[2])
    await cup.service.start(opened.id, PEOPLE[1].id, moderator=True)
    with pytest.raises(errors.TournamentStateError):
        await cup.service.join(opened.id, PEOPLE[3])
    with pytest.raises(errors.TournamentStateError):
        await cup.service.start(opened.id, PEOPLE[0].id)


async def test_it_is_full_also_when_many_join_at_once(cup: Cup) -> None:
    opened = await cup.open(MOST - 2)
    results = await asyncio.gather(
        *(cup.service.join(opened.id, player) for player in PEOPLE[MOST - 2 :]), return_exceptions=True
    )
    assert sum(isinstance(each, errors.TournamentFullError) for each in results) == 20 - MOST
    assert len((await cup.service.get(opened.id)).entrants) == MOST


@pytest.mark.parametrize("seed", range(4))
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
        assert (await cup.storage.next_timer()) is not None, "the tournament is told"
    await cup.service.advance(begun.id)
    table = await cup.service.table(begun.id)
    assert table.tournament.state is TournamentState.OVER
    assert len(table.meetings) == count * (count - 1) // 2
    assert sum(row.points for row in table.rows) == count * (count - 1)
    assert len({each.match_id for each in table.tournament.pairings}) == len(table.meetings)
    assert table.winners


async def test_who_withdraws_early_is_out_of_the_table_and_late_loses_the_rest(cup: Cup) -> None:
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
    with pytest.raises(errors.NoEntrantError):
        await cup.service.withdraw(begun.id, late.id)
    table = await cup.service.table(begun.id)
    assert table.annulled == {0}
    assert table.withdrawn == {0, 1}
    rows = {row.player: row for row in table.rows}
    assert rows[0].games == 0
    assert rows[1].points == 6
    assert (table.rows[0].player, table.rows[-1].player) == (1, 0), "who is out comes last"
    assert table.games == 6, "of the four others"
    assert table.winners, "of those who stay, the best win"
    assert all(begun.entrants[row].player not in table.winners for row in (0, 1))


async def test_games_that_were_not_played_are_won_by_who_stays(cup: Cup) -> None:
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
    table = await cup.service.table(begun.id)
    assert table.tournament.state is TournamentState.OVER
    unplayed = [meeting for meeting in table.meetings if not meeting.played]
    assert len(unplayed) == 1
    assert unplayed[0].score_of(0) == 0
    assert unplayed[0].score_of(unplayed[0].opponent_of(0)) == 2
    assert sum((each.first_score, each.second_score) == (0, 0) for each in table.meetings) == 1


async def test_a_withdrawal_that_a_stop_interrupts_is_finished_later(cup: Cup) -> None:
    begun = await cup.begin(4, at_once=3)
    await cup.service.advance(begun.id)
    gone = begun.entrants[0].player.id
    assert await cup.storage.withdraw_entrant(begun.id, gone, cup.clock.now) == []
    cup.restart()
    shown = await cup.service.advance(begun.id)
    found = await cup.service.get(begun.id)
    theirs = [each for each in found.pairings if each.has_player(gone)]
    assert all(each.result is not None and each.result.winner_id != gone for each in theirs)
    assert {each.match_id for each in theirs} <= set(shown), "their boards show the end"


async def test_a_turn_at_that_moment_does_not_keep_a_withdrawn_player_in(
    cup: Cup, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = await cup.begin(3)
    await cup.service.advance(begun.id)
    end_match, gone = cup.storage.end_match, begun.entrants[0].player.id

    async def end_after_a_turn(match_id: int, step: int, at: datetime, result: Result) -> bool:
        if step == 0:
            match = await cup.matches.match(match_id)
            await cup.storage.add_turn(match_id, 0, "e5", match.first.id, at, None)
        return await end_match(match_id, step, at, result)

    monkeypatch.setattr(cup.storage, "end_match", end_after_a_turn)
    await cup.service.withdraw(begun.id, gone)
    await cup.service.advance(begun.id)
    found = await cup.service.get(begun.id)
    assert [each for each in found.running if each.has_player(gone)] == []
    assert len(found.running) == 1


async def test_no_game_begins_with_somebody_who_has_just_withdrawn(cup: Cup) -> None:
    begun = await cup.begin(4, at_once=1)
    seen_before = await cup.service.get(begun.id)
    gone = begun.entrants[0].player.id
    await cup.service.withdraw(begun.id, gone)
    for pairing in seen_before.pairings:
        started = await cup.storage.begin_pairing(seen_before, pairing, cup.clock.now)
        assert (started is None) is pairing.has_player(gone)


async def test_the_best_of_those_who_stay_wins_when_the_leader_left(cup: Cup) -> None:
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
    for match_id in await cup.service.advance(begun.id):
        if (await cup.matches.match(match_id)).result is None:
            await cup.finish(match_id, Result(None, Ending.ABANDONED))
    await cup.service.advance(begun.id)
    for match_id in await cup.running(begun.id):
        await cup.finish(match_id, Result(None, Ending.ABANDONED))
    await cup.service.advance(begun.id)
    table = await cup.service.table(begun.id)
    assert table.tournament.state is TournamentState.OVER
    assert table.player(table.rows[0].player) == leader
    (winner,) = table.winners
    (unplayed,) = [each for each in table.meetings if not each.played]
    assert winner == table.player(unplayed.opponent_of(table.rows[0].player)), "who got the game that was not played"


async def test_who_is_taken_out_loses_the_points_and_no_rating(cup: Cup) -> None:
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
    (ended,) = await cup.service.remove(begun.id, absent.id, moderator, moderator=True)
    match = await cup.matches.match(ended)
    assert match.result == Result(None, Ending.ABANDONED, moderator)
    assert match.rating_changes == ()
    assert await cup.storage.conduct(absent.id) == Conduct(2, 0, 1)
    assert await cup.storage.conduct(organiser.id) == Conduct(0, 0, 0)
    with pytest.raises(errors.NoEntrantError):
        await cup.service.remove(begun.id, absent.id, other, moderator=True)
    table = await cup.service.table(begun.id)
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
        await cup.matches.place(match_id, 100 + number)
        match = await cup.matches.match(match_id)
        found = found if match.has_player(PEOPLE[0].id) else match
    assert found is not None
    return opened.id, await cup.matches.match(found.id)


async def test_the_organiser_takes_out_those_only_who_keep_a_game_waiting_for_days(cup: Cup) -> None:
    tournament_id, match = await waiting_game(cup)
    present, absent = match.second, match.first
    for days in (0, 2, 0.99):
        cup.clock.now += timedelta(days=days)
        with pytest.raises(errors.NotAbsentError) as refused:
            await cup.service.remove(tournament_id, absent.id, PEOPLE[0])
        assert refused.value.player == absent
    cup.clock.now += timedelta(days=0.01)
    with pytest.raises(errors.NotAbsentError):
        await cup.service.remove(tournament_id, present.id, PEOPLE[0])
    with pytest.raises(errors.NotOrganiserError):
        await cup.service.remove(tournament_id, absent.id, present)
    assert await cup.service.remove(tournament_id, absent.id, PEOPLE[0]) == [match.id]


async def test_who_plays_is_absent_no_more(cup: Cup) -> None:
    tournament_id, match = await waiting_game(cup)
    cup.clock.now += timedelta(days=4)
    await cup.matches.play(match.id, match.first.id, "e5")
    with pytest.raises(errors.NotAbsentError):
        await cup.service.remove(tournament_id, match.first.id, PEOPLE[0])


async def test_a_turn_at_that_moment_keeps_the_player_in(cup: Cup, monkeypatch: pytest.MonkeyPatch) -> None:
    tournament_id, match = await waiting_game(cup)
    cup.clock.now += timedelta(days=4)
    withdraw_entrant = cup.storage.withdraw_entrant

    async def withdraw_after_a_turn(*args: Any) -> list[int] | None:
        if (await cup.matches.match(match.id)).step == 0:
            await cup.matches.play(match.id, match.first.id, "e5")
        return await withdraw_entrant(*args)

    monkeypatch.setattr(cup.storage, "withdraw_entrant", withdraw_after_a_turn)
    with pytest.raises(errors.NotAbsentError):
        await cup.service.remove(tournament_id, match.first.id, PEOPLE[0])
    assert (await cup.matches.match(match.id)).result is None


async def test_nobody_takes_out_the_opponent_of_a_running_game_however_long_it_waits(cup: Cup) -> None:
    tournament_id, _ = await waiting_game(cup)
    organiser = PEOPLE[0]
    running = [await cup.matches.match(match_id) for match_id in await cup.running(tournament_id)]
    (opponent,) = [each.opponent_of(organiser.id) for each in running if each.has_player(organiser.id)]
    cup.clock.now += timedelta(days=30)
    for moderator in (False, True):
        with pytest.raises(errors.OwnOpponentError):
            await cup.service.remove(tournament_id, opponent.id, organiser, moderator=moderator)
    ended = await cup.service.remove(tournament_id, opponent.id, PEOPLE[9], moderator=True)
    assert len(ended) == 1


async def test_a_moderator_who_takes_part_is_none_there(cup: Cup) -> None:
    tournament_id, match = await waiting_game(cup)
    cup.clock.now += timedelta(days=30)
    with pytest.raises(errors.OwnTournamentError):
        await cup.service.remove(tournament_id, match.first.id, match.second, moderator=True)
    with pytest.raises(errors.OwnTournamentError):
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
    with pytest.raises(errors.NotAbsentError):
        await cup.service.remove(tournament_id, match.first.id, PEOPLE[0])
    cup.clock.now += timedelta(seconds=1)
    assert await cup.service.remove(tournament_id, match.first.id, PEOPLE[0]) == [match.id]


async def test_days_off_save_a_game_and_do_not_make_anybody_present(cup: Cup) -> None:
    tournament_id, match = await waiting_game(cup, control=TimeControl.banks_of(3 * DAY, DAY))
    cup.clock.now += 3 * DAY
    keeper = Clocks(cup.storage, cup.matches, clock=cup.clock)
    assert await keeper.flag_fell(match.id) is Fall.DAY_OFF
    cup.clock.now += timedelta(hours=1)
    await cup.service.check_removal(tournament_id, match.first.id, PEOPLE[0].id)
    await cup.matches.play(match.id, match.first.id, "e5")
    for player in match.players:
        with pytest.raises(errors.NotAbsentError):
            await cup.service.check_removal(tournament_id, player.id, PEOPLE[0].id)


async def test_who_has_lost_on_time_is_absent_until_the_next_turn(cup: Cup) -> None:
    tournament_id, match = await waiting_game(cup, 5, QUICK)
    loser = match.first
    assert match.clock is not None
    cup.clock.now += timedelta(minutes=20)
    await cup.finish(match.id, Result(match.second.id, Ending.TIME))
    await cup.service.advance(tournament_id)
    await cup.service.check_removal(tournament_id, loser.id, PEOPLE[0].id)
    with pytest.raises(errors.NotAbsentError):
        await cup.service.check_removal(tournament_id, match.second.id, PEOPLE[0].id)
    running = [await cup.matches.match(match_id) for match_id in await cup.running(tournament_id)]
    (following,) = [each for each in running if each.has_player(loser.id)]
    assert not following.has_player(PEOPLE[0].id)
    await cup.matches.place(following.id, 200)
    cup.clock.now += timedelta(minutes=1)
    for turn in ("e5", "light"):
        awaited = (await cup.matches.game(following.id)).to_act
        assert awaited is not None
        await cup.matches.play(following.id, awaited.id, turn)
    with pytest.raises(errors.NotAbsentError):
        await cup.service.remove(tournament_id, loser.id, PEOPLE[0])


async def test_a_game_that_was_abandoned_before_is_not_won_when_somebody_leaves_later(cup: Cup) -> None:
    begun = await cup.begin(3)
    await cup.service.advance(begun.id)
    gone = begun.entrants[0].player
    for match_id in await cup.running(begun.id):
        if (await cup.matches.match(match_id)).has_player(gone.id):
            await cup.finish(match_id, Result(None, Ending.ABANDONED))
    cup.clock.now += timedelta(minutes=1)
    await cup.service.withdraw(begun.id, gone.id)
    assert all(row.points == 0 for row in (await cup.service.table(begun.id)).rows)


async def test_the_next_one_organises_when_the_organiser_goes_for_good(cup: Cup) -> None:
    opened, alone = await cup.open(3), await cup.open(1)
    begun = await cup.begin(3)
    await cup.service.withdraw(opened.id, PEOPLE[0].id)
    left = await cup.service.withdraw_everywhere(PEOPLE[0].id)
    assert left == [opened.id, alone.id, begun.id]
    await cup.matches.forget(PEOPLE[0].id)
    assert (await cup.service.get(opened.id)).organiser == PEOPLE[1]
    heir = next(each.player for each in begun.entrants if each.player != PEOPLE[0])
    assert (await cup.service.get(begun.id)).organiser == heir
    assert (await cup.service.get(alone.id)).state is TournamentState.CANCELLED
    await cup.service.join(opened.id, PEOPLE[5])
    await cup.service.start(opened.id, PEOPLE[1].id)


async def test_nobody_opens_many_tournaments_in_an_hour(cup: Cup) -> None:
    for _ in range(TOURNAMENT_LIMIT.most):
        await cup.open(1)
        cup.clock.now += timedelta(minutes=1)
    with pytest.raises(errors.TooManyTournamentsError) as refused:
        await cup.open(1)
    cup.clock.now = refused.value.again_at
    await cup.open(1)


async def test_who_may_not_challenge_opens_no_tournament(cup: Cup) -> None:
    await cup.storage.change_server_settings(1, {"challenger_role_id": 55})
    with pytest.raises(errors.RoleNeededError):
        await cup.open(1)
    await cup.service.create(PLACE, "Cup", PEOPLE[0], DALEN, role_ids=[54, 55])


@pytest.mark.parametrize("blocks", ["joiner", "other"])
async def test_who_blocks_each_other_are_not_in_one_tournament(cup: Cup, blocks: str) -> None:
    opened = await cup.open(2)
    organiser, entrant, joiner, other = PEOPLE[:4]
    for there, refused in ((organiser, errors.BlockedError), (entrant, errors.BlockedEntrantError)):
        blocker, blocked = (joiner, there) if blocks == "joiner" else (there, joiner)
        await cup.storage.set_blocked(blocker, [blocked.id])
        with pytest.raises(refused):
            await cup.service.join(opened.id, joiner)
        await cup.storage.set_blocked(blocker, [])
    await cup.storage.set_blocked(joiner, [other.id])
    results = await asyncio.gather(
        *(cup.service.join(opened.id, each) for each in (joiner, other)), return_exceptions=True
    )
    assert sum(isinstance(each, errors.BlockedEntrantError) for each in results) == 1


async def test_who_leaves_before_the_beginning_leaves_no_trace(cup: Cup) -> None:
    opened = await cup.open(4)
    left = await cup.service.withdraw(opened.id, PEOPLE[2].id)
    assert [each.player.id for each in left.entrants] == [100, 101, 103]
    with pytest.raises(errors.NoEntrantError):
        await cup.service.withdraw(opened.id, PEOPLE[2].id)


# As people meet it


async def opened(club: Club) -> None:
    answer = await club.slash(club.alice, "tournament create", game="dalen", size=5, name="Autumn *Cup*", at_once=2)
    assert answer.nothing, answer.private
    for who in (club.bob, club.carol):
        assert (await club.press(who, "Join")).nothing


async def test_commands_are_answered_for_the_card_may_be_far_away(club: Club) -> None:
    await opened(club)
    assert "You left **Autumn" in (await club.slash(club.bob, "tournament withdraw")).private
    assert "**2 players:** Alice, Carol" in club.card().text
    assert "You take part in **Autumn" in (await club.slash(club.bob, "tournament join")).private
    assert "**3 players:** Alice, Carol, Bob" in club.card().text
    assert "**Autumn \\*Cup\\*** begins." in (await club.slash(club.alice, "tournament start")).private


async def finish_all(club: Club) -> int:
    """The first player of each running match wins it by the other's resignation; how many there were."""
    running = await club.app.storage.running_matches(None)
    for match in running:
        await club.app.matches.resign(match.id, match.second.id)
        await club.app.presenter.show_match(match.id)
    await club.env.settle()
    await club.env.advance_time(30)
    return len(running)


async def test_a_tournament_is_opened_joined_and_started_with_buttons(club: Club) -> None:
    await opened(club)
    card = club.card()
    assert "Autumn \\*Cup\\*" in card.text
    assert "**3 players:** Alice, Bob, Carol" in card.text
    assert card.labels == ("Join", "Leave", "Start")
    assert "You have already joined" in (await club.press(club.bob, "Join")).private
    assert "Only Alice" in (await club.press(club.bob, "Start")).private
    screen = club.screen()
    assert (await club.press(club.alice, "Start")).nothing
    await club.env.advance_time(5)
    (first, *_) = club.cards()
    assert "0 of 3 games played" in first.text
    assert first.labels == ()
    assert "has already started" in (await club.press_late(club.alice, "Start", screen)).private
    running = await club.app.storage.running_matches(None)
    assert len(running) == 3
    assert all(match.channel_id is not None for match in running), "in the channel and in threads"
    assert "🏟️ Autumn \\*Cup\\* · Match #" in club.boards()[-1].text


async def test_the_cross_table_is_posted_at_the_end_once(club: Club) -> None:
    await opened(club)
    await club.press(club.alice, "Start")
    await club.env.advance_time(5)
    while await finish_all(club):
        await club.restart()
        await club.env.advance_time(5)
    finals = [card for card in club.cards() if "wins the tournament!" in card.text or "share the first" in card.text]
    with_table = [card for card in finals if card.pictures]
    assert len(with_table) == 1
    assert "Sonneborn-Berger" in with_table[0].text
    assert "games played" not in with_table[0].text
    (described,) = with_table[0].descriptions
    rows = re.findall(r"[1-3]\. (?:Alice|Bob|Carol): [012] \([0-9½¼¾]+\), ([x01 ]+)", described)
    assert [row.split().index("x") for row in rows] == [0, 1, 2], described
    await club.restart()
    await club.env.advance_time(60)
    again = [card for card in club.cards() if "wins the tournament!" in card.text or "share the first" in card.text]
    assert [card.id for card in again if card.pictures] == [with_table[0].id]
    picture = club.picture(with_table[0])
    assert picture.width == 1100


async def test_a_result_that_is_voided_after_the_end_changes_the_table_and_the_winner(club: Club) -> None:
    await opened(club)
    await club.press(club.alice, "Start")
    await club.env.advance_time(5)
    found = await club.app.tournaments.get(1)
    games = {frozenset((each.first_id, each.second_id)): each.match_id for each in found.pairings}
    for winner, loser in ((club.alice, club.bob), (club.alice, club.carol), (club.bob, club.carol)):
        match_id = games[frozenset((winner.id, loser.id))]
        assert match_id is not None
        await club.app.matches.resign(match_id, loser.id)
    await club.restart()
    await club.env.advance_time(10)
    assert "Alice** wins the tournament" in club.card().text
    moderator = club.join_as_moderator("Mo")
    for loser in (club.bob, club.carol):
        number = str(games[frozenset((club.alice.id, loser.id))])
        board = await club.slash(moderator, "board", match=number)
        question = await club.press(moderator, "Void result", board.private_handle)
        await club.press(moderator, "Void the result", question.private_handle)
        await club.env.advance_time(10)
    corrected = club.card()
    assert "Bob** wins the tournament" in corrected.text
    assert corrected.pictures
    assert not [card for card in club.cards() if "Alice** wins" in card.text], "nothing tells of the old result"


async def test_each_change_edits_the_card_once(club: Club) -> None:
    await club.slash(club.alice, "tournament create", game="dalen", size=5, name="Cup")
    await club.env.advance_time(5)
    for who in (club.bob, club.carol):
        before = len(club.env.http_requests)
        await club.press(who, "Join")
        await club.env.advance_time(5)
        assert len(club.requests("PATCH", r"/channels/\d+/messages/\d+", before)) == 1
    before = len(club.env.http_requests)
    await club.press(club.bob, "Join")
    await club.env.advance_time(5)
    assert club.requests("PATCH", r"/channels/\d+/messages/\d+", before) == [], "nothing has changed"


async def test_a_slow_card_holds_up_no_other_tournament(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("First", "Second"):
        await club.slash(club.alice, "tournament create", game="dalen", size=5, name=name)
    going, edit = asyncio.Event(), club.app.presenter.edit
    first = (await club.app.tournaments.get(1)).card

    async def slow_edit(card: PostedMessage, post: Message) -> None:
        if first is not None and card.message_id == first.message_id:
            await going.wait()
        await edit(card, post)

    monkeypatch.setattr(club.app.presenter, "edit", slow_edit)
    for number in (1, 2):
        await club.app.tournaments.join(number, Player(club.bob.id, "Bob"))
    slow = asyncio.create_task(club.app.tournament_presenter.show(1))
    await asyncio.wait_for(club.app.tournament_presenter.show(2), timeout=30)
    assert "**2 players:** Alice, Bob" in club.card().text
    going.set()
    await slow


async def test_standings_are_shown_privately_at_any_time(club: Club) -> None:
    assert "There is no such tournament here" in (await club.slash(club.bob, "tournament standings")).private
    await opened(club)
    assert "Alice, Bob, Carol" in (await club.slash(club.bob, "tournament standings")).private
    await club.press(club.alice, "Start")
    await club.env.advance_time(5)
    answer = await club.slash(club.carol, "tournament standings", number="1")
    assert "0 of 3 games played" in answer.private
    assert seen(club.env, answer.private_handle).pictures


async def test_withdrawing_from_a_running_tournament_is_asked_about(club: Club) -> None:
    await opened(club)
    await club.press(club.alice, "Start")
    await club.env.advance_time(5)
    question = await club.slash(club.bob, "tournament withdraw")
    assert "Withdraw from **Autumn \\*Cup\\***?" in question.private
    await club.press(club.bob, "Stay", question.private_handle)
    question = await club.slash(club.bob, "tournament withdraw")
    await club.press(club.bob, "Yes, withdraw", question.private_handle)
    await club.env.advance_time(10)
    card = club.cards()[0].text
    assert "0 of 1 games played" in card
    assert card.index("`") < card.index("~~Bob~~ withdrew\n"), "after those who have a place"
    running = await club.app.storage.running_matches(None)
    assert [{match.first.name, match.second.name} for match in running] == [{"Alice", "Carol"}]


async def test_a_crash_between_the_start_and_the_games_loses_none(club: Club) -> None:
    await opened(club)
    await club.app.tournaments.start(1, club.alice.id)
    await club.restart()
    await club.env.advance_time(5)
    assert len(await club.app.storage.running_matches(None)) == 3
    assert "0 of 3 games played" in club.cards()[0].text


async def test_a_tournament_that_is_called_off_says_so(club: Club) -> None:
    await opened(club)
    assert "Only Alice" in (await club.slash(club.bob, "tournament cancel")).private
    assert "You called **Autumn \\*Cup\\*** off." in (await club.slash(club.alice, "tournament cancel")).private
    assert "called off" in club.card().text
    assert club.card().labels == ()


async def test_a_tournament_without_a_name_is_called_after_its_organiser_as_long_as_they_are_known(
    club: Club,
) -> None:
    await club.slash(club.alice, "tournament create", game="dalen", size=5)
    assert "Alice's tournament" in club.card().text
    await club.press(club.bob, "Join")
    await club.app.tournaments.withdraw_everywhere(club.alice.id)
    await club.app.matches.forget(club.alice.id)
    await club.app.tournament_presenter.show(1)
    assert "Bob's tournament" in club.card().text
    assert "Alice" not in club.card().text
    assert "Bob starts it" in club.card().text


async def test_a_tournament_has_a_slow_clock_unless_the_organiser_wants_none(club: Club) -> None:
    await club.slash(club.alice, "tournament create", game="dalen", size=5)
    assert "3 days + 1 day" in club.card().text
    await club.slash(club.alice, "tournament create", game="dalen", size=5, clock="none")
    assert "3 days" not in club.card().text
    assert (await club.app.tournaments.get(2)).control is None


async def test_only_tournaments_in_channels_that_one_sees_are_offered_and_joined(club: Club) -> None:
    secret = club.guild.create_text_channel("secret")
    await club.slash(club.alice, "tournament create", where=secret, game="dalen", size=5, name="Secret Cup")
    (offered,) = await club.offers(club.bob, "", command="tournament join", option="number")
    assert "Secret Cup" in offered["name"]
    club.hide_from(club.bob, secret)
    assert await club.offers(club.bob, "", command="tournament join", option="number") == []
    options: list[dict[str, Any]] = [{}, {"number": "1"}]
    for number in options:
        answer = await club.slash(club.bob, "tournament join", **number)
        assert "There is no such tournament here" in answer.private
    assert "You take part in **Secret Cup**" in (await club.slash(club.carol, "tournament join", number="1")).private
    club.hide_from(club.carol, secret)
    left = await club.slash(club.carol, "tournament withdraw")
    assert "You left **Secret Cup**" in left.private, "one always finds the way out"
    assert [each.player.name for each in (await club.app.tournaments.get(1)).entrants] == ["Alice"]


async def test_the_organiser_takes_out_who_is_absent_and_is_asked_once_there_are_games(club: Club) -> None:
    dan = club.join("Dan")
    await opened(club)
    await club.press(dan, "Join")
    assert "Only Alice" in (await club.slash(club.bob, "tournament withdraw", player="Dan")).private
    offered = await club.offers(club.alice, "da", command="tournament withdraw", option="player")
    assert [(each["name"], each["value"]) for each in offered] == [("Dan", str(dan.id))]
    answer = await club.slash(club.alice, "tournament withdraw", player=str(dan.id))
    assert "is no longer in the tournament" in answer.private
    assert "**3 players:** Alice, Bob, Carol" in club.card().text
    assert "That player is not in this" in (await club.slash(club.alice, "tournament withdraw", player="dan")).private
    await club.press(club.alice, "Start")
    await club.env.advance_time(5)
    refused = await club.slash(club.alice, "tournament withdraw", player=str(club.bob.id))
    assert "against them yourself, so you cannot remove them" in refused.private
    moderator = club.join_as_moderator("Mo")
    question = await club.slash(moderator, "tournament withdraw", number="1", player="bob")
    assert "Take **Bob** out of **Autumn \\*Cup\\***?" in question.private
    await club.press(moderator, "Leave them in", question.private_handle)
    assert "~~Bob~~" not in club.cards()[0].text
    question = await club.slash(moderator, "tournament withdraw", number="1", player="bob")
    await club.press(moderator, "Yes, take them out", question.private_handle)
    await club.env.advance_time(10)
    assert "~~Bob~~ withdrew" in club.cards()[0].text
    running = await club.app.storage.running_matches(None)
    assert [{match.first.name, match.second.name} for match in running] == [{"Alice", "Carol"}]
    ended = [card for where in (club.channel, *club.threads()) for card in club.cards(where) if "Mo ended" in card.text]
    assert len(ended) == 2, "both boards tell of it"


async def test_names_in_other_scripts_are_written_as_they_sound_and_the_table_is_told_in_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn: list[Any] = []

    def draw(*parts: Any) -> bytes:
        drawn.extend(parts)
        return b""

    monkeypatch.setattr("bot.discord.cards.tournament.cross_table", draw)
    people = (Player(1, "さくら"), Player(-1, ""), Player(3, "Carol"))
    pairings = (
        Pairing(1, 1, -1, 1, Result(1, Ending.RULES), NOW),
        Pairing(2, 3, 1, 2, Result(None, Ending.AGREEMENT), NOW),
        Pairing(3, -1, 3, 3, Result(3, Ending.RULES), NOW),
    )
    state = TournamentState.OVER
    found = Tournament(
        *(7, PLACE, "秋杯", people[0], DALEN, None, 2, state, NOW, 9, None, tuple(map(Entrant, people)), pairings)
    )
    picture = cross_table_picture(table_of(found), DEFAULT_LOOK)
    title, _subtitle, _heads, entries, _theme = drawn
    assert title == "QiuBei · Dalen"
    assert {entry.name for entry in entries} == {"sakura", "a deleted player", "Carol"}
    assert [entry.name for entry in entries if entry.leads] == ["sakura", "Carol"]
    assert "秋杯 · Dalen. 3 games" in picture.description
    rows = "1. さくら: 1½ (0.75), x ½ 1; 1. Carol: 1½ (0.75), ½ x 1; 3. a deleted player: 0 (0), 0 0 x."
    assert rows in picture.description

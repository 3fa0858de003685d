"""Round robins, from the first entry to the cross table."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from datetime import timedelta

import pytest

from bot.matches import errors
from bot.matches.model import Ending, Player, Result, Tournament, TournamentState
from bot.matches.service import Matches
from bot.matches.tournaments import MOST, Tournaments
from bot.storage import Storage
from tests.bot.club import Club, Seen, seen
from tests.bot.test_service import DALEN, PLACE, Clock, clock, matches, service, storage

__all__ = ["clock", "matches", "storage"]  # the fixtures of the services
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
        assert max(busy.values()) <= at_once + (seed == 99)
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
    await cup.service.advance(begun.id)
    with pytest.raises(errors.NoEntrantError):
        await cup.service.withdraw(begun.id, late.id)
    table = await cup.service.table(begun.id)
    assert table.annulled == {0}
    assert table.withdrawn == {0, 1}
    rows = {row.player: row for row in table.rows}
    assert rows[0].games == 0
    assert rows[1].points == 6
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


async def finish_all(club: Club) -> int:
    """The first player of each running match wins it by the other's resignation; how many there were."""
    running = await club.client.storage.running_matches(None)
    for match in running:
        await club.client.matches.resign(match.id, match.second.id)
        await club.client.presenter.show_match(match.id)
    await club.env.settle()
    await club.env.advance_time(30)
    return len(running)


async def test_a_tournament_is_opened_joined_and_started_with_buttons(club: Club) -> None:
    await opened(club)
    card = club.card()
    assert "Autumn \\*Cup\\*" in card.text
    assert "**3 players:** Alice, Bob, Carol" in card.text
    assert card.labels == ("Join", "Leave", "Start")
    assert "You are in already" in (await club.press(club.bob, "Join")).private
    assert "Only Alice" in (await club.press(club.bob, "Start")).private
    screen = club.screen()
    assert (await club.press(club.alice, "Start")).nothing
    await club.env.advance_time(5)
    (first, *_) = club.cards()
    assert "0 of 3 games played" in first.text
    assert first.labels == ()
    assert "has begun already" in (await club.press_late(club.alice, "Start", screen)).private
    running = await club.client.storage.running_matches(None)
    assert len(running) == 3
    assert all(match.channel_id is not None for match in running), "in the channel and in threads"


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
    assert "3 games" in with_table[0].text
    await club.restart()
    await club.env.advance_time(60)
    assert len([card for card in club.cards() if "1 game" in card.text or card.pictures]) >= 1
    again = [card for card in club.cards() if (card.pictures and "first" in card.text) or "wins the t" in card.text]
    assert len([card for card in again if card.pictures]) == 1
    picture = club.picture(with_table[0])
    assert picture.width == 1100


async def test_a_result_that_is_voided_afterwards_changes_the_table(club: Club) -> None:
    await opened(club)
    await club.press(club.alice, "Start")
    await club.env.advance_time(5)
    voided = (await club.client.storage.running_matches(None))[0]
    await club.client.matches.resign(voided.id, voided.second.id)
    await club.restart()
    await club.env.advance_time(5)
    moderator = club.join_as_moderator("Mo")

    async def void(match_id: int) -> None:
        board = await club.slash(moderator, "board", match=str(match_id))
        question = await club.press(moderator, "Void result", board.private_handle)
        await club.press(moderator, "Void the result", question.private_handle)
        await club.env.advance_time(5)

    assert f"{voided.first.name} · **1**" in club.cards()[0].text
    await void(voided.id)
    assert f"{voided.first.name} · **0**" in club.cards()[0].text
    while await finish_all(club):
        await club.restart()
        await club.env.advance_time(5)
    finals = [card for card in club.boards() if "Tournament #1" in card.text]
    await void(2 if voided.id == 1 else 1)
    again = [card for card in club.boards() if "Tournament #1" in card.text]
    assert len(again) == 1
    assert again[0].id != finals[0].id
    assert again[0].text != finals[0].text


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
    assert "~~Bob~~ withdrew" in club.cards()[0].text
    running = await club.client.storage.running_matches(None)
    assert [{match.first.name, match.second.name} for match in running] == [{"Alice", "Carol"}]
    assert len(given_up(club)) == 2


def given_up(club: Club) -> list[Seen]:
    """The boards of matches that Bob resigned."""
    boards = [board for where in (club.channel, *club.threads()) for board in club.boards(where)]
    return [board for board in boards if "wins: Bob resigned." in board.text]


async def test_the_games_of_who_withdrew_are_given_up_also_after_a_crash(club: Club) -> None:
    await opened(club)
    await club.press(club.alice, "Start")
    await club.env.advance_time(5)
    await club.client.tournaments.withdraw(1, club.bob.id)
    await club.restart()
    await club.env.advance_time(10)
    running = await club.client.storage.running_matches(None)
    assert [{match.first.name, match.second.name} for match in running] == [{"Alice", "Carol"}]
    assert len(given_up(club)) == 2


async def test_a_crash_between_the_start_and_the_games_loses_none(club: Club) -> None:
    await opened(club)
    await club.client.tournaments.start(1, club.alice.id)
    await club.restart()
    await club.env.advance_time(5)
    assert len(await club.client.storage.running_matches(None)) == 3
    assert "0 of 3 games played" in club.cards()[0].text


async def test_a_tournament_that_is_called_off_says_so(club: Club) -> None:
    await opened(club)
    assert "Only Alice" in (await club.slash(club.bob, "tournament cancel")).private
    assert (await club.slash(club.alice, "tournament cancel")).nothing
    assert "called off" in club.card().text
    assert club.card().labels == ()

"""People who want to play anyone: who meets whom, and what ends a request."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bot.domain.clocks import DAY
from bot.domain.competitions.strangers import (
    ExcludedError,
    NoGamesError,
    NoRequestError,
    Pace,
    PausedError,
    RequestState,
    StandingRequest,
    StrangersOffHereError,
)
from bot.domain.deliveries import PostedMessage
from bot.domain.matches import Ending, Match, ProposalKind
from bot.domain.places import Place
from bot.domain.play import TimeLeftError
from bot.domain.players import Names, Player
from bot.domain.preferences import Outside
from bot.services.strangers.pairing import CONVERSATION
from tests.support.services.house import House
from tests.support.services.matches import ALICE, BOB, CAROL, DAN, refused

REMATCH = ProposalKind.REMATCH
HOMES = {ALICE.id: Place(1, 101), BOB.id: Place(2, 102), CAROL.id: Place(None, 103, direct=True), DAN.id: Place(4, 104)}


async def ask(house: House, *people: Player, games: tuple[str, ...] = ("dalen",), at_once: int = 1, **how: Any) -> None:
    for player in people:
        values = {"pace": Pace.WEEK, "home": HOMES[player.id], "near": False, **how}
        await house.standing_requests.ask(player, games, at_once, **values)
    await house.strangers.pair()


async def matches(house: House) -> list[Match]:
    async with house.storage.read() as tx:
        return await tx.matches.running()


async def show(house: House, match: Match) -> Match:
    """Record a card in each home, so that time counts."""
    async with house.storage.transaction() as tx:
        for home in await tx.deliveries.homes(match.id):
            card = PostedMessage(home.target_id, 50_000 + 2 * match.id + home.seat, 0)
            await tx.deliveries.set_message(home.key, card)
    return await house.match(match)


async def rematch(house: House, **how: Any) -> Match:
    """The rematch of a match that Alice has resigned; she looks for nobody else."""
    await ask(house, ALICE, BOB, **how)
    (match,) = await matches(house)
    await house.standing_requests.change(ALICE.id, RequestState.ENDED)
    await house.matches.resign(match.id, ALICE.id)
    proposal = await house.proposals.propose(match.id, ALICE.id, REMATCH)
    await house.proposals.accept(proposal.id, BOB.id)
    (again,) = await matches(house)
    return again


async def request_of(house: House, player: Player) -> StandingRequest:
    own = (await house.standing_requests.lobby(player.id)).own
    assert own is not None
    return own


async def state(house: House, player: Player) -> RequestState:
    return (await request_of(house, player)).state


@pytest.mark.both_databases
async def test_two_people_meet_and_each_has_a_home(house: House) -> None:
    await ask(house, ALICE)
    assert await matches(house) == []
    assert (await house.standing_requests.lobby(BOB.id)).waiting == {"dalen": 1}
    await ask(house, CAROL)
    (match,) = await matches(house)
    assert {player.id for player in match.players} == {ALICE.id, CAROL.id}
    assert (match.rated, match.guild_id, match.waiting) == (True, None, False)
    assert match.clock is not None
    assert match.clock.control == Pace.WEEK.control
    async with house.storage.read() as tx:
        homes = await tx.deliveries.homes(match.id)
    assert {home.player_id: home.home for home in homes} == {player.id: HOMES[player.id] for player in (ALICE, CAROL)}
    assert (await house.standing_requests.lobby(BOB.id)).waiting == {}


async def test_strangers_see_no_nickname(house: House) -> None:
    ally = Player(ALICE.id, "Ally", Names("Alice", "alice", 1, "Ally"))
    await ask(house, ally, BOB)
    (match,) = await matches(house)
    assert {player.name for player in match.players} == {"Alice", "Bob"}
    mover = ally if match.first.id == ALICE.id else match.first
    game = await house.game(match)
    played = await house.matches.play(game, game.position.draft("e5"), mover)
    assert {player.name for player in played.match.players} == {"Alice", "Bob"}
    await house.settings.change_preferences(ally, outside=Outside.HIDDEN)
    assert {player.name for player in (await house.match(match)).players} == {"", "Bob"}


@pytest.mark.parametrize("asked", [{"games": ("hedu",)}, {"pace": Pace.DAYS}])
async def test_different_wishes_do_not_meet(house: House, asked: dict[str, Any]) -> None:
    await ask(house, ALICE)
    await ask(house, BOB, **asked)
    assert await matches(house) == []


async def test_nobody_meets_a_blocked_person_or_an_account_in_the_same_conversation(house: House) -> None:
    await house.privacy.set_blocked(BOB, [ALICE.id])
    await ask(house, ALICE, BOB)
    assert await matches(house) == []
    await house.standing_requests.change(ALICE.id, RequestState.ENDED)
    await house.standing_requests.change(BOB.id, RequestState.ENDED)
    group = Place(None, 500)
    await ask(house, CAROL, DAN, home=group)
    assert await matches(house) == []
    await ask(house, ALICE, home=group)
    await ask(house, BOB)
    (match,) = await matches(house)
    assert BOB.id in {player.id for player in match.players}
    async with house.storage.read() as tx:
        homes = await tx.deliveries.homes(match.id)
    assert {home.home for home in homes} == {CONVERSATION, HOMES[BOB.id]}, "nobody plays in a group"


async def test_the_longest_wait_comes_first_and_nobody_has_more_than_asked(house: House) -> None:
    await ask(house, ALICE)
    await house.wait(timedelta(minutes=1))
    await ask(house, BOB, CAROL, DAN)
    first, second = await matches(house)
    assert [{player.id for player in match.players} for match in (first, second)] == [
        {ALICE.id, BOB.id},
        {CAROL.id, DAN.id},
    ]
    await ask(house, ALICE, CAROL, at_once=3)
    running = await matches(house)
    assert len(running) == 3
    assert {player.id for player in running[2].players} == {ALICE.id, CAROL.id}


@pytest.mark.both_databases
async def test_the_same_two_meet_again_after_a_week_or_if_nobody_else_comes(house: House) -> None:
    await ask(house, ALICE, BOB)
    (match,) = await matches(house)
    await show(house, match)
    await house.matches.resign(match.id, ALICE.id)
    await house.strangers.pair()
    assert await matches(house) == []
    await house.wait(2 * DAY + timedelta(seconds=1))
    await house.strangers.pair()
    assert len(await matches(house)) == 1


@pytest.mark.both_databases
async def test_a_match_is_called_off_if_the_first_turn_does_not_come(house: House) -> None:
    await ask(house, ALICE, BOB)
    (match,) = await matches(house)
    match = await show(house, match)
    await house.wait(3 * DAY - timedelta(hours=1))
    await house.strangers.check_first_turn(match.id)
    assert (await house.match(match)).result is None
    await house.wait(timedelta(hours=1))
    await house.strangers.check_first_turn(match.id)
    ended = await house.match(match)
    assert ended.result is not None
    assert (ended.result.ending, ended.result.winner_id, ended.rating_changes) == (Ending.ABANDONED, None, ())
    assert (await state(house, match.first), await state(house, match.second)) == (
        RequestState.PAUSED,
        RequestState.OPEN,
    )
    await refused(PausedError, house.standing_requests.change(match.first.id, RequestState.OPEN))
    await house.wait(DAY)
    await house.strangers.pair()
    assert await state(house, match.first) is RequestState.OPEN


async def test_resigning_at_once_again_and_again_pauses(house: House) -> None:
    for number in range(2):
        await ask(house, ALICE, (BOB, CAROL)[number])
        match = next(match for match in await matches(house) if match.has_player(ALICE.id))
        await house.matches.resign(match.id, ALICE.id)
        assert await state(house, ALICE) is (RequestState.OPEN, RequestState.PAUSED)[number]


@pytest.mark.both_databases
async def test_several_matches_left_at_the_same_time_are_one_offence(house: House) -> None:
    await ask(house, ALICE, at_once=3)
    for other in (BOB, CAROL, DAN):
        await ask(house, other)
    own = [match for match in await matches(house) if match.has_player(ALICE.id)]
    assert len(own) == 3
    for match in own:
        await house.matches.resign(match.id, ALICE.id)
    assert (await request_of(house, ALICE)).resumes_at == house.now + DAY


async def test_a_pause_by_hand_does_not_end_by_itself(house: House) -> None:
    await ask(house, ALICE, BOB)
    (match,) = await matches(house)
    await show(house, match)
    await house.wait(3 * DAY)
    late = match.first
    assert await state(house, late) is RequestState.PAUSED
    for _ in range(2):
        await house.standing_requests.change(late.id, RequestState.PAUSED)
        assert await state(house, late) is RequestState.ENDED
    await house.wait(2 * DAY)
    assert await state(house, late) is RequestState.ENDED


async def test_the_week_between_two_matches_of_the_same_two_begins_with_the_end(house: House) -> None:
    await ask(house, ALICE, BOB)
    (match,) = await matches(house)
    match = await show(house, match)
    for turn in ("e5", "light", "d4"):
        await house.wait(3 * DAY - timedelta(hours=1))
        await house.play_on(match, turn)
    await house.matches.resign(match.id, ALICE.id)
    await house.strangers.pair()
    assert await matches(house) == []


async def test_a_thread_of_an_allowed_channel_is_a_home(house: House) -> None:
    await house.settings.change_server_settings(1, channel_ids=frozenset({101}))
    thread = Place(1, 555, parent_id=101)
    async with house.storage.transaction() as tx:
        await tx.deliveries.add_thread(thread.channel_id, 101)
    await ask(house, ALICE, home=thread)
    await house.standing_requests.ask(ALICE, ["hedu"], 1, Pace.WEEK, Place(1, 555), near=False)
    await ask(house, BOB, games=("hedu",))
    (match,) = await matches(house)
    async with house.storage.read() as tx:
        assert thread in {home.home for home in await tx.deliveries.homes(match.id)}


async def test_no_home_moves_to_a_server_that_has_switched_it_off(house: House) -> None:
    await ask(house, ALICE, BOB)
    (match,) = await matches(house)
    await house.settings.change_server_settings(1, strangers=False)
    await refused(StrangersOffHereError, house.proposals.move_home(match.id, ALICE.id, Place(1, 999)))


async def test_a_rematch_without_a_first_turn_is_called_off(house: House) -> None:
    again = await rematch(house)
    await show(house, again)
    await house.wait(3 * DAY)
    assert (await house.result(again)).ending is Ending.ABANDONED


@pytest.mark.both_databases
async def test_nobody_meets_a_player_whose_data_is_being_deleted(house: House) -> None:
    await ask(house, ALICE)
    withdraw = house.tournaments.withdraw_everywhere

    async def withdraw_and_ask(player_id: int) -> list[int]:
        await ask(house, BOB)
        return await withdraw(player_id)

    house.tournaments.withdraw_everywhere = withdraw_and_ask  # type: ignore[method-assign]
    await house.privacy.delete(ALICE.id)
    assert await matches(house) == []
    assert (await house.standing_requests.lobby(BOB.id)).own is not None


@pytest.mark.both_databases
async def test_a_match_without_a_place_waits_and_is_called_off_after_three_days(house: House) -> None:
    await ask(house, ALICE, BOB)
    (match,) = await matches(house)
    match = await show(house, match)
    key = match.card_of(BOB.id)
    await house.deliveries.release_channel(key, HOMES[BOB.id].channel_id)
    waiting = await house.match(match)
    assert waiting.waiting
    assert waiting.clock is not None
    assert waiting.clock.since is None
    await house.strangers.check_homes(match.id)
    assert (await house.match(match)).result is None
    await house.wait(3 * DAY)
    await house.strangers.check_homes(match.id)
    assert (await house.match(match)).result is not None
    assert (await state(house, BOB), await state(house, ALICE)) == (RequestState.PAUSED, RequestState.OPEN)


async def test_a_lost_home_moves_to_the_conversation_and_the_match_goes_on(house: House) -> None:
    await ask(house, ALICE, BOB)
    (match,) = await matches(house)
    key = match.card_of(ALICE.id)
    await house.deliveries.release_channel(key, HOMES[ALICE.id].channel_id)
    for _ in range(2):  # several matches share a conversation
        assert await house.deliveries.move_home(key, Place(None, 900, direct=True))
    match = await house.match(match)
    assert not match.waiting
    assert match.clock is not None
    assert match.clock.since is not None
    assert None in (match.apart or ())


async def test_a_rematch_has_the_same_homes(house: House) -> None:
    again = await rematch(house)
    assert again.apart is not None
    async with house.storage.read() as tx:
        assert {home.player_id: home.home for home in await tx.deliveries.homes(again.id)} == {
            player.id: HOMES[player.id] for player in (ALICE, BOB)
        }


async def test_a_request_that_cannot_be_met_says_why(house: House) -> None:
    await refused(NoGamesError, house.standing_requests.ask(ALICE, (), 1, Pace.WEEK, HOMES[ALICE.id], near=False))
    await refused(NoRequestError, house.standing_requests.change(ALICE.id, RequestState.PAUSED))
    await house.settings.change_server_settings(1, strangers=False)
    await refused(StrangersOffHereError, ask(house, ALICE))
    await ask(house, BOB)
    await house.standing_requests.exclude(BOB.id, excluded=True)
    assert await state(house, BOB) is RequestState.ENDED
    for again in (ask(house, BOB), house.standing_requests.change(BOB.id, RequestState.OPEN)):
        await refused(ExcludedError, again)
    await house.standing_requests.exclude(BOB.id, excluded=False)
    await ask(house, BOB)
    assert await state(house, BOB) is RequestState.OPEN


async def test_a_request_ends_after_thirty_days_without_a_turn(house: House) -> None:
    await ask(house, ALICE)
    await house.wait(29 * DAY)
    await house.strangers.pair()
    assert await state(house, ALICE) is RequestState.OPEN
    await house.wait(DAY)
    await house.strangers.pair()
    assert await state(house, ALICE) is RequestState.ENDED


@pytest.mark.both_databases
async def test_two_processes_begin_one_match(house: House) -> None:
    for player in (ALICE, BOB):
        await house.standing_requests.ask(player, ["dalen"], 1, Pace.WEEK, HOMES[player.id], near=False)
    other = house.another()
    await asyncio.gather(house.strangers.pair(), other.strangers.pair())
    assert len(await matches(house)) == 1


@pytest.mark.both_databases
async def test_deleting_data_ends_request_and_matches(house: House) -> None:
    await ask(house, ALICE, BOB)
    (match,) = await matches(house)
    await house.privacy.delete(ALICE.id)
    assert (await house.match(match)).result is not None
    assert (await house.standing_requests.lobby(ALICE.id)).own is None


@pytest.mark.both_databases
async def test_time_alone_brings_people_together_again(house: House) -> None:
    await ask(house, ALICE, BOB)
    (match,) = await matches(house)
    await house.matches.resign(match.id, ALICE.id)
    await house.wait(2 * DAY + timedelta(hours=1))
    assert len(await matches(house)) == 1


async def test_whoever_goes_first_still_meets_the_same_person_only_after_two_days(house: House) -> None:
    await ask(house, ALICE, BOB)
    (first,) = await matches(house)
    await house.matches.resign(first.id, ALICE.id)
    await house.wait(timedelta(hours=1))
    await ask(house, CAROL)
    (match,) = await matches(house)
    async with house.storage.transaction() as tx:
        request = await tx.strangers.get(ALICE.id if not match.has_player(ALICE.id) else BOB.id)
        assert request is not None
        await tx.strangers.replace(request, replace(request, waiting_since=house.now - 9 * DAY))
    await house.matches.resign(match.id, CAROL.id)
    await house.standing_requests.change(CAROL.id, RequestState.ENDED)
    await house.strangers.pair()
    assert await matches(house) == []


@pytest.mark.parametrize("left", [RequestState.PAUSED, RequestState.ENDED])
async def test_nobody_evades_the_pause_by_leaving_the_request(house: House, left: RequestState) -> None:
    await ask(house, ALICE, BOB)
    (match,) = await matches(house)
    await show(house, match)
    for player in (ALICE, BOB):
        await house.standing_requests.change(player.id, left)
    await house.wait(3 * DAY)
    assert (await house.result(match)).ending is Ending.ABANDONED
    assert await state(house, match.first) is RequestState.ENDED
    with pytest.raises(PausedError):
        await ask(house, match.first)
    await house.wait(30 * DAY)
    assert await state(house, match.first) is RequestState.ENDED
    await ask(house, match.first)
    assert await state(house, match.first) is RequestState.OPEN
    for player in match.players:
        assert (await house.privacy.conduct(player.id)).matches == 0


async def test_the_end_of_one_of_several_matches_does_not_begin_the_wait_again(house: House) -> None:
    await ask(house, ALICE, at_once=2)
    await ask(house, BOB)
    (match,) = await matches(house)
    before = await request_of(house, ALICE)
    await house.wait(timedelta(hours=1))
    await house.matches.resign(match.id, BOB.id)
    after = await request_of(house, ALICE)
    assert after.waiting_since == before.waiting_since < (await request_of(house, BOB)).waiting_since


async def test_nobody_claims_a_win_for_a_missing_first_turn(house: House) -> None:
    await ask(house, ALICE, BOB, pace=Pace.DAYS)
    (match,) = await matches(house)
    match = await show(house, match)
    assert match.turn_due_at == house.now + 2 * DAY
    house.now += 2 * DAY + timedelta(seconds=1)
    await refused(TimeLeftError, house.clocks.claim(match.id, match.second.id))
    await house.wait()
    assert (await house.result(match)).ending is Ending.ABANDONED


async def test_a_first_turn_that_was_taken_back_is_due_again(house: House) -> None:
    await ask(house, ALICE, BOB)
    (match,) = await matches(house)
    match = await show(house, match)
    await house.play_on(match, "e5")
    proposal = await house.proposals.propose(match.id, match.first.id, ProposalKind.TAKE_BACK)
    await house.proposals.accept(proposal.id, match.second.id)
    await show(house, match)
    await house.wait(3 * DAY)
    assert (await house.result(match)).ending is Ending.ABANDONED


async def test_the_time_for_a_first_turn_begins_with_both_cards(house: House) -> None:
    await ask(house, ALICE, BOB)
    (match,) = await matches(house)
    await house.wait(2 * DAY)
    await house.deliveries.begin(match.id)
    await show(house, match)
    await house.wait(2 * DAY)
    assert (await house.match(match)).result is None
    await house.wait(DAY)
    assert (await house.result(match)).ending is Ending.ABANDONED


async def test_people_who_asked_where_the_bot_has_no_channel_meet(house: House) -> None:
    await ask(house, ALICE, BOB, home=CONVERSATION)
    (match,) = await matches(house)
    assert match.waiting


async def test_a_rematch_without_a_place_is_called_off(house: House) -> None:
    again = await rematch(house, home=CONVERSATION)
    await house.wait(3 * DAY)
    assert (await house.result(again)).ending is Ending.ABANDONED


async def test_a_home_that_moves_to_an_unopened_conversation_waits(house: House) -> None:
    await ask(house, ALICE, BOB)
    (match,) = await matches(house)
    assert not await house.deliveries.move_home(match.card_of(ALICE.id), CONVERSATION)
    assert (await house.match(match)).waiting

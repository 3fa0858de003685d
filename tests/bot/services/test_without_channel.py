"""Matches that are played in no channel, and nowhere on Discord."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.domain.challenges import BlockedError
from bot.domain.clocks import TimeControl
from bot.domain.matches import Ending, Match, MatchFilter, Result, UnknownMatchError
from bot.domain.places import Place, Viewer
from bot.domain.players import Player
from bot.domain.proposals import ProposalKind
from bot.domain.records import record_of
from bot.services.clocks import Clocks
from bot.services.deliveries import Deliveries
from bot.services.history import History
from bot.services.matches import Matches
from bot.services.proposals import Proposals
from bot.services.ratings import Ratings
from bot.storage import Storage
from tests.support.games import WHOLE_GAME
from tests.support.services import ALICE, BOB, CAROL, DALEN, PLACE, Clock, play_turn, privacy_service, service, start
from tests.support.storing import running_matches

OUTSIDE = Place(None, 50)


@pytest.fixture
def matches(storage: Storage, clock: Clock) -> Matches:
    return service(storage, clock)


@pytest.fixture
def history(storage: Storage, matches: Matches) -> History:
    return History(storage, matches)


@pytest.fixture
def proposals(storage: Storage, matches: Matches, clock: Clock) -> Proposals:
    return Proposals(storage, matches, clock=clock)


async def play(matches: Matches, match: Match, turns: tuple[str, ...]) -> Match:
    for turn in turns:
        game = await matches.game(match.id)
        assert game.to_act is not None
        await play_turn(matches, match.id, game.to_act.id, turn)
    return await matches.match(match.id)


async def everything_that_waits(storage: Storage) -> tuple[object, ...]:
    """What a start of the bot would show, or find a place for."""
    async with storage.read() as tx:
        return (
            await tx.deliveries.unshown(),
            await tx.deliveries.unshown_proposals(),
            await tx.deliveries.waiting(),
            await tx.deliveries.replaced(),
        )


@pytest.mark.parametrize("guild_id", [None, PLACE.guild_id])
async def test_a_match_is_played_rated_listed_and_exported_without_a_channel(
    matches: Matches, history: History, storage: Storage, clock: Clock, guild_id: int | None
) -> None:
    match = await matches.start(DALEN, ALICE, BOB, guild_id=guild_id)
    assert not match.waiting
    assert await Deliveries(storage, clock=clock).get(match.id) is None
    ended = await play(matches, match, WHOLE_GAME)
    assert ended.result is not None
    assert ended.result.ending is Ending.RULES
    winner, loser = ended.result.winner_id, ended.opponent_of(ended.result.winner_id or 0).id
    assert [change.after.value > change.before.value for change in ended.rating_changes] == [
        player.id == winner for player in ended.players
    ]
    ratings = Ratings(storage, clock=clock)
    assert winner is not None
    assert (await ratings.rating(winner, "dalen")).value > (await ratings.rating(loser, "dalen")).value
    page = await history.finished(MatchFilter(player_id=ALICE.id), seen_from=PLACE)
    assert [each.id for each in page.matches] == [match.id]
    record = record_of(await matches.game(match.id))
    assert record.turns == WHOLE_GAME
    assert DALEN.replay(record.turns).outcome is not None
    parts = [part async for part in privacy_service(storage, matches, clock).export(ALICE.id)]
    assert b'"matches"' in parts[0].data
    assert await everything_that_waits(storage) == (([], []), [], [], [])


async def test_what_players_agree_on_needs_no_channel(matches: Matches, proposals: Proposals, storage: Storage) -> None:
    match = await play(matches, await matches.start(DALEN, ALICE, BOB), ("e5", "light", "d4"))
    offered = await proposals.propose(match.id, BOB.id, ProposalKind.TAKE_BACK)
    await proposals.accept(offered.id, ALICE.id)
    assert (await matches.game(match.id)).turns == ("e5", "light")
    await proposals.propose(match.id, ALICE.id, ProposalKind.DRAW)
    await proposals.propose(match.id, BOB.id, ProposalKind.DRAW)
    assert (await matches.match(match.id)).result == Result(None, Ending.AGREEMENT)
    await proposals.propose(match.id, ALICE.id, ProposalKind.REMATCH)
    await proposals.propose(match.id, BOB.id, ProposalKind.REMATCH)
    rematch_id = (await matches.match(match.id)).rematch_id
    assert rematch_id is not None
    rematch = await matches.match(rematch_id)
    assert (rematch.players, rematch.waiting) == ((BOB, ALICE), False)
    assert (await play(matches, rematch, ("e5",))).ply == 1
    assert await everything_that_waits(storage) == (([], []), [], [], [])


async def test_a_clock_runs_from_the_start_without_a_channel(matches: Matches, storage: Storage, clock: Clock) -> None:
    control = TimeControl.banks_of(timedelta(minutes=10), timedelta(0), hard=True)
    match = await matches.start(DALEN, ALICE, BOB, control=control)
    clock.now += timedelta(minutes=11)
    _fall, ended = await Clocks(storage, matches, clock=clock).flag_fell(match.id)
    assert ended.result == Result(BOB.id, Ending.TIME)


async def test_only_its_players_see_a_match_without_a_channel(
    matches: Matches, history: History, storage: Storage
) -> None:
    async def views(_channel_id: int) -> bool:
        return True

    def viewer(player: Player, place: Place) -> Viewer:
        return Viewer(player.id, place, views, channels=(PLACE.channel_id,))

    match = await matches.start(DALEN, ALICE, BOB, guild_id=PLACE.guild_id)
    apart = await matches.start(DALEN, ALICE, BOB)
    for number in (match.id, apart.id):
        for place in (PLACE, OUTSIDE):
            assert (await history.look_up(viewer(ALICE, place), number)).id == number
            with pytest.raises(UnknownMatchError):
                await history.look_up(viewer(CAROL, place), number)
            with pytest.raises(UnknownMatchError):
                await matches.find_board(viewer(CAROL, place), number)
        assert (await matches.find(viewer(BOB, PLACE), number)).match.id == number
    assert [each.match.id for each in await history.running(viewer=viewer(ALICE, PLACE))] == [match.id]
    assert await history.running(viewer=viewer(CAROL, PLACE)) == []
    assert len(await history.running(player_id=ALICE.id)) == 2
    assert await running_matches(storage, channel_id=PLACE.channel_id) == []


async def test_a_match_without_a_channel_takes_none_from_others_until_it_moves_there(
    matches: Matches, proposals: Proposals, storage: Storage, clock: Clock
) -> None:
    deliveries = Deliveries(storage, clock=clock)
    match = await matches.start(DALEN, ALICE, BOB, guild_id=PLACE.guild_id)
    assert not await deliveries.place(match.id, PLACE.channel_id), "it has no need of one"
    other = await start(matches, ALICE, CAROL)
    assert not other.waiting
    await matches.resign(other.id, CAROL.id)
    await proposals.propose(match.id, ALICE.id, ProposalKind.MOVE, place=PLACE)
    await proposals.propose(match.id, BOB.id, ProposalKind.MOVE, place=PLACE)
    moved = await deliveries.get(match.id)
    assert moved is not None
    assert (moved.home, moved.channel_id, moved.outdated) == (PLACE, PLACE.channel_id, True)
    assert (await start(matches, BOB, CAROL)).waiting, "the channel is taken now"


async def test_nobody_starts_a_match_with_somebody_who_has_blocked_them(
    matches: Matches, storage: Storage, clock: Clock
) -> None:
    await matches.start(DALEN, ALICE, BOB)
    await privacy_service(storage, matches, clock).set_blocked(BOB, [ALICE.id])
    with pytest.raises(BlockedError):
        await matches.start(DALEN, ALICE, BOB)

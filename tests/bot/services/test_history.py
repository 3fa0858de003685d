"""Looking back on matches, and over those that are running."""

from __future__ import annotations

import random
from datetime import timedelta

import pytest

import rules
from bot.domain.challenges import First
from bot.domain.matches import MatchFilter, NoMatchError, PendingPage, ProposalKind, Score, UnknownMatchError
from bot.domain.places import Place, Viewer
from bot.services.challenges import Challenges
from bot.services.history import History
from bot.services.matches import Matches
from bot.services.proposals import Proposals
from bot.storage import Storage
from tests.support.services import ALICE, BOB, CAROL, PLACE, Clock, agree, service, start
from tests.support.stored import running_matches, stored_delivery
from tests.support.thorough import fewer, sample

APART = Place(None, 50)


def somebody(place: Place) -> Viewer:
    """Somebody who has never played, and who can view every channel of these tests."""
    return Viewer(999, place, channels=range(200))


@pytest.fixture
def history(storage: Storage, matches: Matches) -> History:
    return History(storage, matches)


async def ids(history: History, wanted: MatchFilter) -> list[int]:
    return [match.id for match in (await history.finished(wanted)).matches]


@pytest.mark.both_databases
@pytest.mark.parametrize("seed", sample(range(2), 2))
async def test_a_turn_tells_which_match_waits_next(
    matches: Matches, history: History, proposals: Proposals, clock: Clock, seed: int
) -> None:
    chance = random.Random(seed)
    for number, game in enumerate(rules.GAMES):
        ruleset = rules.ruleset(game, rules.GAMES[game].sizes[0])
        first, second = chance.sample((ALICE, BOB, CAROL), 2)
        await start(matches, first, second, Place(1, 10 + number), ruleset=ruleset)
    for _ in range(fewer(35, 3)):
        clock.now += timedelta(minutes=1)
        pending = chance.choice(await history.running())
        match, player = pending.match, pending.to_act
        position = (await matches.game(match.id)).position
        board = (await matches.turn(match.id, player.id)).game
        played = await matches.play_and_view(board, position.draft(chance.choice(position.legal_turns)), player)
        waiting = await history.running(player_id=player.id)
        others = [each.match for each in waiting if each.to_act == player and each.match.id != match.id]
        for each in waiting:
            assert each.to_act == (await matches.game(each.match.id)).to_act
        offered = played.next_match
        assert (None if offered is None else offered.id) == (others[0].id if others else None)
        assert offered is None or offered.opponent == others[0].opponent_of(player.id)
        if played.game.match.result is None and chance.random() < 0.2:
            asked = await proposals.propose(match.id, player.id, ProposalKind.TAKE_BACK)
            await proposals.accept(asked.id, match.opponent_of(player.id).id)


@pytest.mark.both_databases
async def test_matches_are_found_by_player_opponent_game_place_and_score(
    history: History, matches: Matches, challenges: Challenges, proposals: Proposals, clock: Clock
) -> None:
    won = await start(matches)
    await matches.resign(won.id, BOB.id)
    clock.now += timedelta(hours=1)
    lost = await start(matches, BOB, ALICE)
    await matches.resign(lost.id, ALICE.id)
    clock.now += timedelta(hours=1)
    drawn = await start(matches, ALICE, CAROL, APART)
    await agree(proposals, drawn, ProposalKind.DRAW)
    clock.now += timedelta(hours=1)
    abandoned = await start(matches, BOB, CAROL)
    await agree(proposals, abandoned, ProposalKind.ABANDON)
    challenge = await challenges.challenge(PLACE, BOB, CAROL, rules.ruleset("hedu"), First.CHALLENGER)
    hedu = await challenges.accept(challenge.id, CAROL)
    clock.now += timedelta(hours=1)
    await matches.resign(hedu.id, BOB.id)
    await start(matches)  # running matches are not looked back on
    assert await ids(history, MatchFilter()) == [hedu.id, abandoned.id, drawn.id, lost.id, won.id]
    assert await ids(history, MatchFilter(player_id=ALICE.id)) == [drawn.id, lost.id, won.id]
    assert await ids(history, MatchFilter(player_id=ALICE.id, opponent_id=BOB.id)) == [lost.id, won.id]
    assert await ids(history, MatchFilter(game="hedu")) == [hedu.id]
    assert await ids(history, MatchFilter(viewer=somebody(Place(1, 99)))) == [hedu.id, abandoned.id, lost.id, won.id]
    assert await ids(history, MatchFilter(viewer=somebody(APART))) == [drawn.id]
    assert await ids(history, MatchFilter(viewer=somebody(Place(None, 51)))) == []
    found = {score: await ids(history, MatchFilter(player_id=ALICE.id, score=score)) for score in Score}
    assert found == {
        Score.WON: [won.id],
        Score.LOST: [lost.id],
        Score.DRAWN: [drawn.id],
        Score.ABANDONED: [],
    }
    assert await ids(history, MatchFilter(player_id=CAROL.id, score=Score.WON)) == [hedu.id]
    assert await ids(history, MatchFilter(score=Score.ABANDONED)) == [abandoned.id]


async def test_pages_cover_every_match_once(history: History, matches: Matches, clock: Clock) -> None:
    nothing = await history.finished(MatchFilter())
    assert (nothing.matches, nothing.number, nothing.pages, nothing.total) == ((), 1, 1, 0)
    for _ in range(23):
        clock.now += timedelta(hours=1)
        await matches.resign((await start(matches)).id, ALICE.id)
    pages = [await history.finished(MatchFilter(), number) for number in (1, 2, 3)]
    assert [match.id for page in pages for match in page.matches] == list(range(23, 0, -1))
    assert {(page.pages, page.total) for page in pages} == {(3, 23)}
    assert await history.finished(MatchFilter(), 99) == pages[-1]
    assert await history.finished(MatchFilter(), 0) == pages[0]


@pytest.mark.both_databases
async def test_matches_that_wait_for_the_player_come_first_then_long_waits(
    history: History, matches: Matches, clock: Clock
) -> None:
    places = [Place(1, 100 + number) for number in range(4)]
    began = clock.now
    mine = await start(matches, ALICE, BOB, places[0])
    clock.now += timedelta(hours=1)
    theirs = await start(matches, BOB, ALICE, places[1])
    clock.now += timedelta(hours=1)
    others = await start(matches, CAROL, BOB, places[2])
    clock.now += timedelta(hours=1)
    played = await start(matches, BOB, ALICE, places[3], turns=("e5",))
    over = await start(matches, ALICE, CAROL, APART)
    await matches.resign(over.id, ALICE.id)
    assert [each.match.id for each in await history.running(player_id=ALICE.id)] == [mine.id, played.id, theirs.id]
    everybody = await history.running(viewer=somebody(PLACE))
    assert [(each.match.id, each.to_act) for each in everybody] == [
        (mine.id, ALICE),
        (theirs.id, BOB),
        (others.id, CAROL),
        (played.id, ALICE),
    ]
    assert [(each.since - began) / timedelta(hours=1) for each in everybody] == [0, 1, 2, 3]
    assert await history.running(viewer=somebody(APART)) == []


@pytest.mark.both_databases
async def test_a_match_without_a_place_waits_for_nobody(history: History, matches: Matches, clock: Clock) -> None:
    await start(matches, BOB, CAROL)
    placeless = await start(matches, ALICE, BOB)
    assert placeless.waiting
    page = await history.running_page(ALICE.id, 1, 1)
    assert (page.total, page.to_play) == (1, 0)
    clock.now += timedelta(hours=1)
    playable = await start(matches, ALICE, CAROL, Place(1, 11))
    page = await history.running_page(ALICE.id, 1, 1)
    assert (page.total, page.to_play) == (2, 1)
    assert [each.match.id for each in page.matches] == [playable.id], "the one that can be played comes first"


@pytest.mark.both_databases
async def test_pages_of_running_matches_cover_each_once_and_replay_none(
    storage: Storage, matches: Matches, proposals: Proposals, clock: Clock
) -> None:
    chance, fresh = random.Random(1), service(storage, clock)
    history = History(storage, fresh)
    nothing = await history.running_page(ALICE.id, 1, 5)
    assert nothing == PendingPage((), 1, 1, 0, 0, 0)
    asked = 0
    for number in range(9):
        clock.now += timedelta(hours=1)
        first, second = chance.sample((ALICE, BOB), 2)
        match = await start(matches, first, second, Place(1, 100 + number), turns=chance.choice(((), ("e5",))))
        if chance.random() < 0.3:
            await proposals.propose(match.id, BOB.id, ProposalKind.DRAW)
            asked += 1
    for number in range(3):
        over = await start(matches, ALICE, CAROL, Place(1, 200 + number))
        await matches.resign(over.id, ALICE.id)
        await start(matches, BOB, CAROL, Place(1, 300 + number))
    everything = await history.running(player_id=ALICE.id)
    waiting = sum(each.to_act.id == ALICE.id for each in everything)
    assert 0 < waiting < 9
    assert 0 < asked < 9
    for viewer in (None, somebody(PLACE)):
        pages = [await history.running_page(ALICE.id, page, 4, viewer=viewer) for page in (1, 2, 3)]
        assert [each for page in pages for each in page.matches] == everything
        assert {(page.pages, page.total, page.to_play, page.to_answer) for page in pages} == {(3, 9, waiting, asked)}
        assert await history.running_page(ALICE.id, 99, 4, viewer=viewer) == pages[-1]
    assert await history.count_running(ALICE.id) == 9
    hidden = await history.running_page(ALICE.id, 1, 5, viewer=Viewer(999, PLACE, channels=range(100, 103)))
    assert hidden.total == len(hidden.matches) == 3
    assert not fresh._replays


# Outside servers


@pytest.mark.both_databases
async def test_outside_servers_people_know_only_matches_of_their_conversation(
    matches: Matches, history: History, storage: Storage
) -> None:
    here, there = await start(matches, place=APART), await start(matches, ALICE, CAROL, Place(None, 51))
    server = await start(matches)
    assert (await stored_delivery(storage, here.id)).home == APART
    assert (await matches.find_turn(Viewer(ALICE.id, APART))).game.match.id == here.id
    assert (await matches.find_turn(Viewer(ALICE.id, APART), here.id)).game.match.id == here.id
    assert (await matches.find_board(Viewer(CAROL.id, APART), here.id)).id == here.id
    for number in (there.id, server.id):
        with pytest.raises(UnknownMatchError):
            await matches.find_turn(Viewer(ALICE.id, APART), number)
        with pytest.raises(UnknownMatchError):
            await matches.find_board(Viewer(ALICE.id, APART), number)
    with pytest.raises(UnknownMatchError):
        await matches.find_turn(Viewer(ALICE.id, PLACE), here.id)
    with pytest.raises(NoMatchError):
        await matches.find_turn(Viewer(ALICE.id, Place(None, 52)))
    assert [each.id for each in await running_matches(storage, APART)] == [here.id]
    assert [each.id for each in await running_matches(storage, PLACE)] == [server.id]
    assert len(await history.running(player_id=ALICE.id)) == 3
    await matches.resign(here.id, ALICE.id)

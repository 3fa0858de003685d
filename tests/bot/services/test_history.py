"""Lists of finished and of running matches."""

from __future__ import annotations

import random
from datetime import timedelta

import pytest

import rules
from bot.domain.matches import (
    Ending,
    Match,
    MatchFilter,
    NoMatchError,
    PendingPage,
    ProposalKind,
    Result,
    Score,
    UnknownMatchError,
)
from bot.domain.places import Place, Viewer
from tests.support.services.house import House
from tests.support.services.matches import ALICE, BOB, CAROL, HEDU, PLACE, refused
from tests.support.services.stored import running_matches
from tests.support.thorough import fewer, sample

APART = Place(None, 50)
HOUR = timedelta(hours=1)


def stranger(place: Place) -> Viewer:
    """A stranger, who can view every channel of these tests."""
    return Viewer(999, place, channels=range(200))


@pytest.mark.both_databases
@pytest.mark.parametrize("seed", sample(range(2), 2))
async def test_after_a_turn_the_next_waiting_match_is_offered(house: House, seed: int) -> None:
    chance = random.Random(seed)
    for number, game in enumerate(rules.GAMES.values()):
        first, second = chance.sample((ALICE, BOB, CAROL), 2)
        await house.start(first, second, Place(1, 10 + number), ruleset=rules.ruleset(game.name, game.sizes[0]))
    for _ in range(fewer(35, 3)):
        house.now += timedelta(minutes=1)
        pending = chance.choice(await house.history.running())
        match, player = pending.match, pending.to_act
        board = (await house.matches.turn(match.id, player.id)).game
        turn = board.position.draft(chance.choice(board.position.legal_turns))
        played = await house.matches.play_and_view(board, turn, player)
        waiting = await house.history.running(player_id=player.id)
        others = [other.match for other in waiting if other.to_act == player and other.match.id != match.id]
        for other in waiting:
            assert other.to_act == (await house.game(other.match)).to_act
        offered = played.next_match
        assert (None if offered is None else offered.id) == (others[0].id if others else None)
        assert offered is None or offered.opponent == others[0].opponent_of(player.id)
        if played.game.match.result is None and chance.random() < 0.2:
            await house.agree(match, ProposalKind.TAKE_BACK, player)


@pytest.mark.both_databases
async def test_matches_are_found_by_player_opponent_game_place_and_score(house: House) -> None:
    async def ids(**wanted: object) -> list[int]:
        return [match.id for match in (await house.history.finished(MatchFilter(**wanted))).matches]  # type: ignore[arg-type]

    won = await house.start()
    await house.resign(won, BOB)
    house.now += HOUR
    lost = await house.start(BOB, ALICE)
    await house.resign(lost, ALICE)
    house.now += HOUR
    drawn = await house.start(ALICE, CAROL, APART)
    await house.end(drawn, Result(None, Ending.AGREEMENT))
    house.now += HOUR
    abandoned = await house.agree(await house.start(BOB, CAROL), ProposalKind.ABANDON)
    hedu = await house.start(BOB, CAROL, ruleset=HEDU)
    house.now += HOUR
    await house.resign(hedu, BOB)
    await house.start()  # running matches are not looked back on
    assert await ids() == [hedu.id, abandoned.id, drawn.id, lost.id, won.id]
    assert await ids(player_id=ALICE.id) == [drawn.id, lost.id, won.id]
    assert await ids(player_id=ALICE.id, opponent_id=BOB.id) == [lost.id, won.id]
    assert await ids(game="hedu") == [hedu.id]
    assert await ids(viewer=stranger(Place(1, 99))) == [hedu.id, abandoned.id, lost.id, won.id]
    assert await ids(viewer=stranger(APART)) == [drawn.id]
    assert await ids(viewer=stranger(Place(None, 51))) == []
    found = {score: await ids(player_id=ALICE.id, score=score) for score in Score}
    assert found == {Score.WON: [won.id], Score.LOST: [lost.id], Score.DRAWN: [drawn.id], Score.ABANDONED: []}
    assert await ids(player_id=CAROL.id, score=Score.WON) == [hedu.id]
    assert await ids(score=Score.ABANDONED) == [abandoned.id]


async def test_pages_cover_every_match_once(house: House) -> None:
    nothing = await house.history.finished(MatchFilter())
    assert (nothing.matches, nothing.number, nothing.pages, nothing.total) == ((), 1, 1, 0)
    for _ in range(23):
        house.now += HOUR
        await house.resign(await house.start(), ALICE)
    pages = [await house.history.finished(MatchFilter(), number) for number in (1, 2, 3)]
    assert [match.id for page in pages for match in page.matches] == list(range(23, 0, -1))
    assert {(page.pages, page.total) for page in pages} == {(3, 23)}
    assert await house.history.finished(MatchFilter(), 99) == pages[-1]
    assert await house.history.finished(MatchFilter(), 0) == pages[0]


@pytest.mark.both_databases
async def test_matches_that_wait_for_the_player_come_first_then_long_waits(house: House) -> None:
    began, started = house.now, list[Match]()
    for first, second, turns in ((ALICE, BOB, ()), (BOB, ALICE, ()), (CAROL, BOB, ()), (BOB, ALICE, ("e5",))):
        started.append(await house.start(first, second, Place(1, 100 + len(started)), turns=turns))
        house.now += HOUR
    mine, theirs, others, played = started
    await house.resign(await house.start(ALICE, CAROL, APART), ALICE)
    own = [pending.match.id for pending in await house.history.running(player_id=ALICE.id)]
    assert own == [mine.id, played.id, theirs.id]
    everybody = await house.history.running(viewer=stranger(PLACE))
    assert [(pending.match.id, pending.to_act, (pending.since - began) / HOUR) for pending in everybody] == [
        (mine.id, ALICE, 0),
        (theirs.id, BOB, 1),
        (others.id, CAROL, 2),
        (played.id, ALICE, 3),
    ]
    assert await house.history.running(viewer=stranger(APART)) == []


@pytest.mark.both_databases
async def test_a_match_without_a_place_waits_for_nobody(house: House) -> None:
    await house.start(BOB, CAROL)
    assert (await house.start(ALICE, BOB)).waiting
    page = await house.history.running_page(ALICE.id, 1, 1)
    assert (page.total, page.to_play) == (1, 0)
    house.now += HOUR
    playable = await house.start(ALICE, CAROL, Place(1, 11))
    page = await house.history.running_page(ALICE.id, 1, 1)
    assert (page.total, page.to_play) == (2, 1)
    assert [pending.match.id for pending in page.matches] == [playable.id], "the one that can be played comes first"


@pytest.mark.both_databases
async def test_pages_of_running_matches_cover_each_once_and_replay_none(house: House) -> None:
    chance, fresh, asked = random.Random(1), house.another(), 0
    nothing = await fresh.history.running_page(ALICE.id, 1, 5)
    assert nothing == PendingPage((), 1, 1, 0, 0, 0)
    for number in range(9):
        house.now += HOUR
        first, second = chance.sample((ALICE, BOB), 2)
        match = await house.start(first, second, Place(1, 100 + number), turns=chance.choice(((), ("e5",))))
        if chance.random() < 0.3:
            await house.propose(match, BOB, ProposalKind.ABANDON)
            asked += 1
    for number in range(3):
        await house.resign(await house.start(ALICE, CAROL, Place(1, 200 + number)), ALICE)
        await house.start(BOB, CAROL, Place(1, 300 + number))
    everything = await fresh.history.running(player_id=ALICE.id)
    waiting = sum(pending.to_act.id == ALICE.id for pending in everything)
    assert 0 < waiting < 9
    assert 0 < asked < 9
    for viewer in (None, stranger(PLACE)):
        pages = [await fresh.history.running_page(ALICE.id, page, 4, viewer=viewer) for page in (1, 2, 3)]
        assert [pending for page in pages for pending in page.matches] == everything
        assert {(page.pages, page.total, page.to_play, page.to_answer) for page in pages} == {(3, 9, waiting, asked)}
        assert await fresh.history.running_page(ALICE.id, 99, 4, viewer=viewer) == pages[-1]
    assert await fresh.history.count_running(ALICE.id) == 9
    hidden = await fresh.history.running_page(ALICE.id, 1, 5, viewer=Viewer(999, PLACE, channels=range(100, 103)))
    assert hidden.total == len(hidden.matches) == 3
    assert not fresh.matches._replays


@pytest.mark.both_databases
async def test_outside_servers_people_know_only_matches_of_their_conversation(house: House) -> None:
    here, there = await house.start(place=APART), await house.start(ALICE, CAROL, Place(None, 51))
    server = await house.start()
    assert (await house.delivery(here)).home == APART
    matches = house.matches
    for number in (None, here.id):
        assert (await matches.find_turn(Viewer(ALICE.id, APART), number)).game.match.id == here.id
    assert (await matches.find_board(Viewer(CAROL.id, APART), here.id)).id == here.id
    for match in (there, server):
        await refused(
            UnknownMatchError,
            matches.find_turn(Viewer(ALICE.id, APART), match.id),
            matches.find_board(Viewer(ALICE.id, APART), match.id),
        )
    await refused(UnknownMatchError, matches.find_turn(Viewer(ALICE.id, PLACE), here.id))
    await refused(NoMatchError, matches.find_turn(Viewer(ALICE.id, Place(None, 52))))
    for place, match in ((APART, here), (PLACE, server)):
        assert [found.id for found in await running_matches(house.storage, place)] == [match.id]
    assert len(await house.history.running(player_id=ALICE.id)) == 3

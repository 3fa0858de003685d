"""Playing matches and ending them, with many hands at once on a real database."""

from __future__ import annotations

import random

import pytest

import rules
from bot.domain.challenges import First
from bot.domain.matches import (
    Ending,
    MatchOverError,
    MovedOnError,
    NotAPlayerError,
    NotYourTurnError,
    ProposalKind,
    Result,
    UnknownMatchError,
)
from bot.domain.players import Player
from bot.services.challenges import Challenges
from bot.services.matches import Matches
from bot.services.proposals import Proposals
from bot.storage import Storage
from rules.search.players import at_random
from tests.support.club import stored_turns
from tests.support.databases import fast_database
from tests.support.games import WHOLE_GAME
from tests.support.services import (
    ALICE,
    BOB,
    CAROL,
    DALEN,
    PLACE,
    Clock,
    outcomes,
    play_turn,
    service,
    start,
)
from tests.support.thorough import sample

MODERATOR = Player(104, "Mo")


@pytest.mark.both_databases
async def test_the_same_turn_sent_many_times_at_once_is_stored_once(matches: Matches, storage: Storage) -> None:
    match = await start(matches)
    counted = await outcomes(*(play_turn(matches, match.id, ALICE.id, "e5") for _ in range(20)))
    assert counted["Game"] == 1
    assert counted.keys() <= {"Game", "MovedOnError", "NotYourTurnError"}
    assert await stored_turns(storage, match.id) == ("e5",)


async def test_a_turn_is_known_again_however_it_is_written(matches: Matches) -> None:
    begun = ("e5,g7", "white", "d4-c4", "f7-f10", "e6-i6", "f6-c3")
    match = await start(matches, turns=(*begun, "c5-d6"), ruleset=rules.ruleset("nadraz", 6))
    turns = ("c5-d6", "d6-c5", "c5", "a1", "d6-")
    assert [await matches.was_just_played(match.id, 6, turn) for turn in turns] == [True, True, False, False, False]
    assert not await matches.was_just_played(match.id, 5, "c5-d6")


@pytest.mark.parametrize("game", sample([*rules.GAMES.values()], 4), ids=lambda game: game.name)
async def test_the_stored_player_to_act_is_the_one_by_the_rules(
    matches: Matches, challenges: Challenges, proposals: Proposals, storage: Storage, game: type[rules.Position]
) -> None:
    chance = random.Random(game.name)
    for variant in sample(game.variants, 2):
        ruleset = rules.Ruleset(game, min(game.sizes), variant)
        challenge = await challenges.challenge(PLACE, ALICE, BOB, ruleset, First.RANDOM)
        match = await challenges.accept(challenge.id, BOB)
        take_backs = 0
        while (awaited := (played := await matches.game(match.id)).to_act) is not None:
            assert await stored_awaited(storage, match.id) == awaited.id
            if played.ply > 1 and take_backs < 10 and chance.random() < 0.2:
                take_backs += 1
                asker = chance.choice(match.players)
                offer = await proposals.propose(match.id, asker.id, ProposalKind.TAKE_BACK)
                await proposals.accept(offer.id, match.opponent_of(asker.id).id)
            else:
                begun, seed = played.position.phase is rules.Phase.PLAY, chance.getrandbits(30)
                turn = at_random(played.position, seed) if begun else chance.choice([*played.position.legal_turns])
                await play_turn(matches, match.id, awaited.id, turn)
        assert await stored_awaited(storage, match.id) is None


async def stored_awaited(storage: Storage, match_id: int) -> int | None:
    async with storage.read() as tx:
        return await tx.matches.to_act(match_id)


@pytest.mark.both_databases
async def test_different_turns_at_once_give_one_turn(matches: Matches, storage: Storage) -> None:
    match = await start(matches, turns=("e5", "light"))
    counted = await outcomes(*(play_turn(matches, match.id, BOB.id, turn) for turn in ("a1", "a2", "a3", "i9", "d4")))
    assert counted["Game"] == 1
    assert counted.keys() <= {"Game", "MovedOnError", "NotYourTurnError"}
    assert len(await stored_turns(storage, match.id)) == 3


@pytest.mark.both_databases
async def test_two_bots_on_the_same_database_store_a_turn_once(
    matches: Matches, storage: Storage, clock: Clock, database_url: str
) -> None:
    match = await start(matches)
    database = fast_database(database_url)
    try:
        other = service(Storage(database), clock)
        both = [matches, other] * 5
        counted = await outcomes(*(play_turn(each, match.id, ALICE.id, "e5") for each in both))
        assert counted["Game"] == 1
        assert counted.keys() <= {"Game", "MovedOnError", "NotYourTurnError"}
        assert (await other.game(match.id)).turns == (await matches.game(match.id)).turns == ("e5",)
    finally:
        await database.close()


@pytest.mark.both_databases
async def test_a_turn_and_a_resignation_at_once_leave_a_whole_game(matches: Matches, storage: Storage) -> None:
    match = await start(matches, turns=("e5", "light"))
    await outcomes(play_turn(matches, match.id, BOB.id, "d4"), matches.resign(match.id, ALICE.id, seen_step=2))
    game = await matches.game(match.id)
    assert game.turns == await stored_turns(storage, match.id)
    assert game.match.ply == len(game.turns)
    assert game.match.result is not None or len(game.turns) == 3


async def test_a_whole_game_ends_with_the_winner_that_the_rules_name(matches: Matches, storage: Storage) -> None:
    match = await start(matches, turns=WHOLE_GAME)
    position = DALEN.replay(WHOLE_GAME)
    game = await matches.game(match.id)
    assert await stored_turns(storage, match.id) == WHOLE_GAME
    assert game.position == position
    assert position.outcome is not None
    assert position.outcome.winner is not None
    assert game.match.result is not None
    assert game.match.result.ending is Ending.RULES
    assert game.match.result.winner_id == game.player_of(position.outcome.winner).id
    assert game.to_act is None
    with pytest.raises(MatchOverError):
        await play_turn(matches, match.id, ALICE.id, "a1")
    with pytest.raises(MatchOverError):
        await matches.resign(match.id, ALICE.id)


async def test_a_fresh_start_reads_the_same_game(matches: Matches, storage: Storage, clock: Clock) -> None:
    match = await start(matches, turns=WHOLE_GAME[:20])
    kept, read = await matches.game(match.id), await service(storage, clock).game(match.id)
    assert kept == read
    for ply in range(21):
        earlier = await matches.game_at(match, ply)
        assert earlier.position == DALEN.replay(WHOLE_GAME[:ply])
        assert earlier.ply == ply


async def test_a_refused_turn_stores_nothing(matches: Matches, storage: Storage) -> None:
    match = await start(matches, turns=("d5", "light", "a1", "e6", "i9"))
    with pytest.raises(rules.IllegalTurn, match="e5 is next to two of your leaves: d5, e6"):
        await play_turn(matches, match.id, ALICE.id, "e5")
    with pytest.raises(NotYourTurnError):
        await play_turn(matches, match.id, BOB.id, "e4")
    with pytest.raises(NotAPlayerError):
        await play_turn(matches, match.id, CAROL.id, "e4")
    with pytest.raises(MovedOnError):
        await play_turn(matches, match.id, ALICE.id, "e4", seen_step=4)
    for number in (99, 2**31, 2**63 - 1):
        with pytest.raises(UnknownMatchError):
            await play_turn(matches, number, ALICE.id, "e4")
    assert len(await stored_turns(storage, match.id)) == 5


async def test_a_moderator_ends_a_stuck_match_and_is_named(matches: Matches) -> None:
    match = await start(matches, turns=("e5",))
    ended = await matches.force_abandon(match.id, MODERATOR)
    assert ended.result == Result(None, Ending.ABANDONED, MODERATOR)
    assert ended.ended_at is not None
    with pytest.raises(MatchOverError):
        await matches.force_abandon(match.id, MODERATOR)


async def test_a_card_of_a_later_step_than_stored_shows_the_board(
    matches: Matches, database_url: str, clock: Clock
) -> None:
    match = await start(matches, turns=("e5", "light"))
    shown = await matches.past_game(match, 3)
    assert (shown.turns, shown.step) == (("e5", "light"), 2)
    database = fast_database(database_url)
    try:
        await play_turn(service(Storage(database), clock), match.id, BOB.id, "d4")
        assert (await matches.game(match.id)).turns == ("e5", "light", "d4")
    finally:
        await database.close()


@pytest.mark.both_databases
async def test_both_resigning_at_once_gives_one_winner(matches: Matches) -> None:
    match = await start(matches, turns=("e5", "light"))
    counted = await outcomes(*(matches.resign(match.id, who.id) for who in (ALICE, BOB)))
    assert counted == {"Game": 1, "MatchOverError": 1}
    result = (await matches.match(match.id)).result
    assert result is not None
    assert result.winner_id in (ALICE.id, BOB.id)


@pytest.mark.both_databases
async def test_a_moderator_and_the_players_at_once_end_a_match_once(matches: Matches) -> None:
    match = await start(matches)
    counted = await outcomes(
        matches.force_abandon(match.id, MODERATOR),
        play_turn(matches, match.id, ALICE.id, "e5"),
        matches.force_abandon(match.id, CAROL),
    )
    assert counted["Match"] == 1
    assert counted.keys() <= {"Match", "Game", "MatchOverError", "MovedOnError"}
    result = (await matches.match(match.id)).result
    assert result is not None
    assert result.moderator in (MODERATOR, CAROL)


async def test_a_draft_survives_a_restart_and_goes_with_the_turn(
    matches: Matches, challenges: Challenges, storage: Storage, clock: Clock
) -> None:
    nadraz = rules.ruleset("nadraz", 6)
    challenge = await challenges.challenge(PLACE, ALICE, BOB, nadraz, First.CHALLENGER)
    match = await challenges.accept(challenge.id, BOB)
    await play_turn(matches, match.id, ALICE.id, "e6,h8")
    await play_turn(matches, match.id, BOB.id, "white")
    game = (await matches.turn(match.id, ALICE.id)).game
    begun = game.position.draft("E5 ")
    await matches.save_draft(game, ALICE.id, begun, before="")
    assert begun.text == "e5"
    assert await service(storage, clock).draft(game.match, ALICE.id) == "e5"
    assert await matches.draft(game.match, BOB.id) == ""
    with pytest.raises(MovedOnError):  # pressed twice
        await matches.save_draft(game, ALICE.id, game.position.draft("e5-e4"), before="")
    await play_turn(matches, match.id, ALICE.id, begun.text if begun.complete else begun.text + begun.next[0])
    with pytest.raises(MovedOnError):
        await matches.save_draft(game, ALICE.id, begun, before="")
    game = await matches.game(match.id)
    assert await matches.draft(game.match, ALICE.id) == ""
    await play_turn(matches, match.id, BOB.id, game.position.legal_turns[0])
    game = (await matches.turn(match.id, ALICE.id)).game
    draft = game.position.draft(game.position.legal_turns[0])
    await matches.save_draft(game, ALICE.id, draft, before="")
    assert await matches.draft(game.match, ALICE.id) == draft.text


@pytest.mark.both_databases
async def test_a_draft_can_be_emptied(matches: Matches) -> None:
    game = await matches.game((await start(matches)).id)
    await matches.save_draft(game, ALICE.id, game.position.draft("e5"), before="")
    await matches.save_draft(game, ALICE.id, None, before="e5")
    assert await matches.draft(game.match, ALICE.id) == ""

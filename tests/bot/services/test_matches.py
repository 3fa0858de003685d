"""Playing and ending matches, with many people at once on a real database."""

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
    UnknownMatchError,
)
from bot.domain.players import Player
from rules.search.players import at_random
from tests.support.games import WHOLE_GAME
from tests.support.services.house import House
from tests.support.services.matches import ALICE, BOB, CAROL, DALEN, outcomes, refused
from tests.support.thorough import sample

MODERATOR = Player(104, "Mo")
BEGUN = ("e5", "light")


@pytest.mark.both_databases
@pytest.mark.parametrize("processes", [1, 2])
@pytest.mark.parametrize("turns", [("d4",) * 10, ("a1", "a2", "a3", "i9", "d4")], ids=["one turn", "different turns"])
async def test_one_of_several_simultaneous_turns_is_stored(
    house: House, processes: int, turns: tuple[str, ...]
) -> None:
    match = await house.start(turns=BEGUN)
    senders = [house, house.another()][:processes]
    counted = await outcomes(*(sender.play(match, BOB, turn) for turn in turns for sender in senders))
    assert counted["Game"] == 1
    assert counted.keys() <= {"Game", "MovedOnError", "NotYourTurnError"}
    (*before, played) = await house.turns(match)
    assert (tuple(before), played in turns) == (BEGUN, True)
    assert [(await sender.game(match)).turns for sender in senders] == [(*BEGUN, played)] * processes


async def test_a_turn_is_known_again_however_it_is_written(house: House) -> None:
    begun = ("e5,g7", "white", "d4-c4", "f7-f10", "e6-i6", "f6-c3")
    match = await house.start(turns=(*begun, "c5-d6"), ruleset=rules.ruleset("nadraz", 6))
    turns = {"c5-d6": True, "d6-c5": True, "c5": False, "a1": False, "d6-": False}
    assert {turn: await house.matches.was_just_played(match.id, 6, turn) for turn in turns} == turns
    assert not await house.matches.was_just_played(match.id, 5, "c5-d6")


@pytest.mark.parametrize("game", sample([*rules.GAMES.values()], 4), ids=lambda game: game.name)
async def test_the_stored_player_to_act_is_the_one_by_the_rules(house: House, game: type[rules.Position]) -> None:
    chance = random.Random(game.name)

    async def stored_awaited() -> int | None:
        async with house.storage.read() as tx:
            return await tx.matches.to_act(match.id)

    for variant in sample(game.variants, 2):
        ruleset = rules.Ruleset(game, min(game.sizes), variant)
        match, take_backs = await house.accepted(ruleset=ruleset, first=First.RANDOM), 0
        while (awaited := (played := await house.game(match)).to_act) is not None:
            assert await stored_awaited() == awaited.id
            if played.ply > 1 and take_backs < 10 and chance.random() < 0.2:
                take_backs += 1
                await house.agree(match, ProposalKind.TAKE_BACK, chance.choice(match.players))
            else:
                begun, seed = played.position.phase is rules.Phase.PLAY, chance.getrandbits(30)
                turn = at_random(played.position, seed) if begun else chance.choice([*played.position.legal_turns])
                await house.play(match, awaited, turn)
        assert await stored_awaited() is None


@pytest.mark.both_databases
async def test_a_turn_and_a_resignation_at_once_leave_a_whole_game(house: House) -> None:
    match = await house.start(turns=BEGUN)
    await outcomes(house.play(match, BOB, "d4"), house.resign(match, ALICE, seen_step=2))
    game = await house.game(match)
    assert game.turns == await house.turns(match)
    assert game.match.ply == len(game.turns)
    assert game.match.result is not None or len(game.turns) == 3


async def test_a_whole_game_ends_with_the_winner_that_the_rules_name(house: House) -> None:
    match = await house.start(turns=WHOLE_GAME)
    game, outcome = await house.game(match), DALEN.replay(WHOLE_GAME).outcome
    assert await house.turns(match) == WHOLE_GAME
    assert outcome is not None
    assert outcome.winner is not None
    assert (game.position.outcome, game.to_act) == (outcome, None)
    result = await house.result(match)
    assert (result.ending, result.winner_id) == (Ending.RULES, game.player_of(outcome.winner).id)
    await refused(MatchOverError, house.play(match, ALICE, "a1"), house.resign(match, ALICE))


async def test_a_fresh_start_reads_the_same_game(house: House) -> None:
    match = await house.start(turns=WHOLE_GAME[:20])
    assert await house.game(match) == await house.another().game(match)
    for ply in range(21):
        earlier = await house.matches.game_at(match, ply)
        assert (earlier.position, earlier.ply) == (DALEN.replay(WHOLE_GAME[:ply]), ply)


async def test_a_refused_turn_stores_nothing(house: House) -> None:
    match = await house.start(turns=("d5", "light", "a1", "e6", "i9"))
    with pytest.raises(rules.IllegalTurn, match="e5 is next to two of your leaves: d5, e6"):
        await house.play(match, ALICE, "e5")
    await refused(NotYourTurnError, house.play(match, BOB, "e4"))
    await refused(NotAPlayerError, house.play(match, CAROL, "e4"))
    await refused(MovedOnError, house.play(match, ALICE, "e4", seen_step=4))
    for number in (99, 2**31, 2**63 - 1):
        await refused(UnknownMatchError, house.matches.turn(number, ALICE.id))
    assert len(await house.turns(match)) == 5


async def test_a_card_of_a_later_step_than_stored_shows_the_board(house: House) -> None:
    match = await house.start(turns=BEGUN)
    shown = await house.matches.past_game(match, 3)
    assert (shown.turns, shown.step) == (BEGUN, 2)
    await house.another().play(match, BOB, "d4")
    assert (await house.game(match)).turns == (*BEGUN, "d4")


@pytest.mark.both_databases
async def test_one_of_two_players_who_resign_at_once_wins(house: House) -> None:
    match = await house.start(turns=BEGUN)
    assert await outcomes(*(house.resign(match, who) for who in (ALICE, BOB))) == {"Game": 1, "MatchOverError": 1}
    assert (await house.result(match)).winner_id in (ALICE.id, BOB.id)


@pytest.mark.both_databases
async def test_moderators_and_players_at_once_end_a_match_once(house: House) -> None:
    match = await house.start()
    counted = await outcomes(
        house.matches.force_abandon(match.id, MODERATOR),
        house.play(match, ALICE, "e5"),
        house.matches.force_abandon(match.id, CAROL),
    )
    assert counted["Match"] == 1
    assert counted.keys() <= {"Match", "Game", "MatchOverError", "MovedOnError"}
    result = await house.result(match)
    assert (result.ending, result.moderator in (MODERATOR, CAROL)) == (Ending.ABANDONED, True)


async def test_a_draft_survives_a_restart_and_goes_with_the_turn(house: House) -> None:
    match = await house.accepted(ruleset=rules.ruleset("nadraz", 6))
    await house.play_on(match, "e6,h8", "white")
    game = (await house.matches.turn(match.id, ALICE.id)).game
    begun = game.position.draft("E5 ")
    await house.matches.save_draft(game, ALICE.id, begun, before="")
    assert begun.text == "e5"
    assert await house.another().matches.draft(game.match, ALICE.id) == "e5"
    assert await house.matches.draft(game.match, BOB.id) == ""
    with pytest.raises(MovedOnError):  # pressed twice
        await house.matches.save_draft(game, ALICE.id, game.position.draft("e5-e4"), before="")
    await house.play(match, ALICE, begun.text if begun.complete else begun.text + begun.next[0])
    await refused(MovedOnError, house.matches.save_draft(game, ALICE.id, begun, before=""))
    game = await house.game(match)
    assert await house.matches.draft(game.match, ALICE.id) == ""
    await house.play(match, BOB, game.position.legal_turns[0])
    game = (await house.matches.turn(match.id, ALICE.id)).game
    draft = game.position.draft(game.position.legal_turns[0])
    await house.matches.save_draft(game, ALICE.id, draft, before="")
    assert await house.matches.draft(game.match, ALICE.id) == draft.text


@pytest.mark.both_databases
async def test_a_draft_can_be_emptied(house: House) -> None:
    game = await house.game(await house.start())
    await house.matches.save_draft(game, ALICE.id, game.position.draft("e5"), before="")
    await house.matches.save_draft(game, ALICE.id, None, before="e5")
    assert await house.matches.draft(game.match, ALICE.id) == ""

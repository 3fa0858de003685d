"""The rules of the house without Discord, with many hands at once on a real database."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

import rules
from bot.domain import errors
from bot.domain.challenges import ChallengeState, First
from bot.domain.matches import Ending
from bot.domain.places import Place
from bot.domain.players import Player
from bot.services.challenges import Challenges
from bot.services.matches import Matches
from bot.storage import Database, Storage
from tests.support.club import stored_turns
from tests.support.games import WHOLE_GAME
from tests.support.services import ALICE, BOB, CAROL, DALEN, PLACE, Clock, outcomes, service, start
from tests.support.storing import stored_match


async def test_the_same_turn_sent_many_times_at_once_is_stored_once(matches: Matches, storage: Storage) -> None:
    match = await start(matches)
    counted = await outcomes(*(matches.play(match.id, ALICE.id, "e5") for _ in range(20)))
    assert counted["Game"] == 1
    assert counted.keys() <= {"Game", "MovedOnError", "NotYourTurnError"}
    assert await stored_turns(storage, match.id) == ("e5",)


async def test_different_turns_at_once_give_one_turn(matches: Matches, storage: Storage) -> None:
    match = await start(matches, turns=("e5", "light"))
    counted = await outcomes(*(matches.play(match.id, BOB.id, turn) for turn in ("a1", "a2", "a3", "i9", "d4")))
    assert counted["Game"] == 1
    assert counted.keys() <= {"Game", "MovedOnError", "NotYourTurnError"}
    assert len(await stored_turns(storage, match.id)) == 3


async def test_two_bots_on_the_same_database_store_a_turn_once(
    matches: Matches, storage: Storage, clock: Clock, database_file: Path
) -> None:
    match = await start(matches)
    database = Database(f"sqlite+aiosqlite:///{database_file}")
    try:
        other = service(Storage(database), clock)
        both = [matches, other] * 5
        counted = await outcomes(*(each.play(match.id, ALICE.id, "e5") for each in both))
        assert counted["Game"] == 1
        assert counted.keys() <= {"Game", "MovedOnError", "NotYourTurnError"}
        assert (await other.game(match.id)).turns == (await matches.game(match.id)).turns == ("e5",)
    finally:
        await database.close()


async def test_a_turn_and_a_resignation_at_once_leave_a_whole_game(matches: Matches, storage: Storage) -> None:
    match = await start(matches, turns=("e5", "light"))
    await outcomes(matches.play(match.id, BOB.id, "d4"), matches.resign(match.id, ALICE.id, seen_step=2))
    game = await matches.game(match.id)
    assert game.turns == await stored_turns(storage, match.id)
    assert game.match.ply == len(game.turns)
    assert game.match.result is not None or len(game.turns) == 3


async def test_a_challenge_accepted_by_many_at_once_becomes_one_match(
    matches: Matches, challenges: Challenges, storage: Storage
) -> None:
    challenge = await challenges.challenge(PLACE, ALICE, None, DALEN, First.RANDOM)
    guests = [Player(200 + number, f"Guest {number}") for number in range(10)]
    counted = await outcomes(*(challenges.accept(challenge.id, guest) for guest in guests))
    assert counted == {"Match": 1, "ChallengeClosedError": 9}
    assert await stored_match(storage, 2) is None


async def test_challenges_made_at_once_by_the_same_two_become_one(matches: Matches, challenges: Challenges) -> None:
    pairs = [(ALICE, BOB), (BOB, ALICE)] * 5
    counted = await outcomes(*(challenges.challenge(PLACE, one, two, DALEN, First.RANDOM) for one, two in pairs))
    assert counted == {"Challenge": 1, "DuplicateChallengeError": 9}


async def test_matches_accepted_at_once_share_a_channel_with_nobody(
    matches: Matches, challenges: Challenges, storage: Storage
) -> None:
    guests = [Player(200 + number, f"Guest {number}") for number in range(6)]
    made = [await challenges.challenge(PLACE, ALICE, guest, DALEN, First.RANDOM) for guest in guests]
    accepted = await asyncio.gather(
        *(challenges.accept(each.id, guest) for each, guest in zip(made, guests, strict=True))
    )
    assert sorted(str(each.channel_id) for each in accepted) == ["10"] + ["None"] * 5


async def test_answering_and_expiring_at_once_have_one_outcome(
    matches: Matches, challenges: Challenges, clock: Clock
) -> None:
    challenge = await challenges.challenge(PLACE, ALICE, BOB, DALEN, First.RANDOM)
    clock.now += timedelta(days=1) - timedelta(seconds=1)
    decline = challenges.decline(challenge.id, BOB.id)
    clock.now += timedelta(seconds=2)
    await outcomes(challenges.expire(challenge.id), decline, challenges.expire(challenge.id))
    assert (await challenges.get(challenge.id)).state in (ChallengeState.EXPIRED, ChallengeState.DECLINED)
    assert not await challenges.expire(challenge.id)


async def test_a_challenge_past_its_time_counts_as_expired_before_the_timer_rings(
    matches: Matches, challenges: Challenges, clock: Clock
) -> None:
    challenge = await challenges.challenge(PLACE, ALICE, BOB, DALEN, First.RANDOM)
    clock.now += timedelta(days=1)
    with pytest.raises(errors.ChallengeClosedError) as refused:
        await challenges.accept(challenge.id, BOB)
    assert refused.value.state is ChallengeState.EXPIRED


async def test_chance_decides_who_opens_when_asked_to(matches: Matches, challenges: Challenges) -> None:
    openers = set()
    for number in range(20):
        place = Place(1, 100 + number)
        challenge = await challenges.challenge(place, ALICE, BOB, DALEN, First.RANDOM)
        openers.add((await challenges.accept(challenge.id, BOB)).first)
    assert openers == {ALICE, BOB}


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
    with pytest.raises(errors.MatchOverError):
        await matches.play(match.id, ALICE.id, "a1")
    with pytest.raises(errors.MatchOverError):
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
        await matches.play(match.id, ALICE.id, "e5")
    with pytest.raises(errors.NotYourTurnError):
        await matches.play(match.id, BOB.id, "e4")
    with pytest.raises(errors.NotAPlayerError):
        await matches.play(match.id, CAROL.id, "e4")
    with pytest.raises(errors.MovedOnError):
        await matches.play(match.id, ALICE.id, "e4", seen_step=4)
    with pytest.raises(errors.UnknownMatchError):
        await matches.play(99, ALICE.id, "e4")
    assert len(await stored_turns(storage, match.id)) == 5

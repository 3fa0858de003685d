"""Matches on a database, without Discord, and their players."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Iterable
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import pytest

import rules
from bot.domain.challenges import ChallengeState, First
from bot.domain.clocks import TimeControl
from bot.domain.computer import Exchange
from bot.domain.deliveries import CardKey, MatchDelivery, PostedMessage
from bot.domain.matches import Game, Match, Step
from bot.domain.places import Place
from bot.domain.play import after
from bot.domain.players import Player
from bot.domain.preferences import ServerSettings
from bot.services.match_lifecycle import channel_for_match, start_match
from bot.services.matches import Matches, MatchView
from bot.storage import Storage, Transaction

Refusal = TypeVar("Refusal", bound=BaseException)

PLACE, THERE = Place(1, 10), Place(2, 20)
PEOPLE = [Player(101 + number, name) for number, name in enumerate(("Alice", "Bob", "Carol", "Dan"))]
ALICE, BOB, CAROL, DAN = PEOPLE
#: Many people, for tournaments and ladders.
CROWD = [Player(1000 + number, f"P{number}") for number in range(400)]
DALEN, HEDU = rules.ruleset("dalen", 5), rules.ruleset("hedu", 5)
#: Some turns of either game, after which its result counts. Hedu calls the light side otherwise.
PLAYED = ("e5", "light", "d4", "a1")
#: A running match of Alice and Bob, for tests that need no database.
MATCH = Match(
    id=7,
    challenge_id=1,
    ruleset=DALEN,
    guild_id=PLACE.guild_id,
    first=ALICE,
    second=BOB,
    ply=0,
    step=3,
    result=None,
    started_at=datetime(2026, 1, 1, tzinfo=UTC),
    moved_at=datetime(2026, 1, 1, tzinfo=UTC),
)


def view_of(game: Game, delivery: MatchDelivery, **more: Any) -> MatchView:
    """What Discord shows of a match: nothing but the game, unless more is given."""
    usual: dict[str, Any] = {
        "settings": ServerSettings(),
        "preferences": {},
        "newcomer": None,
        "unshown_proposals": (),
        "lapsed_proposals": (),
        "exchange": Exchange(),
        "ended_by": None,
        "record": None,
        "suggested_level": None,
        "play_on": False,
    }
    return MatchView(game=game, delivery=delivery, **usual | more)


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


async def play_turn(
    matches: Matches, match_id: int, player_id: int, text: str, *, seen_step: int | None = None, to_show: bool = False
) -> Game:
    """Play a typed turn, and return the game after it.

    A turn ``to_show`` is stored as by a process that dies before it shows the turn.
    """
    game = (await matches.turn(match_id, player_id, seen_step)).game
    turn = await asyncio.to_thread(lambda: game.position.draft(game.position.parse(text)))
    player = game.match.player(player_id)
    if to_show:
        return (await matches.play_and_view(game, turn, player)).game
    return await matches.play(game, turn, player)


async def start(
    matches: Matches,
    first: Player = ALICE,
    second: Player = BOB,
    place: Place = PLACE,
    turns: tuple[str, ...] = (),
    ruleset: rules.Ruleset = DALEN,
    control: TimeControl | None = None,
    *,
    rated: bool = True,
    all_stored: bool = False,
) -> Match:
    """Start a match with these turns by a challenge, which nobody shows.

    Without a clock, only the last turn is really played, and none if they are ``all_stored``.
    """
    stored, now = turns if all_stored else turns[:-1] if control is None else (), matches.now()
    async with matches.storage.transaction(shown_by_caller=True) as tx:
        await tx.players.save(first, second)
        until = now + timedelta(days=1)
        challenge_id = await tx.challenges.add(
            place, first, second, ruleset, First.CHALLENGER, now, until, rated=rated, control=control
        )
        assert challenge_id is not None
        assert await tx.challenges.close(challenge_id, ChallengeState.ACCEPTED, second)
        channel_id = await channel_for_match(tx, place)
        match = await start_match(
            tx,
            ruleset,
            place,
            (first, second),
            now,
            channel_id,
            rated=rated,
            control=control,
            challenge_id=challenge_id,
        )
        if stored:
            await store_turns(tx, matches, match.id, stored, now)
    if control is not None:
        await note_card(matches.storage, match.id)
    for turn in turns[len(stored) :]:
        game = await matches.game(match.id)
        assert game.to_act is not None
        await play_turn(matches, match.id, game.to_act.id, turn, to_show=True)
    return await matches.match(match.id)


async def note_card(storage: Storage, match_id: int) -> None:
    """Record an outdated card of a match, so that players have seen it and their time counts."""
    async with storage.transaction() as tx:
        await tx.deliveries.set_message(CardKey(match_id), PostedMessage(PLACE.channel_id, 20_000 + match_id, 0))


async def store_turns(tx: Transaction, matches: Matches, match_id: int, turns: Iterable[str], at: datetime) -> None:
    """Store turns of a match between people without a clock. This is much faster than playing them."""
    game = await matches.load(tx, match_id)
    for typed in turns:
        player = game.to_act
        assert player is not None
        before, game = game, after(game, game.position.draft(game.position.parse(typed)), at)
        step = Step(game.ply, game.turns[-1], player.id, at)
        awaited_id = None if game.to_act is None else game.to_act.id
        await tx.matches.add_step(match_id, before.step, step, awaited_id, game.match.result)
        if game.match.result is not None:
            await matches.conclude(tx, before.match, at)


async def refused(kind: type[Refusal], *calls: Awaitable[object]) -> Refusal:
    """Check that each call is refused with an error of this kind, and return the last error."""
    errors = []
    for call in calls:
        with pytest.raises(kind) as raised:
            await call
        errors.append(raised.value)
    return errors[-1]


async def outcomes(*calls: Awaitable[Any]) -> Counter[str]:
    """Count the kinds of results of simultaneous calls."""
    results = await asyncio.gather(*calls, return_exceptions=True)
    return Counter(type(result).__name__ for result in results)

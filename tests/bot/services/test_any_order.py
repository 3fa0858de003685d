"""The match of two people who act at random, one after the other and at the same time."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

import rules
from bot.domain.limits import IN_VAIN_LIMIT
from bot.domain.matches import Ending, Match, Proposal, ProposalKind, Result
from bot.domain.players import Player
from bot.domain.refusals import DomainError
from tests.support.positions import repeatable
from tests.support.services.house import House, NewHouse
from tests.support.services.matches import ALICE, BOB, HEDU
from tests.support.services.stored import stored_steps
from tests.support.thorough import fewer

DRAW, TAKE_BACK, ABANDON, _, REMATCH = ProposalKind


@cache
def replayed(turns: tuple[str, ...]) -> rules.Position:
    return replayed(turns[:-1]).play(turns[-1])[0] if turns else HEDU.start()


@dataclass
class Model:
    """What a match is, as simply as possible."""

    turns: list[tuple[str, Player]] = field(default_factory=list)
    step: int = 0
    open: dict[ProposalKind, tuple[Player, int]] = field(default_factory=dict)
    result: Result | None = None
    rematch: bool = False

    @property
    def position(self) -> rules.Position:
        return replayed(tuple(turn for turn, _ in self.turns))

    def player_of(self, side: rules.Side) -> Player:
        return BOB if side is self.position.second_player else ALICE

    @property
    def to_act(self) -> Player:
        match self.position.phase:
            case rules.Phase.OPENING:
                return ALICE
            case rules.Phase.CHOICE:
                return BOB
        return self.player_of(self.position.turn_of)

    def play(self, who: Player, turn: str) -> bool:
        if self.result is not None or who is not self.to_act:
            return False
        self.turns.append((turn, who))
        self._moved()
        outcome = self.position.outcome
        if outcome is not None:
            self.result = Result(None if outcome.winner is None else self.player_of(outcome.winner).id, Ending.RULES)
        return True

    def propose(self, who: Player, kind: ProposalKind) -> bool:
        if (self.result is None) is (kind is REMATCH) or self.rematch:
            return False
        if kind in self.open:
            proposer, _ = self.open[kind]
            return proposer is not who and kind is not TAKE_BACK and self.accept(who, kind)
        own = [ply for ply, (_, player) in enumerate(self.turns) if player is who]
        if kind is TAKE_BACK and not own:
            return False
        self.open[kind] = (who, own[-1] if own else 0)
        return True

    def accept(self, who: Player, kind: ProposalKind) -> bool:
        if kind not in self.open or self.open[kind][0] is who:
            return False
        _, keeps = self.open.pop(kind)
        if kind is TAKE_BACK:
            del self.turns[keeps:]
            self._moved()
        elif kind is REMATCH:
            self.rematch = True
        else:
            self.end(Result(None, Ending.AGREEMENT if kind is DRAW else Ending.ABANDONED))
        return True

    def close(self, who: Player, kind: ProposalKind, *, own: bool) -> bool:
        if kind not in self.open or (self.open[kind][0] is who) is not own:
            return False
        del self.open[kind]
        return True

    def resign(self, who: Player) -> bool:
        if self.result is not None:
            return False
        self.end(Result(BOB.id if who is ALICE else ALICE.id, Ending.RESIGNATION))
        return True

    def end(self, result: Result) -> None:
        self.result = result
        self.open.clear()

    def _moved(self) -> None:
        self.step += 1
        self.open.clear()


PEOPLE = st.sampled_from([ALICE, BOB])
KINDS = st.sampled_from([DRAW, TAKE_BACK, TAKE_BACK, TAKE_BACK, ABANDON, REMATCH])
ACTIONS = st.one_of(
    st.tuples(st.just("turn"), st.booleans(), st.integers(0, 1000)),
    st.tuples(st.just("turn"), st.booleans(), st.integers(0, 1000)),
    st.tuples(st.just("propose"), PEOPLE, KINDS),
    st.tuples(st.sampled_from(["accept", "accept", "decline", "withdraw"]), PEOPLE, KINDS),
    st.tuples(st.sampled_from(["take back", "late press", "restart"]), PEOPLE, st.integers(0, 1000)),
    st.tuples(st.just("resign"), PEOPLE, st.integers(0, 8)),
)


class Play:
    """A match, and the model of what should become of it."""

    def __init__(self, house: House, match: Match) -> None:
        self.house, self.started, self.id = house, match, match.id
        self.model = Model()
        self.last_ids: dict[ProposalKind, int] = {}

    def restart(self) -> None:
        self.house = self.house.another()

    async def does(self, call: Any) -> bool:
        try:
            done = await call
        except DomainError:
            return False
        if isinstance(done, Proposal):
            self.last_ids[done.kind] = done.id
        return True

    async def act(self, action: str, who: Any, what: Any) -> None:
        model = self.model
        self.house.now += IN_VAIN_LIMIT.span  # they take their time, so that they may ask for anything
        match action:
            case "turn":
                player = model.to_act if who and model.result is None else (ALICE, BOB)[what % 2]
                legal = model.position.legal_turns or ("pass",)
                turn = legal[what % len(legal)]
                expected = model.play(player, turn)
                assert await self.does(self.house.play(self.started, player, turn)) is expected
            case "propose":
                expected = model.propose(who, what)
                assert await self.does(self.house.propose(self.started, who, what)) is expected
            case "take back":
                for player, call in ((who, "propose"), (BOB if who is ALICE else ALICE, "accept")):
                    await self.act(call, player, TAKE_BACK)
            case "accept" | "decline" | "withdraw":
                expected = (
                    model.accept(who, what) if action == "accept" else model.close(who, what, own=action == "withdraw")
                )
                answer = getattr(self.house.proposals, action)
                assert await self.does(answer(self.last_ids.get(what, 999), who.id)) is expected
            case "resign":
                if what == 0:
                    expected = model.resign(who)
                    assert await self.does(self.house.resign(self.started, who)) is expected
            case "late press":
                if model.step:
                    legal = model.position.legal_turns or ("pass",)
                    late = self.house.play(self.started, who, legal[0], seen_step=what % model.step)
                    assert not await self.does(late)
            case "restart":
                self.restart()

    async def check(self) -> None:
        model, turns = self.model, tuple(turn for turn, _ in self.model.turns)
        game = await self.house.game(self.started)
        assert game.turns == turns == await self.house.turns(self.started)
        assert game.position == model.position
        assert (game.ply, game.step, game.match.result) == (len(turns), model.step, model.result)
        assert len(await stored_steps(self.house.storage, self.id)) == model.step
        assert game.to_act == (None if model.result is not None else model.to_act)
        assert {offer.kind: offer.proposer for offer in game.match.proposals} == {
            kind: proposer for kind, (proposer, _) in model.open.items()
        }
        assert all(offer.step == model.step for offer in game.match.proposals)
        assert (game.match.rematch_id is not None) is model.rematch


def test_whatever_two_people_do_nothing_is_lost_or_done_twice(new_house: NewHouse) -> None:
    async def run(actions: list[Any]) -> None:
        async with new_house() as house:
            play = Play(house, await house.start(ruleset=HEDU))
            for action in actions:
                await play.act(*action)
                await play.check()

    @settings(repeatable, max_examples=fewer(30, 6))
    @given(st.lists(ACTIONS, max_size=40))
    def check(actions: list[Any]) -> None:
        asyncio.run(run(actions))

    check()


@pytest.mark.both_databases
def test_whatever_two_people_do_at_the_same_time_the_turns_stay_playable(new_house: NewHouse, backend: str) -> None:
    """Whichever of two actions comes first, the turns are legal, the counters fit and a restart reads the same."""

    async def press(play: Play, action: str, who: Any, what: Any) -> None:
        game = await play.house.game(play.started)
        legal = game.position.legal_turns or ("pass",)
        call: Any = None
        match action:
            case "turn":
                call = play.house.play(play.started, game.to_act or ALICE, legal[what % len(legal)])
            case "propose":
                call = play.house.propose(play.started, who, what)
            case "accept" | "decline" | "withdraw":
                call = getattr(play.house.proposals, action)(play.last_ids.get(what, 999), who.id)
            case "take back":
                call = play.house.propose(play.started, who, TAKE_BACK)
            case _:
                return
        with suppress(rules.TurnError):  # the board changed between the look and the turn
            await play.does(call)

    async def run(pairs: list[Any]) -> None:
        async with new_house() as house:
            play = Play(house, await house.start(ruleset=HEDU))
            for pair in pairs:
                await asyncio.gather(*(press(play, *action) for action in pair))
                game = await house.game(play.started)
                steps = await stored_steps(house.storage, play.id)
                assert (len(steps), steps[-1].ply if steps else 0) == (game.step, game.ply)
                assert game.position == replayed(game.turns)
                assert len(await house.turns(play.started)) == game.ply
                assert await house.another().game(play.started) == game

    @settings(repeatable, max_examples=fewer(16 if backend == "sqlite" else 10, 5))
    @given(st.lists(st.tuples(ACTIONS, ACTIONS), max_size=12))
    def check(pairs: list[Any]) -> None:
        asyncio.run(run(pairs))

    check()

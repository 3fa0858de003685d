"""Whole ladders on which people act at random, while processes die and work at the same time."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, TypeAlias

import pytest
from sqlalchemy import select

from bot.domain.challenges import ChallengeState
from bot.domain.clocks import DAY
from bot.domain.competitions.ladders import AWAY, LONGEST_MATCH, LONGEST_PAUSE, Contest, Ladder
from bot.domain.matches import Ending, Result
from bot.domain.refusals import DomainError
from bot.storage.tables import challenges, matches
from tests.support.services.failures import dying_at
from tests.support.services.house import House
from tests.support.services.ladders import Rungs, give_room, open_ladder, post_challenges
from tests.support.services.matches import CROWD, Clock
from tests.support.thorough import THOROUGH

NUMBERS = {player.id: number for number, player in enumerate(CROWD)}
#: What an act does to the order of the players, as simply as possible.
Effect: TypeAlias = Callable[[list[int]], list[int]]
#: What a player does, and its effect if it is not refused.
Act: TypeAlias = tuple[Coroutine[Any, Any, object], Effect]


def unchanged(order: list[int]) -> list[int]:
    return order


def without(who: int) -> Effect:
    return lambda order: [player for player in order if player != who]


def taken(winner: int, loser: int) -> Effect:
    def effect(order: list[int]) -> list[int]:
        if winner not in order or loser not in order or order.index(winner) < order.index(loser):
            return order
        rest = without(winner)(order)
        at = rest.index(loser)
        return [*rest[:at], winner, *rest[at:]]

    return effect


@dataclass
class Life:
    """People on a ladder, in two processes. ``signs`` are the last times at which they did something there."""

    rungs: Rungs
    people: int
    chance: random.Random
    signs: dict[int, datetime] = field(default_factory=dict)
    done: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.houses = (self.rungs.house, self.rungs.house.another())

    @property
    def clock(self) -> Clock:
        return self.houses[0].clock

    # What people do

    def act(self, ladder: Ladder, house: House) -> tuple[str, int, Act]:
        """A random act: its name, the player, and what it does."""
        busy = [NUMBERS[player_id] for contest in ladder.contests for player_id in contest.player_ids]
        who = self.chance.choice(busy) if busy and self.chance.random() < 0.6 else self.chance.randrange(self.people)
        rung, contest = ladder.rung(CROWD[who].id), ladder.contest(CROWD[who].id)
        if rung is None:
            names = ["join"] * 6
        elif contest is None:
            names = ["challenge"] * 12 + ["pause", "come_back", "leave", "block", "delete"]
        else:
            names = ["answer"] * 4 + ["leave", "pause", "block", "delete", "challenge"]
            if contest.match_id is not None:
                names = ["end"] * 3 + ["resign", "moderate", "void", "leave", "pause", "delete"]
        name = self.chance.choice(names)
        return name, who, self._deed(name, ladder, house, who, contest)

    def _deed(self, name: str, ladder: Ladder, house: House, who: int, contest: Contest | None) -> Act:
        rungs = Rungs(house, ladder.id)
        match name:
            case "join":
                return rungs.join(who), lambda order: [*order, who]
            case "leave":
                return rungs.leave(who), without(who)
            case "pause":
                return rungs.pause(who), unchanged
            case "come_back":
                return rungs.come_back(who), unchanged
            case "block":
                return house.privacy.set_blocked(CROWD[who], [self.chance.choice(CROWD[: self.people]).id]), unchanged
            case "challenge":
                own = next(number for number, rung in enumerate(ladder.rungs) if rung.player == CROWD[who])
                above = ladder.rungs[max(0, own - self.chance.randint(1, 3))]
                return house.challenges.challenge_on_ladder(ladder.id, CROWD[who], above.player.id), unchanged
            case "delete" if contest is None:
                return house.privacy.delete(CROWD[who].id), without(who)
        assert contest is not None
        return self._deed_in_contest(name, house, who, contest)

    def _deed_in_contest(self, name: str, house: House, who: int, contest: Contest) -> Act:
        match_id, (challenger, opponent) = contest.match_id or 0, map(NUMBERS.__getitem__, contest.player_ids)
        match name:
            case "answer" if who == challenger:
                return self._with_open(house, who, house.challenges.withdraw), unchanged
            case "answer" if self.chance.random() < 0.6:
                return self._accept(house, who), unchanged
            case "answer":
                return self._with_open(house, who, house.challenges.decline), taken(challenger, opponent)
            case "resign":
                effect = taken(challenger, opponent) if who == opponent else unchanged
                return house.matches.resign(match_id, CROWD[who].id), effect
            case "end":
                winner = self.chance.choice([challenger, challenger, opponent, None])
                effect = taken(challenger, opponent) if winner == challenger else unchanged
                return self._finish(house, match_id, winner), effect
            case "moderate":
                return house.matches.force_abandon(match_id, CROWD[-1]), unchanged
            case "void":
                return house.matches.void(self.chance.randint(1, match_id), CROWD[-1]), unchanged
            case _:
                lost = taken(challenger, who) if who == opponent else unchanged
                return house.privacy.delete(CROWD[who].id), lambda order: without(who)(lost(order))

    async def _with_open(self, house: House, who: int, answer: Callable[[int, int], Awaitable[object]]) -> None:
        """Answer the player's only open challenge, unless it is closed by now."""
        async with house.storage.read() as tx:
            found = await tx.privacy.open_challenges(CROWD[who].id)
        for challenge_id, _challenger_id in found:
            await answer(challenge_id, CROWD[who].id)

    async def _accept(self, house: House, who: int) -> None:
        async def accept(challenge_id: int, _player_id: int) -> None:
            match = await house.challenges.accept(challenge_id, CROWD[who])
            if self.chance.random() < 0.9:  # the others wait for a place, and their clocks stand still
                await give_room(house, match)

        await self._with_open(house, who, accept)

    async def _finish(self, house: House, match_id: int, winner: int | None) -> None:
        result = Result(None if winner is None else CROWD[winner].id, Ending.RULES)
        async with house.storage.transaction() as tx:
            match = await tx.matches.lock(match_id)
            if match is not None and match.result is None:
                self.note("end", *(NUMBERS[player.id] for player in match.players))
                await house.matches.end(tx, match, result, self.clock.now)

    # What always holds

    def note(self, name: str, *people: int) -> None:
        """Record a sign of life of these people, if the act is one."""
        if name in ("join", "come_back", "challenge", "answer", "resign", "end"):
            self.signs |= dict.fromkeys(people, self.clock.now)

    def note_end(self, name: str, ladder: Ladder, who: int) -> None:
        """Record a sign of life of both players whose match a resignation or deletion has ended."""
        contest = ladder.contest(CROWD[who].id)
        if name in ("resign", "delete") and contest is not None:
            self.note("end", *(NUMBERS[player_id] for player_id in contest.player_ids))

    async def check(self) -> None:
        ladder = await self.rungs.get()
        await self.rungs.order()
        async with self.houses[0].database.read() as connection:
            joined = challenges.outerjoin(matches, matches.c.challenge_id == challenges.c.id)
            columns = challenges.c.challenger_id, challenges.c.opponent_id, challenges.c.state, matches.c.started_at
            running = (challenges.c.state == ChallengeState.OPEN) | (
                matches.c.id.is_not(None) & matches.c.ended_at.is_(None)
            )
            query = select(*columns).select_from(joined).where(challenges.c.ladder_id.is_not(None), running)
            rows = (await connection.execute(query)).all()
        begun = self.clock.now - LONGEST_MATCH
        recent = [row for row in rows if row.started_at is None or row.started_at > begun]
        busy = Counter(player for row in recent for player in (row.challenger_id, row.opponent_id))
        assert all(count == 1 for count in busy.values()), "nobody has two"
        assert busy.keys() == {player for contest in ladder.contests for player in contest.player_ids}
        for rung in ladder.rungs:
            assert rung.player.id in NUMBERS, "nobody is deleted"
            if rung.player.id in busy:
                assert rung.paused_at is None, "nobody dodges"
            elif rung.paused_at is not None:
                assert self.clock.now - rung.paused_at < LONGEST_PAUSE
            else:
                assert self.clock.now - self.signs[NUMBERS[rung.player.id]] < AWAY

    async def pass_time(self, time: timedelta) -> None:
        """Let time pass, in which either process does what is due."""
        before, since = await self.rungs.order(), self.clock.now
        house = self.chance.choice(self.houses)
        await post_challenges(house)
        await house.wait(time)
        async with self.houses[0].database.read() as connection:
            expired = select(challenges.c.challenger_id, challenges.c.opponent_id, challenges.c.expires_at).where(
                challenges.c.state == ChallengeState.EXPIRED, challenges.c.expires_at > since
            )
            flags = (
                select(challenges.c.challenger_id, challenges.c.opponent_id, matches.c.ended_at, matches.c.winner_id)
                .join(matches, matches.c.challenge_id == challenges.c.id)
                .where(matches.c.ending == Ending.TIME, matches.c.ended_at > since)
            )
            fallen = (await connection.execute(flags)).all()
            events: list[Any] = [*(await connection.execute(expired)).all()]
        self.signs |= {NUMBERS[row.winner_id]: row.ended_at for row in fallen if row.winner_id in NUMBERS}
        events += [row for row in fallen if row.winner_id == row.challenger_id]
        for challenger_id, opponent_id, *_ in sorted(events, key=lambda row: row[2]):
            if challenger_id in NUMBERS and opponent_id in NUMBERS:
                before = taken(NUMBERS[challenger_id], NUMBERS[opponent_id])(before)
        self.done["silent or too late"] += len(events)
        after = await self.rungs.order()
        self.done["away"] += len(before) - len(after)
        assert [player for player in before if player in after] == after, "nobody else moves"


async def begin(house: House, people: int, seed: int) -> Life:
    life = Life(await open_ladder(house, people), people, random.Random(seed))
    life.note("join", *range(people))
    return life


async def end(life: Life) -> None:
    """Let everybody go away until all matches have ended and the ladder is empty."""
    for _ in range(4):
        await life.pass_time(LONGEST_MATCH / 2)
        await life.check()
    ladder = await life.rungs.get()
    assert (ladder.rungs, ladder.contests) == ((), ())
    async with life.houses[0].storage.read() as tx:
        left = await tx.matches.running()
    for match in left:
        assert match.clock is not None
        assert match.clock.since is None, "only a match without a place waits for its players"


async def test_places_change_hands_only_as_the_rules_say(house: House) -> None:
    """One act after the other; some die in the middle and are tried again."""
    people, acts = (200, 900) if THOROUGH else (6, 30)
    life = await begin(house, people, 7)
    for _ in range(acts):
        process, before, ladder = life.chance.choice(life.houses), await life.rungs.order(), await life.rungs.get()
        state = life.chance.getstate()
        name, who, (act, effect) = life.act(ladder, process)
        fate = life.chance.getstate()
        died = False
        try:
            if life.chance.random() < 0.2:
                with dying_at(process.storage, life.chance.randint(1, 25)):
                    await act
            else:
                await act
            life.note(name, who)
            life.note_end(name, ladder, who)
        except DomainError:
            effect = unchanged
        except KeyboardInterrupt:
            died = True
            life.note(name, who)
            life.note_end(name, ladder, who)
        if died:
            life.done["died"] += 1
            life.chance.setstate(state)
            again = life.act(ladder, process)[2][0]  # the same
            life.chance.setstate(fate)
            with suppress(DomainError):
                await again
        after = await life.rungs.order()
        if name == "challenge":  # which takes a place at once if the other one has blocked the player
            mine = before.index(who)
            others = [taken(who, other)(before) for other in before[:mine]]
            assert after == before or after in others, (name, before, after)
        else:
            expected = effect(before)
            assert after == expected or (died and after == before), (name, who, before, after)
        life.done[name if after == before else f"{name}!"] += 1
        days = life.chance.choice([0.0, life.chance.random()]) * (0.5 if THOROUGH else 2)
        await life.pass_time(days * DAY)
        await life.check()
    await end(life)
    seen = {"answer!", "delete!", "died", "silent or too late", "away"}
    assert seen | ({"end!", "resign!"} if THOROUGH else set()) <= life.done.keys()


@pytest.mark.both_databases
async def test_whatever_happens_at_once_nobody_has_two_places_or_matches(house: House) -> None:
    """Many acts at the same time, in two processes."""
    people, rounds = (300, 90) if THOROUGH else (8, 5)
    life = await begin(house, people, 3)
    for _ in range(rounds):
        ladder = await life.rungs.get()
        acts = [life.act(ladder, life.houses[number % 2]) for number in range(life.chance.randint(2, 12))]
        results = await asyncio.gather(*(act for _, _, (act, _) in acts), return_exceptions=True)
        for (name, who, _), result in zip(acts, results, strict=True):
            if isinstance(result, BaseException) and not isinstance(result, DomainError):
                raise result
            if not isinstance(result, DomainError):
                life.note(name, who)
                life.note_end(name, ladder, who)
            life.done[name if isinstance(result, DomainError) else f"{name}!"] += 1
        await asyncio.gather(*(process.scheduler.run_due() for process in life.houses))
        await life.pass_time(life.chance.random() * 2 * DAY)
        await life.check()
    await end(life)
    seen = {"answer!", "challenge!", "join!", "delete!", "end!"}
    assert seen <= life.done.keys() if THOROUGH else seen & life.done.keys()

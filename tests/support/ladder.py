"""Ladders without Discord, with a clock that tests advance and timers that ring."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import partial

import rules
from bot.domain.clocks import DAY
from bot.domain.competitions.ladders import Ladder
from bot.domain.deliveries import PostedMessage
from bot.domain.matches import Ending, Match, Result
from bot.domain.players import Player
from bot.domain.timers import TimerKind
from bot.runtime.timers import Scheduler
from bot.services.challenges import Challenges
from bot.services.clocks import Clocks
from bot.services.deliveries import Deliveries
from bot.services.ladders import Ladders
from bot.services.matches import Matches
from bot.services.proposals import Proposals
from bot.storage import Storage
from tests.support.services import PLACE, Clock, note_card, privacy_service, service

HEDU = rules.GAMES["hedu"]
PEOPLE = [Player(100 + number, f"P{number}") for number in range(400)]


class LadderHouse:
    """The services that ladders need, in one process. Players are given by their index in ``PEOPLE``."""

    def __init__(self, storage: Storage, clock: Clock) -> None:
        self.storage, self.clock = storage, clock
        self.matches: Matches = service(storage, clock)
        self.ladders = Ladders(storage, clock=clock)
        self.deliveries = Deliveries(storage, clock=clock)
        self.proposals = Proposals(storage, self.matches, clock=clock)
        self.privacy = privacy_service(storage, self.matches, clock)
        self.clocks = Clocks(storage, self.matches, clock=clock)
        self.challenges = Challenges(storage, clock=clock, lifetime=DAY, chance=random.Random(1))
        self._due: dict[TimerKind, Callable[[int], Awaitable[object]]] = {
            TimerKind.EXPIRY: self.challenges.expire,
            TimerKind.FLAG: self.clocks.flag_fell,
            TimerKind.LADDER: self.ladders.advance,
            TimerKind.LADDER_OUT: self.ladders.advance,
        }
        self.scheduler = Scheduler(storage, {kind: partial(self._handle, kind) for kind in TimerKind}, clock)

    async def _handle(self, kind: TimerKind, subject: int) -> None:
        if kind in self._due:
            await self._due[kind](subject)

    async def open(self, count: int) -> Ladder:
        """Open a ladder of this many players, the first at the top."""
        ladder = await self.ladders.open(PLACE, HEDU, PEOPLE[0])
        for player in PEOPLE[1:count]:
            ladder = await self.ladders.join(ladder.id, player)
        return ladder

    async def order(self, ladder_id: int) -> list[int]:
        """The players from the top down."""
        ladder = await self.ladders.get(ladder_id)
        assert [rung.number for rung in ladder.rungs] == list(range(1, len(ladder.rungs) + 1))
        return [rung.player.id - PEOPLE[0].id for rung in ladder.rungs]

    async def challenge(self, ladder_id: int, challenger: int, opponent: int, *, posted: bool = True) -> int:
        made = await self.challenges.challenge_on_ladder(ladder_id, PEOPLE[challenger], PEOPLE[opponent].id)
        assert made is not None
        if posted:
            await self.post_challenges()
        return made.id

    async def post_challenges(self) -> None:
        """Post the cards of challenges, as the bot does at its start at the latest."""
        async with self.storage.read() as tx:
            unshown = await tx.deliveries.unshown_challenges()
        for challenge_id in unshown:
            card = PostedMessage(PLACE.channel_id, 10_000 + challenge_id, 1)
            await self.deliveries.set_challenge(challenge_id, card.version, card)

    async def begin(self, ladder_id: int, challenger: int, opponent: int) -> Match:
        """Start a match for the opponent's place, in its own channel."""
        challenge_id = await self.challenge(ladder_id, challenger, opponent)
        match = await self.challenges.accept(challenge_id, PEOPLE[opponent])
        await self.give_room(match)
        return await self.matches.match(match.id)

    async def give_room(self, match: Match) -> None:
        if match.waiting:
            await self.deliveries.assign_channel(match.id, 1000 + match.id)
        await note_card(self.storage, match.id)

    async def end(self, match: Match, winner: int | None, ending: Ending = Ending.RULES) -> None:
        """End a match. Without a winner, it is a draw or does not count."""
        result = Result(None if winner is None else PEOPLE[winner].id, ending)
        running = await self.matches.match(match.id)
        async with self.storage.transaction() as tx:
            await self.matches.end(tx, running, result, self.clock.now)

    async def beat(self, ladder_id: int, challenger: int, opponent: int, *, loses: bool = False) -> None:
        await self.end(await self.begin(ladder_id, challenger, opponent), opponent if loses else challenger)

    async def wait(self, time: timedelta) -> None:
        """Advance the clock, and handle each timer at its time."""
        end = self.clock.now + time
        while True:
            due = await self.scheduler.next_due()
            if due is None or due > end:
                break
            self.clock.now = max(self.clock.now, due)
            await self.scheduler.run_due()
        self.clock.now = end

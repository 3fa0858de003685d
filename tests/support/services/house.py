"""The bot's services without Discord, and short verbs for what tests do often."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import datetime, timedelta
from itertools import count
from typing import Any, Self, TypeAlias, TypeVar

import pytest

import rules
from bot.app import Process
from bot.config import Config
from bot.domain.challenges import Challenge, First
from bot.domain.deliveries import CardKey, MatchDelivery
from bot.domain.matches import Ending, Game, Match, Proposal, ProposalKind, Result
from bot.domain.places import Place
from bot.domain.players import Player
from bot.domain.timers import TimerKind
from bot.runtime.leases import USUAL_TIMES
from bot.runtime.timers import Scheduler
from tests.support.services.databases import hurry
from tests.support.services.matches import ALICE, BOB, DALEN, PEOPLE, PLACE, PLAYED, Clock, note_card, play_turn, start
from tests.support.services.random_search import RandomSearch
from tests.support.services.stored import due_timers, stored_delivery, stored_turns


class House(Process):
    """A process of the bot that is not connected to Discord: only the test shows and handles what is due.

    The computer finds random turns, and chance begins with the same seed.
    """

    def __init__(self, config: Config, clock: Clock) -> None:
        self.config, self.clock = config, clock
        self.search = RandomSearch()
        super().__init__(config, clock, USUAL_TIMES, self.search)
        hurry(self.database)
        for part in (self.challenges, self.tournaments, self.puzzles, self.computer_games):
            part.chance.seed(1)
        handlers: dict[TimerKind, Callable[[int], Awaitable[object]]] = {
            TimerKind.EXPIRY: self.challenges.expire,
            TimerKind.FLAG: self.clocks.flag_fell,
            TimerKind.LADDER: self.ladders.advance,
            TimerKind.LADDER_OUT: self.ladders.advance,
            TimerKind.TOURNAMENT: self.tournaments.advance,
            TimerKind.CUP_START: self.tournaments.start_cup,
            TimerKind.HARD_END: self.tournaments.end_overdue,
            TimerKind.PAIR: self.strangers.pair,
            TimerKind.FIRST_TURN: self.strangers.check_first_turn,
            TimerKind.LOST_HOME: self.strangers.check_homes,
        }
        self.scheduler = Scheduler(self.storage, {kind: _only_call(handlers.get(kind)) for kind in TimerKind}, clock)
        self._channels = count(1000)
        self._others: list[Self] = []

    async def close(self) -> None:
        for other in self._others:
            await other.close()
        self.workers.close()
        await self.database.close()

    def another(self, **settings: Any) -> Self:
        """Another process on the same database, or this one after a restart."""
        self._others.append(other := type(self)(self.config.model_copy(update=settings), self.clock))
        return other

    # Time

    @property
    def now(self) -> datetime:
        return self.clock.now

    @now.setter
    def now(self, now: datetime) -> None:
        self.clock.now = now

    async def wait(self, time: timedelta = timedelta(0)) -> None:
        """Let time pass, and handle each timer when it is due."""
        end = self.now + time
        while (due := await self.scheduler.next_due()) is not None and due <= end:
            self.now = max(self.now, due)
            await self.scheduler.run_due()
        self.now = end

    async def due(self) -> set[tuple[TimerKind, int]]:
        """The kinds and subjects of the timers that are due."""
        return await due_timers(self.storage, self.now)

    # Places and cards

    def room(self, guild_id: int | None = PLACE.guild_id) -> Place:
        """A channel in which nothing has been played."""
        return Place(guild_id, next(self._channels))

    async def place(self, match: Match) -> Match:
        """Give a match a channel of its own, and show it there."""
        await self.deliveries.assign_channel(CardKey(match.id), self.room().channel_id)
        await note_card(self.storage, match.id)
        return await self.match(match)

    async def delivery(self, match: Match) -> MatchDelivery:
        return await stored_delivery(self.storage, match.id)

    # Challenges and matches

    async def challenge(
        self,
        challenger: Player = ALICE,
        opponent: Player | None = BOB,
        place: Place = PLACE,
        ruleset: rules.Ruleset = DALEN,
        first: First = First.CHALLENGER,
        **how: Any,
    ) -> Challenge:
        return await self.challenges.challenge(place, challenger, opponent, ruleset, first, **how)

    async def accepted(self, player: Player = BOB, **how: Any) -> Match:
        """A match that begins with a challenge, which a player accepts."""
        return await self.challenges.accept((await self.challenge(opponent=player, **how)).id, player)

    async def start(self, first: Player = ALICE, second: Player = BOB, place: Place = PLACE, **how: Any) -> Match:
        """A match after some ``turns``, stored at once; see ``start`` in ``services.py``."""
        return await start(self.matches, first, second, place, **how)

    async def match(self, match: Match) -> Match:
        return await self.matches.match(match.id)

    async def game(self, match: Match) -> Game:
        return await self.matches.game(match.id)

    async def result(self, match: Match) -> Result:
        """The result of a match that is over."""
        result = (await self.match(match)).result
        assert result is not None
        return result

    async def turns(self, match: Match) -> tuple[str, ...]:
        """The stored turns."""
        return await stored_turns(self.storage, match.id)

    async def play(self, match: Match, player: Player, turn: str, **how: Any) -> Game:
        return await play_turn(self.matches, match.id, player.id, turn, **how)

    async def play_on(self, match: Match, *turns: str) -> Game:
        """Play turns, each by the player who is to act."""
        for turn in turns:
            player = (await self.game(match)).to_act
            assert player is not None
            await self.play(match, player, turn)
        return await self.game(match)

    async def resign(self, match: Match, player: Player, **how: Any) -> Game:
        return await self.matches.resign(match.id, player.id, **how)

    async def propose(self, match: Match, player: Player, kind: ProposalKind, **how: Any) -> Proposal:
        return await self.proposals.propose(match.id, player.id, kind, **how)

    async def agree(self, match: Match, kind: ProposalKind, player: Player | None = None, **how: Any) -> Match:
        """Let a player propose something, by default the first, and the opponent accept it."""
        offered = await self.propose(match, player or match.first, kind, **how)
        await self.proposals.accept(offered.id, match.opponent_of((player or match.first).id).id)
        return await self.match(match)

    async def rematch(self, match: Match) -> Match:
        """Start a rematch of a match that is over."""
        again = (await self.agree(match, ProposalKind.REMATCH)).rematch_id
        assert again is not None
        return await self.matches.match(again)

    async def end(self, match: Match, result: Result) -> None:
        """End a running match in any way."""
        async with self.storage.transaction() as tx:
            await self.matches.end(tx, await self.match(match), result, self.now)

    # Rated matches

    async def beat(self, winner: Player, loser: Player, **how: Any) -> Match:
        """A match that the first player loses."""
        match = await self._rated_match(loser, winner, **how)
        return (await self.resign(match, loser)).match

    async def draw(self, first: Player, second: Player, **how: Any) -> Match:
        match = await self._rated_match(first, second, **how)
        await self.end(match, Result(None, Ending.AGREEMENT))
        return await self.match(match)

    async def _rated_match(self, first: Player, second: Player, **how: Any) -> Match:
        wanted: dict[str, Any] = {"place": self.room(), "turns": PLAYED, "ruleset": DALEN, "all_stored": True} | how
        second_side = wanted["ruleset"].game.sides[1]
        turns = (second_side if turn == "light" else turn for turn in wanted.pop("turns"))
        return await self.start(first, second, turns=tuple(turns), **wanted)

    async def values(self, game: str = "dalen") -> list[int]:
        return [round((await self.ratings.rating(player.id, game)).value) for player in PEOPLE]

    async def check_ratings(self) -> None:
        """Check that a recomputation changes nothing."""
        stored = await self.ratings.digest()
        await self.ratings.recompute()
        assert await self.ratings.digest() == stored


def _only_call(handler: Callable[[int], Awaitable[object]] | None) -> Callable[[int], Awaitable[None]]:
    """A handler that shows nothing."""

    async def handle(subject: int) -> None:
        if handler is not None:
            await handler(subject)

    return handle


AnyHouse = TypeVar("AnyHouse", bound=House)
NewHouse: TypeAlias = Callable[[], AbstractAsyncContextManager[House]]


@asynccontextmanager
async def opened(house: AnyHouse) -> AsyncIterator[AnyHouse]:
    """Close a house, and its other processes, after the block."""
    try:
        yield house
    finally:
        await house.close()


@asynccontextmanager
async def house_beside(config: Config, now: datetime) -> AsyncIterator[House]:
    """Another process on the database of a running bot."""
    async with opened(House(config, Clock())) as house:
        house.now = now
        yield house


def house_fixture(kind: Callable[[Config, Clock], AnyHouse]) -> Any:
    """The fixture of a house of a kind, with an empty database."""

    @pytest.fixture
    async def house(config: Config, clock: Clock) -> AsyncIterator[AnyHouse]:
        async with opened(kind(config, clock)) as house:
            yield house

    return house

"""The services on one database, with the players and the places of rated games."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import Any

import rules
from bot.domain.matches import Match, ProposalKind
from bot.domain.places import Place
from bot.domain.players import Player
from bot.domain.ratings import Rating
from bot.services.challenges import Challenges
from bot.services.match_lifecycle import start_match
from bot.services.matches import Matches
from bot.services.proposals import Proposals
from bot.services.ratings import Ratings, rate
from bot.storage import Storage
from tests.support.services import privacy_service, store_turns

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
PEOPLE = [Player((1 << 60) + number, name) for number, name in enumerate(("Alice", "Bob", "Carol", "Dan"))]
ALICE, BOB, CAROL, DAN = PEOPLE
HERE, THERE = Place(1, 10), Place(2, 20)
DALEN, HEDU = rules.ruleset("dalen", 5), rules.ruleset("hedu", 5)
PLAYED = ("e5", "light", "d4", "a1")


class House:
    """The services on one database, at a time that tests set."""

    def __init__(self, storage: Storage) -> None:
        self.storage = storage
        self.now = NOW
        self.chance = random.Random(1)
        self.rated = list[datetime]()
        self.ratings = Ratings(storage, clock=lambda: self.now, formula=self.rate)
        self.matches = Matches(storage, self.ratings, clock=lambda: self.now)
        self.challenges = Challenges(storage, clock=lambda: self.now, lifetime=timedelta(days=1), chance=self.chance)
        self.proposals = Proposals(storage, self.matches, clock=lambda: self.now)
        self.privacy = privacy_service(storage, self.matches, lambda: self.now)

    def rate(self, first: Rating, second: Rating, score: float, ply: int, at: datetime) -> tuple[Rating, Rating]:
        """The formula, which notes the time of each game that it rates."""
        self.rated.append(at)
        return rate(first, second, score, ply, at)

    async def start(
        self,
        first: Player = ALICE,
        second: Player = BOB,
        *,
        turns: tuple[str, ...] = PLAYED,
        ruleset: rules.Ruleset = DALEN,
        place: Place = HERE,
        rated: bool = True,
    ) -> int:
        """A match after those turns, stored at once; its channel is its own."""
        channel_id = self.chance.getrandbits(60)
        async with self.storage.transaction() as tx:
            await tx.players.save(first, second)
            match = await start_match(
                tx,
                ruleset,
                Place(place.guild_id, channel_id),
                (first, second),
                self.now,
                channel_id,
                rated=rated,
                control=None,
            )
            match_id = match.id
            named = (ruleset.game.sides[1] if turn == "light" else turn for turn in turns)
            await store_turns(tx, self.matches, match_id, named, self.now)
        return match_id

    async def beat(self, winner: Player, loser: Player, **how: Any) -> Match:
        match_id = await self.start(loser, winner, **how)
        return (await self.matches.resign(match_id, loser.id)).match

    async def draw(self, first: Player, second: Player, **how: Any) -> Match:
        match_id = await self.start(first, second, **how)
        return await self.agree(match_id, ProposalKind.DRAW)

    async def agree(self, match_id: int, kind: ProposalKind) -> Match:
        match = await self.matches.match(match_id)
        offered = await self.proposals.propose(match_id, match.first.id, kind)
        await self.proposals.accept(offered.id, match.second.id)
        return await self.matches.match(match_id)

    async def values(self, game: str = "dalen") -> list[int]:
        return [round((await self.ratings.rating(player.id, game)).value) for player in PEOPLE]

    async def check(self) -> None:
        """What is stored is what comes out when it is made anew."""
        stored = await self.ratings.digest()
        await self.ratings.recompute()
        assert await self.ratings.digest() == stored

"""Ladders without Discord."""

from __future__ import annotations

from dataclasses import dataclass

import rules
from bot.domain.competitions.ladders import Ladder, Loss
from bot.domain.deliveries import PostedMessage
from bot.domain.matches import Ending, Match, Result
from bot.services.ladders import LadderOptions
from tests.support.services.house import House
from tests.support.services.matches import CROWD, PLACE, note_card

HEDU = rules.GAMES["hedu"]


@dataclass
class Rungs:
    """A ladder in a house. Its players are numbers: their places in the crowd."""

    house: House
    id: int

    async def get(self) -> Ladder:
        return await self.house.ladders.get(self.id)

    async def order(self) -> list[int]:
        """The players from the top down."""
        ladder = await self.get()
        assert [rung.number for rung in ladder.rungs] == list(range(1, len(ladder.rungs) + 1))
        return [rung.player.id - CROWD[0].id for rung in ladder.rungs]

    async def join(self, player: int) -> None:
        await self.house.ladders.join(self.id, CROWD[player])

    async def leave(self, player: int) -> None:
        await self.house.ladders.leave(self.id, CROWD[player].id)

    async def pause(self, player: int) -> Ladder:
        return await self.house.ladders.pause(self.id, CROWD[player].id)

    async def come_back(self, player: int) -> None:
        await self.house.ladders.come_back(self.id, CROWD[player].id)

    async def options(self, player: int) -> LadderOptions:
        return await self.house.ladders.options(await self.get(), CROWD[player].id)

    async def challenge(self, challenger: int, opponent: int, *, posted: bool = True) -> int:
        """Make a challenge, and return its id."""
        made = await self.house.challenges.challenge_on_ladder(self.id, CROWD[challenger], CROWD[opponent].id)
        assert made is not None
        if posted:
            await post_challenges(self.house)
        return made.id

    async def decline(self, challenger: int, opponent: int) -> None:
        """Make a challenge that the opponent declines."""
        await self.house.challenges.decline(await self.challenge(challenger, opponent), CROWD[opponent].id)

    async def begin(self, challenger: int, opponent: int) -> Match:
        """Start a match for the opponent's place, in its own channel."""
        accepted = await self.house.challenges.accept(await self.challenge(challenger, opponent), CROWD[opponent])
        return await give_room(self.house, accepted)

    async def beat(self, challenger: int, opponent: int, *, loses: bool = False) -> None:
        winner = CROWD[opponent if loses else challenger]
        await self.house.end(await self.begin(challenger, opponent), Result(winner.id, Ending.RULES))

    async def losses(self) -> list[tuple[int, int, Loss]]:
        """The players who hear of the loss of a place, with its number and the reason; nobody hears it twice."""
        lost = (await self.house.deliveries.ladder_view(self.id)).lost
        for place in lost:
            await self.house.ladders.note_told(place.id)
        return [(place.player.id - CROWD[0].id, place.number, place.loss) for place in lost]


async def open_ladder(house: House, count: int) -> Rungs:
    """Open a ladder of this many players, the first at the top."""
    rungs = Rungs(house, (await house.ladders.open(PLACE, HEDU, CROWD[0])).id)
    for player in range(1, count):
        await rungs.join(player)
    return rungs


async def post_challenges(house: House) -> None:
    """Post the cards of challenges, as the bot does at its start at the latest."""
    async with house.storage.read() as tx:
        unshown = await tx.deliveries.unshown_challenges()
    for challenge_id in unshown:
        card = PostedMessage(PLACE.channel_id, 10_000 + challenge_id, 1)
        await house.deliveries.set_challenge(challenge_id, card.version, card)


async def give_room(house: House, match: Match) -> Match:
    """Show a match, in a channel of its own if it waits for one."""
    if match.waiting:
        return await house.place(match)
    await note_card(house.storage, match.id)
    return await house.match(match)

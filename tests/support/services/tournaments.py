"""Tournaments and cups, without a database and without Discord."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from bot.domain.competitions.tournaments import Entrant, Tournament, TournamentState, pairings_of
from bot.domain.matches import Ending, Match, Result
from bot.domain.players import Player
from tests.support.services.house import House
from tests.support.services.matches import CROWD, DALEN, MATCH, PLACE

ORGANISER = CROWD[0]
ABANDONED = Result(None, Ending.ABANDONED)


def tournament_of(size: int, **values: Any) -> Tournament:
    """A running tournament of players 1, 2, … before its first game; the first player is its organiser."""
    people = [Player(number, f"P{number}") for number in range(1, size + 1)]
    usual: dict[str, Any] = {
        "id": 1,
        "place": PLACE,
        "name": "",
        "organiser": people[0],
        "ruleset": DALEN,
        "control": None,
        "at_once": 2,
        "state": TournamentState.RUNNING,
        "created_at": MATCH.started_at,
        "entrants": tuple(map(Entrant, people)),
        "pairings": tuple(pairings_of([player.id for player in people])),
    }
    return Tournament(**usual | values)


class TournamentHouse(House):
    """A house in which the first of the crowd opens tournaments, and the next ones enter."""

    async def open(self, entrants: int = 1, **terms: Any) -> Tournament:
        opened = await self.tournaments.create(PLACE, "Cup", ORGANISER, DALEN, **terms)
        return await self.enter(opened, *CROWD[1:entrants])

    async def enter(self, tournament: Tournament, *people: Player) -> Tournament:
        for player in people:
            await self.tournaments.join(tournament.id, player)
        return await self.tournament(tournament)

    async def begin(self, entrants: int, **terms: Any) -> Tournament:
        """Start a tournament and its first games."""
        opened = await self.open(entrants, **terms)
        await self.tournaments.start(opened.id, ORGANISER.id)
        return await self.advance(opened)

    async def advance(self, tournament: Tournament) -> Tournament:
        await self.tournaments.advance(tournament.id)
        return await self.tournament(tournament)

    async def tournament(self, tournament: Tournament) -> Tournament:
        return await self.tournaments.get(tournament.id)

    async def withdraw(self, tournament: Tournament, player: Player) -> None:
        """Let a player leave, a minute after the last result."""
        self.now += timedelta(minutes=1)
        await self.tournaments.withdraw(tournament.id, player.id)

    async def remove(self, tournament: Tournament, player: Player, by: Player = ORGANISER, **how: bool) -> None:
        await self.tournaments.remove(tournament.id, player.id, by, **how)

    async def running(self, tournament: Tournament, *players: Player) -> list[Match]:
        """The running games, or those in which all of these players take part."""
        pairings = (await self.tournament(tournament)).running
        found = [await self.matches.match(pairing.match_id) for pairing in pairings if pairing.match_id is not None]
        return [match for match in found if all(match.has_player(player.id) for player in players)]

    async def finish(self, match: Match, winner: Player | None, ending: Ending = Ending.RULES) -> None:
        """End a match, a minute later."""
        self.now += timedelta(minutes=1)
        await self.end(match, ABANDONED if winner is None else Result(winner.id, ending))

    async def place_all(self, tournament: Tournament) -> list[Match]:
        """Find a place for the running games, show them there, and return them."""
        return [await self.place(match) for match in await self.running(tournament)]

"""Matches against the computer that start on the pages, in the player's conversation with the bot."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias

from aiohttp import web

from bot.domain.challenges import First
from bot.domain.matches import Match
from bot.domain.places import Place
from bot.domain.players import Player
from bot.services.computer_games import ComputerGames
from bot.services.people.doors import Doors
from bot.web.board.thumbnails import shown_games
from bot.web.http.answers import answer
from bot.web.http.requests import VISITOR, known_player
from rules import GAMES, Position, Ruleset

#: Returns a player's conversation with the bot. Raises :class:`bot.domain.places.NoConversationError`.
Conversation: TypeAlias = Callable[[int], Awaitable[Place]]


@dataclass
class ComputerMatches:
    """Starts matches against the computer at the level that suits the player."""

    games: ComputerGames
    conversation: Conversation

    async def start(self, player: Player, game: type[Position]) -> Match:
        """Start a match of the usual size; after a double press, return the first match."""
        return await self.start_with(player, await self.games.usual_ruleset(player.id, game), First.RANDOM)

    async def start_with(self, player: Player, ruleset: Ruleset, first: First) -> Match:
        level = await self.games.suggested_level(player.id, ruleset.game.name)
        return await self.games.start(await self.conversation(player.id), player, level, ruleset, first)


@dataclass
class PlayRoutes:
    matches: ComputerMatches
    doors: Doors

    def add_to(self, router: web.UrlDispatcher) -> None:
        router.add_get("/play", self.choose)
        router.add_post("/play/{game:[a-z]+}", self.play)

    async def choose(self, request: web.Request) -> web.StreamResponse:
        """The games to play against the computer or, without a session, the way to sign in."""
        return answer(request, "play/play.html", games=shown_games(request[VISITOR].preferences))

    async def play(self, request: web.Request) -> web.StreamResponse:
        game = GAMES.get(request.match_info["game"])
        if game is None:
            raise web.HTTPNotFound
        match = await self.matches.start(await known_player(request, self.doors), game)
        return web.Response(status=303, headers={"Location": f"/m/{await self.doors.key(match.id)}"})

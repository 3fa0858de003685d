"""Fair play: no help with positions in running matches between people."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from bot.domain.computer import SamePositionError
from bot.domain.matches import Game
from bot.services.matches import Matches
from bot.storage import Storage
from rules import Position


@dataclass
class FairPlay:
    """Compares positions with running matches: the computer must help nobody against a person."""

    storage: Storage
    matches: Matches

    async def check(self, player_id: int, *positions: Position) -> None:
        """Raise :class:`SamePositionError` if a running match of the player with a person now has such a position.

        The positions belong to one game, size and variant. Different turns may lead to the same position.
        """
        ruleset, asked = positions[0].ruleset, set(map(_likeness, positions))
        async with self.storage.read() as tx:
            alike = [
                match
                for match in await tx.matches.running(player_id=player_id)
                if replace(match.ruleset, setup=ruleset.setup) == ruleset
                and all(player.is_person for player in match.players)
            ]
            games = await self.matches.games(tx, alike)
        for game in games:
            if _likeness(game.position) in asked:
                raise SamePositionError(match=game.match.id)

    async def check_imported(self, player_id: int, game: Game) -> None:
        """Check every position of an imported record, which its owner may have made up to get help."""
        if game.match.imported is not None:
            await self.check(player_id, *await asyncio.to_thread(_positions_of, game))


def _positions_of(game: Game) -> list[Position]:
    positions = [game.match.ruleset.start()]
    for turn in game.turns:
        positions.append(positions[-1].play(turn)[0])
    return positions


def _likeness(position: Position) -> int:
    """A hash of the pieces and the side to play, which does not depend on the players or earlier turns."""
    return hash((frozenset(position.pieces().items()), position.to_play))

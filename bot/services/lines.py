"""Trying turns from a position of a match, on a board of one's own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from bot.domain.lines import Line
from bot.domain.matches import Game, Match
from bot.domain.players import Player
from bot.services.matches import Matches
from bot.storage import Storage


@dataclass
class Lines:
    """The line that each person tries in a match, which nobody else sees. The match is not affected.

    The caller has checked that they may see the match. ``clock`` returns the time in UTC.
    """

    storage: Storage
    matches: Matches
    clock: Callable[[], datetime]

    async def get(self, match_id: int, player_id: int) -> Line | None:
        async with self.storage.read() as tx:
            return await tx.lines.get(match_id, player_id)

    async def start(self, match: Match, line: Line) -> Game:
        """The match as it was where a line of it begins, still running."""
        return await self.matches.game_at(replace(match, step=line.step), line.ply)

    async def begin(self, match_id: int, player: Player, line: Line, *, anew: bool = False) -> Line:
        """Begin a line, and forget the player's other one; unless ``anew``, one from the same position goes on."""
        async with self.storage.transaction() as tx:
            kept = await tx.lines.lock(match_id, player.id)
            if kept is not None and not anew and kept.begins_as(line):
                return kept
            await tx.players.save(player)
            await tx.lines.set(match_id, player.id, line, self.clock())
        return line

    async def change(self, match_id: int, player_id: int, line: Line, *, before: Line) -> bool:
        """Replace the line ``before``; False when the player's line is another one by now."""
        async with self.storage.transaction() as tx:
            if await tx.lines.lock(match_id, player_id) != before:
                return False
            await tx.lines.set(match_id, player_id, line, self.clock())
            return True

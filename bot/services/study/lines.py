"""The lines that people try in matches, on a private board."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from bot.domain.matches import Game, Match
from bot.domain.players import Player
from bot.domain.study.lines import Line
from bot.services.matches import Matches
from bot.storage import Storage


@dataclass
class Lines:
    """The lines that people try in matches that they may see, as the caller has checked. Nobody else sees a line."""

    storage: Storage
    matches: Matches
    now: Callable[[], datetime]

    async def get(self, match_id: int, player_id: int) -> Line | None:
        async with self.storage.read() as tx:
            return await tx.lines.get(match_id, player_id)

    async def start(self, match: Match, line: Line) -> Game:
        """The match at the beginning of a line, as if it were still running."""
        return await self.matches.game_at(replace(match, step=line.step), line.ply)

    async def begin(self, match_id: int, player: Player, line: Line, *, restart: bool = False) -> Line:
        """Continue the player's line if it begins at the same position; otherwise, or to ``restart``, replace it."""
        async with self.storage.transaction() as tx:
            kept = await tx.lines.lock(match_id, player.id)
            if kept is not None and not restart and kept.begins_as(line):
                return kept
            await tx.players.save(player)
            await tx.lines.set(match_id, player.id, line, self.now())
        return line

    async def change(self, match_id: int, player_id: int, line: Line, *, before: Line) -> bool:
        """Replace the line ``before``; False if the player's line has changed."""
        async with self.storage.transaction() as tx:
            if await tx.lines.lock(match_id, player_id) != before:
                return False
            await tx.lines.set(match_id, player_id, line, self.now())
            return True

    async def share(self, match_id: int, line: Line) -> None:
        """Store a shared line, which others can continue."""
        async with self.storage.transaction() as tx:
            await tx.lines.share(match_id, line)

    async def shared_line(self, match_id: int, name: str) -> Line | None:
        async with self.storage.read() as tx:
            return await tx.lines.shared_line(match_id, name)

"""What players note on their matches."""

from __future__ import annotations

from dataclasses import dataclass

from bot.domain.matches import NotAPlayerError
from bot.services.matches import Matches
from bot.storage import Storage

#: The most characters of a note.
LONGEST_NOTE = 2000


@dataclass
class Notes:
    """Notes on running and finished matches. Each is for the player who has written it, and for nobody else."""

    storage: Storage
    matches: Matches

    async def get(self, match_id: int, player_id: int) -> str:
        """The player's note; empty if there is none. Raises :class:`NotAPlayerError`."""
        await self._check(match_id, player_id)
        async with self.storage.read() as tx:
            return await tx.notes.get(match_id, player_id)

    async def set(self, match_id: int, player_id: int, text: str) -> str:
        """Store a note in place of the player's previous one, or delete it, and return what is stored."""
        await self._check(match_id, player_id)
        note = text.strip()[:LONGEST_NOTE]
        async with self.storage.transaction() as tx:
            await tx.notes.set(match_id, player_id, note)
        return note

    async def _check(self, match_id: int, player_id: int) -> None:
        match = await self.matches.match(match_id)
        if not match.has_player(player_id):
            raise NotAPlayerError(match)

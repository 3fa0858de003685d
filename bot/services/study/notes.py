"""The notes of players on their matches."""

from __future__ import annotations

from dataclasses import dataclass

from bot.domain.matches import Match, NotAPlayerError, UnknownMatchError
from bot.storage import Storage

#: Maximum characters of a note.
LONGEST_NOTE = 2000


@dataclass
class Notes:
    """Notes on matches and imported records. Only the writer sees a note."""

    storage: Storage

    async def get(self, match_id: int, player_id: int) -> str:
        """The player's note; empty if there is none. Raises :class:`NotAPlayerError`."""
        async with self.storage.read() as tx:
            _check(await tx.matches.get(match_id), player_id)
            return await tx.notes.get(match_id, player_id)

    async def set(self, match_id: int, player_id: int, text: str) -> str:
        """Replace the player's note, and return the stored text; an empty text deletes the note."""
        note = text.strip()[:LONGEST_NOTE]
        async with self.storage.transaction() as tx:
            # Locked, because the deletion of the player locks the match, too.
            _check(await tx.matches.lock(match_id), player_id)
            await tx.notes.set(match_id, player_id, note)
        return note


def _check(match: Match | None, player_id: int) -> None:
    if match is None:
        raise UnknownMatchError
    if not match.belongs_to(player_id):
        raise NotAPlayerError(match) if match.imported is None else UnknownMatchError

"""What keeps play fair and people in charge: blocking, conduct, and what is kept of somebody."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import aclosing
from datetime import datetime

from bot.domain.errors import TooManyPostsError
from bot.domain.players import Conduct, Player
from bot.services.archive import Archive, Part
from bot.storage import Storage

#: As many as Discord shows in one menu.
MOST_BLOCKED = 25
#: Discord takes files of this many bytes everywhere.
LARGEST_FILE = 10 * 1024 * 1024
#: Rows that are read and written at once, which takes the event loop about a millisecond.
_ROWS = 200


class Privacy:
    def __init__(self, storage: Storage, *, clock: Callable[[], datetime]) -> None:
        self._storage = storage
        self._clock = clock
        self._exporting = asyncio.Semaphore(1)

    async def blocked(self, player_id: int) -> list[int]:
        """Whom the player has blocked, by their Discord ids: neither can challenge the other, nor accept a challenge of
        the other."""
        return await self._storage.blocked(player_id)

    async def set_blocked(self, player: Player, others: Iterable[int]) -> list[int]:
        """Blocks these, and nobody else; matches that are running go on. People cannot block themselves."""
        wanted = [other for other in dict.fromkeys(others) if other != player.id]
        await self._storage.set_blocked(player, wanted[:MOST_BLOCKED])
        return await self.blocked(player.id)

    async def note_post(self, player: Player) -> None:
        """Counts a board that the player shows everybody; raises when those were many."""
        wait = await self._storage.add_post(player, self._clock())
        if wait is not None:
            raise TooManyPostsError(wait.until)

    async def conduct(self, player_id: int) -> Conduct:
        """How reliable the player is; matches that a moderator ended count for nobody."""
        return await self._storage.conduct(player_id)

    async def export(self, player_id: int, largest: int = LARGEST_FILE) -> AsyncGenerator[Part, None]:
        """All that is kept of the player, the rows of each table that refer to them: files of at most so many bytes,
        one after the other."""
        async with self._exporting:  # a file is held in memory, not one for everybody who asks
            archive = Archive(largest)
            async with aclosing(self._storage.data_of(player_id, _ROWS)) as tables:
                async for table, rows in tables:
                    full = await asyncio.to_thread(archive.add, table, rows)
                    if full is not None:
                        yield full
            yield await asyncio.to_thread(archive.finish)

"""Imported records: finished matches that only their owner sees and that do not count."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from bot.domain.matches import Match, MatchListPage, page_number
from bot.domain.players import IMPORTED_IDS, Player
from bot.domain.study.imports import (
    MOST_IMPORTS,
    NothingToImportError,
    NotImportedError,
    Reading,
    digest_of,
    names_in,
    read_records,
    result_in,
)
from bot.storage import Storage, Transaction

_PAGE = 10
_SEATS = tuple(Player(player_id, "") for player_id in IMPORTED_IDS)


@dataclass(frozen=True, slots=True)
class ImportOutcome:
    """The outcome of importing a record: its match, which may have been imported ``before``.

    The match is None if the record has a mistake, or if the player has too many records.
    """

    reading: Reading
    match: Match | None
    before: bool = False


@dataclass
class Imports:
    """Imported records. Nobody else sees them, and they change no ratings or lists."""

    storage: Storage
    now: Callable[[], datetime]

    async def add(self, player: Player, *texts: str) -> tuple[list[ImportOutcome], bool]:
        """Import the records in some texts; return the outcome of each, and whether a text has more records."""
        read = [await asyncio.to_thread(read_records, text) for text in texts if text.strip()]
        if not read:
            raise NothingToImportError
        outcomes = [await self._import(player, reading) for readings, _more in read for reading in readings]
        return outcomes, any(more for _readings, more in read)

    async def count(self, player_id: int) -> int:
        async with self.storage.read() as tx:
            return await tx.imports.count(player_id)

    async def page(self, player_id: int, page: int) -> MatchListPage:
        """A page of a player's records, the newest first; a number that is too large means the last page."""
        async with self.storage.read() as tx:
            total = await tx.imports.count(player_id)
            number, pages = page_number(page, total, _PAGE)
            ids = await tx.imports.match_ids(player_id, skip=(number - 1) * _PAGE, most=_PAGE)
            return MatchListPage(tuple(await tx.matches.with_ids(ids)), number, pages, total)

    async def check(self, match_id: int, player_id: int) -> None:
        """Raise unless the player has imported this record."""
        async with self.storage.read() as tx:
            await self._check(tx, match_id, player_id)

    async def delete(self, match_id: int, player_id: int) -> None:
        """Delete a record of the player with everything about it."""
        async with self.storage.transaction() as tx:
            await tx.matches.lock(match_id)
            await self._check(tx, match_id, player_id)
            await tx.imports.delete([match_id])

    async def _import(self, player: Player, reading: Reading) -> ImportOutcome:
        record, position = reading.record, reading.position
        if record is None or position is None:
            return ImportOutcome(reading, None)
        digest = digest_of(record)
        async with self.storage.transaction() as tx:
            # This locks the player, so their other imports wait until the end of the transaction.
            await tx.players.save(player, *_SEATS)
            known = await tx.imports.find(player.id, digest)
            if known is not None:
                return ImportOutcome(reading, await tx.matches.get(known), before=True)
            if await tx.imports.count(player.id) >= MOST_IMPORTS:
                return ImportOutcome(reading, None)
            result, names = result_in(record, position), names_in(record, position)
            match_id = await tx.imports.add(player.id, record, names, result, digest, self.now())
            return ImportOutcome(reading, await tx.matches.get(match_id))

    @staticmethod
    async def _check(tx: Transaction, match_id: int, player_id: int) -> None:
        if await tx.imports.owner(match_id) != player_id:
            raise NotImportedError

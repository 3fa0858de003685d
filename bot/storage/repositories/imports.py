"""Records that players have imported. They are stored as finished matches, and can do everything that matches can."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, delete, func, select, update

from bot.domain.matches import Imported, Result
from bot.domain.players import IMPORTED_IDS
from bot.storage.repository import Repository
from bot.storage.tables import (
    drafts,
    imports,
    lines,
    match_deliveries,
    matches,
    notes,
    reviews,
    shared_lines,
    turns,
    web_tokens,
)
from rules import Record, ruleset

#: The tables with data about an imported record, besides its match.
_PARTS = (turns, match_deliveries, drafts, lines, notes, reviews, shared_lines, web_tokens, imports)


class ImportRepository(Repository):
    """The imported records of players."""

    async def find(self, player_id: int, digest: str) -> int | None:
        """The number of a player's record with that digest; None if they have not imported it."""
        mine = select(imports.c.match_id).where(imports.c.player_id == player_id, imports.c.digest == digest)
        return await self._scalar(mine)

    async def count(self, player_id: int) -> int:
        mine = select(func.count()).select_from(imports).where(imports.c.player_id == player_id)
        return await self._scalar(mine) or 0

    async def match_ids(self, player_id: int, *, skip: int = 0, most: int | None = None) -> list[int]:
        """The numbers of a player's records, the newest first."""
        mine = select(imports.c.match_id).where(imports.c.player_id == player_id)
        return await self._scalars(mine.order_by(imports.c.match_id.desc()).offset(skip).limit(most))

    async def owner(self, match_id: int) -> int | None:
        """The player who has imported a record; None for an unknown record."""
        return await self._scalar(select(imports.c.player_id).where(imports.c.match_id == match_id))

    async def of_matches(self, match_ids: Collection[int]) -> dict[int, tuple[tuple[str, str], Imported]]:
        """The players' names in records, and the records' other data, by number."""
        rows = await self._rows(select(imports).where(imports.c.match_id.in_(match_ids)))
        return {
            row.match_id: ((row.first_name, row.second_name), Imported(row.player_id, row.result, row.tags))
            for row in rows
        }

    async def add(
        self, player_id: int, record: Record, names: Sequence[str], result: Result, digest: str, now: datetime
    ) -> int:
        """Store a record of a stored player, and return its number. ``IMPORTED_IDS`` must be stored as players."""
        count = len(record.turns)
        match_id = await self._add_numbered(
            matches,
            ruleset=record.ruleset.id,
            game=record.ruleset.game.name,
            first_id=IMPORTED_IDS[0],
            second_id=IMPORTED_IDS[1],
            ply=count,
            step=count,
            started_at=now,
            ended_at=now,
            ending=result.ending,
            winner_id=result.winner_id,
            rated=False,
        )
        # It is not shown on Discord, so it counts as shown.
        shown = {"seat": 0, "home_channel_id": 0, "requests": 0, "shown_version": count + 1}
        await self._add(match_deliveries, {"match_id": match_id, **shown})
        step = {"match_id": match_id, "player_id": IMPORTED_IDS[0], "played_at": now}
        await self._add(
            turns, *({**step, "step": ply, "ply": ply, "turn": turn} for ply, turn in enumerate(record.turns, 1))
        )
        key = {"match_id": match_id, "player_id": player_id, "digest": digest}
        named = {"first_name": names[0], "second_name": names[1]}
        await self._add(imports, {**key, **named, "result": record.result, "tags": record.tags})
        return match_id

    async def delete(self, match_ids: Collection[int]) -> None:
        """Delete records with everything about them. Empty matches remain, so their numbers are never used again."""
        for table in _PARTS:
            await self._execute(delete(table).where(table.c.match_id.in_(match_ids)))
        for row in await self._rows(select(matches.c.id, matches.c.game).where(matches.c.id.in_(match_ids))):
            blank = update(matches).where(matches.c.id == row.id)
            await self._execute(blank.values(ply=0, step=0, ruleset=ruleset(row.game).id))
        self._changed_ids.update(match_ids)


def imported_by(player_id: int) -> ColumnElement[bool]:
    """Whether a match is a record that the player has imported."""
    return matches.c.id.in_(select(imports.c.match_id).where(imports.c.player_id == player_id))

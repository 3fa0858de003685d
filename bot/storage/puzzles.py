"""The puzzles that players have tried, and the puzzles of the day on servers."""

from __future__ import annotations

from datetime import date, datetime

from sqlalchemy import and_, case, delete, func, select

from bot.domain.puzzles import Attempt, DailyPuzzle, PuzzleCount
from bot.storage.repository import AnyRow, Repository
from bot.storage.tables import daily_puzzles, nicknames, puzzle_attempts
from rules.puzzles import Puzzle


class PuzzleRepository(Repository):
    """One attempt of everybody at each puzzle, and one puzzle of each day on each server."""

    async def attempts(self, player_id: int) -> list[Attempt]:
        """A player's attempts, in the order in which their first tries ended."""
        rows = await self._read(
            select(puzzle_attempts)
            .where(puzzle_attempts.c.player_id == player_id)
            .order_by(puzzle_attempts.c.answered_at, puzzle_attempts.c.puzzle)
        )
        return [Attempt(row.puzzle, row.difficulty, row.seen_at, row.solved) for row in rows]

    async def see(self, player_id: int, puzzle: Puzzle, now: datetime) -> None:
        """Store that a puzzle was shown to a player who is stored already."""
        seen = self._insert(puzzle_attempts).values(
            player_id=player_id, puzzle=puzzle.key, difficulty=puzzle.difficulty, seen_at=now
        )
        await self._connection.execute(
            seen.on_conflict_do_update(index_elements=["player_id", "puzzle"], set_={"seen_at": now})
        )

    async def answer(self, player_id: int, puzzle: Puzzle, now: datetime, *, solved: bool) -> bool:
        """Store how the first try of a player, who is stored already, ended; False if it had ended before."""
        ended = {"solved": solved, "answered_at": now}
        put = self._insert(puzzle_attempts).values(
            player_id=player_id, puzzle=puzzle.key, difficulty=puzzle.difficulty, seen_at=now, **ended
        )
        counted = await self._connection.execute(
            put.on_conflict_do_update(
                index_elements=["player_id", "puzzle"], set_=ended, where=puzzle_attempts.c.solved.is_(None)
            ).returning(puzzle_attempts.c.puzzle)
        )
        return counted.one_or_none() is not None

    async def solved(self, player_id: int, puzzle: str) -> bool | None:
        """How the first try of a player ended; None if it has not."""
        mine = and_(puzzle_attempts.c.player_id == player_id, puzzle_attempts.c.puzzle == puzzle)
        found: bool | None = await self._connection.scalar(select(puzzle_attempts.c.solved).where(mine))
        return found

    async def count(self, puzzle: str, server_id: int) -> PuzzleCount:
        """How many of the people who have used the bot on a server have tried a puzzle, there or elsewhere."""
        row = (
            await self._connection.execute(
                select(func.coalesce(func.sum(case((puzzle_attempts.c.solved, 1), else_=0)), 0), func.count())
                .join(nicknames, nicknames.c.player_id == puzzle_attempts.c.player_id)
                .where(
                    puzzle_attempts.c.puzzle == puzzle,
                    puzzle_attempts.c.solved.is_not(None),
                    nicknames.c.guild_id == server_id,
                )
            )
        ).one()
        return PuzzleCount(*row)

    async def servers_of(self, player_id: int, puzzle: str, since: date) -> list[int]:
        """The servers on which the player has used the bot and the puzzle was that of a day since then."""
        found = await self._connection.scalars(
            select(daily_puzzles.c.server_id)
            .join(nicknames, nicknames.c.guild_id == daily_puzzles.c.server_id)
            .where(nicknames.c.player_id == player_id, daily_puzzles.c.puzzle == puzzle, daily_puzzles.c.day >= since)
            .distinct()
            .order_by(daily_puzzles.c.server_id)
        )
        return list(found)

    async def was_posted(self, server_id: int, day: date) -> bool:
        """Whether a server has got the puzzle of a day."""
        this = and_(daily_puzzles.c.server_id == server_id, daily_puzzles.c.day == day)
        return await self._connection.scalar(select(daily_puzzles.c.message_id).where(this)) is not None

    async def dailies(self, server_id: int) -> list[DailyPuzzle]:
        """The puzzles of the day on a server whose cards are kept up to date, the latest first."""
        query = select(daily_puzzles).where(daily_puzzles.c.server_id == server_id)
        return [_to_daily(row) for row in await self._read(query.order_by(daily_puzzles.c.day.desc()))]

    async def set_daily(self, daily: DailyPuzzle) -> None:
        """Store the puzzle of a day that was posted, in place of what was stored of it."""
        row = {
            "server_id": daily.server_id,
            "day": daily.day,
            "puzzle": daily.puzzle,
            "channel_id": daily.channel_id,
            "message_id": daily.message_id,
            "solved": daily.count.solved,
            "tried": daily.count.tried,
        }
        await self._put(daily_puzzles, row)

    async def forget_dailies(self, server_id: int, before: date) -> None:
        await self._connection.execute(
            delete(daily_puzzles).where(daily_puzzles.c.server_id == server_id, daily_puzzles.c.day < before)
        )


def _to_daily(row: AnyRow) -> DailyPuzzle:
    count = PuzzleCount(row.solved, row.tried)
    return DailyPuzzle(row.server_id, row.day, row.puzzle, row.channel_id, count, row.message_id)

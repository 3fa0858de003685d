"""What players study: lines that they try, notes and reviews of matches, puzzles, and plans."""

from __future__ import annotations

from dataclasses import asdict
from datetime import date, datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, case, delete, func, not_, select, tuple_, update

from bot.domain.plans import Plan
from bot.domain.study.lines import Line
from bot.domain.study.puzzles import MOST_TRIES, Attempt, DailyPuzzle, PuzzleCount, Try
from bot.domain.study.reviews import Review, TurningPoint
from bot.storage.repository import AnyRow, Repository
from bot.storage.tables import (
    daily_puzzles,
    lines,
    matches,
    nicknames,
    notes,
    plans,
    puzzle_attempts,
    reviews,
    shared_lines,
)
from rules.puzzles import Puzzle


class LineRepository(Repository):
    """One line for each match and player."""

    async def get(self, match_id: int, player_id: int) -> Line | None:
        row = await self._row(select(lines).where(lines.c.match_id == match_id, lines.c.player_id == player_id))
        return None if row is None else Line(row.step, row.ply, tuple(row.turns.split()), row.begun)

    async def lock(self, match_id: int, player_id: int) -> Line | None:
        """Lock the line until the end of the transaction, and return it."""
        await self._lock_match(match_id)
        return await self.get(match_id, player_id)

    async def set(self, match_id: int, player_id: int, line: Line, now: datetime) -> None:
        """Store a stored player's line, replacing the previous one."""
        key = {"match_id": match_id, "player_id": player_id}
        await self._put(lines, {**key, **asdict(line), "turns": " ".join(line.turns), "changed_at": now})

    async def share(self, match_id: int, line: Line) -> None:
        """Store a line that its player shows to everybody."""
        values = {"step": line.step, "ply": line.ply, "turns": " ".join(line.turns)}
        await self._put(shared_lines, {"match_id": match_id, "digest": line.name, **values})

    async def shared_line(self, match_id: int, name: str) -> Line | None:
        """The shared line with that name."""
        this = and_(shared_lines.c.match_id == match_id, shared_lines.c.digest == name)
        row = await self._row(select(shared_lines).where(this))
        return None if row is None else Line(row.step, row.ply, tuple(row.turns.split()))

    async def delete_old(self, before: datetime, most: int) -> list[int]:
        """Delete up to ``most`` lines that were last changed before a time; return their players."""
        key, old = (lines.c.match_id, lines.c.player_id), lines.c.changed_at < before
        query = select(*key).where(old).order_by(lines.c.changed_at).limit(most)
        keys = [tuple(row) for row in await self._rows(query)]
        await self._execute(delete(lines).where(tuple_(*key).in_(keys), old))
        return [player_id for _match_id, player_id in keys]


class NoteRepository(Repository):
    """One note for each match and player."""

    async def get(self, match_id: int, player_id: int) -> str:
        """A player's note; empty if there is none."""
        return await self._scalar(select(notes.c.text).where(_is_note(match_id, player_id))) or ""

    async def set(self, match_id: int, player_id: int, text: str) -> None:
        """Store a stored player's note, replacing the previous one; an empty text deletes it."""
        if text:
            await self._put(notes, {"match_id": match_id, "player_id": player_id, "text": text})
        else:
            await self._execute(delete(notes).where(_is_note(match_id, player_id)))


def _is_note(match_id: int, player_id: int) -> ColumnElement[bool]:
    return and_(notes.c.match_id == match_id, notes.c.player_id == player_id)


class ReviewRepository(Repository):
    """One review for each match, with the version of the search that made it."""

    async def get(self, match_id: int, version: int) -> Review | None:
        """The review of a match by a version of the search."""
        query = select(reviews.c.review).where(reviews.c.match_id == match_id, reviews.c.version == version)
        stored: dict[str, Any] | None = await self._scalar(query)
        if stored is None:
            return None
        points = (TurningPoint(**{**point, "line": tuple(point["line"])}) for point in stored["points"])
        return Review(tuple(stored["chances"]), tuple(points))

    async def set(self, match_id: int, version: int, review: Review) -> None:
        """Store a review, replacing the previous one; a version of the search always makes the same review."""
        await self._put(reviews, {"match_id": match_id, "version": version, "review": asdict(review)})


class PuzzleRepository(Repository):
    """One attempt for each player and puzzle, and one puzzle of the day for each server."""

    async def attempts(self, player_id: int) -> list[Attempt]:
        """A player's attempts, in the order in which the first tries ended."""
        rows = await self._read(
            select(puzzle_attempts)
            .where(puzzle_attempts.c.player_id == player_id)
            .order_by(puzzle_attempts.c.answered_at, puzzle_attempts.c.puzzle)
        )
        return [Attempt(row.puzzle, row.difficulty, row.seen_at, row.solved) for row in rows]

    async def see(self, player_id: int, puzzle: Puzzle, now: datetime) -> None:
        """Store that a stored player has seen a puzzle."""
        await self._attempt(player_id, puzzle, now, {"seen_at": now})

    async def answer(self, player_id: int, puzzle: Puzzle, now: datetime, *, solved: bool) -> bool:
        """Store the result of a stored player's first try; False if it already has a result."""
        unanswered = puzzle_attempts.c.solved.is_(None)
        return await self._attempt(player_id, puzzle, now, {"solved": solved, "answered_at": now}, where=unanswered)

    async def add_try(self, player_id: int, puzzle: str, tried: Try) -> None:
        """Add a try of a stored player to a seen puzzle, unless its solution is known or there are too many to list."""
        known = puzzle_attempts.c.tries.like(f"%{Try.FOUND}") | puzzle_attempts.c.tries.like(f"%{Try.SHOWN}")
        fits = func.length(puzzle_attempts.c.tries) < MOST_TRIES + (tried is not Try.WRONG)
        change = update(puzzle_attempts).where(_is_attempt(player_id, puzzle), not_(known), fits)
        await self._execute(change.values(tries=puzzle_attempts.c.tries + tried.value))

    async def tries(self, player_id: int, puzzle: str) -> tuple[Try, ...]:
        """A player's tries of a puzzle."""
        letters: str | None = await self._scalar(select(puzzle_attempts.c.tries).where(_is_attempt(player_id, puzzle)))
        return tuple(map(Try, letters or ""))

    async def first_try(self, player_id: int, puzzle: str) -> bool | None:
        """Whether a player's first try solved the puzzle; None before its end."""
        return await self._scalar(select(puzzle_attempts.c.solved).where(_is_attempt(player_id, puzzle)))

    async def count(self, puzzle: str, server_id: int) -> PuzzleCount:
        """Count the tries, anywhere, of people who have used the bot on a server."""
        counted = (
            select(func.coalesce(func.sum(case((puzzle_attempts.c.solved, 1), else_=0)), 0), func.count())
            .join(nicknames, nicknames.c.player_id == puzzle_attempts.c.player_id)
            .where(
                puzzle_attempts.c.puzzle == puzzle,
                puzzle_attempts.c.solved.is_not(None),
                nicknames.c.guild_id == server_id,
            )
        )
        return PuzzleCount(*(await self._result(counted)).one())

    async def servers_of(self, player_id: int, puzzle: str, since: date) -> list[int]:
        """The servers where the player has used the bot and the puzzle was the puzzle of a day since ``since``."""
        return await self._scalars(
            select(daily_puzzles.c.server_id)
            .join(nicknames, nicknames.c.guild_id == daily_puzzles.c.server_id)
            .where(nicknames.c.player_id == player_id, daily_puzzles.c.puzzle == puzzle, daily_puzzles.c.day >= since)
            .distinct()
            .order_by(daily_puzzles.c.server_id)
        )

    async def was_posted(self, server_id: int, day: date) -> bool:
        """Whether a server has received the puzzle of a day."""
        this = and_(daily_puzzles.c.server_id == server_id, daily_puzzles.c.day == day)
        return await self._exists(select(daily_puzzles.c.message_id).where(this))

    async def dailies(self, server_id: int) -> list[DailyPuzzle]:
        """The puzzles of the day on a server whose cards are still updated, the latest first."""
        query = select(daily_puzzles).where(daily_puzzles.c.server_id == server_id)
        return [
            DailyPuzzle(
                row.server_id, row.day, row.puzzle, row.channel_id, PuzzleCount(row.solved, row.tried), row.message_id
            )
            for row in await self._read(query.order_by(daily_puzzles.c.day.desc()))
        ]

    async def set_daily(self, daily: DailyPuzzle) -> None:
        """Store a posted puzzle of the day, or update its count."""
        row = asdict(daily)
        await self._put(daily_puzzles, row | row.pop("count"))

    async def delete_dailies(self, server_id: int, before: date) -> None:
        await self._execute(
            delete(daily_puzzles).where(daily_puzzles.c.server_id == server_id, daily_puzzles.c.day < before)
        )

    async def _attempt(
        self,
        player_id: int,
        puzzle: Puzzle,
        now: datetime,
        changes: dict[str, Any],
        where: ColumnElement[bool] | None = None,
    ) -> bool:
        """Add an attempt with these values, or change the existing one if it meets the condition."""
        key = {"player_id": player_id, "puzzle": puzzle.key}
        row = {**key, "difficulty": puzzle.difficulty, "seen_at": now, **changes}
        put = self._insert(puzzle_attempts).values(row)
        return await self._execute(put.on_conflict_do_update(index_elements=list(key), set_=changes, where=where)) == 1


def _is_attempt(player_id: int, puzzle: str) -> ColumnElement[bool]:
    return and_(puzzle_attempts.c.player_id == player_id, puzzle_attempts.c.puzzle == puzzle)


#: The separators between the branches of a stored plan, and between the turns of a branch.
_BRANCH, _TURN = ", ", " "


class PlanRepository(Repository):
    """One plan for each match and player."""

    async def get(self, match_id: int, player_id: int) -> Plan | None:
        row = await self._row(select(plans).where(_is_plan(match_id, player_id)))
        return None if row is None else _to_plan(row)

    async def lock(self, match_id: int, player_id: int) -> Plan | None:
        """Lock the plan until the end of the transaction, and return it."""
        await self._lock_match(match_id)
        return await self.get(match_id, player_id)

    async def of_match(self, match_id: int) -> dict[int, Plan]:
        """The plans of both players, by player."""
        rows = await self._rows(select(plans).where(plans.c.match_id == match_id))
        return {row.player_id: _to_plan(row) for row in rows}

    async def count(self, player_id: int) -> int:
        """The number of a player's plans in running matches."""
        running = _with_match(select(func.count()), plans.c.player_id == player_id, matches.c.ended_at.is_(None))
        count: int | None = await self._scalar(running)
        return count or 0

    async def set(self, match_id: int, player_id: int, plan: Plan) -> None:
        """Store a stored player's plan, replacing the previous one."""
        branches = _BRANCH.join(map(_TURN.join, plan.branches))
        key = {"match_id": match_id, "player_id": player_id}
        await self._put(plans, {**key, "step": plan.step, "ply": plan.ply, "branches": branches})

    async def delete(self, match_id: int, player_id: int) -> None:
        await self._execute(delete(plans).where(_is_plan(match_id, player_id)))

    async def delete_of_ended(self) -> None:
        """Delete the plans of matches that are over."""
        ended = _with_match(select(plans.c.match_id), matches.c.ended_at.is_not(None))
        await self._execute(delete(plans).where(plans.c.match_id.in_(ended)))


def _is_plan(match_id: int, player_id: int) -> ColumnElement[bool]:
    return and_(plans.c.match_id == match_id, plans.c.player_id == player_id)


def _with_match(query: Select[tuple[int]], *conditions: ColumnElement[bool]) -> Select[tuple[int]]:
    return query.select_from(plans).join(matches, matches.c.id == plans.c.match_id).where(*conditions)


def _to_plan(row: AnyRow) -> Plan:
    branches = (tuple(branch.split(_TURN)) for branch in row.branches.split(_BRANCH))
    return Plan(row.step, row.ply, tuple(branches))

"""The plans of players. A plan is read only for its player, or to answer a turn."""

from __future__ import annotations

from sqlalchemy import ColumnElement, Select, and_, delete, func, select

from bot.domain.plans import Plan
from bot.storage.repository import AnyRow, Repository
from bot.storage.tables import matches, plans

#: The separators of a stored plan's branches, and of their turns.
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
        """Store a plan in place of the previous one, for a stored player."""
        branches = _BRANCH.join(_TURN.join(each) for each in plan.branches)
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
    branches = (tuple(each.split(_TURN)) for each in row.branches.split(_BRANCH))
    return Plan(row.step, row.ply, tuple(branches))

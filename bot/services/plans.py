"""The plans of players in running matches. :class:`bot.services.matches.Matches` plays the planned answers."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from bot.domain.matches import Match, MovedOnError
from bot.domain.plans import MOST_PLANS, Branch, Plan, TooManyPlansError
from bot.domain.play import check_running
from bot.domain.study.lines import Line, games_along
from bot.services.matches import Matches, lock_match
from bot.storage import Storage


@dataclass
class Plans:
    """Plans. Every method is for the plan's owner; nobody else sees a plan."""

    storage: Storage
    matches: Matches

    async def get(self, match_id: int, player_id: int) -> Plan | None:
        async with self.storage.read() as tx:
            return await tx.plans.get(match_id, player_id)

    async def add(self, match: Match, player_id: int, line: Line) -> Plan:
        """Add a line, tried from the current board of a match, to the player's plan.

        Raises :class:`MovedOnError` if the line begins on another board.
        """
        check_running(match, player_id, line.step)
        game = await self.matches.game_of(match)
        if line.ply != game.ply:
            raise MovedOnError
        tried, _illegal = await asyncio.to_thread(games_along, game, line.turns)
        async with self.storage.transaction() as tx:
            check_running(await lock_match(tx, match.id), player_id, line.step)
            known = await tx.plans.get(match.id, player_id)
            if known is None and await tx.plans.count(player_id) >= MOST_PLANS:
                raise TooManyPlansError(count=MOST_PLANS)
            plan = known or Plan(game.step, game.ply)
            plan = await asyncio.to_thread(plan.with_branch, tried, player_id)
            await tx.plans.set(match.id, player_id, plan)
        return plan

    async def delete(self, match_id: int, player_id: int, branch: Branch | None = None) -> None:
        """Delete the plan or, if given, one of its branches."""
        async with self.storage.transaction() as tx:
            plan = await tx.plans.lock(match_id, player_id)
            left = None if plan is None or branch is None else plan.without(branch)
            if left is not None and left.branches:
                await tx.plans.set(match_id, player_id, left)
            else:
                await tx.plans.delete(match_id, player_id)

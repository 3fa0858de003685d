"""Nudges: reminders to an opponent to play."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from bot.domain.limits import NUDGE_AGAIN
from bot.domain.matches import Match
from bot.domain.play import NotNudgedError, check_nudge, keeps_waiting
from bot.services.matches import Matches, lock_match
from bot.storage import Storage


@dataclass
class Nudges:
    storage: Storage
    matches: Matches
    clock: Callable[[], datetime]

    def keeps_waiting(self, match: Match) -> bool:
        """Whether the match alone allows a nudge to the player to act."""
        return keeps_waiting(match, self.clock())

    async def nudge(self, match_id: int, player_id: int) -> Match:
        """Store that the player nudges the opponent; return their match, for the caller to post the nudge."""
        async with self.storage.transaction() as tx:
            match, now = await lock_match(tx, match_id), self.clock()
            (game,) = await self.matches.games(tx, [match])
            nudged_at = await tx.limits.nudges(player_id)
            check_nudge(match, game.to_act or match.player(player_id), player_id, nudged_at, now)
            opponent = match.opponent_of(player_id)
            if await tx.privacy.blocker(player_id, opponent.id) is not None:
                raise NotNudgedError(match, "blocked", player=opponent)
            if not (await tx.settings.preferences(opponent.id)).pings:
                raise NotNudgedError(match, "pings", player=opponent)
            await tx.limits.set_nudge(match_id, player_id, now, kept_since=now - NUDGE_AGAIN.span)
            return match

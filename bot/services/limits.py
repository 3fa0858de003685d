"""Checks limits, which outlive a player's data."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from bot.domain.limits import AFTER_DELETION, Limit, LimitedAction, RecentlyDeletedError
from bot.domain.refusals import DomainError
from bot.storage import Transaction


async def check_limit(
    tx: Transaction,
    limit: Limit,
    limited: LimitedAction,
    player_id: int,
    now: datetime,
    refusal: Callable[[datetime], DomainError],
    *,
    in_vain_to: int | None = None,
) -> None:
    """Raise the refusal if the player did this too often, or an error if they have just deleted their data."""
    AFTER_DELETION.check(await tx.limits.deletions(player_id), now, RecentlyDeletedError)
    limit.check(await tx.limits.times(limited, player_id, now - limit.span, in_vain_to=in_vain_to), now, refusal)

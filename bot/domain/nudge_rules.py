"""When a player may remind an opponent who lets them wait."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from bot.domain.errors import NotNudgedError, TooManyNudgesError, WaitingForPlaceError
from bot.domain.limits import NUDGE_AFTER, NUDGE_AGAIN, NUDGE_LIMIT
from bot.domain.matches import Match
from bot.domain.play import check_running
from bot.domain.players import Player


def keeps_waiting(match: Match, now: datetime) -> bool:
    """Whether the match, which may last for days, has waited so long that the player to act may have forgotten it."""
    return _is_slow(match) and not match.waiting and match.moved_at + NUDGE_AFTER <= now


def _is_slow(match: Match) -> bool:
    return match.computer is None and (match.clock is None or match.clock.control.slow)


def check_nudge(
    match: Match, awaited: Player, player_id: int, nudged_at: Mapping[int, datetime], now: datetime
) -> None:
    """Raise unless the player may nudge the opponent, for whom the match waits, now.

    ``nudged_at`` tells when the player has last nudged, by the number of the match.
    """
    check_running(match, player_id)
    opponent = match.opponent_of(player_id)
    if match.waiting:
        raise WaitingForPlaceError(match)
    if awaited.id == player_id:
        raise NotNudgedError(match, opponent, "turn")
    if not _is_slow(match):
        raise NotNudgedError(match, opponent, "clock")
    if now < match.moved_at + NUDGE_AFTER:
        raise TooManyNudgesError(match.moved_at + NUDGE_AFTER, opponent)
    here = [nudged_at[match.id]] if match.id in nudged_at else []
    NUDGE_AGAIN.check(here, now, lambda again_at: TooManyNudgesError(again_at, opponent))
    NUDGE_LIMIT.check(nudged_at.values(), now, TooManyNudgesError)

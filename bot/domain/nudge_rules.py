"""When a player may remind an opponent of a match."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import ClassVar

from bot.domain.limits import NUDGE_AFTER, NUDGE_AGAIN, NUDGE_LIMIT, TooManyNudgesError
from bot.domain.matches import AboutMatchError, Match, WaitingForPlaceError
from bot.domain.play import check_running
from bot.domain.players import Player
from rules.text import gettext_noop


def keeps_waiting(match: Match, now: datetime) -> bool:
    """Whether a match that may last for days has waited so long that the player to act may have forgotten it."""
    return _is_slow(match) and not match.waiting and match.moved_at + NUDGE_AFTER <= now


def _is_slow(match: Match) -> bool:
    return match.computer is None and (match.clock is None or match.clock.control.slow)


def check_nudge(
    match: Match, awaited: Player, player_id: int, nudged_at: Mapping[int, datetime], now: datetime
) -> None:
    """Raise unless the player may nudge the opponent, who is to act.

    ``nudged_at`` holds the time of the player's last nudge by match.
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


class NotNudgedError(AboutMatchError):
    """The opponent cannot be nudged: ``reason`` is ``turn`` (it is not theirs), ``clock``, ``pings`` or ``blocked``."""

    _templates: ClassVar = {
        "turn": gettext_noop("It is your turn in match #{match}, so there is nobody to nudge."),
        "clock": gettext_noop(
            "Match #{match} has a short clock, which hurries {player} enough. Nudges are for matches that last for "
            "days."
        ),
        "pings": gettext_noop("{player} has turned pings off, so a nudge in match #{match} would not reach them."),
        "blocked": gettext_noop("{player} does not accept nudges from you. You can still play match #{match}."),
    }

    def __init__(self, match: Match, opponent: Player, reason: str) -> None:
        super().__init__(match, self._templates[reason], player=opponent)

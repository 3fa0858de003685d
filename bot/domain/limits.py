"""How often players may do what pings others, or what everybody in a channel sees."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.domain.refusals import DomainError


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit of ``most`` times within a ``span`` of time."""

    most: int
    span: timedelta

    def counted(self, times: Iterable[datetime], now: datetime) -> list[datetime]:
        """Return the times that count now, the earliest first.

        Those from the future do not, because the clock has been set back since.
        """
        return sorted(each for each in times if now - self.span < each <= now)

    def again_at(self, times: Iterable[datetime], now: datetime) -> datetime | None:
        """Return when one more is allowed; None if it is now."""
        counted = self.counted(times, now)
        return None if len(counted) < self.most else counted[-self.most] + self.span

    def check(self, times: Iterable[datetime], now: datetime, refusal: Callable[[datetime], DomainError]) -> None:
        """Raise the refusal, made from the time when one more is allowed, unless it is allowed now."""
        again_at = self.again_at(times, now)
        if again_at is not None:
            raise refusal(again_at)


_HOUR = timedelta(hours=1)
CHALLENGE_LIMIT = Limit(20, _HOUR)
#: Games against the computer that one person starts.
COMPUTER_LIMIT = Limit(20, _HOUR)
TOURNAMENT_LIMIT = Limit(3, _HOUR)
#: Proposals that the opponent accepted do not count.
PROPOSAL_LIMIT = Limit(20, _HOUR)
#: Challenges to one person, and proposals to one, that they have not accepted.
IN_VAIN_LIMIT = Limit(5, timedelta(minutes=20))
NUDGE_LIMIT = Limit(20, _HOUR)
#: Nudges in one match by one player.
NUDGE_AGAIN = Limit(1, timedelta(days=1))
#: How long an opponent has had the turn before they can be nudged.
NUDGE_AFTER = timedelta(hours=12)
#: Boards that are posted again, and replays that are shared.
POST_LIMIT = Limit(6, timedelta(minutes=10))

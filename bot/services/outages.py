"""Times in which players could not reach the bot, for which nobody is charged."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from bot.services.clocks import Clocks

#: Several beats of the process.
_STANDSTILL = timedelta(minutes=1)


class Outages:
    """Knows since when Discord has been out of reach, as far as the connection tells, or the process stood still.

    ``clock`` tells the time in UTC.
    """

    def __init__(self, clocks: Clocks, clock: Callable[[], datetime]) -> None:
        self._clocks = clocks
        self._clock = clock
        self._since: datetime | None = None
        self._beaten: datetime | None = None
        self.connected = False

    def begin(self, since: datetime | None = None) -> None:
        """It begins now, or has begun earlier."""
        if self._since is None:
            self._since = since or self._clock()

    async def make_up(self) -> bool:
        """Make up for an outage that is over now, be it a standstill or a lost connection; False without one."""
        since = self._end()
        if since is None:
            return False
        try:
            await self._clocks.make_up_for(since)
        except BaseException:
            self.begin(since)  # that is tried again
            raise
        return True

    def beat(self) -> None:
        """Note that the process is running; where nobody does that, it never stands still."""
        self._beaten = self._clock()

    def _end(self) -> datetime | None:
        now, known = self._clock(), self._beaten
        still = known if known is not None and now - known >= _STANDSTILL else None
        since = min((each for each in (self._since, still) if each is not None), default=None)
        self._since = None
        if known is not None:
            self._beaten = now
        return since

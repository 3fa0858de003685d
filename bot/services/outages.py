"""Outages: times in which players could not reach the bot, which no clock is charged for."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from bot.services.clocks import Clocks

#: A gap between beats that is longer than this counts as a standstill.
_STANDSTILL = timedelta(minutes=1)


class Outages:
    """The current outage, if any: a lost connection to Discord, or a standstill of the process.

    ``clock`` returns the time in UTC.
    """

    def __init__(self, clocks: Clocks, clock: Callable[[], datetime]) -> None:
        self._clocks = clocks
        self._clock = clock
        self._since: datetime | None = None
        self._beaten: datetime | None = None
        self.connected = False

    def begin(self, since: datetime | None = None) -> None:
        """Note that an outage begins now, or has begun at that time."""
        if self._since is None:
            self._since = since or self._clock()

    async def make_up(self) -> bool:
        """Make up for an outage that is over now; False if there was none."""
        since = self._end()
        if since is None:
            return False
        try:
            await self._clocks.make_up_for(since)
        except BaseException:
            self.begin(since)  # so that it is tried again
            raise
        return True

    def beat(self) -> None:
        """Note that the process is running. Without beats, no standstill is ever found."""
        self._beaten = self._clock()

    def _end(self) -> datetime | None:
        now, known = self._clock(), self._beaten
        still = known if known is not None and now - known >= _STANDSTILL else None
        since = min((each for each in (self._since, still) if each is not None), default=None)
        self._since = None
        if known is not None:
            self._beaten = now
        return since

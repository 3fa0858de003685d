"""The computer as an opponent: it searches for turns, stores them and shows them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import structlog

from bot.computer.thinking import Thinking
from bot.domain.refusals import DomainError
from bot.domain.timers import TimerKind
from bot.runtime.timers import RetryLaterError, on_timer
from bot.services.computer_games import ComputerGames
from bot.services.matches import PlayResult

_LOG = structlog.get_logger(__name__)


@dataclass
class Opponent:
    """The computer as an opponent. It calls ``show`` with its replies.

    Requests of people come first: ``wait_for_quiet`` returns when none is running.
    """

    games: ComputerGames
    thinking: Thinking
    show: Callable[[PlayResult], Awaitable[None]]
    wait_for_quiet: Callable[[], Awaitable[None]]

    def __post_init__(self) -> None:
        #: The running tasks, by match.
        self._working: dict[int, asyncio.Task[None]] = {}
        #: The matches with timers that have become due since the computer last looked at the board.
        self._calls: set[int] = set()
        #: The tasks that are searching, which :meth:`stop` cancels.
        self._searching: set[asyncio.Task[None]] = set()
        self._stopped = False

    @on_timer(TimerKind.COMPUTER)
    async def begin(self, match_id: int) -> asyncio.Task[None] | None:
        """Start a task that plays in a match, and return it; None if the match does not wait for the computer."""
        if await self.games.due_search(match_id) is None:
            return None
        self._calls.add(match_id)
        if match_id not in self._working:
            if self._stopped:
                raise RetryLaterError
            self._working[match_id] = asyncio.get_running_loop().create_task(self._play(match_id))
        return self._working[match_id]

    def stop(self) -> set[asyncio.Task[None]]:
        """Cancel the searches; return the tasks that are still storing or showing something."""
        self._stopped = True
        for task in self._searching:
            task.cancel()
        return set(self._working.values())

    async def _play(self, match_id: int) -> None:
        try:
            while match_id in self._calls:
                self._calls.discard(match_id)
                while await self._go_on(match_id):
                    pass
        except Exception:  # the timer is due again in a while
            _LOG.exception("computer_failed", match=match_id)
        finally:
            del self._working[match_id]

    async def _go_on(self, match_id: int) -> bool:
        """Play a turn; return False if there is nothing to do, or after a stop."""
        due = await self.games.due_search(match_id)
        if due is None or self._stopped:
            return False
        task = self._working[match_id]
        self._searching.add(task)
        try:
            result = await self.thinking.think(due.player_id, due.request, match_id)
            await self.wait_for_quiet()
        finally:
            self._searching.discard(task)
        try:
            reply = await self.games.reply(match_id, due.request, result)
        except DomainError as error:  # another step came first
            _LOG.info("computer_overtaken", match=match_id, reason=type(error).__name__)
            return True
        if reply is not None:
            await self.show(reply)
        return True

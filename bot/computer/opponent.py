"""Plays the computer's turns: what is due is searched and stored, and then shown."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

import structlog

from bot.computer.thinking import Thinking
from bot.domain.refusals import DomainError
from bot.domain.timers import TimerKind
from bot.services.computer_games import ComputerGames, Reply
from bot.services.timers import NotNowError

_LOG = structlog.get_logger(__name__)


@dataclass
class Opponent:
    """``show`` shows what the computer did. Before that is stored, ``wait_for_quiet`` waits until people have been
    answered, for their games go first.
    """

    games: ComputerGames
    thinking: Thinking
    show: Callable[[Reply], Awaitable[None]]
    wait_for_quiet: Callable[[], Awaitable[None]]

    def __post_init__(self) -> None:
        #: Called when something was shown, as after an interaction.
        self.on_shown: Callable[[], None] = lambda: None
        self.handlers: Mapping[TimerKind, Callable[[int], Awaitable[None]]] = {TimerKind.COMPUTER: self._begin}
        #: What is going on, by match.
        self._working: dict[int, asyncio.Task[None]] = {}
        #: The matches that may have something due since they were last looked at.
        self._called: set[int] = set()
        #: The tasks that wait for a search, which a stop need not wait for.
        self._searching: set[asyncio.Task[None]] = set()
        self._stopped = False

    async def _begin(self, match_id: int) -> None:
        """Begin what is due in a match. The timer stays, in case it comes to nothing, until what follows is stored."""
        if await self.games.due(match_id) is None:
            return
        self._called.add(match_id)
        if match_id not in self._working and not self._stopped:
            task = asyncio.get_running_loop().create_task(self._play(match_id))
            self._working[match_id] = task
        raise NotNowError

    def stop(self) -> set[asyncio.Task[None]]:
        """Search for nothing more; return what is being stored or shown, if anything."""
        self._stopped = True
        for task in self._searching:
            task.cancel()
        return set(self._working.values())

    async def _play(self, match_id: int) -> None:
        """Do what is due in a match, until nothing is."""
        try:
            while match_id in self._called:
                self._called.discard(match_id)
                while await self._go_on(match_id):
                    pass
        except Exception:  # the timer rings again
            _LOG.exception("computer_failed", match=match_id)
        finally:
            del self._working[match_id]

    async def _go_on(self, match_id: int) -> bool:
        """Do one thing that is due; False when there is nothing, or after a stop."""
        due = await self.games.due(match_id)
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
        except DomainError as error:  # somebody was faster, or has just changed their mind
            _LOG.info("computer_overtaken", match=match_id, reason=type(error).__name__)
            return True
        if reply is not None:
            await self.show(reply)
            self.on_shown()
        return True

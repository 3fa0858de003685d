"""The worker processes in which the computer searches."""

from __future__ import annotations

import asyncio
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing.connection import Connection

import structlog

from bot.computer import worker
from bot.domain.computer import SearchRequest, SearchResult

_LOG = structlog.get_logger(__name__)
#: Maximum attempts at a search if workers break.
_TRIES = 3
#: Seconds after which a search counts as hung. It takes up to 25 seconds of CPU time, but the machine may be busy.
_LONGEST = 300.0
_SPAWN = multiprocessing.get_context("spawn")


@dataclass
class Workers:
    """Up to ``most`` processes, started when needed, for searches of at most ``longest`` seconds."""

    most: int
    longest: float = _LONGEST

    def __post_init__(self) -> None:
        self._pool: ProcessPoolExecutor | None = None
        #: Our end of a pipe to the workers, who stop when it closes.
        self._lifeline: Connection | None = None
        self._closed = False

    async def search(self, request: SearchRequest) -> SearchResult:
        """Search in a worker; replace a broken one, and retry.

        Raises :class:`BrokenProcessPool` after repeated failures or :meth:`close`, and ``TimeoutError`` if the search
        takes too long. After a timeout, the worker is replaced, and the caller may retry later.
        """
        for tried in range(1, _TRIES + 1):
            pool = self._pool or self._start()
            try:
                # In a thread, because this may start a process.
                searching = await asyncio.to_thread(
                    pool.submit,
                    worker.search,
                    request.ruleset,
                    request.turns,
                    request.level,
                    request.seed,
                    request.explained,
                )
                async with asyncio.timeout(self.longest):
                    found = await asyncio.wrap_future(searching)
            except TimeoutError:
                if self._pool is pool:
                    self._end()
                _LOG.warning("worker_hung", seconds=self.longest)
                raise
            except RuntimeError:  # the pool is broken, or another search has just ended it
                if self._pool is pool:
                    self._end()
                if self._closed or tried == _TRIES:
                    raise
                _LOG.warning("worker_replaced")
            else:
                return SearchResult(*found)
        raise AssertionError

    def close(self) -> None:
        """Kill the workers and start no more."""
        self._closed = True
        self._end()

    def _start(self) -> ProcessPoolExecutor:
        if self._closed:
            raise BrokenProcessPool("the workers are closed")
        end, self._lifeline = _SPAWN.Pipe(duplex=False)
        self._pool = ProcessPoolExecutor(self.most, _SPAWN, worker.prepare, (end,))
        return self._pool

    def _end(self) -> None:
        if self._pool is not None and self._lifeline is not None:
            self._lifeline.close()
            # A hanging worker does not notice a shutdown. The bot starts no other processes.
            for process in multiprocessing.active_children():
                process.kill()
            self._pool.shutdown(wait=False)  # waiting searches fail like running ones
            self._pool = self._lifeline = None

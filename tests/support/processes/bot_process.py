"""Runs the bot in its own process, against the loopback server on the given port."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import re
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from unittest.mock import patch

from bot.__main__ import main
from bot.app import Application
from bot.runtime.leases import LeaseTimes
from render import canvas
from tests.support.processes.loopback import TOKEN, Loopback, point_to

#: Short, so that other processes soon replace a dead one.
_SHORT = LeaseTimes(renew=0.3, valid=2.0, idle=2.5, identify=0.2, timers=1.0)
#: Processes are forked from one that has imported everything and drawn the first pictures, because that takes much
#: longer than what most of them do.
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["tests.support.processes.bot_forks"])


class BotProcess:
    """A process of the bot."""

    def __init__(self, process: ForkServerProcess) -> None:
        self._process = process
        process.start()
        assert process.pid is not None
        self.pid = process.pid

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def send_signal(self, sent: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.pid, sent)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    async def wait(self) -> int:
        """Wait until the process has ended, and return its status."""
        loop, ended = asyncio.get_running_loop(), asyncio.Event()
        loop.add_reader(self._process.sentinel, ended.set)
        try:
            await ended.wait()
        finally:
            loop.remove_reader(self._process.sentinel)
        assert self.returncode is not None
        return self.returncode


@dataclass
class LoggedProcess:
    """A process of the bot that shares its shards with others, and its log."""

    running: BotProcess
    log: Path

    @property
    def held(self) -> set[int]:
        """The shards that the process believes it holds."""
        held: set[int] = set()
        for event, shard in re.findall(r"(shard_taken|shard_released) .*shard=([0-9]+)", self.log.read_text()):
            (held.add if event == "shard_taken" else held.discard)(int(shard))
        return held


@asynccontextmanager
async def running_bot(
    server: Loopback, folder: Path, log: Path | None = None, **settings: str
) -> AsyncIterator[BotProcess]:
    """Run a bot process that is logged in and appends its log to a file. Stop it at the end if it still runs."""
    environment = settings_for(folder) | settings
    identified = server.identified
    process = BotProcess(FORKS.Process(target=_run_in, args=(folder, environment, log, server.port)))
    try:
        await server.until(lambda: server.identified > identified)
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            async with asyncio.timeout(60):
                await process.wait()
        except TimeoutError:
            process.kill()
            raise


async def run_to_the_end(folder: Path, port: int) -> tuple[int, str]:
    """Run a bot process that ends by itself, and return its status and output."""
    log = folder / "log"
    process = BotProcess(FORKS.Process(target=_run_in, args=(folder, settings_for(folder), log, port)))
    return await process.wait(), log.read_text()


def settings_for(folder: Path) -> dict[str, str]:
    """The environment of a bot with its files in a folder."""
    return {
        "DISCORD_TOKEN": TOKEN,
        "DATABASE_URL": f"sqlite+aiosqlite:///{folder / 'bot.db'}",
        "HEALTH_FILE": str(folder / "healthy"),
    }


def _run_in(folder: Path, environment: Mapping[str, str], log: Path | None, port: int) -> None:
    os.chdir(folder)
    os.environ.update(environment)
    if log is not None:
        with log.open("ab") as file:
            os.dup2(file.fileno(), sys.stderr.fileno())
    sys.exit(_run(port))


def _run(port: int) -> int:
    canvas.SCALE = 1  # no test looks at the pictures, and smooth edges are slow
    point_to(port)
    with patch("bot.__main__.Application", partial(Application, lease_times=_SHORT)):
        return main()

"""Runs the bot in a process of its own, against the loopback server whose port is the first argument."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import IO
from unittest.mock import patch

from bot.__main__ import main
from bot.app import Application
from bot.services.leases import LeaseTimes
from render import canvas
from tests.support.loopback import TOKEN, Loopback, point_to
from tests.support.sources import ROOT

#: So that nobody waits long when a process dies.
_SHORT = LeaseTimes(look=0.3, valid=2.0, idle=2.5, identify=0.2, timers=1.0)


@asynccontextmanager
async def running_bot(
    server: Loopback, folder: Path, log: IO[bytes] | None = None, **settings: str
) -> AsyncIterator[asyncio.subprocess.Process]:
    """A bot process that is logged in; it is stopped at the end, if it still runs."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "DISCORD_TOKEN": TOKEN,
        "DATABASE_URL": f"sqlite+aiosqlite:///{folder / 'bot.db'}",
        "HEALTH_FILE": str(folder / "healthy"),
        **settings,
    }
    identified = server.identified
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.support.bot_process", str(server.port), cwd=folder, env=environment, stderr=log
    )
    try:
        await server.until(lambda: server.identified > identified)
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
        try:
            async with asyncio.timeout(60):
                await process.wait()
        except TimeoutError:
            process.kill()
            raise


if __name__ == "__main__":
    canvas.SCALE = 1  # nobody looks at the pictures, and smooth edges take long
    point_to(int(sys.argv[1]))
    with patch("bot.__main__.Application", partial(Application, lease_times=_SHORT)):
        sys.exit(main())

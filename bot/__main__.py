"""``python -m bot``: run the bot on Discord, or a command of the operator."""

from __future__ import annotations

import argparse
import asyncio
import ctypes
import gc
import itertools
import re
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import aiohttp
import discord
import structlog

from bot import operator
from bot.app import Application
from bot.config import Config
from bot.runtime import log, monitoring
from bot.runtime.listening import CannotListenError
from bot.runtime.log import failure
from bot.storage import UnusableDatabaseError

if sys.platform == "win32":
    from asyncio import run as run_loop
else:  # an event loop twice as fast
    from uvloop import run as run_loop

_LOG = structlog.get_logger("bot")
_NO_TOKEN = """\
Hexgrove needs a token to run on Discord, in the environment variable DISCORD_TOKEN.

  1. Create an application at https://discord.com/developers/applications and open its page "Bot".
  2. Press "Reset Token", copy the token, and keep it secret.
  3. Start with DISCORD_TOKEN=... python -m bot (or write that line into a file .env).

To try the bot without a token, on a simulated Discord in your browser:

  python -m bot.playground"""
_HEARTBEAT = 20
#: The number of beats between two collections of older objects. Even under load, only some ten thousand of them become
#: garbage in that time.
_BEATS_TO_COLLECTION = 15
#: A threshold that is never reached: Python collects the oldest objects only on demand.
_NEVER = 2**31 - 1
_TOKEN = re.compile("[!-~]+")


async def run(config: Config, token: str) -> None:
    """Run the bot until a signal stops it."""
    log.log_lost_failures(asyncio.get_running_loop())
    if config.discord_api is not None:
        discord.http.Route.BASE = config.discord_api
    app = Application(config)
    asyncio.get_running_loop().set_default_executor(app.threads)
    client = app.client
    _restrict_collections()
    stop_requested = asyncio.Event()
    for stop in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(stop, stop_requested.set)
    monitored = monitoring.serving(config.metrics_host, config.metrics_port, is_ready=app.is_ready, measure=app.measure)
    async with client, monitored, app.serving(config.web_host, config.web_port):
        heart = asyncio.create_task(_beat(app, config.health_file))
        running = asyncio.create_task(client.start(token))
        stopping = asyncio.create_task(stop_requested.wait())
        await asyncio.wait({running, stopping}, return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        heart.cancel()
        await end(running)
    _LOG.info("stopped")


async def end(task: asyncio.Task[None]) -> None:
    """Cancel a task and wait until it is done; raise its error if it failed.

    A single cancellation can get lost: before Python 3.12, asyncio.wait_for drops it if its awaitable has just
    finished.
    """
    while not task.done():
        task.cancel()
        await asyncio.wait({task}, timeout=1)
    if not task.cancelled():
        task.result()


def _restrict_collections() -> None:
    """Restrict automatic collections to new objects; some beats collect older ones.

    In the middle of an answer, a full collection would stop the event loop for 60 ms, and a collection of the objects
    made since the start would stop it for 15 ms or more. Most objects that exist now live as long as the process, so
    they are never collected.
    """
    gc.collect()
    gc.freeze()
    young, older, _ = gc.get_threshold()
    gc.set_threshold(young, older, _NEVER)


def return_free_memory() -> None:
    """Make glibc return free pages to the system, which takes some milliseconds. With other C libraries, do nothing.

    Otherwise the heap would grow with every picture, because drawing allocates and frees many small pieces of memory.
    """
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


async def _beat(app: Application, file: Path | None) -> None:
    """Record at intervals that the bot is running, and touch the health file while Discord is connected.

    Every beat also returns unused memory, and some beats collect garbage while nobody waits for an answer.
    """
    for beats in itertools.count(1):
        try:
            await app.connections.beat()
            if file is not None and app.is_connected():
                await asyncio.to_thread(file.touch)
            if beats % _BEATS_TO_COLLECTION == 0:
                await app.in_flight.wait_for_quiet()
                gc.collect()
            await asyncio.to_thread(return_free_memory)
        except Exception:  # the next beat tries again
            _LOG.exception("beat_failed")
        await asyncio.sleep(_HEARTBEAT)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bot",
        description="Run the bot on Discord until a signal stops it. Its settings are environment variables, or lines "
        "of the file .env; only DISCORD_TOKEN is needed. The exit status is 2 if a setting is wrong, and 1 if the bot "
        "cannot run for another reason.",
        epilog="python -m bot.playground opens the bot in the browser, without a token.",
    )
    operator.add_commands(parser)
    return parser


def main(arguments: Sequence[str] = ()) -> int:
    options = _parser().parse_args(arguments)
    if "run" in options:
        return operator.run(options)
    config = Config.load()
    if config.discord_token is None:
        print(_NO_TOKEN, file=sys.stderr)
        return 2
    token = config.discord_token.get_secret_value()
    if not _TOKEN.fullmatch(token):
        print("DISCORD_TOKEN is not a valid token, which contains no spaces. Copy it again.", file=sys.stderr)
        return 2
    log.configure(config)
    try:
        run_loop(run(config, token))
    except discord.LoginFailure:
        print("Discord refused the token in DISCORD_TOKEN. Reset it in the developer portal.", file=sys.stderr)
        return 2
    except (UnusableDatabaseError, CannotListenError) as error:
        print(error, file=sys.stderr)
        return 1
    except (aiohttp.ClientError, discord.DiscordException) as error:
        print(f"Discord could not be reached: {failure(error)}.", file=sys.stderr)
        return 1
    except Exception:
        _LOG.critical("crashed", exc_info=True)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The real network path: login, registration of commands, resuming, and a process that is killed in the middle."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from bot.__main__ import end
from tests.support.bot_process import running_bot
from tests.support.loopback import ALICE, BOB, TOKEN, Loopback, challenge_and_accept, newest, texts
from tests.support.sources import ROOT


async def test_the_bot_logs_in_registers_its_commands_once_and_stops_on_request(tmp_path: Path) -> None:
    async with Loopback() as server:
        async with running_bot(server, tmp_path) as process:
            assert {command["name"] for command in server.commands} >= {"challenge", "move", "pass", "board"}
            process.send_signal(signal.SIGTERM)
            assert await process.wait() == 0
        async with running_bot(server, tmp_path):
            pass
        assert server.registrations == 1
        server.commands.clear()
        async with running_bot(server, tmp_path):
            pass
        assert server.registrations == 2


async def test_a_stop_that_the_library_loses_is_repeated() -> None:
    arrived = asyncio.Event()
    forever = asyncio.Event()

    async def connect() -> None:
        with suppress(asyncio.CancelledError):
            arrived.set()
            await forever.wait()
        await forever.wait()

    task = asyncio.create_task(connect())
    await arrived.wait()
    await end(task)
    assert task.cancelled()


async def test_a_dropped_connection_is_resumed_and_the_buttons_still_work(tmp_path: Path) -> None:
    async with Loopback() as server, running_bot(server, tmp_path):
        await challenge_and_accept(server)
        await server.drop()
        await server.until(lambda: server.resumed == 1)
        await server.slash(ALICE, "move", turn="e5")
        await server.until(lambda: len(server.messages) == 3)
        await server.press(BOB, newest(server), "Play Light")
        await server.until(lambda: len(server.messages) == 4)
        assert "chose **Light**" in texts(newest(server))
        assert server.identified == 1


@pytest.mark.parametrize("takes_effect", [False, True])
async def test_people_get_their_answers_although_connections_break(tmp_path: Path, takes_effect: bool) -> None:
    async with Loopback() as server, running_bot(server, tmp_path):
        await challenge_and_accept(server)
        each_time = 1 + takes_effect  # what was answered already is answered again
        server.broken = dict.fromkeys(["POST interactions", "PATCH webhooks"], takes_effect)
        await server.slash(ALICE, "games")
        await server.until(lambda: len(server.answers) == each_time)
        assert "Your matches" in texts(server.answers[-1])
        server.broken = dict.fromkeys(["POST interactions", "POST webhooks"], takes_effect)
        await server.press(ALICE, newest(server), "Play")
        await server.until(lambda: len(server.answers) == 2 * each_time)
        assert "Your turn" in texts(server.answers[-1])
        server.broken = {"POST channels": takes_effect}
        await server.slash(ALICE, "move", turn="e5")
        await server.until(lambda: len(server.messages) == 3)
        await server.press(BOB, newest(server), "Play Light")
        await server.until(lambda: len(server.messages) == 4)
        assert not server.broken
        assert sum("opened with **e5**" in texts(message) for message in server.messages.values()) == 1


@pytest.mark.parametrize("moment", ["before_message", "after_message"])
async def test_a_turn_stored_by_a_killed_process_is_shown_once_after_its_restart(tmp_path: Path, moment: str) -> None:
    async with Loopback() as server:
        async with running_bot(server, tmp_path) as process:
            await challenge_and_accept(server)
            setattr(server, moment, process.kill)
            await server.slash(ALICE, "move", turn="e5")
            await process.wait()
            setattr(server, moment, lambda: None)
        async with running_bot(server, tmp_path):
            await server.until(lambda: "opened with **e5**" in texts(newest(server)))
            await server.press(BOB, newest(server), "Play Dark")
            await server.until(lambda: "chose **Dark**" in texts(newest(server)))
        shown = [message for message in server.messages.values() if "opened with **e5**" in texts(message)]
        assert len(shown) == 1
        assert len(server.messages) == 4


@pytest.mark.parametrize(
    ("token", "refused", "status", "said"),
    [
        (TOKEN, True, 2, "Discord refused the token in DISCORD_TOKEN."),
        (TOKEN, False, 1, "Discord could not be reached: ClientConnectorError."),
        ("two words", False, 2, "DISCORD_TOKEN is not a valid token"),
        ("tokén", False, 2, "DISCORD_TOKEN is not a valid token"),
    ],
)
async def test_a_login_that_fails_ends_with_a_sentence(
    tmp_path: Path, token: str, refused: bool, status: int, said: str
) -> None:
    async with Loopback() as server:
        server.login_refused = True
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.support.bot_process", str(server.port if refused else 1)),
            cwd=tmp_path,
            env={
                **os.environ,
                "PYTHONPATH": str(ROOT),
                "DISCORD_TOKEN": token,
                "DATABASE_URL": f"sqlite+aiosqlite:///{tmp_path / 'bot.db'}",
            },
            stderr=asyncio.subprocess.PIPE,
        )
        _, complaint = await process.communicate()
    sentence = complaint.decode().splitlines()[-1]
    assert sentence.startswith(said)
    assert "Traceback" not in complaint.decode()
    assert token not in complaint.decode()
    assert process.returncode == status

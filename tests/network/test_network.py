"""The real network path: login, registration of commands, resuming, and killed processes."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import suppress
from pathlib import Path

import pytest

from bot.__main__ import end
from bot.operator import back_up, recompute
from tests.support.processes.bot_process import run_to_the_end, running_bot, settings_for
from tests.support.processes.loopback import (
    ALICE,
    APPLICATION,
    BOB,
    ENTRY_POINT,
    GUILD,
    TOKEN,
    Loopback,
    buttons,
    challenge_and_accept,
    channel_of,
    guild_on,
    newest,
    texts,
)
from tests.support.thorough import sample
from tests.support.waiting import until


async def test_the_bot_logs_in_registers_missing_commands_and_stops_on_request(tmp_path: Path) -> None:
    async with Loopback() as server:
        async with running_bot(server, tmp_path) as process:
            assert {command["name"] for command in server.commands} >= {"challenge", "move", "pass", "board"}
            process.send_signal(signal.SIGTERM)
            assert await process.wait() == 0
        assert server.registrations == 1
        server.commands.clear()
        async with running_bot(server, tmp_path):
            pass
        assert server.registrations == 2


async def test_a_second_process_on_a_file_ends_with_a_message_and_backups_continue(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", settings_for(folder)["DATABASE_URL"])
    async with Loopback() as server:
        async with running_bot(server, folder) as process:
            status, said = await run_to_the_end(folder, server.port)
            assert status == 1
            assert said.splitlines()[-1].endswith("cannot be used: another process is using it; stop that one first.")
            assert "Traceback" not in said
            await back_up(folder / "backup.db")
            assert await recompute(settings_for(folder)["DATABASE_URL"])
            process.kill()
            await process.wait()
        async with running_bot(server, folder):
            pass


async def test_discords_own_entry_point_command_is_kept(folder: Path) -> None:
    entry_point = {"type": ENTRY_POINT, "name": "launch", "description": "", "handler": 2}
    entry_point |= {"id": "9001", "application_id": str(APPLICATION), "version": "7"}
    async with Loopback() as server:

        async def start_once() -> int:
            async with running_bot(server, folder):
                return server.registrations

        await start_once()
        server.commands.append(entry_point)  # an administrator switches Activities on
        assert await start_once() == 1, "our commands have not changed"
        del server.commands[0]
        assert await start_once() == 2
        (kept,) = (command for command in server.commands if command["type"] == ENTRY_POINT)
        assert kept == {**entry_point, "version": kept["version"]}
        async with running_bot(server, folder):
            await challenge_and_accept(server)
        assert server.registrations == 2


async def test_a_cancellation_swallowed_by_the_library_is_repeated() -> None:
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


async def test_people_get_answers_when_connections_break(folder: Path) -> None:
    async with Loopback() as server, running_bot(server, folder):
        await challenge_and_accept(server)
        await server.drop()
        await server.until(lambda: server.resumed == 1)
        await check_answers_when_requests_break(server, ALICE, "e5", "opened with `e5`", takes_effect=True)
        await server.press(BOB, newest(server), "Play Light")
        await server.until(lambda: "chose **Light**" in texts(newest(server)))
        await check_answers_when_requests_break(server, BOB, "d4", "played `d4`", takes_effect=False)
        for board in ("chose **Light**", "played `d4`"):
            assert sum(board in texts(message) for message in server.messages.values()) <= 1
        assert server.identified == 1


async def check_answers_when_requests_break(
    server: Loopback, who: int, turn: str, shown: str, *, takes_effect: bool
) -> None:
    """Break the connection of every kind of request once, before or after it takes effect."""
    server.answers.clear()
    each_time = 1 + takes_effect  # an earlier answer is sent again
    server.broken = dict.fromkeys(["POST interactions", "PATCH webhooks"], takes_effect)
    await server.slash(who, "games")
    await server.until(lambda: len(server.answers) == each_time)
    assert "Your matches" in texts(server.answers[-1])
    server.broken = dict.fromkeys(["POST interactions", "POST webhooks"], takes_effect)
    await server.press(who, newest(server), "Play")
    await server.until(lambda: len(server.answers) == 2 * each_time)
    assert "Your turn" in texts(server.answers[-1])
    server.broken = {"POST webhooks": takes_effect}
    await server.slash(who, "move", turn=turn)
    await server.until(lambda: shown in texts(newest(server)))
    assert not server.broken


@pytest.mark.parametrize("status", sample([502, 500, 504], 3))
async def test_a_board_is_shown_once_when_discord_stores_it_but_answers_with_an_error(
    folder: Path, status: int
) -> None:
    async with Loopback() as server, running_bot(server, folder):
        await challenge_and_accept(server)
        server.failing = {"POST webhooks": status}
        await server.slash(ALICE, "move", turn="e5")
        await server.until(lambda: "opened with `e5`" in texts(newest(server)))
        await server.press(BOB, newest(server), "Play Light")
        await server.until(lambda: "chose **Light**" in texts(newest(server)))
        assert not server.failing
        for board in ("opened with `e5`", "chose **Light**"):
            assert sum(board in texts(message) for message in server.messages.values()) <= 1


async def test_one_process_serves_all_shards_that_discord_recommends(folder: Path) -> None:
    there = guild_on(1)
    async with Loopback(2, guilds=(GUILD, there)) as server, running_bot(server, folder):
        await server.until(lambda: server.connected == [0, 1])
        await challenge_and_accept(server, there)
        await server.drop(1)
        await server.until(lambda: server.resumed == 1)
        await server.slash(ALICE, "move", guild=there, turn="e5")
        await server.until(lambda: len(server.messages) == 3)
        assert newest(server)["channel_id"] == str(channel_of(there))
        assert "opened with `e5`" in texts(newest(server))


async def test_a_turn_stored_by_a_killed_process_is_shown_once_after_its_restart(folder: Path) -> None:
    async with Loopback() as server:
        async with running_bot(server, folder) as process:
            await challenge_and_accept(server)
            server.before_message = process.kill
            await server.slash(ALICE, "move", turn="e5")
            await process.wait()
            server.before_message = lambda: None
        async with running_bot(server, folder) as process:
            await server.until(lambda: "opened with `e5`" in texts(newest(server)))
            server.after_message = process.kill
            await server.press(BOB, newest(server), "Play Dark")
            await process.wait()
            server.after_message = lambda: None
        async with running_bot(server, folder):
            await server.until(lambda: "chose **Dark**" in texts(newest(server)))
            await server.slash(ALICE, "move", turn="d4")
            await server.until(lambda: "played `d4`" in texts(newest(server)))
        for turn in ("opened with `e5`", "chose **Dark**"):
            assert sum(turn in texts(message) for message in server.messages.values()) == 1
        assert len(server.messages) == 5
        assert server.registrations == 1, "the commands have not changed"


async def test_a_process_killed_while_the_computer_thinks_loses_no_turn(folder: Path) -> None:
    async with Loopback() as server:

        def custom_id(label: str) -> str:
            """The id of a button in the last private answer."""
            shown = buttons(server.answers[-1]["components"])
            return next(str(button["custom_id"]) for button in shown if button["label"] == label)

        async with running_bot(server, folder) as process:
            # The computer plays its opening from a book, so it thinks only once.
            await server.slash(ALICE, "challenge", game="dalen", size=6, level=4, first="opponent")
            await server.until(lambda: len(server.messages) == 1)
            await server.until(lambda: "opened with" in texts(newest(server)))
            workers = children(process.pid)
            assert workers
            spent, turns = sum(map(ticks, workers)), texts(newest(server)).count("Turn")
            await server.slash(ALICE, "move", turn="dark")
            await server.until(lambda: "Hexgrove (level 4) is thinking" in texts(newest(server)))
            # Lower levels may finish before the CPU clock has ticked.
            await until(lambda: sum(map(ticks, workers)) > spent)
            process.kill()
            await process.wait()
            await asyncio.gather(*map(end_of, workers))
        async with running_bot(server, folder) as process:
            await server.until(lambda: f"🤖 Turn {turns + 2}" in texts(newest(server)))
            assert sum(f"🤖 Turn {turns + 2}" in texts(message) for message in server.messages.values()) == 1
            await server.slash(ALICE, "resign")
            await server.until(lambda: "Yes, resign" in str(server.answers))
            await server.press_id(ALICE, custom_id("Yes, resign"), GUILD)
            await server.until(lambda: "resigned" in texts(newest(server)))
            await server.slash(ALICE, "replay")
            await server.until(lambda: "Review" in str(server.answers[-1]))
            await server.press_id(ALICE, custom_id("Review"), GUILD)
            await server.until(lambda: "Reviewing match #1" in str(server.answers[-1]))
            process.kill()
            await process.wait()
        async with running_bot(server, folder):
            await server.press_id(ALICE, custom_id("Review"), GUILD)
            await server.until(lambda: "This is the computer's opinion" in str(server.answers[-1]))


def ticks(pid: int) -> int:
    """The CPU ticks that a process has used."""
    return sum(map(int, Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]))


def children(pid: int) -> list[int]:
    """The child processes of all threads of a process."""
    lists = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for file in lists for child in file.read_text().split()]


async def end_of(pid: int) -> None:
    """Wait until an orphaned process has ended."""
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    ended = asyncio.Event()
    asyncio.get_running_loop().add_reader(process, ended.set)
    try:
        async with asyncio.timeout(60):
            await ended.wait()
    finally:
        asyncio.get_running_loop().remove_reader(process)
        os.close(process)


@pytest.mark.parametrize(
    ("trouble", "status", "said"),
    [
        ("refused", 2, "Discord refused the token in DISCORD_TOKEN."),
        ("unreachable", 1, "Discord could not be reached: ClientConnectorError."),
        ("unusable", 1, "that file is not a database"),
    ],
)
async def test_a_failed_start_ends_with_a_message(folder: Path, trouble: str, status: int, said: str) -> None:
    if trouble == "unusable":
        (folder / "bot.db").write_text("These are no games. " * 200)
    async with Loopback() as server:
        server.login_refused = trouble == "refused"
        ended, complaint = await run_to_the_end(folder, 1 if trouble == "unreachable" else server.port)
    (sentence,) = complaint.splitlines()
    assert said in sentence
    assert "Traceback" not in complaint
    assert TOKEN not in complaint
    assert ended == status

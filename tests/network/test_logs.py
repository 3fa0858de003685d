"""Logs contain no typed text, no names or ids of people, and no token, whatever fails."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from tests.support.processes.bot_process import running_bot
from tests.support.processes.loopback import ALICE, BOB, TOKEN, Loopback, challenge_and_accept, newest
from tests.support.thorough import sample

TYPED = ("zebraclock", "quaggaclock", "#gnu", "okapiturn", "koalaturn", "wombatmatch", "turn:light")


@pytest.mark.parametrize("log_format", sample(["json", "console"], every=2))
async def test_the_log_of_a_busy_run_contains_no_typed_text(folder: Path, log_format: str) -> None:
    file = folder / "log"
    async with (
        Loopback() as server,
        running_bot(server, folder, file, LOG_FORMAT=log_format, LOG_LEVEL="DEBUG"),
    ):
        await server.slash(ALICE, "challenge", game="dalen", clock=TYPED[0])
        await server.until(lambda: len(server.answers) == 1)
        await challenge_and_accept(server)
        for number, (command, option, typed) in enumerate(
            (("challenge", "clock", TYPED[1]), ("move", "match", TYPED[2]), ("move", "turn", TYPED[3])), 1
        ):
            await server.suggest(ALICE, command, option, typed)
            await server.until(lambda number=number: len(server.suggestions) == number)  # type: ignore[misc]
        await server.slash(ALICE, "move", turn=TYPED[4])
        await server.until(lambda: len(server.answers) == 2)
        await server.slash(ALICE, "move", turn="e5", match=TYPED[5])
        await server.until(lambda: len(server.answers) == 3)
        quiet = file.read_bytes()
        # The connection breaks, and the library's reconnection is refused.
        server.gateway_refused = True
        await server.drop()
        await server.until(lambda: server.refusals == 1)
        server.gateway_refused = False
        await server.until(lambda: server.resumed + server.identified == 2)
        # The database fails during a turn.
        with sqlite3.connect(folder / "bot.db") as database:
            database.execute("ALTER TABLE turns RENAME TO lost")
        await server.slash(ALICE, "move", turn="e5")
        await server.until(lambda: len(server.answers) == 4)
        await server.press(BOB, newest(server), "More…")
        await server.until(lambda: len(server.answers) == 5)
    lines = file.read_text()
    assert "interaction_failed" not in quiet.decode()
    assert "Traceback" not in quiet.decode()
    assert b"autocomplete_failed" not in quiet
    assert "interaction_failed" in lines
    assert "OperationalError" in lines
    assert "Attempting a reconnect" in lines
    for secret in (*TYPED, TOKEN, "token-1", "alice", "bob", "[parameters", "locals", "SELECT"):
        assert secret not in lines
    if log_format == "json":
        assert all(json.loads(line)["event"] for line in lines.splitlines())

"""``python -m rules connect`` plays against a person over the API."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
from contextlib import suppress

import pytest

import rules
from rules import Phase
from rules.example_program import choose
from rules.search.connect import TOKEN
from tests.support.services.matches import BOB, play_turn
from tests.support.sources import ROOT
from tests.support.waiting import until
from tests.support.web.pages import Site
from tests.support.web.programs import challenge, connect


class Wire:
    """A connection to the server that can be cut."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.is_cut = False
        self._ends: list[asyncio.StreamWriter] = []

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        from_server, to_server = await asyncio.open_connection("127.0.0.1", self.port)
        self._ends += [writer, to_server]
        await asyncio.gather(_copy(reader, to_server), _copy(from_server, writer))

    def cut(self) -> None:
        self.is_cut = True
        for end in self._ends:
            end.transport.abort()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while read := await reader.read(10_000):
            writer.write(read)
    writer.close()


@pytest.mark.usefixtures("ctrl_c")
async def test_the_example_program_plays_a_whole_game_despite_a_lost_connection(site: Site) -> None:
    random.seed(2)
    program, matches = await connect(site), site.services.matches
    made = await challenge(site, program, ruleset=rules.ruleset("nadraz", 6))
    assert site.server.port is not None
    wire = Wire(site.server.port)
    way = await asyncio.start_server(wire.carry, "127.0.0.1")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "rules", "connect", f"http://127.0.0.1:{way.sockets[0].getsockname()[1]}"),
        *("--engine", f"{sys.executable} -m rules.example_program"),
        cwd=ROOT,
        env={**os.environ, TOKEN: program.token},
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(60):
            while (match_id := (await site.services.challenges.get(made.id)).match_id) is None:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
            while (game := await matches.game(match_id)).position.phase is not Phase.OVER:
                if game.to_act != BOB:
                    await asyncio.sleep(0.01)
                    continue
                if game.ply > 2 and not wire.is_cut:
                    wire.cut()
                await play_turn(matches, match_id, BOB.id, choose(game.position))
    finally:
        process.send_signal(signal.SIGINT)
        _, written = await process.communicate()
        way.close()
        wire.cut()
        await site.pages.streams.stop()  # otherwise they may read the database while it is closed
        await until(lambda: not len(site.pages.streams))
    assert written.decode().count("Connected as ⚙ Stony of Alice.") == 2
    assert "Traceback" not in written.decode()
    assert process.returncode == 130

"""Metrics and the states of a running bot."""

from __future__ import annotations

import asyncio
import socket

import aiohttp
import pytest
from aiohttp.test_utils import unused_port
from prometheus_client.parser import text_string_to_metric_families

from bot.config import Config
from bot.runtime import monitoring
from bot.runtime.listening import CannotListenError
from tests.support.discord.club import Club


@pytest.fixture
def port() -> int:
    return unused_port()


@pytest.fixture
def measured_always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(monitoring, "_LIFETIME", 0.0)


async def fetch(port: int, path: str) -> tuple[int, str]:
    async with aiohttp.ClientSession() as session, session.get(f"http://127.0.0.1:{port}/{path}") as response:
        return response.status, await response.text()


async def values(port: int) -> dict[tuple[str, ...], float]:
    """The samples by name and labels."""
    status, text = await fetch(port, "metrics")
    assert status == 200
    samples = (sample for family in text_string_to_metric_families(text) for sample in family.samples)
    return {(sample.name, *sample.labels.values()): sample.value for sample in samples}


@pytest.mark.usefixtures("measured_always")
async def test_turns_interactions_and_boards_are_counted_without_text(club: Club, port: int) -> None:
    async with monitoring.serving("127.0.0.1", port, is_ready=club.app.is_ready, measure=club.app.measure):
        await club.match(turns=("e5", "dark"))
        before = await values(port)
        await club.move(club.alice, "d4")
        await club.slash(club.bob, "move", turn="somewhere")
        await club.press(club.bob, "More…")
        after = await values(port)

        def added(*key: str) -> float:
            return after[key] - before.get(key, 0)

        assert added("hexgrove_turns_total", "dalen") == 1
        assert added("hexgrove_interactions_total", "move", "done") == 1
        assert added("hexgrove_interactions_total", "move", "refused") == 1
        assert added("hexgrove_acknowledgement_seconds_count") == 3
        assert added("hexgrove_board_seconds_count") == 1
        assert after["hexgrove_timers_due",] == 0
        assert after["hexgrove_queue_length", "animations"] == 0
        assert "somewhere" not in str(after)


@pytest.mark.usefixtures("measured_always")
async def test_a_board_of_the_computer_counts_as_no_answer(club: Club, port: int) -> None:
    async with monitoring.serving("127.0.0.1", port, is_ready=club.app.is_ready, measure=club.app.measure):
        await club.slash(club.alice, "challenge", game="dalen", size=5, level=3, first="challenger")
        before = await values(port)
        await club.move(club.alice, "e5")
        after = await values(port)
        assert "🤖 Turn 2" in club.card().text
        assert after["hexgrove_board_seconds_count",] == before["hexgrove_board_seconds_count",] + 1
        assert after["hexgrove_search_seconds_count", "3"] > before.get(("hexgrove_search_seconds_count", "3"), 0)


@pytest.mark.usefixtures("measured_always")
async def test_a_bot_is_ready_while_it_is_connected(club: Club, port: int) -> None:
    async with monitoring.serving("127.0.0.1", port, is_ready=club.app.is_ready, measure=club.app.measure):
        assert await fetch(port, "health") == (200, "alive\n")
        assert await fetch(port, "ready") == (200, "ready\n")
        await club.stop()
        assert (await fetch(port, "ready"))[0] == 503
        assert (await fetch(port, "health"))[0] == 200
    await club.start()


async def no() -> bool:
    return False


async def nothing() -> None:
    pass


async def test_requests_within_a_second_share_a_measurement(port: int) -> None:
    measured, asked = 0, 0

    async def measure() -> None:
        nonlocal measured
        measured += 1

    async def is_ready() -> bool:
        nonlocal asked
        asked += 1
        return True

    loop = asyncio.get_running_loop()
    begun = loop.time()
    async with monitoring.serving("127.0.0.1", port, is_ready=is_ready, measure=measure):
        answers = [await asyncio.gather(fetch(port, "metrics"), fetch(port, "ready")) for _ in range(20)]
        answers += await asyncio.gather(
            *(asyncio.gather(fetch(port, "metrics"), fetch(port, "ready")) for _ in range(20))
        )
    most = 1 + int(loop.time() - begun)
    assert {(metrics[0], ready) for metrics, ready in answers} == {(200, (200, "ready\n"))}
    assert 1 <= measured <= most
    assert 1 <= asked <= most


async def test_a_failed_measurement_is_repeated(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(monitoring, "_LIFETIME", 0.0)
    failing = True

    async def measure() -> None:
        if failing:
            raise OSError("The database does not answer.")

    async with monitoring.serving("127.0.0.1", port, is_ready=no, measure=measure):
        assert (await fetch(port, "metrics"))[0] == 500
        failing = False
        assert (await fetch(port, "metrics"))[0] == 200


async def test_the_port_is_reachable_only_from_the_machine_by_default(port: int) -> None:
    with socket.socket() as elsewhere:
        elsewhere.bind(("127.0.0.2", port))  # on all interfaces, the bot would find this address taken
        elsewhere.listen()
        async with monitoring.serving(Config.model_construct().metrics_host, port, is_ready=no, measure=nothing):
            assert (await fetch(port, "health"))[0] == 200


async def test_an_unusable_address_is_named(port: int) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", port))
        taken.listen()
        for host, message in (
            ("127.0.0.1", f"METRICS_PORT {port} cannot be used .*Choose another"),
            ("192.0.2.1", r"METRICS_HOST 192\.0\.2\.1: .*Choose another"),
        ):
            with pytest.raises(CannotListenError, match=message):
                async with monitoring.serving(host, port, is_ready=no, measure=nothing):
                    pass

"""What monitoring sees of a running bot."""

from __future__ import annotations

import socket

import aiohttp
import pytest
from prometheus_client.parser import text_string_to_metric_families

from bot import monitoring
from tests.support.club import Club


@pytest.fixture
def port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        number: int = free.getsockname()[1]
        return number


async def fetch(port: int, path: str) -> tuple[int, str]:
    async with aiohttp.ClientSession() as session, session.get(f"http://127.0.0.1:{port}/{path}") as response:
        return response.status, await response.text()


async def values(port: int) -> dict[tuple[str, ...], float]:
    """The samples by their names and labels."""
    status, text = await fetch(port, "metrics")
    assert status == 200
    samples = (sample for family in text_string_to_metric_families(text) for sample in family.samples)
    return {(sample.name, *sample.labels.values()): sample.value for sample in samples}


async def test_turns_interactions_and_boards_are_counted_without_what_people_wrote(club: Club, port: int) -> None:
    async with monitoring.serving(port, is_ready=club.app.is_ready, measure=club.app.measure):
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


async def test_a_board_that_the_computer_has_changed_answers_no_interaction(club: Club, port: int) -> None:
    async with monitoring.serving(port, is_ready=club.app.is_ready, measure=club.app.measure):
        await club.slash(club.alice, "challenge", game="dalen", size=5, level=3, first="challenger")
        before = await values(port)
        await club.move(club.alice, "e5")
        after = await values(port)
        assert "🤖 Turn 2" in club.card().text
        assert after["hexgrove_board_seconds_count",] == before["hexgrove_board_seconds_count",] + 1
        assert after["hexgrove_search_seconds_count", "3"] > before.get(("hexgrove_search_seconds_count", "3"), 0)


async def test_a_bot_is_ready_while_it_is_connected_and_reaches_its_database(club: Club, port: int) -> None:
    async with monitoring.serving(port, is_ready=club.app.is_ready, measure=club.app.measure):
        assert await fetch(port, "health") == (200, "alive\n")
        assert await fetch(port, "ready") == (200, "ready\n")
        await club.stop()
        assert (await fetch(port, "ready"))[0] == 503
        assert (await fetch(port, "health"))[0] == 200
    await club.start()


async def test_a_port_in_use_is_named(port: int) -> None:
    async def no() -> bool:
        return False

    async def nothing() -> None:
        pass

    with socket.socket() as taken:
        taken.bind(("0.0.0.0", port))  # noqa: S104 (the test occupies the port that the bot would use)
        taken.listen()
        with pytest.raises(monitoring.PortInUseError, match=f"METRICS_PORT {port} cannot be used: .*Choose another"):
            async with monitoring.serving(port, is_ready=no, measure=nothing):
                pass

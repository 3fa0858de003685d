"""The processes that search: their results, what happens when they break, and how they end."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
from collections.abc import Iterator
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from multiprocessing.process import BaseProcess

import pytest

import rules
from bot.computer.workers import Workers
from bot.domain.computer import SearchRequest, SearchResult, reply_request
from rules.puzzles import puzzles
from rules.search import choose, explain, value_of_replies
from tests.support.services.matches import refused
from tests.support.waiting import until

DALEN = rules.ruleset("dalen", 5)
TURNS = ("e5", "light", "d4")
EASY = SearchRequest(DALEN, TURNS, 1, 7)
#: A search that takes longer than any test.
HARD = SearchRequest(rules.ruleset("hedu"), ("a1", "black"), 5, 7)


@pytest.fixture
def workers() -> Iterator[Workers]:
    workers = Workers(1)
    yield workers
    workers.close()
    for process in multiprocessing.active_children():
        process.join(30)


async def the_process() -> BaseProcess:
    """The worker, as soon as there is one."""
    await until(multiprocessing.active_children)
    (process,) = multiprocessing.active_children()
    return process


async def test_a_worker_finds_what_the_search_finds_and_stands_back(workers: Workers) -> None:
    choice = choose(DALEN.replay(TURNS), 1, 7)
    assert multiprocessing.active_children() == [], "it is started when it is needed"
    assert await workers.search(EASY) == SearchResult(choice.turn, choice.value, choice.line)
    found = await workers.search(replace(EASY, level=3))
    assert 0 < found.seconds < 60, "what it took of a core"
    process = await the_process()
    assert process.pid is not None
    assert os.getpriority(os.PRIO_PROCESS, process.pid) == 19, "the lowest priority there is"
    process.kill()
    process.join()
    assert await workers.search(EASY) == SearchResult(choice.turn, choice.value, choice.line)
    assert (await the_process()).pid != process.pid


async def test_a_worker_finds_the_reply_in_a_puzzle_on_a_very_small_board(workers: Workers) -> None:
    puzzle = next(puzzle for puzzle in puzzles("dendria") if puzzle.ruleset.size not in puzzle.ruleset.game.sizes)
    wrong = next(turn for turn in puzzle.position.legal_turns if not puzzle.solves(0, turn))
    found = await workers.search(replace(reply_request(puzzle, 0, wrong), level=1))
    after, _ = puzzle.position.play(wrong)
    assert found.turn in after.legal_turns


@pytest.mark.usefixtures("ctrl_c")
async def test_ctrl_c_is_left_to_the_bot(workers: Workers) -> None:
    await workers.search(EASY)
    process = await the_process()
    assert process.pid is not None
    searching = asyncio.create_task(workers.search(replace(EASY, level=2)))
    while not searching.done():
        os.kill(process.pid, signal.SIGINT)
        await asyncio.sleep(0.001)
    assert (await searching).turn == choose(DALEN.replay(TURNS), 2, EASY.seed).turn
    assert (await the_process()).pid == process.pid


async def test_a_search_whose_worker_breaks_is_repeated_but_not_for_ever(workers: Workers) -> None:
    others = set(multiprocessing.active_children())  # an earlier test's worker may still be ending
    searching = asyncio.create_task(workers.search(HARD))
    killed = set()
    while not searching.done():
        for process in set(multiprocessing.active_children()) - others:
            process.kill()
            killed.add(process.pid)
        await asyncio.sleep(0)
    await refused(BrokenProcessPool, searching)
    assert len(killed) == 3


async def test_a_worker_that_hangs_is_killed_and_the_next_search_has_another_one() -> None:
    workers = Workers(1, longest=0.5)
    hanging = []
    for _ in range(2):
        searching = asyncio.create_task(workers.search(HARD))
        hanging.append(process := await the_process())
        assert process.pid is not None
        os.kill(process.pid, signal.SIGSTOP)
        await refused(TimeoutError, searching)
        await until(lambda: hanging[-1].exitcode == -signal.SIGKILL)
    assert hanging[0].pid != hanging[1].pid
    workers.close()


async def test_closed_workers_end_even_if_they_hang(workers: Workers) -> None:
    await workers.search(EASY)
    process = await the_process()
    assert process.pid is not None
    os.kill(process.pid, signal.SIGSTOP)
    workers.close()
    await until(lambda: process.exitcode is not None)


async def test_closed_workers_end_in_the_middle_of_a_search(workers: Workers) -> None:
    searching = asyncio.create_task(workers.search(HARD))
    process = await the_process()
    workers.close()
    await refused(BrokenProcessPool, searching)
    # Not by joining it, which comes to nothing while a thread of the pool takes note of its end.
    await until(lambda: process.exitcode is not None)
    await refused(BrokenProcessPool, workers.search(EASY))
    assert multiprocessing.active_children() == []


async def test_a_worker_also_says_why(workers: Workers) -> None:
    found = await workers.search(replace(EASY, explained=True))
    position = DALEN.replay(TURNS)
    assert list(map(str, found.reasons)) == list(map(str, explain(position, found.turn)))
    assert found.replies == value_of_replies(position)

"""Matches written down as records of the rules."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable

import pytest

from bot.domain.matches import Ending, ProposalKind, Result
from bot.domain.players import Player
from bot.domain.study.imports import record_of
from bot.domain.study.lines import games_along
from rules import Record
from rules.__main__ import main
from tests.support.games import WHOLE_GAME
from tests.support.services.house import House
from tests.support.services.matches import ALICE, BOB


@pytest.fixture
def read_back(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[[Record], Record]:
    """The record as the command line reads and writes it."""

    def read(record: Record) -> Record:
        monkeypatch.setattr(sys, "stdin", io.StringIO(str(record)))
        assert main(["record", "-"]) == 0
        written = capsys.readouterr().out
        assert written == str(record)
        return Record.parse(written)

    return read


async def test_a_finished_match_is_recorded_with_players_date_and_result(
    house: House, read_back: Callable[[Record], Record]
) -> None:
    match = await house.start(Player(ALICE.id, 'Al"ice\\'), BOB, turns=WHOLE_GAME)
    record = record_of(await house.game(match))
    assert read_back(record) == record
    assert record.turns == WHOLE_GAME
    outcome = record.position().outcome
    assert outcome is not None
    assert record.result == Record.result_of(outcome.winner)
    names = {"Dark": 'Al"ice\\', "Light": "Bob"}  # Bob chose Light
    assert record.tags == {"Date": "2026.01.01", **names, "Termination": str(outcome.reason)}


#: The names of the players before the choice of side, and when Bob has chosen Light or Dark.
UNDECIDED = {"First": "Alice", "Second": "Bob"}
DARK, LIGHT = {"Dark": "Alice", "Light": "Bob"}, {"Dark": "Bob", "Light": "Alice"}


@pytest.mark.parametrize(
    ("turns", "end", "result", "tags"),
    [
        ((), None, "*", UNDECIDED),
        (("e5", "dark", "d4"), None, "*", LIGHT),
        (("e5", "dark"), "resign", "1-0", LIGHT | {"Termination": "resignation"}),
        (("e5", "light"), "resign", "0-1", DARK | {"Termination": "resignation"}),
        (("e5",), "resign", "*", UNDECIDED | {"Termination": "resignation", "Winner": "Bob"}),
        (("e5", "light"), "agreement", "1/2-1/2", DARK | {"Termination": "agreement"}),
        (("e5",), "agreement", "1/2-1/2", UNDECIDED | {"Termination": "agreement"}),
        (("e5", "light"), "abandoned", "*", DARK | {"Termination": "abandoned"}),
    ],
)
async def test_every_other_match_is_written_down_so_that_the_rules_can_read_it(
    house: House,
    read_back: Callable[[Record], Record],
    turns: tuple[str, ...],
    end: str | None,
    result: str,
    tags: dict[str, str],
) -> None:
    match = await house.start(turns=turns)
    if end == "resign":
        await house.resign(match, ALICE)
    elif end is not None:
        await house.end(match, Result(None, Ending(end)))
    record = record_of(await house.game(match))
    assert read_back(record) == record
    assert (record.turns, record.result) == (turns, result)
    # The order tells who won: the result is that of the side which is named first.
    assert list(record.tags.items()) == [("Date", "2026.01.01"), *tags.items()]


async def test_turns_that_were_taken_back_are_not_written_down(house: House) -> None:
    match = await house.start(turns=("e5", "light", "d4"))
    await house.agree(match, ProposalKind.TAKE_BACK, BOB)
    await house.play(match, BOB, "a1")
    assert record_of(await house.game(match)).turns == ("e5", "light", "a1")


async def test_tried_turns_that_end_the_game_are_written_down_with_its_result(
    house: House, read_back: Callable[[Record], Record]
) -> None:
    match = await house.start(turns=WHOLE_GAME[:-1])
    games, _ = games_along(await house.game(match), WHOLE_GAME[-1:])
    unfinished, tried = map(record_of, games)
    outcome = tried.position().outcome
    assert outcome is not None
    assert read_back(tried) == tried
    assert (unfinished.result, tried.result) == ("*", Record.result_of(outcome.winner))

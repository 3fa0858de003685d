"""Matches written down as records of the rules."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable

import pytest

from bot.domain.matches import ProposalKind
from bot.domain.players import Player
from bot.domain.study.imports import record_of
from bot.domain.study.lines import games_along
from bot.services.matches import Matches
from bot.services.proposals import Proposals
from rules import Record
from rules.__main__ import main
from tests.support.games import WHOLE_GAME
from tests.support.services import ALICE, BOB, agree, play_turn, start


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
    matches: Matches, read_back: Callable[[Record], Record]
) -> None:
    match = await start(matches, Player(ALICE.id, 'Al"ice\\'), BOB, turns=WHOLE_GAME)
    record = record_of(await matches.game(match.id))
    assert read_back(record) == record
    assert record.turns == WHOLE_GAME
    outcome = record.position().outcome
    assert outcome is not None
    assert record.result == Record.result_of(outcome.winner)
    # Bob chose Light.
    assert record.tags == {
        "Date": "2026.01.01",
        "Dark": 'Al"ice\\',
        "Light": "Bob",
        "Termination": str(outcome.reason),
    }


@pytest.mark.parametrize(
    ("turns", "end", "result", "tags"),
    [
        ((), None, "*", {"First": "Alice", "Second": "Bob"}),
        (("e5", "dark", "d4"), None, "*", {"Dark": "Bob", "Light": "Alice"}),
        (("e5", "dark"), "resign", "1-0", {"Dark": "Bob", "Light": "Alice", "Termination": "resignation"}),
        (("e5", "light"), "resign", "0-1", {"Dark": "Alice", "Light": "Bob", "Termination": "resignation"}),
        (
            ("e5",),
            "resign",
            "*",
            {"First": "Alice", "Second": "Bob", "Termination": "resignation", "Winner": "Bob"},
        ),
        (("e5", "light"), "draw", "1/2-1/2", {"Dark": "Alice", "Light": "Bob", "Termination": "agreement"}),
        (("e5",), "draw", "1/2-1/2", {"First": "Alice", "Second": "Bob", "Termination": "agreement"}),
        (("e5", "light"), "abandon", "*", {"Dark": "Alice", "Light": "Bob", "Termination": "abandoned"}),
    ],
)
async def test_every_other_match_is_written_down_so_that_the_rules_can_read_it(
    matches: Matches,
    proposals: Proposals,
    read_back: Callable[[Record], Record],
    turns: tuple[str, ...],
    end: str | None,
    result: str,
    tags: dict[str, str],
) -> None:
    match = await start(matches, turns=turns)
    if end == "resign":
        await matches.resign(match.id, ALICE.id)
    elif end is not None:
        await agree(proposals, match, ProposalKind(end))
    record = record_of(await matches.game(match.id))
    assert read_back(record) == record
    assert (record.turns, record.result) == (turns, result)
    # The order tells who won: the result is that of the side which is named first.
    assert list(record.tags.items()) == [("Date", "2026.01.01"), *tags.items()]


async def test_turns_that_were_taken_back_are_not_written_down(matches: Matches, proposals: Proposals) -> None:
    match = await start(matches, turns=("e5", "light", "d4"))
    offered = await proposals.propose(match.id, BOB.id, ProposalKind.TAKE_BACK)
    await proposals.accept(offered.id, ALICE.id)
    await play_turn(matches, match.id, BOB.id, "a1")
    assert record_of(await matches.game(match.id)).turns == ("e5", "light", "a1")


async def test_tried_turns_that_end_the_game_are_written_down_with_its_result(
    matches: Matches, read_back: Callable[[Record], Record]
) -> None:
    match = await start(matches, turns=WHOLE_GAME[:-1])
    games, _ = games_along(await matches.game(match.id), WHOLE_GAME[-1:])
    unfinished, tried = map(record_of, games)
    outcome = tried.position().outcome
    assert outcome is not None
    assert read_back(tried) == tried
    assert (unfinished.result, tried.result) == ("*", Record.result_of(outcome.winner))

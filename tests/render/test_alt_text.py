"""The alternative texts."""

from __future__ import annotations

import random

import render
import rules
from render.alt_text import fit, format_cells
from rules import Side
from rules.dalen import Dalen
from rules.events import Event
from tests.support.each import for_each
from tests.support.positions import set_up


def full(seed: int | None) -> Dalen:
    """A full board with random sides or, without ranges in its text, with the sides alternating in every column."""
    position = set_up(Dalen, 9, "", Side.SECOND, "leaves")
    board, chooser = position.board, random.Random(seed)
    first = (cell for cell in board.cells if (board.row(cell) % 2 if seed is None else chooser.random() < 0.5))
    own = sum(1 << cell for cell in first)
    return position.with_stones(Side.FIRST, own, board.mask & ~own, Side.SECOND)


def test_the_text_names_game_turn_stones_and_what_happened() -> None:
    position = rules.ruleset("dalen", 5).start()
    events: tuple[Event, ...] = ()
    for turn in ("e5", "dark", "e6", "d5"):
        position, events = position.play(turn)
    assert render.describe(position, events) == (
        "Dalen, size 5. Light to play. Last turn: Dark on d5. Dark has 2 stones: d5 e5. Light has 1 stone: e6. "
        "Stones of stagnant trees: none. Leaves: Dark d5 e5."
    )


def test_the_text_names_the_choice_and_the_chosen_side() -> None:
    position, events = rules.ruleset("dalen", 5).start().play("a1")
    assert "The second player chooses a side: Dark or Light. Last turn: Dark on a1." in render.describe(
        position, events
    )
    position, events = position.play("light")
    assert "Light to play. Last turn: the second player took Light." in render.describe(position, events)


def test_an_unplayed_turn_does_not_change_the_side_to_play() -> None:
    before = rules.ruleset("dalen", 5).replay(["a1", "light"])
    after, events = before.play("e5")
    assert "Light to play. This turn: Light on e5." in render.describe(after, events, before=before)


@for_each("position", map(full, (None, *range(5))))
def test_full_boards_of_size_9_fit_and_name_all_stones(position: Dalen) -> None:
    cell = position.board.centre
    flipped = rules.Flipped(Side.SECOND, tuple(rules.bits(position.second & ~(1 << cell))), (cell,))
    events = (rules.Placed(Side.SECOND, cell), flipped)
    text = render.describe(position, events)
    assert len(text) < 1024
    assert "to play" in text
    assert f"Last turn: Light on i9; {len(flipped.cells)} stones flipped to Light" in text
    for side in Side:
        assert format_cells(position.board, position.stones(side)) in text


def test_cells_are_listed_by_column_in_ranges() -> None:
    board = rules.board(5)
    names = ("a1", "b2", "b3", "b4", "b6", "i8", "i9")
    mask = sum(1 << cell for name in names if (cell := board.cell(name)) is not None)
    assert format_cells(board, mask) == "a1 b2-4,6 i8-9"


def test_later_clauses_are_shortened_and_dropped_first() -> None:
    clauses = [["Head."], ["Middle, long.", "Mid."], ["Tail, long.", "Tail."]]
    assert fit(clauses, 40) == "Head. Middle, long. Tail, long."
    assert fit(clauses, 30) == "Head. Middle, long. Tail."
    assert fit(clauses, 20) == "Head. Mid. Tail."
    assert fit(clauses, 12) == "Head. Mid."
    assert fit(clauses, 9) == "Head."


@for_each(
    "case",
    [
        ("e5 light e7", Side.SECOND, "by resignation", "Game over: Light won by resignation."),
        ("e5", None, "by resignation", "Game over by resignation."),
        ("e5 light e7", None, "by agreement", "Game over: a draw by agreement."),
    ],
)
def test_the_text_names_the_end_of_a_game_and_its_winner(case: tuple[str, Side | None, str, str]) -> None:
    turns, winner, reason, text = case
    position = rules.ruleset("dalen", 5).replay(turns.split())
    assert text in render.describe(position, (), render.Conclusion(winner, reason))

"""The tally of what a turn did."""

from __future__ import annotations

import pytest

from rules import Captured, Event, Flipped, Germinated, Moved, Placed, Raised, Reduced, Side, Sprouted, Tally

DARK, LIGHT = Side
PLACED = Placed(DARK, 1)


def effects(*events: Event) -> str:
    return ", ".join(map(str, Tally(events).effects()))


@pytest.mark.parametrize(
    ("event", "costs"),
    [
        (Reduced(DARK, 2, 3, 1), False),
        (Reduced(DARK, 2, 3, 0), True),
        (Reduced(LIGHT, 2, 3, 0), False),
        (Captured(LIGHT, (2, 3)), True),
        (Captured(DARK, (2, 3)), False),
        (Flipped(LIGHT, (4,), (5,)), True),
        (Flipped(DARK, (4,), (5,)), False),
    ],
    ids=str,
)
def test_a_turn_costs_pieces_when_some_of_the_mover_leave_the_board_or_change_sides(event: Event, costs: bool) -> None:
    assert Tally((PLACED, event)).costs_pieces is costs


def test_effects_are_those_on_the_pieces_of_both_sides_as_the_mover_sees_them() -> None:
    assert effects(PLACED) == ""
    assert effects(PLACED, Flipped(DARK, (2, 3), (1,)), Flipped(LIGHT, (4,), (5,))) == "flips 2, loses 1"
    assert effects(Placed(LIGHT, 1), Captured(LIGHT, (2,)), Captured(LIGHT, (3, 4))) == "captures 3"
    assert effects(PLACED, Reduced(LIGHT, 2, 3, 1), Reduced(DARK, 3, 2, 1)) == "lowers by 2, loses 1"
    assert effects(PLACED, Raised(LIGHT, 2, 1, 3), Raised(DARK, 3, 1, 2)) == "raises by 3"
    assert effects(Moved(DARK, 1, (2,)), Sprouted(DARK, 3), Germinated(DARK, (4,))) == "sprouts 1, grows 1 Tree"
    assert effects(PLACED, Germinated(DARK, (4, 5))) == "grows 2 Trees"


def test_a_stack_keeps_all_heights_through_which_it_went() -> None:
    tally = Tally((PLACED, Reduced(DARK, 2, 3, 1), Raised(DARK, 2, 1, 2), Raised(LIGHT, 4, 1, 2)))
    assert tally.heights == {2: [3, 1, 2], 4: [1, 2]}
    assert (tally.lowered, tally.raised) == ([2, 0], [1, 1])

"""Hedu: a handmade position for every sentence of its rules, and whole games against a second reading."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import chain, groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.__main__ import describe
from rules.board import bits, board
from rules.errors import GameOver, IllegalTurn, NotATurn, OffTheBoard, TurnError
from rules.events import Event, Passed, Placed, SideChosen, Territory
from rules.hedu import Hedu, Raised, Reduced, Region
from rules.position import Outcome, Phase, Ruleset
from rules.side import Side
from tests.support.each import for_each
from tests.support.literal.hedu import Literal
from tests.support.positions import repeatable
from tests.support.thorough import THOROUGH, fewer

BLACK, WHITE = Side.FIRST, Side.SECOND


def position(black: str = "", white: str = "", *, to_play: Side = BLACK, size: int = 3) -> Hedu:
    """A position in play with stacks on these cells. Their heights follow from the regions."""
    first, second = (sum(1 << cell_of(name, size) for name in names.split()) for names in (black, white))
    ruleset = Ruleset(Hedu, size, "standard")
    return Hedu(ruleset, first=first, second=second, second_player=WHITE, turn_of=to_play)


def cell_of(name: str, size: int = 3) -> int:
    cell = board(size).cell(name)
    assert cell is not None
    return cell


def placed(before: Hedu, turn: str) -> tuple[dict[str, str], tuple[Event, ...]]:
    """The stacks after a turn, and the turn's events."""
    after, events = before.play(turn)
    return after.pieces(), events


def changes(events: tuple[Event, ...]) -> list[tuple[str, str, int, int]]:
    """The reductions and raises among the events: the kind, the cell on a board of size 3, and the heights."""
    return [
        (type(event).__name__, board(3).name(event.cell), event.before, event.after)
        for event in events
        if isinstance(event, Reduced | Raised)
    ]


def region_of(where: Hedu, name: str) -> Region:
    """The region with that cell."""
    cell = cell_of(name, where.ruleset.size)
    return next(region for region in where.regions if region.cells >> cell & 1)


def ranks(region: Region) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """The two lists compared for a region."""
    first, second = ([group.rank for group in groups] for groups in region.groups)
    return first, second


# The definitions


def test_a_region_is_a_maximal_connected_set_of_empty_cells() -> None:
    regions = position(black="a2 b3 c4 d5", white="b1 c2 d3 e4").regions
    assert [board(3).names(region.cells) for region in regions] == [
        ["a1", "b2", "c3", "d4", "e5"],
        ["c1", "d2", "e3"],
        ["a3", "b4", "c5"],
    ]


def test_a_group_is_a_maximal_connected_set_of_equal_stacks() -> None:
    # c5, d5 and e4 are connected, but e4 has another height; d4 is connected to them, but white.
    found = position(black="c4 e4 c5 d5", white="d4")
    groups = [(board(3).names(group.cells), group.size, group.height) for group in found.groups(BLACK)]
    assert groups == [(["c4", "c5", "d5"], 3, 1), (["e4"], 1, 2)]
    assert [group.rank for group in found.groups(WHITE)] == [(1, 2)]


def test_equal_stacks_that_are_not_connected_are_different_groups() -> None:
    assert [group.rank for group in position(black="b1 d5").groups(BLACK)] == [(1, 1), (1, 1)]


# The opening


def test_the_opening_is_a_black_stack_of_height_1_on_any_cell() -> None:
    start = Ruleset(Hedu, 5, "standard").start()
    assert isinstance(start, Hedu)
    assert set(start.legal_turns) == set(board(5).names(board(5).mask))
    after, events = start.play("e5")
    assert events == (Placed(BLACK, cell_of("e5", 5), 1),)
    assert after.pieces() == {"e5": "b1"}
    assert after.phase is Phase.CHOICE


@pytest.mark.parametrize(("choice", "chosen"), [("black", BLACK), ("white", WHITE)])
def test_the_second_player_chooses_a_side_and_white_plays_next(choice: str, chosen: Side) -> None:
    after, _ = Ruleset(Hedu, 5, "standard").replay(["e5"]).play(choice)
    assert after.second_player is chosen
    assert after.to_play is WHITE


# A turn


def test_a_turn_is_a_pass_or_a_placement_on_an_empty_cell() -> None:
    open_board = position(black="c3")
    assert set(open_board.legal_turns) == {*board(3).names(open_board.empty), "pass"}


def test_a_pass_changes_nothing_but_the_side_to_play() -> None:
    before = position(black="c2 e3", white="b3 d3")
    after, events = before.play("pass")
    assert events == (Passed(BLACK),)
    assert after.pieces() == before.pieces()
    assert after.to_play is WHITE
    assert after.outcome is None


def test_a_placed_stack_is_as_high_as_its_number_of_adjacent_regions() -> None:
    before = position(black="a2 b3 c4 d5", white="b1 c2 d3 e4")
    _, events = placed(before, "b2")  # beside a1 and the rest of its region
    assert events[0] == Placed(BLACK, cell_of("b2"), 2)
    _, events = placed(before, "a1")  # beside b2 and the cells beyond it only
    assert events[0] == Placed(BLACK, cell_of("a1"), 1)


def test_regions_are_counted_once_the_cell_is_occupied() -> None:
    # c3 is adjacent to one region before the turn and to two after it.
    before = position(black="c1 c2", white="c4 c5")
    assert len(before.regions) == 1
    after, events = before.play("c3")
    assert events[0] == Placed(BLACK, cell_of("c3"), 2)
    assert after.pieces() == {"c1": "b2", "c2": "b2", "c3": "b2", "c4": "w2", "c5": "w2"}


def test_a_region_on_several_sides_of_a_stack_is_counted_once() -> None:
    _, events = placed(position(black="c2", white="c4"), "c3")
    assert events == (Placed(BLACK, cell_of("c3"), 1),)


def test_a_placement_may_split_a_region_into_three() -> None:
    pieces, events = placed(position(black="a1 e3", white="c2 b3 d3 c4 d4"), "b2")
    assert events[0] == Placed(BLACK, cell_of("b2"), 3)
    assert pieces["b2"] == "b3"
    assert ("Raised", "d3", 1, 3) in changes(events)


def test_the_height_of_a_placed_stack_must_not_be_0() -> None:
    # b2 isolated a1, so a1 has no empty neighbour.
    before = position(black="a2 b1", white="b2")
    assert "a1" not in before.legal_turns
    with pytest.raises(IllegalTurn, match="a stack on a1 would touch no region") as refused:
        before.play("a1")
    assert "b1, a2, b2" in str(refused.value)
    assert set(refused.value.cells) == {cell_of(name) for name in ("a2", "b1", "b2")}


def test_a_height_of_0_is_refused_even_if_it_takes_an_enemys_last_region() -> None:
    # a1 is the last region of Black's a2, but the height is counted before any stack leaves the board.
    before = position(black="a2", white="a3 b1 b2 b3", to_play=WHITE)
    assert before.pieces()["a2"] == "b1"
    assert "a1" not in before.legal_turns
    with pytest.raises(IllegalTurn, match="would touch no region"):
        before.play("a1")


def test_an_enemy_stack_higher_than_its_count_is_reduced_to_it() -> None:
    before = position(black="a2 b3", white="b1 c2 d2 c3")
    assert before.pieces()["c2"] == "w3"
    pieces, events = placed(before, "b2")
    # c2 now touches two regions, so 3 is reduced to 2 (reduced by 2, it would be 1).
    assert ("Reduced", "c2", 3, 2) in changes(events)
    assert pieces["c2"] == "w2"


def test_an_enemy_stack_with_count_0_leaves_the_board() -> None:
    pieces, events = placed(position(black="e4", white="d5 e5"), "d4")
    assert events[1] == Reduced(WHITE, cell_of("e5"), 1, 0)
    assert pieces == {"d4": "b2", "e4": "b2", "d5": "w2"}


def test_enemy_stacks_are_reduced_all_at_once() -> None:
    # e4 and e5 both lose their last region. If they left one by one, the first would save the second.
    pieces, events = placed(position(black="e3", white="d3 e4 d5 e5"), "d4")
    assert changes(events)[:2] == [("Reduced", "e4", 1, 0), ("Reduced", "e5", 1, 0)]
    assert pieces == {"d3": "w2", "e3": "b2", "d4": "b2", "d5": "w2"}


def test_friendly_stacks_are_reduced_too() -> None:
    pieces, events = placed(position(black="e3 e4", white="d3"), "d2")
    assert events[1] == Reduced(BLACK, cell_of("e3"), 1, 0)
    assert pieces == {"d2": "b2", "d3": "w2", "e4": "b2"}


def test_a_friendly_stack_higher_than_its_count_is_reduced_to_it() -> None:
    pieces, events = placed(position(black="d3 e3 c4 d4 c5 e5"), "c3")
    assert changes(events) == [("Reduced", "d4", 3, 2)]
    assert pieces["d4"] == "b2"


def test_friendly_stacks_are_reduced_all_at_once() -> None:
    pieces, events = placed(position(black="a1 b1 c1", white="b2 d2 d3"), "c2")
    assert changes(events)[:2] == [("Reduced", "b1", 1, 0), ("Reduced", "c1", 1, 0)]
    assert set(pieces) == {"a1", "b2", "c2", "d2", "d3"}


def test_friendly_stacks_are_counted_after_the_enemy_reductions() -> None:
    # c2 takes the last region of b1 and of the enemy's c1. c1 leaves first, and its cell becomes a region for b1.
    before = position(black="b1 d2", white="a1 c1 b2")
    pieces, events = placed(before, "c2")
    assert changes(events)[0] == ("Reduced", "c1", 1, 0)
    assert pieces == {"a1": "w1", "b1": "b1", "b2": "w1", "c2": "b2", "d2": "b2"}
    # If b1 is White's like c1, both leave together.
    both, _ = placed(position(black="d2", white="a1 b1 c1 b2"), "c2")
    assert set(both) == {"a1", "b2", "c2", "d2"}


def test_a_stack_keeps_its_height_when_an_enemy_stack_leaves_beside_it() -> None:
    # b4 loses the region with c4 and gains c5.
    pieces, events = placed(position(black="b3 b4", white="a2 c5 d5"), "c4")
    assert changes(events)[0] == ("Reduced", "c5", 1, 0)
    assert all(cell != "b4" for _, cell, _, _ in changes(events))
    assert pieces["b4"] == "b2"


def test_all_stacks_of_both_colours_are_increased() -> None:
    pieces, events = placed(position(black="d2 d5", white="c2"), "b1")
    assert changes(events) == [("Raised", "c2", 1, 2), ("Raised", "d2", 1, 2)]
    assert pieces == {"b1": "b2", "c2": "w2", "d2": "b2", "d5": "b1"}


def test_increases_are_counted_on_the_board_after_the_friendly_reductions() -> None:
    # Black's own e3 leaves. Its cell becomes a region for all stacks around it, including the one just placed.
    _, events = placed(position(black="e3 e4", white="d3"), "d2")
    assert events[0] == Placed(BLACK, cell_of("d2"), 1)
    assert changes(events) == [
        ("Reduced", "e3", 1, 0),
        ("Raised", "d2", 1, 2),
        ("Raised", "d3", 1, 2),
        ("Raised", "e4", 1, 2),
    ]


def test_a_stack_may_be_reduced_and_increased_in_one_turn() -> None:
    after, events = position(black="d2 d5", white="e3 d4 e4").play("d3")
    assert changes(events)[:2] == [("Reduced", "e3", 1, 0), ("Reduced", "e4", 2, 1)]
    assert ("Raised", "e4", 1, 2) in changes(events)
    assert after.held() == {"black": 2, "white": 0}


def test_a_lowered_stack_gives_prisoners_to_its_opponent_on_any_turn() -> None:
    before = position(black="a2 b3", white="b1 c2 d2 c3")
    after, events = before.play("b2")
    lowered = [event for event in events if isinstance(event, Reduced)]
    assert [(event.side, event.before - event.after) for event in lowered] == [(WHITE, 1), (WHITE, 1), (BLACK, 1)]
    assert after.held() == {"black": 2, "white": 1}


def test_prisoners_are_kept() -> None:
    captured, _ = position(black="e4", white="d5 e5").play("d4")
    later, _ = captured.play("a1")
    assert captured.held() == later.held() == {"black": 1, "white": 0}


# Control of a region


def test_the_larger_group_controls_a_region_even_when_it_is_lower() -> None:
    region = region_of(position(black="c4 e4 c5 d5", white="d4"), "c3")
    assert ranks(region) == ([(3, 1), (1, 2)], [(1, 2)])
    assert region.owner is BLACK
    assert str(region.why) == "Black's group is larger, of size 3 and White's of size 1"


def test_of_groups_of_equal_size_the_higher_one_controls() -> None:
    region = region_of(position(black="c4 d4", white="e4 c5 e5"), "c3")
    assert ranks(region) == ([(2, 2)], [(2, 1), (1, 2)])
    assert region.owner is BLACK
    assert str(region.why) == "Black's group of size 2 is higher, 2 and White's 1"


def test_equal_groups_are_followed_by_the_next_in_descending_order() -> None:
    region = region_of(position(black="a3 b4 d5 e5", white="c2 c3 e3"), "a1")
    assert ranks(region) == ([(2, 1), (2, 1)], [(2, 1), (1, 1)])
    assert region.owner is BLACK
    assert str(region.why) == "after 1 equal group, Black's group is larger, of size 2 and White's of size 1"
    region = region_of(position(black="d3 c4", white="d2 e4"), "a1")
    assert ranks(region) == ([(1, 2), (1, 1)], [(1, 2), (1, 2)])
    assert region.owner is WHITE
    assert str(region.why) == "after 1 equal group, White's group of size 1 is higher, 2 and Black's 1"


def test_a_list_that_ends_first_is_the_smaller() -> None:
    region = region_of(position(black="a3 d4", white="c3"), "a1")
    assert ranks(region) == ([(1, 1), (1, 1)], [(1, 1)])
    assert region.owner is BLACK
    assert str(region.why) == "after 1 equal group, only Black has another next to it"


def test_a_side_alone_at_a_region_controls_it() -> None:
    region = region_of(position(white="c3"), "a1")
    assert (region.owner, region.value) == (WHITE, 1)
    assert str(region.why) == "only White has a group next to it"


def test_groups_adjacent_to_the_region_are_listed_with_all_their_stacks() -> None:
    # Of Black's group of three, only a2 is adjacent to a1.
    region = region_of(position(black="a2 b3 b4", white="b1 b2"), "a1")
    assert ranks(region) == ([(3, 2)], [(2, 2)])
    assert region.stacks == (1, 2)
    assert (region.owner, region.value) == (BLACK, 2)


def test_if_the_lists_are_equal_more_adjacent_stacks_control_the_region() -> None:
    region = region_of(position(black="a2 b3 d5", white="b4 c4"), "a3")
    assert ranks(region) == ([(2, 2)], [(2, 2)])
    assert (region.owner, region.value, region.stacks) == (BLACK, 2, (2, 1))
    assert str(region.why) == "the groups are equal, and Black has more stacks next to it, 2 and 1"


def test_the_adjacent_stacks_are_counted_over_all_groups_of_a_side() -> None:
    region = region_of(position(black="d3 e4 d5", white="b1 c2 d4"), "a1")
    assert ranks(region) == ([(2, 2), (1, 2)], [(2, 2), (1, 2)])
    assert region.stacks == (2, 3)
    assert region.owner is WHITE


def test_if_the_adjacent_stacks_are_equal_too_nobody_controls_the_region() -> None:
    region = region_of(position(black="b1 d5", white="c3 e3"), "a1")
    assert ranks(region) == ([(1, 1), (1, 1)], [(1, 1), (1, 1)])
    assert (region.owner, region.value) == (None, 0)
    assert str(region.why) == "the groups are equal, and so are the stacks next to it, 2 and 2"


def test_nobody_controls_the_empty_board() -> None:
    start = Ruleset(Hedu, 5, "standard").start()
    assert isinstance(start, Hedu)
    assert [region.owner for region in start.regions] == [None]
    assert start.score() == {"black": 0, "white": 0}


def test_a_region_is_worth_the_height_of_the_first_controlling_group() -> None:
    # Black's second group there is higher, but only the first counts.
    assert region_of(position(black="c4 e4 c5 d5", white="d4"), "c3").value == 1
    assert region_of(position(black="c4 d4", white="e4 c5 e5"), "c3").value == 2


# The end and the score


def test_the_game_ends_when_no_placement_exists() -> None:
    before = position(black="b1 a2 b2 c2 d2 b4", white="b3 d3 c4 d4 d5")
    after, events = before.play("e4")
    assert all(region.cells.bit_count() == 1 for region in after.regions)
    assert after.outcome == Outcome(BLACK, "score")
    assert after.phase is Phase.OVER
    assert after.legal_turns == ()
    # e4 controls e3: Black holds a1, c1, a3 and e3, White c3, c5 and e5, all of value 2, and Black has the ½.
    assert after.score() == {"black": 8.5, "white": 6}
    controlled = {"a1": BLACK, "c1": BLACK, "a3": BLACK, "c3": WHITE, "e3": BLACK, "c5": WHITE, "e5": WHITE}
    assert events[1:] == tuple(Territory(side, (cell_of(name),)) for name, side in controlled.items())
    with pytest.raises(GameOver):
        after.play("pass")


def test_whether_a_placement_exists_is_the_same_for_both_sides() -> None:
    for where in random_game(3, 0):
        assert where.placements(BLACK) == where.placements(WHITE)


def test_two_passes_in_a_row_end_the_game() -> None:
    game = Ruleset(Hedu, 5, "standard").replay(["e5", "white", "pass"])
    assert game.outcome is None
    over, events = game.play("pass")
    assert over.outcome == Outcome(BLACK, "score")
    assert events == (Passed(BLACK), Territory(BLACK, tuple(bits(over.empty))))


def test_a_placement_between_two_passes_goes_on() -> None:
    game = Ruleset(Hedu, 5, "standard").replay(["e5", "white", "pass", "a1", "pass"])
    assert game.outcome is None
    assert game.to_play is BLACK
    again, _ = game.play("b1")
    assert again.play("pass")[0].outcome is None


def test_the_score_is_controlled_regions_plus_prisoners_plus_a_half() -> None:
    after, _ = position(black="e4", white="d5 e5").play("d4")
    # Black controls both regions with its group of two stacks of height 2, holds one prisoner and has the ½.
    assert [(region.owner, region.value) for region in after.regions] == [(BLACK, 2), (BLACK, 2)]
    assert after.score() == {"black": 2 + 2 + 1 + 0.5, "white": 0}


def test_the_half_is_for_the_greater_list_of_all_groups_on_the_board() -> None:
    # Sizes count before heights here too: Black's list is 3×1, 1×2, White's is 1×2. Black's regions are worth 1 each.
    assert position(black="c4 e4 c5 d5", white="d4").score() == {"black": 1 + 1 + 0.5, "white": 0}


def test_equal_lists_of_all_groups_give_the_half_to_nobody() -> None:
    # Both lists are 2×2, 1×2. Black controls a region by its number of stacks, which does not affect the ½.
    found = position(black="b1 c2 d4", white="d3 e4 d5")
    assert [group.rank for group in found.groups(BLACK)] == [group.rank for group in found.groups(WHITE)]
    assert [(region.owner, region.value) for region in found.regions] == [(BLACK, 2), (None, 0), (WHITE, 2)]
    assert found.score() == {"black": 2, "white": 2}


def test_the_higher_score_wins_and_equal_scores_are_a_draw() -> None:
    drawn, _ = position(black="b1 d5", white="c3 e3").play("pass")
    drawn, events = drawn.play("pass")
    assert drawn.score() == {"black": 0, "white": 0}
    assert drawn.outcome == Outcome(None, "score")
    assert events == (Passed(WHITE),)  # neither side controls the only region
    won, _ = position(white="c3").play("pass")
    won, _ = won.play("pass")
    assert won.outcome == Outcome(WHITE, "score")


def test_equal_scores_are_a_draw_when_no_placement_exists_too() -> None:
    turns = ["a2", "white", "b4", "c2", "d4", "e4", "b1", "b3", "d2", "d5", "b2", "d3", "c4"]
    drawn = Ruleset(Hedu, 3, "standard").replay(turns)
    assert drawn.outcome == Outcome(None, "score")
    assert drawn.score() == {"black": 6, "white": 6}
    literal = Literal(3)
    for turn in turns:
        literal.play(turn)
    assert literal.score() == drawn.score()


# Refusals


@pytest.mark.parametrize(
    ("typed", "error", "reason"),
    [
        ("b2", IllegalTurn, "b2 is taken by a white stack"),
        ("B1", IllegalTurn, "b1 is taken by a black stack"),
        ("a1", IllegalTurn, "a stack on a1 would touch no region, because all cells around it are taken: b1, a2, b2"),
        ("e1", OffTheBoard, "e1 is off the board, which runs from a1 to e5"),
        ("z9", OffTheBoard, "z9 is off the board"),
        ("3c", NotATurn, "“3c” is not a turn"),
        ("c3-c3", NotATurn, "“c3-c3” is not a turn"),
        ("c3+c4", NotATurn, "“c3\\+c4” is not a turn"),
        ("", NotATurn, "“” is not a turn"),
        ("black", NotATurn, "the side has already been chosen"),
        ("resign", NotATurn, "“resign” is not a turn"),
    ],
)
def test_refusals_give_the_reason(typed: str, error: type[TurnError], reason: str) -> None:
    with pytest.raises(error, match=reason):
        position(black="a2 b1", white="b2").parse(typed)


@pytest.mark.parametrize(
    ("turns", "typed", "error"),
    [
        ([], "pass", IllegalTurn),
        ([], "black", NotATurn),
        ([], "a6", OffTheBoard),
        (["e5"], "e6", NotATurn),
        (["e5"], "pass", NotATurn),
        (["e5", "white"], "e5", IllegalTurn),
        (["e5", "white", "pass", "pass"], "a1", GameOver),
    ],
)
def test_refusals_at_every_stage(turns: list[str], typed: str, error: type[TurnError]) -> None:
    with pytest.raises(error):
        Ruleset(Hedu, 5, "standard").replay(turns).play(typed)


@pytest.mark.parametrize("typed", ["C3", " c3 ", "c3\n"])
def test_upper_case_and_spaces_are_accepted(typed: str) -> None:
    assert position(black="a1").parse(typed) == "c3"


@repeatable
@given(st.one_of(st.text(max_size=30), st.from_regex(r"[a-g][0-9]{1,2}", fullmatch=True)), st.integers(0, 20))
def test_every_text_is_a_legal_turn_or_refused_with_a_reason(typed: str, ply: int) -> None:
    game = random_game(3, 1)
    where = game[min(ply, len(game) - 1)]
    try:
        accepted = where.parse(typed)
    except TurnError as error:
        accepted = str(error)
        legal = False
    else:
        legal = True
    assert accepted
    assert (accepted in where.legal_turns) == legal


# The replay interface and the picture


def test_positions_are_described_as_in_the_replay_interface() -> None:
    after, _ = position(black="e4", white="d5 e5").play("d4")
    described = describe(after, 3, "d4", legal=True)
    assert described["cells"] == {"d4": "b2", "e4": "b2", "d5": "w2"}
    assert described["score"] == {"black": 5.5, "white": 0}
    assert described["held"] == {"black": 1, "white": 0}
    assert described["to_play"] == "white"
    assert described["legal"] == sorted({*board(3).names(after.placements(WHITE)), "pass"})


def test_the_score_after_a_pass_has_no_bonus_for_it() -> None:
    before = position(black="b1 d5", white="c3 e3")
    assert before.play("pass")[0].score() == before.score() == {"black": 0, "white": 0}


def test_the_picture_shows_the_heights() -> None:
    picture = str(position(black="a2 b3", white="b1 c2 d2 c3"))
    assert "❷" in picture
    assert "②" in picture
    assert "③" in picture
    assert picture.count("·") == 13


def test_the_height_of_a_cell() -> None:
    found = position(black="a2 b3", white="b1 c2 d2 c3")
    assert [found.height(cell_of(name)) for name in ("c2", "b1", "a1")] == [3, 2, 0]


def test_positions_are_equal_when_their_contents_are() -> None:
    one, _ = position(black="c3", to_play=WHITE).play("c4")
    assert one == position(black="c3", white="c4")
    assert hash(one) == hash(position(black="c3", white="c4"))


# Whole games against the second reading


@cache
def random_game(size: int, seed: int) -> tuple[Hedu, ...]:
    """The positions of a whole random game with few passes."""
    return tuple(where for where, _, _ in play_at_random(size, seed))


def play_at_random(size: int, seed: int) -> Iterator[tuple[Hedu, str, tuple[Event, ...]]]:
    """Play a random game. Yield each position with the turn before it (empty at the start) and that turn's events."""
    chance = random.Random(seed)
    where = Ruleset(Hedu, size, "standard").start()
    turn = ""
    events: tuple[Event, ...] = ()
    while True:
        assert isinstance(where, Hedu)
        yield where, turn, events
        if where.outcome is not None:
            return
        passes = where.phase is Phase.PLAY and chance.random() < (0.3 if turn == "pass" else 0.02)
        turn = "pass" if passes else chance.choice([turn for turn in where.legal_turns if turn != "pass"])
        where, events = where.play(turn)


def as_literal(events: tuple[Event, ...], size: int) -> list[tuple[str, str, str, int, int]]:
    """Write the events on stacks in the form of the second reading."""
    found = []
    for event in events:
        if isinstance(event, Placed):
            found.append(("placed", Hedu.sides[event.side], board(size).name(event.cell), 0, event.height))
        if isinstance(event, Reduced | Raised):
            kind = type(event).__name__.lower()
            found.append((kind, Hedu.sides[event.side], board(size).name(event.cell), event.before, event.after))
    return found


def steps_of(happened: list[tuple[str, str, str, int, int]]) -> list[str]:
    """The order of the events: their kinds, and for reductions the side."""
    steps = [kind + colour if kind == "reduced" else kind for kind, colour, *_ in happened]
    return [step for step, _ in groupby(steps)]


def check(where: Hedu, literal: Literal) -> None:
    """Check that the engine and the second reading agree on the position, as far as that is fast."""
    assert where.pieces() == {
        literal.name(cell): f"{side[0]}{height}" for cell, (side, height) in literal.stacks.items()
    }
    assert where.held() == literal.prisoners
    assert where.phase == literal.phase
    assert where.to_play == (Hedu.sides.index(literal.to_play) if literal.phase == "play" else None)


def check_scores(where: Hedu, literal: Literal) -> None:
    """Check that they agree on the control of the regions and on the score."""
    assert where.score() == literal.score()
    assert literal.controls() == {
        " ".join(sorted(where.board.names(region.cells))): (
            None if region.owner is None else Hedu.sides[region.owner],
            region.value,
        )
        for region in where.regions
    }


@cache
def compare_games(size: int, games: int, every: int) -> Counter[str]:
    """Play games with the engine and the second reading side by side, and count rare events.

    Compare them after every turn; compare legal turns, control and score every ``every`` turns and at the end.
    """
    seen: Counter[str] = Counter()
    for seed in range(games):
        literal = Literal(size)
        for ply, (where, turn, events) in enumerate(play_at_random(size, seed)):
            mover = literal.to_play
            if turn:
                literal.play(turn)
            check(where, literal)
            happened = as_literal(events, size)
            assert sorted(happened) == sorted(literal.happened if turn not in {*Hedu.sides, "pass"} else [])
            assert steps_of(happened) == steps_of(literal.happened)
            # After every turn, each stack is exactly as high as its number of adjacent regions.
            counts = literal.counts(list(literal.stacks))
            assert counts == {cell: height for cell, (_, height) in literal.stacks.items()}
            if ply % every == 0 or where.outcome is not None:
                assert set(where.legal_turns) == literal.legal()
                check_scores(where, literal)
                seen.update(decisions(where, literal))
            seen.update(rare_events(happened, mover))
        assert where.outcome is not None
        winner = literal.winner()
        assert where.outcome == Outcome(None if winner is None else Side(Hedu.sides.index(winner)), "score")
        seen["draw" if winner is None else "won"] += 1
        seen["ended by passes" if where.placements(BLACK) else "ended without placements"] += 1
    return seen


def rare_events(happened: list[tuple[str, str, str, int, int]], mover: str) -> Iterator[str]:
    reduced = {cell for kind, _, cell, _, _ in happened if kind == "reduced"}
    for kind, colour, cell, before, after in happened:
        whose = "own" if colour == mover else "enemy"
        yield f"{whose} stack {'removed' if after == 0 else kind}"
        if kind == "raised":
            if cell in reduced:
                yield "reduced and raised"
            if after - before == 2:
                yield "raised by 2"
            if happened[0][2] == cell:
                yield "raised after being placed"


def decisions(where: Hedu, literal: Literal) -> Iterator[str]:
    """How each region is decided, according to the second reading's lists."""
    for region in literal.regions():
        black, white = (literal.adjacent_list(colour, region) for colour in Hedu.sides)
        _, decided = literal.compare(black, white)
        if decided == "equal":
            decided = "undecided" if literal.control(region)[0] is None else "stacks"
        later = bool(black and white and black[0] == white[0] and black != white)
        yield f"region decided by {decided} {'later' if later else 'at once'}"


SAMPLES = [(3, fewer(60, 3), 1), (4, fewer(15, 2), 2), (5, fewer(4, 2), 5)] + THOROUGH * [(7, 1, 20)]
RARE = (
    "enemy stack removed",
    "own stack removed",
    "enemy stack reduced",
    "own stack reduced",
    "enemy stack raised",
    "own stack raised",
    "raised by 2",
    "raised after being placed",
    "reduced and raised",
    "region decided by size at once",
    "region decided by height at once",
    "region decided by ended at once",
    "region decided by size later",
    "region decided by height later",
    "region decided by ended later",
    "region decided by stacks at once",
    "region decided by undecided at once",
    "ended by passes",
    "ended without placements",
)


@pytest.mark.parametrize(("size", "games", "every"), SAMPLES)
def test_whole_games_agree_with_the_second_reading(size: int, games: int, every: int) -> None:
    seen = compare_games(size, games, every)
    assert seen["won"] + seen["draw"] == games


@for_each("rare", RARE)
def test_every_rare_event_occurs_in_those_games(rare: str) -> None:
    assert any(compare_games(*sample)[rare] for sample in SAMPLES)


def test_no_stack_is_lowered_by_more_than_1_in_a_turn_or_higher_than_3() -> None:
    # A placement takes at most one region from a stack, its own. Six neighbours can hold only three regions.
    for where, _, events in chain.from_iterable(play_at_random(4, seed) for seed in range(10)):
        assert all(event.before - event.after == 1 for event in events if isinstance(event, Reduced))
        assert all("1" <= stack[1] <= "3" for stack in where.pieces().values())


def test_the_events_of_a_game_add_up_to_its_stacks_and_prisoners() -> None:
    for seed in range(10):
        stacks: dict[int, tuple[Side, int]] = {}
        held = {BLACK: 0, WHITE: 0}
        for where, turn, events in play_at_random(4, seed):
            for event in events:
                match event:
                    case Placed(side, cell, height):
                        assert cell not in stacks
                        stacks[cell] = (side, height)
                    case Reduced(side, cell, before, after) | Raised(side, cell, before, after):
                        assert stacks[cell] == (side, before)
                        stacks[cell] = (side, after)
                        held[side.other] += max(0, before - after)
                        if after == 0:
                            del stacks[cell]
                    case Passed(side):
                        assert turn == "pass"
                    case SideChosen(side):
                        assert turn == Hedu.sides[side]
                    case Territory(side, cells):
                        region = region_of(where, board(4).name(cells[0]))
                        assert where.phase is Phase.OVER
                        assert (region.owner, tuple(bits(region.cells))) == (side, cells)
                    case _:
                        raise AssertionError(event)
            assert stacks == {cell: (side, where.height(cell)) for side in Side for cell in bits(where.stones(side))}
            assert where.prisoners == (held[BLACK], held[WHITE])

"""Nadraz: the engine against a literal reading of the rules, a position for every sentence, and the refusals."""

from __future__ import annotations

import random
import re
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.board import bits
from rules.errors import GameOver, IllegalTurn, NotATurn, OffTheBoard, TurnError
from rules.events import Flipped, Passed, Placed
from rules.nadraz import Nadraz
from rules.notation import PASS
from rules.position import Outcome, Phase, Position, Ruleset
from rules.side import Side
from tests.support.literal.nadraz import Literal
from tests.support.positions import repeatable
from tests.support.thorough import THOROUGH, fewer, sample

BLACK, WHITE = Side.FIRST, Side.SECOND


def start(size: int = 6, variant: str = "standard") -> Nadraz:
    position = Ruleset(Nadraz, size, variant).start()
    assert isinstance(position, Nadraz)
    return position


def position_with(
    black: str, white: str = "", *, to_play: Side = BLACK, size: int = 6, variant: str = "standard"
) -> Nadraz:
    """A position with these stones, given by cells separated by spaces."""
    empty = start(size, variant)
    first, second = (sum(1 << empty.cell_named(cell) for cell in cells.split()) for cells in (black, white))
    position = replace(empty, first=first, second=second, second_player=WHITE, turn_of=to_play)
    assert all(snake.is_well_formed for side in Side for snake in position.snakes(side))
    return position


def stones_of(position: Position, side: Side) -> set[str]:
    return set(position.board.names(position.stones(side)))


def reason_of(position: Position, turn: str) -> str:
    with pytest.raises(IllegalTurn) as refused:
        position.play(turn)
    return str(refused.value)


@cache
def random_game(size: int, variant: str, seed: int) -> tuple[tuple[Nadraz, str], ...]:
    """The positions of a random game after the choice of side, each with the turn played (none at the end)."""
    rnd = random.Random(seed)
    position = start(size, variant)
    inner = position.board.names(position.board.mask & ~position.board.edge)
    for turn in (",".join(rnd.sample(inner, 2)), rnd.choice(Nadraz.sides)):
        position, _ = position.play(turn)
    game = []
    while position.phase is not Phase.OVER:
        turn = rnd.choice(position.legal_turns)
        game.append((position, turn))
        position, _ = position.play(turn)
    return *game, (position, "")


def literal_of(position: Nadraz) -> Literal:
    board = position.board
    stones = {
        (board.column(cell), board.row(cell)): letter
        for letter, side in (("b", BLACK), ("w", WHITE))
        for cell in bits(position.stones(side))
    }
    return Literal(board.size, position.ruleset.variant, stones, "bw"[position.turn_of])


def by_cell(position: Nadraz) -> dict[tuple[int, int], str]:
    return literal_of(position).stones


# The engine and the literal reading agree


@pytest.mark.parametrize("variant", Nadraz.variants)
@pytest.mark.parametrize(
    ("size", "seeds", "plies"),
    [
        (3, range(fewer(8, 4)), 99),
        (4, range(fewer(5, 5)), 99),
        (5, range(fewer(2, 2)), 99),
        (10, range(1), fewer(6, 3)),
        *(THOROUGH * [(6, range(1), 99)]),
    ],
)
def test_whole_random_games_agree_with_a_literal_reading(size: int, seeds: range, plies: int, variant: str) -> None:
    for seed in seeds:
        game = random_game(size, variant, seed)
        literal = literal_of(game[0][0])
        for position, turn in game[:plies]:
            assert by_cell(position) == literal.stones
            assert position.score() == {"black": literal.lengths("b"), "white": literal.lengths("w")}
            assert len(position.legal_turns) == len(set(position.legal_turns))
            assert set(position.legal_turns) == literal.legal_turns()
            if turn:
                literal.play(turn)
            else:
                winner, reason = literal.winner()
                assert position.outcome == Outcome(Side("bw".index(winner)), reason)


def test_late_positions_of_a_large_board_agree_with_a_literal_reading() -> None:
    game = random_game(10, "standard", 5)
    for position, _ in (game[len(game) // 3], game[len(game) // 2]):
        assert set(position.legal_turns) == literal_of(position).legal_turns()


def test_the_random_games_contain_rare_events() -> None:
    seen: Counter[str] = Counter()
    for seed in range(60):
        game = random_game(3 + seed % 4, Nadraz.variants[seed % 2], seed)
        for (position, turn), (after, _) in pairwise(game):
            _, events = position.play(turn)
            cuts = [event for event in events if isinstance(event, Flipped)]
            mover = position.turn_of
            seen["several cuts"] += len(cuts) > 1
            seen["cut to the edge"] += any(isinstance(e, Placed) and position.board.edge >> e.cell & 1 for e in events)
            seen["eggs by a cut"] += after.eggs(mover.other).bit_count() > position.eggs(mover.other).bit_count()
            seen["merging"] += len(after.snakes(mover)) < len(position.snakes(mover))
            seen["cut after merging"] += bool(cuts) and len(after.snakes(mover)) < len(position.snakes(mover))
            seen["pass and go on"] += position.passed and turn != PASS
        outcome = game[-1][0].outcome
        assert outcome is not None
        seen[outcome.reason] += 1
    assert all(seen.values()), seen
    assert {"snakes", "last placed"} <= seen.keys()


def test_every_snake_is_well_formed_after_every_turn() -> None:
    for seed in range(8):
        for position, _ in random_game(5 + seed % 4, Nadraz.variants[seed % 2], seed):
            for side in Side:
                snakes = position.snakes(side)
                assert all(snake.is_well_formed for snake in snakes)
                assert set(snakes) == set(replace(position).snakes(side))


# The opening


def test_the_opening_is_blacks_egg_then_whites_egg() -> None:
    position, events = start(10).play(" E6 , H9 ")
    assert position.pieces() == {"e6": "b", "h9": "w"}
    assert events == (Placed(BLACK, position.cell_named("e6")), Placed(WHITE, position.cell_named("h9")))
    assert position.phase is Phase.CHOICE
    for chosen in Nadraz.sides:
        assert position.play(chosen)[0].to_play is BLACK


def test_the_eggs_are_on_two_different_cells_away_from_the_edge() -> None:
    position = start(3)
    inner = ["b2", "c2", "b3", "c3", "d3", "c4", "d4"]
    assert set(position.legal_turns) == {f"{one},{two}" for one in inner for two in inner if one != two}
    assert len(position.legal_turns) == 7 * 6
    names = position.board.names(position.board.mask)
    for pair in (f"{one},{two}" for one in names for two in names):
        if pair in position.legal_turns:
            assert position.parse(pair) == pair
        else:
            assert re.search("edge cell|two different cells", reason_of(position, pair))


@pytest.mark.parametrize(
    ("opening", "reason"),
    [
        ("e6,e6", "two different cells"),
        ("e6,a1", "a1 is an edge cell"),
        ("a1,e6", "a1 is an edge cell"),
        ("a1,a1", "a1 is an edge cell"),
        ("pass", "cannot be passed"),
        ("e6", "the opening is two eggs"),
        ("e6,", "the opening is two eggs"),
        ("e6,h9,h8", "the opening is two eggs"),
        ("e6-h9", "is not a turn; write Black's egg, a comma and White's egg, such as f6,i9"),
        ("", "is not a turn"),
        (",", "the opening is two eggs"),
        ("e6,z9", "z9 is off the board, which runs from a1 to k11"),
        ("e6,hello", "“hello” is not a turn"),
        ("black", "chosen after the opening"),
    ],
)
def test_a_wrong_opening_is_refused_with_the_reason(opening: str, reason: str) -> None:
    with pytest.raises(TurnError, match=reason):
        start().play(opening)


@pytest.mark.parametrize("size", [3, *Nadraz.sizes])
def test_the_example_of_an_opening_is_legal(size: int) -> None:
    position = start(size)
    assert position.phase is Phase.OPENING
    position.parse(str(position.example).rsplit(" ", 1)[1])


def test_an_opening_is_drafted_egg_by_egg() -> None:
    position = start(14)
    assert len(position.draft().next) == 3 * 13**2 - 3 * 13 + 1
    begun = position.draft("N14")
    assert (begun.text, begun.complete, len(begun.next)) == ("n14", False, 468)
    assert "aa27" not in begun.next
    drafted = position.draft("n14" + begun.next[0])
    assert drafted.complete
    assert drafted.preview.phase is Phase.CHOICE
    with pytest.raises(IllegalTurn, match="edge cell"):
        position.draft("n14,a1")
    with pytest.raises(NotATurn, match="two eggs"):
        position.draft("a1")


# A snake is a maximal connected set of stones of one colour


def test_a_single_stone_is_an_egg_and_a_longer_snake_has_a_head_and_a_tail() -> None:
    position = position_with("c3 c4 c5 e5", "d4 h8 h9")
    lengths = {snake.length: snake for snake in position.snakes(BLACK)}
    assert lengths.keys() == {1, 3}
    assert position.board.names(lengths[3].cells) == ["c3", "c4", "c5"]
    assert position.board.names(lengths[3].ends) == ["c3", "c5"]
    assert lengths[1].is_egg
    assert not lengths[1].ends
    assert position.board.names(position.ends(BLACK)) == ["c3", "c5"]
    assert position.board.names(position.eggs(BLACK)) == ["e5"]
    assert position.board.names(position.ends(WHITE)) == ["h8", "h9"]
    assert position.board.names(position.eggs(WHITE)) == ["d4"]
    assert position.score() == {"black": [3, 1], "white": [2, 1]}


# A turn places a run


def test_a_run_is_consecutive_cells_in_a_straight_line() -> None:
    position = position_with("d4")
    after, events = position.play("d5-d8")
    assert stones_of(after, BLACK) == {"d4", "d5", "d6", "d7", "d8"}
    assert events == tuple(Placed(BLACK, after.cell_named(cell)) for cell in ("d5", "d6", "d7", "d8"))
    assert reason_of(position, "d5-e7") == "d5 and e7 are not in a straight line"


def test_each_cell_of_a_run_is_empty_or_holds_an_enemy_stone() -> None:
    position = position_with("d4 d6", "f5 f6")
    assert "there is your own stone on d6" in reason_of(position, "d5-d7")
    assert "there are your own stones on d4, d6" in reason_of(position, "d3-d6")
    assert "there is your own stone on d4" in reason_of(position, "d4")


def test_the_last_cell_of_a_run_is_empty() -> None:
    position = position_with("d4", "c5 d5 e5")
    assert reason_of(position, "d5") == "a run ends on an empty cell, but d5 holds a white stone"
    assert "d5 holds a white stone" in reason_of(position_with("d3", "c5 d5 e5"), "d4-d5")


def test_the_enemy_stones_of_a_run_are_flipped() -> None:
    after, events = position_with("d3", "c5 d5 e5").play("d4-d6")
    d4, d5, d6 = (after.cell_named(cell) for cell in ("d4", "d5", "d6"))
    assert stones_of(after, BLACK) == {"d3", "d4", "d5", "d6"}
    assert stones_of(after, WHITE) == {"c5", "e5"}
    assert events == (Placed(BLACK, d4), Flipped(BLACK, (d5,), (d4, d6)), Placed(BLACK, d6))


def test_a_run_of_one_cell_is_written_as_that_cell_alone() -> None:
    position = position_with("d4")
    assert position.parse("D5") == "d5"
    with pytest.raises(NotATurn, match="written as that cell alone: d5"):
        position.parse("d5-d5")


def test_a_run_is_written_from_its_start() -> None:
    position = position_with("d4", "h8")
    assert position.parse("d5 - d7") == "d5-d7"
    assert "d7 is not next to one" in reason_of(position, "d7-d5")


def test_a_run_that_could_start_at_either_cell_has_both_spellings() -> None:
    position = position_with("d3 d7")
    there, back = position.play("d4-d6")[0], position.play("d6-d4")[0]
    assert there == back
    assert there.lengths(BLACK) == [5]


# Start


def test_a_run_starts_on_an_empty_cell_next_to_one_end_or_the_egg() -> None:
    assert "d5" in position_with("d4").legal_turns
    snake = position_with("c3 c4 c5 c6")
    assert "c7" in snake.legal_turns
    assert "c8" not in snake.legal_turns
    assert reason_of(snake, "c8").endswith("but c8 is not next to one")


def test_a_run_starts_next_to_two_stones_when_one_of_them_is_an_end() -> None:
    position = position_with("d3 d4 d5")
    after, _ = position.play("e5-f5")
    assert after.board.names(after.ends(BLACK)) == ["d3", "f5"]


def test_a_run_never_starts_next_to_the_middle_of_a_snake() -> None:
    assert "d5 is not next to one" in reason_of(position_with("c3 c4 c5 c6"), "d5-e5")


def test_a_run_never_starts_next_to_three_stones_of_the_snake() -> None:
    position = position_with("d5 d4 e4 f4")
    assert reason_of(position, "e5-e8").endswith("but e5 is next to three of them: d4, e4, d5")


def test_a_cut_may_begin_right_at_the_head() -> None:
    after, events = position_with("d3 d4", "c5 d5 e5").play("d5-d6")
    assert stones_of(after, BLACK) == {"d3", "d4", "d5", "d6"}
    d5, d6 = after.cell_named("d5"), after.cell_named("d6")
    assert events == (Flipped(BLACK, (d5,), (d6,)), Placed(BLACK, d6))
    assert "d5-d6" in position_with("d4", "c5 d5 e5").legal_turns


def test_a_cut_never_begins_at_the_middle_of_a_snake_or_away_from_it() -> None:
    reason = "runs straight on from a head, tail or egg of yours, but there is none just before d5"
    assert reason in reason_of(position_with("c4 d4 e4", "c5 d5 e5 f6"), "d5-d6")
    assert reason in reason_of(position_with("h8", "c5 d5 e5"), "d5-d6")
    assert "none just before d1" in reason_of(position_with("h8", "c1 d1 e1"), "d1-d2")


def test_the_direction_of_a_run_is_free_when_it_flips_nothing() -> None:
    # From d5, the egg blocks the way back, and both ways beside it would touch the egg again.
    runs = {turn for turn in position_with("d4").legal_turns if turn.startswith("d5-")}
    assert runs == {"d5-d6", "d5-d7", "d5-d8", "d5-e6", "d5-f7", "d5-g8", "d5-h9", "d5-i10", "d5-c5", "d5-b5"}


# One and the same snake


def test_one_and_the_same_snake_satisfies_all_conditions() -> None:
    # The run flips f7. The cell just before the run, f5, is the end of a snake, but f6 touches three of its stones. f6
    # also touches the egg g7, but g7 is not just before the run.
    assert "none just before f6" in reason_of(position_with("f5 e5 e6 g7", "e7 f7 g8"), "f6-f8")
    assert "next to three of them" in reason_of(position_with("f5 e5 e6", "e7 f7 g8"), "f6-f8")
    assert "f6-f8" in position_with("f5 e5 d5 g7", "e7 f7 g8").legal_turns


# Flips


def test_a_run_that_flips_runs_straight_on_from_an_end_or_the_egg() -> None:
    white = "c6 d6 e6"
    assert "d5-d7" in position_with("d4", white).legal_turns
    assert "d5-d7" in position_with("b4 c4 d4", white).legal_turns
    assert "none just before d5" in reason_of(position_with("c4", white), "d5-d7")


def test_a_run_that_flips_never_starts_from_the_stone_just_placed() -> None:
    # e6 is next to the egg e5, and d6 is straight on from e6, but this turn only now places e6.
    assert "none just before e6" in reason_of(position_with("e5", "c5 d6 d7"), "e6-c6")


@pytest.mark.parametrize(
    ("white", "reason"),
    [
        ("d5", "d5 is an egg, which cannot be cut"),
        ("d5 e5", "d5 is a head or tail, which cannot be cut"),
        ("d5 d6 e7", "d5 is a head or tail, which cannot be cut"),
    ],
)
def test_no_flipped_stone_is_an_enemy_end_or_egg(white: str, reason: str) -> None:
    position = position_with("d4", white)
    assert reason_of(position, "d5-d7") == reason


def test_several_cuts_in_one_run_are_allowed() -> None:
    after, events = position_with("d3", "c5 d5 e5 c7 d7 e7").play("d4-d8")
    d4, d5, d6, d7, d8 = (after.cell_named(cell) for cell in ("d4", "d5", "d6", "d7", "d8"))
    by = (d4, d6, d8)
    cut_one, cut_two = Flipped(BLACK, (d5,), by), Flipped(BLACK, (d7,), by)
    assert events == (Placed(BLACK, d4), cut_one, Placed(BLACK, d6), cut_two, Placed(BLACK, d8))
    assert after.score() == {"black": [6], "white": [1, 1, 1, 1]}


def test_a_row_of_consecutive_enemy_stones_is_flipped_at_once() -> None:
    after, events = position_with("d3", "c4 d5 d6 e7").play("d4-d7")
    d4, d5, d6, d7 = (after.cell_named(cell) for cell in ("d4", "d5", "d6", "d7"))
    assert events == (Placed(BLACK, d4), Flipped(BLACK, (d5, d6), (d4, d7)), Placed(BLACK, d7))


# Growing or merging


def test_the_last_cell_is_next_to_at_most_two_stones_of_a_friendly_snake() -> None:
    one, two, three = (position_with(f"h8 {other}") for other in ("d4 d3", "d5 d4 d3", "d5 d4 e4 f4"))
    assert one.play("g7-e5")[0].lengths(BLACK) == [6]
    assert two.play("g7-e5")[0].lengths(BLACK) == [7]
    assert reason_of(three, "g7-e5").endswith("another snake of yours, but e5 is next to three: d4, e4, d5")


def test_enemy_snakes_may_be_touched() -> None:
    assert "g7-e5" in position_with("h8", "d5 d4 e4").legal_turns


def test_one_stone_merges_two_snakes() -> None:
    position = position_with("d4 d6")
    after, _ = position.play("d5")
    assert after.lengths(BLACK) == [3]
    assert Counter(position.legal_turns)["d5"] == 1


# Stop after merging


def test_the_run_ends_where_it_merges() -> None:
    position = position_with("d3 e6")
    assert "d4-d5" in position.legal_turns
    reason = reason_of(position, "d4-d7")
    assert reason == "the run touches another snake of yours at d5, so it has to stop at d5"


def test_the_run_may_go_on_behind_the_enemy_stones_where_it_merges() -> None:
    position = position_with("d3 e6", "c6 d6 e7")
    assert {"d4", "d4-d5", "d4-d7"} <= set(position.legal_turns)
    after, _ = position.play("d4-d7")
    assert stones_of(after, BLACK) == {"d3", "d4", "d5", "d6", "d7", "e6"}
    assert reason_of(position, "d4-d8").endswith("at d5, so it has to stop at d5 or d7")


def test_a_run_that_merges_by_a_flipped_stone_ends_at_the_next_empty_cell() -> None:
    position = position_with("d3 e7 f7 g7", "c6 d6 e6")
    assert {"d4", "d4-d5", "d4-d7"} <= set(position.legal_turns)
    after, _ = position.play("d4-d7")
    assert after.lengths(BLACK) == [8]
    assert reason_of(position, "d4-d8").endswith("at d6, so it has to stop at d7")
    # Not even a second cut may follow. Without this rule, d4-d9 would leave all snakes well formed.
    assert reason_of(position_with("d3 e7", "e6 d6 c6 c7 d8 e9"), "d4-d9").endswith("at d6, so it has to stop at d7")


# Edge


def test_a_run_that_flips_nothing_puts_no_stone_on_an_edge_cell() -> None:
    position = position_with("d3")
    assert "d4-d8" in position.legal_turns
    assert reason_of(position, "d4-d9").endswith("so not on the edge cell d9")
    assert reason_of(position_with("b2"), "a2-a4").endswith("so not on the edge cells a2, a3, a4")
    assert reason_of(position_with("b2"), "a1").endswith("so not on the edge cell a1")


def test_a_run_that_flips_may_put_stones_on_edge_cells() -> None:
    assert {"d4-d8", "d4-d9"} <= set(position_with("d3", "c7 d7 e7").legal_turns)
    # Along the edge itself, before and behind the cut.
    along = position_with("a1", "c2 c1 d1 e1 f2")
    assert along.play("b1-f1")[0].score() == {"black": [6], "white": [1, 1]}
    assert "edge cell b1" in reason_of(along, "b1")


# Snakes remain snakes


def test_a_snake_that_would_bite_its_tail_is_refused() -> None:
    position = position_with("f7 g7 g6 f5 e5")
    reason = reason_of(position, "e6")
    assert reason == "a snake has exactly one head and one tail, but your snake would have no ends"


def test_a_snake_that_would_lose_one_end_is_refused() -> None:
    reason = reason_of(position_with("d3 d4 d5"), "e5")
    assert reason.endswith("but your snake would have one end (d3)")
    assert reason_of(position_with("d4"), "d5-e5").endswith("but your snake would have no ends")


def test_a_snake_may_touch_itself() -> None:
    # The run along row 6 passes e5, a stone in the middle of the snake, and may end only beyond.
    position = position_with("h6 h5 g4 f3 e3 e4 e5 d4 c4")
    after, _ = position.play("g6-d6")
    assert after.lengths(BLACK) == [13]
    assert after.board.names(after.ends(BLACK)) == ["c4", "d6"]
    for short in ("g6-f6", "g6-e6"):
        assert reason_of(position, short).endswith("your snake would have one end (c4)")


def test_a_merger_that_would_leave_three_ends_is_refused() -> None:
    # The run from the egg h6 touches the other snake only at its middle.
    assert reason_of(position_with("h6 d3 d4 d5 d6 d7"), "g6-e6").endswith("would have three ends (d3, h6, d7)")


def test_a_cut_that_leaves_the_enemy_a_snake_with_three_ends_is_refused() -> None:
    ring = "e5 f5 g6 g7 f7 e6 d4 h8"
    position = position_with("f4", ring)
    assert reason_of(position, "f5-f6").endswith("but a white snake would have three ends (d4, g6, h8)")


def test_a_second_cut_may_mend_what_the_first_one_would_leave() -> None:
    after, _ = position_with("f4", "e5 f5 g6 g7 f7 e6 d4 h8").play("f5-f8")
    assert after.score() == {"black": [5], "white": [3, 3]}


def test_a_cut_may_leave_eggs() -> None:
    after, _ = position_with("d4", "c5 d5 e5 f6").play("d5-d6")
    assert after.score() == {"black": [3], "white": [2, 1]}
    assert after.board.names(after.eggs(WHITE)) == ["c5"]


# Passing and the end of the game


def test_a_side_with_a_legal_run_must_play_one() -> None:
    position = position_with("d4", "h8")
    assert PASS not in position.legal_turns
    assert reason_of(position, "pass") == "you can pass only when you have no legal run"


def test_a_side_without_a_legal_run_passes_and_the_game_goes_on() -> None:
    position = start(3)
    turns = ("d3,c4", "black", "c3", "b3-b2", "b3-a3", "d4", "pass", "c2", "pass", "b3-b4", "c4-c5", "pass")
    for turn in turns:
        assert (turn == PASS) is (position.legal_turns == (PASS,))
        position, _ = position.play(turn)
    assert position.phase is Phase.PLAY
    assert position.play(PASS)[0].phase is Phase.OVER


def test_two_passes_in_a_row_end_the_game() -> None:
    position = start(3)
    for turn in ("c3,d4", "black", "b2", "c4", "d3", "b3"):
        position, _ = position.play(turn)
    assert position.legal_turns == (PASS,)
    with pytest.raises(NotATurn, match="you have no legal run, so write pass"):
        position.play("hello")
    position, events = position.play(PASS)
    assert (events, position.outcome, position.to_play) == ((Passed(BLACK),), None, WHITE)
    position, events = position.play("Pass")
    assert events == (Passed(WHITE),)
    assert position.phase is Phase.OVER
    assert position.legal_turns == ()
    for turn in ("pass", "c3", "hello"):
        with pytest.raises(GameOver):
            position.play(turn)


@pytest.mark.parametrize("variant", Nadraz.variants)
@pytest.mark.parametrize(
    ("turns", "winner"),
    [("c3,d4 black b2 c4 d3 b3 pass pass", WHITE), ("d3,c4 black c2 b3-b2 d4 pass pass", BLACK)],
)
def test_when_all_lengths_are_equal_the_side_that_placed_last_wins(turns: str, winner: Side, variant: str) -> None:
    position = start(3, variant)
    for turn in turns.split():
        position, _ = position.play(turn)
    assert position.outcome == Outcome(winner, "last placed")


@pytest.mark.parametrize(
    ("black", "white", "standard", "reverse"),
    [
        # The greatest and the shortest lengths differ.
        ("c3 c4 c5", "e5 e6 h8", BLACK, BLACK),
        # The greatest lengths are equal. Next, White has a pair and Black an egg.
        ("c3 c4 c5 f3", "e6 e7 e8 h8 h9", WHITE, WHITE),
        # The shortest lengths are equal, so in reverse the next length counts.
        ("c3 c4 f3", "e6 e7 e8 h9", WHITE, WHITE),
        # Black has more of the greatest length. The eggs are equal, and Black has more pairs.
        ("c3 c4 e3 e4 g4", "e6 e7 h9", BLACK, WHITE),
        ("c3 c4 e3 e4", "e6 e7", BLACK, WHITE),
        ("c3 e3", "e6", BLACK, WHITE),
        ("c3 c4", "e6", BLACK, BLACK),
        ("c3 c4 e3", "h9 g7 g6", None, None),
    ],
)
def test_the_numbers_of_snakes_of_each_length_are_compared(
    black: str, white: str, standard: Side | None, reverse: Side | None
) -> None:
    assert position_with(black, white).leader() is standard
    assert position_with(black, white, variant="reverse").leader() is reverse
    assert position_with(white, black).leader() is (None if standard is None else standard.other)
    decided = position_with(black, white).at_end().outcome
    assert decided is not None
    assert decided.reason == ("last placed" if standard is None else "snakes")


# Refusals and drafts


@pytest.mark.parametrize(
    ("turn", "kind", "reason"),
    [
        ("hello", NotATurn, "“hello” is not a turn; write the first and the last cell of the run, such as"),
        ("e5-", NotATurn, "“e5-” is not a turn"),
        ("-", NotATurn, "“-” is not a turn"),
        ("", NotATurn, "“” is not a turn"),
        ("d5-d6-d7", NotATurn, "“d5-d6-d7” is not a turn"),
        ("d5,d6", NotATurn, "“d5,d6” is not a turn"),
        ("d5+d6", NotATurn, "is not a turn"),
        ("d5-m1", OffTheBoard, "m1 is off the board, which runs from a1 to k11"),
        ("a9", OffTheBoard, "a9 is off the board"),
        ("black", NotATurn, "the side has already been chosen"),
    ],
)
def test_a_text_that_is_not_a_run_is_refused_with_the_reason(turn: str, kind: type[TurnError], reason: str) -> None:
    with pytest.raises(kind, match=re.escape(reason)):
        position_with("d4", "h8").play(turn)


def test_every_pair_of_cells_is_a_legal_run_or_refused_with_a_reason() -> None:
    for seed in range(2):
        game = random_game(4, Nadraz.variants[seed % 2], seed)
        for position, turn in sample(game[seed::4], 2):
            names = position.board.names(position.board.mask)
            for text in (*names, *(f"{one}-{two}" for one in names for two in names)):
                if text in position.legal_turns:
                    assert position.parse(text) == text
                else:
                    with pytest.raises(TurnError) as refused:
                        position.play(text)
                    assert str(refused.value)
                    assert not turn or not isinstance(refused.value, GameOver)


@repeatable
@given(text=st.one_of(st.text(max_size=30), st.text("abcdefk1290-,+* pas", max_size=9)), seed=st.integers(0, 3))
def test_any_text_is_a_turn_or_refused(text: str, seed: int) -> None:
    for position in (start(6), position_with("d4", "h8"), random_game(3, "standard", seed)[-1][0]):
        for use in (position.play, position.draft):
            with suppress(TurnError):
                use(text)


def test_a_run_is_drafted_from_its_first_cell_to_its_last() -> None:
    position = position_with("d4", "h8")
    assert {"d5", "c3", "e5"} <= set(position.draft().next)
    begun = position.draft("d5")
    assert begun.complete
    assert {"-d6", "-d8", "-e6", "-c5"} <= set(begun.next)
    done = position.draft("D5-D8")
    assert done.complete
    assert not done.next
    assert stones_of(done.preview, BLACK) == {"d4", "d5", "d6", "d7", "d8"}
    with pytest.raises(IllegalTurn, match="d7 is not next to one"):
        position.draft("d7")


def test_a_draft_may_begin_on_the_enemy_stone_of_a_cut() -> None:
    begun = position_with("d4", "c5 d5 e5").draft("d5")
    assert not begun.complete
    assert "-d6" in begun.next


# The rule page


def breaks_a_condition(position: Nadraz, run: str) -> bool:
    """Whether the conditions refuse a run, independently of the list of legal turns."""
    try:
        position.refuse_turn(run)
    except AssertionError:
        return False
    except TurnError:
        return True


@pytest.mark.parametrize(("size", "seed"), sample([(3, 0), (3, 1), (4, 0), (4, 1), (5, 0)], 2))
def test_a_run_is_legal_exactly_when_it_breaks_no_condition(size: int, seed: int) -> None:
    """The search for legal runs and the conditions behind refusals agree on every run of the board."""
    board = start(size).board
    runs = board.names(board.mask)
    runs += [
        f"{board.name(cell)}-{board.name(last)}" for cell in board.cells for ray in board.rays[cell] for last in ray
    ]
    positions = [position for number in range(3) for position, _ in random_game(size, "standard", 10 * seed + number)]
    assert len(positions) >= 20
    for position in positions[:: max(1, len(positions) // fewer(12, 2))]:
        if position.outcome is None:
            legal = {turn for turn in position.legal_turns if turn != PASS}
            assert {run for run in runs if not breaks_a_condition(position, run)} == legal
            unlisted = replace(position)
            assert {run for run in runs if unlisted.is_legal(run)} == legal


def test_every_legal_run_comes_from_one_cell() -> None:
    for seed in range(6):
        for position, _ in random_game(3 + seed, Nadraz.variants[seed % 2], seed)[:-1]:
            runs = position.runs()
            found = [run for cell in bits(runs.origins) for run in runs.from_origin(cell)]
            assert sorted(found or [PASS]) == sorted(position.legal_turns)

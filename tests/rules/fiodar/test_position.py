"""Fiodar: a position for every sentence of its rules, and whole games against a second, literal reading."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.__main__ import describe
from rules.board import bits, board
from rules.errors import GameOver, IllegalTurn, NotATurn, OffTheBoard, TurnError
from rules.events import Captured, Event, Passed, Placed, SideChosen, Territory
from rules.fiodar import Fiodar, Thread
from rules.notation import PASS
from rules.position import Outcome, Phase, Ruleset
from rules.side import Side
from tests.support.literal.fiodar import ENEMY, Board, Literal, connected, names
from tests.support.positions import repeatable
from tests.support.thorough import THOROUGH, fewer

BLACK, WHITE = Side.FIRST, Side.SECOND
COLOUR = {BLACK: "b", WHITE: "w"}


def mask(text: str, size: int = 5) -> int:
    """The mask of the points named in a text such as "e5 e6"."""
    cells = [board(size).cell(name) for name in text.split()]
    return sum(1 << cell for cell in cells if cell is not None)


def cells(text: str, size: int = 5) -> tuple[int, ...]:
    return tuple(bits(mask(text, size)))


def at(black: str, white: str, to_play: Side = BLACK, size: int = 5) -> Fiodar:
    """A position with these stones and no earlier positions."""
    return Fiodar(
        Ruleset(Fiodar, size, "standard"),
        first=mask(black, size),
        second=mask(white, size),
        second_player=WHITE,
        turn_of=to_play,
    )


def start(size: int = 5) -> Fiodar:
    return Fiodar(Ruleset(Fiodar, size, "standard"))


def game(turns: str, size: int = 5) -> Fiodar:
    position = start(size)
    for turn in turns.split():
        position, _ = position.play(turn)
    return position


def refused(position: Fiodar, turn: str) -> tuple[str, str]:
    """Why a turn is refused, with the names of the points that show it."""
    assert turn not in position.legal_turns
    with pytest.raises(IllegalTurn) as caught:
        position.play(turn)
    return str(caught.value), " ".join(position.board.name(cell) for cell in caught.value.cells)


def named(position: Fiodar, masks: list[int]) -> list[str]:
    return sorted(" ".join(position.board.names(part)) for part in masks)


class TestThreads:
    """A thread is a maximal run of stones of one colour along one of the three line directions."""

    def test_a_thread_is_a_maximal_run_of_one_colour_along_a_line(self) -> None:
        position = at("e4 e5 e7", "e6")
        columns = [thread.stones for thread in position.threads(BLACK) if thread.direction == 0]
        assert named(position, columns) == ["e4 e5", "e7"]

    def test_in_each_direction_a_stone_is_in_exactly_one_thread_possibly_alone(self) -> None:
        position = at("e5 e6 f6", "a1")
        by_direction = [
            named(position, [thread.stones for thread in position.threads(BLACK) if thread.direction == direction])
            for direction in range(3)
        ]
        assert by_direction == [["e5 e6", "f6"], ["e5 f6", "e6"], ["e5", "e6 f6"]]

    def test_a_thread_knows_the_points_just_beyond_its_ends(self) -> None:
        position = at("e1 e2", "a1")
        column = next(thread for thread in position.threads(BLACK) if thread.direction == 0)
        assert column == Thread(mask("e1 e2"), 0, cells("e3"))

    @pytest.mark.parametrize(
        ("black", "white", "direction"),
        [("e5 e6", "e4 e7", 0), ("e5 f6 g7", "d4 h8", 1), ("d5 e5", "c5 f5", 2), ("e5", "e4 e6", 0)],
    )
    def test_a_thread_is_cut_when_enemy_stones_are_just_beyond_both_ends(
        self, black: str, white: str, direction: int
    ) -> None:
        position = at(black, white)
        assert position.cut_threads(BLACK) == [Thread(mask(black), direction, cells(white))]

    @pytest.mark.parametrize(
        ("black", "white"),
        [
            ("e5 e6", "e4"),  # the other end is open
            ("e5 e6", "e4 e8"),  # the enemy is not just beyond
            ("e1 e2", "e3"),  # the other end is at the edge
            ("e5 e6", "d4 f7"),  # beyond an end, but not along its own line
        ],
    )
    def test_a_thread_is_not_cut_otherwise(self, black: str, white: str) -> None:
        assert at(black, white).cut_threads(BLACK) == []

    def test_stones_of_its_own_colour_beyond_a_gap_do_not_cut_a_thread(self) -> None:
        assert at("e4 e6 e8", "e5 e7").cut_threads(WHITE) != []
        assert at("e4 e8", "e5 e7").cut_threads(WHITE) == []


class TestWeaves:
    """A weave is a maximal connected set of stones of one colour."""

    def test_a_weave_is_a_maximal_connected_set_of_one_colour(self) -> None:
        position = at("e5 e6 f6 c5 a1", "d5")
        assert named(position, position.weaves(BLACK)) == ["a1", "c5", "e5 e6 f6"]
        assert named(position, position.weaves(WHITE)) == ["d5"]

    @pytest.mark.parametrize(
        ("weave", "stones"),
        [
            ("d4 d5", 2),
            ("d4 d5 d6 d7", 2),
            ("d4 d5 e4", 3),
            ("d4 d5 e5", 3),
            ("d4 d5 d6 e4", 3),
            ("d4 d5 e4 f5", 3),
            ("d4 d5 d6 e6", 4),
            ("d4 d5 e4 e5", 4),
            ("d5 d6 e4 e5", 4),
            ("d5 e4 e5 f6", 4),
        ],
    )
    def test_a_row_falls_to_two_stones_and_a_small_bend_to_three_or_four(self, weave: str, stones: int) -> None:
        ends = {end for thread in at(weave, "").threads(BLACK) for end in thread.beyond}
        names = board(5).names(sum(1 << end for end in ends))
        fewest = next(
            count
            for count in range(1, 5)
            for cutting in combinations(names, count)
            if at(weave, " ".join(cutting)).cut_weaves(BLACK)
        )
        assert fewest == stones

    def test_a_weave_is_cut_when_all_its_stones_are_in_one_cut_thread(self) -> None:
        assert at("e5 e6", "e4 e7").cut_weaves(BLACK) == [mask("e5 e6")]

    def test_a_weave_is_cut_when_each_stone_is_in_a_cut_thread_of_its_own(self) -> None:
        position = at("e5 f6", "e4 e6 g6")
        assert position.cut_weaves(BLACK) == [mask("e5 f6")]
        assert len(position.cut_threads(BLACK)) == 2

    def test_a_weave_with_one_stone_in_no_cut_thread_is_not_cut(self) -> None:
        position = at("e5 e6 f6", "e4 e7")
        assert [thread.stones for thread in position.cut_threads(BLACK)] == [mask("e5 e6")]
        assert position.cut_weaves(BLACK) == []

    def test_a_weave_at_the_edge_is_cut_along_the_edge(self) -> None:
        assert at("b1", "a1 c1").cut_weaves(BLACK) == [mask("b1")]
        assert at("a1", "a2 b1 b2").cut_weaves(BLACK) == []


class TestTurns:
    """A turn is a pass, or a placement and then the removal of all cut enemy weaves."""

    def test_a_stone_is_placed_on_an_empty_point(self) -> None:
        position, events = at("e5", "a1").play("e6")
        assert position.pieces() == {"e5": "b", "e6": "b", "a1": "w"}
        assert events == (Placed(BLACK, cells("e6")[0]),)
        assert position.to_play is WHITE

    def test_a_point_that_is_taken_is_refused(self) -> None:
        assert refused(at("e5", "e6"), "e6") == ("e6 is taken by a white stone", "e6")
        assert refused(at("e5", "e6"), "e5") == ("e5 is taken by a black stone", "e5")

    def test_a_pass_changes_no_stone_and_is_always_legal(self) -> None:
        position = at("e5", "e4")
        passed, events = position.play("pass")
        assert (passed.first, passed.second, passed.to_play) == (position.first, position.second, WHITE)
        assert events == (Passed(BLACK),)

    def test_the_stones_of_a_cut_enemy_weave_become_prisoners_of_the_mover(self) -> None:
        position, events = at("e5 e6", "e4", WHITE).play("e7")
        assert events == (Placed(WHITE, cells("e7")[0]), Captured(WHITE, cells("e5 e6")))
        assert position.pieces() == {"e4": "w", "e7": "w"}
        assert position.held() == {"black": 0, "white": 2}

    def test_all_cut_enemy_weaves_are_removed_each_with_its_own_event(self) -> None:
        position, events = at("e5 e7", "e4 e8", WHITE).play("e6")
        assert events[1:] == (Captured(WHITE, cells("e5")), Captured(WHITE, cells("e7")))
        assert position.held() == {"black": 0, "white": 2}

    def test_an_enemy_weave_that_is_not_cut_stays(self) -> None:
        position, events = at("e5 e6 f6", "e4", WHITE).play("e7")
        assert len(events) == 1
        assert position.held() == {"black": 0, "white": 0}

    def test_prisoners_of_both_sides_add_up_over_the_turns(self) -> None:
        position = game("e7 white e4 e5 e6 a1 i9 e5")
        assert position.held() == {"black": 1, "white": 1}


class TestFriendlyWeaves:
    """If nothing was removed, no friendly weave may be cut afterwards; otherwise they may stay cut."""

    def test_a_placement_that_only_leaves_its_own_stone_cut_is_refused(self) -> None:
        assert refused(at("a1", "e4 e6"), "e5") == ("e5 would leave your weave cut: e5", "e5")

    def test_a_placement_that_only_leaves_its_weave_cut_is_refused(self) -> None:
        assert refused(at("d5", "c5 f5"), "e5") == ("e5 would leave your weave cut: d5, e5", "d5 e5")

    def test_a_stone_between_enemies_is_legal_if_its_weave_is_not_cut(self) -> None:
        assert "e5" in at("d4", "e4 e6").legal_turns

    def test_a_stone_may_lengthen_a_cut_thread_only_if_the_weave_is_not_cut(self) -> None:
        # e5 and e6 would be in a cut thread together, but f7 beside e6 would not.
        assert "e5" in at("e6 f7", "e4 e7").legal_turns
        assert "e5" not in at("e6", "e4 e7").legal_turns

    def test_a_placement_between_enemies_is_legal_when_its_removals_free_it(self) -> None:
        position, events = at("e7", "e4 e6").play("e5")
        assert events[1:] == (Captured(BLACK, cells("e6")),)
        assert position.cut_weaves(BLACK) == []

    #: Black's e6 captures f6 between e6 and g6, and stays in the cut thread e5, e6 between e4 and e7.
    before = at("e5 g6", "e4 e7 f6")

    def test_if_something_was_removed_a_friendly_weave_may_stay_cut(self) -> None:
        position, events = self.before.play("e6")
        assert events[1:] == (Captured(BLACK, cells("f6")),)
        assert position.cut_weaves(BLACK) == [mask("e5 e6")]

    def test_without_the_removal_the_same_placement_is_refused(self) -> None:
        without = at("e5", "e4 e7 f6")
        assert refused(without, "e6") == ("e6 would leave your weave cut: e5, e6", "e5 e6")

    def test_the_opponents_next_placement_removes_what_is_still_cut(self) -> None:
        position, _ = self.before.play("e6")
        position, events = position.play("i9")
        assert events == (Placed(WHITE, cells("i9")[0]), Captured(WHITE, cells("e5 e6")))
        assert position.held() == {"black": 1, "white": 2}

    def test_the_opponent_may_place_between_enemies_to_remove_a_cut_weave(self) -> None:
        position, _ = at("e5 g6 b2 b4", "e4 e7 f6").play("e6")
        assert "b3" in position.legal_turns

    def test_a_pass_of_the_opponent_removes_nothing(self) -> None:
        position, _ = self.before.play("e6")
        position, events = position.play("pass")
        assert events == (Passed(WHITE),)
        assert position.cut_weaves(BLACK) == [mask("e5 e6")]

    def test_after_the_opponents_pass_a_placement_must_free_the_weave_or_capture(self) -> None:
        position, _ = at("e5 g6 b1", "e4 e7 f6 b2").play("e6")
        position, _ = position.play("pass")
        assert refused(position, "a1") == ("a1 would leave your weave cut: e5, e6", "e5 e6")
        freed, events = position.play("d5")
        assert len(events) == 1
        assert freed.cut_weaves(BLACK) == []
        captured, events = position.play("b3")
        assert events[1:] == (Captured(BLACK, cells("b2")),)
        assert captured.cut_weaves(BLACK) == [mask("e5 e6")]

    def test_a_placement_without_captures_may_leave_no_friendly_weave_cut(self) -> None:
        position, _ = at("e5 g6", "e4 e7 f6 b2 b4").play("e6")
        position, _ = position.play("pass")
        assert refused(position, "b3") == ("b3 would leave your weaves cut: b3, e5, e6", "b3 e5 e6")

    def test_a_weave_that_was_freed_in_time_is_not_removed(self) -> None:
        position, _ = self.before.play("e6")
        position, _ = position.play("pass")
        position, _ = position.play("d5")
        position, events = position.play("i9")
        assert len(events) == 1

    def test_a_weave_that_stays_cut_in_a_whole_game(self) -> None:
        position = game("c3 white e5 c5 d3 d2 b2 d4", 3)
        assert position.cut_weaves(BLACK) == [mask("c3 d4", 3)]
        _, events = position.play("d3")
        assert Captured(WHITE, cells("c3 d4", 3)) in events


class TestRepetition:
    """The position must differ from the one after the mover's previous turn. Repeating an older one draws."""

    #: White's e6 has just captured e5, between e4 and e6; Black's e5 would capture e6, between e5 and e7.
    ko = "e7 white e4 e5 e6"

    def test_a_position_equal_to_the_one_after_the_movers_last_turn_is_refused(self) -> None:
        assert refused(game(self.ko), "e5") == ("this would repeat the board after your previous turn", "e5")

    def test_the_same_placement_is_legal_on_a_different_board(self) -> None:
        _, events = game(f"{self.ko} a1 i9").play("e5")
        assert events[1:] == (Captured(BLACK, cells("e6")),)

    def test_only_the_movers_own_turns_count_for_repetition(self) -> None:
        now, after = (mask("e7"), mask("e4 e6")), (mask("e7 e5"), mask("e4"))
        board_now = at("e7", "e4 e6")
        other = (mask("a1"), 0)
        # The boards after Black's turn, after White's, and so on, up to White's last turn.
        assert "e5" not in replace(board_now, ends=(other, other, after, now)).legal_turns
        drawn, _ = replace(board_now, ends=(after, other, other, now)).play("e5")
        assert drawn.outcome == Outcome(None, "repetition")
        played, _ = replace(board_now, ends=(other, after, other, now)).play("e5")
        assert (played.first, played.second) == after
        assert played.outcome is None

    def test_capturing_two_stones_where_one_was_lost_repeats_nothing(self) -> None:
        position = at("e5 e8", "e4 e7", WHITE)
        position, events = position.play("e6")
        assert events[1:] == (Captured(WHITE, cells("e5")),)
        position, events = position.play("e5")
        assert events[1:] == (Captured(BLACK, cells("e6 e7")),)

    def test_the_end_of_a_pass_counts_as_the_previous_turn(self) -> None:
        position = game("e7 white e4 e5 a1 pass e6")
        assert refused(position, "e5") == ("this would repeat the board after your previous turn", "e5")

    def test_a_position_equal_to_an_older_one_of_the_mover_is_a_draw(self) -> None:
        position, events = game("d7 black e7 f7 d3 c1 d5 pass d6 d4", 4).play("d5")
        assert position.outcome == Outcome(None, "repetition")
        assert position.ends[-1] == position.ends[-5]
        assert not any(isinstance(event, Territory) for event in events)
        assert position.legal_turns == ()

    def test_the_end_of_an_older_pass_is_remembered_too(self) -> None:
        turns = "g6 white g7 g4 e6 a4 g5 d5 c4 g6 e5 e2 g5 b2 d5 g6 e4 d7 e7 c1 g5 e3 pass g6 pass f6 g5"
        position = game(turns, 4)
        assert position.outcome == Outcome(None, "repetition")
        played = turns.replace("white ", "").split()
        equal = [number for number, end in enumerate(position.ends[:-1]) if end == position.ends[-1]]
        own = [number for number in equal if number % 2 == (len(played) - 1) % 2]
        assert own == [len(played) - 5]
        assert played[-5] == PASS

    def test_the_opening_is_remembered_as_the_first_turn(self) -> None:
        assert game("e5").ends == ((mask("e5"), 0),)
        assert game("e5 white pass").ends == ((mask("e5"), 0), (mask("e5"), 0))

    def test_a_pass_is_never_refused_and_never_draws(self) -> None:
        position = game("c1 black c2 c3 pass d2 c5 c4 c2 c3 pass", 3)
        assert position.ends[-1] in position.ends[-3::-2]
        assert position.outcome is None
        position, _ = game(self.ko).play("pass")
        assert position.phase is Phase.PLAY

    def test_only_stones_make_a_position(self) -> None:
        # The two equal boards differ in prisoners and in the last turn being a pass, but it is still a draw.
        older = game("d7 black e7 f7 d3 c1 d5", 4)
        position = game("d7 black e7 f7 d3 c1 d5 pass d6 d4 d5", 4)
        assert (position.first, position.second) == (older.first, older.second)
        assert position.held() != older.held()
        assert position.outcome is not None


class TestEnd:
    """Two passes in a row end the game; territory, prisoners and ½ are counted."""

    def test_two_passes_in_a_row_end_the_game(self) -> None:
        position, events = game("e5 white pass").play("pass")
        assert position.phase is Phase.OVER
        assert position.outcome == Outcome(BLACK, "score")
        rest = tuple(bits(board(5).mask & ~mask("e5")))
        assert events == (Passed(BLACK), Territory(BLACK, rest))

    def test_passes_that_are_not_in_a_row_do_not_end_it(self) -> None:
        assert game("e5 white pass a1 pass a2 pass").phase is Phase.PLAY

    def test_after_the_end_every_turn_is_refused(self) -> None:
        for turn in ("a1", "pass", "black", "nonsense"):
            with pytest.raises(GameOver, match="the game is over"):
                game("e5 white pass pass").play(turn)

    def test_a_territory_is_a_maximal_connected_set_of_empty_points(self) -> None:
        position = at("a2 b2 b1", "i8 h8 h9", WHITE)
        position, _ = position.play("pass")
        _, events = position.play("pass")
        assert events == (Passed(BLACK), Territory(BLACK, cells("a1")), Territory(WHITE, cells("i9")))

    def test_a_territory_belongs_to_a_side_when_all_stones_beside_it_do(self) -> None:
        assert at("a2 b2 b1", "i9").territory(BLACK) == mask("a1")
        assert at("a2 b2 b1", "i9").territory(WHITE) == 0

    def test_a_territory_beside_both_sides_belongs_to_neither(self) -> None:
        position = at("a2 b1", "b2")
        assert (position.territory(BLACK), position.territory(WHITE)) == (0, 0)

    def test_a_territory_beside_no_stone_belongs_to_neither(self) -> None:
        assert (start().territory(BLACK), start().territory(WHITE)) == (0, 0)

    def test_the_score_is_own_territory_and_enemy_stones_captured(self) -> None:
        position = game("e7 white e4 e5 e6")
        assert position.score() == {"black": 0, "white": 1}
        assert at("a2 b2 b1", "i9").score() == {"black": 1, "white": 0}

    def test_stones_on_the_board_are_worth_nothing(self) -> None:
        assert at("e5 e6 f6", "a1").score() == {"black": 0, "white": 0}

    def test_half_a_point_goes_to_the_side_that_passed_first_of_the_two(self) -> None:
        position = game("e5 white a1 pass")
        assert position.score() == {"black": 0.5, "white": 0}
        position, _ = position.play("pass")
        assert position.score() == {"black": 0.5, "white": 0}
        assert position.outcome == Outcome(BLACK, "score")
        assert game("e5 white a1 a2 pass pass").outcome == Outcome(WHITE, "score")

    def test_the_half_point_counts_only_while_the_last_turn_is_a_pass(self) -> None:
        assert game("e5 white a1 pass a2").score() == {"black": 0, "white": 0}
        assert game("e5 white a1 pass a2 b4 pass").score() == {"black": 0, "white": 0.5}

    def test_the_higher_score_wins(self) -> None:
        # White passes first, but Black has two more points: a1 and i9 are territory.
        position = at("a2 b2 b1 i8 h8 h9", "e5", WHITE)
        position, _ = position.play("pass")
        position, _ = position.play("pass")
        assert position.score() == {"black": 2, "white": 0.5}
        assert position.outcome == Outcome(BLACK, "score")

    def test_equal_points_are_decided_by_the_half_point_and_never_draw(self) -> None:
        for first_to_pass in Side:
            position = at("a2 b2 b1", "i8 h8 h9", first_to_pass)
            position, _ = position.play("pass")
            position, _ = position.play("pass")
            assert position.outcome == Outcome(first_to_pass, "score")

    def test_on_a_full_board_only_a_pass_is_left(self) -> None:
        whole = board(3)
        black = whole.names(whole.mask)[::2]
        white = whole.names(whole.mask)[1::2]
        position = at(" ".join(black), " ".join(white), size=3)
        assert position.legal_turns == (PASS,)


class TestOpening:
    def test_the_opening_is_one_black_stone_on_any_point(self) -> None:
        assert len(start(7).legal_turns) == 127
        position, events = start(7).play("g7")
        assert position.pieces() == {"g7": "b"}
        assert events == (Placed(BLACK, cells("g7", 7)[0]),)
        assert position.phase is Phase.CHOICE
        with pytest.raises(IllegalTurn, match="the opening cannot be passed"):
            start().play("pass")

    @pytest.mark.parametrize("choice", ["black", "white"])
    def test_the_second_player_chooses_a_side_and_white_plays_next(self, choice: str) -> None:
        position, events = game("e5").play(choice)
        side = Side(Fiodar.sides.index(choice))
        assert events == (SideChosen(side),)
        assert (position.second_player, position.to_play) == (side, WHITE)

    def test_it_has_the_sizes_and_the_variant_of_its_rules(self) -> None:
        assert (Fiodar.name, Fiodar.title, Fiodar.sides) == ("fiodar", "Fiodar", ("black", "white"))
        assert (Fiodar.sizes, Fiodar.default_size, Fiodar.variants) == ((5, 7), 7, ("standard",))


class TestInterface:
    def test_the_replay_interface(self) -> None:
        position = game("e7 white e4 e5 e6")
        described = describe(position, 5, "e6", legal=True)
        legal = described.pop("legal")
        assert described == {
            "ply": 5,
            "turn": "e6",
            "phase": "play",
            "to_play": "black",
            "cells": {"e4": "w", "e6": "w", "e7": "b"},
            "score": {"black": 0, "white": 1},
            "held": {"black": 0, "white": 1},
            "result": None,
        }
        assert legal == sorted(legal)
        assert PASS in legal
        assert "e5" not in legal
        over = describe(game("e5 white pass pass"), 4, "pass", legal=True)
        assert over["result"] == {"winner": "black", "reason": "score"}
        assert (over["score"], over["legal"]) == ({"black": 60, "white": 0.5}, [])

    def test_upper_case_and_spaces_are_accepted(self) -> None:
        assert game("e5 white").play(" E6 ") == game("e5 white").play("e6")
        assert game("e5 white").parse("PASS ") == "pass"

    def test_other_texts_are_refused_with_a_reason(self) -> None:
        with pytest.raises(OffTheBoard, match="a9 is off the board, which runs from a1 to i9"):
            game("e5 white").play("a9")
        with pytest.raises(NotATurn, match="is not a turn"):
            game("e5 white").play("e5-e6")
        with pytest.raises(NotATurn, match="the side has already been chosen"):
            game("e5 white").play("white")

    @repeatable
    @given(st.text(max_size=6) | st.from_regex(r"[a-k][0-9]{1,2}", fullmatch=True))
    def test_any_text_is_a_legal_turn_or_raises_a_turn_error(self, text: str) -> None:
        for turns in ("", "e5", "e5 white", "e7 white e4 e5 e6", "e5 white pass pass"):
            position = game(turns)
            try:
                position.parse(text)
            except TurnError as error:
                reason = str(error)
            else:
                reason = "legal"
            assert reason

    def test_the_same_turns_give_equal_positions(self) -> None:
        one, other = game("e7 white e4 e5 e6"), game("e7 black e4 e5 e6")
        assert one == game("e7 white e4 e5 e6")
        assert hash(one) == hash(game("e7 white e4 e5 e6"))
        assert one != other


def placements(position: Fiodar) -> list[str]:
    return [turn for turn in position.legal_turns if turn != PASS]


def agree(position: Fiodar, literal: Literal, *, legal: bool = True) -> None:
    """Check that the engine and the literal reading have the same position."""
    assert position.pieces() == literal.cells()
    assert position.score() == literal.score()
    assert position.held() == literal.held()
    assert position.phase == literal.phase
    if position.phase is Phase.PLAY:
        assert COLOUR[position.turn_of] == literal.mover
    if position.outcome is None:
        assert literal.result is None
    else:
        winner = None if position.outcome.winner is None else position.sides[position.outcome.winner]
        assert literal.result == (winner, position.outcome.reason)
    if legal:
        assert set(position.legal_turns) == literal.legal()


def agree_on_refusals(position: Fiodar, literal: Literal, seen: Counter[str]) -> None:
    """Check that both refuse the same placements, for the same reasons and with the same points."""
    refusals = literal.refusals()
    assert set(placements(position)) == {turn for turn, refusal in refusals.items() if refusal is None}
    for turn, expected in refusals.items():
        if expected is None:
            continue
        reason, shown = expected
        with pytest.raises(IllegalTurn) as refusal:
            position.refuse(turn)
        assert frozenset(position.board.name(cell) for cell in refusal.value.cells) == shown
        word = {"taken": "is taken by", "cut": "would leave your weave", "repeats": "would repeat the board"}[reason]
        assert word in str(refusal.value)
        seen[f"refused: {reason}"] += 1


def agree_on_terms(position: Fiodar, literal: Literal) -> None:
    for side in Side:
        colour = COLOUR[side]
        own = frozenset(point for point, owner in literal.stones.items() if owner == colour)
        board_names = position.board.names
        assert {frozenset(board_names(weave)) for weave in position.weaves(side)} == set(map(names, connected(own)))
        assert {frozenset(board_names(weave)) for weave in position.cut_weaves(side)} == set(
            map(names, literal.cut_weaves(literal.stones, colour))
        )
        in_cut_threads = {name for thread in position.cut_threads(side) for name in board_names(thread.stones)}
        assert in_cut_threads == names({point for point in own if literal.in_cut_thread(literal.stones, point)})
        for direction in range(3):
            threads = [thread.stones for thread in position.threads(side) if thread.direction == direction]
            assert sum(threads) == position.stones(side)
        territories = [name for territory in literal.territories(colour) for name in territory]
        assert sorted(board_names(position.territory(side))) == sorted(territories)


def agree_on_territories(position: Fiodar, events: tuple[Event, ...], literal: Literal) -> None:
    """Check that the events name each territory once at the end, and none before."""
    counted = position.outcome is not None and position.outcome.reason == "score"
    for side in Side:
        found = [event.cells for event in events if isinstance(event, Territory) and event.side is side]
        expected = literal.territories(COLOUR[side]) if counted else []
        assert sorted(sorted(map(position.board.name, region)) for region in found) == sorted(map(sorted, expected))


def note(before: Fiodar, turn: str, after: Fiodar, events: tuple[Event, ...], seen: Counter[str]) -> None:
    """Count the rare events of a turn."""
    mover = before.turn_of
    captured = sum(isinstance(event, Captured) for event in events)
    seen["captures"] += captured > 0
    seen["captures of two weaves"] += captured > 1
    if before.phase is Phase.PLAY and turn != PASS:
        seen["own weave left cut"] += bool(after.cut_weaves(mover))
        seen["removal of a weave left cut"] += bool(before.cut_weaves(mover.other))
    if after.outcome is not None:
        seen[after.outcome.reason] += 1
        owners = {event.side for event in events if isinstance(event, Territory)}
        seen["territory of both sides"] += len(owners) == 2


def choose(position: Fiodar, greed: float, passing: float, rng: random.Random) -> str:
    """A random turn: a capture or a pass with these probabilities (passes are likelier after a pass), or any turn."""
    if position.passed_first is not None:
        passing = 0.2
    open_turns = placements(position)
    if not open_turns or (position.phase is Phase.PLAY and rng.random() < passing):
        return PASS
    if rng.random() < greed:
        held = position.held()
        captures = [turn for turn in open_turns if position.play(turn)[0].held() != held]
        return rng.choice(captures or open_turns)
    return rng.choice(open_turns)


def compare_game(
    size: int, rng: random.Random, seen: Counter[str], every: int = 1, greed: float = 0.0, passing: float = 0.02
) -> None:
    """Play one random game with both. Compare the legal turns every few turns, and everything else every turn."""
    position, literal = start(size), Literal(size)
    for ply in range(6 * len(position.board.cells)):
        look = ply % every == 0 or len(position.legal_turns) < 4
        agree(position, literal, legal=look)
        if position.phase is Phase.OVER:
            break
        if look and position.phase is Phase.PLAY and (size == 3 or rng.random() < 0.2):
            agree_on_refusals(position, literal, seen)
        turn = choose(position, greed if position.phase is Phase.PLAY else 0, passing, rng)
        before = position
        position, events = position.play(turn)
        note(before, turn, position, events, seen)
        removed = literal.play(turn)
        weaves = [frozenset(position.board.name(cell) for cell in e.cells) for e in events if isinstance(e, Captured)]
        assert len(weaves) == len(removed)
        assert set(weaves) == set(removed)
        agree_on_territories(position, events, literal)


def random_board(size: int, rng: random.Random, *, as_in_a_game: bool) -> Literal:
    """Random stones, sometimes in two camps, with either side to play. As in games, the other side has no cut weave."""
    literal = Literal(size)
    literal.phase, literal.mover = "play", rng.choice("bw")
    density, black = rng.uniform(0.2, 0.9), rng.uniform(0.3, 0.7)
    camps = rng.random() < 0.3
    for point in sorted(literal.on_board):
        if rng.random() < density:
            here = (0.95 if sum(point) < 2 * size - 2 else 0.05) if camps else black
            literal.stones[point] = "b" if rng.random() < here else "w"
    literal.stones.setdefault(literal.points["a1"], "b")
    if as_in_a_game:
        for weave in literal.cut_weaves(literal.stones, ENEMY[literal.mover]):
            for point in weave:
                del literal.stones[point]
    return literal


def position_of(literal: Literal, ends: list[Board]) -> Fiodar:
    """The engine's position with the same stones and these earlier boards."""
    size = 1 + max(x for x, y in literal.on_board) // 2

    def masks(end: Board) -> tuple[int, int]:
        first, second = (
            mask(" ".join(names({point for point, owner in end if owner == colour})), size) for colour in "bw"
        )
        return first, second

    first, second = masks(frozenset(literal.stones.items()))
    return Fiodar(
        Ruleset(Fiodar, size, "standard"),
        first=first,
        second=second,
        second_player=WHITE,
        turn_of=BLACK if literal.mover == "b" else WHITE,
        ends=tuple(masks(end) for end in ends),
    )


class TestAgainstTheLiteralReading:
    def test_whole_random_games(self) -> None:
        rng, seen = random.Random(2023), Counter[str]()
        for size, games, every in (
            (3, fewer(50, 5), 1),
            (4, fewer(8, 8), 1),
            (5, fewer(3, 3), 3),
            *(THOROUGH * [(7, 1, 10)]),
        ):
            for _ in range(games):
                compare_game(size, rng, seen, every)
        for event in (
            "captures",
            "refused: taken",
            "refused: cut",
            "refused: repeats",
            "score",
        ):
            assert seen[event], event

    @pytest.mark.parametrize(
        ("size", "turns"),
        [
            (4, "d7 black e7 f7 d3 c1 d5 pass d6 d4 d5"),
            (3, "c1 black c5 a2 d5 c4 c3 pass c2 c4"),
            (3, "c3 white e5 c5 d3 d2 b2 d4 d3"),
            (3, "c1 black c2 c3 pass d2 c5 c4 c2 c3 pass"),
            (3, "d4 white d3 pass b4 c1 e5 d2 b2 c5 a1 a3 b1 a2 c4 c3 b4 pass c4"),
            (4, "f5 white e6 e2 d3 f6 pass b3 c5 d7 d5 pass a2 pass d2 b2 b4 d1 f4 g4 g6 pass b1 c3 b5 e4 pass d4"),
            (4, "d3 white pass a2 e6 a3 c1 d5 e5 pass c5 e2 a1 e3 c4 b5 d1 pass a4 f6 d7 c3 pass c6 pass d6"),
            (
                4,
                "g6 white g7 g4 e6 a4 g5 d5 c4 g6 e5 e2 g5 b2 d5 g6 e4 d7 e7 c1 g5 e3 pass g6 pass f6 g5",
            ),
        ],
    )
    def test_games_with_the_rarest_events(self, size: int, turns: str) -> None:
        position, literal, seen = start(size), Literal(size), Counter[str]()
        for turn in turns.split():
            position, _ = position.play(turn)
            literal.play(turn)
            agree(position, literal)
            agree_on_terms(position, literal)
            if position.phase is Phase.PLAY:
                agree_on_refusals(position, literal, seen)

    def test_games_of_players_who_like_to_capture(self) -> None:
        rng, seen = random.Random(7), Counter[str]()
        for size, games in ((3, fewer(30, 2)), (4, fewer(4, 2))):
            for _ in range(games):
                compare_game(size, rng, seen, every=3, greed=0.7, passing=0.03)
        assert seen["captures"] > 50

    @pytest.mark.parametrize(
        ("size", "boards"),
        [(3, 90), (4, fewer(45, 3)), (5, fewer(25, 4)), (7, fewer(3, 3))],
    )
    def test_random_boards_and_pasts(self, size: int, boards: int) -> None:
        """Compare boards that games do not reach: many cut weaves of both sides, and boards that a turn repeats."""
        rng, seen = random.Random(size), Counter[str]()
        for number in range(boards):
            literal = random_board(size, rng, as_in_a_game=number % 2 == 0)
            now = frozenset(literal.stones.items())
            # One placement brings back the board after the mover's previous turn, or after the one before.
            legal = sorted(literal.legal() - {PASS}) or [PASS]
            brought_back = literal.points.get(rng.choice(legal))
            after = now if brought_back is None else frozenset(literal.placed(brought_back)[0].items())
            ends = [after, now] if number % 3 else [after, now, now, now]
            literal.ends = {literal.mover: ends[::2], ENEMY[literal.mover]: ends[1::2]}
            position = position_of(literal, ends)
            seen["own weave cut"] += bool(literal.cut_weaves(literal.stones, literal.mover))
            agree(position, literal)
            agree_on_terms(position, literal)
            agree_on_refusals(position, literal, seen)
            for turn in rng.sample(position.legal_turns, min(8, len(position.legal_turns))):
                played, events = position.play(turn)
                note(position, turn, played, events, seen)
                literal_played = literal.copy()
                literal_played.play(turn)
                agree(played, literal_played, legal=size < 5)
            for _ in range(2):
                before = position
                position, events = position.play(PASS)
                note(before, PASS, position, events, seen)
                literal.play(PASS)
                agree(position, literal)
                agree_on_territories(position, events, literal)
        if size < 7:
            for event in (
                "captures of two weaves",
                "own weave cut",
                "own weave left cut",
                "removal of a weave left cut",
                "refused: cut",
                "refused: repeats",
                "territory of both sides",
                "repetition",
            ):
                assert seen[event], event

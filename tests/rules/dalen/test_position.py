"""Dalen: whole games against a second reading of the rules, a position for every sentence, and refusals."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules import (
    Flipped,
    GameOver,
    IllegalTurn,
    NotATurn,
    OffTheBoard,
    Outcome,
    Passed,
    Phase,
    Placed,
    Position,
    Ruleset,
    Side,
    SideChosen,
    TurnError,
    bits,
)
from rules.dalen import Dalen
from tests.support.literal import dalen as literal
from tests.support.positions import cells, mask, names, refusal, repeatable, set_up, walk
from tests.support.thorough import THOROUGH, fewer, sample

DARK, LIGHT = Side.FIRST, Side.SECOND
VARIANTS = Dalen.variants


def start(size: int = 5, variant: str = "standard") -> Dalen:
    return Dalen(Ruleset(Dalen, size, variant))


def position(dark: str, light: str, *, size: int = 5, variant: str = "standard", to_play: Side = DARK) -> Dalen:
    """A position in the middle of a game, with dark to play by default."""
    return set_up(start(size, variant), dark, light, to_play)


def full_but_for(empty: str, dark: str, *, to_play: Side, variant: str = "standard") -> Dalen:
    """A position of size 3 with dark's stones, one empty cell, and light's stones everywhere else."""
    board = start(3)
    light = board.board.mask & ~mask(board, f"{empty} {dark}")
    return position(dark, names(board, light), size=3, variant=variant, to_play=to_play)


# The same position for the second reading


def as_literal(read: Dalen) -> literal.Game:
    game = literal.Game(read.ruleset.size, read.ruleset.variant)
    for side in Side:
        game.stones |= {game.named[name]: Dalen.sides[side] for name in read.board.names(read.stones(side))}
    game.phase = str(read.phase)
    game.to_play = Dalen.sides[read.turn_of]
    return game


def tree_of(read: Dalen, stones: int | tuple[int, ...]) -> literal.Tree:
    listed = bits(stones) if isinstance(stones, int) else stones
    return frozenset((read.board.column(cell), read.board.row(cell)) for cell in listed)


def assert_same_position(read: Dalen, game: literal.Game) -> None:
    assert read.pieces() == {literal.name(cell): side[0] for cell, side in game.stones.items()}
    assert read.phase == game.phase
    assert set(read.legal_turns) == game.legal_turns()
    assert len(read.legal_turns) == len(set(read.legal_turns))
    if read.outcome is None:
        assert game.winner is None
    else:
        assert read.outcome.winner is not None
        assert game.winner == Dalen.sides[read.outcome.winner]
    if read.to_play is not None:
        assert game.to_play == Dalen.sides[read.to_play]
    if read.phase is Phase.PLAY:
        for side in Side:
            named = Dalen.sides[side]
            assert {tree_of(read, tree) for tree in read.trees(side)} == game.trees(named)
            assert tree_of(read, read.leaves(side)) == game.leaves(named)
            assert tree_of(read, read.placements(side)) == game.placements(named)
            assert tree_of(read, read.stagnant(side)) == {cell for tree in game.stagnant(named) for cell in tree}
            rooms = {tree_of(read, tree): tree_of(read, room) for tree, room in read.rooms(side)}
            assert rooms == game.rooms(named)


@dataclass
class Turn:
    """A played turn: the position after it, and the flipped trees by the names of their stones."""

    after: Dalen
    enemies: set[str]
    friends: set[str]
    by: dict[str, str]


def play(before: Dalen, turn: str) -> Turn:
    """Play a turn after the choice of side, and check that the second reading of the rules agrees."""
    mover = before.turn_of
    after, events = before.play(turn)
    placed, *flips = events
    if turn == "pass":
        assert placed == Passed(mover)
    else:
        assert placed == Placed(mover, *cells(before, turn))
    steps: dict[Side, set[literal.Capture]] = {DARK: set(), LIGHT: set()}
    by, named = {}, {side: set[str]() for side in Side}
    for flip in flips:
        assert isinstance(flip, Flipped)
        stagnant = literal.connected_sets(tree_of(before, flip.by))
        steps[flip.side].add((tree_of(before, flip.cells), stagnant))
        named[flip.side].add(names(before, flip.cells))
        by[names(before, flip.cells)] = names(before, flip.by)
    order = [flip.side for flip in flips if isinstance(flip, Flipped)]
    assert order == sorted(order, key=lambda side: side is not mover), "the mover's stagnant trees capture first"
    game = as_literal(before)
    game.play(turn)
    assert game.flipped == (steps[mover], steps[mover.other])
    assert_same_position(after, game)
    return Turn(after, named[mover], named[mover.other], by)


# Whole games


GAMES_PLAYED = {3: 30, 4: 10, 5: 3, 7: 1} if THOROUGH else {3: 12, 4: 3, 5: 1}


def rare_events(before: Dalen, turn: str, played: Turn) -> Iterator[str]:
    if turn == "pass":
        yield "a pass"
        if played.enemies or played.friends:
            yield "a capture on a pass"
    if played.enemies:
        yield "enemy trees flipped"
    if played.friends:
        yield "the mover's own trees flipped"
    if played.enemies and played.friends:
        yield "trees of both sides flipped in one turn"
    if len(played.enemies) > 1:
        yield "several enemy trees flipped at once"
    if len(played.friends) > 1:
        yield "several of the mover's trees flipped at once"
    if any(len(list(before.board.groups(mask(before, by)))) > 1 for by in played.by.values()):
        yield "a tree flipped by several trees"
    if played.after.outcome is not None:
        winner = played.after.outcome.winner
        assert winner is not None
        yield f"a win for {Dalen.sides[winner]}"
        yield "a win for the mover" if winner is before.turn_of else "a win for the side that did not move"
        yield "an end on a board with empty cells" if played.after.empty else "an end on a full board"


@cache
def whole_games(size: int, variant: str) -> Counter[str]:
    """Play random games with both readings, turn by turn, and count rare events."""
    seen: Counter[str] = Counter()
    for seed in range(GAMES_PLAYED[size]):
        for before, turn in walk(Ruleset(Dalen, size, variant), seed):
            assert isinstance(before, Dalen)
            if before.phase is Phase.PLAY:
                seen.update(rare_events(before, turn, play(before, turn)))
            else:
                after, _ = before.play(turn)
                game = as_literal(before)
                game.play(turn)
                assert_same_position(after, game)
    return seen


@cache
def random_positions(size: int, variant: str) -> Counter[str]:
    """Set up random stones, often so many that a side must pass, and play one turn there with both readings."""
    chance = random.Random(f"{size} {variant}")
    board = start(size).board
    seen: Counter[str] = Counter()
    for _ in range(fewer(1000, 3) if size == 3 else 250):
        filled, share = chance.uniform(0.1, 0.95), chance.random()
        stones = {cell: chance.random() < share for cell in board.cells if chance.random() < filled}
        dark, light = (" ".join(board.name(cell) for cell in stones if stones[cell] is side) for side in (True, False))
        if dark and light:
            before = position(dark, light, size=size, variant=variant, to_play=chance.choice((DARK, LIGHT)))
            assert_same_position(before, as_literal(before))
            turn = chance.choice(before.legal_turns)
            seen.update(rare_events(before, turn, play(before, turn)))
    return seen


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("size", GAMES_PLAYED)
def test_both_readings_of_the_rules_agree_over_whole_games(size: int, variant: str) -> None:
    ends = whole_games(size, variant)
    assert ends["a win for dark"] + ends["a win for light"] == GAMES_PLAYED[size]


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("size", sample([3, 4], 2))
def test_both_readings_of_the_rules_agree_on_random_positions(size: int, variant: str) -> None:
    assert random_positions(size, variant)["a pass"]


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_sample_contains_every_rare_event(variant: str) -> None:
    seen = sum((whole_games(size, variant) for size in GAMES_PLAYED), random_positions(3, variant))
    assert set(seen) == {
        "a capture on a pass",
        "a pass",
        "a tree flipped by several trees",
        "a win for dark",
        "a win for light",
        "a win for the mover",
        "a win for the side that did not move",
        "an end on a board with empty cells",
        "an end on a full board",
        "enemy trees flipped",
        "several enemy trees flipped at once",
        "several of the mover's trees flipped at once",
        "the mover's own trees flipped",
        "trees of both sides flipped in one turn",
    }


# Trees and leaves


def trees(read: Dalen, side: Side) -> set[str]:
    return {names(read, tree) for tree in read.trees(side)}


def test_a_tree_is_a_maximal_connected_set_of_stones_of_one_colour() -> None:
    read = position("e5 e6 g7", "f6 f5 d3")
    assert trees(read, DARK) == {"e5 e6", "g7"}
    assert trees(read, LIGHT) == {"f5 f6", "d3"}


def test_a_leaf_has_exactly_one_adjacent_stone_of_its_own_colour() -> None:
    assert names(*with_leaves("e4 e5 e6", "")) == "e4 e6"
    assert names(*with_leaves("e4 e5", "")) == "e4 e5"
    assert names(*with_leaves("d4 e5 e6 f5", "")) == "d4 e6 f5", "three arms around e5"


def test_stones_of_the_other_colour_do_not_matter_for_a_leaf() -> None:
    assert names(*with_leaves("e4 e5", "e6 f6 f5 d4")) == "e4 e5"


def test_a_single_stone_has_no_leaf() -> None:
    assert names(*with_leaves("e5", "e6")) == ""


def test_a_triangle_has_no_leaf() -> None:
    assert names(*with_leaves("e5 e6 f6", "")) == ""


def with_leaves(dark: str, light: str) -> tuple[Dalen, int]:
    read = position(dark, light)
    assert tree_of(read, read.leaves(DARK)) == as_literal(read).leaves("dark")
    return read, read.leaves(DARK)


# Placements


def refused_placements(read: Dalen) -> str:
    return names(read, read.empty & ~read.placements(read.turn_of))


def test_a_cell_next_to_two_leaves_is_not_a_legal_placement() -> None:
    read = position("e4 e5", "i9")
    assert refused_placements(read) == "d4 f5"
    assert {"e3", "e6", "d3", "f6", "d5", "f4"} < set(read.legal_turns)


def test_leaves_are_counted_over_all_trees_of_that_side_together() -> None:
    read = position("e2 e3 e5 e6", "i9")
    assert trees(read, DARK) == {"e2 e3", "e5 e6"}
    assert "e4" not in read.legal_turns


def test_adjacent_stones_that_are_not_leaves_do_not_count() -> None:
    triangle_and_single = position("e6 f6 f7 d4", "i9")
    assert "e5" in triangle_and_single.legal_turns
    triangle_and_a_leaf = position("e6 f6 f7 d4 c3", "i9")
    assert names(triangle_and_a_leaf, triangle_and_a_leaf.leaves(DARK)) == "c3 d4"
    assert "e5" in triangle_and_a_leaf.legal_turns
    assert "c4" not in triangle_and_a_leaf.legal_turns


def test_leaves_of_the_enemy_do_not_count() -> None:
    assert refused_placements(position("i9", "e4 e5")) == ""
    assert refused_placements(position("i9", "e4 e5", to_play=LIGHT)) == "d4 f5"


def test_an_occupied_cell_is_not_a_placement() -> None:
    read = position("e5", "e6")
    assert not {"e5", "e6"} & set(read.legal_turns)
    assert len(read.legal_turns) == 61 - 2


# Stagnant trees


def stagnant(read: Dalen, side: Side) -> str:
    assert tree_of(read, read.stagnant(side)) == {
        cell for tree in as_literal(read).stagnant(Dalen.sides[side]) for cell in tree
    }
    return names(read, read.stagnant(side))


def test_a_tree_without_empty_cells_beside_it_is_stagnant() -> None:
    assert stagnant(position("a1 e5", "a2 b1 b2"), DARK) == "a1"


def test_a_tree_whose_empty_cells_are_all_illegal_for_its_side_is_stagnant() -> None:
    read = position("a1 a2 e5", "b1 a3 b3")
    assert "b2" not in read.legal_turns
    assert stagnant(read, DARK) == "a1 a2"


def test_a_tree_with_one_legal_placement_beside_it_is_not_stagnant() -> None:
    assert stagnant(position("a1 a2 e5", "b1 b3"), DARK) == ""


def test_a_cell_that_only_the_enemy_may_take_does_not_keep_a_tree_growing() -> None:
    read = position("a1 a2 e5", "b1 a3 b3", to_play=LIGHT)
    assert "b2" in read.legal_turns
    assert stagnant(read, DARK) == "a1 a2"


def test_a_leaf_of_another_tree_can_make_a_tree_stagnant() -> None:
    alone = position("a1", "a2 b1")
    assert stagnant(alone, DARK) == ""
    assert stagnant(position("a1 b3 b4 c2 d2", "a2 b1"), DARK) == "a1", "b2 is next to the leaves b3 and c2"


# Captures


def test_a_stagnant_tree_flips_adjacent_enemy_trees_with_no_more_leaves() -> None:
    turn = play(position("a1", "b1 a3 b3 e5"), "a2")
    assert turn.enemies == {"b1", "a3 b3"}, "no leaf, and two leaves, against two"
    assert turn.by == {"b1": "a1 a2", "a3 b3": "a1 a2"}
    assert not turn.friends
    assert names(turn.after, turn.after.first) == "a1 a2 a3 b1 b3"
    assert names(turn.after, turn.after.second) == "e5"


def test_an_enemy_tree_with_more_leaves_stays() -> None:
    turn = play(position("e5 a1", "a2 b2 b1"), "i9")
    assert stagnant(turn.after, DARK) == "a1"
    assert turn.after.leaves(LIGHT).bit_count() == 2
    assert not turn.enemies


def test_the_number_of_leaves_is_compared_and_not_the_number_of_stones() -> None:
    turn = play(position("b2", "b3 c2 c3", size=3), "a1")
    assert turn.enemies == {"b3 c2 c3"}, "a triangle has no leaf, the pair a1 b2 has two"
    assert turn.after.outcome == Outcome(DARK, "annihilation")


def test_a_stagnant_tree_flips_nothing_that_it_does_not_touch() -> None:
    turn = play(position("a1", "b1 a3 b3 e5 g7 g8"), "a2")
    assert names(turn.after, turn.after.second) == "e5 g7 g8"


def test_a_tree_that_can_still_grow_flips_nothing() -> None:
    turn = play(position("e5 e6", "f7"), "e4")
    assert not turn.enemies
    assert not turn.friends


def test_a_tree_that_the_turn_does_not_touch_captures_too() -> None:
    turn = play(position("a1 a2", "b1 a3 b3 e5"), "i9")
    assert turn.enemies == {"b1", "a3 b3"}


def test_a_stagnant_tree_of_the_enemy_flips_the_movers_trees() -> None:
    turn = play(position("b1 a3 b3 e5", "a1 a2"), "i9")
    assert not turn.enemies
    assert turn.friends == {"b1", "a3 b3"}


def test_the_enemy_is_captured_first() -> None:
    """No tree can grow any more or has a leaf, so each side could flip the other."""
    dark = "a1 a2 a3 b1 b2 b3 b4 c1 c2"
    by_dark = play(full_but_for("c3", dark, to_play=DARK), "c3")
    by_light = play(full_but_for("c3", dark, to_play=LIGHT), "c3")
    assert stagnant(full_but_for("c3", dark, to_play=DARK), DARK) == ""
    assert by_dark.after.outcome == Outcome(DARK, "annihilation")
    assert by_light.after.outcome == Outcome(LIGHT, "annihilation")


def test_an_enemy_tree_captured_first_captures_nothing() -> None:
    turn = play(position("a1 b2 c5 d2 e3", "b1 c1", size=3), "c4")
    assert turn.enemies == {"b1 c1"}, "it was stagnant, and touched trees with no more leaves than its own two"
    assert not turn.friends


def test_the_movers_trees_are_captured_on_the_board_as_it_then_stands() -> None:
    """Light's d4 e4 could not grow, because d5 is next to its leaf d4 and to the leaf c5; now c5 is dark."""
    before = position("a1 a2 c4 e3", "a3 b1 b4 c5 d4 e4", size=3)
    assert "d4 e4" in stagnant(position("a1 a2 c3 c4 e3", "a3 b1 b4 c5 d4 e4", size=3), LIGHT)
    turn = play(before, "c3")
    assert turn.enemies == {"a3 b4 c5", "b1"}
    assert stagnant(turn.after, LIGHT) == ""
    assert not turn.friends


def test_the_movers_leaves_are_recounted_after_the_first_step() -> None:
    turn = play(position("b2 c4", "a3 b3 c1 c2", size=3, variant="leaves"), "d4")
    assert turn.enemies == {"a3 b3"}
    assert turn.after.leaves(DARK).bit_count() > turn.after.leaves(LIGHT).bit_count()
    assert not turn.friends


def test_a_tree_that_the_first_step_makes_stagnant_captures_in_the_second() -> None:
    turn = play(position("a1 a3 b2 b4 c5 d2 d3 d4 e3", "c1 c2 e4 e5", size=3, variant="leaves"), "pass")
    assert turn.enemies == {"c1 c2"}
    assert turn.friends == {"a1 b2 c1 c2 d2 d3 d4 e3"}, "with the stones that have just been flipped"


def test_all_trees_of_a_step_are_flipped_at_once() -> None:
    turn = play(position("c5 d4", "b4 d5", size=3), "c3")
    assert turn.enemies == {"b4", "d5"}
    assert "c5" in turn.by["b4"], "c5 captures although flipping d5 would have joined it to c3 d4"


def test_there_is_no_further_cascade_in_the_turn() -> None:
    turn = play(position("b2", "a2 b1 b3 c1 d4 e5", size=3), "d3")
    assert turn.friends == {"d3"}
    assert "b2" in stagnant_touches(turn.after, LIGHT), "b2 could be flipped now, but only on the next turn"
    assert turn.after.outcome is None


def test_a_flip_does_not_start_another_one_in_the_same_step() -> None:
    turn = play(position("c5", "a2 b2 c1 d2 d4 d5", size=3), "e3")
    assert turn.friends == {"e3"}
    assert turn.after.outcome is None


def test_the_second_step_does_not_start_a_third() -> None:
    turn = play(position("c1 d5 e3", "b1 b2 c2 d2 e4 e5", size=3), "d4")
    assert turn.friends == {"d4 d5", "e3"}
    assert stagnant_touches(turn.after, DARK) == "b1 c2 d2", "c1 could now flip the whole light tree"
    assert turn.after.outcome is None
    turn = play(in_variant("b1 c3 d2", "a1 a2 e4", size=3), "e3")
    assert turn.friends == {"b1"}
    assert stagnant_touches(turn.after, DARK) == "e4", "d2 e3 cannot join b1 any more, so it is stagnant now"
    assert not turn.enemies


def stagnant_touches(read: Dalen, side: Side) -> str:
    return names(read, read.board.spread(read.stagnant(side)) & read.stones(side.other))


def test_a_flipped_tree_joins_the_trees_beside_it() -> None:
    turn = play(position("a1", "b1 a3 b3 e5"), "a2")
    assert trees(turn.after, DARK) == {"a1 a2 a3 b1 b3"}


def test_the_event_names_all_trees_that_flipped_a_tree() -> None:
    turn = play(full_but_for("a3", "a1 e5", to_play=DARK), "a3")
    assert turn.enemies == {"a2 b1 b2 b3 b4 c1 c2 c3 c4 c5 d2 d3 d4 d5 e3 e4"}
    assert set(turn.by.values()) == {"a1 a3 e5"}


# Passing


def test_a_side_with_a_legal_placement_may_not_pass() -> None:
    with pytest.raises(IllegalTurn, match="you can pass only when you have no legal placement"):
        position("e5", "e6").play("pass")


def test_a_side_with_no_legal_placement_passes() -> None:
    before = position("a1 a2 b4 c2 c4 d2 e5", "c3 d4 d5 e3 e4", size=3)
    assert before.empty
    assert before.legal_turns == ("pass",)
    turn = play(before, "pass")
    assert turn.after.to_play is LIGHT
    assert turn.after.legal_turns != ("pass",)
    assert (turn.after.first, turn.after.second) == (before.first, before.second)


def test_a_side_that_has_to_pass_may_not_place() -> None:
    before = position("a1 a2 b4 c2 c4 d2 e5", "c3 d4 d5 e3 e4", size=3)
    for cell in bits(before.empty):
        with pytest.raises(IllegalTurn, match="of your leaves"):
            before.play(before.board.name(cell))


def test_captures_are_still_carried_out_for_the_side_that_passes() -> None:
    turn = play(position("a2 b3 c1 c2 d4 e5", "a1 b4 c5 e3", size=3), "pass")
    assert turn.enemies == {"b4 c5", "a1"}
    assert turn.after.to_play is LIGHT


def test_the_trees_of_the_side_that_passes_can_be_captured_too() -> None:
    turn = play(position("b1 b2 b3 b4 c1 c2 d5 e3 e5", "a1 a2 a3 c3 d2 d3 e4", size=3), "pass")
    assert turn.friends == {"b1 b2 b3 b4 c1 c2"}
    assert turn.after.outcome is None


def test_a_pass_can_end_the_game() -> None:
    won = play(position("a1 b1 b3 b4 d2 d3 d5 e5", "c4", size=3), "pass")
    assert won.after.outcome == Outcome(DARK, "annihilation")
    lost = play(position("a2 a3 b1 b4 c1 c3 d5 e4 e5", "a1 b2 b3 c2 d2 d3 d4 e3", size=3), "pass")
    assert lost.after.outcome == Outcome(LIGHT, "annihilation")


# Opening and end


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_opening_is_one_dark_stone_on_any_cell_and_captures_nothing(variant: str) -> None:
    opening = start(5, variant)
    assert len(opening.legal_turns) == 61
    for name in opening.legal_turns:
        opened, events = opening.play(name)
        assert events == (Placed(DARK, *cells(opening, name)),)
        assert opened.pieces() == {name: "d"}
        assert opened.outcome is None


@pytest.mark.parametrize("side", Side)
def test_the_second_player_chooses_a_side_and_light_plays_next(side: Side) -> None:
    opened, _ = start().play("e5")
    assert opened.legal_turns == ("dark", "light")
    chosen, events = opened.play(Dalen.sides[side])
    assert events == (SideChosen(side),)
    assert chosen.second_player is side
    assert chosen.to_play is LIGHT


def test_one_colour_alone_does_not_end_the_game_before_lights_first_turn() -> None:
    opened = start().ruleset.replay(["e5"])
    assert (opened.phase, opened.outcome) == (Phase.CHOICE, None)
    chosen = start().ruleset.replay(["e5", "light"])
    assert (chosen.phase, chosen.outcome) == (Phase.PLAY, None)


def test_the_first_turn_of_light_can_end_the_game() -> None:
    turn = play(position("d4 d5", "", size=3, variant="leaves", to_play=LIGHT), "e5")
    assert turn.friends == {"e5"}
    assert turn.after.outcome == Outcome(DARK, "annihilation")


def test_a_side_wins_when_all_stones_are_of_its_colour() -> None:
    turn = play(position("a1", "b1 a3 b3"), "a2")
    assert turn.after.outcome == Outcome(DARK, "annihilation")
    assert turn.after.phase is Phase.OVER
    assert turn.after.to_play is None
    assert turn.after.legal_turns == ()
    assert turn.after.score() == {"dark": 5, "light": 0}


def test_light_wins_in_the_same_way() -> None:
    turn = play(position("b1 a3 b3", "a1", to_play=LIGHT), "a2")
    assert turn.after.outcome == Outcome(LIGHT, "annihilation")


def test_the_mover_loses_when_the_last_of_the_movers_stones_is_flipped() -> None:
    turn = play(position("c1 c2", "a1 b1", size=3), "a2")
    assert turn.friends == {"a2", "c1 c2"}
    assert turn.after.outcome == Outcome(LIGHT, "annihilation")


def test_the_game_goes_on_while_both_colours_are_on_the_board() -> None:
    turn = play(position("a1", "b1 a3 b3 e5"), "a2")
    assert turn.after.outcome is None
    assert turn.after.to_play is LIGHT


# The variant "leaves"


def in_variant(dark: str, light: str, *, size: int = 5) -> Dalen:
    return position(dark, light, size=size, variant="leaves")


def test_in_the_variant_a_tree_that_can_grow_but_not_gain_leaves_captures() -> None:
    assert play(in_variant("e5", "e6"), "e4").enemies == {"e6"}
    assert not play(position("e5", "e6"), "e4").enemies


def test_in_the_variant_a_tree_that_can_gain_a_leaf_does_not_capture() -> None:
    straight = play(in_variant("d5 e5", "g5"), "f5")
    assert straight.enemies == {"g5"}, "whatever touches e5 touches one of the leaves too"
    bent = play(in_variant("d5 e5", "g6"), "f6")
    assert not bent.enemies, "e4 touches e5 alone and would be a third leaf"


def test_in_the_variant_two_stones_that_meet_no_friend_always_capture() -> None:
    """Wherever the pair lies, it can only become a line of three stones, straight or bent, with two leaves."""
    board = start().board
    pairs = 0
    for cell in board.cells:
        for other in bits(board.spread(1 << cell) & -(1 << cell + 1)):
            pair = f"{board.name(cell)} {board.name(other)}"
            beside = board.spread(mask(start(), pair)) & ~mask(start(), pair)
            enemy = board.name(next(bits(beside)))
            assert stagnant(in_variant(pair, enemy), DARK) == " ".join(sorted(pair.split()))
            pairs += 1
    assert pairs == 156


def test_in_the_variant_two_stones_that_can_join_friends_do_not_capture() -> None:
    """A stone at d3 would join b1 c2 with d4 and e3: three leaves, one more than now."""
    turn = play(in_variant("c2 d4 e3", "c3", size=3), "b1")
    assert not turn.enemies
    assert stagnant(turn.after, DARK) == ""
    without_a_friend = play(in_variant("c2 d4", "c3", size=3), "b1")
    assert without_a_friend.enemies == {"c3"}


def test_in_the_variant_the_tree_is_counted_with_everything_it_merges_with() -> None:
    """Each cell beside a3 joins it to c4 d5. The joined tree has two leaves: more than none, though c4 d5 had two."""
    turn = play(in_variant("c4 d5", "a2", size=3), "a3")
    assert stagnant(turn.after, DARK) == "c4 d5"
    assert not turn.enemies


def test_in_the_variant_leaves_are_counted_in_that_tree_alone() -> None:
    turn = play(in_variant("d4 e3", "d2", size=3), "d5")
    assert "e3" not in stagnant(turn.after, DARK).split(), "it can join d4 d5, although the side gains no leaf"
    assert not turn.enemies


def test_in_the_variant_only_legal_placements_save_a_stagnant_tree() -> None:
    turn = play(in_variant("a3 b3 d4 e4", "c4", size=3), "c2")
    assert turn.enemies == {"c4"}


def test_in_the_variant_a_single_stone_captures_only_when_it_cannot_grow() -> None:
    assert stagnant(in_variant("e5", "e6"), DARK) == ""
    assert stagnant(in_variant("a1 e5", "a2 b1 b2"), DARK) == "a1"


def test_in_the_variant_an_equal_number_of_leaves_is_not_more() -> None:
    assert play(in_variant("b1", "c2", size=3), "c1").enemies == {"c2"}


def test_in_the_variant_the_captures_keep_their_order() -> None:
    turn = play(in_variant("d3", "c1 c2", size=3), "e4")
    assert turn.enemies == {"c1 c2"}, "both pairs have two leaves and are stagnant; the mover's captures first"
    assert turn.after.outcome == Outcome(DARK, "annihilation")


# Refusals


def refused(read: Position, text: str) -> TurnError:
    error, again = refusal(read.play, text), refusal(read.parse, text)
    assert error is not None
    assert type(again) is type(error)
    reason = str(error)
    assert str(again) == reason
    assert reason.strip()
    return error


@pytest.mark.parametrize(
    ("dark", "light", "text", "kind", "reason"),
    [
        ("d5 e6", "i9", "e5", IllegalTurn, "e5 is next to two of your leaves: d5, e6"),
        ("e2 e3 e5 e6", "i9", "e4", IllegalTurn, "e4 is next to two of your leaves: e3, e5"),
        ("e3 e4 d5 c5 f6 g6", "i9", "e5", IllegalTurn, "e5 is next to three of your leaves: e4, d5, f6"),
        ("e5", "e6", "e5", IllegalTurn, "e5 is taken by a dark stone"),
        ("e5", "e6", "e6", IllegalTurn, "e6 is taken by a light stone"),
        ("e5", "e6", "pass", IllegalTurn, "you can pass only when you have no legal placement"),
        ("e5", "e6", "a9", OffTheBoard, "a9 is off the board, which runs from a1 to i9"),
        ("e5", "e6", "z1", OffTheBoard, "z1 is off the board, which runs from a1 to i9"),
        ("e5", "e6", "", NotATurn, "“” is not a turn; name a cell by its letter and number, such as e5"),
        ("e5", "e6", "hello", NotATurn, "“hello” is not a turn; name a cell by its letter and number, such as e5"),
        ("e5", "e6", "e0", NotATurn, "“e0” is not a turn; name a cell by its letter and number, such as e5"),
        ("e5", "e6", "e05", NotATurn, "“e05” is not a turn; name a cell by its letter and number, such as e5"),
        (
            "e5",
            "e6",
            "e٥",
            NotATurn,
            "turns are written in plain letters, digits and signs such as - and +; "
            "U+0665 ARABIC-INDIC DIGIT FIVE is none of these",
        ),
        (
            "e5",
            "e6",
            "dark",
            NotATurn,
            "the side has already been chosen; name a cell by its letter and number, such as e5",
        ),
    ],
)
def test_a_refusal_says_what_is_wrong(dark: str, light: str, text: str, kind: type[TurnError], reason: str) -> None:
    error = refused(position(dark, light), text)
    assert type(error) is kind
    assert str(error) == reason


def test_a_refusal_shows_only_the_beginning_of_a_long_text() -> None:
    assert len(str(refused(position("e5", "e6"), "x" * 1000))) < 120


def test_a_refusal_points_at_the_leaves_or_at_the_taken_cell() -> None:
    read = position("d5 e6", "i9")
    leaves, taken = refused(read, "e5"), refused(read, "i9")
    assert isinstance(leaves, IllegalTurn)
    assert isinstance(taken, IllegalTurn)
    assert names(read, leaves.cells) == "d5 e6"
    assert names(read, taken.cells) == "i9"


@pytest.mark.parametrize(
    ("turns", "text", "kind", "reason"),
    [
        ([], "dark", NotATurn, "a side is chosen after the opening; name a cell by its letter and number, such as e5"),
        ([], "pass", IllegalTurn, "the opening cannot be passed; name a cell by its letter and number, such as e5"),
        ([], "a9", OffTheBoard, "a9 is off the board, which runs from a1 to i9"),
        (["e5"], "e6", NotATurn, "the second player chooses a side now: dark or light"),
        (["e5"], "pass", NotATurn, "the second player chooses a side now: dark or light"),
        (["e5"], "white", NotATurn, "the second player chooses a side now: dark or light"),
    ],
)
def test_the_opening_and_the_choice_refuse_other_turns(
    turns: list[str], text: str, kind: type[TurnError], reason: str
) -> None:
    error = refused(start().ruleset.replay(turns), text)
    assert type(error) is kind
    assert str(error) == reason


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("size", [3, 4, 5, 7] if THOROUGH else [3, 5])
def test_every_cell_of_a_position_is_legal_or_refused_with_a_reason(size: int, variant: str) -> None:
    every = [f"{letter}{number}" for letter in literal.LETTERS[: 2 * size] for number in range(1, 2 * size + 1)]
    for ply, (read, _) in enumerate(walk(Ruleset(Dalen, size, variant))):
        assert isinstance(read, Dalen)
        if size > 5 and ply % 10 > 2:
            continue
        game = as_literal(read)
        legal = game.legal_turns()
        for text in [*every, "pass", "dark", "light"]:
            if text in legal:
                assert read.parse(text) == text
                continue
            error = refused(read, text)
            cell = game.named.get(text)
            if read.phase is Phase.CHOICE or text in Dalen.sides:
                assert type(error) is NotATurn
            elif text != "pass" and cell is None:
                assert type(error) is OffTheBoard
            else:
                assert type(error) is IllegalTurn
                assert bool(error.cells) == (text != "pass")


@pytest.mark.parametrize("variant", VARIANTS)
def test_after_the_end_every_turn_is_refused(variant: str) -> None:
    *_, (last, turn) = walk(Ruleset(Dalen, 3, variant))
    over, _ = last.play(turn)
    assert over.phase is Phase.OVER
    for text in [*over.board.names(over.board.mask), "pass", "dark", "light", "", "x", "z9"]:
        error = refused(over, text)
        assert type(error) is GameOver
        assert str(error) == "the game is over, so no more turns can be played"


# What people type


@pytest.mark.parametrize("typed", ["e5", "E5", " e5", "e5 ", "\tE5\n", "  e5  "])
def test_upper_case_and_spaces_around_a_turn_are_accepted(typed: str) -> None:
    read = position("e6", "d2")
    assert read.parse(typed) == "e5"
    assert read.play(typed) == read.play("e5")


@pytest.mark.parametrize(("typed", "side"), [("DARK", "dark"), (" Light ", "light")])
def test_upper_case_and_spaces_around_the_choice_of_side_are_accepted(typed: str, side: str) -> None:
    opened = start().ruleset.replay(["e5"])
    assert opened.parse(typed) == side


def test_upper_case_and_spaces_around_a_pass_are_accepted() -> None:
    assert position("a1 a2 b4 c2 c4 d2 e5", "c3 d4 d5 e3 e4", size=3).parse(" PASS ") == "pass"


NOW = [
    start(),
    start().ruleset.replay(["e5"]),
    position("d5 e6", "i9"),
    position("a1 a2 b4 c2 c4 d2 e5", "c3 d4 d5 e3 e4", size=3),
    play(position("a1", "b1 a3 b3"), "a2").after,
]
typed_texts = st.one_of(
    st.text(),
    st.text("abcdefghijklmnoABCDEFG0123456789 +-*,", max_size=8),
    st.from_regex(r"\A\s*[a-zA-Z][0-9]{1,3}\s*\Z"),
    st.sampled_from(["pass", "dark", "light", "black", "PASS ", "aa27", "e5-e5", "e5+e6", "e 5"]),
)


@repeatable
@given(st.sampled_from(NOW), typed_texts)
def test_any_text_gives_a_legal_turn_or_a_reason(read: Dalen, typed: str) -> None:
    turn = typed.strip().lower()
    if turn in read.legal_turns:
        assert read.parse(typed) == turn
    else:
        refused(read, typed)

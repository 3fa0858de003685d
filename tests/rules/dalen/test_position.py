"""Dalen: single turns against the second reading, a position for each sentence of the rules, and refusals."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from rules import Flipped, IllegalTurn, Passed, Phase, Placed, Ruleset, Side
from rules.dalen import Dalen
from tests.support.each import for_each
from tests.support.literal import dalen as literal
from tests.support.literal.reading import connected_sets
from tests.support.positions import cells, mask, names, refusal, set_up
from tests.support.readings import agree, as_cells, reading_of
from tests.support.thorough import fewer, sample

DARK, LIGHT = Side.FIRST, Side.SECOND


@dataclass
class Turn:
    """A played turn: the position after it, and the flipped trees by the names of their stones."""

    after: Dalen
    enemies: set[str]
    friends: set[str]
    by: dict[str, str]


def play(before: Dalen, turn: str) -> Turn:
    """Play a turn after the choice of side, and check that the second reading agrees."""
    mover = before.turn_of
    after, (first, *flips) = before.play(turn)
    assert first == (Passed(mover) if turn == "pass" else Placed(mover, *cells(before, turn)))
    steps: dict[Side, set[literal.Capture]] = {DARK: set(), LIGHT: set()}
    by, named = {}, {side: set[str]() for side in Side}
    for flip in flips:
        assert isinstance(flip, Flipped)
        steps[flip.side].add((as_cells(before, flip.cells), connected_sets(as_cells(before, flip.by))))
        named[flip.side].add(names(before, flip.cells))
        by[names(before, flip.cells)] = names(before, flip.by)
    order = [flip.side for flip in flips]
    assert order == sorted(order, key=lambda side: side is not mover), "the mover's stagnant trees capture first"
    reading = reading_of(before)
    assert isinstance(reading, literal.Dalen)
    reading.play(turn)
    assert reading.flipped == (steps[mover], steps[mover.other])
    agree(after, reading)
    agree_on_terms(after, reading)
    return Turn(after, named[mover], named[mover.other], by)


def agree_on_terms(position: Dalen, reading: literal.Dalen) -> None:
    for side, letter in zip(Side, "dl", strict=True) if position.phase is Phase.PLAY else ():
        assert {as_cells(position, tree) for tree in position.trees(side)} == reading.trees(letter)
        assert as_cells(position, position.leaves(side)) == reading.leaves(letter)
        assert as_cells(position, position.placements(side)) == reading.placements(letter)
        assert as_cells(position, position.stagnant(side)) == frozenset().union(*reading.stagnant(letter))
        rooms = {as_cells(position, tree): as_cells(position, room) for tree, room in position.rooms(side)}
        assert rooms == reading.rooms(letter)


# Random positions, often so full that a side must pass


def rare_events(before: Dalen, turn: str, played: Turn) -> Iterator[str]:
    if turn == "pass" and (played.enemies or played.friends):
        yield "a capture on a pass"
    if played.enemies and played.friends:
        yield "trees of both sides flipped in one turn"
    if any(len(list(before.board.groups(mask(before, by)))) > 1 for by in played.by.values()):
        yield "a tree flipped by several trees"
    if played.after.outcome is not None and not played.after.empty:
        yield "an end on a full board"


@pytest.mark.parametrize("variant", Dalen.variants)
@pytest.mark.parametrize("size", sample([3, 4], 2))
def test_a_turn_from_a_random_position_agrees_with_the_second_reading(size: int, variant: str) -> None:
    chance, seen = random.Random(f"{size} {variant}"), set[str]()
    board = Ruleset(Dalen, size, variant).board
    for _ in range(fewer(1000, 3) if size == 3 else 250):
        filled, share = chance.uniform(0.1, 0.95), chance.random()
        stones = {cell: chance.random() < share for cell in board.cells if chance.random() < filled}
        dark, light = (" ".join(board.name(cell) for cell in stones if stones[cell] is side) for side in (True, False))
        if dark and light:
            before = set_up(Dalen, size, f"{dark} / {light}", chance.choice((DARK, LIGHT)), variant)
            reading = reading_of(before)
            assert isinstance(reading, literal.Dalen)
            agree(before, reading)
            agree_on_terms(before, reading)
            turn = chance.choice(before.legal_turns)
            seen.update(rare_events(before, turn, play(before, turn)))
    assert size > 3 or len(seen) == 4, seen


# The sentences of the rules

#: By sentence: a position with Dark to play, a turn, and the trees that it flips, first Light's and then Dark's.
TURNS = {
    "a tree flips those with as many leaves or fewer": (5, "a1 / b1 a3 b3 e5 g7 g8", "a2", "b1, a3 b3", ""),
    "a tree with more leaves stays": (5, "e5 a1 / a2 b2 b1", "i9", "", ""),
    "leaves are compared, not stones": (3, "b2 / b3 c2 c3", "a1", "b3 c2 c3", ""),
    "a tree that can still grow flips nothing": (5, "e5 e6 / f7", "e4", "", ""),
    "a tree that the turn does not touch captures too": (5, "a1 a2 / b1 a3 b3 e5", "i9", "b1, a3 b3", ""),
    "the enemy's stagnant trees capture too": (5, "b1 a3 b3 e5 / a1 a2", "i9", "", "b1, a3 b3"),
    "a tree that is captured first captures nothing": (3, "a1 b2 c5 d2 e3 / b1 c1", "c4", "b1 c1", ""),
    "the enemy's trees capture on the board after the first step, where d5 is open again": (
        (3, "a1 a2 c4 e3 / a3 b1 b4 c5 d4 e4", "c3", "a3 b4 c5, b1", "")
    ),
    "all trees of a step are flipped at once": (3, "c5 d4 / b4 d5", "c3", "b4, d5", ""),
    "a tree that becomes stagnant by a flip waits for the next turn": (3, "b2 / a2 b1 b3 c1 d4 e5", "d3", "", "d3"),
    "a flip starts no other in its step": (3, "c5 / a2 b2 c1 d2 d4 d5", "e3", "", "e3"),
    "the second step starts no third": (3, "c1 d5 e3 / b1 b2 c2 d2 e4 e5", "d4", "", "d4 d5, e3"),
    "a pass may capture nothing": (3, "a1 a2 b4 c2 c4 d2 e5 / c3 d4 d5 e3 e4", "pass", "", ""),
    "a side that passes captures": (3, "a2 b3 c1 c2 d4 e5 / a1 b4 c5 e3", "pass", "b4 c5, a1", ""),
    "a side that passes can be captured": (
        (3, "b1 b2 b3 b4 c1 c2 d5 e3 e5 / a1 a2 a3 c3 d2 d3 e4", "pass", "", "b1 b2 b3 b4 c1 c2")
    ),
    "a side wins with all stones": (5, "a1 / b1 a3 b3", "a2", "b1, a3 b3", ""),
    "the mover can lose all stones": (3, "c1 c2 / a1 b1", "a2", "", "a2, c1 c2"),
    "a pass can win": (3, "a1 b1 b3 b4 d2 d3 d5 e5 / c4", "pass", "c4", ""),
    "a pass can lose": (
        (3, "a2 a3 b1 b4 c1 c3 d5 e4 e5 / a1 b2 b3 c2 d2 d3 d4 e3", "pass", "", "b1 c1, a2 a3 b4, c3, d5 e4 e5")
    ),
}
#: The same in the variant *leaves*.
TURNS_WITH_LEAVES = {
    "a tree that can grow but not gain leaves captures": (5, "e5 / e6", "e4", "e6", ""),
    "a straight row of three gains no leaf": (5, "d5 e5 / g5", "f5", "g5", ""),
    "a bent row can have a third leaf": (5, "d5 e5 / g6", "f6", "", ""),
    "a pair that can join friends does not capture": (3, "c2 d4 e3 / c3", "b1", "", ""),
    "a pair without them captures": (3, "c2 d4 / c3", "b1", "c3", ""),
    "a tree is counted with all that it joins": (3, "c4 d5 / a2", "a3", "", ""),
    "leaves are counted in that tree alone": (3, "d4 e3 / d2", "d5", "", ""),
    "only legal placements save a tree": (3, "a3 b3 d4 e4 / c4", "c2", "c4", ""),
    "as many leaves are not more": (3, "b1 / c2", "c1", "c2", ""),
    "the mover captures first": (3, "d3 / c1 c2", "e4", "c1 c2", ""),
    "the mover's leaves are counted again after the first step": (3, "b2 c4 / a3 b3 c1 c2", "d4", "a3 b3", ""),
    "a tree that the first step makes stagnant captures in the second": (
        (3, "a1 a3 b2 b4 c5 d2 d3 d4 e3 / c1 c2 e4 e5", "pass", "c1 c2", "a1 b2 c1 c2 d2 d3 d4 e3")
    ),
    "a tree that the second step makes stagnant waits for the next turn": (3, "b1 c3 d2 / a1 a2 e4", "e3", "", "b1"),
}


def trees(listed: str) -> set[str]:
    return set(filter(None, listed.split(", ")))


@for_each("case", [("standard", *case) for case in TURNS.items()] + [("leaves", *c) for c in TURNS_WITH_LEAVES.items()])
def test_a_turn_flips_what_the_rules_say(case: tuple[str, str, tuple[int, str, str, str, str]]) -> None:
    variant, _, (size, stones, turn, enemies, friends) = case
    played = play(set_up(Dalen, size, stones, variant=variant), turn)
    assert (played.enemies, played.friends) == (trees(enemies), trees(friends))


@pytest.mark.parametrize("mover", Side)
def test_on_a_board_where_either_side_can_flip_everything_the_mover_does(mover: Side) -> None:
    """No tree can grow any more or has a leaf."""
    before = set_up(Dalen, 3, "a1 a2 a3 b1 b2 b3 b4 c1 c2 / c4 c5 d2 d3 d4 d5 e3 e4 e5", mover)
    outcome = play(before, "c3").after.outcome
    assert outcome is not None
    assert outcome.winner is mover


def test_an_event_names_all_trees_that_flip_a_tree() -> None:
    played = play(set_up(Dalen, 3, "a1 e5 / a2 b1 b2 b3 b4 c1 c2 c3 c4 c5 d2 d3 d4 d5 e3 e4"), "a3")
    assert set(played.by.values()) == {"a1 a3 e5"}


# Refusals


@for_each(
    "case",
    [
        ("d5 e6 / i9", "e5", "e5 is next to two of your leaves: d5, e6", "d5 e6"),
        ("e2 e3 e5 e6 / i9", "e4", "e4 is next to two of your leaves: e3, e5", "e3 e5"),
        ("e3 e4 d5 c5 f6 g6 / i9", "e5", "e5 is next to three of your leaves: e4, d5, f6", "d5 e4 f6"),
        ("e5 / e6", "e5", "e5 is taken by a dark stone", "e5"),
        ("e5 / e6", "e6", "e6 is taken by a light stone", "e6"),
        ("e5 / e6", "pass", "you can pass only when you have no legal placement", ""),
    ],
)
def test_a_refusal_says_why_and_shows_the_cells(case: tuple[str, str, str, str]) -> None:
    stones, turn, reason, shown = case
    position = set_up(Dalen, 5, stones)
    error = refusal(position.play, turn)
    assert isinstance(error, IllegalTurn)
    assert (str(error), names(position, error.cells)) == (reason, shown)

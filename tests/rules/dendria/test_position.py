"""Dendria: random boards and odd turns against the second reading, drafts, and a board for each sentence."""

from __future__ import annotations

import copy
import itertools
import random
from collections import Counter
from collections.abc import Iterable

import pytest

from rules import PASS, Event, IllegalTurn, NotATurn, OffTheBoard, Passed, Side, Territory, TurnError, bits
from rules.dendria import Dendria, Germinated, Sprouted
from rules.dendria.field import Field, Root
from tests.support.each import for_each
from tests.support.literal import dendria as literal
from tests.support.literal.reading import Cell, Refused
from tests.support.positions import built_turn, names, planted, refusal
from tests.support.readings import agree, reading_of
from tests.support.thorough import fewer, sample

DARK, LIGHT = Side.FIRST, Side.SECOND
LETTERS = {"d": DARK, "l": LIGHT}


def after(at: Dendria, *turns: str) -> Dendria:
    for turn in turns:
        at, _ = at.play(turn)
    return at


def refused(at: Dendria, turn: str, *words: str) -> TurnError:
    error = refusal(at.parse, turn)
    assert error is not None
    assert all(word in str(error) for word in words), error
    assert str(refusal(at.play, turn)) == str(error)
    return error


# Against the second reading


def board_of(at: Dendria) -> literal.Board:
    reading = reading_of(at)
    assert isinstance(reading, literal.Dendria)
    return reading.board


def odd_turn(at: Dendria, rng: random.Random) -> str:
    """A text that looks like a turn but is mostly illegal."""
    all_names = at.board.names(at.board.mask)
    dryads = at.board.names(at.dryads & at.stones(at.turn_of))
    turn = rng.choice(dryads) if dryads and rng.random() < 0.7 else rng.choice(all_names)
    for _ in range(rng.randrange(4)):
        seeds = at.board.names(at.seeds)
        mark = rng.choice("-+*")
        turn += mark + rng.choice(seeds if seeds and mark != "-" else all_names)
    return turn


def both_accept(at: Dendria, reading: literal.Dendria, turn: str) -> bool:
    """Whether both readings accept the turn; check that they agree."""
    again = copy.copy(reading)
    again.states = list(reading.states)
    if refusal(at.parse, turn) is None:
        again.play(turn)
        return True
    with pytest.raises(Refused):
        again.play(turn)
    return False


def happenings(at: Dendria, turn: str, events: Iterable[Event]) -> Iterable[str]:
    acts = [event for event in events if isinstance(event, Sprouted | Germinated)]
    for act in acts:
        yield type(act).__name__
        if at.owner(act.changed_cells[0]) not in {None, act.side}:
            yield f"{type(act).__name__} enemy"
        if len(act.changed_cells) > 1:
            yield "several Seeds at once"
    if len(acts) > 1:
        yield "several acts"
    if turn.count("-") > 1:
        yield "several stops"
    if "+" in turn and "*" in turn:
        yield "both acts in one move"


def play_and_compare(at: Dendria, reading: literal.Dendria, plies: int, rng: random.Random, seen: Counter[str]) -> None:
    """Play both readings for at most so many plies, and compare them at each."""
    passing = rng.choice((0.0, 0.05, 0.2))
    for _ in range(plies):
        agree(at, reading)
        if at.outcome is not None:
            seen[at.outcome.reason] += 1
            return
        for _ in range(3):
            seen["illegal"] += not both_accept(at, reading, odd_turn(at, rng))
        turn = built_turn(at, rng) if rng.random() < 0.7 else rng.choice(at.legal_turns)
        turn = PASS if rng.random() < passing else turn
        before = at
        at, events = at.play(turn)
        reading.play(turn)
        seen.update(happenings(before, turn, events))


@pytest.mark.parametrize("seed", sample([22, 21], 2))
def test_games_from_random_boards_agree_with_the_second_reading(seed: int) -> None:
    rng = random.Random(seed)
    seen = Counter[str]()
    for _ in range(75):
        at = random_position(rng, rng.choice((3, 4, 4)), rng.choice((0.4, 0.6, 0.8)), rng.choice(("SD", "SSD", "SSDT")))
        reading = reading_of(at)
        assert isinstance(reading, literal.Dendria)
        play_and_compare(at, reading, 12, rng, seen)
    assert seen.keys() >= {
        *("Sprouted", "Sprouted enemy", "Germinated", "Germinated enemy", "several Seeds at once"),
        *("several acts", "several stops", "illegal", "score", *(["both acts in one move"] if seed == 22 else [])),
    }


def random_position(rng: random.Random, size: int, empty: float, kinds: str) -> Dendria:
    on = planted(size, "").board
    pieces = {name: rng.choice("dl") + rng.choice(kinds) for name in on.names(on.mask) if rng.random() >= empty}
    return planted(size, pieces, rng.choice(tuple(Side)))


@pytest.mark.parametrize("size", [3, 4, 5])
def test_every_term_agrees_with_the_second_reading_on_random_boards(size: int) -> None:
    rng = random.Random(size)
    for _ in range(fewer(120, 5)):
        at = random_position(rng, size, rng.choice((0.2, 0.5, 0.8, 0.95)), rng.choice(("STD", "SD", "SSSD", "TTTD")))
        board = board_of(at)
        at_cell = {(at.board.column(number), at.board.row(number)): number for number in at.board.cells}

        def as_mask(cells: Iterable[Cell], by: dict[Cell, int] = at_cell) -> int:
            return sum(1 << by[soil] for soil in cells)

        for pair, number in at_cell.items():
            by, got = board.nourished_by(pair), at.field.nourishment(number)
            assert got.by is (None if by is None else LETTERS[by])
            assert (by is None) == bool(at.field.hungry >> number & 1)
            ends = [end for _, end in board.roots(pair)]
            assert got.open_roots == ends.count(None)
            assert sum(got.nutrients) + got.open_roots == len(ends)
        for letter, side in LETTERS.items():
            assert at.field.fertile(side) == as_mask(board.fertile(letter))
            assert at.field.leafiness_cells(side) == as_mask(board.leafiness(letter))
            assert sorted(at.field.seedbeds(side)) == sorted(map(as_mask, board.groups(letter, "S")))
            assert sorted(at.field.forests(side)) == sorted(map(as_mask, board.groups(letter, "T")))
            assert sorted(at.protected(side)) == sorted(map(as_mask, board.protected(letter)))
            assert sorted(at.attacked(side)) == sorted(map(as_mask, board.attacked(letter)))
            seeds = board.of("d", "S") + board.of("l", "S")
            germinable = {seed for seed in seeds if board.can_germinate(letter, seed, None)}
            assert sum(at.field.germinable(side)) == as_mask(germinable)


@pytest.mark.parametrize("seed", sample([8, 10], 2))
def test_the_forced_pass_agrees_with_the_second_reading(seed: int) -> None:
    rng = random.Random(seed)
    seen = Counter[str]()
    for _ in range(fewer(2000, 3)):
        kinds = rng.choice(("STTTTD", "TTTTTD", "SSSSSD", "SSSTTTD"))
        at = random_position(rng, rng.choice((3, 3, 4)), rng.choice((0.05, 0.12, 0.2, 0.3)), kinds)
        board = board_of(at)
        if board.can_sow():
            continue
        side, opponent = "dl"[at.turn_of], "dl"[at.turn_of.other]
        leaves = {letter: len(board.leafiness(letter)) for letter in "dl"}
        own, theirs = (board.has_irreversible_turn(player) for player in (side, opponent))
        failing = [
            reason
            for reason, fails in (
                ("the passing side is behind", leaves[side] < leaves[opponent]),
                ("the passing side has an irreversible turn", own),
                ("the opponent has an irreversible turn", theirs),
            )
            if fails
        ]
        wandering = board.has_irreversible_turn_after_wandering(opponent)
        if not theirs and wandering:
            failing.append("the opponent has an irreversible turn after wandering")
            note_wandering(at.field, at.turn_of.other, seen)
        assert at.field.has_irreversible_turn(at.turn_of) == own
        assert at.field.has_irreversible_turn(at.turn_of.other) == theirs
        assert at.field.will_have_irreversible_turn(at.turn_of.other) == (theirs or wandering)
        if len(failing) <= 1:
            seen[failing[0] if failing else "forced"] += 1
            seen["forced with a Dryad that can wander"] += not failing and can_wander(at.field, at.turn_of.other)
        passed = at.play(PASS)[0]
        assert (passed.outcome is not None) == (not failing)
        if not failing:
            assert passed.outcome is not None
            assert passed.outcome.winner is at.turn_of
            assert passed.outcome.reason == "forced pass"
    assert all(
        seen[reason]
        for reason in (
            *("forced", "forced with a Dryad that can wander", "the passing side is behind"),
            *("the passing side has an irreversible turn", "the opponent has an irreversible turn"),
            "the opponent has an irreversible turn after wandering",
            *("wandering lets sow", "wandering lets act", "wandering lets only another Dryad act"),
        )
    ), seen


def test_acts_that_need_two_dryads_agree_with_the_second_reading() -> None:
    rng = random.Random(22)
    seen = Counter[str]()
    pairs = fewer(250, 3)
    while seen["pairs"] < pairs:
        size, empty = rng.choice((3, 3, 4)), rng.choice((0.2, 0.4, 0.6, 0.75))
        at = random_position(rng, size, empty, rng.choice(("SSDTT", "SSD", "STTTT")))
        for letter, side in LETTERS.items():
            dryads = list(bits(at.field.own_dryads(side)))
            for one, other in itertools.permutations(dryads[:3], 2):
                lifted = at.field.without(one)
                soils = at.field.reachable(side, one) & ~(1 << one)
                got = lifted.without(other).pair_can_act(side, soils, lifted.ways(side, other))
                assert got == literal_pair_can_act(at, letter, one, other, list(bits(soils)))
                seen["pairs"] += 1
                seen["act" if got else "no act"] += 1
    assert min(seen["act"], seen["no act"]) > pairs // 5, seen


def literal_pair_can_act(at: Dendria, side: str, one: int, other: int, soils: list[int]) -> bool:
    def pair(number: int) -> Cell:
        return at.board.column(number), at.board.row(number)

    for soil in soils:
        board = board_of(at)
        board.move(pair(one), pair(soil))
        for stop in board.stops(side, pair(other)):
            there = board.copy()
            there.move(pair(other), stop)
            if there.can_act(side, stop):
                return True
    return False


def can_wander(field: Field, side: Side) -> bool:
    return any(field.ways(side, dryad) for dryad in bits(field.own_dryads(side)))


def note_wandering(field: Field, side: Side, seen: Counter[str]) -> None:
    sow = act = False
    for dryad in bits(field.own_dryads(side)):
        reached, lifted = field.reachable(side, dryad), field.without(dryad)
        if reached != 1 << dryad:
            sow = sow or bool(reached & lifted.soils_to_let_sow(side))
            act = act or bool(reached & lifted.soils_to_act(side))
    seen["wandering lets sow"] += sow
    seen["wandering lets act"] += act
    seen["wandering lets only another Dryad act"] += not sow and not act


# The sentences of the rules

#: A Seed on a2 is nourished by Dark.
AROUND_A2 = "dT a1 a3 b3, lT b2"
#: From a3, Dark's Dryad on a4 can sprout a2 over the root a2-a3, since a1, b2 and b3 also feed the Seed.
SPROUT_FROM_A3 = "dD a4, lS a2, dT a1 b2, lT b3"
#: Two Dryads far apart.
APART = "dD a1, lD g7"
THREE = "dD a1, lD e5, dS b3"

#: By sentence: the size of the board, its pieces, the side to play, a turn, and the cells that it changes.
TURNS = {
    "a Seed nourished by the mover becomes its Dryad": (3, f"{AROUND_A2}, dS a2", DARK, "e5+a2", "dD a2, dS e5"),
    "also a Seed of the enemy": (3, f"{AROUND_A2}, lS a2", DARK, "e5+a2", "dD a2, dS e5"),
    "a seedbed amid fertile cells becomes the mover's forest": (3, "dS a1, dD b2", DARK, "e5*a1", "dT a1, dS e5"),
    "also a seedbed of the enemy": (3, "lS a1, dD b2", DARK, "e5*a1", "dT a1, dS e5"),
    "a friendly Dryad beside it is on a fertile cell": (3, "dS a1, dD b2 a2", DARK, "e5*a1", "dT a1, dS e5"),
    "all its Seeds become Trees": (3, "lS a1 a2, dD b2 a3", DARK, "e5*a1", "dT a1 a2, dS e5"),
    "any of its Seeds names it": (3, "lS a1 a2, dD b2 a3", DARK, "e5*a2", "dT a1 a2, dS e5"),
    "a Seed is sown where it is hungry": (3, "dT a1 a3, lT b3 b2", LIGHT, "a2", "lS a2"),
    "a sowing may sprout several Seeds, even the sown one": (
        (3, "dT a1 a3 b1 c2 c3, lT b3, lS b2", DARK, "a2+b2+a2", "dD a2 b2")
    ),
    "a Dryad passes over Seeds and friendly Dryads": (4, "dD a4 d4, dS b4, lS c4 f4", DARK, "a4-g4", "– a4, dD g4"),
    "it may sprout on its way": (4, SPROUT_FROM_A3, DARK, "a4-a3+a2", "– a4, dD a3 a2"),
    "it may act in different ways on different soils": (
        (4, "lS a1 d1, lD e2 a4", LIGHT, "e2-b2+a1-a2*d1", "– e2, lD a1 a2, lT d1")
    ),
    "it may sprout several Seeds from one soil": (
        (3, "dD c2, dS b2 a3, lS a1, dT b1 b3 b4", DARK, "c2-a2+a3+a1", "– c2, dD a2 a3 a1")
    ),
    "it may germinate several seedbeds from one soil": (
        (3, "dD a3 d2 a2 b3, lS a1 c1", DARK, "b3-b2*a1*c1", "– b3, dD b2, dT a1 c1")
    ),
    "in any order": (3, "dD a3 d2 a2 b3, lS a1 c1", DARK, "b3-b2*c1*a1", "– b3, dD b2, dT a1 c1"),
    "it makes a cell beside the seedbed fertile": (3, "lS a1, dD b2 e3", DARK, "e3-c1*a1", "– e3, dD c1, dT a1"),
    "it acts with the roots of its present soil": (3, "lS a1, dD c3", DARK, "c3-b2*a1", "– c3, dD b2, dT a1"),
}


@for_each("sentence", TURNS)
def test_a_turn_changes_what_the_rules_say(sentence: str) -> None:
    size, pieces, to_play, turn, changes = TURNS[sentence]
    before = planted(size, pieces, to_play)
    after, _ = before.play(turn)
    old, new = before.pieces(), after.pieces()
    expected = {cell: kind for kind, *found in map(str.split, changes.split(", ")) for cell in found}
    assert {cell: new.get(cell, "–") for cell in old | new if old.get(cell) != new.get(cell)} == expected
    reading = reading_of(before)
    reading.play(turn)
    agree(after, reading)


#: Pieces, a draft, and the elements that may follow.
DRAFTS = [
    (3, "lS a1 a2, dD b2 a3", "e5", "*a1"),
    (3, "dS a1, dD b2 d4, lS e5", "b4", "*a1 *e5"),
    (3, "dS a1, dD b2 d4, lS e5", "b4*a1", ""),
    (3, f"{AROUND_A2}, lS a2 e5, dD d4", "b4", "+a2 *e5"),
    (3, "dD c2, dS b2 a3, lS a1, dT b1 b3 b4", "c2-a2", "+a1 +a3"),
    # A Dryad never turns back or aside, and a Tree that has just grown blocks its way.
    (4, "dD a2, lS a4, dS a1, dT b4 b5", "a2-a3+a4", ""),
    (4, "dD c4, lS a3, dT a2 a4, lT b4", "c4-b3+a3", ""),
    (4, "dD a4 b2, lS a2", "a4-a3*a2", ""),
]


@for_each("case", DRAFTS)
def test_a_draft_offers_the_elements_that_may_follow(case: tuple[int, str, str, str]) -> None:
    size, pieces, begun, offered = case
    assert " ".join(planted(size, pieces).draft(begun).next) == offered


#: The size of the board, pieces with Dark to play, a refused turn, and words of the reason.
REFUSED = [
    (3, f"{AROUND_A2}, lS a2, dD e3", "e3-e4+a2", "no root of the Seed on a2 ends at the moved Dryad on e4"),
    (3, "lT a1 a3 b3, dT b2, dS a2", "e5+a2", "the Seed on a2 is nourished by Light, not by Dark"),
    (3, "dT a1 a3, lT b3 b2, dS a2 c5", "e5+a2", "is hungry, since its nutrients are equal, 2 from each side"),
    (3, "dT a1 a3, lT b3 b2, dS a2 c5", "e5+c5", "is hungry, since one of its roots has no piece at the end"),
    (3, "dT a1 a3 b3, dS a2", "e5+a2", "the Seed on a2 is hungry, since one of its roots has no piece at the end"),
    (3, "dT a1, lD a2", "e5+a1", "a1 holds a dark Tree, and only Seeds sprout"),
    (3, "dT a1, lD a2", "e5*a2", "a2 holds a light Dryad, and only Seeds germinate"),
    (3, "dT a1, lD a2", "e5+c3", "there is no Seed on c3 to sprout"),
    (3, "dT a1, lD a2", "e5*c3", "there is no Seed on c3 to germinate"),
    (3, "dS a1, dD b2, lS a2", "e5*a1", "every cell next to the seedbed of a1 has to be fertile for Dark"),
    (3, "dS a1, dD b2, dT a2", "e5*a1", "the seedbed of a1 has to be fertile for Dark; these are not: a2"),
    (3, "dS a1, dD b2, lT a2", "e5*a1", "the seedbed of a1 has to be fertile for Dark; these are not: a2"),
    (3, "dS a1, dD b2, lD a2", "e5*a1", "the seedbed of a1 has to be fertile for Dark; these are not: a2"),
    (3, "lS a1, dD b2", "b2-c3*a1", "these are not: b1, a2"),
    (3, "lS a1, dD b2 e3", "e3-e5*a1", "the moved Dryad on e5 makes no soil next to the seedbed of a1 fertile"),
    (3, AROUND_A2, "a2", "a2 would be nourished by Dark, and only a hungry Seed can be sown"),
    (3, "lS a1", "a1", "a1 is taken by a light Seed"),
    (3, "dT a1 a3 b1 c2 c3, lT b3, lS b2", "a2+a2", "the Seed on a2 is hungry"),
    (3, "dS a1, dD b2 d4, lS e5", "b4*a1*e5", "a sowing germinates at most one seedbed"),
    (3, f"{AROUND_A2}, lS a2 e5, dD d4", "b4+a2*e5", "a sowing either sprouts or germinates, not both"),
    (3, f"{AROUND_A2}, lS a2 e5, dD d4", "b4*e5+a2", "a sowing either sprouts or germinates, not both"),
    (3, f"{AROUND_A2}, lS a2 e5, dD d4", "b4+a2-c4", "a turn that sows moves no Dryad"),
    (4, "dD a4, dT c4", "a4-d4", "a dark Tree on c4 blocks the Dryad's way to d4"),
    (4, "dD a4, dT c4", "a4-c4", "a Dryad stops on an empty cell, and c4 holds a dark Tree"),
    (4, "dD a4, lT c4", "a4-d4", "a light Tree on c4 blocks the Dryad's way to d4"),
    (4, "dD a4, lT c4", "a4-c4", "a Dryad stops on an empty cell, and c4 holds a light Tree"),
    (4, "dD a4, lD c4", "a4-d4", "a light Dryad on c4 blocks the Dryad's way to d4"),
    (4, "dD a4, lD c4", "a4-c4", "a Dryad stops on an empty cell, and c4 holds a light Dryad"),
    (4, "dD a4, dS c4", "a4-c4", "a Dryad stops on an empty cell, and c4 holds a dark Seed"),
    (4, "dD d4", "d4-e6", "e6 is not in a straight line from d4"),
    (4, "dD d4", "d4-d4", "d4 is not in a straight line from d4"),
    (4, SPROUT_FROM_A3, "a4+a2", "a Dryad cannot act on the soil it leaves, a4"),
    (4, SPROUT_FROM_A3, "a4+a2-a3", "a Dryad cannot act on the soil it leaves, a4"),
    (4, SPROUT_FROM_A3, "a4-b5-c6", "the Dryad does nothing on b5, so leave that soil out"),
    (4, "dD c4, lS a3, dT a2 a4, lT b4", "c4-b3+a3-c3", "in one direction, and c3 is not straight on from c4 over b3"),
    (4, "dD c4, lS a3, dT a2 a4, lT b4", "c4-b3+a3-c4", "a Dryad moves in one direction"),
    (4, f"{SPROUT_FROM_A3}, lS d7, dD d6 c6", "a4-a3+a2*d7", "on one soil, a3, a Dryad either sprouts or germinates"),
    (4, "dD a4 b2, lS a2", "a4-a3*a2-a1", "a dark Tree on a2 blocks the Dryad's way to a1"),
    (3, "dD a1, lT a2 b2 b1", "a1", "the Dryad on a1 has no soil to move to"),
    (3, "dD a1, lT a2 b2 b1", "a1-a3", "a light Tree on a2 blocks the Dryad's way to a3"),
    (3, THREE, "", "“” is not a turn; name a soil to sow on, such as c3, write a Dryad's move, such as c3-a1, or pass"),
    (3, THREE, "hello", "“hello” is not a turn"),
    (3, THREE, "pass+a1", "“pass” is not a turn"),
    (3, THREE, "z9", "z9 is off the board"),
    (3, THREE, "a9", "a9 is off the board"),
    (3, THREE, "c3,c4", "a comma has no meaning here; name a soil to sow on"),
    (3, THREE, "c3+", "a cell is missing after “+”"),
    (3, THREE, "a1", "the Dryad on a1 has to move; write its move, such as a1-b1"),
    (3, THREE, "c3-c4", "there is no Dryad on c3"),
    (3, THREE, "c3-", "there is no Dryad on c3"),
    (3, THREE, "c4-c3+a1", "there is no Dryad on c4"),
    (3, THREE, "e5-e4", "the Dryad on e5 is Light's, not yours"),
    (3, THREE, "b3-b4", "b3 holds a dark Seed, and only Dryads move"),
    (3, THREE, "c3+b3-c4", "the Seed on b3 is hungry"),
]


@for_each("case", REFUSED)
def test_a_refused_turn_says_why(case: tuple[int, str, str, str]) -> None:
    size, pieces, turn, words = case
    error = refused(planted(size, pieces), turn, words)
    not_turns = ("is not a turn", "comma", "a cell is missing", "has to move")
    kind = NotATurn if any(word in words for word in not_turns) else IllegalTurn
    assert type(error) is (OffTheBoard if "off the board" in words else kind)


def test_a_refusal_shows_the_cells_in_question() -> None:
    for pieces, turn, shown in (
        (AROUND_A2, "a2", "a1 a3 b3"),
        ("dS a1, dD a2", "e5*a1", "b1"),
        ("lS a1, dD b2 e3", "e3-e5*a1", "a1 e5"),
    ):
        at = planted(3, pieces)
        error = refused(at, turn)
        assert isinstance(error, IllegalTurn)
        assert names(at, error.cells) == shown


def test_a_root_runs_over_empty_soils_to_the_edge_or_a_piece() -> None:
    at = planted(4, "dS d4, lT d6 c4")
    cell = at.cell_named
    roots = at.field.roots(cell("d4"))
    assert len(roots) == 6
    assert {*roots} > {
        Root((cell("d5"),), cell("d6")),
        Root((cell("e5"), cell("f6"), cell("g7")), None),
        Root((), cell("c4")),
    }
    assert [len(planted(4, "").field.roots(cell(name))) for name in ("a1", "a2", "b2")] == [3, 4, 6]


# Repetition


@for_each(
    "case",
    [
        (APART, "a1-a2 g7-g6 a2-a1", "g6-g7", "moving the Dryad from g6 to g7 would bring back an earlier position"),
        (
            APART,
            "pass g7-g6 a1-a2 g6-g7",
            "a2-a1",
            "moving the Dryad from a2 to a1 would bring back an earlier position",
        ),
        (
            *("dD a1, lT b1 b2 b3 a3, lD g7", "pass g7-g6 a1-a2 g6-g7", "a2"),
            "every move of the Dryad on a2 would bring back an earlier position",
        ),
    ],
)
def test_only_a_pass_may_recreate_an_earlier_state(case: tuple[str, str, str, str]) -> None:
    pieces, turns, turn, words = case
    at = after(planted(4, pieces), *turns.split())
    refused(at, turn, words)
    start, *stop = turn.split("-")
    assert f"-{stop[0]}" not in at.draft(start).next if stop else start not in at.draft().next


def test_a_state_is_the_pieces_and_the_side_to_play() -> None:
    assert after(planted(4, APART), "a1-a2", PASS, "a2-a1").to_play is LIGHT
    repeated = after(planted(4, APART), "a1-a2", PASS, "a2-a1", PASS)
    assert (repeated.pieces(), repeated.to_play) == ({"a1": "dD", "g7": "lD"}, DARK)


def test_acts_make_a_move_legal_that_would_recreate_an_earlier_state() -> None:
    at = after(planted(4, "dD a3, lS a2, dT a1 b2, lT b3, lD g7"), PASS, "g7-g6", "a3-a4", "g6-g7")
    assert "a4-a3" not in at.legal_turns
    refused(at, "a4-a3", "earlier position")
    draft = at.draft("a4-a3")
    assert (draft.complete, draft.next) == (False, ("+a2",))
    assert draft.preview.pieces()["a3"] == "dD"
    assert "-a3" in at.draft("a4").next
    assert after(at, "a4-a3+a2").pieces()["a2"] == "dD"


def test_after_a_sowing_older_states_need_not_be_remembered() -> None:
    assert len(after(planted(4, APART), "a1-a2", "g7-g6", "d4").earlier) == 1


# The end


def test_the_events_of_the_end_tell_the_leafiness_of_both_sides() -> None:
    over, events = after(planted(4, "dS d4, lT g7"), PASS).play(PASS)
    assert over.score() == {"dark": 0.5, "light": over.field.leafiness(LIGHT)}
    assert events == (Passed(LIGHT), Territory(LIGHT, tuple(bits(over.field.leafiness_cells(LIGHT)))))
    trees = planted(3, dict.fromkeys(planted(3, "").board.names(planted(3, "").board.mask), "lT"), LIGHT)
    forced, events = trees.play(PASS)
    assert forced.score() == {"dark": 0, "light": 19.5}
    assert events == (Passed(LIGHT), Territory(LIGHT, tuple(forced.board.cells)))

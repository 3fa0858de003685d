"""Hedu: the events and regions of random games against the second reading, and a position for each sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

import pytest

from rules import Event, IllegalTurn, Outcome, Phase, Placed, Ruleset, Side, Territory
from rules.hedu import Hedu, Raised, Reduced
from tests.support.each import for_each
from tests.support.literal import hedu as literal
from tests.support.positions import end, names, set_up, story
from tests.support.readings import agree, reading_of
from tests.support.thorough import THOROUGH, fewer

BLACK, WHITE = Side.FIRST, Side.SECOND
Happened = Sequence[tuple[str, str, str, int, int]]


# Against the second reading


def as_told(position: Hedu, events: Sequence[Event]) -> Happened:
    """The events on stacks in the form of the second reading."""
    name, colours = position.board.name, "bw"
    return [
        ("placed", colours[event.side], name(event.cell), 0, event.height)
        if isinstance(event, Placed)
        else (type(event).__name__.lower(), colours[event.side], name(event.cell), event.before, event.after)
        for event in events
        if isinstance(event, Placed | Reduced | Raised)
    ]


def steps_of(happened: Happened) -> list[str]:
    """The order of the events: their kinds, and for reductions the side."""
    return [step for step, _ in groupby(kind + colour * (kind == "reduced") for kind, colour, *_ in happened)]


def play(before: Hedu, turn: str) -> tuple[Hedu, Happened, literal.Hedu]:
    """Play a turn after the choice of side in both readings, and check that they agree."""
    after, events = before.play(turn)
    reading = reading_of(before)
    assert isinstance(reading, literal.Hedu)
    reading.passes_in_a_row = int(before.passed)
    reading.play(turn)
    agree(after, reading, turns=False)
    controls = reading.controls()
    assert controls == {
        names(after, region.cells): (None if region.owner is None else "bw"[region.owner], region.value)
        for region in after.regions
    }
    if after.phase is Phase.OVER:
        told = {names(after, event.cells): "bw"[event.side] for event in events if isinstance(event, Territory)}
        assert told == {region: owner for region, (owner, _) in controls.items() if owner is not None}
    happened = as_told(after, events)
    assert sorted(happened) == sorted(reading.happened)
    assert steps_of(happened) == steps_of(reading.happened)
    assert reading.counts(reading.pieces) == {cell: int(stack[1:]) for cell, stack in reading.pieces.items()}
    # A placement takes at most one region from a stack, its own. Six neighbours can hold only three regions.
    assert all(before - after == 1 for kind, _, _, before, after in happened if kind == "reduced")
    assert all("1" <= stack[1] <= "3" for stack in after.pieces().values())
    return after, happened, reading


def rare_events(happened: Happened, mover: Side) -> Iterator[str]:
    reduced = {cell for kind, _, cell, _, _ in happened if kind == "reduced"}
    for kind, colour, cell, before, after in happened:
        yield f"{'own' if colour == 'bw'[mover] else 'enemy'} stack {'removed' if after == 0 else kind}"
        if kind == "raised":
            if cell in reduced:
                yield "reduced and raised"
            if after - before == 2:
                yield "raised by 2"
            if happened[0][2] == cell:
                yield "raised after being placed"


def decisions(reading: literal.Hedu) -> Iterator[str]:
    """How each region is decided."""
    for region in reading.regions():
        black, white = (reading.adjacent_list(colour, region) for colour in "bw")
        _, decided = reading.compare(black, white)
        if decided == "equal":
            decided = "undecided" if reading.control(region)[0] is None else "stacks"
        later = bool(black and white and black[0] == white[0] and black != white)
        yield f"region decided by {decided} {'later' if later else 'at once'}"


def test_every_turn_of_random_games_agrees_with_the_second_reading() -> None:
    seen: Counter[str] = Counter()
    for size, games in ((3, fewer(60, 4)), (4, fewer(15, 3)), (5, fewer(4, 4)), *(THOROUGH * [(7, 1)])):
        for seed in range(games):
            rules_of = Ruleset(Hedu, size, "standard")
            for before, turn, _, _ in story(rules_of, seed):
                if before.phase is Phase.PLAY:
                    assert isinstance(before, Hedu)
                    assert before.placements(BLACK) == before.placements(BLACK.other), "both sides have the same"
                    _, happened, reading = play(before, turn)
                    seen.update(rare_events(happened, before.turn_of))
                    seen.update(decisions(reading))
            over = end(rules_of, seed)
            assert isinstance(over, Hedu)
            seen["ended by passes" if over.placements(BLACK) else "ended without placements"] += 1
    assert seen.keys() >= {
        *(f"{whose} stack {done}" for whose in ("own", "enemy") for done in ("removed", "reduced", "raised")),
        *("raised by 2", "raised after being placed", "reduced and raised"),
        *(f"region decided by {by} {when}" for by in ("size", "height", "ended") for when in ("at once", "later")),
        *("region decided by stacks at once", "region decided by undecided at once"),
        *("ended by passes", "ended without placements"),
    }


# The sentences of the rules

#: By sentence: stacks with Black to play, a turn, the height of the new stack, and the changes of others in order.
TURNS = {
    "a stack is as high as its number of adjacent regions": ("a2 b3 c4 d5 / b1 c2 d3 e4", "b2", 2, ""),
    "a region beside it counts, and no other": ("a2 b3 c4 d5 / b1 c2 d3 e4", "a1", 1, ""),
    "regions are counted with the cell occupied": ("c1 c2 / c4 c5", "c3", 2, "c1 1→2, c2 1→2, c4 1→2, c5 1→2"),
    "a region on several sides counts once": ("c2 / c4", "c3", 1, ""),
    "a stack may split a region into three": (
        ("a1 e3 / c2 b3 d3 c4 d4", "b2", 3, "a1 1→2, c2 1→2, b3 1→2, d3 1→3, e3 1→2, c4 1→2, d4 1→2")
    ),
    "stacks are lowered to their counts, the enemy's first": ("a2 b3 / b1 c2 d2 c3", "b2", 1, "c2 3→2, c3 2→1, b3 2→1"),
    "a stack with count 0 leaves": ("e4 / d5 e5", "d4", 1, "e5 1→0, d4 1→2, e4 1→2, d5 1→2"),
    "enemy stacks leave all at once, though the first would save the second": (
        ("e3 / d3 e4 d5 e5", "d4", 1, "e4 1→0, e5 1→0, d3 1→2, e3 1→2, d4 1→2, d5 1→2")
    ),
    "the mover's stacks leave too": ("e3 e4 / d3", "d2", 1, "e3 1→0, d2 1→2, d3 1→2, e4 1→2"),
    "the mover's stacks are lowered too": ("d3 e3 c4 d4 c5 e5", "c3", 1, "d4 3→2"),
    "the mover's stacks leave all at once": (
        ("a1 b1 c1 / b2 d2 d3", "c2", 1, "b1 1→0, c1 1→0, a1 1→2, b2 1→2, c2 1→2, d2 1→2")
    ),
    "the mover's stacks are counted after the enemy's have left: c1 saves b1": (
        ("b1 d2 / a1 c1 b2", "c2", 1, "c1 1→0, c2 1→2, d2 1→2")
    ),
    "two stacks of the enemy do not save each other": (
        ("d2 / a1 b1 c1 b2", "c2", 1, "b1 1→0, c1 1→0, a1 1→2, b2 1→2, c2 1→2, d2 1→2")
    ),
    "a stack keeps its height with the region that another leaves": (
        ("b3 b4 / a2 c5 d5", "c4", 1, "c5 1→0, c4 1→2, d5 1→2")
    ),
    "stacks of both sides grow": ("d2 d5 / c2", "b1", 2, "c2 1→2, d2 1→2"),
    "a stack may be lowered and grow again": (("d2 d5 / e3 d4 e4", "d3", 1, "e3 1→0, e4 2→1, d2 1→2, d3 1→2, e4 1→2")),
}


@for_each("sentence", TURNS)
def test_a_turn_changes_stacks_as_the_rules_say(sentence: str) -> None:
    stacks, turn, height, changes = TURNS[sentence]
    _, ((_, _, _, _, placed), *others), _ = play(set_up(Hedu, 3, stacks), turn)
    assert placed == height
    assert ", ".join(f"{cell} {before}→{after}" for _, _, cell, before, after in others) == changes


#: Stacks, a cell of a region, the sizes and heights of each side's groups beside it, its owner and value, and why.
CONTROLS = [
    ("c4 e4 c5 d5 / d4", "c3", "3×1, 1×2 / 1×2", "black 1", "Black's group is larger, of size 3 and White's of size 1"),
    ("c4 d4 / e4 c5 e5", "c3", "2×2 / 2×1, 1×2", "black 2", "Black's group of size 2 is higher, 2 and White's 1"),
    (
        *("a3 b4 d5 e5 / c2 c3 e3", "a1", "2×1, 2×1 / 2×1, 1×1", "black 1"),
        "after 1 equal group, Black's group is larger, of size 2 and White's of size 1",
    ),
    (
        *("d3 c4 / d2 e4", "a1", "1×2, 1×1 / 1×2, 1×2", "white 2"),
        "after 1 equal group, White's group of size 1 is higher, 2 and Black's 1",
    ),
    ("a3 d4 / c3", "a1", "1×1, 1×1 / 1×1", "black 1", "after 1 equal group, only Black has another next to it"),
    ("/ c3", "a1", " / 1×1", "white 1", "only White has a group next to it"),
    # Of Black's group of three, only a2 is beside the region.
    ("a2 b3 b4 / b1 b2", "a1", "3×2 / 2×2", "black 2", "Black's group is larger, of size 3 and White's of size 2"),
    (
        *("a2 b3 d5 / b4 c4", "a3", "2×2 / 2×2", "black 2"),
        "the groups are equal, and Black has more stacks next to it, 2 and 1",
    ),
    (
        *("d3 e4 d5 / b1 c2 d4", "a1", "2×2, 1×2 / 2×2, 1×2", "white 2"),
        "the groups are equal, and White has more stacks next to it, 3 and 2",
    ),
    (
        *("b1 d5 / c3 e3", "a1", "1×1, 1×1 / 1×1, 1×1", "nobody 0"),
        "the groups are equal, and so are the stacks next to it, 2 and 2",
    ),
]


@for_each("case", CONTROLS)
def test_a_region_is_controlled_by_the_greater_groups_beside_it(case: tuple[str, str, str, str, str]) -> None:
    stacks, cell, groups, controlled, why = case
    position = set_up(Hedu, 3, stacks)
    region = next(region for region in position.regions if region.cells >> position.cell_named(cell) & 1)
    assert " / ".join(", ".join(f"{group.size}×{group.height}" for group in side) for side in region.groups) == groups
    assert f"{'nobody' if region.owner is None else Hedu.sides[region.owner]} {region.value}" == controlled
    assert str(region.why) == why


@for_each(
    "case",
    [
        ("e4 / d5 e5", "d4", {"black": 2 + 2 + 1 + 0.5, "white": 0}),  # both regions, a prisoner and the larger groups
        ("c4 e4 c5 d5 / d4", "", {"black": 1 + 1 + 0.5, "white": 0}),  # sizes count before heights here too
        ("b1 c2 d4 / d3 e4 d5", "", {"black": 2, "white": 2}),  # equal groups
        ("b1 d5 / c3 e3", "pass pass", {"black": 0, "white": 0}),
    ],
)
def test_the_score_is_regions_prisoners_and_a_half_for_the_greater_groups(case: tuple[str, str, object]) -> None:
    stacks, turns, score = case
    position = set_up(Hedu, 3, stacks)
    for turn in turns.split():
        position, _, _ = play(position, turn)
    assert position.score() == score


@for_each(
    "case",
    [
        (5, "e5 white pass pass", BLACK, {"black": 1.5, "white": 0}),
        (3, "a2 white b4 c2 d4 e4 b1 b3 d2 d5 b2 d3 c4", None, {"black": 6, "white": 6}),
    ],
)
def test_a_game_ends_with_two_passes_or_without_a_placement(case: tuple[int, str, Side | None, object]) -> None:
    size, turns, winner, score = case
    over = Ruleset(Hedu, size, "standard").replay(turns.split())
    assert (over.outcome, over.score()) == (Outcome(winner, "score"), score)
    assert not over.legal_turns


@for_each(
    "case",
    [
        ("a2 b1 / b2", "b2", "b2 is taken by a white stack", "b2"),
        ("a2 b1 / b2", "b1", "b1 is taken by a black stack", "b1"),
        (
            *("a2 b1 / b2", "a1"),
            "a stack on a1 would touch no region, because all cells around it are taken: b1, a2, b2",
            "a2 b1 b2",
        ),
        # Even if that takes an enemy's last region.
        (
            *("b1 b2 / a2", "a1"),
            "a stack on a1 would touch no region, because all cells around it are taken: b1, a2, b2",
            "a2 b1 b2",
        ),
    ],
)
def test_a_refusal_says_why_and_shows_the_cells(case: tuple[str, str, str, str]) -> None:
    stacks, turn, reason, shown = case
    position = set_up(Hedu, 3, stacks)
    with pytest.raises(IllegalTurn) as refused:
        position.play(turn)
    assert (str(refused.value), names(position, refused.value.cells)) == (reason, shown)

"""Nadraz: all runs of random positions, a position for each sentence of the rules, refusals and drafts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from rules import PASS, Flipped, IllegalTurn, NotATurn, OffTheBoard, Outcome, Phase, Ruleset, Side, TurnError, bits
from rules.nadraz import Nadraz
from tests.support.each import for_each
from tests.support.positions import refusal, set_up, story
from tests.support.readings import agree, reading_of
from tests.support.thorough import fewer

BLACK, WHITE = Side.FIRST, Side.SECOND


def at(stones: str, to_play: Side = BLACK, variant: str = "standard") -> Nadraz:
    """A position of size 6, with Black to play."""
    position = set_up(Nadraz, 6, stones, to_play, variant)
    assert all(snake.is_well_formed for side in Side for snake in position.snakes(side))
    return position


def start(size: int = 6) -> Nadraz:
    return Nadraz(Ruleset(Nadraz, size, "standard"))


def positions(*sizes: int, seeds: range = range(1)) -> Iterator[Nadraz]:
    """The positions after the choice of sides of random games in both variants."""
    for size in sizes:
        for seed in seeds:
            game = story(Ruleset(Nadraz, size, Nadraz.variants[seed % 2]), seed)
            for position in (*(position for position, *_ in game[2:]), game[-1][2]):
                assert isinstance(position, Nadraz)
                yield position


# Random games


def test_snakes_are_well_formed_and_known_without_a_search() -> None:
    for position in positions(5, 6, 7, 8, seeds=range(2)):
        for side in Side:
            assert all(snake.is_well_formed for snake in position.snakes(side))
            assert {*position.snakes(side)} == {*replace(position).snakes(side)}


def breaks_a_condition(position: Nadraz, run: str) -> bool:
    """Whether the conditions refuse a run, independently of the list of legal turns."""
    try:
        position.refuse_turn(run)
    except AssertionError:
        return False
    except TurnError:
        return True


@pytest.mark.parametrize("size", [3, 4, 5])
def test_a_run_is_legal_exactly_when_it_breaks_no_condition(size: int) -> None:
    """The search for legal runs and the conditions behind refusals agree on every run of the board."""
    board = start(size).board
    name = board.name
    runs = [name(cell) for cell in board.cells]
    runs += [f"{name(cell)}-{name(last)}" for cell in board.cells for ray in board.rays[cell] for last in ray]
    tried = [position for position in positions(size, seeds=range(3)) if position.outcome is None]
    for position in tried[:: max(1, len(tried) // fewer(12, 2))]:
        legal = {turn for turn in position.legal_turns if turn != PASS}
        assert {run for run in runs if not breaks_a_condition(position, run)} == legal
        unlisted = replace(position)
        assert {run for run in runs if unlisted.is_legal(run)} == legal


def test_every_legal_run_comes_from_one_cell() -> None:
    for position in positions(3, 4, 5, 6, 7, 8, seeds=range(2)):
        if position.outcome is None:
            runs = position.runs()
            found = [run for cell in bits(runs.origins) for run in runs.from_origin(cell)]
            assert sorted(found or [PASS]) == sorted(position.legal_turns)


# The sentences of the rules

#: By sentence: stones with Black to play, a run, the stones that it flips, and the lengths of all snakes after it.
RUNS = {
    "a run is consecutive cells in a straight line": ("d4", "d5-d8", "", [5], []),
    "its enemy stones are flipped": ("d3 / c5 d5 e5", "d4-d6", "d5", [4], [1, 1]),
    "it may be written from either end if it could start at either": ("d3 d7", "d6-d4", "", [5], []),
    "it starts next to an egg": ("d4", "d5", "", [2], []),
    "or next to an end": ("c3 c4 c5 c6", "c7", "", [5], []),
    "or next to two stones, one of them an end": ("d3 d4 d5", "e5-f5", "", [5], []),
    "a cut may begin right at the head": ("d3 d4 / c5 d5 e5", "d5-d6", "d5", [4], [1, 1]),
    "or at an egg": ("d4 / c5 d5 e5", "d5-d6", "d5", [3], [1, 1]),
    "one and the same snake satisfies all conditions": ("f5 e5 d5 g7 / e7 f7 g8", "f6-f8", "f7", [7], [1, 1]),
    "several cuts in one run are allowed": ("d3 / c5 d5 e5 c7 d7 e7", "d4-d8", "d5, d7", [6], [1, 1, 1, 1]),
    "a row of enemy stones is flipped at once": ("d3 / c4 d5 d6 e7", "d4-d7", "d5 d6", [5], [1, 1]),
    "the last cell may touch one stone of another snake": ("h8 d4 d3", "g7-e5", "", [6], []),
    "or two": ("h8 d5 d4 d3", "g7-e5", "", [7], []),
    "enemy snakes may be touched": ("h8 / d5 d4 e4", "g7-e5", "", [4], [3]),
    "one stone merges two snakes": ("d4 d6", "d5", "", [3], []),
    "the run ends where it merges": ("d3 e6", "d4-d5", "", [4], []),
    "or behind the enemy stones there": ("d3 e6 / c6 d6 e7", "d4-d7", "d6", [6], [1, 1]),
    "a run that merges by a flipped stone ends behind it": ("d3 e7 f7 g7 / c6 d6 e6", "d4-d7", "d6", [8], [1, 1]),
    "a run that flips nothing ends before the edge": ("d3", "d4-d8", "", [6], []),
    "a run that flips may end on the edge": ("d3 / c7 d7 e7", "d4-d9", "d7", [7], [1, 1]),
    "or run along it": ("a1 / c2 c1 d1 e1 f2", "b1-f1", "c1 d1 e1", [6], [1, 1]),
    "a snake may touch itself": ("h6 h5 g4 f3 e3 e4 e5 d4 c4", "g6-d6", "", [13], []),
    "a second cut may mend what the first would leave": (
        ("f4 / e5 f5 g6 g7 f7 e6 d4 h8", "f5-f8", "f5, f7", [5], [3, 3])
    ),
    "a cut may leave eggs": ("d4 / c5 d5 e5 f6", "d5-d6", "d5", [3], [2, 1]),
}


@for_each("sentence", RUNS)
def test_a_legal_run_does_what_the_rules_say(sentence: str) -> None:
    stones, run, flipped, black, white = RUNS[sentence]
    position = at(stones)
    after, events = position.play(run)
    flips = [" ".join(map(position.board.name, event.cells)) for event in events if isinstance(event, Flipped)]
    assert ", ".join(flips) == flipped
    assert after.score() == {"black": black, "white": white}
    reading = reading_of(position)
    reading.play(run)
    agree(after, reading)


#: Stones with Black to play, and the reasons why runs are refused. “…” stands for the rule before the reason.
REFUSED = {
    "d4": {
        "d5-e7": "d5 and e7 are not in a straight line",
        "d4": "…but there is your own stone on d4",
        "d5-e5": "…but your snake would have no ends",
        "d5-d5": "a run of one cell is written as that cell alone: d5",
    },
    "d4 / h8": {
        "d7-d5": "…but d7 is not next to one",
        PASS: "you can pass only when you have no legal run",
        "hello": "“hello” is not a turn; write the first and the last cell of the run, such as …, or the cell alone …",
        "e5-": "“e5-” is not a turn…",
        "-": "“-” is not a turn…",
        "": "“” is not a turn…",
        "d5-d6-d7": "“d5-d6-d7” is not a turn…",
        "d5,d6": "“d5,d6” is not a turn…",
        "d5+d6": "“d5+d6” is not a turn…",
        "d5-m1": "m1 is off the board, which runs from a1 to k11",
    },
    "d4 d6 / f5 f6": {
        "d5-d7": "a run crosses empty cells and enemy stones, but there is your own stone on d6",
        "d3-d6": "a run crosses empty cells and enemy stones, but there are your own stones on d4, d6",
    },
    "d4 / c5 d5 e5": {"d5": "a run ends on an empty cell, but d5 holds a white stone"},
    "d3 / c5 d5 e5": {"d4-d5": "a run ends on an empty cell, but d5 holds a white stone"},
    "c3 c4 c5 c6": {
        "c8": "a run starts next to a head, tail or egg of yours, but c8 is not next to one",
        "d5-e5": "…but d5 is not next to one",
    },
    "d5 d4 e4 f4": {"e5-e8": "…stones of your snake, but e5 is next to three of them: d4, e4, d5"},
    "c4 d4 e4 / c5 d5 e5 f6": {
        "d5-d6": "a run that begins with a cut runs straight on from a head, tail or egg of yours, but there is none "
        "just before d5"
    },
    "h8 / c5 d5 e5": {"d5-d6": "a run that begins with a cut …, but there is none just before d5"},
    "h8 / c1 d1 e1": {"d1-d2": "…but there is none just before d1"},
    # The cell just before the run, f5, is the end of a snake, but f6 touches three of its stones. f6 also touches the
    # egg g7, but g7 is not just before the run.
    "f5 e5 e6 g7 / e7 f7 g8": {"f6-f8": "…but there is none just before f6"},
    "f5 e5 e6 / e7 f7 g8": {"f6-f8": "…next to three of them: …"},
    "c4 / c6 d6 e6": {"d5-d7": "a run that cuts runs straight on …, but there is none just before d5"},
    # e6 is next to the egg e5, and d6 is straight on from e6, but this turn only now places e6.
    "e5 / c5 d6 d7": {"e6-c6": "…but there is none just before e6"},
    "d4 / d5": {"d5-d7": "d5 is an egg, which cannot be cut"},
    "d4 / d5 e5": {"d5-d7": "d5 is a head or tail, which cannot be cut"},
    "d4 / d5 d6 e7": {"d5-d7": "d5 is a head or tail, which cannot be cut"},
    "h8 d5 d4 e4 f4": {"g7-e5": "…stones of another snake of yours, but e5 is next to three: d4, e4, d5"},
    "d3 e6": {"d4-d7": "the run touches another snake of yours at d5, so it has to stop at d5"},
    "d3 e6 / c6 d6 e7": {"d4-d8": "…at d5, so it has to stop at d5 or d7"},
    "d3 e7 f7 g7 / c6 d6 e6": {"d4-d8": "…at d6, so it has to stop at d7"},
    # Not even a second cut may follow. Without this rule, d4-d9 would leave all snakes well formed.
    "d3 e7 / e6 d6 c6 c7 d8 e9": {"d4-d9": "…at d6, so it has to stop at d7"},
    "d3": {"d4-d9": "only a run that cuts may put stones on the edge, so not on the edge cell d9"},
    "b2": {"a2-a4": "…so not on the edge cells a2, a3, a4", "a1": "…so not on the edge cell a1"},
    "a1 / c2 c1 d1 e1 f2": {"b1": "…so not on the edge cell b1"},
    "f7 g7 g6 f5 e5": {"e6": "a snake has exactly one head and one tail, but your snake would have no ends"},
    "d3 d4 d5": {"e5": "…but your snake would have one end (d3)"},
    "h6 h5 g4 f3 e3 e4 e5 d4 c4": {
        "g6-f6": "…but your snake would have one end (c4)",
        "g6-e6": "…but your snake would have one end (c4)",
    },
    "h6 d3 d4 d5 d6 d7": {"g6-e6": "…but your snake would have three ends (d3, h6, d7)"},
    "f4 / e5 f5 g6 g7 f7 e6 d4 h8": {"f5-f6": "…but a white snake would have three ends (d4, g6, h8)"},
}


@for_each("stones", REFUSED)
def test_a_refused_run_says_why(stones: str) -> None:
    position = at(stones)
    for run, reason in REFUSED[stones].items():
        error = refusal(position.play, run)
        pattern = ".*".join(map(re.escape, reason.split("…")))
        assert re.fullmatch(pattern, str(error)), f"{run}: {error}"
        kind = NotATurn if "turn;" in str(error) or "written" in str(error) else IllegalTurn
        assert type(error) is (OffTheBoard if "off the board" in reason else kind)


def test_the_direction_of_a_run_is_free_when_it_flips_nothing() -> None:
    # From d5, the egg blocks the way back, and both ways beside it would touch the egg again.
    runs = {turn for turn in at("d4").legal_turns if turn.startswith("d5-")}
    assert runs == {"d5-d6", "d5-d7", "d5-d8", "d5-e6", "d5-f7", "d5-g8", "d5-h9", "d5-i10", "d5-c5", "d5-b5"}
    assert at("d4 d6").legal_turns.count("d5") == 1


def test_a_single_stone_is_an_egg_and_a_longer_snake_has_a_head_and_a_tail() -> None:
    position = at("c3 c4 c5 e5 / d4 h8 h9")
    name = position.board.names
    assert {(*name(snake.cells), snake.length) for snake in position.snakes(BLACK)} == {
        ("c3", "c4", "c5", 3),
        ("e5", 1),
    }
    assert [name(cells) for side in Side for cells in (position.ends(side), position.eggs(side))] == [
        *(["c3", "c5"], ["e5"]),
        *(["h8", "h9"], ["d4"]),
    ]


# The end


def test_a_side_without_a_legal_run_passes_and_the_game_goes_on() -> None:
    position = start(3)
    turns = ("d3,c4", "black", "c3", "b3-b2", "b3-a3", "d4", "pass", "c2", "pass", "b3-b4", "c4-c5", "pass")
    for turn in turns:
        assert (turn == PASS) is (position.legal_turns == (PASS,))
        position, _ = position.play(turn)
    assert position.phase is Phase.PLAY
    assert str(refusal(position.parse, "hello")) == "“hello” is not a turn; you have no legal run, so write pass"
    assert position.play(PASS)[0].phase is Phase.OVER


@pytest.mark.parametrize("variant", Nadraz.variants)
def test_when_all_lengths_are_equal_the_side_that_placed_last_wins(variant: str) -> None:
    for turns, winner in (("c3,d4 black b2 c4 d3 b3 pass pass", WHITE), ("d3,c4 black c2 b3-b2 d4 pass pass", BLACK)):
        assert Ruleset(Nadraz, 3, variant).replay(turns.split()).outcome == Outcome(winner, "last placed")


@for_each(
    "case",
    [
        # The greatest and the shortest lengths differ.
        ("c3 c4 c5 / e5 e6 h8", BLACK, BLACK),
        # The greatest lengths are equal. Next, White has a pair and Black an egg.
        ("c3 c4 c5 f3 / e6 e7 e8 h8 h9", WHITE, WHITE),
        # The shortest lengths are equal, so in reverse the next length counts.
        ("c3 c4 f3 / e6 e7 e8 h9", WHITE, WHITE),
        # Black has more of the greatest length. The eggs are equal, and Black has more pairs.
        ("c3 c4 e3 e4 g4 / e6 e7 h9", BLACK, WHITE),
        ("c3 c4 e3 e4 / e6 e7", BLACK, WHITE),
        ("c3 e3 / e6", BLACK, WHITE),
        ("c3 c4 / e6", BLACK, BLACK),
        ("c3 c4 e3 / h9 g7 g6", None, None),
    ],
)
def test_the_numbers_of_snakes_of_each_length_are_compared(case: tuple[str, Side | None, Side | None]) -> None:
    stones, standard, reverse = case
    black, white = stones.split(" / ")
    assert at(stones).leader() is standard
    assert at(stones, variant="reverse").leader() is reverse
    assert at(f"{white} / {black}").leader() is (None if standard is None else standard.other)
    decided = at(stones).at_end().outcome
    assert decided is not None
    assert decided.reason == ("last placed" if standard is None else "snakes")


# The opening, and drafts


@for_each(
    "case",
    [
        ("e6,e6", "the eggs need two different cells, not e6 for both"),
        ("e6,a1", "a1 is an edge cell, where no egg can be placed"),
        ("a1,e6", "a1 is an edge cell, where no egg can be placed"),
        *(
            (typed, "the opening is two eggs; write Black's egg, a comma and White's egg, such as f6,i9")
            for typed in ("e6", "a1", "e6,", ",", "e6,h9,h8")
        ),
        ("e6-h9", "“e6-h9” is not a turn; write Black's egg, a comma and White's egg, such as f6,i9"),
        ("e6,z9", "z9 is off the board, which runs from a1 to k11"),
        ("e6,hello", "“hello” is not a turn; write Black's egg, a comma and White's egg, such as f6,i9"),
    ],
)
def test_a_wrong_opening_says_why(case: tuple[str, str]) -> None:
    opening, reason = case
    assert str(refusal(start().play, opening)) == reason


@for_each("size", [3, *Nadraz.sizes])
def test_the_example_of_an_opening_is_legal(size: int) -> None:
    start(size).parse(str(start(size).example).rsplit(" ", 1)[1])


def test_an_opening_is_drafted_egg_by_egg() -> None:
    position = start(14)
    assert len(position.draft().next) == 3 * 13**2 - 3 * 13 + 1
    begun = position.draft("N14")
    assert begun.preview.first == 1 << position.cell_named("n14")
    assert not begun.complete
    assert (begun.text, begun.complete, len(begun.next)) == ("n14", False, 468)
    assert "aa27" not in begun.next
    drafted = position.draft("n14" + begun.next[0])
    assert drafted.complete
    assert drafted.preview.phase is Phase.CHOICE
    assert "edge cell" in str(refusal(position.draft, "n14,a1"))
    assert "two eggs" in str(refusal(position.draft, "a1"))


def test_the_last_cell_is_enough_to_draft_the_only_run_that_ends_there() -> None:
    position = at("d4 / h8")
    for cell in position.board.names(position.empty):
        ending = [turn for turn in position.legal_turns if turn.endswith(f"-{cell}")]
        if cell in position.draft().next:
            assert position.draft(cell).text == cell
        elif len(ending) == 1:
            assert position.draft(cell) == position.draft(ending[0])
        else:
            assert refusal(position.draft, cell)
        assert refusal(position.parse, cell) or position.is_legal(cell)


def test_a_run_is_drafted_from_its_first_cell_to_its_last() -> None:
    position = at("d4 / h8")
    assert {"d5", "c3", "e5"} <= set(position.draft().next)
    begun, done = position.draft("d5"), position.draft("D5-D8")
    assert begun.complete
    assert {"-d6", "-d8", "-e6", "-c5"} <= set(begun.next)
    assert (done.complete, done.next) == (True, ())
    assert "g9 is not next to one" in str(refusal(position.draft, "g9"))
    cut = at("d4 / c5 d5 e5").draft("d5")
    assert (cut.complete, "-d6" in cut.next) == (False, True)

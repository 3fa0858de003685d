"""Fiodar: random boards and rare games against the second reading, and a position for each sentence of the rules."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import pytest

from rules import PASS, Captured, Event, IllegalTurn, Outcome, Phase, Position, Ruleset, Side, Territory
from rules.fiodar import Fiodar, Thread
from tests.support.each import for_each
from tests.support.literal import fiodar as literal
from tests.support.literal.reading import OTHER, connected_sets
from tests.support.positions import cells, mask, names, set_up
from tests.support.readings import agree, reading_of
from tests.support.thorough import fewer

BLACK, WHITE = Side.FIRST, Side.SECOND


def game(turns: str, size: int = 5) -> Fiodar:
    position = Ruleset(Fiodar, size, "standard").replay(turns.split())
    assert isinstance(position, Fiodar)
    return position


# Against the second reading


def agree_on_refusals(position: Fiodar, reading: literal.Fiodar, seen: Counter[str]) -> None:
    """Check that both refuse the same placements, for the same reasons and with the same points."""
    for turn, expected in reading.refusals().items():
        if expected is None:
            continue
        reason, shown = expected
        with pytest.raises(IllegalTurn) as refusal:
            position.refuse(turn)
        assert frozenset(map(position.board.name, refusal.value.cells)) == shown
        word = {"taken": "is taken by", "cut": "would leave your weave", "repeats": "would repeat the board"}[reason]
        assert word in str(refusal.value)
        seen[f"refused: {reason}"] += 1


def agree_on_terms(position: Fiodar, reading: literal.Fiodar) -> None:
    board_names = position.board.names
    for side, colour in zip(Side, "bw", strict=True):
        own = reading.of(colour)
        assert {*map(frozenset, map(board_names, position.weaves(side)))} == {*map(literal.names, connected_sets(own))}
        assert {*map(frozenset, map(board_names, position.cut_weaves(side)))} == {
            *map(literal.names, literal.cut_weaves(reading.pieces, colour))
        }
        in_cut_threads = {name for thread in position.cut_threads(side) for name in board_names(thread.stones)}
        assert in_cut_threads == literal.names(point for point in own if literal.in_cut_thread(reading.pieces, point))
        for direction in range(3):
            threads = [thread.stones for thread in position.threads(side) if thread.direction == direction]
            assert sum(threads) == position.stones(side)
        territories = [name for territory in reading.territories(colour) for name in territory]
        assert names(position, position.territory(side)).split() == sorted(territories)


def agree_on_events(position: Fiodar, events: Sequence[Event], reading: literal.Fiodar) -> None:
    """Check that each removed weave and, at the end, each territory has an event."""
    removed = [event.cells for event in events if isinstance(event, Captured)]
    assert sorted(names(position, weave) for weave in removed) == sorted(
        " ".join(sorted(literal.names(weave))) for weave in reading.removed
    )
    counted = position.outcome is not None and position.outcome.reason == "score"
    for side, colour in zip(Side, "bw", strict=True):
        found = [event.cells for event in events if isinstance(event, Territory) and event.side is side]
        expected = reading.territories(colour) if counted else []
        assert sorted(names(position, region) for region in found) == sorted(" ".join(sorted(r)) for r in expected)


def random_board(size: int, rng: random.Random, *, as_in_a_game: bool) -> literal.Fiodar:
    """Random stones, sometimes in two camps, with either side to play. As in games, the other side has no cut weave."""
    reading = literal.Fiodar.at(size, "standard", {}, rng.choice("bw"))
    density, black, camps = rng.uniform(0.2, 0.9), rng.uniform(0.3, 0.7), rng.random() < 0.3
    for x, y in sorted(reading.cells):
        if rng.random() < density:
            here = (0.95 if x + y < 2 * size - 2 else 0.05) if camps else black
            reading.pieces[x, y] = "b" if rng.random() < here else "w"
    reading.pieces.setdefault((0, 0), "b")
    if as_in_a_game:
        for weave in literal.cut_weaves(reading.pieces, OTHER[reading.to_play]):
            for point in weave:
                del reading.pieces[point]
    return reading


def position_of(reading: literal.Fiodar, ends: Sequence[literal.Board]) -> Fiodar:
    """The engine's position with the same stones and these earlier boards."""

    def stones(end: literal.Board) -> tuple[str, str]:
        black, white = (" ".join(literal.names(point for point, of in end if of == colour)) for colour in "bw")
        return black, white

    mover = BLACK if reading.to_play == "b" else WHITE
    position = set_up(Fiodar, reading.size, " / ".join(stones(frozenset(reading.pieces.items()))), mover)
    masks = [tuple(mask(position, side) for side in stones(end)) for end in ends]
    return replace(position, ends=tuple((first, second) for first, second in masks))


@pytest.mark.parametrize(("size", "boards"), [(3, 90), (4, fewer(45, 3)), (5, fewer(25, 4)), (7, fewer(3, 3))])
def test_random_boards_and_pasts_agree_with_the_second_reading(size: int, boards: int) -> None:
    """Compare boards that games do not reach: many cut weaves of both sides, and boards that a turn repeats."""
    rng, seen = random.Random(size), Counter[str]()
    for number in range(boards):
        reading = random_board(size, rng, as_in_a_game=number % 2 == 0)
        now = frozenset(reading.pieces.items())
        # One placement brings back the board after the mover's previous turn, or after the one before.
        brought_back = reading.named.get(rng.choice(sorted(reading.legal_turns() - {PASS}) or [PASS]))
        after = now if brought_back is None else frozenset(reading.placed(brought_back)[0].items())
        ends = [after, now] if number % 3 else [after, now, now, now]
        reading.ends = {reading.to_play: ends[::2], OTHER[reading.to_play]: ends[1::2]}
        position = position_of(reading, ends)
        seen["own weave cut"] += bool(position.cut_weaves(position.turn_of))
        agree(position, reading)
        agree_on_terms(position, reading)
        agree_on_refusals(position, reading, seen)
        for turn in rng.sample(position.legal_turns, min(8, len(position.legal_turns))):
            played, done = position.play(turn)
            seen["captures of two weaves"] += sum(isinstance(event, Captured) for event in done) > 1
            if turn != PASS:
                seen["own weave left cut"] += bool(played.cut_weaves(position.turn_of))
                seen["removal of a weave left cut"] += bool(position.cut_weaves(position.turn_of.other))
            seen["repetition"] += played.outcome is not None
            again = reading.copy()
            again.play(turn)
            agree(played, again, turns=size < 5)
            agree_on_events(played, done, again)
        events: Sequence[Event] = ()
        for _ in range(2):
            position, events = position.play(PASS)
            reading.play(PASS)
            agree(position, reading)
            agree_on_events(position, events, reading)
        seen["territory of both sides"] += len({event.side for event in events if isinstance(event, Territory)}) == 2
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


@for_each(
    "case",
    [
        (4, "d7 black e7 f7 d3 c1 d5 pass d6 d4 d5"),
        (3, "c1 black c5 a2 d5 c4 c3 pass c2 c4"),
        (3, "c3 white e5 c5 d3 d2 b2 d4 d3"),
        (3, "c1 black c2 c3 pass d2 c5 c4 c2 c3 pass"),
        (3, "d4 white d3 pass b4 c1 e5 d2 b2 c5 a1 a3 b1 a2 c4 c3 b4 pass c4"),
        (4, "f5 white e6 e2 d3 f6 pass b3 c5 d7 d5 pass a2 pass d2 b2 b4 d1 f4 g4 g6 pass b1 c3 b5 e4 pass d4"),
        (4, "d3 white pass a2 e6 a3 c1 d5 e5 pass c5 e2 a1 e3 c4 b5 d1 pass a4 f6 d7 c3 pass c6 pass d6"),
        (4, "g6 white g7 g4 e6 a4 g5 d5 c4 g6 e5 e2 g5 b2 d5 g6 e4 d7 e7 c1 g5 e3 pass g6 pass f6 g5"),
    ],
)
def test_games_with_the_rarest_events_agree_with_the_second_reading(case: tuple[int, str]) -> None:
    size, turns = case
    compare(Ruleset(Fiodar, size, "standard").start(), literal.Fiodar(size), turns)


def compare(position: Position, reading: literal.Fiodar, turns: str) -> tuple[Fiodar, Sequence[Event]]:
    """Play the turns in both readings, and compare them after each. Return the position and the last turn's events."""
    events: Sequence[Event] = ()
    for turn in turns.split():
        position, events = position.play(turn)
        reading.play(turn)
        assert isinstance(position, Fiodar)
        agree(position, reading)
        agree_on_terms(position, reading)
        agree_on_events(position, events, reading)
        if position.phase is Phase.PLAY:
            agree_on_refusals(position, reading, Counter())
    assert isinstance(position, Fiodar)
    return position, events


# The sentences of the rules

#: By sentence: the stones with Black to play, the turns, and the weaves that the last turn captures. In “e5 g6 / e4 e7
#: f6”, Black's e6 captures f6 between e6 and g6, and stays in the cut thread e5, e6 between e4 and e7.
TURNS = {
    "a weave in one cut thread is captured": ("e4 / e5 e6", "e7", "e5 e6"),
    "a weave whose stones are in cut threads of their own is captured": ("e4 g6 / e5 f6", "e6", "e5 f6"),
    "all cut weaves are captured": ("e4 e8 / e5 e7", "e6", "e5, e7"),
    "a weave with a stone in no cut thread stays": ("e4 / e5 e6 f6", "e7", ""),
    "along the edge, a weave is captured too": ("a1 / b1", "c1", "b1"),
    "in the corner, it is not": ("a2 b1 / a1", "b2", ""),
    "a stone may go between enemies if its weave is not cut": ("d4 / e4 e6", "e5", ""),
    "or if what it captures frees it": ("e7 / e4 e6", "e5", "e6"),
    "a stone may lengthen a cut thread of a weave that is not cut": ("e6 f7 / e4 e7", "e5", ""),
    "a turn that captures may leave an own weave cut": ("e5 g6 / e4 e7 f6", "e6", "f6"),
    "the enemy's next placement removes it": ("e5 g6 / e4 e7 f6", "e6 i9", "e5 e6"),
    "even between enemies": ("e5 g6 b2 b4 / e4 e7 f6", "e6 b3", "e5 e6"),
    "a pass does not": ("e5 g6 / e4 e7 f6", "e6 pass", ""),
    "it is safe once it is freed": ("e5 g6 / e4 e7 f6", "e6 pass d5 i9", ""),
    "another capture may leave it cut again": ("e5 g6 b1 / e4 e7 f6 b2", "e6 pass b3", "b2"),
    "capturing two stones where one was lost repeats nothing": ("e4 e7 / e5 e8", "e6 e5", "e6 e7"),
    "the same capture is legal on a different board": ("e7 / e4", "e5 e6 a1 i9 e5", "e6"),
}


@for_each("sentence", TURNS)
def test_a_turn_captures_what_the_rules_say(sentence: str) -> None:
    stones, turns, captured = TURNS[sentence]
    position = set_up(Fiodar, 5, stones)
    reading = reading_of(position)
    assert isinstance(reading, literal.Fiodar)
    position, events = compare(position, reading, turns)
    weaves = [names(position, event.cells) for event in events if isinstance(event, Captured)]
    assert weaves == list(filter(None, captured.split(", ")))


@for_each(
    "case",
    [
        ("e5 / e6", "", "e6", "e6 is taken by a white stone", "e6"),
        ("e5 / e6", "", "e5", "e5 is taken by a black stone", "e5"),
        ("a1 / e4 e6", "", "e5", "e5 would leave your weave cut: e5", "e5"),
        ("d5 / c5 f5", "", "e5", "e5 would leave your weave cut: d5, e5", "d5 e5"),
        ("e5 / e4 e7 f6", "", "e6", "e6 would leave your weave cut: e5, e6", "e5 e6"),
        ("e5 g6 b1 / e4 e7 f6 b2", "e6 pass", "a1", "a1 would leave your weave cut: e5, e6", "e5 e6"),
        ("e5 g6 / e4 e7 f6 b2 b4", "e6 pass", "b3", "b3 would leave your weaves cut: b3, e5, e6", "b3 e5 e6"),
        ("e7 / e4", "e5 e6", "e5", "this would repeat the board after your previous turn", "e5"),
        ("e7 / e4", "e5 a1 pass e6", "e5", "this would repeat the board after your previous turn", "e5"),
    ],
)
def test_a_refusal_says_why_and_shows_the_points(case: tuple[str, str, str, str, str]) -> None:
    stones, turns, turn, reason, shown = case
    position: Position = set_up(Fiodar, 5, stones)
    for played in turns.split():
        position, _ = position.play(played)
    with pytest.raises(IllegalTurn) as refused:
        position.play(turn)
    assert (str(refused.value), names(position, refused.value.cells)) == (reason, shown)


def test_a_thread_knows_the_points_just_beyond_its_ends() -> None:
    position = set_up(Fiodar, 5, "e1 e2 / a1")
    column = next(thread for thread in position.threads(BLACK) if thread.direction == 0)
    assert column == Thread(mask(position, "e1 e2"), 0, cells(position, "e3"))


@for_each(
    "case",
    [
        *(("d4 d5", 2), ("d4 d5 d6 d7", 2), ("d4 d5 e4", 3), ("d4 d5 e5", 3), ("d4 d5 d6 e4", 3), ("d4 d5 e4 f5", 3)),
        *(("d4 d5 d6 e6", 4), ("d4 d5 e4 e5", 4), ("d5 d6 e4 e5", 4), ("d5 e4 e5 f6", 4)),
    ],
)
def test_a_row_falls_to_two_stones_and_a_small_bend_to_three_or_four(case: tuple[str, int]) -> None:
    weave, stones = case
    alone = set_up(Fiodar, 5, weave)
    ends = {alone.board.name(end) for thread in alone.threads(BLACK) for end in thread.beyond}
    fewest = next(
        count
        for count in range(1, 5)
        for cutting in combinations(sorted(ends), count)
        if set_up(Fiodar, 5, f"{weave} / {' '.join(cutting)}").cut_weaves(BLACK)
    )
    assert fewest == stones


# Repetition


def test_an_older_board_of_the_mover_is_a_draw_whatever_the_prisoners() -> None:
    position, events = game("d7 black e7 f7 d3 c1 d5 pass d6 d4", 4).play("d5")
    older = game("d7 black e7 f7 d3 c1 d5", 4)
    assert (position.first, position.second) == (older.first, older.second)
    assert position.held() != older.held()
    assert position.outcome == Outcome(None, "repetition")
    assert not any(isinstance(event, Territory) for event in events)


def test_only_the_movers_own_turns_count_for_repetition() -> None:
    position = set_up(Fiodar, 5, "e7 / e4 e6")
    now, after, other = (
        (mask(position, one), mask(position, two)) for one, two in (("e7", "e4 e6"), ("e7 e5", "e4"), ("a1", ""))
    )
    # The boards after Black's turn, after White's, and so on, up to White's last turn.
    assert "e5" not in replace(position, ends=(other, other, after, now)).legal_turns
    drawn, _ = replace(position, ends=(after, other, other, now)).play("e5")
    assert drawn.outcome == Outcome(None, "repetition")
    played, _ = replace(position, ends=(other, after, other, now)).play("e5")
    assert (played.first, played.second) == after
    assert played.outcome is None


def test_a_pass_is_never_refused_and_never_draws() -> None:
    position = game("c1 black c2 c3 pass d2 c5 c4 c2 c3 pass", 3)
    assert position.ends[-1] in position.ends[-3::-2]
    assert position.outcome is None
    assert game("e7 white e4 e5 e6 pass").phase is Phase.PLAY

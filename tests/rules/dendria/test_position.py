"""Dendria: the engine against a literal second reading, and a small board for each sentence of its rules."""

from __future__ import annotations

import copy
import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterable

import pytest

from rules.board import bits
from rules.dendria import Dendria, Germinated, Moved, Sprouted
from rules.dendria.field import Field, Root
from rules.dendria.history import StateHistory
from rules.errors import GameOver, IllegalTurn, NotATurn, OffTheBoard, TurnError
from rules.events import Passed, Placed, SideChosen, Territory
from rules.position import Phase, Ruleset
from rules.side import Side
from tests.support.literal import dendria as literal
from tests.support.positions import built_turn
from tests.support.thorough import fewer, sample

DARK, LIGHT = Side.FIRST, Side.SECOND
LETTERS = {"d": DARK, "l": LIGHT}


def position(size: int, pieces: str, to_play: Side = DARK, more: dict[str, str] | None = None) -> Dendria:
    """A position with pieces such as ``"a1 dS, b2 lT"``."""
    ruleset = Ruleset(Dendria, size, "standard")
    placed = dict(placing.split() for placing in pieces.split(",")) if pieces.strip() else {}
    placed |= more or {}
    masks = Counter[str]()
    for name, piece in placed.items():
        for letter in piece:
            cell = ruleset.board.cell(name)
            assert cell is not None
            masks[letter] |= 1 << cell
    return Dendria(
        ruleset,
        masks["d"],
        masks["l"],
        LIGHT,
        to_play,
        seeds=masks["S"],
        trees=masks["T"],
        dryads=masks["D"],
        earlier=StateHistory([(masks["d"], masks["l"], to_play)]),
    )


def start(size: int) -> Dendria:
    at = Ruleset(Dendria, size, "standard").start()
    assert isinstance(at, Dendria)
    return at


def cell(at: Dendria, name: str) -> int:
    found = at.board.cell(name)
    assert found is not None
    return found


def names(at: Dendria, mask: int) -> set[str]:
    return set(at.board.names(mask))


def after(at: Dendria, *turns: str) -> Dendria:
    for turn in turns:
        at, _ = at.play(turn)
    return at


def refused(at: Dendria, turn: str, *words: str) -> TurnError:
    with pytest.raises(TurnError) as caught:
        at.parse(turn)
    for word in words:
        assert word in str(caught.value)
    with pytest.raises(TurnError):
        at.play(turn)
    return caught.value


# ----------------------------------------------------------------------------------------------------------------------
# The engine and the literal reading.


def literal_board(at: Dendria) -> literal.Board:
    board, pieces = at.board, at.pieces()
    placed = {
        (board.column(cell), board.row(cell)): pieces[name]
        for cell in board.cells
        if (name := board.name(cell)) in pieces
    }
    return literal.Board(at.ruleset.size, placed)


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


def compare(at: Dendria, game: literal.Game) -> None:
    assert sorted(at.legal_turns) == game.legal()
    assert at.pieces() == {literal.name(pair): piece for pair, piece in game.board.pieces.items()}
    score = game.score()
    assert at.score() == {"dark": score["d"], "light": score["l"]}
    if game.result is None:
        assert at.outcome is None
        assert at.to_play is LETTERS[game.side]
    else:
        assert at.outcome is not None
        assert (at.outcome.winner, str(at.outcome.reason)) == (LETTERS[game.result[0]], game.result[1])


def agree_on(at: Dendria, game: literal.Game, turn: str) -> bool:
    """Whether both accept the turn; check that they agree."""
    again = copy.copy(game)
    again.states = list(game.states)
    try:
        at.parse(turn)
    except TurnError as error:
        reason = str(error)
        with pytest.raises(literal.Refused):
            again.play(turn)
        return not reason
    again.play(turn)
    return True


def note_events(at: Dendria, turn: str, events: Iterable[object], seen: Counter[str]) -> None:
    acts = [event for event in events if isinstance(event, Sprouted | Germinated)]
    seen["sprouted"] += any(isinstance(act, Sprouted) for act in acts)
    seen["germinated"] += any(isinstance(act, Germinated) for act in acts)
    seen["sprouted an enemy Seed"] += any(
        isinstance(act, Sprouted) and at.owner(act.cell) not in {None, act.side} for act in acts
    )
    seen["germinated an enemy seedbed"] += any(
        isinstance(act, Germinated) and at.owner(act.cells[0]) not in {None, act.side} for act in acts
    )
    seen["germinated several Seeds"] += any(isinstance(act, Germinated) and len(act.cells) > 1 for act in acts)
    seen["several acts"] += len(acts) > 1
    seen["several stops"] += turn.count("-") > 1
    seen["sprouted and germinated in one move"] += "+" in turn and "*" in turn


def play_and_compare(at: Dendria, game: literal.Game, plies: int, rng: random.Random, seen: Counter[str]) -> int:
    """Play both readings for at most so many plies, compare them at each, and return the number played."""
    states = {(at.first, at.second, at.seeds, at.trees, at.turn_of)}
    passing = rng.choice((0.0, 0.05, 0.2))
    for ply in range(plies):
        compare(at, game)
        if at.outcome is not None:
            seen[at.outcome.reason] += 1
            return ply
        for _ in range(3):
            seen["illegal"] += not agree_on(at, game, odd_turn(at, rng))
        turn = built_turn(at, rng) if rng.random() < 0.7 else rng.choice(at.legal_turns)
        turn = "pass" if rng.random() < passing else turn
        before = at
        at, events = at.play(turn)
        game.play(turn)
        note_events(before, turn, events, seen)
        state = (at.first, at.second, at.seeds, at.trees, at.turn_of)
        assert turn == "pass" or state not in states
        states.add(state)
    return plies


@pytest.mark.parametrize(
    ("size", "seed", "plies"),
    [
        (3, 1, fewer(600, 3)),
        *((4, seed, fewer(200, 3)) for seed in sample((3, 4), 2)),
        (5, 7, 80),
        (7, 9, 50),
    ],
)
def test_whole_games_agree_with_the_literal_reading(size: int, seed: int, plies: int) -> None:
    rng = random.Random(seed)
    seen = Counter[str]()
    while plies > 0:
        opening = rng.choice(start(size).legal_turns)
        at = after(start(size), opening, rng.choice(("dark", "light")))
        first = cell(at, opening)
        game = literal.Game(size, (at.board.column(first), at.board.row(first)))
        plies -= play_and_compare(at, game, min(plies, 70 * (size - 2)), rng, seen)
    assert seen["illegal"]
    if size < 5:
        assert seen["sprouted"], seen
        assert seen["several acts"], seen


RARE = (
    "sprouted",
    "sprouted an enemy Seed",
    "germinated",
    "germinated an enemy seedbed",
    "germinated several Seeds",
    "several acts",
    "several stops",
    "illegal",
    "score",
)


@pytest.mark.parametrize(
    ("seed", "events"), sample([(22, (*RARE, "sprouted and germinated in one move")), (21, RARE)], 2)
)
def test_games_from_random_boards_agree_with_the_literal_reading(seed: int, events: tuple[str, ...]) -> None:
    rng = random.Random(seed)
    seen = Counter[str]()
    for _ in range(75):
        at = random_position(rng, rng.choice((3, 4, 4)), rng.choice((0.4, 0.6, 0.8)), rng.choice(("SD", "SSD", "SSDT")))
        game = literal.Game(at.ruleset.size, (0, 0))
        game.board, game.side = literal_board(at), "dl"[at.turn_of]
        game.states = [(dict(game.board.pieces), game.side)]
        play_and_compare(at, game, 12, rng, seen)
    for event in events:
        assert seen[event], (event, seen)


def random_position(rng: random.Random, size: int, empty: float, kinds: str) -> Dendria:
    at = start(size)
    pieces = {
        name: rng.choice("dl") + rng.choice(kinds) for name in at.board.names(at.board.mask) if rng.random() >= empty
    }
    return position(size, "", rng.choice(tuple(Side)), pieces)


@pytest.mark.parametrize("size", [3, 4, 5])
def test_every_term_agrees_with_the_literal_reading_on_random_boards(size: int) -> None:
    rng = random.Random(size)
    for _ in range(fewer(120, 5)):
        at = random_position(rng, size, rng.choice((0.2, 0.5, 0.8, 0.95)), rng.choice(("STD", "SD", "SSSD", "TTTD")))
        board = literal_board(at)
        at_cell = {(at.board.column(number), at.board.row(number)): number for number in at.board.cells}

        def mask(cells: Iterable[literal.Cell], by: dict[literal.Cell, int] = at_cell) -> int:
            return sum(1 << by[soil] for soil in cells)

        for pair, number in at_cell.items():
            by, got = board.nourished_by(pair), at.field.nourishment(number)
            assert got.by is (None if by is None else LETTERS[by])
            assert (by is None) == bool(at.field.hungry >> number & 1)
            ends = [end for _, end in board.roots(pair)]
            assert got.open_roots == ends.count(None)
            assert sum(got.nutrients) + got.open_roots == len(ends)
        for letter, side in LETTERS.items():
            assert at.field.fertile(side) == mask(board.fertile(letter))
            assert at.field.leafiness_cells(side) == mask(board.leafiness(letter))
            assert sorted(at.field.seedbeds(side)) == sorted(map(mask, board.groups(letter, "S")))
            assert sorted(at.field.forests(side)) == sorted(map(mask, board.groups(letter, "T")))
            assert sorted(at.protected(side)) == sorted(map(mask, board.protected(letter)))
            assert sorted(at.attacked(side)) == sorted(map(mask, board.attacked(letter)))
            seeds = board.of("d", "S") + board.of("l", "S")
            germinable = {seed for seed in seeds if board.can_germinate(letter, seed, None)}
            assert sum(at.field.germinable(side)) == mask(germinable)


@pytest.mark.parametrize("seed", sample([8, 10], 2))
def test_the_forced_pass_agrees_with_the_literal_reading(seed: int) -> None:
    rng = random.Random(seed)
    seen = Counter[str]()
    for _ in range(fewer(2000, 3)):
        kinds = rng.choice(("STTTTD", "TTTTTD", "SSSSSD", "SSSTTTD"))
        at = random_position(rng, rng.choice((3, 3, 4)), rng.choice((0.05, 0.12, 0.2, 0.3)), kinds)
        board = literal_board(at)
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
        passed = after(at, "pass")
        assert (passed.outcome is not None) == (not failing)
        if not failing:
            assert passed.outcome is not None
            assert passed.outcome.winner is at.turn_of
            assert passed.outcome.reason == "forced pass"
    for reason in (
        "forced",
        "forced with a Dryad that can wander",
        "the passing side is behind",
        "the passing side has an irreversible turn",
        "the opponent has an irreversible turn",
        "the opponent has an irreversible turn after wandering",
        "wandering lets sow",
        "wandering lets act",
        "wandering lets only another Dryad act",
    ):
        assert seen[reason], (reason, seen)


def test_acts_that_need_two_dryads_agree_with_the_literal_reading() -> None:
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
    def pair(number: int) -> literal.Cell:
        return at.board.column(number), at.board.row(number)

    for soil in soils:
        board = literal_board(at)
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


def test_a_turn_built_element_by_element_equals_the_typed_turn() -> None:
    rng = random.Random(11)
    several = 0
    for _ in range(fewer(400, 3)):
        at = random_position(rng, rng.choice((3, 4, 5)), rng.choice((0.3, 0.5, 0.7)), rng.choice(("SD", "SSD", "STD")))
        draft = at.draft()
        assert (draft.text, draft.complete, draft.preview) == ("", False, at)
        assert "pass" in draft.next
        while draft.next and not (draft.complete and rng.random() < 0.2):
            before = draft
            draft = at.draft(draft.text + rng.choice(draft.next))
            assert draft.text.startswith(before.text)
            if draft.complete:
                assert (draft.preview, draft.events) == at.play(draft.text)
                assert at.parse(f" {draft.text.upper()} ".replace("+", " + ").replace("-", "- ")) == draft.text
            else:
                refused(at, draft.text)
                assert draft.next
        several += draft.text.count("+") + draft.text.count("*") > 1
    assert several > 20


def test_a_draft_offers_the_first_elements_of_the_legal_turns() -> None:
    rng = random.Random(12)
    for _ in range(60):
        at = random_position(rng, 4, 0.5, "SSTD")
        assert list(at.draft().next) == list(dict.fromkeys(turn.split("-")[0] for turn in at.legal_turns))
        for dryad in at.board.names(at.dryads & at.stones(at.turn_of)):
            moves = {turn for turn in at.legal_turns if turn.startswith(f"{dryad}-")}
            if moves:
                assert {dryad + element for element in at.draft(dryad).next} == moves
            else:
                refused(at, dryad, "has no soil to move to")


def refusal_of(read: Callable[[str], object], text: str) -> TurnError | None:
    try:
        read(text)
    except TurnError as error:
        return error
    return None


@pytest.mark.parametrize("seed", sample(range(3), 3))
def test_any_text_is_a_turn_or_refused_with_a_reason(seed: int) -> None:
    rng = random.Random(seed)
    tokens = [
        "a1",
        "c3",
        "e5",
        "d4",
        "z9",
        "aa1",
        "a99",
        "pass",
        "dark",
        "-",
        "+",
        "*",
        ",",
        " ",
        "é",
        "٣",
        "0",
        "\n",
        "A1",
    ]
    stages = [start(3)]
    stages.append(after(stages[0], "c3"))
    stages.append(after(stages[1], "light"))
    stages.append(position(3, "c3 dD, a1 lS, e5 lD, b2 dS"))
    stages.append(after(stages[2], "pass", "pass"))
    for _ in range(fewer(1500, 5)):
        text = "".join(rng.choice(tokens) for _ in range(rng.randrange(6)))
        for at in stages:
            for read in (at.parse, at.play, at.draft):
                error = refusal_of(read, text)
                assert error is None or str(error)
                assert at.outcome is None or isinstance(error, GameOver)


# ----------------------------------------------------------------------------------------------------------------------
# The opening and the end of the game in general.


def test_the_opening_is_one_dark_seed_on_any_cell_and_light_plays_next() -> None:
    at = start(7)
    assert len(at.legal_turns) == 127
    opened, events = at.play("G7")
    assert events == (Placed(DARK, cell(at, "g7")),)
    assert opened.pieces() == {"g7": "dS"}
    chosen, events = opened.play("light")
    assert events == (SideChosen(LIGHT),)
    assert chosen.to_play is LIGHT
    assert len(chosen.legal_turns) == 127
    assert chosen.score() == {"dark": 0, "light": 0}
    refused(at, "pass", "cannot be passed")
    refused(chosen, "dark", "already been chosen")


def test_after_the_end_every_turn_is_refused() -> None:
    over = after(start(7), "g7", "dark", "pass", "pass")
    assert over.phase is Phase.OVER
    assert over.legal_turns == ()
    for turn in ("a1", "pass", "nonsense", "g7-g8"):
        assert isinstance(refused(over, turn), GameOver)


def test_positions_are_equal_and_hash_alike_when_their_contents_are() -> None:
    one = after(start(7), "g7", "dark", "a1", "b1")
    two = after(start(7), "g7", "dark", "a1", "b1")
    assert one == two
    assert hash(one) == hash(two)
    assert one != after(two, "pass")


def test_the_picture_shows_colours_and_kinds() -> None:
    text = str(position(3, "a1 dS, b1 dT, c1 dD, a2 lS, b2 lT, c2 lD"))
    assert sorted(text.replace(" ", "").replace("\n", "")) == sorted("●▲◆○△◇" + "·" * 13 + "12345abcde")


# ----------------------------------------------------------------------------------------------------------------------
# Roots, nutrients.


def test_a_root_runs_over_empty_soils_to_the_edge_or_another_piece() -> None:
    at = position(4, "d4 dS, d6 lT")
    roots = at.field.roots(cell(at, "d4"))
    assert Root((cell(at, "d5"),), cell(at, "d6")) in roots
    assert Root(tuple(cell(at, name) for name in ("e5", "f6", "g7")), None) in roots
    assert len(roots) == 6


def test_an_adjacent_piece_stands_at_the_end_of_a_root_of_no_soils() -> None:
    at = position(4, "d4 dS, d5 lT")
    assert Root((), cell(at, "d5")) in at.field.roots(cell(at, "d4"))


def test_a_direction_that_leaves_the_board_at_once_has_no_root() -> None:
    at = position(4, "")
    assert [len(at.field.roots(cell(at, name))) for name in ("a1", "a2", "b2")] == [3, 4, 6]


def test_a_root_brings_a_nutrient_of_the_colour_of_the_piece_at_its_end() -> None:
    at = position(4, "a1 dS, a4 lT, b2 dD, d4 dD, c4 lS")
    got = at.field.nourishment(cell(at, "a2"))
    assert (got.nutrients, got.open_roots) == ((2, 2), 0)


AROUND_A2 = "a1 dT, a3 dT, b3 dT, b2 lT"


def test_a_seed_is_hungry_when_a_root_has_no_piece_at_its_end() -> None:
    at = position(3, "a1 dT, a3 dT, b3 dT, a2 dS")
    got = at.field.nourishment(cell(at, "a2"))
    assert (got.by, got.nutrients, got.open_roots) == (None, (3, 0), 1)


def test_a_seed_is_hungry_when_both_colours_bring_equally_many_nutrients() -> None:
    at = position(3, "a1 dT, a3 dT, b3 lT, b2 lT, a2 dS")
    assert at.field.nourishment(cell(at, "a2")).by is None


def test_otherwise_a_seed_is_nourished_by_the_colour_that_gives_more() -> None:
    for own in ("dS", "lS"):
        at = position(3, f"{AROUND_A2}, a2 {own}")
        assert at.field.nourishment(cell(at, "a2")).by is DARK


# ----------------------------------------------------------------------------------------------------------------------
# Fertile, seedbeds, sprouting, germinating.


def test_a_dryad_makes_its_cell_and_the_empty_soils_on_its_roots_fertile() -> None:
    at = position(3, "a1 dD, a3 lT, b2 dS")
    assert names(at, at.field.fertile(DARK)) == {"a1", "a2", "b1", "c1"}
    assert at.field.fertile(LIGHT) == 0


def test_soils_cease_to_be_fertile_once_the_dryad_has_moved() -> None:
    at = after(position(3, "a1 dD, b2 dS"), "a1-c1")
    assert "a1" in names(at, at.field.fertile(DARK))
    assert "a2" not in names(at, at.field.fertile(DARK))


def test_a_seedbed_is_a_maximal_connected_set_of_seeds_of_one_colour() -> None:
    at = position(3, "a1 dS, a2 dS, b2 lS, c3 dS, c2 dD, d4 dS, b1 dT")
    assert [names(at, seedbed) for seedbed in at.field.seedbeds(DARK)] == [{"a1", "a2"}, {"c3", "d4"}]
    assert [names(at, seedbed) for seedbed in at.field.seedbeds(LIGHT)] == [{"b2"}]
    assert [names(at, forest) for forest in at.field.forests(DARK)] == [{"b1"}]


def test_any_seed_nourished_by_the_mover_sprouts_into_the_movers_dryad() -> None:
    for own in ("dS", "lS"):
        at = position(3, f"{AROUND_A2}, a2 {own}")
        sprouted, events = at.play("e5+a2")
        assert sprouted.pieces()["a2"] == "dD"
        assert events == (Placed(DARK, cell(at, "e5")), Sprouted(DARK, cell(at, "a2")))


def test_a_seed_nourished_by_the_enemy_does_not_sprout() -> None:
    at = position(3, f"{AROUND_A2}, a2 lS", LIGHT)
    refused(at, "e5+a2", "nourished by Dark, not by Light")


def test_a_hungry_seed_does_not_sprout() -> None:
    at = position(3, "a1 dT, a3 dT, b3 lT, b2 lT, a2 dS, c5 dS")
    refused(at, "e5+a2", "hungry", "equal")
    refused(at, "e5+c5", "hungry", "no piece at the end")


def test_only_seeds_sprout() -> None:
    at = position(3, "a1 dT, a2 lD")
    refused(at, "e5+a1", "a dark Tree")
    refused(at, "e5+a2", "a light Dryad")
    refused(at, "e5+c3", "no Seed on c3")


def test_any_seedbed_amid_fertile_cells_becomes_the_movers_forest() -> None:
    for own in ("dS", "lS"):
        at = position(3, f"a1 {own}, b2 dD")
        grown, events = at.play("e5*a1")
        assert grown.pieces()["a1"] == "dT"
        assert events[1] == Germinated(DARK, (cell(at, "a1"),))


def test_each_seed_of_the_seedbed_becomes_a_tree_and_any_of_them_names_it() -> None:
    at = position(3, "a1 lS, a2 lS, b2 dD, a3 dD")
    assert names(at, at.field.fertile(DARK)) >= {"b1", "b2", "b3", "a3"}
    assert after(at, "e5*a1") == after(at, "e5*a2")
    assert after(at, "e5*a2").pieces() == {"a1": "dT", "a2": "dT", "b2": "dD", "a3": "dD", "e5": "dS"}
    assert [element for element in at.draft("e5").next if element[0] == "*"] == ["*a1"]


def test_a_seedbed_beside_a_cell_that_is_not_fertile_does_not_germinate() -> None:
    at = position(3, "a1 dS, a2 dD")
    error = refused(at, "e5*a1", "fertile for Dark", "b1")
    assert isinstance(error, IllegalTurn)
    assert error.cells == (cell(at, "b1"),)


@pytest.mark.parametrize("piece", ["lS", "dT", "lT", "lD"])
def test_an_adjacent_seed_tree_or_enemy_dryad_prevents_germination(piece: str) -> None:
    at = position(3, f"a1 dS, b2 dD, a2 {piece}")
    refused(at, "e5*a1", "fertile for Dark", "a2")


def test_a_friendly_dryad_next_to_the_seedbed_is_on_a_fertile_cell() -> None:
    assert after(position(3, "a1 dS, b2 dD, a2 dD"), "e5*a1").pieces()["a1"] == "dT"


# ----------------------------------------------------------------------------------------------------------------------
# Sowing.


def test_a_seed_is_sown_on_an_empty_soil_where_it_is_hungry() -> None:
    at = position(3, "a1 dT, a3 dT, b3 lT, b2 lT", LIGHT)
    sown, events = at.play("a2")
    assert sown.pieces()["a2"] == "lS"
    assert events == (Placed(LIGHT, cell(at, "a2")),)


def test_a_seed_cannot_be_sown_where_it_would_be_nourished() -> None:
    for side in Side:
        at = position(3, AROUND_A2, side)
        error = refused(at, "a2", "a2 would be nourished by Dark, and only a hungry Seed can be sown")
        assert isinstance(error, IllegalTurn)
        assert {at.board.name(cell) for cell in error.cells} == {"a1", "a3", "b3"}


def test_a_seed_cannot_be_sown_on_a_piece() -> None:
    refused(position(3, "a1 lS"), "a1", "a1 is taken by a light Seed")


def test_a_sowing_may_sprout_several_seeds_even_the_sown_one() -> None:
    at = position(3, "a1 dT, a3 dT, b3 lT, b2 lS, b1 dT, c2 dT, c3 dT")
    refused(at, "a2+a2", "a2 is hungry", "equal")
    sown, events = at.play("a2+b2+a2")
    assert (sown.pieces()["a2"], sown.pieces()["b2"]) == ("dD", "dD")
    assert events == (
        Placed(DARK, cell(at, "a2")),
        Sprouted(DARK, cell(at, "b2")),
        Sprouted(DARK, cell(at, "a2")),
    )


def test_a_sowing_germinates_at_most_one_seedbed() -> None:
    at = position(3, "a1 dS, b2 dD, e5 lS, d4 dD")
    assert set(at.draft("b4").next) == {"*a1", "*e5"}
    assert at.draft("b4*a1").next == ()
    refused(at, "b4*a1*e5", "at most one seedbed")


def test_a_sowing_either_sprouts_or_germinates() -> None:
    at = position(3, f"{AROUND_A2}, a2 lS, e5 lS, d4 dD")
    assert set(at.draft("b4").next) == {"+a2", "*e5"}
    refused(at, "b4+a2*e5", "either sprouts or germinates, not both")
    refused(at, "b4*e5+a2", "either sprouts or germinates, not both")


# ----------------------------------------------------------------------------------------------------------------------
# Moving a Dryad.


def test_a_dryad_passes_over_soils_seeds_and_friendly_dryads_in_one_line() -> None:
    at = position(4, "a4 dD, b4 dS, c4 lS, d4 dD, f4 lS")
    moves = {turn for turn in at.legal_turns if turn.startswith("a4-") and turn.endswith("4")}
    assert moves == {"a4-e4", "a4-g4"}
    moved, events = at.play("a4-g4")
    assert events == (Moved(DARK, cell(at, "a4"), (cell(at, "g4"),)),)
    assert moved.pieces() == {"g4": "dD", "b4": "dS", "c4": "lS", "d4": "dD", "f4": "lS"}


@pytest.mark.parametrize("piece", ["dT", "lT", "lD"])
def test_a_dryad_never_passes_over_trees_or_enemy_dryads(piece: str) -> None:
    at = position(4, f"a4 dD, c4 {piece}")
    assert "a4-b4" in at.legal_turns
    refused(at, "a4-d4", "on c4 blocks")
    refused(at, "a4-c4", "c4 holds")


def test_a_dryad_stops_on_an_empty_soil() -> None:
    refused(position(4, "a4 dD, c4 dS"), "a4-c4", "stops on an empty soil", "a dark Seed")


def test_a_dryad_moves_along_a_straight_line() -> None:
    at = position(4, "d4 dD")
    refused(at, "d4-e6", "not in a straight line from d4")
    refused(at, "d4-d4", "not in a straight line")


# Dark's Dryad on a4 can sprout a2 from a3 (root a2-a3), since a1, b2 and b3 also feed the Seed.
SPROUT_FROM_A3 = "a4 dD, a2 lS, a1 dT, b2 dT, b3 lT"


def test_at_a_soil_on_its_way_a_dryad_may_sprout() -> None:
    at = position(4, SPROUT_FROM_A3)
    moved, events = at.play("a4-a3+a2")
    assert moved.pieces()["a2"] == "dD"
    assert events == (Moved(DARK, cell(at, "a4"), (cell(at, "a3"),)), Sprouted(DARK, cell(at, "a2")))


def test_a_dryad_cannot_act_on_the_soil_it_leaves() -> None:
    at = position(4, SPROUT_FROM_A3)
    refused(at, "a4+a2", "cannot act on the soil it leaves")
    refused(at, "a4+a2-a3", "cannot act on the soil it leaves")


def test_a_dryad_never_turns_back_or_aside() -> None:
    at = position(4, "a2 dD, a4 lS, a1 dS, b4 dT, b5 dT")
    assert set(at.draft("a2-a3+a4").next) == set()
    at = position(4, "c4 dD, a3 lS, a2 dT, a4 dT, b4 lT")
    assert at.draft("c4-b3+a3").next == ()
    refused(at, "c4-b3+a3-c3", "in one direction")
    refused(at, "c4-b3+a3-c4", "in one direction")


def test_different_soils_of_one_move_may_differ() -> None:
    at = position(4, "a1 lS, d1 lS, e2 lD, a4 lD", LIGHT)
    moved, events = at.play("e2-b2+a1-a2*d1")
    assert moved.pieces() == {"a1": "lD", "d1": "lT", "a2": "lD", "a4": "lD"}
    assert events == (
        Moved(LIGHT, cell(at, "e2"), (cell(at, "b2"), cell(at, "a2"))),
        Sprouted(LIGHT, cell(at, "a1")),
        Germinated(LIGHT, (cell(at, "d1"),)),
    )


def test_at_one_soil_a_dryad_either_sprouts_or_germinates() -> None:
    at = position(4, "a4 dD, a2 lS, a1 dT, b2 dT, b3 lT, d7 lS, d6 dD, c6 dD")
    refused(at, "a4-a3+a2*d7", "on one soil, a3, a Dryad either sprouts or germinates, not both")


def test_at_one_soil_a_dryad_may_sprout_several_seeds_one_after_the_other() -> None:
    at = position(3, "c2 dD, b2 dS, a1 lS, b1 dT, a3 dS, b3 dT, b4 dT")
    assert set(at.draft("c2-a2").next) == {"+a1", "+a3"}
    sprouted = after(at, "c2-a2+a3+a1").pieces()
    assert (sprouted["a1"], sprouted["a2"], sprouted["a3"]) == ("dD", "dD", "dD")


def test_a_soil_on_the_way_where_it_does_nothing_is_not_written() -> None:
    at = position(4, "a4 dD")
    refused(at, "a4-a3-a2", "does nothing on a3, so leave that soil out")


def test_each_sprouted_seed_must_have_a_root_that_ends_at_the_moved_dryad() -> None:
    at = position(3, f"{AROUND_A2}, a2 lS, e3 dD")
    refused(at, "e3-e4+a2", "no root of the Seed on a2 ends at the moved Dryad on e4")


def test_the_moved_dryad_makes_a_cell_beside_each_seedbed_fertile() -> None:
    at = position(3, "a1 lS, b2 dD, e3 dD")
    refused(at, "e3-e5*a1", "the moved Dryad on e5 makes no soil next to the seedbed of a1 fertile")
    # From c1, its root runs over b1, next to the seedbed.
    assert after(at, "e3-c1*a1").pieces()["a1"] == "dT"


def test_the_dryad_acts_with_the_roots_of_its_current_soil() -> None:
    at = position(3, "a1 lS, b2 dD")
    refused(at, "b2-c3*a1", "b1, a2")
    assert after(position(3, "a1 lS, c3 dD"), "c3-b2*a1").pieces() == {"a1": "dT", "b2": "dD"}


def test_a_tree_just_grown_blocks_the_rest_of_the_way() -> None:
    at = position(4, "a4 dD, a2 lS, b2 dD")
    assert "a4-a1" in at.legal_turns
    assert at.draft("a4-a3*a2").next == ()
    refused(at, "a4-a3*a2-a1", "a dark Tree on a2 blocks")


def test_at_one_soil_a_dryad_may_germinate_several_seedbeds_in_any_order() -> None:
    at = position(3, "a3 dD, a1 lS, c1 lS, d2 dD, a2 dD, b3 dD")
    draft = at.draft("b3-b2")
    assert set(draft.next) >= {"*a1", "*c1"}
    assert after(at, "b3-b2*a1*c1").pieces()["c1"] == "dT"
    assert after(at, "b3-b2*c1*a1") == after(at, "b3-b2*a1*c1")


# ----------------------------------------------------------------------------------------------------------------------
# Repetition.

APART = "a1 dD, g7 lD"


def test_a_turn_other_than_a_pass_may_not_recreate_an_earlier_state() -> None:
    at = after(position(4, APART), "a1-a2", "g7-g6", "a2-a1")
    assert "g6-g7" not in at.legal_turns
    refused(at, "g6-g7", "would recreate an earlier state of the game")
    assert "-g7" not in at.draft("g6").next
    assert "g6-g5" in at.legal_turns


def test_the_same_pieces_with_the_other_side_to_play_are_another_state() -> None:
    assert after(position(4, APART), "a1-a2", "pass", "a2-a1").to_play is LIGHT


def test_states_after_passes_count_as_earlier_states() -> None:
    at = after(position(4, APART), "pass", "g7-g6", "a1-a2", "g6-g7")
    refused(at, "a2-a1", "earlier state")


def test_a_pass_may_recreate_an_earlier_state() -> None:
    at = after(position(4, APART), "a1-a2", "pass", "a2-a1", "pass")
    assert at.pieces() == {"a1": "dD", "g7": "lD"}
    assert at.to_play is DARK


def test_acts_make_a_move_legal_that_would_recreate_an_earlier_state() -> None:
    at = position(4, "a3 dD, a2 lS, a1 dT, b2 dT, b3 lT, g7 lD")
    at = after(at, "pass", "g7-g6", "a3-a4", "g6-g7")
    assert "a4-a3" not in at.legal_turns
    refused(at, "a4-a3", "earlier state")
    draft = at.draft("a4-a3")
    assert (draft.complete, draft.next) == (False, ("+a2",))
    assert draft.preview.pieces()["a3"] == "dD"
    assert "-a3" in at.draft("a4").next
    assert after(at, "a4-a3+a2").pieces()["a2"] == "dD"


def test_after_a_sowing_older_states_need_not_be_remembered() -> None:
    at = after(position(4, APART), "a1-a2", "g7-g6", "d4")
    assert len(at.earlier) == 1


# ----------------------------------------------------------------------------------------------------------------------
# Leafiness, passing and the end.


def test_leafiness_is_the_trees_and_the_cells_with_more_of_their_roots() -> None:
    at = position(3, "a1 dT, a3 lT")
    # a2 and c3 lie on one root of each side.
    assert names(at, at.field.leafiness_cells(DARK)) == {"a1", "b1", "c1", "b2", "d4", "e5"}
    assert names(at, at.field.leafiness_cells(LIGHT)) == {"a3", "b4", "c5", "b3", "d3", "e3"}


def test_a_root_lies_on_the_seed_or_dryad_at_its_end_but_not_on_a_tree() -> None:
    for piece, counted in (("lS", True), ("lD", True), ("lT", False)):
        at = position(3, f"a1 dT, a2 {piece}")
        assert ("a2" in names(at, at.field.leafiness_cells(DARK))) == counted


def test_roots_are_counted_over_all_forests_and_each_cell_once() -> None:
    at = position(3, "a1 dT, c1 dT, b3 lT")
    # b1 has two dark roots; b2 one dark and one light.
    assert "b1" in names(at, at.field.leafiness_cells(DARK))
    assert at.score()["dark"] == len(names(at, at.field.leafiness_cells(DARK)))
    at = position(3, "b1 lT, a2 dT, c2 dT")
    # Two roots of two dark forests against one light root.
    assert "b2" in names(at, at.field.leafiness_cells(DARK))


def test_the_side_that_passed_first_of_two_has_half_a_point_more() -> None:
    at = position(4, "d4 dS")
    once = after(at, "pass")
    assert once.score() == {"dark": 0.5, "light": 0}
    assert after(once, "a1").score() == {"dark": 0, "light": 0}
    over, events = once.play("pass")
    assert over.score() == {"dark": 0.5, "light": 0}
    assert over.outcome is not None
    assert (over.outcome.winner, over.outcome.reason) == (DARK, "score")
    assert events == (Passed(LIGHT),)


def test_two_passes_in_a_row_end_the_game_and_the_higher_score_wins() -> None:
    over, events = after(position(4, "d4 lT"), "pass").play("pass")
    assert over.outcome is not None
    assert (over.outcome.winner, over.outcome.reason) == (LIGHT, "score")
    assert events == (Passed(LIGHT), Territory(LIGHT, tuple(bits(over.field.leafiness_cells(LIGHT)))))


ALL_TREES = dict.fromkeys(start(3).board.names(start(3).board.mask), "lT")


def test_a_pass_of_the_side_ahead_ends_a_game_without_irreversible_turns() -> None:
    over, events = position(3, "", LIGHT, ALL_TREES).play("pass")
    assert over.outcome is not None
    assert (over.outcome.winner, over.outcome.reason) == (LIGHT, "forced pass")
    assert over.score() == {"dark": 0, "light": 19.5}
    assert events == (Passed(LIGHT), Territory(LIGHT, tuple(over.board.cells)))


def test_the_half_point_counts_in_being_ahead() -> None:
    halves = {name: "dT" if name < "c3" else "lT" for name in ALL_TREES} | {"c3": "lS"}
    at = position(3, "", DARK, halves)
    assert at.score() == {"dark": 9, "light": 9}
    assert after(at, "pass").outcome is not None


def test_the_pass_of_the_side_behind_forces_nothing() -> None:
    at = position(3, "", DARK, ALL_TREES)
    assert after(at, "pass").outcome is None
    answered = after(at, "pass", "pass")
    assert answered.outcome is not None
    assert answered.outcome.reason == "score"


def test_a_pass_forces_nothing_while_a_seed_can_be_sown() -> None:
    at = position(3, "", LIGHT, {name: piece for name, piece in ALL_TREES.items() if name not in {"a1", "a2"}})
    assert "a1" not in at.legal_turns  # Light's Trees would nourish the Seed
    even = ALL_TREES | {"b3": "dT", "a3": "dT"}
    del even["a2"]
    at = position(3, "", LIGHT, even)
    assert "a2" in at.legal_turns
    assert after(at, "pass").outcome is None


def test_protected_and_attacked_forests() -> None:
    at = position(3, "a1 dT, b2 dD")
    assert [names(at, forest) for forest in at.protected(DARK)] == [{"a1"}]
    assert at.attacked(DARK) == []
    at = position(3, "a1 lT, b2 dD")
    assert at.protected(LIGHT) == []
    assert [names(at, forest) for forest in at.attacked(LIGHT)] == [{"a1"}]


# ----------------------------------------------------------------------------------------------------------------------
# Notation and refusals.


def test_upper_case_and_spaces_around_and_between_tokens_are_accepted() -> None:
    at = position(4, SPROUT_FROM_A3)
    assert at.parse("  A4 - A3 + A2 ") == "a4-a3+a2"
    assert at.parse(" PASS ") == "pass"


def test_the_order_of_acts_and_the_name_of_a_seedbed_are_kept_as_typed() -> None:
    at = position(3, "a1 lS, a2 lS, b2 dD, a3 dD")
    assert at.parse("e5*a2") == "e5*a2"


@pytest.mark.parametrize(
    ("turn", "kind", "words"),
    [
        ("", NotATurn, "not a turn"),
        ("hello", NotATurn, "not a turn"),
        ("pass+a1", NotATurn, "not a turn"),
        ("z9", OffTheBoard, "off the board"),
        ("a9", OffTheBoard, "off the board"),
        ("c3,c4", NotATurn, "comma"),
        ("c3+", NotATurn, "a cell is missing"),
        ("a1", NotATurn, "has to move"),
        ("c3-c4", IllegalTurn, "no Dryad on c3"),
        ("e5-e4", IllegalTurn, "the Dryad on e5 is Light's, not yours"),
        ("b3-b4", IllegalTurn, "b3 holds a dark Seed, and only Dryads move"),
        ("c3-", IllegalTurn, "no Dryad on c3"),
        ("c4-c3+a1", IllegalTurn, "no Dryad on c4"),
        ("c3+b3-c4", IllegalTurn, "hungry"),
        ("dark", NotATurn, "already been chosen"),
    ],
)
def test_refusals_say_why(turn: str, kind: type[TurnError], words: str) -> None:
    at = position(3, "a1 dD, e5 lD, b3 dS")
    assert isinstance(refused(at, turn, words), kind)
    with pytest.raises(kind):
        at.refuse(turn)


def test_a_dryad_shut_in_has_no_soil_to_move_to() -> None:
    at = position(3, "a1 dD, a2 lT, b2 lT, b1 lT")
    refused(at, "a1", "the Dryad on a1 has no soil to move to")
    refused(at, "a1-a3", "a light Tree on a2 blocks")


def test_a_dryad_that_can_only_recreate_earlier_states_cannot_be_taken() -> None:
    at = position(4, "a1 dD, b1 lT, b2 lT, b3 lT, a3 lT, g7 lD")
    at = after(at, "pass", "g7-g6", "a1-a2", "g6-g7")
    assert "a2" not in at.draft().next
    refused(at, "a2", "every move of the Dryad on a2 would recreate an earlier state")
    refused(at, "a2-a1", "moving the Dryad from a2 to a1 would recreate an earlier state")


def test_a_turn_that_sows_moves_no_dryad() -> None:
    at = position(3, f"{AROUND_A2}, a2 lS")
    refused(at, "e5+a2-e4", "moves no Dryad")


# ----------------------------------------------------------------------------------------------------------------------
# The rule page.

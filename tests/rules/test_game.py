"""What holds for every game: turns, positions, the opening, the symmetries of the board, and rulesets."""

from __future__ import annotations

import copy
import itertools
import pickle
import re
from collections.abc import Callable
from dataclasses import FrozenInstanceError, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules import (
    GAMES,
    Dalen,
    Phase,
    Position,
    Ruleset,
    Side,
    SideChosen,
    TurnError,
    UnknownRuleset,
    bits,
    ruleset,
    ruleset_by_id,
)
from tests.rules.sample import RULESETS, RULESETS_AND_TINY, ids, random_turns, repeatable, walk

every_ruleset = pytest.mark.parametrize("rules_of", RULESETS_AND_TINY, ids=ids)
every_game = pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)


# Turns


@every_ruleset
def test_every_listed_turn_is_accepted_and_parses_to_itself(rules_of: Ruleset) -> None:
    for ply, (position, _) in enumerate(walk(rules_of)):
        turns = position.legal_turns
        assert turns
        assert len(set(turns)) == len(turns)
        for turn in turns:
            assert position.parse(turn) == turn
            assert position.parse(f"  {turn.upper()} ") == turn
        for turn in turns if ply % 8 == 0 else turns[:1]:
            after, events = position.play(turn)
            assert events
            assert after != position


@every_ruleset
def test_a_random_game_comes_to_an_end_with_no_turns_left(rules_of: Ruleset) -> None:
    over = rules_of.replay(random_turns(rules_of))
    assert over.phase is Phase.OVER
    assert over.outcome is not None
    assert over.legal_turns == ()
    assert over.to_play is None


@every_ruleset
def test_output_is_lower_case_without_spaces(rules_of: Ruleset) -> None:
    for position, _ in walk(rules_of):
        assert all(turn == turn.lower() and " " not in turn for turn in position.legal_turns)


@every_ruleset
def test_a_replay_of_the_turns_gives_the_same_position(rules_of: Ruleset) -> None:
    turns = random_turns(rules_of)
    position = rules_of.start()
    for turn in turns:
        position, _ = position.play(turn)
    assert rules_of.replay(turns) == rules_of.replay(list(turns)) == position


def test_a_replay_stops_at_a_turn_that_cannot_be_played() -> None:
    with pytest.raises(TurnError, match="e5 is taken by a dark stone"):
        ruleset("dalen", 5).replay(["e5", "light", "e5"])


# Positions


@every_ruleset
def test_positions_are_equal_and_hash_alike_when_their_contents_are_equal(rules_of: Ruleset) -> None:
    again = rules_of.start()
    seen = set()
    for position, turn in walk(rules_of):
        assert again == position
        assert again is not position
        assert hash(again) == hash(position)
        seen.add(again)
        again, _ = again.play(turn)
    assert len(seen) == len(walk(rules_of)), "no position comes twice in this game"


@every_ruleset
def test_playing_a_turn_does_not_change_the_position(rules_of: Ruleset) -> None:
    for position, turn in walk(rules_of)[:60]:
        contents, pieces, text, listed = hash(position), position.pieces(), str(position), position.legal_turns
        fresh = replace(position)
        position.play(turn)
        assert (hash(position), position.pieces(), str(position)) == (contents, pieces, text)
        assert position.legal_turns == listed == fresh.legal_turns
        assert position == fresh


@every_game
def test_a_position_cannot_be_changed(game: type[Position]) -> None:
    with pytest.raises(FrozenInstanceError):
        Ruleset(game, game.default_size, game.variants[0]).start().first = 1  # type: ignore[misc]


@every_ruleset
def test_a_position_survives_copying_and_pickling(rules_of: Ruleset) -> None:
    position = rules_of.replay(random_turns(rules_of)[:9])
    assert position.legal_turns is not None
    assert copy.deepcopy(position) == position
    unpickled = pickle.loads(pickle.dumps(position))  # noqa: S301
    assert unpickled == position
    assert unpickled.legal_turns == position.legal_turns


@every_ruleset
def test_owner_stones_empty_and_pieces_tell_the_same_story(rules_of: Ruleset) -> None:
    for position, _ in walk(rules_of):
        stones = {side: set(bits(position.stones(side))) for side in Side}
        empty = set(bits(position.empty))
        assert sum(map(len, stones.values())) + len(empty) == len(position.board.cells)
        for cell in position.board.cells:
            assert position.owner(cell) == next((side for side in Side if cell in stones[side]), None)
        occupied = stones[Side.FIRST] | stones[Side.SECOND]
        assert set(position.pieces()) == {position.board.name(cell) for cell in occupied}
        text = str(position)
        assert (text.count("●"), text.count("○"), text.count("·")) == (*map(len, stones.values()), len(empty))


# The opening and the pie rule


@every_ruleset
@pytest.mark.parametrize("side", Side)
def test_the_second_player_chooses_a_side_after_the_opening(rules_of: Ruleset, side: Side) -> None:
    position = rules_of.start()
    assert (position.phase, position.to_play, position.second_player) == (Phase.OPENING, None, None)
    position, _ = position.play(position.legal_turns[0])
    assert (position.phase, position.to_play, position.second_player) == (Phase.CHOICE, None, None)
    assert position.legal_turns == position.sides
    opened = position.pieces()
    position, events = position.play(position.sides[side])
    assert events == (SideChosen(side),)
    assert (position.phase, position.second_player) == (Phase.PLAY, side)
    assert position.pieces() == opened


@every_ruleset
def test_the_choice_of_side_does_not_change_the_game_on_the_board(rules_of: Ruleset) -> None:
    opening, choice, *rest = random_turns(rules_of)
    ends = [rules_of.replay([opening, side, *rest]) for side in rules_of.game.sides]
    assert ends[0].pieces() == ends[1].pieces()
    assert ends[0].outcome == ends[1].outcome
    assert [end.second_player for end in ends] == list(Side)
    assert choice in rules_of.game.sides


@every_ruleset
def test_the_sides_alternate_after_the_choice(rules_of: Ruleset) -> None:
    sides = [position.to_play for position, _ in walk(rules_of) if position.phase is Phase.PLAY]
    assert all(side is not None and next_side is side.other for side, next_side in itertools.pairwise(sides))


def test_the_second_side_plays_first_after_a_one_stone_opening() -> None:
    assert ruleset("dalen").replay(["g7", "dark"]).to_play is Side.SECOND


# Symmetries

Map = Callable[[int, int], tuple[int, int]]


def turned(times: int, mirrored: int) -> Map:
    """A sixth of a turn about the centre so many times, after swapping columns and rows or not.

    About the centre the directions (1, 0), (1, 1), (0, 1), (−1, 0), … lie around in this order, so a sixth of a turn
    sends (1, 0) to (1, 1) and (0, 1) to (−1, 0).
    """

    def move(u: int, v: int) -> tuple[int, int]:
        if mirrored:
            u, v = v, u
        for _ in range(times):
            u, v = u - v, u
        return u, v

    return move


SYMMETRIES = {f"{times}{'m' if mirrored else ''}": turned(times, mirrored) for times in range(6) for mirrored in (0, 1)}


def image(position: Position, symmetry: Map) -> dict[str, str]:
    """The name of each cell's image."""
    board = position.board
    centre = board.size - 1
    by_coordinates = {(board.column(cell), board.row(cell)): board.name(cell) for cell in board.cells}
    images = {}
    for (x, y), name in by_coordinates.items():
        u, v = symmetry(x - centre, y - centre)
        images[name] = by_coordinates[u + centre, v + centre]
    return images


def moved(turn: str, images: dict[str, str]) -> str:
    return re.sub(r"[a-z]+[0-9]+", lambda cell: images[cell[0]], turn)


def test_there_are_twelve_symmetries_and_they_keep_neighbours() -> None:
    position = ruleset("dalen", 5).start()
    board = position.board
    all_images = [image(position, symmetry) for symmetry in SYMMETRIES.values()]
    assert len({tuple(images.items()) for images in all_images}) == 12
    for images in all_images:
        assert set(images.values()) == set(images)
        for name, other in images.items():
            cell, moved_cell = board.cell(name), board.cell(other)
            assert cell is not None
            assert moved_cell is not None
            beside = {images[near] for near in board.names(board.spread(1 << cell))}
            assert beside == set(board.names(board.spread(1 << moved_cell)))


@pytest.mark.parametrize("symmetry", SYMMETRIES.values(), ids=SYMMETRIES)
@pytest.mark.parametrize("rules_of", [rules_of for rules_of in RULESETS_AND_TINY if rules_of.size < 7], ids=ids)
def test_a_game_turned_or_mirrored_is_the_same_game(rules_of: Ruleset, symmetry: Map) -> None:
    images = image(rules_of.start(), symmetry)
    mirror = rules_of.start()
    for position, turn in walk(rules_of):
        assert {images[cell]: piece for cell, piece in position.pieces().items()} == mirror.pieces()
        assert sorted(moved(each, images) for each in position.legal_turns) == sorted(mirror.legal_turns)
        mirror, _ = mirror.play(moved(turn, images))
    assert mirror.outcome == rules_of.replay(random_turns(rules_of)).outcome


def with_colours_exchanged(position: Position) -> Position:
    outcome = position.outcome
    if outcome is not None and outcome.winner is not None:
        outcome = replace(outcome, winner=outcome.winner.other)
    return replace(
        position, first=position.second, second=position.first, turn_of=position.turn_of.other, outcome=outcome
    )


@pytest.mark.parametrize("rules_of", [each for each in RULESETS_AND_TINY if each.game is Dalen], ids=ids)
def test_after_the_choice_both_colours_have_the_same_rights(rules_of: Ruleset) -> None:
    for position, turn in walk(rules_of):
        if position.phase is Phase.PLAY:
            exchanged = with_colours_exchanged(position)
            assert exchanged.legal_turns == position.legal_turns
            assert exchanged.play(turn)[0] == with_colours_exchanged(position.play(turn)[0])


# Rulesets


def test_the_games_and_their_sizes_are_those_of_the_table() -> None:
    table = {name: (game.sizes, game.default_size, game.variants, game.sides) for name, game in GAMES.items()}
    assert table["dalen"] == ((5, 6, 7, 8, 9), 7, ("standard", "leaves"), ("dark", "light"))


@pytest.mark.parametrize("rules_of", RULESETS, ids=ids)
def test_a_ruleset_is_found_again_by_its_id(rules_of: Ruleset) -> None:
    assert ruleset_by_id(rules_of.id) == rules_of
    assert ruleset(rules_of.game.name, rules_of.size, rules_of.variant) == rules_of
    assert len({each.id for each in RULESETS}) == len(RULESETS)


@every_game
def test_a_ruleset_without_size_and_variant_has_the_defaults(game: type[Position]) -> None:
    found = ruleset(game.name)
    assert (found.game, found.size, found.variant) == (game, game.default_size, game.variants[0])
    assert game.default_size in game.sizes


@pytest.mark.parametrize(
    "identity",
    [
        "",
        "/",
        "dalen",
        "dalen/1",
        "dalen/1/7",
        "dalen/1/7/",
        "dalen/1/7/standard/",
        "dalen/1/7/standard/more",
        "dalen/0/7/standard",
        "dalen/2/7/standard",
        "dalen/01/7/standard",
        "dalen/1/07/standard",
        "dalen/1/7/Standard",
        "dalen/1/٧/standard",
        "dalen/1/+7/standard",
        "dalen/1/-7/standard",
        "dalen/1/7.0/standard",
        "dalen/1/4/standard",
        "dalen/1/10/standard",
        "dalen/1/7/reverse",
        "chess/1/8/standard",
        f"dalen/1/{'9' * 5000}/standard",
    ],
    ids=lambda identity: identity[:24] or "nothing",
)
def test_an_unknown_id_is_refused_in_words(identity: str) -> None:
    with pytest.raises(UnknownRuleset, match=r"\w+ \w+ \w+"):
        ruleset_by_id(identity)


@repeatable
@given(
    st.one_of(st.text(), st.lists(st.sampled_from(["dalen", "1", "7", "standard", "", "²"]), max_size=6).map("/".join))
)
def test_any_text_is_the_id_of_one_ruleset_or_of_none(identity: str) -> None:
    if identity in {rules_of.id for rules_of in RULESETS}:
        assert ruleset_by_id(identity).id == identity
    else:
        with pytest.raises(UnknownRuleset, match=r"."):
            ruleset_by_id(identity)


@pytest.mark.parametrize("size", [-7, 0, 1, 3, 4, 10, 14, 10**9])
def test_a_size_outside_the_table_is_refused(size: int) -> None:
    with pytest.raises(UnknownRuleset) as caught:
        ruleset("dalen", size)
    assert str(caught.value) == f"Dalen is played on sizes 5, 6, 7, 8, 9, not {size}"


@pytest.mark.parametrize("name", ["", "Dalen", "chess", "dalen "])
def test_an_unknown_game_is_refused(name: str) -> None:
    with pytest.raises(UnknownRuleset, match=f"there is no game “{name}”; there is dalen"):
        ruleset(name)


@pytest.mark.parametrize("variant", ["", "Leaves", "reverse"])
def test_an_unknown_variant_is_refused(variant: str) -> None:
    with pytest.raises(UnknownRuleset, match=f"Dalen has the variants standard, leaves, not “{variant}”"):
        ruleset("dalen", 7, variant)

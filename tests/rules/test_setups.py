"""Setups: games that start with a handicap, with pieces, or after other turns."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from rules import (
    Phase,
    Record,
    Ruleset,
    SetupError,
    Side,
    bits,
    continued,
    ruleset,
    ruleset_by_id,
    ruleset_from,
    with_setup,
)
from tests.support.each import for_each
from tests.support.positions import ANY_GAME, SMALLEST, SOME_RULESETS, built_turn, ids, random_turns, repeatable, walk
from tests.support.thorough import THOROUGH

WORDS = ["●e5", "○d4", "▲e4", "◇f6", "❷c3", "①g7", "●", "dark", "black", "light", "pass", "1", "e5", "d4", "e6,h9"]


def refusal(rules_of: Ruleset, setup: str) -> str:
    with pytest.raises(SetupError) as caught:
        with_setup(rules_of, setup)
    return str(caught.value)


def handicaps(rules_of: Ruleset) -> list[Ruleset]:
    return [with_setup(rules_of, str(stones)) for stones in rules_of.game.handicaps(rules_of.variant)]


@for_each("rules_of", SOME_RULESETS, ids)
def test_the_extra_stones_are_spread_around_the_centre(rules_of: Ruleset) -> None:
    board = rules_of.board
    for stones, handicapped in enumerate(handicaps(rules_of)):
        start = handicapped.start()
        assert (start.first.bit_count(), start.second, start.phase) == (stones, 0, Phase.OPENING)
        cells = list(bits(start.first))
        assert all(board.distance(one, other) >= 2 for one, other in pairwise(cells))
        turned = {2 * board.centre - cell for cell in cells}
        assert turned == set(cells)
        assert (board.centre in cells) is bool(stones % 2)


@for_each("rules_of", SOME_RULESETS, ids)
def test_with_a_handicap_the_first_player_keeps_the_first_side(rules_of: Ruleset) -> None:
    for handicapped in handicaps(rules_of):
        start = handicapped.start()
        turn = built_turn(start, random.Random(handicapped.id))
        opened, _ = start.play(turn)
        assert opened.second_player is Side.SECOND
        assert opened.to_play is start.starts
        usual, _ = rules_of.replay([turn, rules_of.game.sides[1]]), None
        assert opened.first == start.first | usual.first
        assert opened.to_play is usual.to_play


@pytest.mark.parametrize("game", ANY_GAME)
def test_openings_on_the_extra_stones_are_refused(game: str) -> None:
    start = handicaps(ruleset(game))[-1].start()
    for taken in start.pieces():
        opening = f"{taken},b3" if game == "nadraz" else taken
        with pytest.raises(ValueError, match=f"{taken} is taken by the handicap"):
            start.play(opening)
        assert taken not in start.draft().next


@pytest.mark.parametrize("game", ANY_GAME)
def test_a_game_that_continues_a_handicap_game_has_no_handicap(game: str) -> None:
    handicapped = handicaps(ruleset(game))[-1]
    assert (handicapped.handicap, handicapped.continues) == (ANY_GAME[game].handicaps("standard")[-1], False)
    opening = built_turn(handicapped.start(), random.Random(game))
    later = continued(handicapped, (opening,))
    assert (later.handicap, later.continues) == (None, True)
    assert later.start().pieces() == handicapped.replay((opening,)).pieces()
    assert with_setup(ruleset(game), later.setup) == later


@for_each("rules_of", SOME_RULESETS if THOROUGH else SMALLEST, ids)
def test_a_game_with_a_handicap_comes_to_an_end(rules_of: Ruleset) -> None:
    handicapped = handicaps(rules_of)[-1]
    assert walk(handicapped)
    turns = random_turns(handicapped)
    outcome = handicapped.replay(turns).outcome
    assert outcome is not None
    record = Record(handicapped, turns, Record.result_of(outcome.winner))
    assert Record.parse(str(record)) == record


@for_each("rules_of", [ruleset for ruleset in SMALLEST if ruleset.variant == ruleset.game.variants[0]], ids)
def test_a_continued_game_goes_on_as_if_uninterrupted(rules_of: Ruleset) -> None:
    turns, chance = random_turns(rules_of), random.Random(rules_of.id)
    one, two = sorted(chance.sample(range(len(turns)), 2))
    later = continued(continued(rules_of, turns[:one]), turns[one:two])
    assert later == continued(rules_of, turns[:two])
    assert ruleset_by_id(later.id) == later == with_setup(rules_of, later.setup)
    end, usual = later.replay(turns[two:]), rules_of.replay(turns)
    assert end == usual.changed(ruleset=later)
    assert end.outcome is not None
    record = Record(later, turns[two:], Record.result_of(end.outcome.winner))
    assert Record.parse(str(record)) == record


@for_each("rules_of", SOME_RULESETS, ids)
def test_a_position_is_set_up_again_with_the_same_pieces(rules_of: Ruleset) -> None:
    for position, _ in walk(rules_of)[3::9]:
        if position.first and position.second:
            again = with_setup(rules_of, ruleset_from(position).setup)
            assert again == ruleset_from(position)
            start = again.start()
            assert (start.pieces(), start.to_play) == (position.pieces(), position.turn_of)
            assert start.legal_turns


@pytest.mark.parametrize("game", ANY_GAME)
def test_a_setup_at_the_end_of_a_game_is_refused(game: str) -> None:
    rules_of = ruleset(game, ANY_GAME[game].sizes[0])
    turns = random_turns(rules_of)
    assert refusal(rules_of, " ".join(turns)) == "a match cannot begin from a finished position"
    with pytest.raises(SetupError, match="cannot begin from a finished position"):
        continued(rules_of, turns)


def test_a_setup_is_read_in_any_order_and_written_in_a_fixed_one() -> None:
    assert with_setup(ruleset("dalen"), "○F6  ●e5 ●A1\nLight").setup == "●a1 ●e5 ○f6 light"
    assert with_setup(ruleset("hedu"), "③f6 ●e5 black").setup == "❶e5 ①f6 black"
    assert with_setup(ruleset("dalen"), " 02 E5").setup == "2 e5"


@pytest.mark.parametrize(
    ("game", "setup", "reason"),
    [
        ("dalen", "6", "a handicap in Dalen has 0, 1, 2, 3, 4, 5 extra stones"),
        ("dalen", "9" * 5000, "a handicap in Dalen has 0, 1, 2, 3, 4, 5 extra stones"),
        ("dalen", "●e5 ○e6", "the side to play comes after the pieces: dark or light"),
        ("dalen", "●e5 ○e6 black", "the side to play comes after the pieces: dark or light"),
        ("dalen", "●e5 ○e5 dark", "two pieces stand on e5"),
        ("dalen", "●z1 ○e5 dark", "z1 is off the board, which runs from a1 to m13"),
        ("dalen", "●e5 dark", "the rules of Dalen do not allow these pieces on these cells"),
        ("nadraz", "●e5 ●e6 ●f6 ○h9 black", "the rules of Nadraz do not allow these pieces on these cells"),
        ("dalen", "e5 e5", "turn 2 of the setup: the second player chooses a side now: dark or light"),
        ("dalen", "●e5 ○e6 dark e5", "turn 1 of the setup: e5 is taken by a dark stone"),
        ("dalen", "e5 " * 5000, "the setup is longer than 10000 characters"),
        ("nadraz reverse", "1", "a handicap in Nadraz has 0 extra stones"),
    ],
)
def test_an_invalid_setup_is_refused_in_words(game: str, setup: str, reason: str) -> None:
    name, *variant = game.split()
    assert refusal(ruleset(name, variant=variant[0] if variant else None), setup) == reason


@repeatable
@given(st.sampled_from(list(ANY_GAME)), st.one_of(st.text(max_size=40), st.lists(st.sampled_from(WORDS)).map(" ".join)))
def test_any_text_is_a_setup_or_refused_in_words(game: str, text: str) -> None:
    try:
        found = with_setup(ruleset(game), text)
    except SetupError as error:
        reason = str(error)
    else:
        assert with_setup(ruleset(game), found.setup) == found
        assert found.start().phase is not Phase.OVER
        return
    assert len(reason.split()) > 3


@for_each("rules_of", SMALLEST, ids)
def test_a_setups_properties_are_read_without_a_replay(rules_of: Ruleset) -> None:
    turns = random_turns(rules_of)[:8]
    setups = [rules_of, *handicaps(rules_of), *(continued(rules_of, turns[:count]) for count in (1, 2, 3, 7))]
    uneven = handicaps(rules_of)[-1]
    setups += [continued(uneven, random_turns(uneven)[:count]) for count in range(1, 4)]
    position = rules_of.replay(turns)
    setups += [ruleset_from(position)] if position.can_stand() else []
    for setup in setups:
        start = setup.start()
        assert setup.second_player == start.second_player
        assert setup.plies_before_play == {Phase.OPENING: 2 if not setup.setup else 1, Phase.CHOICE: 1}.get(
            start.phase, 0
        )
        assert setup.continues == (start.phase is not Phase.OPENING)

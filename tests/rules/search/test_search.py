"""The computer player: legal and reproducible turns, proofs, levels, and a game that it does not know."""

from __future__ import annotations

import doctest
import os
import pickle
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from functools import cache
from random import Random

import pytest

import rules.search
from rules import GAMES, PASS, Phase, Position, Ruleset, Side, ruleset
from rules.search import LEVELS, Level, analyse, choose
from rules.search.knowledge import knowledge_of, positions_after
from rules.search.levels import level_of
from rules.search.openings import any_opening
from rules.search.players import at_random
from rules.search.proof import Prover
from rules.search.tree import Experience, Node, logarithm, playout, worth
from rules.search.workshop.arena import opening_turns, play
from rules.search.workshop.mine import game_of
from tests.support.corral import Corral
from tests.support.each import for_each
from tests.support.positions import ANY_GAME
from tests.support.sixth_game import register
from tests.support.sources import ROOT
from tests.support.thorough import THOROUGH, fewer, sample

TINY = [Ruleset(game, 3, variant) for game in ANY_GAME.values() for variant in game.variants]
every_tiny_ruleset = for_each("rules_of", TINY, lambda rules_of: rules_of.id)


def middle(rules_of: Ruleset, turns: int, seed: int = 1) -> Position:
    """A position after some random turns, or the last one before the game ends."""
    position = rules_of.replay(opening_turns(rules_of, seed))
    for number in range(turns):
        after = position.play(at_random(position, seed * 1000 + number))[0]
        if after.phase is Phase.OVER:
            break
        position = after
    return position


def after(position: Position, turns: Iterable[str]) -> Position:
    for turn in turns:
        position, _ = position.play(turn)
    return position


@every_tiny_ruleset
def test_it_plays_whole_games_from_the_opening_on(rules_of: Ruleset) -> None:
    position = rules_of.start()
    while position.phase is not Phase.OVER:
        choice = choose(position, Level(3), seed=3)
        assert 0 <= choice.value <= 1
        assert choice.line[0] == choice.turn
        after(position, choice.line)
        position = position.play(choice.turn)[0]


@every_tiny_ruleset
def test_turns_composed_of_options_lead_to_the_same_positions_as_played_ones(rules_of: Ruleset) -> None:
    for turns in (2, 6, 10):
        position = middle(rules_of, turns)
        options = positions_after(position)
        assert not position.lists_all_turns or options.keys() == {*position.legal_turns}
        for turn, reached in options.items():
            assert reached == position.play(turn)[0]


@pytest.mark.parametrize("game", [game for game in ANY_GAME if ANY_GAME[game].lists_all_turns])
def test_exactly_the_legal_turns_can_be_drawn_at_random(game: str) -> None:
    for turns in sample((2, 9, 16), 2):
        position = middle(Ruleset(GAMES[game], 3, "standard"), turns)
        legal = set(position.legal_turns)
        assert {at_random(position, seed) for seed in range(600)} == (legal - {PASS} or legal)


@pytest.mark.parametrize("game", ANY_GAME)
def test_every_option_offered_to_experience_can_be_taken(game: str) -> None:
    for turns in (2, 16, 40):
        moment = knowledge_of(game).moment(middle(Ruleset(GAMES[game], 4, "standard"), turns))
        drawn = {option for seed in range(20) for option in moment.some_at_random(Random(seed))}
        assert drawn <= {*moment.options()}
        assert drawn


def test_a_side_with_experience_takes_the_option_that_has_done_best_for_it() -> None:
    experience = Experience()
    for value in (1.0, 1.0, 0.0):
        experience.add([(Side.FIRST, "c3"), (Side.SECOND, "d4")], value)
    experience.add([(Side.FIRST, "e5"), (Side.SECOND, "c3")], 0.0)
    assert experience.best(Side.FIRST, ["e5", "d4", "c3"]) == "c3"
    assert experience.best(Side.SECOND, ["d4", "e5", "c3"]) == "c3"
    # An untried option is better than a losing one, and the first of equal options is taken.
    assert experience.best(Side.SECOND, ["d4", "e5", "f6"]) == "e5"


def test_a_random_game_is_evaluated_at_the_horizon() -> None:
    moment = knowledge_of("nadraz").moment(middle(ruleset("nadraz", 6), 2))
    assert playout(moment, Random(1), evaluate=lambda _: 0.3, horizon=4) == 0.3
    assert playout(moment, Random(1), evaluate=lambda _: 0.3, horizon=1000) in {0.0, 1.0}


def test_a_seed_gives_the_same_turns_in_every_process() -> None:
    positions = [middle(rules_of, turns) for rules_of in TINY for turns in (0, 4)]
    code = (
        "import pickle, sys; from rules.search import Level, choose;"
        "print([choose(position, Level(12), 5) for position in pickle.loads(sys.stdin.buffer.read())])"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code],
        input=pickle.dumps(positions),
        # Sets of strings have another order there.
        env={**os.environ, "PYTHONHASHSEED": "1"},
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    assert answer.stdout.decode() == f"{[choose(position, Level(12), 5) for position in positions]}\n"


@pytest.mark.parametrize(
    ("values", "proven"),
    [
        ((0.0, 0.5), 0.5),
        ((0.0, 0.0), 0.0),
        ((None, 1.0), 1.0),
        ((None, 0.0), None),
        ((0.0,), None),  # the other option was never tried
    ],
)
@pytest.mark.parametrize("mover", Side)
def test_a_side_without_a_winning_option_takes_a_proven_draw(
    mover: Side, values: tuple[float | None, ...], proven: float | None
) -> None:
    moment = knowledge_of("hedu").moment(middle(ruleset("hedu", 5), 3 - mover))
    node = Node(moment, mover.other)
    assert node.mover is mover
    node.options = ["e5", "d4"]
    for value in values:
        child = Node(moment, mover)
        child.proven = value if value is None else node.for_mover(value)
        node.children.append(child)
    node.learn()
    assert node.proven == (proven if proven is None else node.for_mover(proven))


@pytest.mark.parametrize("turns", [("a1", "dark", "c2"), ("b1", "dark", "c3")])
def test_an_early_pass_is_played_if_only_a_pass_wins(turns: tuple[str, ...]) -> None:
    position = Ruleset(GAMES["dendria"], 2, "standard").replay(turns)
    assert Prover(position.turn_of, 10_000).winning_turns(position) == [PASS]
    choice = choose(position, Level(500), 1)
    assert (choice.turn, choice.value) == (PASS, 1.0)


def test_logarithms_are_the_same_on_every_machine() -> None:
    assert logarithm(9170).hex() == "0x1.23f54a1c504c1p+3"  # some C libraries differ in the last bit
    assert [round(logarithm(visits), 6) for visits in (1, 2, 1000)] == [0.0, 0.693147, 6.907755]


@pytest.mark.parametrize("game", GAMES)
def test_the_weakest_level_chooses_its_side_by_evaluation(game: str) -> None:
    start = ruleset(game, GAMES[game].sizes[0]).start()
    opened = start.play(choose(start, 1, 1).turn)[0]
    choices = [choose(opened, 1, seed) for seed in range(fewer(8, 2))]
    assert len({(choice.turn, choice.value) for choice in choices}) == 1
    assert 0.5 <= choices[0].value < 0.9


@cache
def solved(position: Position) -> float:
    """The value of the position for the first side, found by trying everything that can still matter."""
    if position.outcome is not None:
        return worth(position.outcome)
    winning = 0.0 if position.turn_of else 1.0
    values = set()
    # Try the pass first: it is listed last and shortens the game most.
    for reached in reversed(positions_after(position).values()):
        values.add(solved(reached))
        if winning in values:
            break
    return min(values) if position.turn_of else max(values)


@pytest.mark.parametrize(
    ("game", "turns", "seeds"),
    [
        ("dalen", 9, (3, 4, 6)),
        ("dendria", 26, (11, 6)),
        ("fiodar", 12, (0, 4, 6)),
        ("hedu", 9, (0, 1, 3)),
        ("nadraz", 5, (3, 15, 24)),
    ],
)
def test_the_top_level_wins_every_won_position_of_a_tiny_board(game: str, turns: int, seeds: tuple[int, ...]) -> None:
    for seed in sample(seeds, 3):
        position = middle(Ruleset(GAMES[game], 3, "standard"), turns, seed)
        winning = 0.0 if position.turn_of else 1.0
        assert solved(position) == winning
        # Not every turn wins.
        assert {solved(reached) for reached in positions_after(position).values()} > {winning}
        assert solved(position.play(choose(position, LEVELS[-1], seed).turn)[0]) == winning, position


@pytest.mark.parametrize("seed", sample([8, 30], 2))
def test_the_top_level_proves_a_win_that_a_search_misses(seed: int) -> None:
    position = middle(Ruleset(GAMES["dalen"], 3, "standard"), 6, seed)
    choice = choose(position, LEVELS[-1], seed)
    assert choice.value == 1.0
    assert choice.line[0] == choice.turn
    assert len(choice.line) > 1
    prover = Prover(position.turn_of, 20_000)
    assert prover.wins(position.play(choice.turn)[0])
    assert not all(map(prover.wins, positions_after(position).values()))


def test_it_finds_a_win_in_one_and_is_certain_of_it() -> None:
    start = ruleset("dalen", 5).start()
    symbols = dict.fromkeys(("a1", "e5"), "●") | dict.fromkeys(("b1", "a3", "b3"), "○")
    position = start.set_up({start.cell_named(name): symbol for name, symbol in symbols.items()}, Side.FIRST)
    for level in LEVELS:
        choice = choose(position, level, 1)
        assert (choice.turn, choice.value, choice.line) == ("a2", 1.0, ("a2",))


def test_the_values_of_a_turn_and_of_the_best_reply_add_up_to_about_one() -> None:
    sums = []
    for seed in range(fewer(4, 2)):
        position = middle(ruleset("hedu", 5), 10 + 4 * seed, seed)
        choice = choose(position, Level(20), seed)
        sums.append(choice.value + choose(position.play(choice.turn)[0], Level(20), seed).value)
    assert 0.9 < sum(sums) / len(sums) < 1.1


def test_the_best_turns_are_listed_with_their_values_best_first() -> None:
    position = middle(ruleset("hedu", 5), 10)
    found = analyse(position, 30, seed=1, count=4)
    assert len({choice.turn for choice in found}) == 4
    assert found[0].turn == choose(position, Level(30), 1).turn
    assert [choice.simulations for choice in found] == sorted((c.simulations for c in found), reverse=True)
    with pytest.raises(ValueError, match="no side to play"):
        analyse(ruleset("hedu", 5).start(), 30, seed=1)


def test_each_of_the_best_turns_is_complete_and_begins_its_line() -> None:
    position = middle(Ruleset(GAMES["dendria"], 4, "standard"), 12)
    found = analyse(position, 120, seed=1)
    for choice in found:
        assert choice.line[0] == choice.turn
        after(position, choice.line)
    assert len(found[0].line) > 2
    assert pickle.loads(pickle.dumps(found)) == found  # noqa: S301


@pytest.mark.parametrize("game", ["dalen", "fiodar", "hedu", "nadraz"])
def test_the_line_of_a_proven_turn_ends_with_the_game(game: str) -> None:
    rules_of = Ruleset(GAMES[game], 3, "standard")
    proven = 0
    for seed in range(fewer(4, 2)):
        position = rules_of.replay(game_of(rules_of, seed)[:-3])
        choice = choose(position, Level(400), 0)
        if position.phase is Phase.PLAY and choice.value in (0.0, 1.0):
            proven += 1
            assert after(position, choice.line).outcome is not None
    assert proven


def test_it_acts_with_seeds_that_can_sprout() -> None:
    acts = 0
    rules_of = Ruleset(GAMES["dendria"], 4, "standard")
    games = fewer(4, 4)
    for seed in range(games):
        position = rules_of.replay(opening_turns(rules_of, seed))
        for number in range(30):
            if position.phase is Phase.OVER:
                break
            turn = choose(position, Level(3), number).turn
            acts += turn.count("+") + turn.count("*")
            position = position.play(turn)[0]
    assert acts > 2 * games


@pytest.mark.parametrize("game", GAMES)
def test_it_takes_the_better_side(game: str) -> None:
    """After the opening that a search rates best for the first side, it takes that side."""
    start = Ruleset(GAMES[game], 4, "standard").start()
    chances = dict[Position, float]()
    for seed in range(fewer(8, 3)):
        position = start.play(any_opening(start, Random(seed)))[0]
        after = position.play(position.sides[Side.FIRST])[0]
        value = choose(after, Level(8), 1).value
        chances[position] = 1 - value if after.turn_of else value
    best = max(chances, key=chances.__getitem__)
    choice = choose(best, Level(8), 1)
    assert choice.turn == best.sides[Side.FIRST]
    assert choice.value > 0.5
    assert {choose(position, Level(8), 1).value >= 0.5 for position in chances} == {True}


@pytest.mark.parametrize("game", ANY_GAME)
def test_the_first_levels_do_not_pass_early(game: str) -> None:
    rules_of = ruleset(game, GAMES[game].sizes[0])
    for seed in range(fewer(2, 2)):
        position = middle(rules_of, 6, seed)
        for level in (1, Level(8)):
            assert choose(position, level, seed).turn != PASS


def test_both_sides_finally_pass_where_dryads_could_wander() -> None:
    position = middle(Ruleset(GAMES["dendria"], 4, "standard"), 24, 3)
    looked_at = sample(range(56), 5)
    for number in range(56):
        if number in looked_at:
            choice = choose(position, Level(8), number)
            if number < 14:
                assert choice.turn != PASS
            elif number > 48 or (number > 16 and choice.value < 0.45):
                assert choice.turn == PASS
        moves = [turn for turn in position.legal_turns if "-" in turn]
        position = position.play(moves[number % len(moves)])[0]


@for_each(
    "case",
    [
        # The first level passes only where that looks best to it.
        *(("fiodar", 20, 2, 1, range(20), False), ("fiodar", 36, 0, 1, range(20), True)),
        # A side of Dendria passes when it has lost, although useful turns remain, but not when it has nearly lost.
        *(("dendria", 36, 17, Level(12), [1], True), ("dendria", 16, 0, Level(12), [1], False)),
        ("dendria", 24, 4, Level(12), [1], False),
    ],
)
def test_a_side_passes_only_where_no_turn_is_better(
    case: tuple[str, int, int, int | Level, Iterable[int], bool],
) -> None:
    game, turns, seed, level, seeds, passes = case
    position = middle(Ruleset(GAMES[game], 4, "standard"), turns, seed)
    assert len(position.legal_turns) > 1
    assert {choose(position, level, number).turn == PASS for number in seeds} == {passes}


def test_a_game_without_an_evaluation_can_be_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    register(monkeypatch)
    assert knowledge_of(Corral.name).evaluate is None
    rules_of = Ruleset(Corral, 3, "standard")
    games = fewer(5, 2)
    won = sum(play(("uct:50", "random"), rules_of, pair % 2, pair, pair).result for pair in range(games))
    assert won >= 0.8 * games
    position = rules_of.start()
    while position.phase is not Phase.OVER:
        position = position.play(choose(position, 2, 1).turn)[0]


def test_games_in_which_dryads_could_wander_for_ever_come_to_an_end() -> None:
    rules_of = Ruleset(GAMES["dendria"], 4, "standard")
    for first in sample((0, 1), 2):
        turns = play(("search:12", "level:1"), rules_of, first, first, 0).turns
        assert rules_of.replay(turns).phase is Phase.OVER


def test_a_large_lead_in_dendria_is_kept_against_an_opponent_who_plays_on() -> None:
    rules_of = Ruleset(GAMES["dendria"], 4 if THOROUGH else 3, "standard")
    game = play(("search:12", "uct:12"), rules_of, 1, 1, 0)
    assert game.result == 1
    assert game.turns.count(PASS) < 10


def wins_most(players: tuple[str, str], rules_of: Ruleset, games: int) -> bool:
    """Whether the first player wins three quarters of the games. Stop as soon as that is certain."""
    won = 0.0
    for number in range(games):
        won += play(players, rules_of, number % 2, number, number // 2).result
        if won >= 0.75 * games:
            return True
    return False


@pytest.mark.parametrize(
    ("game", "strong", "weak"),
    [
        *((game, "greedy", "level:1") for game in GAMES),
        *((game, "search:12", "level:1") for game in sample([*GAMES], 5)),
        ("dendria", "search:12", "greedy"),
    ],
)
def test_a_stronger_player_beats_a_weaker_one(game: str, strong: str, weak: str) -> None:
    large = game == "nadraz" or (THOROUGH and game != "dalen" and weak != "greedy")
    assert wins_most((strong, weak), Ruleset(GAMES[game], 4 if large else 3, "standard"), 4)


def test_higher_levels_search_more_and_top_levels_most_on_small_boards() -> None:
    for game in GAMES.values():
        for size in game.sizes:
            spent = [level_of(Ruleset(game, size, "standard"), number).simulations for number in LEVELS]
            assert spent == sorted(set(spent))
        # Lower levels of Nadraz would find too little on large boards.
        for number in LEVELS[-2:]:
            spent = [level_of(Ruleset(game, size, "standard"), number).simulations for size in game.sizes]
            assert spent[0] > spent[-1] or len(spent) == 1


@pytest.mark.parametrize("game", sample(["dalen", "dendria", "fiodar"], 3))
def test_the_second_level_sometimes_errs_and_higher_levels_less_or_never(game: str) -> None:
    rules_of = ruleset(game, GAMES[game].sizes[0])
    second = level_of(rules_of, 2)
    position = middle(rules_of, 6)
    careful = choose(position, Level(second.simulations), 0)
    turns = Counter[str]()
    for seed in range(20):
        turns[choose(position, 2, seed).turn] += 1
        if turns[careful.turn] >= 10 and len(turns) > 1:
            break  # regardless of the other options
    assert second.carelessness is not None
    assert 0 < second.carelessness.lapses < 0.5
    assert turns[careful.turn] >= 10
    assert len(turns) > 1
    third, fourth = (level_of(rules_of, number) for number in (3, 4))
    assert third.carelessness is None or third.carelessness.lapses < second.carelessness.lapses
    assert fourth.carelessness is None


def test_the_first_levels_of_nadraz_look_one_turn_ahead_and_know_when_they_have_lost() -> None:
    position = middle(ruleset("nadraz", 6), 16)
    assert len(choose(position, 2, 0).line) == 1
    assert len(choose(position, 3, 0).line) > 1
    assert choose(middle(ruleset("nadraz", 6), 18), 1, 1).value < 0.1


def test_the_seed_makes_careless_levels_play_differently() -> None:
    position = middle(ruleset("hedu", 5), 2)
    assert len({choose(position, 1, seed).turn for seed in range(8)}) > 2


def test_unknown_levels_are_refused() -> None:
    position = middle(ruleset("dalen", 5), 0)
    for level in (0, 6):
        with pytest.raises(ValueError, match="the levels are 1 to 5"):
            choose(position, level, 1)


def test_the_examples_of_the_documentation_are_true() -> None:
    for failed, tried in (
        doctest.testmod(rules.search),
        doctest.testfile(str(ROOT / "rules" / "search" / "README.md"), module_relative=False, encoding="utf-8"),
    ):
        assert tried
        assert not failed

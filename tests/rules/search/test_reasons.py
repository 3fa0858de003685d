"""Why a turn is good: sentences that are true on the board and use the game's terms."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable

import pytest

from rules import GAMES, PASS, Phase, Position, Ruleset, Side, ruleset
from rules.dalen import Dalen
from rules.fiodar import Fiodar
from rules.search import explain, value_of_replies
from rules.search.knowledge import knowledge_of
from rules.search.players import Player, at_random, greedy, play_out
from rules.search.workshop.arena import opening_turns
from tests.support.corral import Corral
from tests.support.each import for_each
from tests.support.positions import ANY_GAME
from tests.support.sixth_game import register
from tests.support.thorough import sample


@for_each(
    "case",
    [
        (
            *("dalen", "e5 light d4 c2 b1", "c1"),
            "Your leafiest tree gains 2 leaves. Light can place on 1 cell fewer.",
        ),
        ("fiodar", "e5 white d5 f5", "c4", "It saves 1 of your stones, which a single stone could have captured."),
        (
            *("hedu", "e5 white d4 d5", "e2"),
            "You would have the largest group beside 6 more empty cells: a region cut off there would be yours.",
        ),
        # The mover's own stack leaves the board, so fewer stacks are short of room.
        ("hedu", "a1 white a2 e5 b2", "b1", ""),
        (*("nadraz", "e6,h8 white e7", "g7"), "It takes the lead from Black. Your longest snake grows by 1."),
    ],
)
def test_a_turn_is_explained_in_the_games_terms(case: tuple[str, str, str, str]) -> None:
    game, turns, turn, reasons = case
    position = ruleset(game, GAMES[game].sizes[0]).replay(turns.split())
    assert " ".join(map(str, explain(position, turn))) == reasons


@pytest.mark.parametrize("game", ANY_GAME)
def test_any_turn_can_be_explained_and_every_reason_is_used(game: str) -> None:
    knowledge = knowledge_of(game)
    given = set()
    for seed in sample(range(3), 2):
        rules_of = Ruleset(ANY_GAME[game], 4, ANY_GAME[game].variants[seed % len(ANY_GAME[game].variants)])
        position = rules_of.replay(opening_turns(rules_of, seed))
        for number in range(45):
            turn = at_random(position, number)
            after = position.play(turn)[0]
            reasons = explain(position, turn)
            assert len(reasons) <= 2
            sentences = {str(reason) for reason in reasons}
            assert sentences == {str(reason) for reason in pickle.loads(pickle.dumps(reasons))}  # noqa: S301
            given |= {at for at, why in enumerate(knowledge.reasons) if str(why.sentence(position, after)) in sentences}
            if after.phase is Phase.OVER:
                assert not reasons
                break
            position = after
    assert len(given) >= len(knowledge.reasons) - 1


@pytest.mark.parametrize("game", ANY_GAME)
def test_reasons_against_another_turn_are_not_true_of_that_turn(game: str) -> None:
    position = Ruleset(ANY_GAME[game], 4, "standard").replay(opening_turns(Ruleset(ANY_GAME[game], 4, "standard"), 1))
    compared = 0
    for turn in play_out(position, at_random)[0]:
        after = position.play(turn)[0]
        for seed in range(100, 104):
            other = at_random(position, seed)
            reasons = {str(reason) for reason in explain(position, turn, most=9, instead_of=other)}
            instead = position.play(other)[0]
            of_other = {str(known.sentence(position, instead)) for known in knowledge_of(game).reasons}
            assert not reasons & of_other, (turn, other)
            compared += bool(reasons)
        position = after
    assert compared or not knowledge_of(game).reasons


def test_a_leaf_that_another_turn_would_lose_is_described_as_kept() -> None:
    position = ruleset("dalen", 5).replay(["c1", "dark", "h7", "c3", "b2", "c2", "b6", "b3", "g7"])
    kept, lost = (most_leaves(position.play(turn)[0], position.turn_of) for turn in ("h8", "b1"))
    assert (most_leaves(position, position.turn_of), kept, lost) == (2, 2, 1)
    sentences = [str(reason) for reason in explain(position, "h8", instead_of="b1")]
    assert sentences == ["Your leafiest tree keeps 1 more leaf."]
    assert "keeps" not in " ".join(map(str, explain(position, "h8", most=9))), "there is no other turn"


def most_leaves(position: Position, side: Side) -> int:
    assert isinstance(position, Dalen)
    return max((tree & position.leaves(side)).bit_count() for tree in position.trees(side))


@pytest.mark.parametrize("game", GAMES)
def test_reasons_use_only_terms_of_the_evaluation(game: str) -> None:
    knowledge = knowledge_of(game)
    assert knowledge.evaluate is not None
    for weights in knowledge.evaluate.weights.values():
        assert {term for reason in knowledge.reasons for term in reason.terms} <= set(weights)


def test_turns_without_reasons_have_no_explanation(monkeypatch: pytest.MonkeyPatch) -> None:
    assert explain(ruleset("hedu", 5).start(), "e5") == ()
    assert explain(ruleset("hedu", 5).replay(["e5"]), "white") == ()
    assert explain(ruleset("hedu", 5).replay(["e5", "white"]), PASS) == ()
    register(monkeypatch)
    rules_of = Ruleset(Corral, 3, "standard")
    position = rules_of.replay(opening_turns(rules_of, 1))
    assert explain(position, at_random(position, 1)) == ()


@pytest.mark.parametrize(
    "turns",
    ["b3 light b2 d2 b4 d4 a1 c2 d5 e3 c1 a2 c5 e5 c4 d3", "b4 light c4 b1 e5 b2 d4 c5 b3 e4 c3 e3 d5"],
    ids=["light", "dark"],
)
def test_replies_are_worth_nothing_when_every_turn_wins(turns: str) -> None:
    position = Ruleset(Dalen, 3, "standard").replay(turns.split())
    for turn in position.legal_turns:
        outcome = position.play(turn)[0].outcome
        assert outcome is not None
        assert outcome.winner is position.turn_of
    assert value_of_replies(position) == 0


def test_replies_have_a_value_once_the_sides_are_chosen() -> None:
    rules_of, turns = Ruleset(GAMES["hedu"], 3, "standard"), ["c3", "white"]
    values = [value_of_replies(rules_of.replay(turns[:ply])) for ply in range(3)]
    assert values[:2] == [None, None]
    assert values[2] is not None
    assert 0 < values[2] < 1


def in_cut_threads(position: Fiodar, side: Side) -> int:
    cut = 0
    for thread in position.cut_threads(side):
        cut |= thread.stones
    return cut


def after_single_stones(position: Fiodar, side: Side) -> list[Fiodar]:
    """The positions after each stone that the side's enemy could place now, or after the side's pass."""
    to_enemy = position.play(PASS)[0] if position.turn_of is side else position
    return [to_enemy.play(turn)[0] for turn in to_enemy.legal_turns if turn != PASS]


def capturable(position: Fiodar, side: Side) -> int:
    lost = [position.stones(side) & ~after.stones(side) for after in after_single_stones(position, side)]
    return max([stones.bit_count() for stones in lost], default=0)


def never_cut(position: Fiodar, side: Side) -> int:
    stones = position.stones(side) & ~in_cut_threads(position, side)
    for after in after_single_stones(position, side):
        stones &= after.stones(side) & ~in_cut_threads(after, side)
    return stones.bit_count()


def cut(position: Fiodar, side: Side) -> int:
    return in_cut_threads(position, side).bit_count()


@pytest.mark.parametrize("player", [at_random, greedy])
def test_reasons_of_fiodar_say_what_single_stones_do(player: Player) -> None:
    enemy: dict[str, Callable[[Fiodar, Fiodar, Side], int]] = {
        "A single stone can capture": lambda before, after, side: capturable(after, side) - capturable(before, side),
        "stones? fewer that no": lambda before, after, side: never_cut(before, side) - never_cut(after, side),
        "It cuts": lambda before, after, side: cut(after, side) - cut(before, side),
    }
    own: dict[str, Callable[[Fiodar, Fiodar, Side], int]] = {
        "It saves": lambda before, after, side: capturable(before, side) - capturable(after, side),
        "more stones? that no": lambda before, after, side: never_cut(after, side) - never_cut(before, side),
        "no longer in a cut": lambda before, after, side: cut(before, side) - cut(after, side),
    }
    said = set()
    for seed in range(2):
        rules_of = Ruleset(Fiodar, 4, "standard")
        before = rules_of.replay(opening_turns(rules_of, seed))
        for turn in play_out(before, player)[0]:
            after = before.play(turn)[0]
            assert isinstance(before, Fiodar)
            assert isinstance(after, Fiodar)
            for text in map(str, explain(before, turn, most=9)):
                for claims, side in ((own, before.turn_of), (enemy, before.turn_of.other)):
                    for claim, by in claims.items():
                        if re.search(claim, text):
                            said.add(claim)
                            assert int(re.findall(r"\d+", text)[0]) == by(before, after, side), (turn, text)
            before = after
    assert said == {*own, *enemy}

"""Why a turn is good: sentences that are true on the board, and in the words of the game."""

from __future__ import annotations

import pickle

import pytest

from rules import GAMES, PASS, Phase, Ruleset, ruleset
from rules.search import explain
from rules.search.arena import opened
from rules.search.knowledge import knowledge_of
from rules.search.players import at_random
from tests.support.toy import Corral, register


@pytest.mark.parametrize(
    ("game", "size", "turns", "turn", "reasons"),
    [
        (
            "dalen",
            5,
            "e5 light d4 c2 b1",
            "c1",
            ["Your tree with the most leaves has 2 more leaves.", "It leaves your opponent 1 cell fewer to place on."],
        ),
        ("fiodar", 5, "e5 white d5 f5", "c4", ["It saves 1 of your stones, which one cut could have captured."]),
        (
            "hedu",
            5,
            "e5 white d4 d5",
            "e2",
            ["You would have the largest group beside 6 more empty cells: a region cut off there would be yours."],
        ),
        # The mover's own stack leaves the board by this, so that fewer are short of room.
        ("hedu", 5, "a1 white a2 e5 b2", "b1", []),
        (
            "nadraz",
            6,
            "e6,h8 white e7",
            "g7",
            ["It takes the lead from your opponent.", "Your longest snake grows by 1."],
        ),
    ],
)
def test_a_turn_is_explained_in_the_words_of_the_game(
    game: str, size: int, turns: str, turn: str, reasons: list[str]
) -> None:
    position = ruleset(game, size).replay(turns.split())
    assert [str(reason) for reason in explain(position, turn)] == reasons


@pytest.mark.parametrize("game", GAMES)
def test_any_turn_can_be_explained_and_every_reason_is_given_somewhere(game: str) -> None:
    knowledge = knowledge_of(game)
    given = set()
    for seed in range(3):
        rules_of = Ruleset(GAMES[game], 4, GAMES[game].variants[seed % len(GAMES[game].variants)])
        position = rules_of.replay(opened(rules_of, seed))
        for number in range(45):
            turn = at_random(position, number)
            after = position.play(turn)[0]
            reasons = explain(position, turn)
            assert len(reasons) <= 2
            told = {str(reason) for reason in reasons}
            assert told == {str(reason) for reason in pickle.loads(pickle.dumps(reasons))}  # noqa: S301
            given |= {at for at, each in enumerate(knowledge.reasons) if str(each.told(position, after)) in told}
            if after.phase is Phase.OVER:
                assert not reasons
                break
            position = after
    assert len(given) >= len(knowledge.reasons) - 1


def test_reasons_rest_on_terms_that_there_are() -> None:
    for game in GAMES:
        knowledge = knowledge_of(game)
        assert knowledge.evaluate is not None
        for weights in knowledge.evaluate.weights.values():
            assert {term for reason in knowledge.reasons for term in reason.terms} <= set(weights)


def test_where_there_is_nothing_to_say_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    assert explain(ruleset("hedu", 5).start(), "e5") == ()
    assert explain(ruleset("hedu", 5).replay(["e5"]), "white") == ()
    assert explain(ruleset("hedu", 5).replay(["e5", "white"]), PASS) == ()
    register(monkeypatch)
    rules_of = Ruleset(Corral, 3, "standard")
    position = rules_of.replay(opened(rules_of, 1))
    assert explain(position, at_random(position, 1)) == ()

"""The refusals, which must survive being passed between processes."""

from __future__ import annotations

import pickle
from collections.abc import Iterator

import rules
from rules.errors import GameOver, IllegalTurn, NotATurn, OffTheBoard, Refusal, TurnError, UnknownRuleset
from rules.record import RecordError
from rules.setups import SetupError
from rules.text import Text
from tests.support.each import for_each
from tests.support.positions import refusal


def kinds(kind: type[Refusal]) -> Iterator[type[Refusal]]:
    yield kind
    for refined in kind.__subclasses__():
        yield from kinds(refined)


REFUSALS = [
    Refusal("no {what}", what="way"),
    TurnError("{cell} is wrong", cell="e5"),
    NotATurn(Text.counted("{count} part", "{count} parts", 3), rule="hedu/rules.md#the-turn"),
    OffTheBoard("{cell} is off the board", cell="z9", rule="hedu/rules.md#the-board"),
    IllegalTurn("{cell} is taken", (3, 4), cell="e5", rule="fiodar/rules.md#turns"),
    GameOver("the game is over"),
    UnknownRuleset("no game {name}", name="chess"),
    SetupError("a setup needs {what}", what="pieces"),
    RecordError("line {line}: {why}", line=2, why=Text("it is {what}", what="odd")),
]


def test_these_tests_cover_every_kind_of_refusal() -> None:
    assert {type(refusal) for refusal in REFUSALS} == {*kinds(Refusal)}


@for_each("refusal", [*REFUSALS, refusal(rules.ruleset("fiodar", size=5).replay(["e5", "white"]).play, "e5")], repr)
def test_a_refusal_is_the_same_in_another_process(refusal: Refusal) -> None:
    again = pickle.loads(pickle.dumps(refusal))  # noqa: S301
    assert type(again) is type(refusal)
    assert (str(again), repr(again)) == (str(refusal), repr(refusal))
    for name in ("rule", "cells"):
        assert getattr(again, name, None) == getattr(refusal, name, None)

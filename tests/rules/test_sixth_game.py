"""A game from outside this package: one line in the registry makes it a game like the others."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rules import GAMES, PASS, Phase, Position, Record, Ruleset, Side, Tally, UnknownRuleset, ruleset, ruleset_by_id
from rules.pages import examples, sections
from tests.support.command_line import CommandLine
from tests.support.corral import Corral
from tests.support.positions import end, is_drafted, is_refused, random_turns, walk
from tests.support.sixth_game import register
from tests.support.thorough import sample

RULESETS = [Ruleset(Corral, size, "standard") for size in Corral.sizes]
every_ruleset = pytest.mark.parametrize("rules_of", RULESETS, ids=lambda rules_of: rules_of.id)
SEEDS = range(12)


@pytest.fixture(autouse=True)
def _sixth_game(monkeypatch: pytest.MonkeyPatch) -> None:
    register(monkeypatch)


def positions(rules_of: Ruleset) -> Iterator[Position]:
    for seed in SEEDS:
        yield from (position for position, _ in walk(rules_of, seed))
        yield end(rules_of, seed)


def test_a_registered_game_is_found_by_its_name_and_by_the_id_of_its_ruleset(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ruleset("corral") == Ruleset(Corral, 4, "standard")
    assert all(ruleset_by_id(known.id) == known for known in RULESETS)
    monkeypatch.delitem(GAMES, Corral.name)
    with pytest.raises(UnknownRuleset, match="there is no game “corral”"):
        ruleset("corral")


@every_ruleset
def test_its_turns_are_drafted_and_its_games_travel_as_records(rules_of: Ruleset) -> None:
    texts = [*rules_of.board.names(rules_of.board.mask), PASS, *Corral.sides, "z9", ""]
    for position in sample([*positions(rules_of)], 4):
        legal = [text for text in texts if not is_refused(position, text)]
        assert sorted(legal) == sorted(position.legal_turns)
        assert all(is_drafted(position, turn) for turn in legal)
    for seed in SEEDS:
        turns, last = random_turns(rules_of, seed), end(rules_of, seed)
        assert rules_of.replay(turns) == last
        assert last.outcome is not None
        record = Record(rules_of, turns, Record.result_of(last.outcome.winner), {"Dark": "Ann"})
        assert Record.parse(str(record)) == record


@every_ruleset
def test_it_has_questions_and_names_in_every_phase(rules_of: Ruleset) -> None:
    asked = {}
    for position in positions(rules_of):
        if position.phase is not Phase.OVER:
            draft = position.draft()
            asked[position.phase] = str(position.question(draft))
            assert all(str(position.element_name("", element)) for element in draft.next)
    assert asked == {
        Phase.OPENING: "Place the first stone (**Dark**).",
        Phase.CHOICE: "Which side do you want to play?",
        Phase.PLAY: "Where do you play?",
    }


def test_either_side_can_win_by_capturing() -> None:
    outcomes = {end(RULESETS[0], seed).outcome for seed in range(60)}
    assert {outcome.winner for outcome in outcomes if outcome is not None} >= set(Side)


def test_its_rule_page_has_sections_and_examples_that_play() -> None:
    anchors = [section.anchor for section in sections("corral/rules")]
    assert anchors[1:] == ["the-opening", "your-turn", "passing", "the-end"]
    (example,) = examples("corral/rules")
    position = example.position()
    assert str(position) == example.diagram
    (turn,) = example.turns()
    after, events = position.play(turn)
    assert [str(effect) for effect in Tally(events).effects()] == ["pens 1 stone"]
    assert after.outcome is not None
    assert {rule.partition("#")[2] for rule in filter(None, Corral.sections)} <= set(anchors)


def test_the_command_line_lists_and_replays_it(run: CommandLine) -> None:
    assert "corral: dark and light; sizes 3, 4*; variants standard\n" in run.prints("list")
    turns = "\n".join(random_turns(RULESETS[0]))
    assert run.prints_objects("replay", "corral", "--size", "3", "--legal", typed=turns)[-1]["phase"] == "over"

"""The timing of random games: that it runs and tells every game, not how fast they are."""

from __future__ import annotations

import random
import sys

import pytest

from rules import GAMES, Phase, Ruleset, ruleset
from tests.benchmarks import rules as bench
from tests.benchmarks.rules import main
from tests.support.positions import RULESETS


def test_every_game_has_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--seconds", "0.01"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines[-len(GAMES) - 1 : -1]] == [
        [game.name, str(game.default_size)] for game in GAMES.values()
    ]


def test_with_all_every_size_and_variant_has_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--all", "--seconds", "0"]) == 0
    lines = capsys.readouterr().out.splitlines()
    rulesets = [each for each in RULESETS if each.game.name in GAMES]
    for rules_of in rulesets:
        variant = [] if rules_of.variant == "standard" else [rules_of.variant]
        words = [rules_of.game.name, str(rules_of.size), *variant]
        assert len([line for line in lines if line.split()[: len(words)] == words]) >= 1
    assert len(lines) == len(rulesets) + 3


def test_without_python_chess_the_games_are_timed_alone(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "chess", None)
    bench.run(0)
    lines = capsys.readouterr().out.splitlines()
    assert "not installed" in lines[2]
    assert len(lines) == 3 + len(GAMES)
    assert all(line.endswith(" –") for line in lines[3:])


@pytest.mark.parametrize("game", GAMES)
def test_nobody_passes_who_can_do_something_else(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kind, played = GAMES[game], []
    play = kind.play

    def noted(position, text):  # type: ignore[no-untyped-def]
        played.append((position, text))
        return play(position, text)

    monkeypatch.setattr(kind, "play", noted)
    for _ in zip(range(150), bench.random_game(ruleset(game), random.Random(1)), strict=False):
        pass
    assert len(played) > 20
    assert all(turn != "pass" or position.legal_turns == ("pass",) for position, turn in played)


@pytest.mark.parametrize("rules_of", [ruleset("nadraz", 14), ruleset("dendria")])
def test_games_are_opened_at_random(rules_of: Ruleset) -> None:
    opened = {bench.opened(rules_of, random.Random(seed)) for seed in range(10)}
    assert len(opened) > 5
    assert all(position.phase is Phase.PLAY for position in opened)

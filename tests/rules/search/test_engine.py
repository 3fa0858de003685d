"""``python -m rules engine``: one line of JSON for each line of JSON, whatever it says."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from rules import ruleset, with_setup
from rules.search import choose
from rules.search.engine import LINE, run
from tests.support.positions import ANY_GAME
from tests.support.thorough import sample

REQUEST = {"game": "hedu", "size": 5, "variant": "standard", "turns": ["e5", "white"], "level": 1, "seed": 7}


def answers(*lines: object) -> list[dict[str, Any]]:
    text = "".join(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines)
    out = io.StringIO()
    assert run(io.BytesIO(text.encode()), out) == 0
    return [json.loads(line) for line in out.getvalue().splitlines()]


@pytest.mark.parametrize("game", ANY_GAME)
def test_it_answers_with_the_turn_of_the_level(game: str) -> None:
    for size in sample((3, ANY_GAME[game].sizes[0]), 2):
        turns: list[str] = []
        for _ in range(4):
            (answer,) = answers({"game": game, "size": size, "turns": turns, "level": 1, "seed": 2})
            choice = choose(ruleset(game, size, any_size=True).replay(turns), 1, 2)
            assert answer["turn"] == choice.turn == answer["line"][0]
            assert answer["value"] == pytest.approx(choice.value, abs=1e-4)
            turns.append(answer["turn"])


def test_simulations_may_stand_in_place_of_a_level() -> None:
    asked = {key: value for key, value in REQUEST.items() if key != "level"}
    (answer,) = answers({**asked, "simulations": 6})
    assert answer["simulations"] == 6


def test_the_size_the_variant_and_the_seed_may_be_left_out() -> None:
    turns = ["g7", "white", "f6"]
    (answer,) = answers({"game": "hedu", "turns": turns, "level": 1})
    position = ruleset("hedu", 7, "standard").replay(turns)
    assert answer["turn"] == choose(position, 1, 0).turn != choose(position, 1, 1).turn


def test_a_game_may_begin_with_a_setup() -> None:
    even = with_setup(ruleset("hedu", 5), "2")
    (answer,) = answers({"game": "hedu", "size": 5, "setup": "2", "turns": ["e5"], "level": 1})
    assert answer["turn"] == choose(even.replay(["e5"]), 1, 0).turn


def test_a_line_may_be_as_long_as_is_documented() -> None:
    line = json.dumps(REQUEST).ljust(LINE)
    assert all(answer["turn"] for answer in answers(line + "\n", line))


@pytest.mark.parametrize(
    ("request_", "error"),
    [
        ("nonsense\n", "the line is not JSON"),
        ("[" * 50_000 + "\n", "the line is not JSON"),
        (b"\xff\xfe".decode("latin-1") + "\n", "the line is not JSON"),
        ([1], "the request is not an object"),
        ({}, "the key game"),
        ({**REQUEST, "game": 5}, "the key game"),
        ({**REQUEST, "game": "chess"}, "there is no game “chess”"),
        ({**REQUEST, "size": 2}, "Hedu is played on sizes 3, 4, 5, 6, 7, not 2"),
        ({**REQUEST, "size": 8}, "Hedu is played on sizes 3, 4, 5, 6, 7, not 8"),
        ({**REQUEST, "size": 5.0}, "the value of size is a whole number"),
        ({**REQUEST, "variant": 1}, "the variant is a text"),
        ({**REQUEST, "variant": "fast"}, "Hedu has the variants standard, not “fast”"),
        ({**REQUEST, "setup": 2}, "the setup is a text"),
        ({**REQUEST, "setup": "99"}, "a handicap in Hedu has 0, 1, 2, 3, 4, 5 extra stones"),
        ({**REQUEST, "turns": "e5"}, "the turns are a list"),
        ({**REQUEST, "turns": ["e5", "white", "e5"]}, "turn 3, “e5”: e5 is taken by a black stack"),
        ({**REQUEST, "turns": ["e5"] * 5001}, "the turns are a list of at most 5000 texts"),
        ({**REQUEST, "turns": ["e" * 60]}, f"turn 1, “{'e' * 50}…”: "),
        ({**REQUEST, "turns": ["e" * 501]}, "turn 1 is not a text"),
        ({**REQUEST, "turns": [None]}, "turn 1 is not a text"),
        ({**REQUEST, "turns": ["e5", "white", "pass", "pass"]}, "the game is over"),
        ({**REQUEST, "level": 6}, "the value of level is a whole number from 1 to 5"),
        ({**REQUEST, "level": True}, "the value of level is a whole number from 1 to 5"),
        ({"game": "hedu", "simulations": 0}, "the value of simulations is a whole number from 1 to 100000"),
        ({**REQUEST, "simulations": 5}, "either a level or simulations"),
        ({**REQUEST, "seed": -1}, "the value of seed is a whole number"),
        ({**REQUEST, "depth": 3}, "there is no key “depth”"),
        ("x" * (3 * LINE) + "\n", f"the line has more than {LINE} bytes"),
    ],
)
def test_a_bad_request_is_told_why_and_the_next_is_answered(request_: object, error: str) -> None:
    refused, answered = answers(request_, "\n", REQUEST)
    assert error in refused["error"]
    assert answered["turn"]

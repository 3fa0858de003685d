"""Golden playthroughs: whole games in words, one for every game and variant, as they came out when they were last read.

A difference means that the rules play differently than before. When that is meant, look at what changed, raise the
game's ``version`` if the same turns give another game, and write the files anew:

    HEXGROVE_RENEW_PLAYTHROUGHS=1 python -m pytest tests/rules/test_golden.py

The turns of a file are kept as far as they are still legal; the rest, and those of a missing file, are random ones.
"""

from __future__ import annotations

import os
import random
import re
from pathlib import Path

import pytest

from rules import GAMES, Event, Flipped, Passed, Phase, Placed, Position, Ruleset, SideChosen, cell_names

FOLDER = Path(__file__).parent / "playthroughs"
RENEW = bool(os.environ.get("HEXGROVE_RENEW_PLAYTHROUGHS"))
EVERY = 15

#: The smallest boards, on which a whole game is short enough to be read.
PLAYED = [Ruleset(game, min(game.sizes), variant) for game in GAMES.values() for variant in game.variants]


def file_name(rules_of: Ruleset) -> str:
    return f"{rules_of.game.name}-{rules_of.variant}.txt"


def in_words(position: Position, event: Event) -> str:
    """An event in words."""
    match event:
        case Placed(side, cell):
            return f"{position.sides[side]} places {position.board.name(cell)}"
        case Flipped(side, cells, by):
            listed, flipping = cell_names(position.board, cells), cell_names(position.board, by)
            return f"{listed} turn {position.sides[side]}, flipped by {flipping}"
        case SideChosen(side):
            return f"the second player takes {position.sides[side]}"
        case Passed(side):
            return f"{position.sides[side]} passes"


def counts(position: Position) -> str:
    return ", ".join(f"{side} {score}" for side, score in position.score().items())


def playthrough(rules_of: Ruleset, turns: list[str]) -> str:
    """The game in words, with a diagram now and then and at the end."""
    position = rules_of.start()
    lines = [f"{rules_of.id}; openings: {len(position.legal_turns)}", ""]
    for ply, turn in enumerate(turns, 1):
        position, events = position.play(turn)
        happened = "; ".join(in_words(position, event) for event in events)
        lines.append(f"{ply}. {turn}: {happened} ({counts(position)}; legal turns: {len(position.legal_turns)})")
        if ply % EVERY == 0 and position.phase is not Phase.OVER:
            lines += ["", str(position), ""]
    lines += ["", str(position), ""]
    if position.outcome is not None:
        winner = position.outcome.winner
        won = "a draw" if winner is None else f"{position.sides[winner]} wins"
        lines.append(f"{won} by {position.outcome.reason}")
    return "\n".join(lines) + "\n"


def turns_of(text: str) -> list[str]:
    return re.findall(r"^[0-9]+\. (\S+): ", text, re.MULTILINE)


def renewed(rules_of: Ruleset, old: list[str]) -> list[str]:
    """The old turns as far as they are legal, then random ones to the end of the game."""
    chance = random.Random(rules_of.id)
    position, turns = rules_of.start(), list[str]()
    while position.legal_turns:
        kept = old[len(turns)] if old[: len(turns)] == turns and len(old) > len(turns) else None
        turns.append(kept if kept in position.legal_turns else chance.choice(position.legal_turns))
        position, _ = position.play(turns[-1])
    return turns


@pytest.mark.parametrize("rules_of", PLAYED, ids=file_name)
def test_a_game_plays_as_it_did_before(rules_of: Ruleset) -> None:
    file = FOLDER / file_name(rules_of)
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    if RENEW:
        text = playthrough(rules_of, renewed(rules_of, turns_of(text)))
        FOLDER.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    turns = turns_of(text)
    assert playthrough(rules_of, turns) == text
    assert rules_of.replay(turns).outcome is not None, "a playthrough goes to the end of the game"


def test_every_game_and_variant_has_a_playthrough_and_there_are_no_others() -> None:
    assert {file.name for file in FOLDER.iterdir()} == {file_name(rules_of) for rules_of in PLAYED}

"""Golden playthroughs: whole games in words, one for every game and variant, as they were when last reviewed.

A difference means that the rules play differently than before. If that is intended, look at the changes, raise the
game's ``version`` if the same turns give another game, and rewrite the files:

    HEXGROVE_RENEW_PLAYTHROUGHS=1 python -m pytest tests/rules/test_golden.py

The turns of a file are kept if all are still legal. Otherwise, or if the file is missing, the most eventful of some
random games replaces them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from rules import (
    PASS,
    Captured,
    Event,
    Flipped,
    Passed,
    Phase,
    Placed,
    Position,
    Ruleset,
    SideChosen,
    Territory,
    TurnError,
    cell_names,
)
from rules.dendria import Germinated, Moved, Sprouted
from rules.events import CellEvent, GroupEvent
from rules.hedu import Raised, Reduced
from rules.hedu.position import HeightChange
from tests.support.positions import SMALLEST, random_turns

FOLDER = Path(__file__).parent / "playthroughs"
RENEW = bool(os.environ.get("HEXGROVE_RENEW_PLAYTHROUGHS"))
EVERY = 15


def file_name(rules_of: Ruleset) -> str:
    return f"{rules_of.game.name}-{rules_of.variant}.txt"


def in_words(position: Position, event: Event) -> str:
    """An event in words; ``position`` is any position of the game."""

    def named(*cells: int) -> str:
        return cell_names(position.board, cells)

    side = position.sides[event.side]
    match event:
        case Placed(_, cell, height):
            return f"{side} places {named(cell)}" + (f" at height {height}" if height > 1 else "")
        case Flipped(_, cells, by):
            return f"{named(*cells)} turn {side}, flipped by {named(*by)}"
        case Captured(_, cells):
            return f"{side} captures {named(*cells)}"
        case Reduced(_, cell, before, after) | Raised(_, cell, before, after):
            return f"{side}'s {named(cell)} goes from {before} to {after}"
        case Moved(_, start, stops):
            return f"{side} moves from {named(start)} to {named(*stops)}"
        case Sprouted(_, cell):
            return f"{side} sprouts {named(cell)}"
        case Germinated(_, cells):
            return f"{side} germinates {named(*cells)}"
        case Territory(_, cells):
            return f"{side} has {named(*cells)}"
        case SideChosen():
            return f"the second player takes {side}"
        case Passed():
            return f"{side} passes"
    raise AssertionError(f"no words for {event}")


def counts(position: Position) -> str:
    """The score, the prisoners, and the number of listed turns."""
    held = position.held() or {}
    shown = []
    for side, score in position.score().items():
        points = "+".join(map(str, score)) if isinstance(score, list) else str(score)
        shown.append(f"{side} {points or 0}" + (f" with {held[side]} captured" if side in held else ""))
    return "; ".join(filter(None, [", ".join(shown), choices(position)]))


def choices(position: Position) -> str:
    """The number of listed turns."""
    return f"{'openings' if position.phase is Phase.OPENING else 'legal turns'}: {len(position.legal_turns)}"


def playthrough(rules_of: Ruleset, turns: Iterable[str]) -> str:
    """The game in words, with diagrams at intervals and at the end."""
    position = rules_of.start()
    lines = [f"{rules_of.id}; {choices(position)}", ""]
    for ply, turn in enumerate(turns, 1):
        position, events = position.play(turn)
        happened = "; ".join(in_words(position, event) for event in events)
        lines.append(f"{ply}. {turn}: {happened} ({counts(position)})")
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


def renewed(rules_of: Ruleset, old: list[str]) -> Iterable[str]:
    """The old turns if they are still a whole game, otherwise a random game."""
    try:
        if rules_of.replay(old).phase is Phase.OVER:
            return old
    except TurnError:
        pass
    return max((random_turns(rules_of, seed) for seed in range(30)), key=lambda turns: eventfulness(rules_of, turns))


def eventfulness(rules_of: Ruleset, turns: tuple[str, ...]) -> tuple[int, float]:
    """The number of kinds of events in a game, and of rare events relative to its length."""
    position, kinds, rare = rules_of.start(), set[object](), 0
    for turn in turns:
        position, events = position.play(turn)
        kinds |= {type(event) for event in events} | {"".join(sorted(mark for mark in turn if mark in "-+*"))}
        rare += sum(isinstance(event, Flipped | Captured | Sprouted | Germinated) for event in events)
    return len(kinds), rare / len(turns)


@pytest.mark.parametrize("rules_of", SMALLEST, ids=file_name)
def test_a_game_plays_as_before(rules_of: Ruleset) -> None:
    file = FOLDER / file_name(rules_of)
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    if RENEW:
        text = playthrough(rules_of, renewed(rules_of, turns_of(text)))
        FOLDER.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    turns = turns_of(text)
    assert playthrough(rules_of, turns) == text
    assert rules_of.replay(turns).outcome is not None, "the playthrough stops before the end of the game"


def test_exactly_every_game_and_variant_has_a_playthrough() -> None:
    assert {file.name for file in FOLDER.iterdir()} == {file_name(rules_of) for rules_of in SMALLEST}


def test_the_playthroughs_contain_every_kind_of_event() -> None:
    happened, turns = set[type[Event]](), list[str]()
    for rules_of in SMALLEST:
        position = rules_of.start()
        for turn in turns_of((FOLDER / file_name(rules_of)).read_text(encoding="utf-8")):
            position, events = position.play(turn)
            happened |= {type(event) for event in events}
            turns.append(turn)
    bases = (Event, CellEvent, GroupEvent, HeightChange)
    derived = (kind for base in bases for kind in base.__subclasses__() if kind.__module__.startswith("rules."))
    # A class with slots replaces its original of the same name.
    kinds = {kind.__qualname__ for kind in derived} - {base.__qualname__ for base in bases}
    assert {kind.__qualname__ for kind in happened} == kinds
    assert PASS in turns
    assert any(turn.count("-") > 1 for turn in turns), "a move of several stops"
    assert any("-" in turn and "+" in turn for turn in turns), "a move that sprouts"
    assert any("-" in turn and "*" in turn for turn in turns), "a move that germinates"
    assert any("-" not in turn and "+" in turn for turn in turns), "a sowing that sprouts"
    assert any("-" not in turn and "*" in turn for turn in turns), "a sowing that germinates"

"""Positions of all games that have pictures."""

from __future__ import annotations

import random
from functools import cache

import render
import rules
from render import replay
from render.replay import Shot
from rules import PASS, Ruleset

#: Each of them on its smallest, its usual and its largest board, in all variants.
RULESETS = [
    Ruleset(rules.GAMES[name], size, variant)
    for name in render.FACES
    for variant in rules.GAMES[name].variants
    for size in sorted({rules.GAMES[name].sizes[0], rules.GAMES[name].default_size, rules.GAMES[name].sizes[-1]})
]
USUAL = [rules.ruleset(name) for name in render.FACES]


@cache
def random_game(ruleset: Ruleset, turns: int, seed: int = 7) -> tuple[Shot, ...]:
    """A game in which nobody passes who can do something else, up to that many turns."""
    chance = random.Random(seed)
    position = ruleset.start()
    draft = position.draft()
    while not draft.complete:
        draft = position.draft(draft.text + chance.choice(draft.steps))
    played: list[str] = []
    turn = draft.text
    while len(played) < turns:
        played.append(turn)
        position, _ = position.play(turn)
        if not position.legal_turns:
            break
        turn = chance.choice([each for each in position.legal_turns if each != PASS] or position.legal_turns)
    return tuple(replay.shots(ruleset, played))

"""An example of a program that plays: greedy for points, in the protocol that ``rules/search/README.md`` describes.

Copy this file to begin a program of your own. It plays on Hexgrove with ``python -m rules connect ADDRESS --engine
"python my_program.py"``.
"""

from __future__ import annotations

import json
import random
import sys
from typing import Any

import rules

#: Maximum turns to try, because Nadraz may have thousands.
TURNS = 30


def choose(position: rules.Position) -> str:
    """A random opening, then one of the turns with the best immediate score."""
    if position.phase is rules.Phase.OPENING:
        draft = position.draft()
        while not draft.complete:
            draft = position.draft(draft.text + random.choice(draft.next))
        return draft.text
    turns = random.sample(position.legal_turns, min(TURNS, len(position.legal_turns)))
    return max(turns, key=lambda turn: lead(position.play(turn)[0], position.to_play))


def lead(position: rules.Position, side: rules.Side | None) -> tuple[bool, float]:
    """The value of a position for a side: whether it has won, then its points less the other side's."""
    if side is None:  # The second player chooses a side; this treats both as equal.
        return False, 0
    won = position.outcome is not None and position.outcome.winner is side
    points = [sum(score) if isinstance(score, list) else score for score in position.score().values()]
    if not points:
        return won, 0
    first, second = points
    return won, first - second if side is rules.Side.FIRST else second - first


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """The answer to one request: a turn, or the reason for giving none."""
    try:
        ruleset = rules.ruleset(request["game"], request.get("size"), request.get("variant"))
        if request.get("setup"):
            ruleset = rules.with_setup(ruleset, request["setup"])
        position = ruleset.replay(request.get("turns", []))
    except (rules.TurnError, rules.UnknownRuleset, rules.SetupError) as error:
        return {"error": str(error)}
    return {"error": "the game is over"} if position.outcome else {"turn": choose(position)}


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)

"""Fair openings, after which both sides stand about equally well.

``openings.txt`` lists them by ruleset with the first side's chance of winning; ``rules.search.workshop.balance`` wrote
it.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from random import Random

from rules import Position, Ruleset

#: The list, one ruleset a line: its id, a colon, and its openings with their values.
FILE = Path(__file__).with_name("openings.txt")


@cache
def _by_ruleset() -> dict[str, tuple[tuple[str, float], ...]]:
    lines = (line.partition(":") for line in FILE.read_text(encoding="utf-8").splitlines())
    listed = {identity: texts.split() for identity, _, texts in lines}
    return {
        identity: tuple(zip(words[::2], map(float, words[1::2]), strict=True)) for identity, words in listed.items()
    }


def fair_openings(ruleset: Ruleset) -> tuple[tuple[str, float], ...]:
    """The fair openings of a ruleset, each with the first side's chance; none are known for a new game."""
    return _by_ruleset().get(ruleset.id, ())


def fair(position: Position, chance: Random) -> tuple[str, float]:
    """Draw a fair opening, or any opening if none is known; return it with the chance of the player who makes it."""
    known = fair_openings(position.ruleset)
    if known:
        turn, value = known[int(chance.random() * len(known))]
        return turn, min(value, 1 - value)
    return any_opening(position, chance), 0.5


def any_opening(position: Position, chance: Random) -> str:
    """Draw a random opening."""
    draft = position.draft()
    while not draft.complete:
        draft = position.draft(draft.text + draft.next[int(chance.random() * len(draft.next))])
    return draft.text

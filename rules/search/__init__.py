"""The computer player: it chooses a turn in a position by a search.

>>> import rules
>>> from rules import search
>>> position = rules.ruleset("hedu", 5).replay(["e5", "white"])
>>> choice = search.choose(position, level=1, seed=7)
>>> position.is_legal(choice.turn), 0 <= choice.value <= 1
(True, True)
"""

from __future__ import annotations

from rules.search.choice import Choice, analyse, choose
from rules.search.knowledge import Advantage
from rules.search.levels import NUMBERS as LEVELS, Level
from rules.search.reasons import explain, value_of_replies

#: Raised when the same arguments give another choice, so that what was found before can be searched again.
VERSION = 11

__all__ = ["LEVELS", "VERSION", "Advantage", "Choice", "Level", "analyse", "choose", "explain", "value_of_replies"]

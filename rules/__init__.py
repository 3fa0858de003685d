"""The rules of the games, as a library without dependencies.

>>> import rules
>>> position = rules.ruleset("dalen").start()
>>> position, events = position.play("g7")
>>> position.legal_turns
('dark', 'light')
"""

from __future__ import annotations

from rules.board import Board, bits, board, cell_names
from rules.dalen import Dalen
from rules.dendria import Dendria
from rules.errors import GameOver, IllegalTurn, NotATurn, OffTheBoard, Refusal, TurnError, UnknownRuleset
from rules.events import (
    Captured,
    Event,
    Flipped,
    Germinated,
    Moved,
    Passed,
    Placed,
    Raised,
    Reduced,
    SideChosen,
    Sprouted,
    Territory,
)
from rules.fiodar import Fiodar
from rules.games import GAMES, ruleset, ruleset_by_id
from rules.hedu import Hedu
from rules.nadraz import Nadraz
from rules.notation import PASS, tidy
from rules.position import Draft, Outcome, Phase, Position, Reason, Ruleset
from rules.record import Record, RecordError
from rules.side import Side
from rules.text import Text

__all__ = [
    "GAMES",
    "PASS",
    "Board",
    "Captured",
    "Dalen",
    "Dendria",
    "Draft",
    "Event",
    "Fiodar",
    "Flipped",
    "GameOver",
    "Germinated",
    "Hedu",
    "IllegalTurn",
    "Moved",
    "Nadraz",
    "NotATurn",
    "OffTheBoard",
    "Outcome",
    "Passed",
    "Phase",
    "Placed",
    "Position",
    "Raised",
    "Reason",
    "Record",
    "RecordError",
    "Reduced",
    "Refusal",
    "Ruleset",
    "Side",
    "SideChosen",
    "Sprouted",
    "Territory",
    "Text",
    "TurnError",
    "UnknownRuleset",
    "bits",
    "board",
    "cell_names",
    "ruleset",
    "ruleset_by_id",
    "tidy",
]

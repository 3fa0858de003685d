"""The rules of the games, as a library without dependencies.

>>> import rules
>>> position = rules.ruleset("dalen").start()
>>> position, events = position.play("g7")
>>> position.legal_turns
('dark', 'light')
"""

from __future__ import annotations

from rules.board import Board, bits, board, cell_names
from rules.errors import GameOver, IllegalTurn, NotATurn, OffTheBoard, Refusal, TurnError, UnknownRuleset
from rules.events import Captured, Event, Flipped, Passed, Placed, SideChosen, Tally, Territory
from rules.games import GAMES, ruleset, ruleset_by_id
from rules.notation import MARKS, PASS, Notation, elements_of, tidy, without_last_element
from rules.position import SCORE, Draft, Outcome, Phase, PlacementPosition, Position, Ruleset
from rules.record import Record, RecordError
from rules.setups import SetupError, continued, ruleset_from, with_setup
from rules.side import Side
from rules.text import Text

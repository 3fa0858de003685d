"""Records of games as text, in the manner of PGN: tags, numbered turns and the result.

::

    [Game "dalen"]
    [Size "7"]
    [Variant "standard"]
    [Dark "Alice"]
    [Result "*"]

    1. g7 2. light 3. e5 *

Turns are numbered one by one, the opening and the choice of side included. The result is ``1-0`` (the first side won),
``0-1``, ``1/2-1/2`` or ``*`` (not finished). Text in braces is a comment.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass, field

import rules
from rules.game import Position, Ruleset, Side, TurnError

_TAG = re.compile(r'\s*\[(\w+)\s+"((?:[^"\\]|\\.)*)"\]\s*')
_COMMENT = re.compile(r"\{[^}]*\}")
_NUMBER = re.compile(r"(?<![0-9])[0-9]+\.+")
_RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
_SHAPE_TAGS = ("Game", "Size", "Variant", "Result")


class RecordError(ValueError):
    """A text that is not a record, or one whose turns cannot be played."""


@dataclass(frozen=True)
class Record:
    """A game as it is written down: how it is played, its turns, its result and any other tags, such as the players."""

    ruleset: Ruleset
    turns: tuple[str, ...] = ()
    result: str = "*"
    tags: dict[str, str] = field(default_factory=dict)

    @staticmethod
    def result_of(winner: Side | None) -> str:
        """How a finished game's result is written: who won, or None for a draw."""
        return {Side.FIRST: "1-0", Side.SECOND: "0-1", None: "1/2-1/2"}[winner]

    def position(self) -> Position:
        """The position after the last turn."""
        return self.ruleset.replay(self.turns)

    def __str__(self) -> str:
        shape = {
            "Game": self.ruleset.game.name,
            "Size": str(self.ruleset.size),
            "Variant": self.ruleset.variant,
            **self.tags,
            "Result": self.result,
        }
        escaped = ((tag, re.sub(r'(["\\])', r"\\\1", value)) for tag, value in shape.items())
        tags = "\n".join(f'[{tag} "{value}"]' for tag, value in escaped)
        turns = [f"{number}. {turn}" for number, turn in enumerate(self.turns, 1)]
        return f"{tags}\n\n{textwrap.fill(' '.join([*turns, self.result]), 100)}\n"

    @classmethod
    def parse(cls, text: str) -> Record:
        """Reads a record and plays it through. Raises :class:`RecordError`, which names the turn that is wrong."""
        tags: dict[str, str] = {}
        at = 0
        while found := _TAG.match(text, at):
            tags[found[1]] = re.sub(r"\\(.)", r"\1", found[2])
            at = found.end()
        size = tags.get("Size")
        if size is not None and not (size.isascii() and size.isdecimal() and len(size) < 10):
            raise RecordError(f"the size “{size}” is not a number")
        try:
            ruleset = rules.ruleset(tags.get("Game", ""), int(size) if size else None, tags.get("Variant"))
        except rules.UnknownRuleset as error:
            raise RecordError(str(error)) from error
        *turns, result = _NUMBER.sub(" ", _COMMENT.sub(" ", text[at:])).split() or [""]
        if result not in _RESULTS:
            turns, result = [*turns, result] if result else [], tags.get("Result", "*")
        if result not in _RESULTS:
            raise RecordError(f"“{result}” is not a result")
        position = ruleset.start()
        played = []
        for number, typed in enumerate(turns, 1):
            try:
                turn = position.parse(typed)
                position, _ = position.play(turn)
            except TurnError as error:
                raise RecordError(f"turn {number}, {typed}: {error}") from error
            played.append(turn)
        if position.outcome is not None and result != cls.result_of(position.outcome.winner):
            raise RecordError(f"the result is {result}, but the turns end with {position.outcome.reason}")
        others = {tag: value for tag, value in tags.items() if tag not in _SHAPE_TAGS}
        return cls(ruleset, tuple(played), result, others)

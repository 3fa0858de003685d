"""The examples of rule pages: pictures, and captions about what a picture cannot show."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import render
import rules
from bot.wording import words
from bot.wording.quoting import as_code
from bot.wording.sentence import Sentence, gettext as _, joined
from render.overlays import CROSS, DOT
from rules import Event, Position
from rules.pages import Example

_CELL = re.compile("[a-z]{1,2}[0-9]{1,2}")


@dataclass(frozen=True)
class Illustration:
    """A picture of an example: a position, the ``claims`` about it, and the effect of the last turn."""

    position: Position
    events: tuple[Event, ...]
    claims: dict[str, str]

    def draw(self, look: render.Look) -> bytes:
        """Draw the picture, with red crosses on the cells of refused turns and green dots on those of allowed turns."""
        marks = _marks(self.position, self.claims)
        return render.picture(self.position, self.events, None, look, overlay=self.claims.get("shown"), targets=marks)

    def describe(self, look: render.Look) -> str:
        """The picture in words."""
        return render.describe(self.position, self.events, None, look)


def illustrations(example: Example) -> Iterator[tuple[Illustration, Sequence[Sentence]]]:
    """Yield the pictures of an example, each with its captions."""
    position, events = example.position(), tuple[Event, ...]()
    first, *others = example.stages()
    shown = Illustration(position, events, first)
    captions = [*_claims(position, first)]
    for number, stage in enumerate(others, 1):
        side = _playing(position)
        position, events = position.play(stage["turn"])
        if number == len(others):
            yield shown, captions
            shown, captions = Illustration(position, events, stage), []
        did = _("{side} passes") if stage["turn"] == rules.PASS else _("{side} plays {turn}")
        did = did.format(side=side, turn=as_code(stage["turn"]))
        captions += [joined(did, words.effect(events), by=" · "), *_claims(position, stage)]
    yield shown, captions


def _playing(position: Position) -> str:
    assert position.to_play is not None
    return words.side(position.ruleset, position.to_play)


def _claims(position: Position, claims: dict[str, str]) -> Iterator[Sentence]:
    """Yield the statements about a position that a picture cannot show."""
    sentences = {
        "refused": _("× {side} may not play {turns}."),
        "allowed": _("● {side} may play {turns}."),
        "legal": _("{side}'s legal turns: {turns}."),
    }
    for what, sentence in sentences.items():
        turns = [as_code(turn) for turn in claims.get(what, "none").split() if turn != "none"]
        if turns:
            yield sentence.format(side=_playing(position), turns=joined(*turns))
    outcome = position.outcome
    if outcome is not None and outcome.winner is None:
        yield _("It is a draw.")
    elif outcome is not None and outcome.winner is not None:
        winner = words.side(position.ruleset, outcome.winner)
        yield _("{winner} wins {reason}.").format(winner=winner, reason=_(position.reasons[outcome.reason]))


def _marks(position: Position, claims: dict[str, str]) -> dict[int, str]:
    """The marks by cell: crosses for refused turns, dots for allowed turns."""
    marks: dict[int, str] = {}
    for what, badge in (("allowed", DOT), ("refused", CROSS)):
        for turn in claims.get(what, "").split():
            *_before, last = _CELL.findall(turn) or [""]
            cell = position.board.find(last)
            if cell is not None and position.empty >> cell & 1:
                marks.setdefault(cell, badge)
    return marks

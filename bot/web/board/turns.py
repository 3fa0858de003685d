"""The effects of presses on the turn under construction."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace

from bot.domain.turn_entry import TurnEntry
from bot.web.board.pictures import LONGEST
from bot.web.board.turn_board import BACK, CELL, END
from rules import MARKS, Phase, Position, TurnError, elements_of, without_last_element


@dataclass(frozen=True, slots=True)
class PressResult:
    """The turn after a press, whether to play it, and a cell with several elements to choose from (or empty)."""

    entry: TurnEntry
    plays: bool = False
    cell: str = ""


def after_press(position: Position, draft: str, begun: str, press: str) -> PressResult:
    """The result of a press on a board that shows the ``draft`` and whose cells continue the turn ``begun``.

    Raises :class:`rules.TurnError` if no legal turn continues in this way.
    """
    entry = TurnEntry.begin(position, draft)
    if press == END:
        return PressResult(entry, plays=entry.complete)
    if press == BACK:
        return PressResult(entry.back()[0] if draft else entry)
    source = TurnEntry.begin(position, begun)
    if not press.startswith(CELL):
        return PressResult(source.choose(press))
    pressed = _on_cell(entry, source, press.removeprefix(CELL))
    # A second press on the cell that completed the turn plays it, unless the turn needs a button of its own.
    again = entry.complete and pressed.entry.text == entry.text and not pressed.cell
    return replace(pressed, plays=again and not entry.is_risky)


def beginning(position: Position, text: str) -> str:
    """The beginning of a turn, as read from outside; empty if no legal turn begins so."""
    try:
        return TurnEntry.begin(position, text[:LONGEST]).text
    except TurnError:
        return ""


def _on_cell(entry: TurnEntry, source: TurnEntry, name: str) -> PressResult:
    """Continue with an element on the cell, after taking back as many elements as necessary.

    The last cell of a complete turn changes nothing, unless the turn can continue there.
    """
    position, cell = source.position, source.position.board.find(name)
    last = position.element_cell(elements_of(entry.text)[-1]) if entry.complete else None
    if last is not None and last == cell and not entry.on_cell(cell):
        return PressResult(entry)
    text = source.text
    while True:
        shorter = TurnEntry.begin(position, text)
        elements = shorter.on_cell(cell)
        if len(elements) == 1:
            return PressResult(shorter.choose(elements[0]))
        if elements:
            return PressResult(entry if entry.text == text else shorter, cell=name)
        if not text:
            with suppress(TurnError):
                if entry.finished or not entry.text:  # one cell may be enough for a run
                    return PressResult(shorter.choose(name))
            position.refuse(_turn_to_refuse(source, name))
        text = without_last_element(text)


def _turn_to_refuse(source: TurnEntry, name: str) -> str:
    """A turn for the rules to refuse, after a press on a cell without elements."""
    marks = {element[0] for element in source.next}
    mark = marks.pop() if len(marks) == 1 else ""
    if mark and mark in MARKS:
        return f"{source.text}{mark}{name}"
    return name + _rest(source) if source.position.phase is Phase.OPENING and not source.text else name


def _rest(source: TurnEntry) -> str:
    """Legal elements that follow the first one of an opening, so that the rules refuse only the first."""
    entry = source.choose(source.next[0])
    while not entry.complete:
        entry = entry.choose(entry.next[0])
    return "".join(elements_of(entry.text)[1:])

"""The tasks of a guided game: positions with one thing to do, and remarks on the turns played.

The tasks of a game are on the page ``tasks.md`` in its folder, written as :mod:`rules.pages` says. Each has a section
with a request, an example, and a remark on the solution, followed by a list of remarks on other turns. The
example also has these claims:

- ``rule:`` is the section of a rule page behind the task.
- ``lesson:`` is the section of ``lessons.md`` that begins with the task; the tasks without one continue it.
- ``offered:`` are the first elements to choose from, legal or not.
- ``right:`` are the turns that solve the task, the turn to show first.
- ``wrong:`` are turns that do not. There may be several such lines, each with an item in the list. A further item is
  the remark on any other turn.

Claims below ``right:`` and ``wrong:`` are about each of these turns; a ``turn:`` among them is the opponent's answer,
which is also shown. A ``turn:`` above leads from the diagram to the position. ``shown:`` names a picture's overlay,
perhaps with its cell.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from typing import NamedTuple

from rules.errors import TurnError
from rules.events import Event
from rules.pages import SOURCE, TASKS, Example, Section, sections
from rules.position import Position

_ITEM = re.compile(r"^- ", re.MULTILINE)
_RIGHT, _WRONG = "right", "wrong"


class TaskOverlay(NamedTuple):
    """The name of a picture's overlay, and the cell that it is about; without one, it is about the whole board."""

    name: str
    cell: int | None


@dataclass(frozen=True)
class Verdict:
    """The judgement on a turn, with its remark, the position to show and the events of the last turn."""

    solves: bool
    remark: str
    position: Position
    events: tuple[Event, ...]
    overlay: TaskOverlay | None = None


@dataclass(frozen=True)
class TaskAnswer:
    """Turns of a task with the same remark, and claims about each of them."""

    solves: bool
    turns: tuple[str, ...]
    claims: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Task:
    """A position with one thing to do.

    The ``remarks`` are about the ``answers``, in the same order; a further remark is about all other turns.
    """

    title: str
    request: str
    example: Example
    remarks: tuple[str, ...]

    @cached_property
    def start(self) -> tuple[Position, tuple[Event, ...]]:
        """The position, and the events of the turn before it, if shown."""
        return _play_claims(self.example.position(), (), self.example.claims[: self._starts[0]])

    @property
    def position(self) -> Position:
        return self.start[0]

    @cached_property
    def claims(self) -> dict[str, str]:
        """The claims about the position itself."""
        return dict(self.example.claims[: self._starts[0]])

    @cached_property
    def answers(self) -> tuple[TaskAnswer, ...]:
        found = []
        for start, end in pairwise((*self._starts, len(self.example.claims))):
            (kind, turns), *claims = self.example.claims[start:end]
            found.append(TaskAnswer(kind == _RIGHT, tuple(turns.split()), tuple(claims)))
        return tuple(found)

    @property
    def _starts(self) -> list[int]:
        return [at for at, (what, _) in enumerate(self.example.claims) if what in {_RIGHT, _WRONG}]

    @property
    def solution(self) -> str:
        return self.answers[0].turns[0]

    @property
    def rule(self) -> str:
        """The section of the rules behind the task, such as ``dalen/rules.md#passing``."""
        return self.claims["rule"]

    @property
    def lesson(self) -> str:
        """The anchor of the lesson that begins with the task; empty within a lesson."""
        return self.claims.get("lesson", "")

    @property
    def offered(self) -> tuple[str, ...]:
        """The first elements to choose from, legal or not."""
        return tuple(self.claims["offered"].split())

    @property
    def overlay(self) -> TaskOverlay | None:
        return _overlay(self.position, self.claims)

    @cached_property
    def _after(self) -> dict[Position, TaskAnswer]:
        """The answers by the positions that their turns lead to."""
        return {self.position.play(turn)[0]: answer for answer in self.answers for turn in answer.turns}

    def solved_by(self, text: str) -> bool:
        """Whether a text is a turn that solves the task, and not a wrong, unfinished or illegal turn."""
        try:
            answer = self._after.get(self.position.play(text)[0])
        except TurnError:
            return False
        return answer is not None and answer.solves

    def verdict(self, turn: str) -> Verdict:
        """Judge a legal turn. Raises like :meth:`Position.play`."""
        position, events = self.position.play(turn)
        given = self._after.get(position)
        for answer, remark in zip(self.answers, self.remarks, strict=False):
            if answer is given:
                position, events = _play_claims(position, events, answer.claims)
                return Verdict(answer.solves, remark, position, events, _overlay(position, dict(answer.claims)))
        return Verdict(False, "".join(self.remarks[len(self.answers) :]), position, events)


def _play_claims(
    position: Position, events: tuple[Event, ...], claims: tuple[tuple[str, str], ...]
) -> tuple[Position, tuple[Event, ...]]:
    """The position after the turns among the claims, and the events of the last turn."""
    for what, said in claims:
        if what == "turn":
            position, events = position.play(said)
    return position, events


def _overlay(position: Position, claims: dict[str, str]) -> TaskOverlay | None:
    name, _, cell = claims.get("shown", "").partition(" ")
    return TaskOverlay(name, position.board.find(cell)) if name else None


@cache
def tasks(game: str, language: str = SOURCE) -> tuple[Task, ...]:
    """The tasks of a game in order."""
    return tuple(_task(section) for section in sections(f"{game}{TASKS}", language)[1:])


def _task(section: Section) -> Task:
    """Read a section of a page. Raises ``ValueError`` if it lacks the content of a task."""
    request, example, said = section.content
    if not (isinstance(request, str) and isinstance(example, Example) and isinstance(said, str)):
        raise ValueError(f"no task: {section.title}")  # noqa: TRY004
    return Task(section.title, _on_one_line(request), example, tuple(map(_on_one_line, _ITEM.split(said))))


def _on_one_line(text: str) -> str:
    return " ".join(text.split())

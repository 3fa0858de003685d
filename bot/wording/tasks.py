"""Sentences about the tasks that teach a game."""

from __future__ import annotations

import re

from bot.texts import current_language
from bot.wording import words
from bot.wording.sentence import Sentence, gettext as _, joined
from rules import Position, Side
from rules.pages import LESSONS, sections
from rules.tasks import Task, tasks

#: The first sentence of a lesson, with the next one if it is very short.
_BEGINNING = re.compile(r".{35,}?[.!?](?= |$)|.+")


def tasks_of(game: type[Position]) -> tuple[Task, ...]:
    """The tasks of a game in the current language."""
    return tasks(game.name, current_language())


def lesson_above(game: type[Position], task: Task) -> Sentence:
    """The first sentence of the lesson that begins with a task; empty within a lesson."""
    for lesson in sections(f"{game.name}{LESSONS}", current_language()):
        if lesson.anchor == task.lesson:
            found = _BEGINNING.match(" ".join(str(lesson.content[0]).split()))
            return Sentence("" if found is None else found[0])
    return Sentence()


def progress(game: type[Position], number: int) -> str:
    """The place of a task, given by its index, among the tasks of a game."""
    return _("{game} · task {number} of {count}").format(game=game.title, number=number + 1, count=len(tasks_of(game)))


def verdict_on(task: Task, tried: str | None) -> Sentence:
    """The verdict on the turn ``tried`` or, by default, the remark on the solution.

    Raises :class:`rules.TurnError`.
    """
    turn = task.solution if tried is None else tried
    verdict = task.verdict(turn)
    emoji = "💡" if tried is None else "✅" if verdict.solves else "❌"
    remark = Sentence(verdict.remark) or _("The task asks for something else.")
    return joined(joined(emoji, words.turn(task.position, turn)), remark, by=" · ")


def completion(game: type[Position]) -> tuple[str, str, str]:
    """A title and sentences after the last task."""
    piece = _(game.opening_hint).format(side=words.translate(game.side_name(Side.FIRST)))
    return (
        _("Now you can play {game}").format(game=game.title),
        _("To begin, one player opens: {piece}. The other player then picks a side.").format(piece=piece),
        _("The rules have the details."),
    )

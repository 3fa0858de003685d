"""The tasks of the guided games: each is played, and every claim about its turns is checked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import takewhile

import pytest

from bot.texts import LANGUAGES
from rules import GAMES, IllegalTurn, Position, Side, TurnError
from rules.dalen import Dalen
from rules.pages import COMMON, LESSONS, RULES, SOURCE, TASKS, Example, examples, sections
from rules.search.knowledge import positions_after
from rules.tasks import Task, TaskAnswer, tasks
from tests.support.diagrams import Reading, sets_of_words
from tests.support.each import for_each
from tests.support.positions import ANY_GAME, names, refusal
from tests.support.tern import Tern

with pytest.MonkeyPatch.context() as registered:
    registered.setitem(GAMES, Tern.name, Tern)
    ALL = [task for game in ANY_GAME for task in tasks(game)]
every_task = for_each("task", ALL, lambda task: f"{task.position.name}-{task.title}")
every_game = for_each("game", ANY_GAME)
every_language = for_each("language", LANGUAGES)


class TaskReading(Reading):
    """Reads the claims about a task's position or turns, which need not name every effect."""

    def check_all_is_said(self) -> None:
        pass

    def check(self, what: str, said: str) -> None:
        if what == "threats":
            assert said == (" ".join(sorted(threats(self.position))) or "none")
        elif what == "shown":
            super().check(what, said.split()[0])
        elif what.endswith(" room"):
            assert sets_of_words(said) == sorted(room(self.position, self.game.sides.index(what.split()[0])))
        elif what not in {"lesson", "rule", "offered"}:
            super().check(what, said)


def threats(position: Position) -> Iterator[str]:
    """The turns with which the side to play takes something from its opponent."""
    for turn in position.legal_turns:
        _after, events = position.play(turn)
        if any(event.takes_pieces and event.loser is not position.to_play for event in events):
            yield turn


def room(position: Position, seat: int) -> Iterator[str]:
    """The cells on which each tree of a side can grow."""
    assert isinstance(position, Dalen)
    side = Side(seat)
    for tree in position.trees(side):
        yield names(position, position.placements(side) & position.board.spread(tree))


def example_of(task: Task, answer: TaskAnswer | None = None, turn: str = "") -> Example:
    """The claims about a task's position, or about a turn, as an example."""
    claims = tuple(takewhile(lambda claim: claim[0] != "right", task.example.claims))
    if answer is not None:
        claims = (*claims, ("turn", turn), *answer.claims)
    return replace(task.example, claims=claims)


@every_task
def test_every_claim_about_the_position_and_its_turns_is_true(task: Task) -> None:
    TaskReading(example_of(task)).read()
    for answer in task.answers:
        for turn in answer.turns:
            TaskReading(example_of(task, answer, turn)).read()


@every_task
def test_the_solutions_solve_the_task_and_other_turns_exist(task: Task) -> None:
    position = task.position
    assert task.answers[0].solves
    assert not any(answer.solves for answer in task.answers[1:])
    for answer in task.answers:
        for turn in answer.turns:
            assert position.parse(turn) == turn
            assert task.solved_by(turn) is answer.solves is task.verdict(turn).solves
    others = [turn for turn in choosable(task) if not task.solved_by(turn)]
    assert others
    for turn in others:
        assert task.verdict(turn).remark, f"{turn} has no remark"


def test_a_turn_is_judged_by_the_position_it_leads_to() -> None:
    unlisted = 0
    for task in ALL:
        after = {task.position.play(turn)[0]: turn for answer in task.answers for turn in answer.turns}
        for turn, reached in positions_after(task.position).items():
            if reached in after:
                unlisted += turn != after[reached]
                verdict, listed = task.verdict(turn), task.verdict(after[reached])
                assert (verdict.solves, verdict.remark) == (listed.solves, listed.remark), f"{task.title}: {turn}"
                assert task.solved_by(turn) is task.solved_by(after[reached])
    assert unlisted > 2


@every_task
def test_offered_elements_are_legal_or_refused_and_lead_to_every_answer(task: Task) -> None:
    position = task.position
    for element in task.offered:
        error = refusal(position.draft, element)
        assert error is None or isinstance(error, IllegalTurn)
    assert 2 <= len(task.offered) <= 25
    for answer in task.answers:
        for turn in answer.turns:
            assert any(is_begun(turn, element) for element in task.offered), f"{turn} cannot be pressed"


def is_begun(turn: str, element: str) -> bool:
    return turn.startswith(element) and not turn[len(element) :][:1].isalnum()


def choosable(task: Task) -> Iterator[str]:
    """Turns that can be pressed: all turns where a turn is one element."""
    for element in task.offered:
        try:
            draft = task.position.draft(element)
        except TurnError:
            continue
        for turn in (element, *(element + more for more in draft.next)):
            if task.position.is_legal(turn):
                yield turn


@for_each("game", GAMES)
def test_there_are_about_ten_tasks(game: str) -> None:
    assert 9 <= len(tasks(game)) <= 11


@every_game
def test_tasks_are_on_the_smallest_board(game: str) -> None:
    for task in tasks(game):
        assert (task.example.ruleset.game.name, task.example.ruleset.size) == (game, GAMES[game].sizes[0])
        assert task.example.ruleset.variant == GAMES[game].variants[0]
        assert task.position.to_play is not None
    # An illegal element can be tried.
    assert any(refusal(task.position.draft, element) is not None for task in tasks(game) for element in task.offered)


@every_task
def test_a_task_links_a_section_of_the_rules(task: Task) -> None:
    page, _md, anchor = task.rule.partition(".md#")
    assert page in {COMMON, task.position.name + RULES}
    assert anchor in [section.anchor for section in sections(page)[1:]]


@every_language
@every_game
def test_every_sentence_is_translated_and_short(game: str, language: str) -> None:
    for task, source in zip(tasks(game, language), tasks(game), strict=True):
        assert task.example == source.example
        assert len(task.remarks) == len(source.remarks)
        assert len(source.answers) <= len(source.remarks) <= len(source.answers) + 1
        assert len(task.title) <= 30
        assert task.request.endswith(("**", "**."))
        for said, most in ((task.request, 260), *((remark, 220) for remark in task.remarks)):
            assert 20 < len(said) <= most, said
            assert len(re.findall(r"[.!?:](?:\*\*)?(?:\s|$)", said)) <= 4
        if language != SOURCE:
            said, original = " ".join([task.request, *task.remarks]), " ".join([source.request, *source.remarks])
            assert said != original


def test_every_page_of_tasks_is_read() -> None:
    assert [task.example for task in ALL] == [example for game in ANY_GAME for example in examples(f"{game}{TASKS}")]


@pytest.mark.parametrize("game", GAMES)
def test_every_lesson_begins_with_one_task_and_the_first_task_begins_one(game: str) -> None:
    begun = [task.lesson for task in tasks(game) if task.lesson]
    assert tasks(game)[0].lesson == begun[0]
    assert sorted(begun) == sorted(lesson.anchor for lesson in sections(f"{game}{LESSONS}")[1:])

"""Tasks and lessons that can be continued as matches."""

from __future__ import annotations

import pytest

from bot.domain.challenges import can_continue, example_among, from_example
from rules import GAMES, Record, ruleset_by_id
from rules.pages import LESSONS, sections
from rules.tasks import tasks


@pytest.mark.parametrize("game", GAMES)
def test_most_tasks_of_each_game_can_be_continued(game: str) -> None:
    can = [can_continue(task.example.position()) for task in tasks(game)]
    assert sum(can) >= len(can) // 2


@pytest.mark.parametrize("game", GAMES)
def test_every_lesson_can_be_continued(game: str) -> None:
    for lesson in sections(f"{game}{LESSONS}")[1:]:
        example = example_among(lesson.content)
        assert example is not None, lesson.title
        ruleset = from_example(example)
        assert ruleset_by_id(ruleset.id) == ruleset
        assert Record.parse(str(Record(ruleset))) == Record(ruleset)

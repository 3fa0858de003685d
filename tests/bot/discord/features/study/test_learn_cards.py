"""The cards of the guided games in each language can be sent, pressed and read on a phone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import render
from bot.discord.features.study.learn import TaskKey, last_card, task_card, verdict_card
from bot.discord.ui.presses import presses_of
from bot.domain.turn_entry import TurnEntry
from bot.texts import LANGUAGES, in_language
from bot.wording.tasks import tasks_of
from rules import GAMES, TurnError
from tests.support.cards import check_card, look, written
from tests.support.thorough import sample


def begun(game: str, number: int) -> Iterator[TurnEntry]:
    """Yield incomplete turns after a first press in a task."""
    task = tasks_of(GAMES[game])[number]
    for element in task.offered:
        try:
            entry = TurnEntry.begin(task.position, element, task.offered)
        except TurnError:
            continue
        if entry.next and not task.solved_by(entry.text):
            yield entry


#: All games in German, which has the longest words, and some in the other languages.
GAMES_IN_LANGUAGES = [
    (game, language) for language in LANGUAGES for game in (GAMES if language == "de" else sample([*GAMES], 3))
]


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize(("game", "language"), GAMES_IN_LANGUAGES)
def test_every_task_and_every_answer_can_be_sent_and_every_offered_element_has_a_key(game: str, language: str) -> None:
    with in_language(language):
        for number, task in enumerate(tasks_of(GAMES[game])):
            first = task_card(GAMES[game], number, look())
            keys = [press.key for press in presses_of(first.view.children, TaskKey)]
            assert sorted(map(str, keys)) == sorted(task.offered)
            cards = [
                first,
                task_card(GAMES[game], number, look(), note=f"✗ {'x' * 200}", rule=f"{game}/rules.md#rulings"),
                *(task_card(GAMES[game], number, look(), entry) for entry in begun(game, number)),
                verdict_card(GAMES[game], number, None, look()),
                *(verdict_card(GAMES[game], number, turn, look()) for answer in task.answers for turn in answer.turns),
            ]
            for card in cards:
                check_card(card)
                assert written(card)[0].startswith(f"### 🎓 {task.title}\n")
        check_card(last_card(GAMES[game], "dark"))


def test_the_picture_names_both_ends_of_the_runs_that_are_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[dict[int, str]] = []

    def picture(*_args: object, targets: dict[int, str], **_options: object) -> bytes:
        shown.append(targets)
        return b"png"

    monkeypatch.setattr(render, "picture", picture)
    task_card(GAMES["nadraz"], 8, look())
    (task, (targets,)) = tasks_of(GAMES["nadraz"])[8], shown
    assert {"e4-i8", "f5-i8"} <= set(task.offered), "runs that end on the same cell"
    assert sorted(targets.values()) == sorted({end for run in task.offered for end in run.split("-")})

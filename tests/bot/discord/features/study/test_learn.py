"""/learn: a guided first game on one private card, from the first task to a challenge, in each language."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import render
from bot.discord.features.study.learn import TaskKey, last_card, task_card, verdict_card
from bot.discord.ui.actions import OpenTask, ReadLesson
from bot.discord.ui.presses import presses_of
from bot.domain.players import computer
from bot.domain.turn_entry import TurnEntry
from bot.texts import LANGUAGES, in_language
from bot.wording.tasks import tasks_of
from rules import GAMES, PASS, TurnError, elements_of
from rules.tasks import Task, tasks
from tests.support.discord.cards import check_card, look, written
from tests.support.discord.club import Club, Seen
from tests.support.discord.turn_presses import offered
from tests.support.thorough import sample

LAST = ("Play the computer, level 1", "Challenge a friend", "Puzzles", "Rules", "Previous task")


async def learn(club: Club, game: str = "dalen", number: int = 0) -> Any:
    """Open the card of a task, by default the first."""
    card = await club.open(club.alice, "learn", game=game)
    if number:
        await club.forge(club.alice, OpenTask(GAMES[game], number, in_place=True), on=card)
    return card


async def pick(club: Club, choice: str, on: Any) -> Seen:
    """Choose an element by its key."""
    return await club.change(club.alice, offered(club.seen(on))[choice], on)


async def solve(club: Club, task: Task, on: Any) -> Seen:
    """Compose the solution by pressing."""
    begin = max((element for element in task.offered if task.solution.startswith(element)), key=len)
    card, made = await pick(club, begin, on), begin
    entry = TurnEntry.begin(task.position).choose(begin)
    for element in elements_of(task.solution[len(begin) :]):
        made += element
        if not entry.text.startswith(made):
            card, entry = await pick(club, element, on), entry.choose(element)
    return card


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("game", sample([*GAMES], 5))
async def test_a_guided_game_is_played_from_the_first_task_to_a_challenge(club: Club, game: str) -> None:
    card = await learn(club, game)
    found = tasks(game)
    for number, task in enumerate(found, 1):
        shown = club.seen(card)
        assert shown.private
        shown.says(f"### 🎓 {task.title}\n", task.request, f"{GAMES[game].title} · task {number} of {len(found)}")
        solved = await solve(club, task, card)
        named = "**Pass**" if task.solution == PASS else f"`{task.solution}`"
        assert f"✅ {named} · {task.remarks[0]}" in solved.text
        assert len(solved.pictures) == 1
        await club.change(club.alice, "Next", card)
    last = club.seen(card)
    last.says(f"### 🎓 Now you can play {GAMES[game].title}", "To begin, one player opens: ")
    assert last.labels == LAST
    await club.change(club.alice, "Challenge a friend", card)
    assert "**Who do you want to play?**" in club.seen(card).text
    assert not club.messages(), "nobody else sees any of it"


async def test_after_the_tasks_come_puzzles_and_a_game_against_the_first_level(club: Club) -> None:
    card = await learn(club, "fiodar")
    last = OpenTask(GAMES["fiodar"], 10, in_place=True)
    await club.forge(club.alice, last, on=card)
    for label in ("Puzzles", "Next puzzle"):
        assert "### 🧩 Fiodar puzzle" in (await club.change(club.alice, label, card)).text
    await club.forge(club.alice, last, on=card)
    assert (await club.press(club.alice, "Play the computer, level 1", on=card)).nothing
    match = await club.newest_match()
    assert (match.ruleset.game.name, match.ruleset.size) == ("fiodar", 5), "the smallest board"
    assert computer(1) in match.players
    assert "Hexgrove (level 1)" in club.card().text
    assert "your first Fiodar?" not in club.card().text, "no longer, after the tasks"


@pytest.mark.usefixtures("undrawn")
async def test_players_are_newcomers_until_the_end_of_the_tasks(club: Club) -> None:
    count = len(tasks("dalen"))
    card = await learn(club, number=count - 2)
    await club.change(club.alice, "Skip", card)
    assert f"task {count} of {count}" in club.seen(card).text
    await club.match()
    assert "Alice, your first Dalen?" in club.card().text


async def test_a_wrong_turn_shows_what_it_does_and_why_it_is_wrong(club: Club) -> None:
    card = await learn(club, number=5)
    wrong = await club.change(club.alice, "b1", card)
    assert "❌ `b1` · You took the last cell on which it could grow." in wrong.text
    assert "3 stones flipped to Light" in wrong.descriptions[0]
    assert wrong.labels == ("Previous task", "Try again", "Show me", "Skip", "Rules")
    await club.restart()
    again = await club.change(club.alice, "Try again", card)
    assert "### 🎓 Careless stones" in again.text
    assert "b1" in again.labels
    assert "✅ `b2`" in (await club.change(club.alice, "b2", card)).text
    await club.change(club.alice, "Next", card)
    wrong = await club.change(club.alice, "a4", card)
    assert "❌ `a4` · Your tree still had no third leaf, and Light flipped it with `a2`" in wrong.text
    assert "Last turn: Light on a2" in wrong.descriptions[0], "the answer of the opponent is shown too"


async def test_an_illegal_turn_is_refused_with_its_rule(club: Club) -> None:
    card = await learn(club, number=2)
    refused = await club.change(club.alice, "f6", card)
    assert "✗ f6 is next to two of your leaves: e6, g6." in refused.text
    assert "f7" in refused.labels, "one can go on at once"
    rule = await club.press(club.alice, "Rules", on=card)
    assert "### 📖 Dalen · Your turn: place a stone" in rule.private
    card = await learn(club, "nadraz", 2)
    assert "✗ `f6` cannot be played: A snake has exactly one head" in (await club.change(club.alice, "f6", card)).text


async def test_a_lone_seed_grows_into_a_tree_and_several_into_a_forest(club: Club) -> None:
    assert "Grow the Tree on a1" in (await pick(club, "g12", await learn(club, "dendria", 5))).labels
    assert str(tasks("dendria")[6].position.element_name("d1-d3", "*a1")) == "Grow the forest at a1"


async def test_the_solution_is_shown_with_its_reason_and_tasks_can_be_skipped(club: Club) -> None:
    card = await learn(club, "dendria")
    await club.change(club.alice, "Skip", card)
    assert (
        "💡 `d7+g7` · Four dark pieces against two light ones" in (await club.change(club.alice, "Show me", card)).text
    )
    await club.restart()
    assert "### 🎓 Whose Seed?" in (await club.change(club.alice, "Next", card)).text
    assert "### 🎓 Sprouting" in (await club.change(club.alice, "Previous task", card)).text
    half = await club.change(club.alice, "d7", card)
    assert "Sprout g7" in half.labels
    assert "Skip" in half.labels, "and not a word that seems to go on with the turn"
    assert "Add another action, or play." in half.text
    assert "Try again" not in half.labels, "nothing was wrong yet"
    assert "### 🎓 Sprouting" in (await club.change(club.alice, "Back", card)).text
    await club.change(club.alice, "d7", card)
    ended = await club.change(club.alice, "Play only d7", card)
    assert "❌ `d7` · Now `g7` is nourished by you, but you did not let it sprout." in ended.text


async def test_tasks_open_in_direct_messages_and_from_the_rules(club: Club) -> None:
    assert "### 🎓 Regions" in (await club.whisper(club.alice, "learn", game="hedu")).private
    rules = await club.open(club.bob, "rules", game="nadraz")
    assert "### 🎓 Runs" in (await club.press(club.bob, "Learn in 3 minutes", on=rules)).private
    assert "### 📖 Nadraz" in club.seen(rules).text


async def test_the_first_task_of_a_lesson_begins_with_its_first_sentence(club: Club) -> None:
    card = await learn(club, "hedu")
    assert "### 🎓 Regions\nYour pieces are *stacks*; the number on each is its *height*.\n" in club.seen(card).text
    await club.change(club.alice, "Skip", card)
    assert "### 🎓 Walls\nPlace a stack on an empty cell, or pass.\n" in club.seen(card).text
    await club.forge(club.alice, OpenTask(GAMES["hedu"], 3, in_place=True), on=card)
    assert "### 🎓 Sinking stacks\nA stack that touches" in club.seen(card).text, "the lesson goes on"


@pytest.mark.usefixtures("undrawn")
async def test_a_button_to_a_lesson_from_an_earlier_version_opens_its_tasks(club: Club) -> None:
    card = await learn(club, "hedu")
    for lesson, title in enumerate(("Regions", "Walls", "Prisoners", "A first plan", "The end")):
        await club.forge(club.alice, ReadLesson(GAMES["hedu"], lesson, in_place=True), on=card)
        assert f"### 🎓 {title}\n" in club.seen(card).text
    assert "### 🎓 The end" in (await club.forge(club.alice, ReadLesson(GAMES["hedu"], 10**9), on=card)).private


async def test_a_solved_task_is_stored_and_a_shown_one_is_not(club: Club) -> None:
    card = await learn(club)
    await club.change(club.alice, "Show me", card)
    await club.change(club.alice, "Next", card)
    await solve(club, tasks("dalen")[1], card)
    assert await club.app.settings.solved_tasks(club.alice.id) == {"dalen": {1}}


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

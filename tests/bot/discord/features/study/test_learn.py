"""/learn: a guided first game on one private card, from the first task to a challenge, also after a restart."""

from __future__ import annotations

from typing import Any

import pytest

import render
from bot.discord.features.study.learn import ShowTurn, TaskKey
from bot.discord.ui.actions import OpenTask
from bot.discord.ui.keypad import ControlKey
from bot.discord.ui.presses import Press
from bot.domain.players import computer
from bot.domain.turn_entry import TurnEntry
from rules import GAMES, PASS, elements_of
from rules.tasks import Task, tasks
from tests.support.club import Club, Seen, seen
from tests.support.presses import press_of
from tests.support.thorough import sample
from tests.support.turn_presses import offered

LAST = ("Play the computer, level 1", "Challenge somebody", "Puzzles", "Read the rules", "Previous task")


@pytest.fixture
def _undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cards with a picture that is not drawn."""
    png = render.thumbnail(GAMES["dalen"])
    monkeypatch.setattr(render, "picture", lambda *_args, **_options: png)


async def learn(club: Club, game: str = "dalen", number: int = 0) -> Any:
    """The card of a task, by default the first."""
    card = (await club.slash(club.alice, "learn", game=game)).private_handle
    if number:
        screen = club.screen(card).relabelled("Skip", OpenTask(GAMES[game], number, in_place=True).custom_id)
        await club.press_late(club.alice, "Skip", screen)
    return card


async def press(club: Club, label: str, on: Any) -> Seen:
    """Presses a button; the card that replaces the one before."""
    assert (await club.press(club.alice, label, on=on)).nothing
    return seen(club.env, on)


async def pick(club: Club, choice: str, on: Any) -> Seen:
    """Chooses an element by its key."""
    return await press(club, offered(seen(club.env, on))[choice], on)


async def solve(club: Club, task: Task, on: Any) -> Seen:
    """Puts the solution together by pressing."""
    begin = max((element for element in task.offered if task.solution.startswith(element)), key=len)
    card, made = await pick(club, begin, on), begin
    entry = TurnEntry.begin(task.position).choose(begin)
    for element in elements_of(task.solution[len(begin) :]):
        made += element
        if not entry.text.startswith(made):
            card, entry = await pick(club, element, on), entry.choose(element)
    return card


@pytest.mark.usefixtures("_undrawn")
@pytest.mark.parametrize("game", sample([*GAMES], 5))
async def test_a_guided_game_is_played_from_the_first_task_to_a_challenge(club: Club, game: str) -> None:
    card = await learn(club, game)
    found = tasks(game)
    for number, task in enumerate(found, 1):
        shown = seen(club.env, card)
        assert shown.private
        assert f"### 🎓 {task.title}\n{task.request}" in shown.text
        assert f"{GAMES[game].title} · task {number} of {len(found)}" in shown.text
        solved = await solve(club, task, card)
        named = "**Pass**" if task.solution == PASS else f"`{task.solution}`"
        assert f"✅ {named} · {task.remarks[0]}" in solved.text
        assert len(solved.pictures) == 1
        await press(club, "Next", card)
    last = seen(club.env, card)
    assert f"### 🎓 Now you can play {GAMES[game].title}" in last.text
    assert "To begin, one player opens: " in last.text
    assert last.labels == LAST
    await press(club, "Challenge somebody", card)
    assert "**Whom do you challenge?**" in seen(club.env, card).text
    assert not club.messages(), "nobody else sees any of it"


async def test_it_ends_with_puzzles_and_a_game_against_the_first_level(club: Club) -> None:
    card = await learn(club, "fiodar")
    cards = await club.press(club.alice, "Rules in five cards", on=card)
    assert "Card 1 of 5" in cards.private
    screen = club.screen(card).relabelled("Next", OpenTask(GAMES["fiodar"], 10, in_place=True).custom_id)
    await club.press_late(club.alice, "Next", screen)
    for label in ("Puzzles", "Next puzzle"):
        assert "### 🧩 Fiodar puzzle" in (await press(club, label, card)).text
    await club.press_late(club.alice, "Next", screen)
    assert (await club.press(club.alice, "Play the computer, level 1", on=card)).nothing
    match = await club.newest_match()
    assert (match.ruleset.game.name, match.ruleset.size) == ("fiodar", 5), "the smallest board"
    assert computer(1) in match.players
    assert "Hexgrove (level 1)" in club.card().text
    assert "your first Fiodar?" not in club.card().text, "no longer, after the tasks"


@pytest.mark.usefixtures("_undrawn")
async def test_nobody_knows_a_game_before_the_end_of_its_tasks(club: Club) -> None:
    count = len(tasks("dalen"))
    card = await learn(club, number=count - 2)
    await press(club, "Skip", card)
    assert f"task {count} of {count}" in seen(club.env, card).text
    await club.match()
    assert "Alice, your first Dalen?" in club.card().text


async def test_a_wrong_turn_shows_what_it_does_and_why_it_is_wrong(club: Club) -> None:
    card = await learn(club, number=5)
    wrong = await press(club, "b1", card)
    assert "❌ `b1` · You took the last cell on which it could grow." in wrong.text
    assert "3 stones flipped to Light" in wrong.descriptions[0]
    assert wrong.labels == ("Previous task", "Try again", "Show me", "Skip", "Rules · Your turn: flip")
    await club.restart()
    again = await press(club, "Try again", card)
    assert "### 🎓 Careless stones" in again.text
    assert "b1" in again.labels
    assert "✅ `b2`" in (await press(club, "b2", card)).text
    await press(club, "Next", card)
    wrong = await press(club, "a4", card)
    assert "❌ `a4` · Your tree still had no third leaf, and Light flipped it with `a2`" in wrong.text
    assert "Last turn: Light on a2" in wrong.descriptions[0], "the answer of the opponent is shown too"


async def test_a_turn_that_is_not_allowed_is_refused_by_the_rule_itself(club: Club) -> None:
    card = await learn(club, number=2)
    refused = await press(club, "f6", card)
    assert "✗ f6 is next to two of your leaves: e6, g6." in refused.text
    assert "f7" in refused.labels, "one can go on at once"
    rule = await club.press(club.alice, "Rules · Your turn: place a stone", on=card)
    assert "### 📖 Dalen · Your turn: place a stone" in rule.private
    card = await learn(club, "nadraz", 2)
    assert "✗ `f6` cannot be played: A snake has exactly one head" in (await press(club, "f6", card)).text


async def test_a_lone_seed_grows_into_a_tree_and_several_into_a_forest(club: Club) -> None:
    card = await learn(club, "dendria", 5)
    assert "Grow the Tree on a1" in (await press(club, "g12", card)).labels
    several = tasks("dendria")[6].position
    assert str(several.element_name("d1-d3", "*a1")) == "Grow the forest at a1"


async def test_the_solution_is_shown_with_its_reason_and_tasks_can_be_skipped(club: Club) -> None:
    card = await learn(club, "dendria")
    await press(club, "Skip", card)
    shown = await press(club, "Show me", card)
    assert "💡 `d7+g7` · Four dark pieces against two light ones" in shown.text
    await club.restart()
    assert "### 🎓 Whose Seed?" in (await press(club, "Next", card)).text
    assert "### 🎓 Sprouting" in (await press(club, "Previous task", card)).text
    half = await press(club, "d7", card)
    assert "Sprout g7" in half.labels
    assert "Skip" in half.labels, "and not a word that seems to go on with the turn"
    assert "You can go on, or end the turn here." in half.text
    assert "Try again" not in half.labels, "nothing was wrong yet"
    assert "### 🎓 Sprouting" in (await press(club, "Back", card)).text
    await press(club, "d7", card)
    ended = await press(club, "Play only d7", card)
    assert "❌ `d7` · Now `g7` is nourished by you, but you did not let it sprout." in ended.text


@pytest.mark.usefixtures("_undrawn")
async def test_it_speaks_the_language_of_the_learner(club: Club) -> None:
    for locale, title, right, again, last in (
        ("de", "Bäume", "Jetzt sind zwei Steine ein Baum.", "Vorige Aufgabe", "Jetzt kannst du Dalen spielen"),
        ("es-ES", "Árboles", "Ahora dos piedras forman un árbol.", "Tarea anterior", "Ya puedes jugar a Dalen"),
    ):
        club.speak(club.alice, locale)
        card = await learn(club)
        assert f"### 🎓 {title}\n" in seen(club.env, card).text
        solved = await pick(club, "d4", card)
        assert f"✅ `d4` · {right}" in solved.text
        assert solved.labels[0] == again
        onward = {label: press_of(custom_id, OpenTask) for label, custom_id in solved.buttons.items()}
        (label,) = (label for label, opened in onward.items() if opened and opened.number == 1)
        over = OpenTask(GAMES["dalen"], len(tasks("dalen")), in_place=True)
        await club.press_late(club.alice, label, club.screen(card).relabelled(label, over.custom_id))
        assert last in seen(club.env, card).text


async def test_it_is_there_in_a_conversation_with_the_bot_and_on_every_lesson(club: Club) -> None:
    assert "### 🎓 Regions" in (await club.whisper(club.alice, "learn", game="hedu")).private
    lesson = (await club.slash(club.bob, "rules", game="nadraz")).private_handle
    task = await club.press(club.bob, "Learn Nadraz", on=lesson)
    assert "### 🎓 Runs" in task.private
    assert "### 📖 Nadraz · The goal" in seen(club.env, lesson).text


#: Presses of other times, each with what the card then shows.
STALE: tuple[tuple[Press, str], ...] = (
    (OpenTask(GAMES["dalen"], 10**9, in_place=True), "### 🎓 Now you can play Dalen"),
    (ShowTurn(GAMES["dalen"], 10**9), "### 🎓 Now you can play Dalen"),
    (TaskKey(GAMES["dalen"], 10**9, "", "e5"), "### 🎓 Now you can play Dalen"),
    (TaskKey(GAMES["dalen"], 1, "e5", "+a1"), "✗ "),
    (TaskKey(GAMES["dalen"], 1, "", ControlKey.END), "### 🎓 Leaves"),
    (TaskKey(GAMES["dalen"], 1, "", ControlKey.BACK), "### 🎓 Leaves"),
    (TaskKey(GAMES["dalen"], 1, "zz99", ControlKey.END), "✗ "),
    (TaskKey(GAMES["dendria"], 0, "", 99), "### 🎓 Roots"),
)


async def test_buttons_of_other_times_are_answered(club: Club) -> None:
    card = await learn(club)
    now = club.screen(card)
    for stale, answered in STALE:
        await club.press_late(club.alice, "Next", now.relabelled("Next", stale.custom_id))
        assert answered in seen(club.env, card).text, stale
    gone = now.relabelled("Next", "hexgrove:task:moon:0:next")
    answer = await club.press_late(club.alice, "Next", gone)
    assert "This button comes from an earlier version." in answer.private

"""/learn: a guided first game on one private card, from the first task to a challenge."""

from __future__ import annotations

from typing import Any

import pytest

from bot.discord.ui.actions import OpenTask
from bot.domain.players import computer
from bot.domain.turn_entry import TurnEntry
from rules import GAMES, PASS, elements_of
from rules.tasks import Task, tasks
from tests.support.club import Club, Seen
from tests.support.thorough import sample
from tests.support.turn_presses import offered

LAST = ("Play the computer, level 1", "Challenge somebody", "Puzzles", "Read the rules", "Previous task")


async def learn(club: Club, game: str = "dalen", number: int = 0) -> Any:
    """Open the card of a task, by default the first."""
    card = await club.open(club.alice, "learn", game=game)
    if number:
        screen = club.screen(card).relabelled("Skip", OpenTask(GAMES[game], number, in_place=True).custom_id)
        await club.press_late(club.alice, "Skip", screen)
    return card


async def press(club: Club, label: str, on: Any) -> Seen:
    """Press a button, and return the card after it."""
    assert (await club.press(club.alice, label, on=on)).nothing
    return club.seen(on)


async def pick(club: Club, choice: str, on: Any) -> Seen:
    """Choose an element by its key."""
    return await press(club, offered(club.seen(on))[choice], on)


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
        assert f"### 🎓 {task.title}\n{task.request}" in shown.text
        assert f"{GAMES[game].title} · task {number} of {len(found)}" in shown.text
        solved = await solve(club, task, card)
        named = "**Pass**" if task.solution == PASS else f"`{task.solution}`"
        assert f"✅ {named} · {task.remarks[0]}" in solved.text
        assert len(solved.pictures) == 1
        await press(club, "Next", card)
    last = club.seen(card)
    assert f"### 🎓 Now you can play {GAMES[game].title}" in last.text
    assert "To begin, one player opens: " in last.text
    assert last.labels == LAST
    await press(club, "Challenge somebody", card)
    assert "**Whom do you challenge?**" in club.seen(card).text
    assert not club.messages(), "nobody else sees any of it"


async def test_after_the_tasks_come_puzzles_and_a_game_against_the_first_level(club: Club) -> None:
    card = await learn(club, "fiodar")
    assert "Card 1 of 5" in (await club.press(club.alice, "Rules in five cards", on=card)).private
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


@pytest.mark.usefixtures("undrawn")
async def test_players_are_newcomers_until_the_end_of_the_tasks(club: Club) -> None:
    count = len(tasks("dalen"))
    card = await learn(club, number=count - 2)
    await press(club, "Skip", card)
    assert f"task {count} of {count}" in club.seen(card).text
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


async def test_an_illegal_turn_is_refused_with_its_rule(club: Club) -> None:
    card = await learn(club, number=2)
    refused = await press(club, "f6", card)
    assert "✗ f6 is next to two of your leaves: e6, g6." in refused.text
    assert "f7" in refused.labels, "one can go on at once"
    rule = await club.press(club.alice, "Rules · Your turn: place a stone", on=card)
    assert "### 📖 Dalen · Your turn: place a stone" in rule.private
    card = await learn(club, "nadraz", 2)
    assert "✗ `f6` cannot be played: A snake has exactly one head" in (await press(club, "f6", card)).text


async def test_a_lone_seed_grows_into_a_tree_and_several_into_a_forest(club: Club) -> None:
    assert "Grow the Tree on a1" in (await press(club, "g12", await learn(club, "dendria", 5))).labels
    assert str(tasks("dendria")[6].position.element_name("d1-d3", "*a1")) == "Grow the forest at a1"


async def test_the_solution_is_shown_with_its_reason_and_tasks_can_be_skipped(club: Club) -> None:
    card = await learn(club, "dendria")
    await press(club, "Skip", card)
    assert "💡 `d7+g7` · Four dark pieces against two light ones" in (await press(club, "Show me", card)).text
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


async def test_tasks_open_in_direct_messages_and_from_every_lesson(club: Club) -> None:
    assert "### 🎓 Regions" in (await club.whisper(club.alice, "learn", game="hedu")).private
    lesson = await club.open(club.bob, "rules", game="nadraz")
    assert "### 🎓 Runs" in (await club.press(club.bob, "Learn Nadraz", on=lesson)).private
    assert "### 📖 Nadraz · The goal" in club.seen(lesson).text

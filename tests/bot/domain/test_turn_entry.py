"""Turns under construction: every turn of whole games can be chosen, and every choice can be taken back."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from bot.domain.preferences import Confirmation
from bot.domain.turn_entry import TurnEntry
from rules import PASS, Position, TurnError, ruleset
from rules.tasks import tasks
from tests.support.discord.turn_presses import ELEMENT, GAMES, any_turn
from tests.support.games import FORCED_TO_LOSE, LOSING, PASSING, WHOLE_GAME

every_game = pytest.mark.parametrize(("name", "size"), GAMES)
ASKED = {Confirmation.ALWAYS}
#: Turns that are chosen by name, with one press.
NAMED = (PASS, "dark")
ASKED_IF_RISKY = {Confirmation.ALWAYS, Confirmation.RISKY, Confirmation.AT_ONCE}


def positions(name: str, size: int) -> Iterator[tuple[Position, str]]:
    """A random game, each position with a turn."""
    chance, position = random.Random(name), ruleset(name, size).start()
    for _ply in range(40):
        if position.outcome is None:
            turn = any_turn(position, chance)
            yield position, turn
            position, _events = position.play(turn)


def chosen(position: Position, turn: str) -> list[TurnEntry]:
    """The entries on the way to a turn, one for each choice."""
    entries, made = [TurnEntry.begin(position)], ""
    for element in ELEMENT.findall(turn):
        made += element
        if not entries[-1].text.startswith(made):
            assert element in entries[-1].next
            entries.append(entries[-1].choose(element))
    return entries


@every_game
def test_every_turn_is_chosen_and_taken_back_element_by_element(name: str, size: int) -> None:
    for position, turn in positions(name, size):
        entries = chosen(position, turn)
        assert entries[-1].text == turn
        assert entries[-1].complete
        assert entries[-1].draft.preview == position.play(turn)[0]
        for before, entry in zip(entries[-2::-1], entries[:0:-1], strict=True):
            back, element = entry.back()
            assert len(back.next) > 1 or back.complete or not back.text
            if len(before.next) > 1 or before.complete:
                assert (back.text, entry.text.startswith(back.text + element)) == (before.text, True)


@every_game
def test_nothing_is_left_to_choose_where_there_is_no_alternative(name: str, size: int) -> None:
    for position, turn in positions(name, size):
        for entry in chosen(position, turn)[1:]:
            assert entry.complete or len(entry.next) > 1
            assert entry.finished == (entry.complete and not entry.next)


def test_an_element_after_which_no_turn_is_legal_is_refused() -> None:
    position = ruleset("dalen", 5).replay(("e5", "light"))
    for element in ("e5", "zz9", "+a1", ""):
        with pytest.raises(TurnError):
            TurnEntry.begin(position, "e6").choose(element) if element else TurnEntry.begin(position, "q")


@pytest.mark.parametrize("name", [name for name, _size in GAMES])
def test_an_offered_turn_is_taken_back_as_a_whole(name: str) -> None:
    for task in tasks(name):
        first = TurnEntry.begin(task.position, offered=task.offered)
        assert first.next == task.offered
        for element in task.offered:
            if task.position.is_legal(element):
                assert first.choose(element).back()[0].text == ""


@pytest.mark.parametrize(
    ("position", "turn", "asked"),
    [
        (ruleset("dalen", 5).replay(("e5", "light")), "e6", ASKED),
        (ruleset("dalen", 5).replay(LOSING), "f3", ASKED_IF_RISKY),
        (ruleset("dalen", 5).replay(WHOLE_GAME[:-1]), WHOLE_GAME[-1], ASKED),
        (ruleset("dalen", 5).replay(PASSING), PASS, ASKED),
        (ruleset("dalen", 5).replay(("e5",)), "dark", ASKED),
        (ruleset("fiodar", 5).replay(("e5", "black")), PASS, ASKED_IF_RISKY),
    ],
    ids=["plain", "loses", "wins", "must pass", "chooses a side", "passes without need"],
)
def test_risky_turns_are_asked_about_as_the_player_wishes(
    position: Position, turn: str, asked: set[Confirmation]
) -> None:
    entry = TurnEntry.begin(position, turn)
    assert {wish for wish in Confirmation if entry.is_asked_about(wish)} == asked
    # Put together with buttons, a turn is played as soon as it is finished if the player wants that and is not asked.
    wanted = {Confirmation.AT_ONCE, Confirmation.NEVER} | ({Confirmation.RISKY} if turn in NAMED else set())
    assert {wish for wish in Confirmation if entry.goes_at_once(wish)} == (wanted - asked if entry.finished else set())


@pytest.mark.parametrize(
    ("turns", "turn", "loses"),
    [
        (("e5", "black", "d4", PASS), PASS, True),
        (("e5", "black", PASS), PASS, False),  # wins
        (("e5", "black"), "d4", False),
    ],
)
def test_it_is_known_before_a_turn_that_it_loses(turns: tuple[str, ...], turn: str, loses: bool) -> None:
    assert TurnEntry.begin(ruleset("fiodar", 5).replay(turns), turn).loses is loses


def test_a_forced_pass_is_not_risky_even_if_it_loses() -> None:
    entry = TurnEntry.begin(ruleset("nadraz", 6).replay(FORCED_TO_LOSE))
    assert entry.must_pass
    passed = entry.choose(PASS)
    assert passed.loses
    assert not passed.is_risky

"""Keys that no card has, wherever a turn is put together: they are answered in words and change nothing.

The club checks that nothing is logged as an error.
"""

from __future__ import annotations

from typing import Any

import pytest

from bot.discord.features.study.learn import ShowTurn, TaskKey
from bot.discord.features.study.puzzle import AskWhyNot, OpenPuzzle, PuzzleKey, ShowSolution
from bot.discord.features.study.try_ import AskLineHint, LineKey, PlayFirst, TryHintedTurn
from bot.discord.features.turns.move import CancelTurn, TurnKey
from bot.discord.ui.actions import OpenTask, OpenTurn, PlayTurn, TryTurns
from bot.discord.ui.keypad import ControlKey, Key
from bot.discord.ui.presses import OutdatedPressError, Press, read_press
from bot.domain.turn_entry import digest
from rules import GAMES
from tests.support import known_puzzles
from tests.support.club import Club, Screen, seen
from tests.support.each import for_each
from tests.support.known_puzzles import ONE_TURN
from tests.support.thorough import covered

DALEN = GAMES["dalen"]
#: What may be no key: elements of other turns and games, no elements, areas that are not there, and control keys.
KEYS: tuple[Key, ...] = ("e5", "zz99", "+a1", "dark", "", "a1-", "9", 24, 99, 10**30, *ControlKey)


@pytest.fixture(autouse=True)
def puzzles(monkeypatch: pytest.MonkeyPatch) -> None:
    known_puzzles.install(monkeypatch)


async def test_impossible_keys_are_answered_and_nothing_is_played(club: Club) -> None:
    await club.match(turns=["e5", "light"])
    card = (await club.press(club.bob, "Play")).private_handle
    screen = club.screen(card)
    await club.slash(club.bob, "try", match="1")
    line = await club.app.lines.get(1, club.bob.id)
    assert line is not None
    for key, kind in covered(KEYS, range(9)):
        press = presses_of(key, digest(line.text))[kind]
        answer = await pressed(club, card, screen, press.custom_id)
        assert answer, press
        assert await club.turns() == ("e5", "light"), press


def presses_of(key: Key, line: str) -> tuple[Press, ...]:
    """The key on every kind of card."""
    return (
        TurnKey(1, 2, "", key),
        TurnKey(1, 2, "12345678", key),
        TurnKey(2**63 - 1, 2**31 - 1, "", key),
        LineKey(1, line, key),
        PlayFirst(1, line),
        PuzzleKey(ONE_TURN.key, 0, None, "", key),
        PuzzleKey(ONE_TURN.key, 0, DALEN, "zz99", key),
        TaskKey(DALEN, 0, "", key),
        TaskKey(GAMES["nadraz"], 0, "zz99", key),
    )


#: Presses of actions and turns that nobody was ever offered.
IMPOSSIBLE: tuple[Press, ...] = (
    OpenTurn(1, 2, 99),
    OpenTurn(2**63 - 1, 0),
    OpenTurn(2**63 - 1),
    PlayTurn(1, 2, "x" * 60),
    CancelTurn(1, 99),
    TryTurns(1, 2**31 - 1),
    AskLineHint(1, "nothing"),
    TryHintedTurn(1, "", "e6"),
    PlayFirst(1, "nothing"),
    OpenTask(DALEN, 2**31 - 1, in_place=True),
    ShowTurn(DALEN, 2**31 - 1),
    OpenPuzzle("", 0, None),
    OpenPuzzle(ONE_TURN.key, 2**31 - 1, None),
    AskWhyNot(ONE_TURN.key, 0, None, "zz99"),
    ShowSolution(ONE_TURN.key, 0, None, "zz99", True),
)
#: What is no press of any action.
NO_PRESSES = (
    f"hexgrove:turn-key:{2**63}:2::e6",
    "hexgrove:turn-key:1:2::.moon",
    "hexgrove:turn-key:1:2::.-1",
    "hexgrove:turn-key:1:2:",
    "hexgrove:turn-key:1:2::e6:more",
    f"hexgrove:play:1:{2**31}",
    "hexgrove:play:1:2:-1",
    "hexgrove:try-key:1:",
    "hexgrove:try:one:2",
    "hexgrove:task-key:moon:0::e5",
    "hexgrove:task:dalen:0:sideways",
    f"hexgrove:puzzle-key:{'0' * 9}:0:::e5",
    "hexgrove:puzzle-show:00000007:0:::2",
)


async def test_a_press_that_was_never_possible_is_answered(club: Club) -> None:
    await club.match(turns=["e5", "light"])
    card = (await club.press(club.bob, "Play")).private_handle
    screen = club.screen(card)
    for press in IMPOSSIBLE:
        if card.id not in club.env.backend.messages[card.channel_id]:
            card = (await club.press(club.bob, "Play")).private_handle
        assert await pressed(club, card, screen, press.custom_id), press
        assert await club.turns() == ("e5", "light"), press


@for_each("custom_id", NO_PRESSES)
def test_an_id_that_is_no_press_is_out_of_date(custom_id: str) -> None:
    kinds = (TurnKey, PlayTurn, LineKey, TryTurns, TaskKey, OpenTask, PuzzleKey, ShowSolution)
    with pytest.raises(OutdatedPressError):
        read_press({str(kind.action): kind for kind in kinds}, custom_id)


async def pressed(club: Club, card: Any, screen: Screen, custom_id: str) -> str:
    """What Bob reads after pressing a button with that id on the card, as it was on the screen."""
    label = next(iter(screen.buttons))
    answer = await club.press_late(club.bob, label, screen.relabelled(label, custom_id))
    return answer.private if answer.messages else seen(club.env, card).text

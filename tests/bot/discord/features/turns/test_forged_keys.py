"""Keys that are on no card, wherever a turn is composed, are answered in words and change nothing.

The club checks that nothing is logged as an error.
"""

from __future__ import annotations

import pytest

from bot.discord.features.study.learn import ShowTurn, TaskKey
from bot.discord.features.study.puzzle import AskWhyNot, OpenPuzzle, PuzzleKey, ShowSolution
from bot.discord.features.study.try_ import AskLineHint, LineKey, PlayFirst, TryHintedTurn
from bot.discord.features.turns.move import CancelTurn, TurnKey
from bot.discord.ui.actions import OpenTask, OpenTurn, PlayTurn, TryTurns
from bot.discord.ui.keypad import ControlKey, Key
from bot.discord.ui.presses import Press
from bot.domain.turn_entry import digest
from rules import GAMES
from tests.support.discord.club import Club
from tests.support.discord.known_puzzles import ONE_TURN
from tests.support.thorough import covered

pytestmark = pytest.mark.usefixtures("hand_made_puzzles")

DALEN = GAMES["dalen"]
#: Impossible keys: elements of other turns and games, no elements, missing areas, and control keys.
KEYS: tuple[Key, ...] = ("e5", "zz99", "+a1", "dark", "", "a1-", "9", 24, 99, 10**30, *ControlKey)


def presses_of(key: Key, line: str) -> tuple[Press, ...]:
    """The key on every kind of card."""
    return (
        TurnKey(1, 2, "", key),
        TurnKey(1, 2, "12345678", key),
        TurnKey(2**63 - 1, 2**31 - 1, "", key),
        LineKey(1, line, key),
        PuzzleKey(ONE_TURN.key, 0, None, "", key),
        PuzzleKey(ONE_TURN.key, 0, DALEN, "zz99", key),
        TaskKey(DALEN, 0, "", key),
        TaskKey(GAMES["nadraz"], 0, "zz99", key),
    )


async def test_impossible_presses_are_answered_and_play_nothing(club: Club) -> None:
    await club.match(turns=["e5", "light"])
    await club.slash(club.bob, "try", match="1")
    card = (await club.press(club.bob, "Play")).private_handle
    line = digest((await club.line(club.bob)).text)
    keys = [presses_of(key, line)[kind] for key, kind in covered(KEYS, range(8))]
    for press in (*keys, PlayFirst(1, line), *IMPOSSIBLE):
        if card.id not in club.env.backend.messages[card.channel_id] or not club.seen(card).labels:
            card = (await club.press(club.bob, "Play")).private_handle
        answer = await club.forge(club.bob, press, on=card)
        assert answer.private if answer.messages else club.seen(card).text, press
        assert await club.turns() == ("e5", "light"), press


#: Presses of actions and turns that were never offered.
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

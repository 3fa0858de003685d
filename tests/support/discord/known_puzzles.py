"""Handmade puzzles, so that no test depends on the puzzles of the games."""

from __future__ import annotations

from typing import Any

import pytest
from simcord import MemberActor

from bot.discord.features.study.puzzle import ShowSolution, Stage
from bot.discord.ui.keypad import ControlKey
from bot.domain.turn_entry import TurnEntry
from rules import GAMES, Ruleset, ruleset
from rules.puzzles import Puzzle, find_puzzle
from tests.support.discord.cards import press_of
from tests.support.discord.club import Club, Seen
from tests.support.discord.turn_presses import ELEMENT, area_key, keys

_DALEN, _HEDU, _NADRAZ = ruleset("dalen", 5), ruleset("hedu", 5), ruleset("nadraz", 6)
#: These turns are not proven to win. The tests need only solutions to compare with.
ONE_TURN = Puzzle(_DALEN, ("e5", "dark", "d4"), ("f6",), difficulty=1, proven=True)
TWO_TURNS = Puzzle(_HEDU, ("e5", "black"), ("d4", "f6", "c3"), difficulty=2, proven=True)
RUN = Puzzle(_NADRAZ, ("g10,f7", "white", "f10-c7", "e7"), ("b6-d6",), difficulty=3, proven=False)
ALL = (ONE_TURN, TWO_TURNS, RUN)
MANY_ELEMENTS = Puzzle(
    Ruleset(GAMES["dendria"], 4, "standard"),
    (
        *("e7", "dark", "e6", "a1", "b1", "g4", "d2", "g6", "a4"),
        *("b5+a4", "d4+a1", "a4-c4*b5", "a1-e5*g6", "d3", "b4", "c3", "c5"),
    ),
    ("c4-f4*g4",),
    difficulty=3,
    proven=False,
)


def puzzles_of(game: str) -> tuple[Puzzle, ...]:
    return tuple(puzzle for puzzle in ALL if puzzle.ruleset.game.name == game)


def find(key: str) -> Puzzle | None:
    return next((puzzle for puzzle in ALL if puzzle.key == key), None)


def install(patch: pytest.MonkeyPatch) -> None:
    """Give the bot these puzzles only."""
    patch.setattr("bot.services.study.puzzles.puzzles", puzzles_of)
    patch.setattr("bot.services.study.puzzles.find_puzzle", find)


def on_card(card: Seen) -> Stage:
    """The puzzle on a card, and its next turn to find."""
    press = next(filter(None, (press_of(custom_id, ShowSolution) for custom_id in card.buttons.values())))
    puzzle = find(press.puzzle) or find_puzzle(press.puzzle)
    assert puzzle is not None
    return Stage(puzzle, press.ply, press.only)


async def play(club: Club, who: MemberActor, turn: str, card: Any) -> Seen:
    """Compose a turn with the keys of a puzzle's private card, and return the resulting card."""
    stage = on_card(club.seen(card))
    entry, made = TurnEntry.begin(stage.position), ""
    for element in ELEMENT.findall(turn):
        if entry.text.startswith(made + element):
            made += element
            continue  # there was no other choice
        if element not in keys(club.seen(card)):
            await club.press(who, area_label(club.seen(card), element, entry.text), on=card)
        await club.press(who, keys(club.seen(card))[element], on=card)
        entry, made = entry.choose(element), made + element
    if ControlKey.END in keys(club.seen(card)):  # the turn could continue
        await club.press(who, keys(club.seen(card))[ControlKey.END], on=card)
    return club.seen(card)


def area_label(card: Seen, element: str, begun: str = "") -> str:
    """The label of the area that contains an element."""
    return keys(card)[area_key(on_card(card).position, begun, element)]

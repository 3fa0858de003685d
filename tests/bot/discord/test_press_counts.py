"""How many presses every kind of turn takes, from the public card to the stored turn.

The cards are real, but without pictures. Each press leads to the card that the bot shows next.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import pytest

import render
import rules
from bot.discord.features.turns.move import TurnKey, turn_card
from bot.discord.posting.cards.match import board_picture, match_card
from bot.discord.ui.actions import OpenTurn, PlayTurn
from bot.discord.ui.keypad import ControlKey, Key, area_of, areas_of
from bot.discord.ui.markdown import CommandMentions
from bot.discord.ui.messages import ActionButton, Message
from bot.discord.ui.presses import Press
from bot.domain.matches import Game
from bot.domain.turn_entry import TurnEntry
from render.areas import LARGEST
from rules import PASS, Phase, Ruleset
from tests.support.discord.turn_presses import ELEMENT, any_turn
from tests.support.services.matches import MATCH
from tests.support.thorough import fewer, sample

#: Random games of each, of which Dendria has more kinds of turns than the others; and turns that are counted at a
#: position.
_GAMES, _TURNS = {"dendria": fewer(4, 2)}, fewer(6, 3)
BOARDS = [(game.name, size) for game in rules.GAMES.values() for size in (game.default_size, game.sizes[0])]


@pytest.fixture(autouse=True)
def _no_drawing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("render.picture", lambda *_args, **_options: b"")
    monkeypatch.setattr("render.describe", lambda *_args, **_options: "")


def buttons(card: Message) -> list[Press]:
    return [item.press for item in card.view.walk_children() if isinstance(item, ActionButton) and not item.disabled]


@cache
def public_buttons(game: Game) -> list[Press]:
    """The buttons below the board."""
    return buttons(match_card(game, board_picture(game, render.DEFAULT_LOOK, draw=False), CommandMentions()))


@cache
def keys(game: Game, entry: TurnEntry, area: int | None = None) -> set[Key]:
    """The elements, areas and control keys on the card."""
    card = turn_card(game, replace(entry, area=area), render.DEFAULT_LOOK)
    return {press.key for press in buttons(card) if isinstance(press, TurnKey)}


def count(game: Game, turn: str) -> int:
    """The minimum number of presses for a turn."""
    public = public_buttons(game)
    if any(isinstance(press, PlayTurn) and press.turn == turn for press in public):
        return 1
    entry, presses, made = TurnEntry.begin(game.position), 1, ""
    areas = {press.area for press in public if isinstance(press, OpenTurn)}
    first = area_of(entry, ELEMENT.findall(turn)[0])
    area = first if first in areas else None
    for element in ELEMENT.findall(turn):
        made += element
        if entry.text.startswith(made):
            continue  # there was no other choice
        if element not in (found := keys(game, entry, area)):
            area = area_of(entry, element)
            assert area in found
            presses += 1
            assert element in keys(game, entry, area)
        presses += 1
        entry, area = entry.choose(element), None
    assert entry.text == turn
    assert ControlKey.END in keys(game, entry)
    return presses + 1


def kind_of(game: Game, turn: str) -> tuple[str, int]:
    """The kind of a turn, and the maximum number of presses for it."""
    position, elements = game.position, ELEMENT.findall(turn)
    acts = sum(element[0] in "+*" for element in elements)
    stops = sum(element[0] == "-" for element in elements)
    if turn == PASS or turn in position.sides:
        return "word", 1
    few = position.board.size <= 5 or sum(element != PASS for element in position.draft().next) <= 25
    if position.phase is Phase.OPENING and len(elements) == 2:
        return "two pieces", 6
    if position.name == "dendria" and stops:
        entry = TurnEntry.begin(position)
        cells = (position.element_cell(element) for element in entry.next)
        movable = sum(cell is not None and not position.empty >> cell & 1 for cell in cells)
        # Where there is no room for their keys beside those of the areas, an area has to be chosen first.
        crowded = len(areas_of(entry)) + movable > LARGEST
        return f"move, {acts} acts, {stops} stops", 6 + max(0, acts - 1) + stops - 1 + crowded
    if acts:
        return f"sowing, {acts} acts", 6 + acts - 1
    if stops:
        return "run", 5
    return ("placement among few", 3) if few else ("placement", 4)


def positions(ruleset: Ruleset, seed: int) -> Iterator[Game]:
    """The positions of a random game."""
    chance, turns, position = random.Random(seed), list[str](), ruleset.start()
    events: tuple[rules.Event, ...] = ()
    while position.outcome is None and len(turns) < 120:
        match = replace(MATCH, ruleset=ruleset, ply=len(turns), step=len(turns))
        yield Game(match, tuple(turns), position, events)
        turns.append(any_turn(position, chance))
        position, events = position.play(turns[-1])


@pytest.mark.parametrize(("name", "size"), sample(BOARDS, 2))
def test_no_kind_of_turn_takes_many_presses(name: str, size: int) -> None:
    chance, worst = random.Random(name), dict[str, int]()
    for seed in range(_GAMES.get(name, 1)):
        for at, game in enumerate(positions(rules.ruleset(name, size), seed)):
            if at > 4 and at % 7:
                continue
            for _ in range(_TURNS):
                turn = any_turn(game.position, chance)
                kind, most = kind_of(game, turn)
                presses = count(game, turn)
                assert presses <= most, (turn, kind, game.turns)
                worst[kind] = max(worst.get(kind, 0), presses)
    assert {"word"} < set(worst)

"""The keys of a turn, which are arranged like the cells of the board."""

from __future__ import annotations

import random
from functools import partial

import discord
import pytest

import rules
from bot.discord.features.turns.move import TurnKey
from bot.discord.ui.keypad import Key, area_keys, area_of, areas_of, element_keys, end_key
from bot.discord.ui.messages import ActionButton
from bot.domain.turn_entry import TurnEntry
from render.geometry import Geometry, board_geometry
from rules import PASS, elements_of
from rules.puzzles import puzzles
from tests.support.discord.turn_presses import any_turn
from tests.support.games import LOSING
from tests.support.positions import walk
from tests.support.thorough import THOROUGH, sample

ARROWS = "↑↗↘↓↙↖"
#: Every game on its smallest, its default and its largest board.
BOARDS = sorted(
    {(game.name, size) for game in rules.GAMES.values() for size in (game.sizes[0], game.default_size, game.sizes[-1])}
)


#: Turns between two looks at the keys.
EVERY = 3 if THOROUGH else 9

press = partial(TurnKey, 1, 0, "")


def key_of(button: ActionButton) -> Key:
    """The meaning of a button."""
    assert isinstance(button.press, TurnKey)
    return button.press.key


@pytest.mark.parametrize(("game", "size"), sample(BOARDS, 2))
def test_the_parts_of_a_board_have_the_same_keys_for_the_whole_game(game: str, size: int) -> None:
    """The key of an area without a choice is disabled."""
    chance, position, seen = (
        random.Random(size),
        rules.ruleset(game, size).start(),
        set[tuple[tuple[int, int, str], ...]](),
    )
    geometry = board_geometry(size, 2)
    for turn in range(45):
        entry = TurnEntry.begin(position)
        if turn % EVERY == 0 and (areas := areas_of(entry)):
            keys = area_keys(entry, areas, geometry, press)
            placed = {(x, y): key for y, row in enumerate(keys) for x, key in enumerate(row)}
            found = {at: key for at, key in placed.items() if isinstance(key_of(key), int)}
            seen.add(tuple((*at, f"{key_of(key)} {key.label}") for at, key in found.items()))
            open_areas = {area_of(entry, element) for element in entry.next}
            assert {key_of(key) for key in found.values() if not key.disabled} == open_areas - {None}
        position, _ = position.play(any_turn(position, chance))
        if position.outcome is not None:
            break
    assert len(seen) == 1


@pytest.mark.parametrize(
    "game", [name for name, game in rules.GAMES.items() if issubclass(game, rules.PlacementPosition)]
)
def test_few_cells_far_apart_do_not_take_a_row_each(game: str) -> None:
    chance, position = random.Random(3), rules.ruleset(game).start()
    while position.outcome is None:
        entry = TurnEntry.begin(position)
        cells = [element for element in entry.next if element != PASS and position.element_cell(element) is not None]
        if len(cells) > 5:
            cells = chance.sample(cells, min(len(cells), chance.randint(6, 10)))
            keys = element_keys(entry, cells, board_geometry(position.board.size, 0), press)
            assert sorted(key.label or "" for row in keys for key in row) == sorted(cells)
            assert 2 * len(keys) <= len(cells)
        position, _ = position.play(any_turn(position, chance))


@pytest.mark.parametrize("name", ["dalen", "hedu", "fiodar"])
@pytest.mark.parametrize("size", [5, 7])
def test_keys_follow_the_columns_of_the_board(name: str, size: int) -> None:
    chance, position, several = random.Random(size), rules.ruleset(name, size).start(), 0
    for _turn in range(30):
        entry = TurnEntry.begin(position)
        for area in areas_of(entry):
            cells = [element for element in entry.next if position.element_cell(element) in area.cells]
            keys = element_keys(entry, cells, board_geometry(size, 2), press)
            names = [key.label or "" for row in keys for key in row]
            assert names == sorted(cells, key=lambda cell: (cell[0], int(cell[1:])))
            whole_columns = [{name[0] for name in (key.label or "" for key in row)} for row in keys]
            assert len(keys) == 1 or all(len(column) == 1 for column in whole_columns)
            several += len(keys) > 1
        position, _ = position.play(any_turn(position, chance))
        if position.outcome is not None:
            break
    assert several or size == 5


def test_the_keys_of_a_small_board_fill_rows_from_d1_to_f9() -> None:
    entry = TurnEntry.begin(rules.ruleset("dalen", 5).start())
    _left, middle, _right = areas_of(entry)
    cells = [entry.position.board.name(cell) for cell in middle.cells]
    (keys,) = element_keys(entry, cells, board_geometry(5), press)
    columns = ("d", range(1, 9)), ("e", range(1, 10)), ("f", range(2, 10))
    assert [key.label for key in keys] == [f"{column}{row}" for column, rows in columns for row in rows]


@pytest.mark.parametrize(
    ("turns", "turn", "style"),
    [(("e5", "dark"), "d4", discord.ButtonStyle.success), (LOSING, "f3", discord.ButtonStyle.secondary)],
)
def test_the_key_for_a_turn_that_loses_is_not_green(
    turns: tuple[str, ...], turn: str, style: discord.ButtonStyle
) -> None:
    entry = TurnEntry.begin(rules.ruleset("dalen", 5).replay(turns), turn)
    assert end_key(entry, press, "").style is style


def test_the_arrows_of_a_dryad_are_no_emoji_on_any_device() -> None:
    puzzle = next(each for each in puzzles("dendria") if "-" in each.solution[0])
    entry = TurnEntry.begin(puzzle.position, puzzle.solution[0].partition("-")[0])
    keys = element_keys(entry, entry.next, board_geometry(puzzle.position.board.size, 0), press)
    arrows = {(key.label or "").partition(" ")[0] for row in keys for key in row}
    assert arrows
    assert arrows <= {f"{arrow}\N{VARIATION SELECTOR-15}" for arrow in ARROWS}


def test_the_keys_of_moves_have_arrows_and_those_of_acts_have_none() -> None:
    chance, mixed, onward = random.Random(5), 0, 0
    geometry = board_geometry(7)
    for position, _ in walk(rules.ruleset("dendria", 7))[::EVERY]:
        for first in position.draft().next:
            cell = position.element_cell(first)
            if cell is None or position.empty >> cell & 1:
                continue
            draft = position.draft(first)
            while draft.next:
                at = position.element_cell(
                    [element for element in elements_of(draft.text) if element[0] not in "+*"][-1]
                )
                keys = element_keys(TurnEntry(position, draft), draft.next, geometry, press)
                acts = 0
                for key in (key for row in keys for key in row):
                    mark, label = str(key_of(key))[0], key.label or ""
                    assert (label[0] in ARROWS) == (mark == "-"), label
                    acts += mark in "+*"
                    if mark == "-":
                        to = position.element_cell(str(key_of(key)))
                        assert at is not None
                        assert to is not None
                        assert label[0] == arrow(geometry, at, to)
                mixed += 0 < acts < len(draft.next)
                onward += not acts and any(mark in draft.text for mark in "+*")
                draft = position.draft(draft.text + chance.choice(draft.next))
    assert mixed
    assert onward


def arrow(geometry: Geometry, start: int, end: int) -> str:
    """The arrow in the direction of a line from one cell to another."""
    way = next(ray[0] for ray in geometry.board.rays[start] if end in ray)
    return ARROWS[geometry.neighbours[start].index(way)]

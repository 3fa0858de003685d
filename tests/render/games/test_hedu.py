"""Hedu's pictures: heights, groups, the last turn, prisoners, regions, overlays, and alternative texts."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from PIL import ImageChops

import render
import rules
from render import painting
from render.colours import contrast
from render.games.hedu import face as hedu
from render.games.hedu.overlays import anchor, deciding
from render.games.hedu.theme import HINT, SETTLED, THEMES, tint
from render.geometry import board_geometry
from render.header import field_box
from rules import Event, Placed, Side, bits
from rules.hedu import Hedu, Raised, Reduced
from rules.text import format_score
from tests.support.each import for_each
from tests.support.positions import set_up
from tests.support.render import around, counted, drawn, random_game, scene_of

pytestmark = pytest.mark.usefixtures("coarse")

DARK = THEMES["dark"]
GRID = board_geometry(7).grid
BLACK, WHITE = Side.FIRST, Side.SECOND
every_theme = for_each("theme_name", THEMES)


def played(size: int) -> list[tuple[Hedu, Sequence[Event]]]:
    """The positions of a whole random game, with the events of each turn."""
    return [(_hedu(shot.position), shot.events) for shot in random_game(rules.ruleset("hedu", size), 400)]


def _hedu(position: rules.Position) -> Hedu:
    assert isinstance(position, Hedu)
    return position


def at(stacks: str, prisoners: tuple[int, int] = (0, 0)) -> Hedu:
    """A position with these stacks and White to play."""
    return replace(set_up(Hedu, 5, stacks, WHITE), prisoners=prisoners)


@every_theme
def test_the_sides_and_all_texts_stand_out(theme_name: str) -> None:
    theme = THEMES[theme_name]
    black, white = theme.stones
    assert contrast(black.body, white.body) >= 7
    for stone in theme.stones:
        assert contrast(stone.body, stone.vein) >= 2.5
        for ground in (theme.cell, theme.fresh, *(tint(theme, side, HINT) for side in Side)):
            assert max(contrast(stone.body, ground), contrast(stone.edge, ground)) >= 3
    for side in Side:
        assert contrast(theme.stones[side.other].body, tint(theme, side, SETTLED)) >= 4
        assert contrast(tint(theme, side, SETTLED), tint(theme, side.other, SETTLED)) >= 2.5
    for badge in (theme.accent, theme.number):
        assert contrast(badge, theme.background) >= 4


@every_theme
def test_a_ring_around_the_last_stack_stands_out(theme_name: str) -> None:
    theme = THEMES[theme_name]
    for side, height in itertools.product(Side, (1, 2, 3)):
        assert contrast(theme.stones[side].edge, theme.fresh) >= 7
        assert contrast(theme.fresh, theme.cell) >= 1.4
        tile = hedu._stack(theme, GRID, side, height, 0, True, None, 38).convert("RGB")
        assert counted(tile)[theme.fresh] > 0.2 * GRID.cell_height * GRID.pitch


def test_higher_stacks_are_wider_have_more_terraces_and_another_number() -> None:
    tiles = [hedu._stack(DARK, GRID, BLACK, height, 0, False, None, 38).convert("RGB") for height in (1, 2, 3)]
    body, vein = DARK.stones[BLACK].body, DARK.stones[BLACK].vein
    across = []
    for tile in tiles:
        row = [tile.getpixel((x, tile.height * 3 // 4)) for x in range(tile.width)]
        across.append((row.count(body) + row.count(vein), row.count(vein)))
    assert across == sorted(across)
    assert len(set(across)) == 3
    wide, tall = tiles[0].size
    digits = [tile.crop((wide * 21 // 50, tall * 3 // 10, wide * 29 // 50, tall * 7 // 10)) for tile in tiles]
    assert len({digit.tobytes() for digit in digits}) == 3


def test_stacks_of_one_colour_and_height_are_joined() -> None:
    # The three stacks around a1 also touch its region, so they are higher than the others.
    position = at("a2 b2 b1 e5 e6 / f5")
    image, centres = drawn(position), board_geometry(5).centres

    def between(one: str, other: str) -> object:
        (x, y), (to_x, to_y) = (centres[position.cell_named(name)] for name in (one, other))
        return image.getpixel((round((x + to_x) / 2), round((y + to_y) / 2)))

    assert [position.height(position.cell_named(name)) for name in ("a2", "b2", "b1", "e5", "e6")] == [2, 2, 2, 1, 1]
    body = DARK.stones[BLACK].body
    assert between("a2", "b2") == between("b2", "b1") == between("e5", "e6") == body
    assert body not in (between("e5", "f5"), between("e6", "f5"))


def test_a_turn_shows_what_it_placed_raised_lowered_and_removed() -> None:
    position, events = next(
        (position, events)
        for position, events in played(5)
        if {Placed, Raised, Reduced} <= {type(event) for event in events}
        and any(isinstance(event, Reduced) and not event.after for event in events)
    )
    plain, marked = drawn(position), drawn(position, events)
    badges: dict[int, int] = {}
    touched = set()
    for event in events:
        if isinstance(event, Raised | Reduced):
            badges[event.cell] = badges.get(event.cell, 0) + event.after - event.before
        if isinstance(event, Placed):
            assert counted(around(marked, position, event.cell, 0.45))[DARK.fresh] > 200
            assert DARK.fresh not in counted(around(plain, position, event.cell, 0.45))
            touched.add(event.cell)
    for cell, change in badges.items():
        colour = DARK.accent if change < 0 else DARK.number
        assert counted(around(marked, position, cell, 0.42))[colour] > 200
    for cell in bits(position.first | position.second):
        before, after = (around(image, position, cell, 0.33) for image in (plain, marked))
        assert (before == after) == (cell not in touched | set(badges))
    gone = next(event for event in events if isinstance(event, Reduced) and not event.after)
    assert counted(around(marked, position, gone.cell, 0.42))[DARK.stones[gone.side].body] > 100


def test_the_badge_shows_the_net_effect_of_the_turn() -> None:
    position = at("e5 / f5")
    cell = position.cell_named("e5")
    fell, rose, rose_again = Reduced(BLACK, cell, 2, 1), Raised(BLACK, cell, 2, 3), Raised(BLACK, cell, 1, 2)
    net_rise, *others = (
        around(drawn(position, events), position, cell, 0.42).tobytes()
        for events in ((fell, Raised(BLACK, cell, 1, 3)), (rose,), (fell,), (fell, rose_again), ())
    )
    assert net_rise == others[0]
    assert len(set(others)) == 4


def test_prisoners_stand_below_the_score_of_the_side_that_holds_them() -> None:
    none, some = (drawn(at("e5 / f5", held)) for held in ((0, 0), (12, 0)))
    changed = ImageChops.difference(none, some).getbbox()
    assert changed is not None
    _, top, right, bottom = field_box(BLACK, board_geometry(5))
    assert 0 < changed[0] < changed[2] < right
    assert top < changed[1] < changed[3] < bottom + 60
    position = at("e5", prisoners=(12, 1))
    scene = scene_of(position, (Reduced(WHITE, position.cell_named("f5"), 3, 1),))
    assert [hedu.HeduFace().counts(scene, side) for side in Side] == [
        [[("prisoner", BLACK), "12 (+2)", "prisoners"]],
        [[("prisoner", WHITE), "1", "prisoner"]],
    ]


@for_each("case", [(HINT, 0.75), (SETTLED, 1)])
def test_regions_show_their_owner_faintly_during_a_game_and_clearly_at_its_end(case: tuple[Any, float]) -> None:
    strength, part = case
    game = played(5)
    position, events = game[min(int(len(game) * part), len(game) - 1)]
    image = drawn(position, events)
    shown = [region for region in position.regions if part == 1 or region.cells.bit_count() < 20]
    assert {region.owner for region in shown} >= set(Side)
    for region in shown:
        for cell in bits(region.cells) if part == 1 or region.owner is not None else ():
            assert counted(around(image, position, cell, 0.4))[tint(DARK, region.owner, strength)] > 1000


def test_a_value_is_well_inside_its_region_and_clear_of_removed_stacks() -> None:
    geometry = board_geometry(5)
    board = geometry.board
    assert anchor(geometry, board.mask) == board.centre
    assert anchor(geometry, 1 << board.centre | 1 << board.cells[0], 1 << board.centre) == board.cells[0]
    assert anchor(geometry, 1 << board.centre, 1 << board.centre) == board.centre
    assert anchor(geometry, 0) is None


def test_the_deciding_group_is_the_first_that_differs() -> None:
    for position, _ in played(7)[20::9]:
        for region in position.regions:
            group = deciding(region)
            ranks, others = ([group.rank for group in groups] for groups in region.groups)
            if region.owner is None or ranks == others:
                assert group is None
            else:
                assert group is not None
                assert group in region.groups[region.owner]
                assert group.cells & position.stones(region.owner) == group.cells


def test_the_regions_overlay_tints_every_region() -> None:
    position, events = played(5)[-12]
    image = drawn(position, events, overlay="regions")
    for region in position.regions:
        colour = tint(DARK, region.owner, SETTLED)
        for cell in bits(region.cells):
            # Colours in a picture with an overlay are rounded.
            near = (
                count
                for seen, count in counted(around(image, position, cell, 0.4)).items()
                if max(abs(a - b) for a, b in zip(seen, colour, strict=True)) < 12
            )
            assert sum(near) > 1000


@for_each("size", Hedu.sizes)
def test_the_text_of_every_position_of_a_game_states_the_facts(size: int) -> None:
    for position, events in played(size):
        text = render.describe(position, events)
        black, white = position.prisoners
        assert f"Prisoners: Black {black}, White {white}." in text
        for side in Side:
            assert f"{position.sides[side].capitalize()} has {position.stones(side).bit_count()} stack" in text
    position, events = played(size)[-1]
    score = position.score()["white"]
    assert not isinstance(score, list)
    assert f"White {format_score(score)}." in render.describe(position, events)


def test_the_text_names_stacks_by_height_and_regions_by_value() -> None:
    position = at("a2 b2 b1 / e5")
    assert render.describe(position) == (
        "Hedu, size 5. White to play. Points: Black 4½, White 0. Prisoners: Black 0, White 0. "
        "Black has 3 stacks, height 2: a2 b1-2. White has 1 stack, height 1: e5. "
        "Black controls 2 regions, worth 2: a1,3-5 b3-6 c1-7 d1-8 e1-4,6-9 f2-9 g3-9 h4-9 i5-9."
    )
    events = (Reduced(WHITE, position.cell_named("e5"), 2, 1), Raised(WHITE, position.cell_named("e5"), 1, 2))
    assert "1 stack changed its height (e5 2→1→2)" in render.describe(position, events)


def test_an_empty_board_has_no_marks_and_a_single_region_no_tint() -> None:
    scene = scene_of(at(""))
    assert painting.paint_board(scene).tobytes() == painting.empty_board(scene).tobytes()
    lone = at("e5")
    image = drawn(lone)
    for cell in {*bits(lone.empty)} - {anchor(board_geometry(5), lone.empty)}:
        assert counted(around(image, lone, cell, 0.3)).keys() == {DARK.cell}


def test_a_region_has_a_line_along_its_whole_border() -> None:
    position = next(
        position for position, _ in played(7)[30:] if any(region.owner is not None for region in position.regions)
    )
    image, geometry = drawn(position), board_geometry(7)
    for region in position.regions:
        if region.owner is None:
            continue
        body = DARK.stones[region.owner].body
        for cell in bits(region.cells):
            x, y = geometry.centres[cell]
            for direction, other in enumerate(geometry.neighbours[cell]):
                dx, dy = geometry.grid.ways[direction]
                u, v = round(x + dx * 0.44), round(y + dy * 0.44)
                inside = other is not None and bool(region.cells >> other & 1)
                assert (body in counted(image.crop((u - 1, v - 1, u + 2, v + 2)))) == (not inside)


def test_the_legend_of_a_turn_counts_a_removed_stack_once() -> None:
    position = at("e5")
    events = (Placed(BLACK, position.cell_named("e5")), Reduced(WHITE, position.cell_named("e6"), 1, 0))
    rows = list(map(str, hedu.HeduFace().turn_rows(scene_of(position, events))))
    assert not any("lowered" in row for row in rows)
    assert ["removed" in row for row in rows].count(True) == 1

"""Hedu's pictures: heights, groups, the last turn, prisoners, regions, overlays, and alternative texts."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from functools import cache

import pytest
from PIL import Image, ImageChops

import render
import rules
from render import painting
from render.alt_text import format_score
from render.colours import Theme, contrast
from render.games.hedu import face as hedu
from render.games.hedu.overlays import anchor, deciding
from render.games.hedu.theme import HINT, SETTLED, THEMES, tint
from render.geometry import Geometry, board_geometry
from render.header import field_box
from render.scene import Look
from rules import Event, Passed, Placed, Side, bits
from rules.hedu import Hedu, Raised, Reduced
from tests.support.render import pixels, scene_of

pytestmark = pytest.mark.usefixtures("coarse")

DARK = THEMES["dark"]
THEME_NAMES = list(THEMES.values())


def record(size: int, seed: int) -> Iterator[tuple[Hedu, tuple[Event, ...]]]:
    """Yield the positions of a whole random game, with the events of each turn."""
    chooser = random.Random(seed)
    position = rules.ruleset("hedu", size).start()
    while position.legal_turns:
        turns = [turn for turn in position.legal_turns if turn != rules.PASS]
        position, events = position.play(chooser.choice(turns or position.legal_turns))
        assert isinstance(position, Hedu)
        yield position, events


@cache
def played(size: int, seed: int = 7) -> list[tuple[Hedu, tuple[Event, ...]]]:
    return list(record(size, seed))


def at(*stacks: str, size: int = 5, prisoners: tuple[int, int] = (0, 0)) -> Hedu:
    """A position with these stacks, such as ``be5`` for a black stack on e5, and White to play."""
    start = rules.ruleset("hedu", size).start()
    masks = {"b": 0, "w": 0}
    for stack in stacks:
        masks[stack[0]] |= 1 << cell_of(start, stack[1:])
    return Hedu(start.ruleset, masks["b"], masks["w"], Side.SECOND, Side.SECOND, prisoners=prisoners)


def cell_of(position: rules.Position, name: str) -> int:
    cell = position.board.find(name)
    assert cell is not None
    return cell


def square(image: Image.Image, geometry: Geometry, cell: int, part: float = 0.42) -> Image.Image:
    """The pixels of a square around the middle of a cell, as far as ``part`` of its height each way."""
    (x, y), half = geometry.centres[cell], round(geometry.cell_height * part)
    return image.crop((x - half, y - half, x + half, y + half))


def counted(image: Image.Image) -> dict[object, int]:
    pixels = image.getcolors(image.width * image.height)
    assert pixels is not None
    return {rgb: count for count, rgb in pixels}


@pytest.mark.parametrize("theme", THEME_NAMES, ids=list(THEMES))
def test_the_sides_and_all_texts_stand_out(theme: Theme) -> None:
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
    for text in (theme.text, theme.letter):
        assert min(contrast(text, theme.background), contrast(text, theme.highlight)) >= 4.5


@pytest.mark.parametrize("theme", THEME_NAMES, ids=list(THEMES))
def test_a_ring_around_the_last_stack_stands_out(theme: Theme) -> None:
    grid = board_geometry(7).grid
    for side, height in itertools.product(Side, (1, 2, 3)):
        edge = theme.stones[side].edge
        assert contrast(edge, theme.fresh) >= 7
        assert contrast(theme.fresh, theme.cell) >= 1.4
        drawn = hedu._stack(theme, grid, side, height, 0, True, None, 38).convert("RGB")
        assert counted(drawn).get(theme.fresh, 0) > 0.2 * grid.cell_height * grid.pitch


def test_higher_stacks_are_wider_have_more_terraces_and_another_number() -> None:
    drawn = [
        hedu._stack(DARK, board_geometry(7).grid, Side.FIRST, height, 0, False, None, 38).convert("RGB")
        for height in (1, 2, 3)
    ]
    body, vein = DARK.stones[Side.FIRST].body, DARK.stones[Side.FIRST].vein
    across = []
    for tile in drawn:
        row = [tile.getpixel((x, tile.height * 3 // 4)) for x in range(tile.width)]
        across.append((row.count(body) + row.count(vein), row.count(vein)))
    assert across == sorted(across)
    assert len(set(across)) == 3
    wide, tall = drawn[0].size
    digits = [tile.crop((wide * 21 // 50, tall * 3 // 10, wide * 29 // 50, tall * 7 // 10)) for tile in drawn]
    assert len({digit.tobytes() for digit in digits}) == 3


def test_stacks_of_one_colour_and_height_are_joined() -> None:
    # The three stacks around a1 also touch its region, so they are higher than the others.
    position = at("ba2", "bb2", "bb1", "be5", "be6", "wf5")
    image, geometry = pixels(render.picture(position)), board_geometry(5)

    def between(one: str, other: str) -> object:
        (x, y), (to_x, to_y) = (geometry.centres[cell_of(position, name)] for name in (one, other))
        return image.getpixel((round((x + to_x) / 2), round((y + to_y) / 2)))

    assert [position.height(cell_of(position, name)) for name in ("a2", "b2", "b1", "e5", "e6")] == [2, 2, 2, 1, 1]
    body = DARK.stones[Side.FIRST].body
    assert between("a2", "b2") == between("b2", "b1") == between("e5", "e6") == body
    assert between("e5", "f5") != body
    assert between("e6", "f5") != body


def test_a_turn_shows_what_it_placed_raised_lowered_and_removed() -> None:
    position, events = next(
        (position, events)
        for position, events in played(5)
        if {Placed, Raised, Reduced} <= {type(event) for event in events}
        and any(isinstance(event, Reduced) and not event.after for event in events)
    )
    plain, marked, geometry = (
        pixels(render.picture(position)),
        pixels(render.picture(position, events)),
        board_geometry(5),
    )
    badges: dict[int, int] = {}
    touched = set()
    for event in events:
        if isinstance(event, Raised | Reduced):
            badges[event.cell] = badges.get(event.cell, 0) + event.after - event.before
        if isinstance(event, Placed):
            assert counted(square(marked, geometry, event.cell, 0.45)).get(DARK.fresh, 0) > 200
            assert DARK.fresh not in counted(square(plain, geometry, event.cell, 0.45))
            touched.add(event.cell)
    for cell, change in badges.items():
        colour = DARK.accent if change < 0 else DARK.number
        assert counted(square(marked, geometry, cell)).get(colour, 0) > 200
    for cell in bits(position.first | position.second):
        same = (
            ImageChops.difference(square(plain, geometry, cell, 0.33), square(marked, geometry, cell, 0.33)).getbbox()
            is None
        )
        assert same == (cell not in touched | set(badges))
    gone = next(event for event in events if isinstance(event, Reduced) and not event.after)
    assert counted(square(marked, geometry, gone.cell))[DARK.stones[gone.side].body] > 100


def test_the_badge_shows_the_net_effect_of_the_turn() -> None:
    position = at("be5", "wf5")
    cell = cell_of(position, "e5")
    fell_and_rose = (Reduced(Side.FIRST, cell, 2, 1), Raised(Side.FIRST, cell, 1, 3))
    rose = (Raised(Side.FIRST, cell, 2, 3),)
    fell = (Reduced(Side.FIRST, cell, 2, 1),)
    same = (Reduced(Side.FIRST, cell, 2, 1), Raised(Side.FIRST, cell, 1, 2))
    boards = [
        square(pixels(render.picture(position, events)), board_geometry(5), cell).tobytes()
        for events in (fell_and_rose, rose, fell, same, ())
    ]
    assert boards[0] == boards[1]
    assert len(set(boards)) == 4


def test_prisoners_stand_below_the_score_of_the_side_that_holds_them() -> None:
    none, some = (pixels(render.picture(at("be5", "wf5", prisoners=held))) for held in ((0, 0), (12, 0)))
    changed = ImageChops.difference(none, some).getbbox()
    assert changed is not None
    _, top, right, bottom = field_box(Side.FIRST, board_geometry(5))
    assert changed[0] > 0
    assert changed[2] < right
    assert changed[1] > top
    assert changed[3] < bottom + 60
    taken = (Reduced(Side.SECOND, cell_of(at(), "f5"), 3, 1),)
    scene = scene_of(at("be5", prisoners=(12, 1)), taken, None, Look())
    assert hedu.HeduFace().counts(scene, Side.FIRST) == [[("prisoner", Side.FIRST), "12 (+2)", "prisoners"]]
    assert hedu.HeduFace().counts(scene, Side.SECOND) == [[("prisoner", Side.SECOND), "1", "prisoner"]]
    icons = {
        hedu.HeduFace().icon(kind, side, 46, DARK.background, DARK).image.tobytes() for side in Side for kind in KINDS
    }
    assert len(icons) == 2 * len(KINDS)


KINDS = ("plain", "placed", "lowered", "raised", "removed", "prisoner", "region")


def test_regions_show_their_owner_after_the_end() -> None:
    position, events = played(5)[-1]
    assert position.outcome is not None
    image, geometry = pixels(render.picture(position, events)), board_geometry(5)
    for region in position.regions:
        fill = tint(DARK, region.owner, SETTLED)
        for cell in bits(region.cells):
            assert counted(square(image, geometry, cell, 0.4)).get(fill, 0) > 1000


def test_regions_show_their_owner_faintly_during_a_game() -> None:
    position, _ = played(5)[len(played(5)) * 3 // 4]
    assert position.outcome is None
    image, geometry = pixels(render.picture(position)), board_geometry(5)
    owned = [region for region in position.regions if region.owner is not None and region.cells.bit_count() < 20]
    assert {region.owner for region in owned} == set(Side)
    for region in owned:
        for cell in bits(region.cells):
            assert counted(square(image, geometry, cell, 0.4)).get(tint(DARK, region.owner, HINT), 0) > 1000


def test_a_value_is_well_inside_its_region_and_clear_of_removed_stacks() -> None:
    geometry = board_geometry(5)
    board = geometry.board
    assert anchor(geometry, board.mask) == board.centre
    beside = anchor(geometry, 1 << board.centre | 1 << board.cells[0], 1 << board.centre)
    assert beside == board.cells[0]
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


@pytest.mark.parametrize("overlay", ["regions", "groups"])
@pytest.mark.parametrize("theme_name", ["dark", "light"])
def test_overlays_mark_only_the_board(overlay: str, theme_name: str) -> None:
    position, events = played(5)[-12]
    look, geometry = Look(theme=theme_name), board_geometry(5)
    plain = pixels(render.picture(position, events, look=look))
    cells = [None, next(bits(position.first)), next(bits(position.empty))]
    for cell in cells if overlay == "regions" else cells[:2]:
        marked = pixels(render.picture(position, events, look=look, overlay=overlay, cell=cell))
        changed = ImageChops.difference(plain, marked).convert("L").point([0] * 48 + [255] * 208).getbbox()
        assert changed is not None
        xs, ys = zip(*geometry.centres.values(), strict=True)
        reach = 0.7 * geometry.cell_height
        assert min(xs) - reach < changed[0] < changed[2] < max(xs) + reach
        assert min(ys) - reach < changed[1] < changed[3] < max(ys) + reach


def test_the_regions_overlay_tints_every_region() -> None:
    position, events = played(5)[-12]
    image, geometry = pixels(render.picture(position, events, overlay="regions")), board_geometry(5)
    for region in position.regions:
        for cell in bits(region.cells):
            seen = counted(square(image, geometry, cell, 0.4))
            # Colours in a picture with an overlay are rounded.
            near = [count for rgb, count in seen.items() if isinstance(rgb, tuple) and close(rgb, region.owner)]
            assert sum(near) > 1000


def close(rgb: tuple[int, ...], owner: Side | None) -> bool:
    return max(abs(a - b) for a, b in zip(rgb, tint(DARK, owner, SETTLED), strict=True)) < 12


@pytest.mark.parametrize("size", Hedu.sizes)
def test_the_text_of_every_position_of_a_game_fits_and_states_the_facts(size: int) -> None:
    text = ""
    for position, events in played(size):
        text = render.describe(position, events)
        assert len(text) < 1024
        assert text.endswith(".")
        assert "Last turn: " in text
        black, white = position.prisoners
        assert f"Prisoners: Black {black}, White {white}." in text
        for side in Side:
            count = position.stones(side).bit_count()
            assert f"{position.sides[side].capitalize()} has {count} stack" in text
    score = played(size)[-1][0].score()["white"]
    assert not isinstance(score, list)
    assert f"White {format_score(score)}." in text
    assert "Game over" in text


def test_the_text_names_stacks_by_height_and_regions_by_value() -> None:
    position = at("ba2", "bb2", "bb1", "we5")
    assert render.describe(position) == (
        "Hedu, size 5. White to play. Points: Black 4½, White 0. Prisoners: Black 0, White 0. "
        "Black has 3 stacks, height 2: a2 b1-2. White has 1 stack, height 1: e5. "
        "Black controls 2 regions, worth 2: a1,3-5 b3-6 c1-7 d1-8 e1-4,6-9 f2-9 g3-9 h4-9 i5-9."
    )


def test_the_text_explains_the_opening() -> None:
    text = render.describe(rules.ruleset("hedu", 5).start())
    assert "Opening: the first player places a Black stack on any cell." in text


def test_every_phase_has_its_own_picture() -> None:
    position = rules.ruleset("hedu", 5).start()
    pictures = {render.picture(position)}
    for turn in ("e5", "white", "e6", "pass", "pass"):
        position, events = position.play(turn)
        assert turn != "pass" or isinstance(events[0], Passed)
        pictures.add(render.picture(position, events))
    assert position.outcome is not None
    assert len(pictures) == 6


def test_a_stack_lowered_and_raised_again_is_listed_once() -> None:
    position = at("be5")
    cell = position.board.find("e5")
    assert cell is not None
    events = (Reduced(Side.FIRST, cell, 2, 1), Raised(Side.FIRST, cell, 1, 2))
    assert "1 stack changed its height (e5 2→1→2)" in render.describe(position, events)


def test_an_empty_board_has_no_marks_and_a_single_region_no_tint() -> None:
    start = at()
    scene = scene_of(start)
    assert painting.paint_board(scene).tobytes() == painting.empty_board(scene).tobytes()
    lone = at("be5")
    image, geometry = pixels(render.picture(lone)), board_geometry(5)
    value = anchor(geometry, lone.empty)
    for cell in bits(lone.empty):
        if cell != value:
            assert counted(square(image, geometry, cell, 0.3)).keys() == {DARK.cell}


def test_a_region_has_a_line_along_its_whole_border() -> None:
    position = next(
        position for position, _ in played(7)[30:] if any(region.owner is not None for region in position.regions)
    )
    image, geometry = pixels(render.picture(position)), board_geometry(7)
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
    cell = at("be5").board.cell("e6")
    assert cell is not None
    events = (Placed(Side.FIRST, cell_of(at(), "e5")), Reduced(Side.SECOND, cell, 1, 0))
    rows = hedu.HeduFace().turn_rows(scene_of(at("be5"), events, None, Look()))
    assert ["lowered" in str(row) for row in rows].count(True) == 0
    assert ["removed" in str(row) for row in rows].count(True) == 1

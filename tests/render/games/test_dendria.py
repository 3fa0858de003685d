"""Dendria's pictures: pieces, forests, the last turn, overlays, and alternative texts."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from PIL import Image, ImageChops

import render
import rules
from bot.texts import LANGUAGES, catalogue
from render import corners
from render.canvas import cell_mask
from render.colours import THEME_NAMES, Colour, Theme, contrast, luminance
from render.games.dendria.pieces import SEED, Show, tile
from render.games.dendria.theme import THEMES
from render.geometry import board_geometry
from render.palette import Tile
from render.scene import Look
from render.text import text_tile
from rules import Phase, Side, bits
from rules.dendria import Dendria, Germinated
from tests.support.each import for_each
from tests.support.positions import planted
from tests.support.render import drawn, hidden_labels, random_game, scene_of

pytestmark = pytest.mark.usefixtures("coarse")

THEME = THEMES["dark"]
DARK, LIGHT = THEME.stones
every_theme = for_each("theme_name", THEME_NAMES)
every_size = for_each("size", Dendria.sizes)


def pixels_of(image: Image.Image, position: Dendria, name: str) -> Counter[tuple[int, ...]]:
    """The number of pixels of each colour in a cell."""
    geometry = board_geometry(position.ruleset.size)
    x, y = geometry.centres[position.cell_named(name)]
    mask = cell_mask(geometry.grid)
    left, top = x - mask.width // 2, y - mask.height // 2
    cut = image.crop((left, top, left + mask.width, top + mask.height))
    red, green, blue = (channel.tobytes() for channel in cut.split())
    inside = mask.convert("L").tobytes()
    return Counter((r, g, b) for r, g, b, shown in zip(red, green, blue, inside, strict=True) if shown)


def middle(image: Image.Image, position: Dendria, cell: int) -> Colour:
    """The colour in the middle of a cell."""
    rgb = image.getpixel(board_geometry(position.ruleset.size).centres[cell])
    assert isinstance(rgb, tuple)
    red, green, blue = rgb
    return red, green, blue


def between(position: Dendria, one: str, other: str) -> tuple[int, int]:
    """The pixel in the middle of the border between two neighbours."""
    geometry = board_geometry(position.ruleset.size)
    (x, y), (u, v) = (geometry.centres[position.cell_named(name)] for name in (one, other))
    return (x + u) // 2, (y + v) // 2


def full(size: int, seed: int) -> Dendria:
    """A full board of random pieces, for very long lists."""
    chance = random.Random(seed)
    board = rules.board(size)
    return planted(size, {name: chance.choice("dl") + chance.choice("STD") for name in board.names(board.mask)})


@every_theme
def test_the_sides_differ_by_lines_too_and_marks_stand_out(theme_name: str) -> None:
    theme = THEMES[theme_name]
    dark, light = theme.stones
    assert luminance(dark.body) < luminance(light.body)
    # The light side's outline is a second cue. The dark side's merges with the piece.
    assert contrast(light.body, light.edge) >= 3
    assert contrast(dark.body, dark.edge) < 1.5
    for mark in (theme.calm, theme.accent):
        assert all(contrast(mark, stone.edge) >= 3 for stone in theme.stones)
    assert contrast(theme.fresh, theme.cell) >= 1.5


def test_each_piece_shows_its_side_and_its_kind_by_its_size() -> None:
    position = planted(7, "dS d4, dT g9, dD j8, lS c8, lT k12, lD g3")
    image = drawn(position)
    for own, other, (seed, tree, dryad) in ((DARK, LIGHT, ("d4", "g9", "j8")), (LIGHT, DARK, ("c8", "k12", "g3"))):
        of_seed, of_tree, of_dryad = (pixels_of(image, position, name)[own.body] for name in (seed, tree, dryad))
        assert 1.5 * of_seed < of_dryad < of_tree
        assert all(other.body not in pixels_of(image, position, name) for name in (seed, tree, dryad))
    assert set(pixels_of(image, position, "a1")) <= set(pixels_of(image, position, "b2"))


def test_neighbouring_trees_of_a_side_grow_together() -> None:
    position = planted(7, "dT d4 d5 g7, lT d6 g8 k9 k10 j9, lD a7, dS m13")
    image = drawn(position)
    assert image.getpixel(between(position, "d4", "d5")) == DARK.body
    assert image.getpixel(between(position, "k9", "j9")) == LIGHT.body
    for one, other in (("d5", "d6"), ("g7", "g8")):
        assert image.getpixel(between(position, one, other)) not in (DARK.body, LIGHT.body)


def test_protected_and_attacked_forests_are_marked() -> None:
    position = planted(7, "dT a1, dD b3, lT m13 g6 g7")
    assert position.protected(Side.FIRST)
    image = drawn(position)
    assert pixels_of(image, position, "a1")[THEME.calm] > 200
    assert all(THEME.calm not in pixels_of(image, position, name) for name in ("m13", "g6"))
    position = planted(7, "lT a1, dD b3, dT g6 g7")
    assert position.attacked(Side.SECOND)
    image = drawn(position)
    assert pixels_of(image, position, "a1")[THEME.accent] > 300
    assert all(THEME.accent not in pixels_of(image, position, name) for name in ("g6", "g7", "b3"))


def test_a_nourished_seed_has_a_ring_of_the_side_that_nourishes_it() -> None:
    fed = planted(7, "lS a1, dT a2 b1, dD b2")
    assert fed.field.nourishment(fed.cell_named("a1")).by is Side.FIRST
    hungry = planted(7, "lS a1, dT a2 b1")
    assert pixels_of(drawn(fed), fed, "a1")[DARK.body] > 500
    assert DARK.body not in pixels_of(drawn(hungry), hungry, "a1")


def test_the_last_turn_shows_the_dryads_path_and_what_became_of_seeds() -> None:
    position, events = planted(7, "lD a7 d1, lS a1 a3", Side.SECOND).play("d1-d2")
    assert pixels_of(drawn(position, events), position, "d2")[THEME.fresh] > 800
    assert DARK.body not in pixels_of(drawn(position, events), position, "d1")
    assert pixels_of(drawn(position, events), position, "d1")[LIGHT.body] > 100
    assert LIGHT.body not in pixels_of(drawn(position), position, "d1")

    # The moved Dryad feeds a1 from b2, goes on to b5 over a Seed, and lets a1 sprout on its way.
    position, events = planted(7, "dD e5 a2, dS b1 b4, lS a1").play("e5-b2+a1")
    image = drawn(position, events)
    # The new piece has a rim; the moved Dryad fills its whole cell.
    assert 300 < pixels_of(image, position, "a1")[THEME.fresh] < 0.8 * pixels_of(image, position, "b2")[THEME.fresh]
    for name in ("c3", "d4"):
        assert middle(image, position, position.cell_named(name)) == THEME.fresh
    assert THEME.fresh not in pixels_of(image, position, "b4")


def test_sown_and_germinated_pieces_are_on_fresh_ground() -> None:
    position, events = planted(7, "dD b3, lS a1").play("g7*a1")
    assert position.trees == 1 << position.cell_named("a1")
    image = drawn(position, events)
    assert pixels_of(image, position, "g7")[THEME.fresh] > 900
    assert pixels_of(image, position, "a1")[THEME.fresh] > 80
    assert THEME.fresh not in pixels_of(drawn(position), position, "g7")


def test_the_cells_that_count_at_the_end_have_rims_of_their_sides() -> None:
    position = planted(7, "dT a1, lT m13, dS a4, dD g2")
    position, events = position.play("pass")[0].play("pass")
    assert position.phase is Phase.OVER
    image = drawn(position, events)
    for side, stone in ((Side.FIRST, DARK), (Side.SECOND, LIGHT)):
        counted = position.field.leafiness_cells(side) & position.empty
        assert counted
        for cell in bits(counted):
            assert pixels_of(image, position, position.board.name(cell))[stone.body] > 300
    assert DARK.body in pixels_of(image, position, "a3")
    assert set(pixels_of(image, position, "b4")) == set(pixels_of(drawn(position), position, "b4"))


@for_each("orientation", [0, 1])
@every_size
def test_the_counts_are_clear_of_labels(size: int, orientation: int) -> None:
    """Check a full board, for its large counts."""
    assert not hidden_labels(scene_of(full(size, 1), (), None, Look(orientation=orientation)))


@every_theme
def test_dryads_cover_much_more_than_seeds(theme_name: str) -> None:
    """Players must distinguish them on a phone, where a cell is 15 pixels high."""
    position, theme = planted(9, "dS e5, lS g7, dD k9, lD m11"), THEMES[theme_name]
    image = drawn(position, look=Look(theme=theme_name))
    grounds = {theme.cell, theme.tray}
    ink = {
        name: sum(count for rgb, count in pixels_of(image, position, name).items() if rgb not in grounds)
        for name in ("e5", "g7", "k9", "m11")
    }
    assert min(ink["k9"], ink["m11"]) > 1.5 * max(ink["e5"], ink["g7"])


@pytest.mark.parametrize("language", LANGUAGES)
@every_size
def test_the_count_of_trees_keeps_its_label(size: int, language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    words_of: dict[int, str] = {}
    pasted: list[str] = []

    def made(words: str, size: int, colour: Colour, ground: Colour, theme: Theme) -> Tile:
        new = text_tile(words, size, colour, ground, theme)
        words_of[id(new)] = words
        return new

    monkeypatch.setattr("render.corners.text_tile", made)
    monkeypatch.setattr("render.corners.paste_tile", lambda _on, new, *_at: pasted.append(words_of.get(id(new), "")))
    texts = catalogue(language)
    scene = scene_of(full(size, 1), (), None, Look(texts=texts))
    corners.draw(Image.new("P", (900, 1200)), scene)
    assert pasted.count(texts.ngettext("Tree", "Trees", 2)) == 2


def test_the_text_names_pieces_forests_and_leafiness() -> None:
    position = planted(7, "dT a1, dD b3, dS g7, lT m13 m12, lS c9")
    text = render.describe(position, (rules.Placed(Side.SECOND, position.cell_named("c9")),))
    assert text == (
        "Dendria, size 7. Dark to play. Last turn: Light on c9. Leafiness: Dark 17, Light 34. Dryads: Dark b3. "
        "Trees: Dark a1; Light m12-13. Seeds: Dark g7; Light c9. Protected forests: Dark a1. "
        "Attacked forests: none. Nourished Seeds: none."
    )


@every_size
def test_the_text_of_full_boards_fits_and_names_leafiness_and_forests(size: int) -> None:
    for seed in range(3):
        position = full(size, seed)
        scores = position.score()
        changed = tuple(Germinated(side, tuple(bits(position.trees & position.stones(side)))) for side in Side)
        text = render.describe(position, changed)
        assert len(text) < 1024
        assert f"Leafiness: Dark {scores['dark']}, Light {scores['light']}." in text
        for title in ("Dryads: ", "Trees: ", "Seeds: ", "Protected forests: "):
            assert title in text


def test_the_roots_of_a_chosen_cell_lead_to_what_feeds_it() -> None:
    position = planted(7, "lS g7, dT g9, lD d7")
    image = drawn(position, overlay="roots", cell=position.cell_named("g7"))
    plain = drawn(position)
    for name, near in (("g8", DARK), ("f7", LIGHT), ("e7", LIGHT)):
        rgb = middle(image, position, position.cell_named(name))
        assert max(abs(a - b) for a, b in zip(rgb, near.body, strict=True)) < 40
    # Roots without a piece at the end are dotted up to the edge.
    for name in ("m7", "g1", "m13", "a1"):
        assert pixels_of(image, position, name) != pixels_of(plain, position, name)
    beside = middle(image, position, position.cell_named("c9"))
    assert luminance(beside) == pytest.approx(luminance(THEME.cell), abs=0.02)


def test_the_nutrients_of_both_sides_are_clear_of_the_verdicts_frame() -> None:
    position = planted(7, "dS g7")
    board = drawn(position, overlay="roots", cell=position.cell_named("g7")).crop((0, 200, 900, 1100)).convert("RGB")

    def spread(image: Image.Image, colour: Colour) -> tuple[int, int, int, int]:
        off = ImageChops.difference(image, Image.new("RGB", image.size, colour))
        box = off.convert("L").point([255] * 4 + [0] * 252).getbbox()
        assert box is not None
        return box

    first, top, last, bottom = spread(board, THEME.text)
    left, _top, right, _bottom = spread(board.crop((0, top, 900, bottom)), THEME.letter)
    assert first - left > 12
    assert right - last > 12


def test_the_verdict_hides_no_selectable_cell() -> None:
    position = planted(7, "dS g7, lS c4")
    targets = {position.cell_named(name): name for name in ("f8", "h9", "j9", "h6")}
    named = drawn(position, targets=targets)
    both = drawn(position, targets=targets, overlay="roots", cell=position.cell_named("g7"))
    for name in targets.values():
        assert pixels_of(both, position, name)[THEME.accent] == pixels_of(named, position, name)[THEME.accent]
        assert not pixels_of(both, position, name)[THEME.highlight], "the verdict has no field"


def test_without_a_chosen_cell_all_seeds_show_what_their_roots_bring() -> None:
    position = planted(7, "lS g7 c3, dT g8, lD d7")
    image, plain = drawn(position, overlay="roots"), drawn(position)
    changed = ImageChops.difference(image, plain).convert("L").point([0] * 60 + [255] * 196)
    for cell in position.board.cells:
        x, y = board_geometry(7).centres[cell]
        touched = changed.crop((x - 24, y - 24, x + 24, y + 24)).getbbox() is not None
        assert touched == bool(position.seeds >> cell & 1)


@every_theme
def test_fertile_soils_and_leafiness_have_the_shade_of_their_side(theme_name: str) -> None:
    for overlay, kind in (("fertile", "D"), ("leafiness", "T")):
        position = planted(7, f"d{kind} c3, l{kind} j8, dS c6")
        image, ground = drawn(position, overlay=overlay, look=Look(theme_name)), luminance(THEMES[theme_name].cell)
        cells_of = position.field.fertile if overlay == "fertile" else position.field.leafiness_cells
        dark, light = map(cells_of, Side)
        for cell in bits(position.empty & ~(dark & light)):
            shade = luminance(middle(image, position, cell))
            if dark >> cell & 1:
                assert shade < (0.6 if overlay == "fertile" else 0.8) * ground
            elif light >> cell & 1:
                assert shade > 1.3 * ground
            else:
                assert shade == pytest.approx(ground, abs=0.05)


@every_theme
def test_a_seed_fills_about_two_thirds_of_its_cell(theme_name: str) -> None:
    theme, grid = THEMES[theme_name], board_geometry(9).grid
    for side in Side:
        drawn = tile(theme, grid, Show(SEED, side)).convert("RGB")
        stone = theme.stones[side]
        rows = [y for y in range(drawn.height) for x in range(drawn.width) if drawn.getpixel((x, y)) == stone.edge]
        assert 0.6 <= (max(rows) - min(rows) + 1) / grid.cell_height <= 0.7


def test_the_marks_of_what_is_at_stake_give_way_to_the_cells_that_count() -> None:
    position = random_game(rules.ruleset("dendria", 7), 60)[-1].position
    assert render.face(type(position)).marks(scene_of(position, (), None, render.DEFAULT_LOOK))["nourished"]
    over, events = position.play("pass")[0].play("pass")
    assert render.face(type(over)).marks(scene_of(over, events, None, render.DEFAULT_LOOK)) == {
        "seed": False,
        "leafy": False,
    }
    over, events = planted(7, "dT a1, lT m13, dS a4, dD g2").play("pass")[0].play("pass")
    assert render.face(Dendria).marks(scene_of(over, events)) == {"seed": True, "leafy": True}

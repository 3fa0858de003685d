"""Overlays, badges and previews."""

from __future__ import annotations

import itertools
import math
from typing import cast

import pytest
from PIL import Image, ImageChops, ImageDraw, ImageStat

import render
from render import Look, overlays, painting, replay
from render.canvas import Layer, Pen, cell_mask
from render.colours import Colour, Theme, contrast
from render.geometry import Box, Point, board_geometry
from render.palette import Tile, in_full_colour
from render.scene import Scene
from render.signs import Drawing
from render.text import figure, font_at, text_tile
from rules import Position, Ruleset, Side, bits, board, ruleset
from rules.hedu import Raised, Reduced
from tests.support.each import for_each
from tests.support.positions import some
from tests.support.render import EACH_GAME, RULESETS, apart, drawn, every_game, on_default_board, random_game, scene_of
from tests.support.thorough import THOROUGH, sample

pytestmark = pytest.mark.usefixtures("coarse")
some_games = pytest.mark.parametrize("ruleset", sample(EACH_GAME, 2), ids=lambda ruleset: ruleset.game.name)


def near(one: object, other: Colour) -> bool:
    assert isinstance(one, tuple)
    return all(abs(a - b) < 24 for a, b in zip(one, other, strict=True))


def board_of(scene: Scene[Position]) -> Image.Image:
    """The board alone, in mode RGB."""
    return in_full_colour(painting.paint_board(scene))


@every_game
def test_every_overlay_changes_the_picture_and_never_fails(ruleset: Ruleset) -> None:
    game, face, cell = random_game(ruleset, 400), render.face(ruleset.game), ruleset.board.centre
    example = face.example()  # with something for every overlay to show
    last = list(replay.shots(example.ruleset, example.turns))[-1]
    shots = sample((last, game[0], game[min(len(game) - 2, 60)], game[1]), 2)
    # Smaller than for users, to save time.
    scenes = [scene_of(shot.position, shot.events, None, render.DEFAULT_LOOK, 550) for shot in shots]
    scenes.append(scene_of(ruleset.start(), (), None, render.DEFAULT_LOOK, 550))
    look = Look("light", 5, window=(cell, 4))
    windows = [scene_of(shot.position, shot.events, None, look, 550) for shot in sample(shots[::-1], 2)]
    boards, parts = ([board_of(scene) for scene in shown] for shown in (scenes, windows))
    for overlay in render.overlays_of(ruleset.game):
        changed = [changes(scene, plain, overlay) for scene, plain in zip(scenes, boards, strict=True)]
        assert max(changed) > 3_000
        for scene, plain in zip(windows, parts, strict=True):
            changes(scene, plain, overlay, cell)


def changes(scene: Scene[Position], plain: Image.Image, overlay: str, cell: int | None = None) -> float:
    """How much an overlay changes the picture. Check that it marks only the board, and only the shown part of it."""
    marked = overlays.draw(plain.copy(), scene, overlay, cell).convert("RGBA").convert("RGB")
    assert plain.width == marked.width
    # Ignore the corners, which are rounded.
    difference = ImageChops.difference(plain, marked).crop((30, 30, plain.width - 30, plain.height - 30))
    box = difference.convert("L").point([0] * 48 + [255] * 208).getbbox()
    if box is not None and overlay != "roots":  # which lead out of the shown part
        geometry = scene.geometry
        xs, ys = zip(*(geometry.centres[shown] for shown in geometry.cells), strict=True)
        left, top, right, bottom = (edge + 30 for edge in box)
        reach = 0.75 * geometry.cell_height
        assert min(xs) - reach < left < right < max(xs) + reach
        assert min(ys) - reach < top < bottom < max(ys) + reach
    return ImageStat.Stat(difference).sum[0]


@every_game
def test_a_key_explains_exactly_the_marks_that_an_overlay_draws(
    ruleset: Ruleset, monkeypatch: pytest.MonkeyPatch
) -> None:
    words_drawn: list[str] = []

    def note_words(words: str, size: int, colour: Colour, ground: Colour, theme: Theme) -> Tile:
        words_drawn.append(words)
        return text_tile(words, size, colour, ground, theme)

    monkeypatch.setattr("render.signs.text_tile", note_words)
    seen: set[str] = set()
    face = render.face(ruleset.game)
    record = face.example()
    example, game = list(replay.shots(record.ruleset, record.turns)), random_game(ruleset, 400)
    middle = example[len(example) // 2]
    shots = sample((game[0], game[len(game) // 2], middle, game[-1], example[-1]), 2)
    offered = render.overlays_of(ruleset.game).values()
    scenes = [scene_of(shot.position, shot.events, None, render.DEFAULT_LOOK, 550) for shot in shots]
    boards = [board_of(scene) for scene in scenes]
    for overlay, (scene, plain) in itertools.product(offered, zip(scenes, boards, strict=True)):
        stones = scene.position.stones(Side.FIRST) or scene.position.stones(Side.SECOND)
        for at in (None, max(bits(stones))):
            drawing = Drawing(scene, Layer(plain.copy()), at, overlay.signs)
            overlay.draw(drawing)
            words_drawn.clear()
            with_key = overlays.draw(plain.copy(), scene, overlay.name, at)
            assert words_drawn == [
                overlay.signs[kind].words.format(side=scene.side(side))
                for kind, side in sorted(drawing.marks, key=lambda mark: (list(overlay.signs).index(mark[0]), mark[1]))
            ]
            assert len(words_drawn) == len(set(words_drawn))
            assert (with_key.height > plain.height) == bool(words_drawn)
            seen |= {kind for kind, _ in drawing.marks}
    # Some marks are rare in random games.
    assert len({kind for overlay in face.overlays for kind in overlay.signs} - seen) <= 2


def test_an_unknown_overlay_is_refused_with_a_list_of_the_known_ones() -> None:
    with pytest.raises(ValueError, match="Dalen has no overlay “roots”; choose from legal"):
        render.picture(ruleset("dalen").start(), overlay="roots")


def test_a_dot_marks_every_legal_cell_and_no_other() -> None:
    shot = random_game(ruleset("dalen"), 50)[-1]
    position, geometry = shot.position, board_geometry(7)
    accent = render.face(ruleset("dalen").game).themes["dark"].accent
    image = drawn(position, overlay="legal")
    marked = {cell for cell in bits(position.empty) if near(image.getpixel(geometry.centres[cell]), accent)}
    assert {position.board.name(cell) for cell in marked} == set(position.legal_turns)
    turn = position.legal_turns[0]
    preview = drawn(position.play(turn)[0], before=position, overlay="legal")
    assert near(preview.getpixel(geometry.centres[position.cell_named(turn)]), accent), (
        "the marks vanished before the turn was played"
    )


def test_pieces_that_can_begin_a_turn_have_rings() -> None:
    position = ruleset("dendria").replay(["i9", "light", "e5", "m9"])
    assert all(position.board.find(element) is not None for element in position.draft().next if element != "pass")
    assert drawn(position, overlay="legal") != drawn(position)


def test_targets_show_their_text() -> None:
    position, geometry = ruleset("dalen").start(), board_geometry(7)
    accent = render.face(ruleset("dalen").game).themes["dark"].accent
    cells = position.board.cells[:9:4]
    image = drawn(position, targets=dict.fromkeys(cells, "12"))
    for cell in cells:
        x, y = geometry.centres[cell]
        assert near(image.getpixel((x, y - 15)), accent)
    numbers = [drawn(position, targets={cells[0]: words}) for words in ("1", "2", "")]
    assert len({image.tobytes() for image in numbers}) == 3


@for_each("theme_name", render.THEME_NAMES)
def test_forbidden_cells_have_red_crosses_and_allowed_ones_green_dots(theme_name: str) -> None:
    position, geometry = ruleset("dalen").start(), board_geometry(7)
    crossed, dotted, plain = position.board.cells[:9:4]
    image = drawn(position, (), Look(theme_name), targets={crossed: overlays.CROSS, dotted: overlays.DOT, plain: ""})

    def colour_at(cell: int, above: float) -> Colour:
        x, y = geometry.centres[cell]
        found = image.getpixel((x, round(y - above * geometry.cell_height)))
        assert isinstance(found, tuple)
        red, green, blue = found
        return red, green, blue

    red, green = colour_at(crossed, 0.2), colour_at(dotted, 0.1)
    assert red[0] > 2 * max(red[1:])
    assert green[1] > 1.5 * max(green[0], green[2])
    assert contrast(red, green) > 3, "they differ only in hue"
    accent = render.face(ruleset("dalen").game).themes[theme_name].accent
    assert near(colour_at(plain, 0.1), accent)


@pytest.mark.parametrize(
    "ruleset", RULESETS if THOROUGH else EACH_GAME, ids=lambda ruleset: ruleset.id.replace("/", "-")
)
def test_a_badge_lies_on_its_own_cell_and_on_no_other_piece(ruleset: Ruleset) -> None:
    geometry = board_geometry(ruleset.size)
    empty, mask, badges = drawn(ruleset.start()), cell_mask(geometry.grid), 0
    for position, _ in sample(some(ruleset, 4)[2:], 2):
        name = position.board.name
        elements = (position.element_cell(element) for element in position.draft().next)
        targets = {cell: name(cell) for cell in (*elements, *position.board.cells[::7]) if cell is not None}
        boxes = overlays.badge_boxes(scene_of(position, (), None, Look()), targets)
        badges += len(boxes)
        assert all(apart(one, other) for one, other in itertools.combinations(boxes.values(), 2))
        for cell, (left, top, right, bottom) in boxes.items():
            middle = (left + right) / 2, (top + bottom) / 2
            assert min(geometry.cells, key=lambda number: math.dist(geometry.centres[number], middle)) == cell
        plain, badged = (drawn(position, targets=shown) for shown in ({}, targets))
        touched = ImageChops.darker(differing(empty, plain), differing(plain, badged))
        for cell in bits(position.board.mask & ~position.empty):
            if cell not in targets:
                x, y = geometry.centres[cell]
                left, top = x - mask.width // 2, y - mask.height // 2
                piece = touched.crop((left, top, left + mask.width, top + mask.height))
                seen = Image.composite(piece, Image.new("L", mask.size), mask)
                # The rings around targets extend slightly beyond their cells.
                assert sum(seen.histogram()[1:]) < 0.02 * mask.width * mask.height, name(cell)
    assert badges


def test_no_letter_pokes_out_of_its_badge() -> None:
    scale = 4

    class Shapes:
        """Records the last field and text drawn, enlarged."""

        def __init__(self) -> None:
            self.ground, self.ink = (Image.new("L", (200 * scale, 100 * scale)) for _ in range(2))

        def field(self, box: Box, radius: float, fill: Colour) -> None:
            self.ground.paste(0, (0, 0, *self.ground.size))
            left, top, right, bottom = (scale * edge for edge in box)
            ImageDraw.Draw(self.ground).rounded_rectangle((left, top, right, bottom), scale * radius, 255)

        def text(self, words: str, centre: Point, size: float, fill: Colour) -> None:
            large = round(scale * size)
            at = scale * centre[0], scale * centre[1] + figure(large) / 2
            ImageDraw.Draw(self.ink).text(at, words, 255, font_at(large), anchor="ms")

    for name, padding in itertools.product(map(board(14).name, sample(board(14).cells[::4], 3)), overlays._PADDINGS):
        shapes = Shapes()
        box = overlays._badge_box(name, 40, (100, 50), padding)
        overlays.draw_badge(cast("Pen", shapes), name, box, 40, (0, 0, 0), (255, 255, 255))
        outside = ImageChops.subtract(shapes.ink, shapes.ground).histogram()
        assert sum(outside[128:]) < scale**2, name


@some_games
def test_badges_hide_neither_pieces_nor_each_other(ruleset: Ruleset) -> None:
    shot = random_game(on_default_board(ruleset), 30)[-1]
    position = shot.position
    board, look = position.board, render.Look(window=(position.board.centre, 4))
    plain = drawn(position, shot.events, look)
    targets = {cell: board.name(cell) for cell in board.cells if board.distance(cell, board.centre) < 3}
    badged = drawn(position, shot.events, look, targets=targets)
    geometry = board_geometry(board.size, 0, 4, board.centre)
    boxes = overlays.badge_boxes(scene_of(position, shot.events, None, look), targets)
    assert boxes.keys() == targets.keys()
    assert all(apart(one, other) for one, other in itertools.combinations(boxes.values(), 2))
    reach, changed, hidden = round(0.19 * geometry.cell_height), differing(plain, badged), []
    pieces = [cell for cell in targets if not position.empty >> cell & 1]
    for cell in pieces:
        x, y = geometry.centres[cell]
        middle = (x - reach, y - reach, x + reach, y + reach)
        assert all(apart(box, middle) for other, box in boxes.items() if other != cell)
        hidden += [cell] if changed.crop(middle).getbbox() else []
    # With so many badges, some have no room beside the middle of their own piece.
    assert len(hidden) <= len(pieces) / 3


@some_games
def test_an_overview_below_a_part_of_the_board_shows_where_it_is(ruleset: Ruleset) -> None:
    shot = random_game(ruleset, 20)[-1]
    position, events, board = shot.position, shot.events, ruleset.board
    accent = render.face(ruleset.game).themes["dark"].accent
    whole = drawn(position, events, overview=True)
    assert whole == drawn(position, events)
    middles = []
    for corner in (board.cells[0], board.cells[-1]):
        look = Look(window=(corner, 3))
        part, below = (drawn(position, events, look, overview=small) for small in (False, True))
        assert below.height > part.height + 200
        added = below.crop((40, part.height, below.width - 40, below.height - 40))
        fewer = added.resize((added.width // 3, added.height // 3), Image.Resampling.NEAREST)
        counted = fewer.getcolors(fewer.width * fewer.height) or ()
        accents = {colour for _count, colour in counted if near(colour, accent)}
        data = fewer.tobytes()
        found = [at // 3 % fewer.width for at in range(0, len(data), 3) if tuple(data[at : at + 3]) in accents]
        assert found
        middles.append(sum(found) / len(found) - fewer.width / 2)
    assert middles[0] < 0 < middles[1]


@every_game
def test_a_part_of_the_board_fades_where_the_board_goes_on_and_has_a_rim_where_it_ends(ruleset: Ruleset) -> None:
    position, theme = ruleset.start(), render.face(ruleset.game).themes["dark"]
    board = position.board
    for middle in (board.centre, board.cells[0]):
        look = Look(window=(middle, 3), coordinates=False)
        part, geometry = drawn(position, (), look), board_geometry(board.size, 0, 3, middle)
        shown = set(geometry.cells)
        for cell in geometry.cells:
            (x, y), tall = geometry.centres[cell], geometry.cell_height
            assert not near(part.getpixel((x + tall // 8, y + tall // 20)), theme.background), "the whole cell fades"
            for (dx, dy), other in zip(geometry.grid.ways, geometry.neighbours[cell], strict=True):
                share = 0.5 if other is None else 0.54
                rim = part.getpixel((round(x + share * dx), round(y + share * dy)))
                if other is None and shown.issuperset(
                    other for other in geometry.neighbours[cell] if other is not None
                ):
                    assert not near(rim, theme.background)
                elif other is not None and other not in shown:
                    assert near(rim, theme.background)
    assert drawn(position, (), Look(window=(board.centre, board.size))) == drawn(position)


def differing(one: Image.Image, other: Image.Image) -> Image.Image:
    """The pixels that differ clearly, in mode L."""
    return ImageChops.difference(one, other).convert("L").point([0] * 60 + [255] * 196)


@every_game
def test_a_preview_differs_from_both_positions_only_where_they_differ(ruleset: Ruleset) -> None:
    *_, before, after = random_game(ruleset, 30)
    was = drawn(before.position)
    will = drawn(after.position, after.events)
    ghost = drawn(after.position, after.events, before=before.position)
    board = (130, 230, 770, 950)
    changed = ImageChops.difference(was.crop(board), will.crop(board)).convert("L").point([0] + [255] * 255)
    faded = ImageChops.difference(ghost.crop(board), will.crop(board)).convert("L")
    assert changed.getbbox() is not None
    assert ImageStat.Stat(faded, changed).mean[0] > 8
    assert ImageStat.Stat(faded, ImageChops.invert(changed)).mean[0] < 2


def test_a_preview_shows_the_value_of_a_region_only_in_its_final_place() -> None:
    before = ruleset("hedu", 5).replay(["d3", "black", "e1", "i8", "b2", "b1", "a2", "d1", "h8", "c2"])
    after, events = before.play("f3")
    geometry, hedu = board_geometry(5), render.face(type(before))
    (left,) = set(hedu.numbered(scene_of(before, (), None, Look()))) - set(
        hedu.numbered(scene_of(after, (), None, Look()))
    )
    x, y = geometry.centres[left]
    cell = (x - 20, y - 20, x + 20, y + 20)
    preview = drawn(after, events, before=before).crop(cell)
    changed = ImageChops.difference(preview, drawn(after, events).crop(cell)).convert("L")
    assert ImageStat.Stat(changed).extrema[0][1] < 8


def test_a_preview_shows_only_the_new_heights_of_stacks() -> None:
    *_, was, will = random_game(ruleset("hedu"), 56)
    before, after = was.position, will.position
    changed = [event.cell for event in will.events if isinstance(event, Raised | Reduced) and event.after]
    assert changed
    preview, played = (drawn(after, will.events, before=shown) for shown in (before, None))
    for cell in changed:
        side = after.owner(cell)
        assert side is not None
        ink = scene_of(after, (), None, Look()).theme.stones[side.other].body
        x, y = board_geometry(7).centres[cell]
        inked = [
            [near(image.getpixel((x + dx, y + dy)), ink) for dx in range(-14, 15) for dy in range(-14, 15)]
            for image in (preview, played)
        ]
        assert any(inked[1])
        assert inked[0] == inked[1]

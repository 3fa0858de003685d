"""Leaderboards, rating histories and openings."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from PIL import ImageChops, ImageFont

import render
import rules
from render.geometry import WIDTH
from render.statistics import charts
from render.statistics.charts import RatingPoint
from render.statistics.tables import RankingRow, leaderboard
from render.text import font_at, trimmed
from tests.support.each import for_each
from tests.support.render import opened, pixels, scene_of
from tests.support.thorough import covered

pytestmark = pytest.mark.usefixtures("coarse")


def differs(one: bytes, other: bytes) -> tuple[int, int, int, int] | None:
    """The bounding box of the differences between two pictures of the same size."""
    return ImageChops.difference(*map(pixels, (one, other))).getbbox()


def winning_chances(
    chances: Sequence[float], points: Sequence[int] = (), *, game: str = "dalen", theme_name: str = "dark"
) -> bytes:
    face = render.FACES[game]
    return charts.winning_chances(
        "Title", "Subtitle", chances, points, ("Alice", "Bob"), ("then", "now"), face, face.themes[theme_name]
    )


@pytest.mark.parametrize(("game", "theme_name"), covered(render.FACES, render.THEME_NAMES))
def test_charts_can_be_drawn_in_every_theme(game: str, theme_name: str) -> None:
    theme = render.FACES[game].themes[theme_name]
    lines = [
        RankingRow("1", "Alice", "1512 ± 90", mine=True, course=(1500, 1512, 1490)),
        RankingRow("", "Bob", "12", results=(3, 1, 2), most=9),
    ]
    assert opened(leaderboard("Title", "Subtitle", lines, lines[0], theme)).width == WIDTH
    spots = [RatingPoint(at, 1500 + at, 350 - at) for at in range(5)]
    assert opened(charts.rating_history("Title", "Subtitle", spots, ("then", "now"), theme)).width == WIDTH
    for chances, points in (([0.5, 0.2, 0.9], [1]), ([0.4], [])):
        assert opened(winning_chances(chances, points, game=game, theme_name=theme_name)).width == WIDTH


def test_a_leaderboard_shows_each_row_at_its_place() -> None:
    theme = render.FACES["dalen"].themes["dark"]

    def board(*lines: RankingRow) -> bytes:
        return leaderboard("Title", "Subtitle", lines, None, theme)

    one, two = (
        RankingRow("1", "Alice", "3 wins", results=(3, 0, 0), most=3),
        RankingRow("2", "Bob", "1 win", results=(1, 0, 0), most=3),
    )
    first, second = board(one, two), board(one, RankingRow("2", "Carol", "1 win", results=(1, 0, 0), most=3))
    box = differs(first, second)
    assert box is not None
    assert box[1] > 132 + 78
    wider = differs(first, board(one, RankingRow("2", "Bob", "1 win", results=(2, 0, 0), most=3)))
    assert wider is not None
    assert wider[2] - wider[0] < 120


@for_each("values", [(1500.0,), (1500.0, 1500.0), (100.0, 3000.0)])
def test_any_rating_history_fits(values: tuple[float, ...]) -> None:
    theme = render.FACES["hedu"].themes["light"]
    spots = [RatingPoint(0, value, 60) for value in values]
    image = opened(charts.rating_history("T", "S", spots, ("a", "b"), theme))
    assert image.width == WIDTH


def test_long_names_are_cut_and_characters_without_glyphs_left_out() -> None:
    assert trimmed("Alice", 34, 300) == "Alice"
    cut = trimmed("W" * 32, 34, 300)
    assert cut.endswith("W…")
    assert font_at(34).getlength(cut) <= 300
    assert trimmed("Aл\ud800\uffff😀i", 34, 300) == "Ai"


def test_the_font_is_opened_only_once_for_all_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    assert trimmed("A", 34, 300) == "A"
    monkeypatch.delattr(ImageFont, "truetype")
    assert trimmed("".join(map(chr, range(0x7500, 0x7532))), 34, 300) == ""


@pytest.mark.parametrize("game", render.FACES)
def test_openings_tint_the_cells_of_openings(game: str) -> None:
    face, ruleset = render.FACES[game], rules.ruleset(game)
    cells = list(ruleset.start().draft().next)[:3]
    look = render.DEFAULT_LOOK
    none = charts.openings(face, ruleset, {}, look)
    some = charts.openings(face, ruleset, dict(zip(cells, (1, 5, 9), strict=True)), look)
    box = differs(none, some)
    assert box is not None
    board, geometry = ruleset.board, scene_of(ruleset.start(), (), None, look).geometry
    for name in cells:
        cell = board.find(name)
        assert cell is not None
        x, y = geometry.centres[cell]
        assert box[0] <= x <= box[2]
        assert box[1] <= y - geometry.header <= box[3]
    assert charts.openings(face, ruleset, {"zz99": 3}, look) == none


@for_each("chance", [0.0, 0.3, 1.0])
def test_the_side_that_stood_better_has_more_of_the_picture(chance: float) -> None:
    theme = render.FACES["dalen"].themes["dark"]
    image = pixels(winning_chances([chance] * 4)).convert("RGB")
    counted = {colour: count for count, colour in image.getcolors(1 << 16) or ()}
    first, second = (counted.get(stone.body, 0) for stone in theme.stones)
    assert abs(first / (first + second) - chance) < 0.03


@for_each("points", [(0,), (5,), (0, 1, 2), (3, 4, 5), (0, 4, 5)])
def test_the_marks_of_turning_points_stay_apart_and_inside(points: tuple[int, ...]) -> None:
    theme = render.FACES["dalen"].themes["dark"]
    image = pixels(winning_chances([0.5] * 6, points)).convert("RGB")
    row = [image.getpixel((x, 165)) == theme.accent for x in range(WIDTH)]
    starts = sum(now and not before for before, now in zip([False, *row], row, strict=False))
    assert starts >= len(points)
    assert not row[0]
    assert not row[-1]


def test_a_curve_is_smooth_where_chances_depend_on_the_side_to_play_and_no_line_crosses_it() -> None:
    accent = render.FACES["dalen"].themes["dark"].accent
    image = pixels(winning_chances([0.4, 0.6] * 20, (20, 21))).convert("RGB")
    heights = [y for x in range(60, WIDTH - 60) for y in range(215, 600) if image.getpixel((x, y)) == accent]
    assert len(heights) > WIDTH - 200
    assert max(heights) - min(heights) < 30, "no more than a mark on a line"

"""Fiodar's pictures and texts: stones and cords, cut threads and weaves, captures, territories, overlays."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from PIL import ImageChops

import render
import rules
from render.colours import contrast
from render.games.fiodar.theme import THEMES, faded, shade
from render.geometry import board_geometry
from render.scene import Look
from rules import Event, Position, Side
from rules.fiodar import Fiodar
from tests.support.each import for_each
from tests.support.positions import set_up
from tests.support.render import around, counted, drawn, random_game, scene_of

pytestmark = pytest.mark.usefixtures("coarse")

LINEN = THEMES["dark"]
BLACK, WHITE = LINEN.stones
every_theme = for_each("theme_name", render.THEME_NAMES)

#: Black's e6 captures f6 and leaves e5 and e6 cut, between e4 and e7.
LEFT_CUT = ("e5", "black", "e4", "g6", "e7", "a1", "f6", "e6")
#: Walls of Black and White around one corner each: a1 and i9 are their territories.
WALLS = "a2 b1 b2 / h8 h9 i8"


def played(*turns: str) -> tuple[Fiodar, Sequence[Event]]:
    return carried_on(rules.ruleset("fiodar", 5).start(), *turns)


def carried_on(position: Position, *turns: str) -> tuple[Fiodar, Sequence[Event]]:
    events: Sequence[Event] = ()
    for turn in turns:
        position, events = position.play(turn)
    assert isinstance(position, Fiodar)
    return position, events


def at(stones: str) -> Fiodar:
    """A position with these stones and White to play."""
    return set_up(Fiodar, 5, stones, Side.SECOND)


@every_theme
def test_the_sides_and_marks_stand_out(theme_name: str) -> None:
    theme = THEMES[theme_name]
    black, white = theme.stones
    assert contrast(black.body, white.body) >= 3
    for stone in theme.stones:
        for ground in (theme.cell, shade(theme), theme.fresh):
            assert max(contrast(stone.body, ground), contrast(stone.edge, ground)) >= 3
        # Red threads are edged in the stone's edge colour.
        for ground in (theme.cell, shade(theme), theme.fresh, stone.body):
            assert max(contrast(theme.accent, ground), contrast(stone.edge, ground)) >= 3
        assert contrast(theme.accent, stone.edge) >= 2
    for side in Side:
        assert contrast(faded(theme, side), theme.stones[side.other].body) >= 3
    assert theme_name != "light" or contrast(white.body, theme.cell) >= 2


@for_each("orientation", [0, 8])
def test_every_point_shows_its_owner(orientation: int) -> None:
    position = random_game(rules.ruleset("fiodar", 7), 80)[-1].position
    look, geometry = Look(orientation=orientation), board_geometry(7, orientation)
    image = drawn(position, (), look)
    for cell in position.board.cells:
        side = position.owner(cell)
        x, y = geometry.centres[cell]
        # Beside the marks in a stone's middle, and between the lines of the board.
        seen = image.getpixel((x + round(0.2 * geometry.cell_height), y))
        if side is None:
            assert seen in (LINEN.cell, shade(LINEN))
        else:
            other = LINEN.stones[side.other].body
            assert seen != other
            assert counted(image.crop((x - 25, y - 25, x + 25, y + 25)))[LINEN.stones[side].body] > 600


def test_cords_join_friends_and_only_friends() -> None:
    position = at("e5 e6 c5 / e7 c4")
    image, geometry = drawn(position), board_geometry(5)
    for one, other, body in (("e5", "e6", BLACK.body), ("e6", "e7", None), ("c4", "c5", None)):
        (x, y), (u, v) = (geometry.centres[position.cell_named(name)] for name in (one, other))
        between = image.crop(((x + u) // 2 - 4, (y + v) // 2 - 4, (x + u) // 2 + 4, (y + v) // 2 + 4))
        if body:
            assert counted(between)[body] > 20
        else:
            assert counted(between)[BLACK.body] == counted(between)[WHITE.body] == 0


@every_theme
def test_cut_threads_and_cut_weaves_show(theme_name: str) -> None:
    red, look = THEMES[theme_name].accent, Look(theme_name)
    # c5 and c6 are in a cut thread, but b5 saves their weave; e5 and e6 are a cut weave; g5 is isolated.
    position = at("b5 c5 c6 e5 e6 g5 / c4 c7 e4 e7")
    image = drawn(position, (), look)
    marked = {name: counted(around(image, position, name))[red] for name in ("b5", "c5", "c6", "e5", "e6", "g5", "i5")}
    assert marked["g5"] == marked["i5"] == 0
    assert marked["b5"] < marked["c5"] / 4
    assert min(marked["c5"], marked["c6"]) > 150
    assert min(marked["e5"], marked["e6"]) > 2 * max(marked["c5"], marked["c6"])


def test_the_last_turn_and_its_captured_stones_show() -> None:
    position, events = played(*LEFT_CUT)
    plain, marked = drawn(position), drawn(position, events)
    assert counted(around(plain, position, "e6"))[LINEN.fresh] == 0
    assert counted(around(marked, position, "e6"))[LINEN.fresh] > 50
    ghost = faded(LINEN, Side.SECOND)
    assert counted(around(marked, position, "f6"))[ghost] > 800
    assert counted(plain)[ghost] < counted(marked)[ghost] - 800
    for name in ("g6", "a1", "e4", "e7"):
        assert not ImageChops.difference(
            around(plain, position, name, 0.4), around(marked, position, name, 0.4)
        ).getbbox()


def test_territory_shows_after_counting() -> None:
    position = at(WALLS)
    territories = [position.territory(side) for side in Side]
    assert all(territories)
    over, events = carried_on(at(WALLS), "pass", "pass")
    geometry = board_geometry(5)
    before, after, later = drawn(position), drawn(over, events), drawn(over)
    for side, mask in zip(Side, territories, strict=True):
        body, other = LINEN.stones[side].body, LINEN.stones[side.other].body
        for cell in rules.bits(mask):
            assert before.getpixel(geometry.centres[cell]) != body
            assert after.getpixel(geometry.centres[cell]) == later.getpixel(geometry.centres[cell]) == body
            assert counted(around(after, over, cell, 0.4))[other] < 30


def test_the_prisoners_stand_below_the_score() -> None:
    position, events = played(*LEFT_CUT)
    face = render.face(Fiodar)
    scene = scene_of(position, events, None, render.DEFAULT_LOOK)
    assert [face.counts(scene, side) for side in Side] == [
        [[("prisoners", Side.FIRST), "1", "prisoner"]],
        [[("prisoners", Side.SECOND), "0", "prisoners"]],
    ]
    assert face.scores(scene) == ("1", "0")
    over, events = carried_on(at(WALLS), "pass", "pass")
    first, second = face.scores(scene_of(over, events, None, render.DEFAULT_LOOK))
    assert (first, second) == ("1", "1½")


@every_theme
def test_the_icon_of_a_prisoner_is_that_of_the_captured_stone(theme_name: str) -> None:
    face, theme = render.face(Fiodar), THEMES[theme_name]
    prisoners = face.icon("prisoners", Side.FIRST, 46, theme.background, theme)
    captured = face.icon("captured", Side.SECOND, 46, theme.background, theme)
    assert prisoners.image.tobytes() == captured.image.tobytes()


def changes(position: Fiodar, overlay: str, cell: int | None = None) -> set[str]:
    """The names of the points that an overlay changes in the middle."""
    plain, over = drawn(position), drawn(position, overlay=overlay, cell=cell)
    changed = ImageChops.difference(plain, over).convert("L").point([0] * 24 + [255] * 232)
    return {
        position.board.name(point) for point in position.board.cells if around(changed, position, point, 0.3).getbbox()
    }


def test_the_territory_overlay_marks_only_empty_points() -> None:
    position = at(WALLS)
    marked = changes(position, "territory")
    assert marked == set(position.board.names(position.empty))


def test_the_territory_overlay_gives_the_first_stone_no_territory() -> None:
    lone, passed = (played("e5", "white", *turns)[0] for turns in ((), ("pass",)))
    x, y = board_geometry(5).centres[lone.cell_named("c4")]
    for position, owned in ((lone, False), (passed, True)):
        images = drawn(position), drawn(position, overlay="territory")
        plain, over = (image.getpixel((x + 12, y + 5)) for image in images)
        assert (plain != over) is owned, "beside the dot of an unowned point"


def test_the_danger_overlay_shows_the_point_that_would_cut_the_weave() -> None:
    # White needs e7 to cut e5 and e6; c5 ends at no enemy stone.
    position = at("e5 e6 c5 / e4")
    marked = changes(position, "danger")
    assert marked >= {"e5", "e6", "e7"}
    assert not marked & {"c5", "c4", "c6", "d5"}
    # For one weave, it shows only that weave's danger, not White's, which e3 would cut.
    assert "e3" in marked
    assert changes(position, "danger", position.cell_named("e5")) == {"e5", "e6", "e7"}


def test_the_threads_overlay_shows_the_three_threads_of_a_stone() -> None:
    position = at("e5 e6 a3 / e4 c3")
    marked = changes(position, "threads", position.cell_named("e5"))
    # Along the column up to the empty e7, and to the empty neighbours on the two other lines.
    assert {"e5", "e6", "e7", "d5", "f5", "d4", "f6"} <= marked
    assert not marked & {"a3", "c3", "b3"}
    assert not changes(position, "threads") & {"a3", "c3"}


def test_the_text_is_complete() -> None:
    position, events = played(*LEFT_CUT)
    assert render.describe(position, events) == (
        "Fiodar, size 5. White to play. Last turn: Black on e6; 1 stone of White captured (f6). "
        "Points: Black 1, White 0. Prisoners: Black 1, White 0. Black has 4 stones: a1 e5-6 g6. "
        "White has 2 stones: e4,7. Cut weaves: Black e5-6. Stones in cut threads: Black e5-6. Territory: none."
    )


def test_the_text_says_that_a_second_pass_ends_the_game() -> None:
    text = render.describe(*carried_on(at(WALLS), "pass"))
    assert "White passed first, for half a point; another pass ends the match." in text
    position, events = carried_on(at(WALLS), "pass")
    assert "another pass" not in render.describe(position, events, render.Conclusion(Side.FIRST, "by resignation"))
    text = render.describe(*carried_on(at(WALLS), "pass", "pass"))
    assert "another pass" not in text
    assert "on points." in text
    assert "½" in text


def test_the_first_stone_does_not_yet_own_the_whole_board() -> None:
    for turns in ((), ("e5",), ("e5", "white"), ("e5", "white", "pass", "e7")):
        position, events = played(*turns)
        text = render.describe(position, events)
        assert "Points: Black 0, White 0." in text
        assert "Territory: none." in text


def test_the_first_stone_owns_the_board_once_a_pass_may_end_the_game() -> None:
    for turns in (("pass",), ("pass", "pass")):
        position, events = played("e5", "white", *turns)
        text = render.describe(position, events)
        assert "Points: Black 60, White ½." in text
        assert "Territory: Black a1-5 b1-6" in text


def test_a_side_without_stones_gives_all_points_to_the_other() -> None:
    position = at("e5 / ").changed(prisoners=(1, 0))
    assert "Points: Black 61, White 0." in render.describe(position)


@for_each("seed", range(4))
def test_the_text_of_full_boards_fits(seed: int) -> None:
    start = rules.ruleset("fiodar", 7).start()
    chooser = random.Random(seed)
    first = sum(1 << cell for cell in start.board.cells if chooser.random() < 0.5)
    position = start.with_stones(Side.FIRST, first, start.board.mask & ~first, Side.SECOND)
    position = position.changed(second_player=Side.SECOND, prisoners=(140, 155))
    everything = tuple(rules.bits(position.second))
    events = (rules.Placed(Side.FIRST, next(rules.bits(first))), rules.Captured(Side.FIRST, everything))
    text = render.describe(position, events)
    assert len(text) < 1024
    assert "White to play." in text
    assert "Prisoners: Black 140, White 155." in text
    assert f"{len(everything)} stones of White captured" in text

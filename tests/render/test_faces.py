"""Properties of every game's pictures."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from gettext import NullTranslations

import pytest
from PIL import Image

import render
from render import ENGLISH, Look, painting, picture
from render.colours import THEME_NAMES, contrast
from render.palette import in_palette
from render.replay import Shot
from rules import Ruleset, Side
from tests.support.each import for_each
from tests.support.render import (
    EACH_GAME,
    every_game,
    every_ruleset,
    hidden_labels,
    on_default_board,
    opened,
    random_game,
    scene_of,
    unfinished,
)
from tests.support.thorough import covered, sample

pytestmark = pytest.mark.usefixtures("coarse")
each_theme = for_each("theme_name", THEME_NAMES)
each_game = for_each("ruleset", EACH_GAME, lambda ruleset: ruleset.game.name)


def small(shot: Shot, look: Look) -> bytes:
    """The pixels of a small picture of the board."""
    scene = scene_of(shot.position, shot.events, None, look, 300, bare=True)
    return painting.paint_board(scene).convert("RGBA").tobytes()


class Wordy(NullTranslations):
    """A language with texts a quarter longer than English ones."""

    def gettext(self, message: str) -> str:
        return message + "m" * (len(message) // 4)


@each_theme
@each_game
def test_the_sides_differ_in_lightness_and_texts_are_readable(ruleset: Ruleset, theme_name: str) -> None:
    theme = render.face(ruleset.game).themes[theme_name]
    dark, light = theme.stones
    assert contrast(dark.body, light.body) >= 3
    for stone in theme.stones:
        for ground in (theme.cell, theme.fresh):
            assert max(contrast(stone.body, ground), contrast(stone.edge, ground)) >= 3
    for ink, ground in itertools.product((theme.text, theme.letter, theme.number), (theme.background, theme.highlight)):
        assert contrast(ink, ground) >= 4.5
    assert len(theme.palette) <= 252
    assert len({theme.cell, dark.body, light.body}) == 3


@every_game
def test_every_theme_gives_another_picture(ruleset: Ruleset) -> None:
    shot = random_game(ruleset, 30)[-1]
    pictures = {small(shot, Look(theme_name)) for theme_name in THEME_NAMES}
    assert len(pictures) == len(THEME_NAMES)


@each_theme
@each_game
def test_the_colours_of_a_theme_are_exact(ruleset: Ruleset, theme_name: str) -> None:
    """Other colours would make cut-out tiles visible as rectangles. Games that show ``calm`` have it in ``mixes``."""
    theme = render.face(ruleset.game).themes[theme_name]
    named = (getattr(theme, role.name) for role in fields(theme) if role.name not in ("stones", "calm", "mixes"))
    of_stones = (ink for stone in theme.stones for ink in (stone.body, stone.edge, stone.vein))
    grounds = {*named, *of_stones, *itertools.chain(*theme.mixes)}
    image = Image.new("RGB", (len(grounds), 1))
    image.putdata(sorted(grounds))
    assert [theme.palette[entry] for entry in in_palette(image, theme).tobytes()] == sorted(grounds)


#: By game, the kinds of icons that differ for the two sides, and the kinds that do not.
ICONS = {
    "dalen": ("plain placed flipped leaf stagnant", ""),
    "dendria": ("placed moved germinated protected attacked nourished leafy seed tree dryad", ""),
    "fiodar": ("plain placed captured cut lost territory", ""),
    "hedu": ("plain placed lowered raised removed prisoner region", ""),
    "nadraz": ("plain placed flipped snake egg", "ahead behind edge"),
}


@each_theme
@for_each("game", ICONS)
def test_icons_differ_for_kinds_and_sides(game: str, theme_name: str) -> None:
    face = render.FACES[game]
    theme = face.themes[theme_name]
    of_sides, others = (kinds.split() for kinds in ICONS[game])
    icons = [(kind, side) for kind in of_sides for side in Side] + [(kind, Side.FIRST) for kind in others]
    tiles = {face.icon(kind, side, 46, theme.background, theme).image.tobytes() for kind, side in icons}
    assert len(tiles) == len(icons)


@every_game
def test_every_phase_has_its_own_picture(ruleset: Ruleset) -> None:
    game = random_game(ruleset, 400)
    positions = [ruleset.start(), *(game[at].position for at in (0, 1, 2, -1))]
    assert len({*map(render.picture, positions)}) == len(positions)


def test_an_unknown_theme_is_refused() -> None:
    with pytest.raises(ValueError, match="choose from dark, light, contrast, safe"):
        Look("pink")


@every_ruleset
def test_every_position_has_a_picture_and_a_text_that_fits(ruleset: Ruleset) -> None:
    game = random_game(ruleset, 400)
    start = ruleset.start()
    sides = {name: start.side_name(side) for name, side in zip(("first", "second"), Side, strict=True)}
    assert start.opening_rule.format(**sides) in render.describe(start)
    texts = {render.describe(start)}
    shots = sample(game, 12)
    for shot in shots:
        text = render.describe(shot.position, shot.events)
        assert len(text) < 1024
        assert text.startswith(f"{ruleset.game.title}, size {ruleset.size}")
        assert text.endswith(".")
        assert "Last turn: " in text
        texts.add(text)
    assert len(texts) == len(shots) + 1
    assert "Game over" in render.describe(game[-1].position)
    for shot in sample((game[-1], game[len(game) // 2]), 2):
        image = opened(render.picture(shot.position, shot.events))
        assert (image.format, image.mode, image.width) == ("PNG", "P", 900)


@every_game
def test_the_text_names_the_side_to_play_the_last_turn_and_every_stone(ruleset: Ruleset) -> None:
    *_, before, shot = unfinished(ruleset, 8)
    text = render.describe(shot.position, shot.events)
    side, mover = (ruleset.game.sides[position.turn_of].capitalize() for position in (shot.position, before.position))
    assert f"{side} to play." in text
    assert f"Last turn: {mover} on " in text or "moved" in text
    for name in shot.position.pieces():
        letters = name.rstrip("0123456789")
        assert f" {letters}" in text or f",{letters}" in text


@every_game
def test_all_twelve_orientations_differ_and_the_alternative_text_stays(ruleset: Ruleset) -> None:
    smallest = Ruleset(ruleset.game, ruleset.game.sizes[0], ruleset.variant)
    shot = random_game(smallest, 25)[-1]
    orientations = sample(range(12), 3)
    pictures = {small(shot, Look(orientation=orientation)) for orientation in orientations}
    assert len(pictures) == len(orientations)
    texts = {render.describe(shot.position, (), None, Look(orientation=orientation)) for orientation in range(12)}
    assert len(texts) == 1


@every_game
def test_a_window_shows_its_part_of_the_board(ruleset: Ruleset) -> None:
    shot = random_game(ruleset, 40)[-1]
    corner = shot.position.board.cells[0]
    near, far = (
        render.picture(shot.position, shot.events, None, Look(window=(cell, 3)))
        for cell in (corner, shot.position.board.cells[-1])
    )
    assert opened(near).size == opened(far).size
    assert near != far


@pytest.mark.parametrize(("ruleset", "texts"), covered(EACH_GAME, [ENGLISH, Wordy()]))
def test_the_corners_are_clear_of_the_labels_of_windows_and_boards(ruleset: Ruleset, texts: NullTranslations) -> None:
    """Check the busiest turn, and the last position with its large counts, in several orientations."""
    ruleset = on_default_board(ruleset)
    game = random_game(ruleset, 400)
    busiest = max(game, key=lambda shot: sum(len(getattr(event, "cells", ())) + 1 for event in shot.events))
    for shot, orientation, shown in itertools.product(
        (busiest, game[-1]), sample((0, 1, 2, 7), 3), sample((None, 2, 3, 4, 5, 6), 2)
    ):
        window = None if shown is None or shown >= ruleset.size else (shot.position.board.cells[0], shown)
        scene = scene_of(shot.position, shot.events, None, Look(orientation=orientation, window=window, texts=texts))
        assert not hidden_labels(scene), f"orientation {orientation}, window {shown}"


@pytest.mark.parametrize("ruleset", sample(EACH_GAME, 2), ids=lambda ruleset: ruleset.game.name)
def test_a_picture_without_coordinates_has_none(ruleset: Ruleset) -> None:
    start = on_default_board(ruleset).start()
    theme = render.face(ruleset.game).themes["dark"]
    labelled, plain = (
        opened(render.picture(start, (), None, Look(coordinates=coordinates))).convert("RGBA").convert("RGB")
        for coordinates in (True, False)
    )
    counts = [
        sum(count for count, rgb in image.getcolors(1 << 20) or () if rgb == theme.number)
        for image in (labelled, plain)
    ]
    assert counts[0] > 2 * counts[1]


@every_game
def test_the_same_position_gives_the_same_bytes_in_many_threads(ruleset: Ruleset) -> None:
    game = random_game(ruleset, 30)
    shots = [game[9], game[-1]]
    with ThreadPoolExecutor(6) as threads:
        drawn = list(threads.map(lambda i: picture(shots[i % 2].position, shots[i % 2].events), range(12)))
    assert len(set(drawn)) == 2
    assert drawn[:2] * 6 == drawn


@every_game
def test_the_end_of_a_game_shows_who_won(ruleset: Ruleset) -> None:
    shot = unfinished(ruleset, 12)[-1]
    endings = [
        None,
        *(render.Conclusion(side, "by resignation") for side in Side),
        render.Conclusion(None, "by agreement"),
    ]
    assert len({render.picture(shot.position, (), ending) for ending in endings}) == len(endings)
    assert "won by resignation" in render.describe(shot.position, (), endings[1])
    assert "a draw by agreement" in render.describe(shot.position, (), endings[3])

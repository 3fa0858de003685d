"""What holds for the pictures of every game."""

from __future__ import annotations

import io
import itertools
from concurrent.futures import ThreadPoolExecutor

import pytest
from PIL import Image

import render
import rules
from render import Look
from render.theme import SCHEMES, contrast
from rules import Ruleset, Side
from tests.render.games import RULESETS, USUAL, random_game

named = pytest.mark.parametrize("ruleset", RULESETS, ids=lambda of: of.id.replace("/", "-"))
usual = pytest.mark.parametrize("ruleset", USUAL, ids=lambda of: of.game.name)
schemes = pytest.mark.parametrize("scheme", SCHEMES)


def opened(data: bytes) -> Image.Image:
    image = Image.open(io.BytesIO(data))
    image.load()
    return image


@schemes
@usual
def test_the_sides_differ_in_lightness_and_texts_are_readable(ruleset: Ruleset, scheme: str) -> None:
    theme = render.face(ruleset.game).themes[scheme]
    dark, light = theme.stones
    assert contrast(dark.body, light.body) >= 3
    for stone in theme.stones:
        for ground in (theme.cell, theme.fresh):
            assert max(contrast(stone.body, ground), contrast(stone.edge, ground)) >= 3
    for words, ground in itertools.product((theme.text, theme.letter, theme.number), (theme.panel, theme.raised)):
        assert contrast(words, ground) >= 4.5
    assert len(theme.palette) <= 252
    assert len({theme.cell, dark.body, light.body}) == 3


@usual
def test_each_scheme_is_a_picture_of_its_own(ruleset: Ruleset) -> None:
    shot = random_game(ruleset, 30)[-1]
    pictures = {render.picture(shot.position, shot.events, None, Look(scheme)) for scheme in SCHEMES}
    assert len(pictures) == len(SCHEMES)


def test_an_unknown_scheme_is_refused() -> None:
    with pytest.raises(ValueError, match="there is dark, light, contrast, safe"):
        Look("pink")


@named
def test_every_position_has_a_picture_and_words_that_fit(ruleset: Ruleset) -> None:
    game = random_game(ruleset, 400)
    start = ruleset.start()
    assert opened(render.picture(start)).width == 1100
    told = {render.describe(start)}
    for shot in game:
        words = render.describe(shot.position, shot.events)
        assert len(words) < 1024
        assert words.startswith(f"{ruleset.game.title}, size {ruleset.size}")
        told.add(words)
    assert len(told) == len(game) + 1
    for shot in game[:: max(1, len(game) // 6)]:
        image = opened(render.picture(shot.position, shot.events))
        assert (image.format, image.mode, image.width) == ("PNG", "P", 1100)


@usual
def test_words_say_whose_turn_it_is_and_what_the_last_turn_did(ruleset: Ruleset) -> None:
    *_, before, shot = random_game(ruleset, 20)
    words = render.describe(shot.position, shot.events)
    assert f"{ruleset.game.sides[shot.position.turn_of].capitalize()} to play." in words
    assert f"Last turn: {ruleset.game.sides[before.position.turn_of].capitalize()} on " in words or "moved" in words


@usual
def test_every_stone_of_a_small_position_is_named(ruleset: Ruleset) -> None:
    shot = random_game(ruleset, 8)[-1]
    words = render.describe(shot.position)
    for name in shot.position.pieces():
        letters = name.rstrip("0123456789")
        assert f" {letters}" in words or f",{letters}" in words


@usual
def test_all_twelve_orientations_differ_and_the_alternative_text_stays(ruleset: Ruleset) -> None:
    shot = random_game(ruleset, 25)[-1]
    pictures = {render.picture(shot.position, (), None, Look(turned=turned)) for turned in range(12)}
    assert len(pictures) == 12
    assert len({render.describe(shot.position, (), None, Look(turned=turned)) for turned in range(12)}) == 1


@usual
def test_a_window_shows_its_part_of_the_board_larger(ruleset: Ruleset) -> None:
    shot = random_game(ruleset, 40)[-1]
    corner = shot.position.board.cells[0]
    near, far = (
        render.picture(shot.position, shot.events, None, Look(window=(cell, 3)))
        for cell in (corner, shot.position.board.cells[-1])
    )
    assert opened(near).size == opened(far).size
    assert near != far


@usual
def test_a_picture_without_coordinates_has_none(ruleset: Ruleset) -> None:
    start = ruleset.start()
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


@usual
def test_the_same_position_gives_the_same_bytes_in_many_threads(ruleset: Ruleset) -> None:
    game = random_game(ruleset, 30)
    shots = [game[9], game[-1]]
    with ThreadPoolExecutor(6) as threads:
        drawn = list(threads.map(lambda i: render.picture(shots[i % 2].position, shots[i % 2].events), range(12)))
    assert len(set(drawn)) == 2
    assert drawn[:2] * 6 == drawn


@usual
def test_the_end_of_a_game_shows_who_won(ruleset: Ruleset) -> None:
    shot = random_game(ruleset, 12)[-1]
    endings = [None, *(render.Ending(side, "resignation") for side in Side), render.Ending(None, "agreement")]
    assert len({render.picture(shot.position, (), ending) for ending in endings}) == len(endings)
    assert "won by resignation" in render.describe(shot.position, (), endings[1])
    assert "a draw by agreement" in render.describe(shot.position, (), endings[3])


def test_every_game_has_pictures() -> None:
    assert list(render.FACES) == list(rules.GAMES)

"""The small pictures that identify games in lists."""

from __future__ import annotations

import pytest

import render
import rules
from tests.support.render import counted, pixels
from tests.support.thorough import sample

#: The maximum size in bytes, so that a card with all games loads quickly.
HEAVIEST = 12_000


@pytest.mark.parametrize("theme", sample(render.THEME_NAMES, 4))
def test_every_game_looks_different_and_shows_pieces_of_both_sides(theme: str) -> None:
    drawn = {name: render.thumbnail(game, theme) for name, game in rules.GAMES.items()}
    assert len(set(drawn.values())) == len(rules.GAMES)
    for name, data in drawn.items():
        assert len(data) < HEAVIEST
        image = pixels(data)
        assert image.width == image.height
        assert {stones.body for stones in render.FACES[name].themes[theme].stones} <= counted(image).keys()


@pytest.mark.parametrize("name", rules.GAMES)
def test_the_thumbnail_of_a_board_is_square_and_shows_the_whole_board(name: str) -> None:
    record = render.FACES[name].example()
    image = pixels(render.board_thumbnail(record.ruleset.replay(record.turns)))
    assert image.width == image.height
    # Nothing of the board is at the edge, so nothing is cut off.
    rim = [
        image.getpixel((x, y)) for x in range(image.width) for y in (0, image.height - 1) if 30 < x < image.width - 30
    ]
    assert len(set(rim)) == 1

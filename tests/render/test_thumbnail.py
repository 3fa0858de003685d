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
        assert image.width == 280
        assert {stones.body for stones in render.FACES[name].themes[theme].stones} <= counted(image).keys()

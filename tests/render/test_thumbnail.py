"""The small pictures that identify games in lists."""

from __future__ import annotations

import pytest

import render
import rules
from tests.support.corral import Corral
from tests.support.render import pixels
from tests.support.sixth_game import register as register_rules
from tests.support.sixth_game import register_face
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
        colours = {colour for _count, colour in image.getcolors(2**16) or ()}
        assert {stones.body for stones in render.FACES[name].themes[theme].stones} <= colours


def test_a_new_game_gets_a_thumbnail_from_its_example(monkeypatch: pytest.MonkeyPatch) -> None:
    register_rules(monkeypatch)
    register_face(monkeypatch)
    colours = {colour for _count, colour in pixels(render.thumbnail(Corral)).getcolors(2**16) or ()}
    assert {stones.body for stones in render.FACES["corral"].themes["dark"].stones} <= colours


def test_a_game_without_a_face_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    register_rules(monkeypatch)
    with pytest.raises(TypeError, match="there are no pictures of Corral"):
        render.thumbnail(Corral)

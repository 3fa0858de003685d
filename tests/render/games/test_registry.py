"""The registry of faces: a game needs only its own folder and one entry in it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import render
import rules
from render import replay
from render.games.dalen.theme import THEMES
from render.statistics.charts import openings
from rules import Captured, Flipped, Placed, Position, Ruleset, Side, bits
from tests.support.corral import Corral
from tests.support.render import counted, opened, pixels, random_game, scene_of
from tests.support.sixth_game import register as register_rules, register_face

pytestmark = pytest.mark.usefixtures("coarse")

ROOT = Path(render.__file__).parent
#: The faces of this package, without the faces of tests.
FACES = dict(render.FACES)


@pytest.fixture
def corral(monkeypatch: pytest.MonkeyPatch) -> Ruleset:
    """The ruleset of Corral, registered for one test."""
    register_rules(monkeypatch)
    register_face(monkeypatch)
    return rules.ruleset("corral")


def test_every_game_has_a_face_in_a_folder_of_its_own() -> None:
    assert list(render.FACES) == list(rules.GAMES)
    for name, face in FACES.items():
        assert type(face).__module__ == f"render.games.{name}.face"


def test_a_game_without_a_face_is_refused() -> None:
    with pytest.raises(TypeError, match="there are no pictures of Corral"):
        render.picture(Ruleset(Corral, 4, "standard").start())
    with pytest.raises(TypeError, match="there are no pictures of Corral"):
        render.thumbnail(Corral)


def test_a_sixth_game_is_drawn_described_and_replayed(corral: Ruleset) -> None:
    game = random_game(corral, 12)
    shot = game[-1]
    image = pixels(render.picture(shot.position, shot.events, look=render.Look("light")))
    assert image.width == 900
    scene = scene_of(shot.position, (), None, render.Look("light"))
    for side in Side:
        for cell in bits(shot.position.stones(side)):
            rgb = image.getpixel(scene.geometry.centres[cell])
            assert rgb == THEMES["light"].stones[side].body
    text = render.describe(shot.position, shot.events)
    assert text.startswith("Corral, size 4. ")
    assert "Last turn: " in text
    assert {stones.body for stones in THEMES["dark"].stones} <= counted(pixels(render.thumbnail(Corral))).keys()
    assert opened(replay.animation(render.face(Corral), game)).format == "GIF"
    assert opened(replay.contact_sheet(render.face(Corral), game)).width == 1100
    assert opened(openings(render.face(Corral), corral, {"d4": 2}, render.DEFAULT_LOOK)).width == 900


def test_a_sixth_game_has_its_own_overlays(corral: Ruleset) -> None:
    offered = render.overlays_of(Corral)
    assert {name: overlay.title for name, overlay in offered.items()} == {
        "legal": "legal turns",
        "centre": "the centre",
    }
    position = corral.start()
    assert render.picture(position, overlay="centre") != render.picture(position)


def test_common_events_need_no_code_in_the_game(corral: Ruleset) -> None:
    position: Position = corral.start()
    cell, one, other = position.board.cells[:3]
    events = (Placed(Side.FIRST, cell), Flipped(Side.FIRST, (one,), (cell,)), Captured(Side.FIRST, (other,)))
    names = [position.board.name(marked) for marked in (cell, one, other)]
    text = render.describe(position, events)
    assert f"Dark on {names[0]}; 1 stone flipped to Dark ({names[1]}); 1 stone of Light captured ({names[2]})." in text
    assert render.picture(position, events) != render.picture(position)


def _imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def test_only_the_registry_knows_the_folders_of_games() -> None:
    for path in ROOT.rglob("*.py"):
        games = {name.split(".")[2] for name in _imports(path) if name.startswith("render.games.")} & set(rules.GAMES)
        inside = path.relative_to(ROOT).parts
        if inside[0] != "games":
            assert not games, path
        elif len(inside) > 2:
            assert games <= {inside[1]}, path

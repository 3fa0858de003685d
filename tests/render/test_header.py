"""The header, footer and corners: they name the players, are readable on a phone and cover nothing."""

from __future__ import annotations

import itertools

import pytest
from PIL import Image, ImageChops, ImageStat

import render
import rules
from bot.texts import LANGUAGES, catalogue
from render import Header, Look, corners, header, replay
from render.geometry import board_geometry
from render.palette import blank_image, width_beside
from render.scene import Scene
from rules import Position, Ruleset, Side
from tests.support.render import (
    EACH_GAME,
    drawn,
    every_game,
    every_ruleset,
    every_theme,
    hidden_labels,
    opened,
    pixels,
    random_game,
    scene_of,
    unfinished,
)
from tests.support.tern import Tern
from tests.support.tern.face import TernFace
from tests.support.thorough import covered, fewer, sample

pytestmark = pytest.mark.usefixtures("coarse")

NAMES = [
    ("Ann", "Bob"),
    ("W" * 32, "M" * 32),
    ("Zoë Ångström-Łukasiewicz", "i" * 32),
    ("李明", "🌸🌸🌸"),
    ("שלום עולם", "a\u0301" * 20),
]


def played(ruleset: Ruleset, turns: int, named: Header | None, look: Look = render.DEFAULT_LOOK) -> Scene[Position]:
    shot = random_game(ruleset, turns)[-1]
    return scene_of(shot.position, shot.events, None, look, header=named)


def fields(scene: Scene[Position]) -> Image.Image:
    """The fields of the header alone, on the theme's background."""
    theme = render.face(type(scene.position)).themes[scene.look.theme]
    geometry = scene.geometry
    image = blank_image(theme, geometry.width, geometry.height)
    image.paste(theme.palette.index(theme.background), (0, 0, *image.size))
    header.draw(image, scene)
    return image.convert("RGBA").convert("RGB")


@pytest.mark.parametrize(("ruleset", "names"), covered(EACH_GAME, NAMES))
def test_names_of_any_kind_stay_in_their_fields(ruleset: Ruleset, names: tuple[str, str]) -> None:
    for turns in (1, 2, 30, 400):
        scene = played(ruleset, turns, Header(names))
        image = fields(scene)
        theme = render.face(ruleset.game).themes["dark"]
        for side in Side:
            left, top, right, bottom = map(round, header.field_box(side, scene.geometry))
            assert len(image.crop((left, top, right, bottom)).getcolors(100_000) or []) > 5
            image.paste(theme.background, (left, top, right, bottom))
        assert image.getcolors() == [(image.width * image.height, theme.background)]
        assert not hidden_labels(scene)


@every_game
def test_the_header_follows_the_names_sides_score_and_turn(ruleset: Ruleset) -> None:
    *_, before, shot = unfinished(ruleset, 30)

    def header_of(position: rules.Position, *named: str) -> bytes:
        return fields(scene_of(position, (), None, render.DEFAULT_LOOK, header=Header((named[0], named[1])))).tobytes()

    earlier, first, second = (
        shot.position.changed(turn_of=before.position.turn_of),
        *(shot.position.changed(second_player=side) for side in Side),
    )
    plain = header_of(shot.position, "Ann", "Bob")
    assert plain not in (header_of(shot.position, "Bob", "Ann"), header_of(earlier, "Ann", "Bob"))
    assert header_of(first, "Ann", "Bob") == header_of(second, "Bob", "Ann")


def differ(one: Image.Image, other: Image.Image) -> bool:
    return ImageStat.Stat(ImageChops.difference(one, other).convert("L")).extrema[0][1] > 16


@every_game
def test_an_unplayed_turn_does_not_change_the_side_to_play(ruleset: Ruleset) -> None:
    game, named = unfinished(ruleset, 30), Header(("Ann", "Bob"))
    start, opened_, before, after = ruleset.start(), *(game[at].position for at in (0, -2, -1))

    def fields_of(position: rules.Position, before: rules.Position | None = None) -> Image.Image:
        top = (0, 0, 900, board_geometry(ruleset.size).header)
        return drawn(position, before=before, header=named).crop(top)

    for preview, same, other in (
        (fields_of(after, before), after.changed(turn_of=before.turn_of), after),
        (fields_of(opened_, start), start, opened_),
    ):
        assert not differ(preview, fields_of(same))
        assert differ(preview, fields_of(other))


def test_before_the_choice_the_header_says_who_opens_and_who_chooses() -> None:
    start = rules.ruleset("hedu").start()
    opened_, _ = start.play("g7")
    chosen, events = opened_.play("black")
    seen = {
        fields(scene_of(position, (), None, render.DEFAULT_LOOK, header=Header(("Ann", "Bob")))).tobytes()
        for position in (start, opened_, chosen)
    }
    assert len(seen) == 3
    scene = scene_of(chosen, events, None, render.DEFAULT_LOOK, header=Header(("Ann", "Bob")))
    assert (scene.player(Side.FIRST), scene.player(Side.SECOND)) == ("Bob", "Ann")
    assert [("plain", Side.FIRST), "side chosen"] in render.face(type(chosen)).turn_rows(scene)


@every_game
def test_a_shared_picture_has_a_footer_with_the_game_turn_and_date(ruleset: Ruleset) -> None:
    shot = random_game(ruleset, 30)[-1]

    def shared(**shown: object) -> Image.Image:
        return pixels(render.picture(shot.position, shot.events, header=Header(("Ann", "Bob"), **shown)))  # type: ignore[arg-type]

    alone = shared()
    first, later, dated = (
        shared(product="Hexgrove", date=date, turn=turn) for date, turn in (("May 1", 7), ("May 1", 8), ("May 2", 7))
    )
    assert first.height > alone.height
    foot = (40, alone.height, alone.width - 40, first.height - 10)
    assert len({image.crop(foot).tobytes() for image in (first, later, dated)}) == 3
    body = (40, 40, 860, alone.height - 40)
    assert first.crop(body).tobytes() == alone.crop(body).tobytes()


@every_ruleset
def test_the_legend_names_every_kind_of_mark_and_fits(ruleset: Ruleset) -> None:
    face, theme = render.face(ruleset.game), render.face(ruleset.game).themes["dark"]
    game = random_game(ruleset, 400)
    after_choice, last = game[1], game[-1]
    shots = (after_choice, *sample(game[:: max(1, len(game) // 9)], 2), last)
    for language, shot in itertools.product(LANGUAGES, shots):
        look = Look(texts=catalogue(language))
        scene = scene_of(shot.position, shot.events, None, look)
        kinds = [part[0] for row in face.legend_rows(scene) for part in row if not isinstance(part, str)]
        marks = face.marks(scene)
        assert {kind for kind, is_shown in marks.items() if is_shown} == set(kinds)
        assert set(marks) <= {kind for kind, _ in face.legend}
        rows = {
            (True, Side.FIRST): face.legend_rows(scene),
            (True, Side.SECOND): list(map(corners._short, face.turn_rows(scene))),
            **{(False, side): list(map(corners._short, face.counts(scene, side))) for side in Side},
        }
        for (below, side), wanted in rows.items():
            tiles = [
                corners.row_tiles(row, scene, theme.text, theme.background, 38, round(54 * scene.geometry.unit))
                for row in wanted
            ]
            widths = [width_beside(tile, corners._SPACE * scene.geometry.unit) for tile in tiles]
            places = corners._slots(widths, corners.rooms(scene.geometry, below)[side], below=below)
            assert None not in places, (language, wanted)
            assert len(set(places)) == len(places)


@every_ruleset
def test_every_row_of_the_legend_fits_in_every_language(ruleset: Ruleset) -> None:
    """A row that does not fit would be missing from the picture."""
    face, start = render.face(ruleset.game), ruleset.start()
    for language in LANGUAGES:
        scene = scene_of(start, (), None, Look(texts=catalogue(language)))
        unit, room = scene.geometry.unit, max(corners.rooms(scene.geometry, True)[Side.FIRST])
        for kind, word in face.legend:
            row: corners.Row = [(kind, Side.SECOND), scene.texts.gettext(word)]
            tiles = corners.row_tiles(row, scene, scene.theme.text, scene.theme.background, 38, round(54 * unit))
            width = width_beside(tiles, corners._SPACE * unit)
            assert width <= room, f"“{row[-1]}” ({language}) is {width - room:.0f} pixels too wide for the legend"


def test_a_game_without_points_shows_no_score(monkeypatch: pytest.MonkeyPatch) -> None:
    shot = unfinished(Ruleset(Tern, 4, "standard"), 8)[-1]
    scene = scene_of(shot.position, shot.events, None, render.DEFAULT_LOOK, header=Header(("Ann", "Bob")))
    drawn = fields(scene)
    monkeypatch.setattr(TernFace, "scores", lambda *_: ("0", "0"))
    assert differ(drawn, fields(scene))


def test_rows_keep_their_order_if_they_can() -> None:
    assert corners._slots([1, 2, 3], [3, 3, 3], below=False) == [0, 1, 2]
    assert corners._slots([1, 2, 3], [3, 3, 3], below=True) == [2, 1, 0]
    assert corners._slots([3, 1], [1, 3], below=True) == [1, 0]
    assert corners._slots([1, 3], [3, 1], below=False) == [1, 0]
    assert corners._slots([5, 1], [3, 1], below=False) == [None, 1]


@every_theme
def test_black_and_white_look_black_and_white(theme_name: str) -> None:
    for face in render.FACES.values():
        first, second = face.themes[theme_name].stones
        assert max(first.body) < max(second.body)
    for name in (name for name, game in rules.GAMES.items() if game.sides == ("black", "white")):
        black, white = render.FACES[name].themes[theme_name].stones
        assert max(black.body) < 48
        assert min(white.body) > 220


def test_each_game_has_its_own_sign_and_colour() -> None:
    faces = render.FACES.values()
    assert len({face.emoji for face in faces}) == len({face.colour for face in faces}) == len(render.FACES)


def test_the_alternative_text_names_the_players() -> None:
    position, _ = rules.ruleset("hedu").start().play("g7")
    named = Header(("Ann", "Bob"))
    assert "Ann opens, Bob chooses a side." in render.describe(position, header=named)
    position, _ = position.play("black")
    assert "Black is Bob, White is Ann." in render.describe(position, header=named)
    assert "Ann" not in render.describe(position)


@every_game
def test_films_and_key_positions_name_the_players(ruleset: Ruleset) -> None:
    game, face = random_game(ruleset, fewer(8, 4)), render.face(ruleset.game)
    named = Header(("Ann", "Bob"), "Hexgrove", "May 1")
    for make in (replay.animation, replay.contact_sheet):
        with_names, without = opened(make(face, game, header=named)), opened(make(face, game))
        assert with_names.height > without.height
        assert with_names.width == without.width
    assert board_geometry(7).header > 0

"""No text of any picture is smaller than 11 pixels on a phone, which shows pictures 265 pixels wide."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from gettext import NullTranslations
from typing import Any

import pytest
from PIL import Image, ImageDraw

import render
import rules
from bot.texts import LANGUAGES, catalogue
from render import Header, Look, corners, header, painting, replay
from render.areas import areas, window, zoom
from render.canvas import Canvas
from render.signs import Mark, with_key
from render.statistics import charts
from render.statistics.charts import RatingPoint
from render.statistics.tables import CrossTableRow, CrossTableWords, RankingRow, cross_table, leaderboard
from rules import Ruleset, Side
from tests.support.render import EACH_GAME, coarse_drawing, draw_all, random_game, scene_of
from tests.support.thorough import THOROUGH, covered, sample

PHONE, LEAST = 265, 11
GAMES = [rules.GAMES[name] for name in render.FACES]
#: The games with the most text come early, because not all tests are thorough.
LARGEST = [Ruleset(game, game.sizes[-1], game.variants[0]) for game in (*GAMES[1:], GAMES[0])]
largest_boards = pytest.mark.parametrize("ruleset", sample(LARGEST, 2), ids=lambda ruleset: ruleset.game.name)
SHARED = Header(("Wolfgang Amadeus Mozart", "Grace"), "Hexgrove", "Nov 22, 2026", 100)


@contextmanager
def readable(width: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Check the font sizes of all text drawn for pictures of this width."""
    sizes: list[float] = []
    enlarged = [False]
    on_canvas, on_image = Canvas.text, ImageDraw.ImageDraw.text

    def canvas_text(self: Canvas, words: str, centre: Any, size: float, fill: Any) -> None:
        sizes.append(size)
        enlarged[0] = True
        on_canvas(self, words, centre, size, fill)
        enlarged[0] = False

    def image_text(self: Any, xy: Any, text: str, fill: Any, font: Any, **options: Any) -> None:
        if not enlarged[0]:
            sizes.append(font.size)
        on_image(self, xy, text, fill, font, **options)

    with coarse_drawing(), monkeypatch.context() as patch:
        draw_all(patch)
        for shape in ("polygon", "line"):  # which would take most of the time
            patch.setattr(Canvas, shape, lambda *_: None)
        patch.setattr(Canvas, "text", canvas_text)
        patch.setattr(ImageDraw.ImageDraw, "text", image_text)
        yield
    assert sizes
    assert min(sizes) * PHONE / width >= LEAST


@largest_boards
def test_text_is_readable_on_boards_overlays_parts_and_previews(
    ruleset: Ruleset, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = random_game(ruleset, 400)
    before, middle = game[len(game) // 2 - 1 : len(game) // 2 + 1]
    board, position = ruleset.board, middle.position
    with readable(900, monkeypatch):
        for shot in (game[0], *(THOROUGH * [middle]), game[-1]):
            render.picture(shot.position, shot.events, header=SHARED)
        for overlay, cell in covered(render.overlays_of(ruleset.game), (board.centre, None)):
            render.picture(position, middle.events, overlay=overlay, cell=cell)
        render.picture(position, middle.events, before=before.position, header=SHARED)
        parts = areas(board, board.cells)
        render.picture(position, areas={str(number): part.tile for number, part in enumerate(parts, 1)})
        look = Look(window=window(board, parts[0].cells, zoom(board, parts)))
        render.picture(position, look=look, targets={cell: board.name(cell) for cell in parts[0].cells})
        render.picture(position, targets={cell: board.name(cell) for cell in board.cells[::9]})
        charts.openings(render.face(ruleset.game), ruleset, {board.name(cell): cell for cell in board.cells}, Look())


@largest_boards
def test_text_is_readable_on_films_and_key_positions(ruleset: Ruleset, monkeypatch: pytest.MonkeyPatch) -> None:
    game, face = random_game(ruleset, 400), render.face(ruleset.game)
    shown = [*game[:2], *sample(game[:: max(1, len(game) // 3)], 2)]
    with readable(512, monkeypatch):
        replay.animation(face, shown, header=SHARED)
    with readable(1100, monkeypatch):
        replay.contact_sheet(face, shown, header=SHARED)


@pytest.mark.parametrize(("ruleset", "language"), covered(EACH_GAME, LANGUAGES))
def test_words_fit_or_are_left_out_in_every_language(
    ruleset: Ruleset, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    game, face = random_game(ruleset, 400), render.face(ruleset.game)
    record = face.example()
    examples = list(replay.shots(record.ruleset, record.turns))[::-3]
    shots = [*sample(game[:: max(1, len(game) // 5)], 2), game[-1], *sample(examples, 2)]
    texts: NullTranslations = catalogue(language)
    theme = face.themes["dark"]
    offered = render.overlays_of(ruleset.game).values()
    signs = {kind: sign for overlay in offered for kind, sign in overlay.signs.items()}
    everything: list[Mark] = [(kind, side) for kind in signs for side in Side]
    scenes = [scene_of(shot.position, shot.events, None, Look(texts=texts), header=SHARED) for shot in shots]
    room = Image.new("RGB", (900, 10), theme.background)
    with readable(900, monkeypatch):
        image = painting.empty_board(scenes[0])
        for scene in scenes:
            header.draw(image, scene)
            corners.draw(image, scene)
        keyed = with_key(room, scenes[0], signs, everything)
    for edge in (0, keyed.width - 10):
        strip = keyed.crop((edge, 0, edge + 10, keyed.height))
        assert strip.getcolors() == [(10 * keyed.height, theme.background)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_text_is_readable_on_tables_and_charts(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    theme = render.FACES["dalen"].themes["dark"]
    names = ("Jo", "Wolfgang Amadeus Mozart", "W" * 32, "Maximiliane")
    won, drawn, lost = (catalogue(language).pgettext("games", word) for word in ("won", "drawn", "lost"))
    title = f"{'A long name of a server ' * 4}· Dalen"
    with readable(900, monkeypatch):
        lines = [
            RankingRow(str(10**number), name, "1812? ± 139", results=(3, 1, 2), most=9)
            for number, name in enumerate(names * 2)
        ]
        subtitle = "By rating · all time · 23 players · page 2 of 3"
        leaderboard(title, subtitle, lines, lines[0], theme, (won, drawn, lost))
        spots = [RatingPoint(at, 1500 + 300 * at, 350) for at in range(5)]
        charts.rating_history(title, "1512 ± 90 · 100 rated matches", spots, ("Nov 22, 2026", "Dec 1, 2026"), theme)
        for points in ((), (1,), (3, 4, 5)):
            players, ends = ("W" * 32, "Jo"), ("turn 2", "turn 7")
            charts.winning_chances(title, "#1", [0.5] * 6, points, players, ends, render.FACES["dalen"], theme)
        for count in (3, 6, 7, 16):
            rows = [
                CrossTableRow("16", names[number % 4], "12½", "113.375", wins=frozenset({(number + 1) % count}))
                for number in range(count)
            ]
            words = CrossTableWords("Points", "S-B", (won, drawn, lost))
            cross_table(title, "34 of 120 matches played · 3 days + 1 day", words, rows, theme)

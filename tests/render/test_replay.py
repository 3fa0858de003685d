"""Animations and contact sheets."""

from __future__ import annotations

import io
import itertools
from contextlib import nullcontext

from PIL import Image

import render
from render import replay
from rules import Position, Ruleset, ruleset
from tests.support.render import coarse_drawing, every_game, random_game
from tests.support.thorough import THOROUGH


def frames(data: bytes) -> list[tuple[Image.Image, int]]:
    image = Image.open(io.BytesIO(data))
    assert image.format == "GIF"
    shown = []
    for number in range(getattr(image, "n_frames", 1)):
        image.seek(number)
        shown.append((image.convert("RGB"), image.info.get("duration", 0)))
    return shown


@every_game
def test_an_animation_shows_every_turn_and_holds_the_last_position(ruleset: Ruleset) -> None:
    game = random_game(ruleset, 12)
    with coarse_drawing():
        shown = frames(replay.animation(render.face(ruleset.game), game))
    assert len(shown) == len(game)
    *others, (_, last) = list(shown)
    assert last > 3 * max(length for _, length in others)
    assert all(one.tobytes() != other.tobytes() for (one, _), (other, _) in itertools.pairwise(shown))


def test_a_bar_shows_the_progress_of_the_game() -> None:
    theme = render.face(ruleset("dalen").game).themes["dark"]
    with coarse_drawing():
        shown = frames(replay.animation(render.face(ruleset("dalen").game), random_game(ruleset("dalen", 5), 12)))
    filled = [
        sum(image.getpixel((x, image.height - 3)) == theme.accent for x in range(image.width)) for image, _ in shown
    ]
    assert filled == sorted(filled)
    assert filled[0] < 60
    assert filled[-1] == shown[-1][0].width


def test_animations_of_long_games_are_limited_in_frames_time_and_bytes() -> None:
    ruled = ruleset("dalen", 9)
    long = random_game(ruled, 1000)
    assert len(long) > 150
    with nullcontext() if THOROUGH else coarse_drawing():
        data = replay.animation(render.face(ruled.game), long)
    shown = frames(data)
    assert len(shown) == 120
    assert sum(length for _, length in shown) < 50_000
    assert len(data) < 500_000


def test_key_positions_are_the_opening_the_end_and_what_changed_most() -> None:
    game = random_game(ruleset("dalen"), 120)
    chosen = replay.key_positions(game)
    plies = [shot.ply for shot in chosen]
    assert len(plies) == 4
    assert plies == sorted(set(plies))
    assert (plies[0], plies[-1]) == (1, len(game))
    most = max(game[1:-13], key=lambda shot: sum(len(getattr(event, "cells", ())) for event in shot.events))
    assert most.ply in plies
    assert replay.key_positions(game[:4]) == list(game[:4])


@every_game
def test_no_turn_changes_the_score_more_than_the_biggest_change(ruleset: Ruleset) -> None:
    def of_first_side(position: Position) -> float:
        scores = [max(score, default=0) if isinstance(score, list) else score for score in position.score().values()]
        return scores[0] - scores[1] if scores else 0

    game = random_game(ruleset, 60)
    for played in (game[:count] for count in range(1, len(game) + 1, 5)):
        leads = [of_first_side(shot.position) for shot in played]
        changed = {ply: abs(leads[ply - 1] - leads[ply - 2]) for ply in range(4, len(played) + 1)}
        biggest = replay.biggest_change(played)
        if ruleset.game.name == "nadraz":
            assert biggest is None or "longest snake" in str(biggest[1])
        elif not played[0].position.score():
            assert biggest is None or biggest[1] is None
        elif biggest is None:
            assert max(changed.values(), default=0) < 3
        else:
            assert changed[biggest[0].ply] == max(changed.values()) >= 3


@every_game
def test_a_contact_sheet_has_many_boards(ruleset: Ruleset) -> None:
    face = render.face(ruleset.game)
    with coarse_drawing():
        one, many = (
            Image.open(io.BytesIO(replay.contact_sheet(face, random_game(ruleset, turns)))) for turns in (2, 40)
        )
    assert one.width == many.width == 1100
    assert many.height > 1.5 * one.height


def test_the_ending_shows_on_the_last_frame_only() -> None:
    face, game = render.face(ruleset("dalen").game), random_game(ruleset("dalen", 5), 4)
    with coarse_drawing():
        agreed, plain = (
            frames(replay.animation(face, game, ending)) for ending in (render.Conclusion(None, "by agreement"), None)
        )
    assert [one == other for (one, _), (other, _) in zip(agreed, plain, strict=True)] == [True, True, True, False]

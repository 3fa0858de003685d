"""Pictures of boards for several viewers."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

import render
import rules
from bot import texts
from bot.pictures import board_png


def test_a_board_is_drawn_once_in_each_language_and_theme(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = [
        render.Look(theme, texts=texts.catalogue(language)) for theme in ("dark", "light") for language in ("en", "de")
    ]
    drawn, may_draw = list[render.Look](), Event()

    def picture(*shown: object, **_more: object) -> bytes:
        assert may_draw.wait(30)
        assert isinstance(shown[3], render.Look)
        drawn.append(shown[3])
        return str(len(drawn)).encode()

    monkeypatch.setattr(render, "picture", picture)
    header = render.Header(("somebody with this name", "only in this test"))
    with ThreadPoolExecutor() as threads:
        wanted = [
            threads.submit(board_png, rules.ruleset("dalen", 5).start(), (), None, look, header)
            for look in looks
            for _ in range(3)
        ]
        may_draw.set()
    assert len(drawn) == 4
    assert len({picture.result() for picture in wanted}) == 4

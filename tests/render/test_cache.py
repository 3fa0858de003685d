"""The cache of drawn images stays within its limit, whatever is shown."""

from __future__ import annotations

import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from PIL import Image

from render.cache import ByteCache, cached, size_of
from render.games.dalen.theme import THEMES
from render.text import text_tile
from tests.benchmarks import memory
from tests.support.each import for_each
from tests.support.render import coarse_drawing, draw_all

LIMIT = 100_000


def squares(cache: ByteCache) -> tuple[list[int], Callable[[int], Image.Image]]:
    """A cached function that draws squares, with the list of squares it drew."""
    drawn: list[int] = []

    @cache
    def square(size: int) -> Image.Image:
        drawn.append(size)
        return Image.new("P", (size, size))

    return drawn, square


@for_each("seed", range(20))
def test_the_bytes_stay_within_their_limit_however_much_is_drawn(seed: int) -> None:
    cache, chance = ByteCache(LIMIT), random.Random(seed)
    _, square = squares(cache)
    for _ in range(500):
        assert square(size := chance.randrange(1, 400)).size == (size, size)
        assert cache.bytes <= LIMIT


def test_many_threads_at_once_stay_within_the_limit_too() -> None:
    cache = ByteCache(LIMIT)
    _, square = squares(cache)
    with ThreadPoolExecutor(8) as threads:
        sizes = [random.Random(1).randrange(1, 200) for _ in range(2000)]
        assert [image.width for image in threads.map(square, sizes)] == sizes
    assert 0 < cache.bytes <= LIMIT


def test_frequent_requests_are_drawn_once() -> None:
    drawn, square = squares(ByteCache(LIMIT))
    for size in range(1, 150):
        square(200)
        square(size)
    assert drawn.count(200) == 1


def test_unused_images_are_dropped() -> None:
    cache = ByteCache(LIMIT)
    drawn, square = squares(cache)
    for size in (100, *range(1, 150), 100):
        square(size)
    assert drawn.count(100) == 3  # as the first, in the middle and as the last
    assert 0 < cache.bytes <= LIMIT


def test_an_image_larger_than_the_cache_is_not_kept() -> None:
    cache = ByteCache(LIMIT)
    drawn, square = squares(cache)
    assert square(1000).size == square(1000).size
    assert drawn == [1000, 1000]
    assert cache.bytes == 0


def test_tiles_share_the_palette_of_their_theme() -> None:
    theme, other = THEMES["dark"], THEMES["light"]
    one, two = (text_tile(words, 30, theme.text, theme.background, theme).image for words in ("one", "two"))
    assert one.palette is two.palette
    assert one.palette is not text_tile("one", 30, other.text, other.background, other).image.palette


def test_pictures_of_changing_games_stay_within_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    limit = 300_000
    turns = memory.rounds(random.Random(3), 2)
    with coarse_drawing(), monkeypatch.context() as patch:
        draw_all(patch)
        patch.setattr(cached, "limit", limit)
        for turn in range(1, 3):
            for game in next(turns):
                memory.draw(turn, game)
                assert 0 < cached.bytes <= limit


def test_the_size_of_an_image_counts_its_pixels() -> None:
    tile = Image.new("P", (60, 50))
    assert size_of(tile) >= 3000
    assert size_of(Image.new("RGBA", (60, 50))) >= 4 * 3000
    assert size_of((tile, tile)) == 2 * size_of(tile)
    assert size_of(b"packed") == 6


def test_the_memory_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    with coarse_drawing():
        assert memory.main(["--turns", "2", "--threads", "2"]) == 0
    heading, _, line = capsys.readouterr().out.splitlines()
    assert heading.startswith("30 games, 2 threads; ")
    turns, resident, kept = map(float, line.split())
    assert turns == 2
    assert resident > kept > 0

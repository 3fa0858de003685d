"""What one person looks at is drawn again for others, so the time of an answer reveals nothing."""

from __future__ import annotations

import pytest

from render.cache import cached
from rules.puzzles import puzzles
from rules.tasks import tasks
from tests.support.games import WHOLE_GAME
from tests.support.render import Drawings
from tests.support.web.pages import Browser, Site

LOOK = "language=en&theme=dark&coordinates=1"
PUZZLE = puzzles("dalen")[0]


@pytest.fixture
def drawings(monkeypatch: pytest.MonkeyPatch) -> Drawings:
    return Drawings(monkeypatch)


async def drawn_for(browser: Browser, address: str, drawings: Drawings) -> tuple[int, int]:
    """The numbers of pictures and of parts that a request draws."""
    drawings.begin()
    assert (await browser.bytes_of(f"{address}&{LOOK}")).startswith(b"\x89PNG")
    return drawings.counted


async def test_private_pictures_are_drawn_again_for_everybody(site: Site, drawings: Drawings) -> None:
    table = await site.table("e5", "dark", "d4")
    for address in (
        *(f"{table.path}/board.png?step=3&{query}" for query in ("draft=c3", "near=c3", "marks=legal", "ply=1")),
        *(f"{table.path}/try/board.png?step=3&ply=3&{query}" for query in ("tried=c3+b2", "tried=c3&draft=b2")),
        f"/puzzle/{PUZZLE.key}/board.png?tried={PUZZLE.solution[0]}",
        f"/learn/dalen/1/board.png?tried={tasks('dalen')[0].solution}",
    ):
        cached.clear()
        pictures, parts = await drawn_for(table.alice, address, drawings)
        assert pictures == 1, address
        assert parts > 0, address
        assert await drawn_for(table.bob, address, drawings) == (pictures, parts), address
        # No cache on the way may keep it for others either.
        caching = (await table.alice.get(f"{address}&{LOOK}")).headers["Cache-Control"]
        assert caching.startswith("private"), address


async def test_public_boards_are_drawn_once(site: Site, drawings: Drawings) -> None:
    running, over = await site.table("e5", "dark", "d4"), await site.table(*WHOLE_GAME)
    for address in (
        f"{running.path}/board.png?step=3&large=1",
        f"{over.path}/board.png?step={len(WHOLE_GAME)}&over=1&ply=4",
        f"/puzzle/{PUZZLE.key}/board.png?",
    ):
        assert (await drawn_for(running.alice, address, drawings))[0] == 1, address
        assert await drawn_for(running.bob, address, drawings) == (0, 0), address


async def test_a_board_stays_cached_for_watchers_who_are_one_turn_late(site: Site, drawings: Drawings) -> None:
    table = await site.table("e5", "dark", "d4")
    address = f"{table.path}/board.png?step=3&outside=1&large=1"
    assert (await drawn_for(await site.browser(), address, drawings))[0] == 1
    game = await table.game()
    assert game.to_act is not None
    await site.services.matches.play(game, game.position.draft(game.position.legal_turns[0]), game.to_act)
    assert await drawn_for(await site.browser(), address, drawings) == (0, 0)

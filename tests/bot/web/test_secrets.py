"""What one person looks at is drawn again for the next, so nobody learns from the time of an answer what they try."""

from __future__ import annotations

import pytest

from bot.domain.places import Place
from render.cache import cached
from rules.puzzles import puzzles
from rules.tasks import tasks
from tests.support.games import WHOLE_GAME
from tests.support.pages import Browser, Site
from tests.support.render import Drawings
from tests.support.services import ALICE, BOB, start

LOOK = "language=en&theme=dark&coordinates=1"


@pytest.fixture
def drawings(monkeypatch: pytest.MonkeyPatch) -> Drawings:
    return Drawings(monkeypatch)


async def drawn_for(browser: Browser, address: str, drawings: Drawings) -> tuple[int, int]:
    """The numbers of pictures and of parts that a request has drawn."""
    drawings.begin()
    assert (await browser.bytes_of(address)).startswith(b"\x89PNG")
    return drawings.counted


def addresses(match: str) -> dict[str, str]:
    """Pictures that only one person has in mind."""
    task, puzzle = tasks("dalen")[0], puzzles("dalen")[0]
    return {
        "an unfinished turn": f"{match}/board.png?step=3&draft=c3&{LOOK}",
        "a window": f"{match}/board.png?step=3&near=c3&{LOOK}",
        "marks": f"{match}/board.png?step=3&marks=legal&{LOOK}",
        "a past board": f"{match}/board.png?step=3&ply=1&{LOOK}",
        "a tried turn": f"{match}/try/board.png?step=3&ply=3&tried=c3+b2&{LOOK}",
        "a turn begun after it": f"{match}/try/board.png?step=3&ply=3&tried=c3&draft=b2&{LOOK}",
        "a puzzle": f"/puzzle/{puzzle.key}/board.png?tried={puzzle.solution[0]}&{LOOK}",
        "a task": f"/learn/dalen/1/board.png?tried={task.solution}&{LOOK}",
    }


async def test_what_alice_looks_at_is_drawn_again_for_bob(site: Site, drawings: Drawings) -> None:
    match = await start(site.services.matches, turns=("e5", "dark", "d4"))
    alice, bob = await site.browser_of(ALICE, match), await site.browser_of(BOB, match)
    for name, address in addresses(await site.path(match)).items():
        cached.clear()
        hers = await drawn_for(alice, address, drawings)
        assert hers[0] == 1, name
        assert hers[1] > 0, name
        assert await drawn_for(bob, address, drawings) == hers, name
        # No cache on the way may keep it for others either.
        async with alice.session.get(alice.base + address) as answer:
            assert answer.headers["Cache-Control"].startswith("private"), name


async def test_the_board_that_everybody_sees_is_drawn_once(site: Site, drawings: Drawings) -> None:
    running = await start(site.services.matches, turns=("e5", "dark", "d4"))
    over = await start(site.services.matches, place=Place(1, 11), turns=WHOLE_GAME)
    alice, bob = await site.browser_of(ALICE, running), await site.browser_of(BOB, running)
    now, then = await site.path(running), await site.path(over)
    step = len(WHOLE_GAME)
    for address in (
        f"{now}/board.png?step=3&large=1&{LOOK}",
        f"{then}/board.png?step={step}&over=1&ply=4&{LOOK}",
        f"/puzzle/{puzzles('dalen')[0].key}/board.png?{LOOK}",
    ):
        assert (await drawn_for(alice, address, drawings))[0] == 1, address
        assert await drawn_for(bob, address, drawings) == (0, 0), address


async def test_a_board_stays_drawn_for_watchers_who_are_one_turn_late(site: Site, drawings: Drawings) -> None:
    match = await start(site.services.matches, turns=("e5", "dark", "d4"))
    address = f"{await site.path(match)}/board.png?step=3&outside=1&large=1&{LOOK}"
    first, second = await site.browser(), await site.browser()
    assert (await drawn_for(first, address, drawings))[0] == 1
    game = await site.services.matches.game(match.id)
    turn = game.position.legal_turns[0]
    assert game.to_act is not None
    await site.services.matches.play(game, game.position.draft(turn), game.to_act)
    assert await drawn_for(second, address, drawings) == (0, 0)

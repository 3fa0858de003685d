"""The computer's results wait until people have been answered, but not until a search for them is over."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from simcord.results import ResponseMessage

from bot.config import Config
from bot.discord.transport import in_flight
from bot.discord.ui.actions import NextPuzzle
from bot.domain.computer import SearchRequest
from bot.domain.matches import Match
from bot.services.study.puzzles import Puzzles
from bot.services.study.reviews import PendingReview
from bot.storage.repositories.study import PuzzleRepository
from rules.puzzles import Puzzle
from tests.support.discord.club import Club
from tests.support.games import FLIPPING
from tests.support.services.failures import patch_storage

PLAYED = "🤖 Turn 2 · Hexgrove (level 3)"
Ask = Callable[[Club], Awaitable[ResponseMessage]]


@pytest.fixture
def config(config: Config) -> Config:
    """A bot with two workers for the computer."""
    return config.model_copy(update={"computer_workers": 2})


@pytest.fixture
async def running(club: Club) -> Match:
    """A game against the computer that Alice is about to open."""
    assert (await club.slash(club.alice, "challenge", game="dalen", size=5, level=3, first="challenger")).nothing
    return await club.newest_match()


class Unanswered:
    """Bob, who has asked for a puzzle and gets it when the test says so."""

    def __init__(self, club: Club, patch: pytest.MonkeyPatch) -> None:
        self._club = club
        self._free = asyncio.Event()
        attempts = PuzzleRepository.attempts

        async def read(repository: PuzzleRepository, player_id: int) -> object:
            await club.env.external_wait(self._free.wait(), reason="the database is slow")
            return await attempts(repository, player_id)

        patch_storage(patch, "PuzzleRepository.attempts", read)

    async def ask(self) -> None:
        await self._club.slash(self._club.bob, "puzzle", game="dalen")

    async def answer(self) -> None:
        self._free.set()
        await self._club.env.settle()


@pytest.mark.parametrize("answered", [True, False])
async def test_a_found_turn_waits_half_a_second_for_unanswered_users(
    club: Club, running: Match, monkeypatch: pytest.MonkeyPatch, answered: bool
) -> None:
    if answered:
        monkeypatch.setattr(in_flight, "_LONGEST_WAIT", 3600)
    bob = Unanswered(club, monkeypatch)
    club.search.hold()
    await club.move(club.alice, "e5")
    await bob.ask()
    club.search.release()
    if answered:
        await club.env.settle()
        assert await club.turns(running.id) == ("e5",)
        await bob.answer()
    else:
        await club.env.advance_time(0.5)
    assert PLAYED in club.card().text
    await bob.answer()


async def hint(club: Club) -> ResponseMessage:
    """Let Bob ask for a hint in a game of his own against the computer."""
    await club.slash(club.bob, "challenge", game="dalen", size=5, level=1, first="challenger")
    match = str((await club.newest_match()).id)
    card: ResponseMessage = await club.open(club.bob, "board", "More…", "Hint", match=match, overlay="legal")
    return card


async def review(club: Club) -> ResponseMessage:
    """Let Bob ask for the review of a finished match."""
    match = await club.match(club.bob, club.carol, game="dalen", size=5, turns=FLIPPING[:4])
    await club.app.matches.resign(match.id, club.bob.id, shown_by_caller=True)
    card: ResponseMessage = await club.open(club.bob, "replay", "Review", match=str(match.id))
    return card


@pytest.mark.parametrize(("ask", "answered"), [(hint, "I would play"), (review, "No turn gave much away")])
async def test_a_found_turn_does_not_wait_for_a_requested_search(
    club: Club, running: Match, monkeypatch: pytest.MonkeyPatch, ask: Ask, answered: str
) -> None:
    monkeypatch.setattr(in_flight, "_LONGEST_WAIT", 3600)
    free, wait = asyncio.Event(), PendingReview.wait
    monkeypatch.setattr(PendingReview, "wait", lambda pending: club.search.waiting(wait(pending)))

    async def think_long(request: SearchRequest) -> None:
        if request.seed == 0:  # a search for a hint or a review
            await club.search.waiting(free.wait())

    club.search.pause = think_long
    card = await ask(club)
    await club.move(club.alice, "e5", match=str(running.id))
    assert PLAYED in club.cards()[0].text
    assert answered not in club.seen(card).text
    free.set()
    await club.env.settle()
    assert answered in club.seen(card).text


async def test_few_interactions_of_one_person_are_handled_at_once(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    await club.match()
    puzzle = await club.app.puzzles.next(club.carol.id)
    begun: list[int] = []
    working: list[int] = []
    most = 0

    async def choose_slowly(_puzzles: Puzzles, player_id: int, _game: str | None = None) -> Puzzle:
        nonlocal most
        begun.append(player_id)
        working.append(player_id)
        most = max(most, len(working))
        for _ in range(20):
            await asyncio.sleep(0)
        working.remove(player_id)
        return puzzle

    monkeypatch.setattr(Puzzles, "next", choose_slowly)
    screen = club.screen().relabelled("Play", NextPuzzle().custom_id)
    answers = await club.press_together(*[(club.alice, "Play", screen)] * 11, (club.bob, "Play", screen))
    assert all("puzzle" in answer.private for answer in answers)
    assert most < 10
    assert begun.index(club.bob.id) < 10

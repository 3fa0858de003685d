"""A user who has to wait after a press reads that the answer is coming."""

from __future__ import annotations

from typing import Any

import pytest

from bot.discord.features.study.puzzle import PuzzleCommand
from bot.discord.transport import answers
from tests.support.discord.club import Club
from tests.support.waiting import until

NOTE = "⏳ One moment: your answer is coming."
FOLLOWUPS = r"/webhooks/\d+/\w+"


async def test_a_slow_answer_is_announced_until_it_is_there(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    show, card = PuzzleCommand._show, (await club.slash(club.alice, "puzzle")).private_handle
    since = len(club.env.http_requests)

    async def show_late(*arguments: Any) -> None:
        await until(lambda: bool(club.requests("POST", FOLLOWUPS, since)))
        await show(*arguments)

    monkeypatch.setattr(PuzzleCommand, "_show", show_late)
    monkeypatch.setattr(answers, "_PATIENCE", 0)
    before = club.seen(card)
    await club.press(club.alice, "Next puzzle", on=card)
    _acknowledgement, announcement, _answer, retraction = club.env.http_requests[since:]
    assert NOTE in str(announcement.json)
    assert retraction.method == "DELETE"
    assert club.seen(card) != before


async def test_a_quick_answer_is_not_announced(club: Club) -> None:
    answer = await club.press(club.alice, "Next puzzle", on=await club.open(club.alice, "puzzle"))
    await club.env.advance_time(5)
    assert answer.nothing


async def test_a_slow_command_is_not_announced(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "_PATIENCE", 0)
    await club.slash(club.alice, "puzzle")
    assert not club.requests("POST", FOLLOWUPS)

"""A process that freezes for longer than its leases, and continues while another one has its shards."""

from __future__ import annotations

import pytest

from bot.discord.posting.match_presenter import MatchPresenter
from bot.discord.transport.answers import Answer
from bot.discord.transport.sender import Sender
from bot.domain.preferences import BoardCards
from tests.support.discord.club import Club

#: The length of a lease, and a longer time.
LEASE, FROZEN = 30.0, 45.0


@pytest.mark.parametrize(
    ("board_cards", "after"),
    [
        (BoardCards.EVERY_TURN, "opening the answer"),
        (BoardCards.LIVING, "drawing"),
        (BoardCards.LIVING, "editing the card"),
    ],
)
async def test_a_frozen_process_sends_nothing_and_the_new_holder_of_its_shard_does(
    club: Club, after: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A follow-up has no nonce, so Discord would not notice that another process has sent the same."""
    await club.match()
    shards, now = club.app.storage.shards, 0.0
    shards.leased, shards.acquired, shards.clock = True, {0}, lambda: now
    shards.renew(LEASE)
    kind, name = {
        "drawing": (MatchPresenter, "_draw"),
        "opening the answer": (Answer, "open"),
        "editing the card": (Sender, "edit"),
    }[after]
    work, since = getattr(kind, name), 0

    async def freeze(*arguments: object, **named: object) -> object:
        nonlocal now, since
        done = await work(*arguments, **named)
        if not since:
            now, since = now + FROZEN, len(club.env.http_requests)
        return done

    with monkeypatch.context() as patch:
        patch.setattr(kind, name, freeze)
        answer = await club.slash(club.alice, "move", turn="e5")
    assert answer.nothing, "no failure, because another process shows it"
    assert since
    assert club.posts(since) == []
    assert club.requests("PATCH", ".*/messages/[0-9]+", since) == []
    shards.renew(now + LEASE)
    await club.app.backlog.catch_up()
    await club.env.settle()
    assert "Alice opened with `e5`" in club.boards()[-1].text
    assert len(club.posts(since)) == 1, "the board, or the ping to it"

"""Messages in archived and locked threads: what the bot can do there, and what people read."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import discord
import pytest

from bot.discord.interaction.errors import sentence
from bot.discord.transport.answers import plain
from bot.discord.transport.sender import NotShownError
from bot.discord.ui.markdown import CommandMentions
from bot.domain.deliveries import PostedMessage
from tests.support.discord.club import Club

#: The states of a thread, each with whether messages can be posted and changed, and its state after a change.
STATES = [
    ({"archived": True, "locked": False}, True, True),
    ({"archived": True, "locked": True}, False, True),
    ({"archived": False, "locked": True}, False, False),
]


@pytest.mark.parametrize(("state", "possible", "archived"), STATES)
async def test_a_thread_is_opened_for_a_change_unless_it_is_locked(
    club: Club, state: dict[str, bool], possible: bool, archived: bool
) -> None:
    thread, sender = await club.open_thread(club.alice), club.app.sender
    cards = [PostedMessage(thread.id, await sender.send(thread.id, plain(text), nonce=text), 0) for text in "abc"]
    club.set_thread(thread, **state)
    assert await sender.edit(cards[0], plain("changed")) is possible
    await sender.delete(cards[1])
    assert club.is_archived(thread) is archived
    texts = [each.text for each in club.lines(thread)]
    assert texts == (["changed", "c"] if possible else ["a", "b", "c"])
    if possible:
        await sender.send(thread.id, plain("d"), nonce="d")
        assert not club.is_archived(thread)
        return
    with pytest.raises(NotShownError) as refused:
        await sender.send(thread.id, plain("d"), nonce="d")
    assert refused.value.closed, "it is not tried again in a minute"
    assert "shows it once a moderator has unlocked it" in (sentence(refused.value, CommandMentions()) or "")


@pytest.mark.parametrize("code", [50083, 160005])
@pytest.mark.parametrize("kind", [discord.Forbidden, discord.HTTPException])
def test_a_locked_thread_is_called_locked_whatever_the_status(kind: type[discord.HTTPException], code: int) -> None:
    response: Any = SimpleNamespace(status=400, reason="")
    refused = NotShownError(7, kind(response, {"code": code, "message": ""}))
    assert refused.closed
    assert "is locked" in str(refused.reason)

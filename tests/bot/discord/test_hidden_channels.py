"""Channels that Discord hides from the bot: their names are placeholders, and nothing of them can be shown."""

from __future__ import annotations

from typing import Any

import discord
import pytest

from tests.support.discord.club import Club

#: How Discord describes a channel that the bot may not view.
PLACEHOLDER = "___hidden___"
HIDDEN_FLAG = 1 << 17


@pytest.fixture
def hidden(club: Club) -> set[int]:
    """The ids of the channels that Discord hides."""
    found: set[int] = set()

    def hide(event: str, payload: Any) -> None:
        channels = payload["channels"] if event == "GUILD_CREATE" else [payload] if event == "CHANNEL_UPDATE" else []
        for channel in channels:
            if int(channel["id"]) in found:
                everyone = {"id": str(club.guild.id), "type": 0, "allow": "0", "deny": str(1 << 10)}
                channel |= {
                    "name": PLACEHOLDER,
                    "topic": None,
                    "flags": HIDDEN_FLAG,
                    "permission_overwrites": [everyone],
                }

    club.env.backend.subscribers.insert(0, hide)
    return found


async def test_a_match_in_a_hidden_channel_goes_on_when_it_is_shown_again(club: Club, hidden: set[int]) -> None:
    lounge = club.guild.create_text_channel("lounge")
    await club.match(turns=("e5", "dark"))
    hidden.add(club.channel.id)
    club.forbid("view_channel")
    await club.env.settle()
    known = club.app.client.get_channel(club.channel.id)
    assert isinstance(known, discord.TextChannel)
    assert known.name == PLACEHOLDER

    listed = await club.slash(club.alice, "games", where=lounge)
    assert "your turn" in listed.private
    played = await club.slash(club.alice, "move", where=lounge, turn="d4")
    assert "could not show it" in played.private
    assert PLACEHOLDER not in listed.private + played.private
    assert await club.turns() == ("e5", "dark", "d4")

    await club.restart()  # now the channel is hidden from the start
    shown = len(club.cards())
    hidden.clear()
    club.allow_all()
    await club.env.settle()
    assert len(club.cards()) == shown + 1
    assert "played `d4`" in club.card().text


async def test_a_challenge_that_ended_in_a_hidden_channel_says_so_later(club: Club) -> None:
    await club.challenge(club.alice, club.bob)
    club.forbid("view_channel")
    await club.env.advance_time(25 * 60 * 60)
    assert "Accept" in club.card().labels
    club.allow_all()
    await club.env.settle()
    assert "expired without an answer" in club.card().text

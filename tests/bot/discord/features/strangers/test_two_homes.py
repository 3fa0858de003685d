"""Matches of strangers: asking, and a card for each player at home."""

from __future__ import annotations

from simcord import ChannelHandle

from bot.domain.matches import Match
from tests.support.discord.club import Club, Seen


async def ask_here(club: Club) -> None:
    """Alice asks for opponents in the club's channel."""
    lobby = await club.open(club.alice, "play")
    await club.press_all(club.alice, "Play anyone", "Go on", "Find me opponents", on=lobby)


async def ask_in_conversation(club: Club) -> ChannelHandle:
    """Carol asks for opponents in her conversation with the bot."""
    lobby = (await club.whisper(club.carol, "play")).private_handle
    await club.press_all(club.carol.user, "Play anyone", "Go on", "Find me opponents", on=lobby)
    chat: ChannelHandle = club.carol.user.dm_channel
    return chat


async def meet(club: Club) -> tuple[Match, ChannelHandle]:
    """Alice and Carol meet; the match is shown in the channel and in the conversation."""
    await ask_here(club)
    chat = await ask_in_conversation(club)
    await club.env.advance_time(2)
    return await club.newest_match(), chat


def board(club: Club, where: ChannelHandle) -> Seen:
    return club.boards(where)[-1]


async def test_strangers_meet_and_each_sees_a_card_at_home(club: Club) -> None:
    match, chat = await meet(club)
    here, there = board(club, club.channel), board(club, chat)
    opener, other = (here, there) if match.first.id == club.alice.id else (there, here)
    assert (opener.pinged, other.pinged) == ((match.first.id,), ())
    assert f"<@{club.carol.id}>" not in here.text
    assert f"<@{club.alice.id}>" not in there.text
    for card in (here, there):
        card.says("Alice", "Carol")

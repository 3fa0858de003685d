"""The lobby that the bot posts once on a server that it joins, where it has the permissions."""

from __future__ import annotations

import asyncio

import pytest
from simcord import ChannelHandle
from simcord.backend import serializers

from tests.support.discord.club import Club, Seen, make_app


async def join(club: Club) -> None:
    """Add the bot to the server, with its channels as they are now."""
    backend = club.env.backend
    server = dict(serializers.guild_create_payload(backend, backend.get_guild(club.guild.id)))
    del server["unavailable"]  # it says that the bot knew the server
    backend.emit("GUILD_CREATE", server)
    await club.env.settle()


async def become_available(club: Club) -> None:
    """Let the server become available again after an outage of Discord."""
    backend = club.env.backend
    backend.emit("GUILD_CREATE", serializers.guild_create_payload(backend, backend.get_guild(club.guild.id)))
    await club.env.settle()


def make_system_channel(club: Club, channel: ChannelHandle) -> None:
    club.env.backend.edit_guild(club.guild.id, {"system_channel_id": channel.id})


def greetings(club: Club, where: ChannelHandle | None = None) -> list[Seen]:
    return [card for card in club.cards(where) if "### ⬢ Hexgrove" in card.text]


async def test_the_lobby_is_posted_once_in_the_system_channel(club: Club) -> None:
    make_system_channel(club, club.channel)
    await join(club)
    (card,) = greetings(club)
    assert len(card.files) == 5
    assert card.pinged == ()
    assert "Which game?" in (await club.press(club.bob, "Start a game")).private
    await join(club)
    await become_available(club)
    await club.restart()
    await join(club)
    assert len(greetings(club)) == 1


async def test_two_processes_post_the_lobby_once(club: Club) -> None:
    make_system_channel(club, club.channel)
    await club.env.settle()
    other = make_app(club.config, club.env.now, club.search)
    known = club.app.client.get_guild(club.guild.id)
    assert known is not None
    for name in ("messenger", "servers", "languages"):  # the other process shares only the database
        setattr(other.welcome, name, getattr(club.app.welcome, name))
    await asyncio.gather(club.app.welcome.greet(known), other.welcome.greet(known))
    await club.env.settle()
    assert len(club.posts()) == 1
    await other.database.close()


async def test_a_channel_chosen_in_setup_comes_first_and_is_greeted_once_if_there_was_none(club: Club) -> None:
    manager = club.join_as_moderator("Mona", "manage_guild")
    await join(club)
    assert club.posts() == [], "no channel is suitable"
    other = club.guild.create_text_channel("matches")
    make_system_channel(club, club.channel)
    panel = await club.open(manager, "setup")
    await club.choose_in(manager, "server-channels", other, on=panel)
    assert len(greetings(club, other)) == 1
    await club.choose_in(manager, "server-channels", club.channel, on=panel)
    await join(club)
    assert greetings(club) == []


async def test_nothing_is_posted_where_the_bot_lacks_a_permission(club: Club) -> None:
    make_system_channel(club, club.channel)
    for permission in ("view_channel", "send_messages", "attach_files"):
        club.forbid(permission)
        await join(club)
        assert club.posts() == [], permission
    club.allow_all()
    await join(club)
    assert len(greetings(club)) == 1, "nothing was posted before, so it is not too late"


@pytest.mark.parametrize(("away", "greeted"), [(0, True), (2 * 3600, False)])
async def test_a_start_greets_a_server_that_the_bot_has_just_joined(club: Club, away: int, greeted: bool) -> None:
    await club.stop()
    make_system_channel(club, club.channel)
    club.env.backend.advance_clock(away)
    await club.start()
    assert len(greetings(club)) == greeted


async def test_a_greeting_that_discord_refused_is_posted_at_the_next_start(club: Club) -> None:
    make_system_channel(club, club.channel)
    club.env.inject_error("POST", "/channels/*/messages", status=403, code=50013, message="Missing Permissions")
    await join(club)
    assert greetings(club) == []
    await club.restart()
    assert len(greetings(club)) == 1
    await club.restart()
    assert len(greetings(club)) == 1


async def test_the_lobby_has_the_language_and_the_theme_of_the_server(club: Club) -> None:
    club.turn_server_to("de")
    await club.app.settings.change_server_settings(club.guild.id, theme="light")
    make_system_channel(club, club.channel)
    await join(club)
    (card,) = greetings(club)
    assert card.labels == ("Partie starten", "Lernen", "Gegen irgendwen spielen", "Rätsel", "Deine Partien", "Regeln")
    assert {file["filename"].rpartition("-")[2] for file in card.files} == {"light.png"}

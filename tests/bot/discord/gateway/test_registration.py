"""Commands are registered with Discord when they have changed."""

from __future__ import annotations

import discord
import pytest

from bot.discord.features.study.rules import RulesCommand
from tests.support.discord.club import Club
from tests.support.services.stored import set_memo

PATH = r"/applications/\d+/commands"


async def registrations(club: Club) -> int:
    """Restart the bot, and count the registrations of commands."""
    since = len(club.env.http_requests)
    await club.restart()
    return len(club.requests("PUT", PATH, since))


async def test_only_changed_forgotten_or_lost_commands_are_registered_again(
    club: Club, monkeypatch: pytest.MonkeyPatch
) -> None:
    (request,) = club.requests("PUT", PATH)
    assert isinstance(request.json, list)
    assert [each["name"] for each in request.json] == [each.name for each in club.app.client.tree.get_commands()]
    assert await registrations(club) == 0
    before = {name for name, _ in club.env.backend.commands[None]}
    monkeypatch.setattr(RulesCommand, "commands", ())
    assert await registrations(club) == 1
    assert before - {name for name, _ in club.env.backend.commands[None]} == {"rules"}
    assert await registrations(club) == 0
    await set_memo(club.app.storage, "registered-commands", "of another time")
    assert await registrations(club) == 1
    club.env.backend.register_commands(None, [])
    assert await registrations(club) == 1
    assert await registrations(club) == 0


async def test_commands_have_descriptions_and_the_right_contexts(club: Club) -> None:
    (request,) = club.requests("PUT", PATH)
    assert isinstance(request.json, list)
    for command in request.json:
        if command["name"] == "setup":
            assert (command["contexts"], command["integration_types"]) == ([0], [0])
            assert int(command["default_member_permissions"]) == discord.Permissions(manage_guild=True).value
        elif command["name"] in ("ladder", "tournament"):
            assert (command["contexts"], command["integration_types"]) == ([0], [0])
        else:
            assert (command["contexts"], command["integration_types"]) == ([0, 1, 2], [0, 1])
        if command["type"] == discord.AppCommandType.user.value:
            assert command["name"] == "Challenge…"
            continue
        assert command["description"] not in ("", "…")
        for option in command["options"]:
            assert option["description"] not in ("", "…")


async def test_commands_in_texts_can_be_tapped(club: Club) -> None:
    await club.match()
    registered = {name: command["id"] for (name, _), command in club.env.backend.commands[None].items()}
    assert f"</move:{registered['move']}>" in club.card().texts[1]
    await club.restart()
    await club.move(club.alice, "e5")
    await club.move(club.bob, "light")
    assert f"</move:{registered['move']}>" in club.card().texts[2]


async def test_the_bot_asks_for_no_more_than_it_needs(club: Club) -> None:
    assert [name for name, wanted in club.app.client.intents if wanted] == ["guilds", "guild_messages"]

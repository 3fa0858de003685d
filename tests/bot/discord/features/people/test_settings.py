"""``/settings`` and ``/setup``: panels that apply at once, also after a restart, for users with the permission."""

from __future__ import annotations

import re
from typing import Any

import pytest
from simcord import MemberActor
from simcord.components import walk_components
from simcord.results import ResponseMessage

from bot.domain.preferences import Bottom, Confirmation, PlayIn
from tests.support.discord.club import Club
from tests.support.thorough import sample


async def panel(club: Club, who: MemberActor, command: str = "settings") -> ResponseMessage:
    return (await club.slash(who, command)).private_handle


async def test_settings_apply_at_once_on_a_private_panel(club: Club) -> None:
    message = await panel(club, club.alice)
    shown = club.seen(message)
    assert shown.private
    assert "Your settings" in shown.text
    switches = ("Coordinates: on", "Pings on my turn: on")
    assert shown.labels == (*switches, "Quiet hours and digest", "Privacy", "Play anyone")
    (picture,) = shown.files
    assert picture["description"]
    assert club.cards() == []
    for action, word in (
        ("my-theme", "Theme"),
        ("my-orientation", "Board"),
        ("my-confirmation", "Ask|Play at once"),
        ("my-outside", "Name on other servers"),
        ("my-language", "Language"),
    ):  # a phone shows the choice without the title of its menu
        (options,) = [options for custom_id, options in shown.menus.items() if f":{action}:" in custom_id]
        assert all(re.match(word, label) for label in options.values()), action
    assert (await club.choose_in(club.alice, "my-theme", "light", on=message)).nothing
    assert club.seen(message).files != shown.files
    await club.choose_in(club.alice, "my-orientation", "my-side", on=message)
    await club.choose_in(club.alice, "my-confirmation", "always", on=message)
    await club.press_all(club.alice, "Coordinates: on", "Pings on my turn: on", on=message)
    assert club.seen(message).labels[:2] == ("Coordinates: off", "Pings on my turn: off")
    chosen = await club.app.settings.preferences(club.alice.id)
    assert (chosen.theme, chosen.orientation) == ("light", Bottom.MY_SIDE)
    assert chosen.confirmation is Confirmation.ALWAYS
    assert (chosen.coordinates, chosen.pings) == (False, False)


async def test_a_panel_works_after_a_restart_and_its_buttons_set_values(club: Club) -> None:
    message = await panel(club, club.alice)
    await club.restart()
    await club.press(club.alice, "Coordinates: on", on=message)
    assert not (await club.app.settings.preferences(club.alice.id)).coordinates
    for shown in (await panel(club, club.alice), message):
        await club.press(club.alice, "Coordinates: off", on=shown)
        assert (await club.app.settings.preferences(club.alice.id)).coordinates


async def test_the_chosen_language_applies_at_once(club: Club) -> None:
    message = await panel(club, club.alice)
    await club.choose_in(club.alice, "my-language", "de", on=message)
    assert (await club.slash(club.alice, "move", turn="e5")).private.startswith("Hier läuft keine Partie von dir.")
    club.speak(club.alice, "es-ES")
    await club.match(club.bob, club.carol)
    offered = await club.offers(club.alice, "", command="board", option="match")
    assert "am Zug" in offered[0]["name"] or "ist am Zug" in offered[0]["name"]
    await club.restart()
    await club.choose_in(club.alice, "my-language", "-", on=message)
    assert (await club.slash(club.alice, "move", turn="e5")).private.startswith("No juegas en la partida #1")


async def test_only_server_managers_use_setup(
    club: Club, manager: MemberActor, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "setup" not in club.alice.available_commands(club.channel)
    assert "setup" not in club.alice.user.available_commands()
    assert "setup" in manager.available_commands(club.channel)
    message = await panel(club, manager, "setup")
    shown = club.seen(message)
    assert shown.private
    shown.says("Matches are played in all channels", "Everybody may challenge.")
    (command,) = [each for (name, _), each in club.env.backend.commands[None].items() if name == "setup"]
    monkeypatch.setitem(command, "default_member_permissions", None)  # even if Discord offered it
    answer = await club.slash(club.alice, "setup")
    assert answer.private == "Only members with the permission *Manage Server* may set me up here."
    (role,) = club.env.backend.get_member(club.guild.id, manager.id).role_ids[-1:]
    club.env.backend.remove_member_role(club.guild.id, manager.id, role)
    answer = await club.choose_in(manager, "server-play-in", "thread", on=message)
    assert "Manage Server" in answer.private, "not any more"
    assert (await club.app.settings.server_settings(club.guild.id)).play_in is PlayIn.CHANNEL


async def test_a_server_chooses_channels_role_threads_theme_and_language(club: Club, manager: MemberActor) -> None:
    message = await panel(club, manager, "setup")
    role = club.guild.create_role("Players")
    await club.choose_in(manager, "server-channels", club.channel, on=message)
    await club.choose_in(manager, "server-role", role, on=message)
    await club.restart()
    await club.choose_in(manager, "server-play-in", "thread", on=message)
    await club.choose_in(manager, "server-theme", "contrast", on=message)
    await club.choose_in(manager, "server-language", "de", on=message)
    chosen = await club.app.settings.server_settings(club.guild.id)
    assert chosen.channel_ids == {club.channel.id}
    assert chosen.challenger_role_id == role.id
    assert (chosen.play_in, chosen.theme, chosen.language) == (PlayIn.THREAD, "contrast", "de")
    shown = club.seen(message)
    shown.says(f"<#{club.channel.id}>", f"<@&{role.id}>")
    assert shown.pinged == ()
    await club.press_all(manager, "Allow all channels", "Let everybody challenge", on=message)
    chosen = await club.app.settings.server_settings(club.guild.id)
    assert chosen.channel_ids == frozenset()
    assert chosen.challenger_role_id is None
    assert club.seen(message).labels == ("Matches with people from elsewhere: on",)
    await club.choose_in(manager, "server-channels", club.channel, on=message)
    await club.choose_in(manager, "server-channels", on=message)
    assert (await club.app.settings.server_settings(club.guild.id)).channel_ids == frozenset()


def menus_of(club: Club, message: ResponseMessage) -> list[dict[str, Any]]:
    """The menus on a panel."""
    stored = club.env.backend.get_message(message.channel_id, message.id)
    return [part for part in walk_components(stored.components) if "placeholder" in part]


async def test_every_choice_of_every_menu_is_accepted(club: Club, manager: MemberActor) -> None:
    for command, prefix in (("settings", "my-"), ("setup", "server-")):
        message = await panel(club, manager, command)
        for menu in menus_of(club, message):
            action = menu["custom_id"].split(":")[1]
            assert action.startswith(prefix)
            for option in sample(menu.get("options", ()), 3):
                assert len(option["label"]) <= 100
                assert (await club.choose_in(manager, action, option["value"], on=message)).nothing


async def test_public_cards_speak_the_language_that_was_chosen_for_the_server(club: Club, manager: MemberActor) -> None:
    club.turn_server_to("es-ES")
    for locale in ("es-ES", "de", "en-US"):
        club.speak(manager, locale)
        menus = menus_of(club, await panel(club, manager, "setup"))
        assert len(menus) > 4
        for menu in menus:
            assert len(menu["placeholder"]) <= 30, f"too long to be read on a phone: {locale}"
    await club.choose_in(manager, "server-language", "de", on=await panel(club, manager, "setup"))
    await club.challenge(club.alice, club.bob)
    assert club.card().labels == ("Annehmen", "Ablehnen", "Zurückziehen", "Gegen den Computer", "In 3 Minuten lernen")


async def test_servers_and_channels_choose_the_kind_of_cards(club: Club, manager: MemberActor) -> None:
    message = await panel(club, manager, "setup")
    assert "Each turn has a card of its own." in club.seen(message).text
    await club.choose_in(manager, "server-board-cards", "living", on=message)
    await club.choose_in(manager, "server-other-cards", club.channel, on=message)
    shown = club.seen(message).text
    assert f"Each match has one living card. In <#{club.channel.id}>, each turn has a card of its own." in shown
    await club.match()
    await club.move(club.alice, "e5")
    assert len(club.boards()) == 2
    await club.choose_in(manager, "server-other-cards", on=message)
    await club.move(club.bob, "light")
    assert len(club.boards()) == 2

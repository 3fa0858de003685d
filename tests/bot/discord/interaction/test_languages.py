"""Users are answered in their own language. What everyone sees is in the server's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import discord
import pytest

from bot import texts
from bot.discord.interaction.translator import NAMES
from bot.domain.preferences import Preferences
from bot.storage.repositories.settings import SettingsRepository
from tests.support.discord.club import Club
from tests.support.services.counts import counting
from tests.support.services.failures import patch_storage

#: A valid name of a command or an option.
NAME = re.compile(r"[\w-]{1,32}")


async def test_a_german_user_is_answered_in_german_on_an_english_server(club: Club) -> None:
    club.speak(club.bob, "de")
    (offered,) = await club.offers(club.bob, "e5")
    assert offered["name"] == "✗ Hier läuft keine Partie von dir. Beginne eine mit /spielen.", (
        "commands as he sees them"
    )
    await club.match()
    answer = await club.slash(club.bob, "move", turn="e5")
    assert answer.private == "Du bist nicht am Zug: Alice eröffnet Partie #1."
    (offered,) = await club.offers(club.bob, "", option="match")
    assert offered["name"] == "#1 Dalen · Alice gegen Bob · Alice ist am Zug"
    sizes = await club.offers(club.bob, "7", command="challenge", option="size", game="dalen")
    assert [size["name"] for size in sizes] == ["7 · üblich"]
    await club.move(club.alice, "e5")
    assert {each["name"] for each in await club.offers(club.bob, "")} == {"dark · Dunkel", "light · Hell"}
    await club.move(club.bob, "dark")
    assert "chose **Dark**" in club.card().text
    assert "Light to play." in club.card().descriptions[0], "the picture is in that language too"
    assert club.card().labels == ("Play", "a–c", "d–f", "g–i", "Type it", "More…")
    await club.slash(club.bob, "challenge", game="dalen", level=2, first="challenger")
    assert club.threads()[0].name == "Dalen · Bob 🆚 Hexgrove (level 2)", "as the server"
    question = await club.press_old(club.bob, "resign")
    assert question.private.startswith("Partie #1 aufgeben? **Alice** gewinnt.")
    assert (question.card.labels[0], question.card.labels[-1]) == ("Ja, aufgeben", "Weiterspielen")
    await club.press(club.bob, "Ja, aufgeben", on=question.private_handle)
    assert "wins: Bob resigned." in club.card().text


async def test_a_spanish_server_gets_spanish_cards_whoever_plays(club: Club) -> None:
    club.turn_server_to("es-ES")
    club.speak(club.bob, "de")
    await club.challenge(club.alice, club.bob, size=5, first="challenger")
    assert "Alice desafía a Bob" in club.card().text
    assert club.card().labels == ("Aceptar", "Rechazar", "Retirar", "Contra el ordenador", "Aprende en 3 minutos")
    await club.press(club.bob, "Aceptar")
    await club.move(club.alice, "e5")
    assert "elige tu bando: **Oscuro**" in club.card().text
    await club.press(club.bob, "Jugar con Claro")
    assert "Jugada 2 · Bob ha elegido **Claro**" in club.card().text
    assert club.card().labels == ("Jugar", "a–c", "d–f", "g–i", "Escribir", "Más…")


async def test_users_of_other_languages_are_answered_in_english(club: Club) -> None:
    for locale in ("fr", "en-GB"):
        club.speak(club.bob, locale)
        club.turn_server_to(locale)
        answer = await club.slash(club.bob, "move", turn="e5")
        assert answer.private.startswith("You have no running match here."), locale


async def test_failures_are_reported_in_the_language_of_the_user(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*_: object, **__: object) -> Any:
        raise RuntimeError("a bug")

    club.speak(club.bob, "de")
    patch_storage(monkeypatch, "MatchRepository.candidates", broken)
    club.expect_failure("interaction_failed")
    assert (await club.slash(club.bob, "move", turn="e5")).private.startswith("Bei mir ist etwas schiefgegangen.")


# Suggestions


# Commands


def localized(part: dict[str, Any], field: str) -> dict[str, str]:
    translations: dict[str, str] = part[f"{field}_localizations"]
    return translations


def commands(club: Club) -> list[dict[str, Any]]:
    (request,) = club.requests("PUT", r"/applications/\d+/commands")
    assert isinstance(request.json, list)
    return request.json


def in_all_languages(part: dict[str, Any], field: str) -> bool:
    return localized(part, field).keys() == {"de", "es-ES", "es-419"}


def parts(command: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A command with its subcommands and options."""
    yield command
    for option in command.get("options", ()):
        yield from parts(option)


async def test_commands_and_options_have_names_in_all_languages(club: Club) -> None:
    used = set()
    for command in commands(club):
        if command["type"] == discord.AppCommandType.user.value:
            used.add(command["name"])
            assert in_all_languages(command, "name"), command["name"]
            assert all(1 <= len(text) <= 32 for text in localized(command, "name").values())
            continue
        for part in parts(command):
            used.add(part["name"])
            for language in texts.LANGUAGES:
                name = texts.catalogue(language).pgettext("name", part["name"])
                assert NAME.fullmatch(name), name
                assert name == name.lower(), name
            if part["name"] != "variant":  # Spanish has the same word
                assert localized(part, "name")["de"] == texts.catalogue("de").pgettext("name", part["name"])
            assert part["name"] in NAMES
            assert in_all_languages(part, "description"), part["description"]
            assert all(1 <= len(text) <= 100 for text in localized(part, "description").values())
    assert used == set(NAMES)


async def test_names_are_different_in_every_language(club: Club) -> None:
    everything = [command for command in commands(club) if command["type"] == discord.AppCommandType.chat_input.value]
    for locale in ("de", "es-ES", "es-419"):
        for parts in (everything, *(command["options"] for command in everything)):
            names = [localized(part, "name").get(locale, part["name"]) for part in parts]
            assert len(names) == len(set(names)), names


async def test_choices_are_translated_and_their_names_fit(club: Club) -> None:
    found = [choice for command in commands(club) for part in parts(command) for choice in part.get("choices", ())]
    for choice in found:
        names = [choice["name"], *choice.get("name_localizations", {}).values()]
        assert all(1 <= len(name) <= 100 for name in names), names
    german = {choice["name"]: choice.get("name_localizations", {}).get("de") for choice in found}
    assert german["Hedu · 15 minutes, medium"] == "Hedu · 15 Minuten, mittel"
    (challenge,) = [command for command in commands(club) if command["name"] == "challenge"]
    (first,) = [option for option in challenge["options"] if option["name"] == "first"]
    assert [choice["name_localizations"]["de"] for choice in first["choices"]] == ["ich", "Gegner", "zufällig"]


async def test_changed_translations_are_registered(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.discord.interaction.translator.language_of", lambda _: texts.SOURCE)
    since = len(club.env.http_requests)
    await club.restart()
    assert len(club.requests("PUT", r"/applications/\d+/commands", since)) == 1


# Languages and refusals


#: Commands that are answered with private cards in the user's look.
CARDS: dict[str, dict[str, Any]] = {
    "rules": {"game": "dalen"},
    "learn": {"game": "dalen"},
    "play": {},
    "puzzle": {},
    "games": {},
    "profile": {},
    "replay": {},
    "try": {},
}


async def test_a_private_card_reads_the_preferences_once(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    await club.slash(club.alice, "challenge", level=3, game="dalen", size=5, first="opponent")
    await club.env.settle()
    read, reads = SettingsRepository.preferences, list[int]()

    async def note(repository: SettingsRepository, player_id: int) -> Preferences:
        reads.append(player_id)
        return await read(repository, player_id)

    monkeypatch.setattr(SettingsRepository, "preferences", note)
    for command, options in CARDS.items():
        reads.clear()
        card = await club.open(club.alice, command, **options)
        assert reads == [club.alice.id], command
        if command in ("rules", "learn"):
            reads.clear()
            await club.press(club.alice, "▶" if command == "rules" else "Show me", on=card)
            assert reads == [club.alice.id], command
    with counting(club.app.database) as counts:
        await club.slash(club.alice, "rules", game="dalen")
    assert (counts.reads, counts.writes) == (1, 0)


async def test_a_private_card_has_the_default_look_if_preferences_fail(club: Club) -> None:
    await club.slash(club.alice, "challenge", level=3, game="dalen", size=5, first="opponent")
    await club.env.settle()

    async def broken(*_: object) -> Any:
        raise RuntimeError("a bug")

    for command, options in CARDS.items():
        with pytest.MonkeyPatch.context() as patch:
            patch_storage(patch, "SettingsRepository.preferences", broken)
            answer = await club.slash(club.alice, command, **options)
        assert club.seen(answer.private_handle).text.startswith("#"), command

"""Translates the names and descriptions of the commands, which Discord shows."""

from __future__ import annotations

import discord
from discord import app_commands

from bot.texts import SOURCE, catalogue, in_language, language_of, pgettext_noop
from bot.wording import words
from rules import Position

#: The names of commands and their options. Discord wants lower case and no spaces, in translations too.
NAMES = (
    pgettext_noop("name", "Challenge…"),
    pgettext_noop("name", "after"),
    pgettext_noop("name", "board"),
    pgettext_noop("name", "cell"),
    pgettext_noop("name", "by"),
    pgettext_noop("name", "challenge"),
    pgettext_noop("name", "clock"),
    pgettext_noop("name", "draw"),
    pgettext_noop("name", "file"),
    pgettext_noop("name", "first"),
    pgettext_noop("name", "game"),
    pgettext_noop("name", "games"),
    pgettext_noop("name", "history"),
    pgettext_noop("name", "import"),
    pgettext_noop("name", "ladder"),
    pgettext_noop("name", "leaderboard"),
    pgettext_noop("name", "learn"),
    pgettext_noop("name", "level"),
    pgettext_noop("name", "match"),
    pgettext_noop("name", "move"),
    pgettext_noop("name", "opponent"),
    pgettext_noop("name", "overlay"),
    pgettext_noop("name", "page"),
    pgettext_noop("name", "pass"),
    pgettext_noop("name", "play"),
    pgettext_noop("name", "player"),
    pgettext_noop("name", "puzzle"),
    pgettext_noop("name", "replay"),
    pgettext_noop("name", "resign"),
    pgettext_noop("name", "rules"),
    pgettext_noop("name", "period"),
    pgettext_noop("name", "profile"),
    pgettext_noop("name", "rated"),
    pgettext_noop("name", "handicap"),
    pgettext_noop("name", "program"),
    pgettext_noop("name", "scope"),
    pgettext_noop("name", "settings"),
    pgettext_noop("name", "setup"),
    pgettext_noop("name", "size"),
    pgettext_noop("name", "tournament"),
    pgettext_noop("name", "try"),
    pgettext_noop("name", "turn"),
    pgettext_noop("name", "turns"),
    pgettext_noop("name", "undo"),
    pgettext_noop("name", "variant"),
)

_OF_NAMES = {
    app_commands.TranslationContextLocation.command_name,
    app_commands.TranslationContextLocation.parameter_name,
}


#: The extra of a choice's label that holds its game.
_GAME = "game"


def with_facts(game: type[Position]) -> app_commands.locale_str:
    """The label of a choice: a game, its length and its weight."""
    return app_commands.locale_str(_label(game), **{_GAME: game})


def _label(game: type[Position]) -> str:
    return f"{game.title} · {words.facts(game)}"


class CommandTranslator(app_commands.Translator):
    async def translate(
        self,
        string: app_commands.locale_str,
        locale: discord.Locale,
        context: app_commands.TranslationContextTypes,
    ) -> str | None:
        language = language_of(locale.value)
        if language == SOURCE:
            return None
        text, translations = string.message, catalogue(language)
        game = string.extras.get(_GAME)
        if game is not None:
            with in_language(language):
                return _label(game)
        if context.location in _OF_NAMES:
            translated = translations.pgettext("name", text)
        else:
            translated = translations.gettext(text)
        return None if translated == text else translated

"""The names and descriptions of the commands in the languages of the bot, as Discord shows them to each user."""

from __future__ import annotations

import discord
from discord import app_commands

from bot.texts import SOURCE, catalogue, language_of, later_as

#: The names of commands and their options. Discord wants them in lower case and without spaces, also in translation.
NAMES = (
    later_as("name", "Challenge…"),
    later_as("name", "after"),
    later_as("name", "at_once"),
    later_as("name", "board"),
    later_as("name", "cancel"),
    later_as("name", "cell"),
    later_as("name", "by"),
    later_as("name", "challenge"),
    later_as("name", "clock"),
    later_as("name", "create"),
    later_as("name", "draw"),
    later_as("name", "export"),
    later_as("name", "first"),
    later_as("name", "game"),
    later_as("name", "games"),
    later_as("name", "history"),
    later_as("name", "join"),
    later_as("name", "leaderboard"),
    later_as("name", "match"),
    later_as("name", "move"),
    later_as("name", "name"),
    later_as("name", "number"),
    later_as("name", "opponent"),
    later_as("name", "overlay"),
    later_as("name", "page"),
    later_as("name", "pass"),
    later_as("name", "player"),
    later_as("name", "replay"),
    later_as("name", "resign"),
    later_as("name", "rules"),
    later_as("name", "period"),
    later_as("name", "profile"),
    later_as("name", "rated"),
    later_as("name", "scope"),
    later_as("name", "settings"),
    later_as("name", "setup"),
    later_as("name", "size"),
    later_as("name", "standings"),
    later_as("name", "start"),
    later_as("name", "tournament"),
    later_as("name", "try"),
    later_as("name", "turn"),
    later_as("name", "turns"),
    later_as("name", "undo"),
    later_as("name", "variant"),
    later_as("name", "withdraw"),
)

_OF_NAMES = {
    app_commands.TranslationContextLocation.command_name,
    app_commands.TranslationContextLocation.group_name,
    app_commands.TranslationContextLocation.parameter_name,
}


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
        if context.location in _OF_NAMES:
            translated = translations.pgettext("name", text)
        else:
            translated = translations.gettext(text)
        return None if translated == text else translated

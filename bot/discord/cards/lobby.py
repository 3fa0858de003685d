"""The lobby: all games at a glance, and the ways into them.

Drawing takes a while, so call these functions outside the event loop.
"""

from __future__ import annotations

import discord

import rules
from bot.discord.cards import rulebook
from bot.discord.cards.game_list import game_button, game_list, lobby_button, puzzles_button, start_button
from bot.discord.messages import ActionButton, Message, Press
from bot.texts import gettext as _
from bot.texts import ngettext


def lobby_card(theme: str) -> Message:
    """All games, and what can be done here."""
    count = len(rules.GAMES)
    about = ngettext(
        "{count} game for two on hexagons. You play it with buttons.",
        "{count} games for two on hexagons. You play them with buttons.",
        count,
    )
    buttons = (
        *first_steps(),
        puzzles_button(),
        games_button(),
        ActionButton(Press("lobby-rules", 0), _("Rules"), emoji="📖"),
    )
    return game_list("### ⬢ Hexgrove", about.format(count=count), theme, buttons)


def first_steps(name: str = "") -> tuple[ActionButton, ...]:
    """The buttons for somebody who has nothing to look at yet: start a game, of that name or any, and learn it."""
    if name:
        return start_button(name), rulebook.learn_button(rules.GAMES[name])
    return start_button(), ActionButton(Press("lobby-learn", 0), _("Learn"), discord.ButtonStyle.primary, "🎓")


def games_button() -> ActionButton:
    """The button that shows somebody their running matches."""
    return ActionButton(Press("my-games", 0), _("My games"), emoji="🎲")


def lesson_choice(theme: str) -> Message:
    """Which game to learn."""
    buttons = [game_button(Press("task", 0, 0, f"{name}.lobby"), game) for name, game in rules.GAMES.items()]
    return game_list(_("### 🎓 Which game do you want to learn?"), "", theme, buttons, [lobby_button()])


def rules_choice(theme: str) -> Message:
    """Which rule page to read."""
    shared = rulebook.SHARED
    buttons = [
        *[game_button(Press("rules", 0, 0, f"{name}.lobby"), game) for name, game in rules.GAMES.items()],
        ActionButton(Press("rules", 0, 0, f"{shared}.lobby"), rulebook.choices()[shared]),
    ]
    return game_list(_("### 📖 Which rules do you want to read?"), "", theme, buttons, [lobby_button()])

"""The option ``game`` of commands, whose choices are the games of the registry."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from discord import app_commands

from bot.discord.interaction.feature import Command
from bot.discord.interaction.translator import with_summary
from rules import GAMES

_Callback = TypeVar("_Callback", bound=Callable[..., object])
_OTHERS, _EXPLAINS = "__others_than_games__", "__explains_games__"


def choose_game(*, explain: bool = False, **others: str) -> Callable[[_Callback], _Callback]:
    """Offer the games, followed by ``others`` (titles by value), as the choices of the option ``game``.

    With ``explain``, every choice says in a few words what the game is about. The choices are filled in by
    :func:`fill_in_games`, not when the module is imported.
    """

    def mark(callback: _Callback) -> _Callback:
        setattr(callback, _OTHERS, others)
        setattr(callback, _EXPLAINS, explain)
        return callback

    return mark


def fill_in_games(command: Command) -> None:
    """Fill in the choices of a command, and of the commands in a group, where :func:`choose_game` asks for them."""
    if isinstance(command, app_commands.Group):
        for each in command.commands:
            fill_in_games(each)
    elif isinstance(command, app_commands.Command) and hasattr(command.callback, _OTHERS):
        explains = getattr(command.callback, _EXPLAINS)
        games = [
            app_commands.Choice(name=with_summary(game) if explains else game.title, value=game.name)
            for game in GAMES.values()
        ]
        others = [
            app_commands.Choice(name=app_commands.locale_str(title), value=value)
            for value, title in getattr(command.callback, _OTHERS).items()
        ]
        app_commands.choices(game=[*games, *others])(command)

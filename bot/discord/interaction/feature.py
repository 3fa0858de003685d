"""A feature of the bot on Discord: its slash commands, and the handlers of its buttons, menus and forms."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from functools import cache
from typing import Any, TypeAlias, TypeVar

from discord import app_commands
from discord.ext import commands

from bot.discord.interaction.interactions import Interaction
from bot.discord.ui.messages import Form, Press

Handler: TypeAlias = Callable[[Interaction, Press], Awaitable[None]]
FormOpener: TypeAlias = Callable[[Interaction, Press], Awaitable[Form]]
Command: TypeAlias = app_commands.Command[Any, ..., Any] | app_commands.Group | app_commands.ContextMenu
_Method = TypeVar("_Method", bound=Callable[..., Awaitable[Any]])
_HANDLES, _OPENS_FORM = "__handles__", "__opens_form__"


def handles(*actions: str) -> Callable[[_Method], _Method]:
    """Mark a method of a feature as the handler of buttons, menus and forms with these actions.

    The interaction is acknowledged before the method is called.
    """

    def mark(method: _Method) -> _Method:
        setattr(method, _HANDLES, actions)
        return method

    return mark


def opens_form(*actions: str) -> Callable[[_Method], _Method]:
    """Mark a method of a feature as the opener of the form that answers these actions.

    Nothing is acknowledged when the method is called, so it must be quick.
    """

    def mark(method: _Method) -> _Method:
        setattr(method, _OPENS_FORM, actions)
        return method

    return mark


class Feature(commands.Cog):
    """Slash commands are methods with the decorators of discord.py; handlers are marked with :func:`handles`.

    A feature gets the services that it needs in its constructor.
    """

    @property
    def commands(self) -> Iterator[Command]:
        """The commands to register with Discord."""
        if self.app_command is not None:  # of a GroupCog
            yield self.app_command
        yield from self.get_app_commands()

    @property
    def handlers(self) -> Iterator[tuple[str, Handler]]:
        """The handlers by action."""
        yield from self._marked(_HANDLES)

    @property
    def form_openers(self) -> Iterator[tuple[str, FormOpener]]:
        yield from self._marked(_OPENS_FORM)

    def _marked(self, mark: str) -> Iterator[tuple[str, Any]]:
        for action, name in _names_of_marked(type(self), mark):
            yield action, getattr(self, name)


@cache
def _names_of_marked(feature: type[Feature], mark: str) -> tuple[tuple[str, str], ...]:
    """The actions with which methods are marked, each with the name of its method."""
    return tuple((action, name) for name in dir(feature) for action in getattr(getattr(feature, name), mark, ()))

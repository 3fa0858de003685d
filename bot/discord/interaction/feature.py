"""A feature of the bot on Discord: its slash commands, and the handlers of its buttons, menus and forms."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from functools import cache, partial
from typing import Any, TypeAlias, TypeVar

from discord import app_commands
from discord.ext import commands

from bot.discord.interaction.interactions import Interaction
from bot.discord.ui.messages import Form
from bot.discord.ui.presses import Press

Handler: TypeAlias = Callable[[Interaction, Any], Awaitable[None]]
FormOpener: TypeAlias = Callable[[Interaction, Any], Awaitable[Form]]
Command: TypeAlias = app_commands.Command[Any, ..., Any] | app_commands.Group | app_commands.ContextMenu
_Feature = TypeVar("_Feature", bound="Feature")
_Press = TypeVar("_Press")
_Value = TypeVar("_Value")
_Method: TypeAlias = Callable[[_Feature, Interaction, _Press], Awaitable[_Value]]
_Marked = TypeVar("_Marked")
_HANDLES, _OPENS_FORM, _LOADS_PREFERENCES = "__handles__", "__opens_form__", "__loads_preferences__"


def handles(*kinds: type[_Press]) -> Callable[[_Method[_Feature, _Press, None]], _Method[_Feature, _Press, None]]:
    """Mark a method of a feature as the handler of presses of these kinds.

    The interaction is acknowledged before the method is called.
    """
    return partial(_mark, _HANDLES, kinds)


def opens_form(
    *kinds: type[_Press],
) -> Callable[[_Method[_Feature, _Press, Form]], _Method[_Feature, _Press, Form]]:
    """Mark a method of a feature that returns the form for presses of these kinds.

    The press is not acknowledged yet when the method is called, so it must be quick.
    """
    return partial(_mark, _OPENS_FORM, kinds)


def loads_preferences(method: _Marked) -> _Marked:
    """Mark a command or handler that loads the user's preferences itself, together with what else it needs."""
    return _mark(_LOADS_PREFERENCES, True, method)


def is_loading_preferences(method: object) -> bool:
    """Whether a callback or handler is marked with :func:`loads_preferences`."""
    return getattr(method, _LOADS_PREFERENCES, False)


def _mark(mark: str, kinds: object, method: _Marked) -> _Marked:
    setattr(method, mark, kinds)
    return method


class Feature(commands.Cog):
    """The base class of features, whose fields are the parts that they use.

    Slash commands are methods with decorators of discord.py, and handlers are methods marked with :func:`handles` or
    :func:`opens_form`.
    """

    @property
    def commands(self) -> Iterator[Command]:
        """The commands to register with Discord."""
        yield from self.get_app_commands()

    @property
    def handlers(self) -> Iterator[tuple[type[Press], Handler]]:
        """The kinds of presses, each with its handler."""
        yield from self._marked_methods(_HANDLES)

    @property
    def form_openers(self) -> Iterator[tuple[type[Press], FormOpener]]:
        yield from self._marked_methods(_OPENS_FORM)

    def _marked_methods(self, mark: str) -> Iterator[tuple[type[Press], Any]]:
        for kind, name in _names_of_marked(type(self), mark):
            yield kind, getattr(self, name)


def feature_of(interaction: Interaction, kind: type[_Feature]) -> _Feature:
    """The feature of the interaction's command, which must be of this kind."""
    assert isinstance(interaction.command, app_commands.Command)
    assert isinstance(interaction.command.binding, kind)
    return interaction.command.binding


@cache
def _names_of_marked(feature: type[Feature], mark: str) -> tuple[tuple[type[Press], str], ...]:
    """The kinds of presses with which methods are marked, each with the method's name."""
    return tuple((kind, name) for name in dir(feature) for kind in getattr(getattr(feature, name), mark, ()))

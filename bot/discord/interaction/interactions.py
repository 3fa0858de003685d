"""From an interaction to values of the domain."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import replace
from typing import Any, ParamSpec, TypeAlias

import discord
import structlog
from discord import app_commands

from bot.discord.interaction.errors import NumberError, sentence
from bot.domain.places import Place
from bot.domain.players import Names, Player
from bot.wording.quoting import shorten

Interaction: TypeAlias = discord.Interaction[Any]

_LOG = structlog.get_logger(__name__)
_Parameters = ParamSpec("_Parameters")

Choices = list[app_commands.Choice[Any]]
#: Discord shows at most 25 choices, of at most 100 characters each.
MOST_CHOICES = 25
LONGEST_CHOICE = 100
#: An option for a typed text or a choice.
Typed = app_commands.Range[str, 1, LONGEST_CHOICE]


class TypedOption(app_commands.Transformer):
    """The base of options that read typed text, with the length of :data:`Typed`."""

    @property
    def min_value(self) -> int:
        return 1

    @property
    def max_value(self) -> int:
        return LONGEST_CHOICE


def player_of(user: discord.User | discord.Member) -> Player:
    """A user as a player, with the names used here."""
    names = Names(user.global_name or user.name, user.name)
    if isinstance(user, discord.Member):
        names = replace(names, guild_id=user.guild.id, nickname=user.nick)
    return Player(user.id, names.nickname or names.account, names)


def place_of(interaction: Interaction) -> Place:
    assert interaction.channel_id is not None, "commands and buttons are used somewhere"
    return Place(interaction.guild_id, interaction.channel_id, direct=alone(interaction))


def roles_of(interaction: Interaction) -> list[int]:
    """The ids of the user's roles in the server."""
    user = interaction.user
    return [role.id for role in user.roles] if isinstance(user, discord.Member) else []


def alone(interaction: Interaction) -> bool:
    """Whether this is the user's direct conversation with the bot."""
    return interaction.guild_id is None and interaction.context.dm_channel


def is_computer(interaction: Interaction, user: discord.Member | discord.User | None) -> bool:
    """Whether the user is the bot itself."""
    return user is not None and interaction.client.user is not None and user.id == interaction.client.user.id


def may_grant(interaction: Interaction) -> bool:
    """Whether the user can give the bot permissions in this channel."""
    permissions = interaction.permissions
    return permissions.administrator or permissions.manage_roles or permissions.manage_guild


def read_number(typed: str, refusal: str) -> int:
    """Read a number such as ``3`` or ``#3``. Raises :class:`NumberError` with the ``refusal``, not yet translated."""
    digits = typed.strip().removeprefix("#")
    if not (digits.isascii() and digits.isdecimal() and len(digits) < 10):
        raise NumberError(refusal)
    return int(digits)


def choice(name: str, value: Any) -> app_commands.Choice[Any]:
    return app_commands.Choice(name=shorten(name, LONGEST_CHOICE), value=value)


def suggestions(
    suggest: Callable[_Parameters, Awaitable[Choices]],
) -> Callable[_Parameters, Coroutine[Any, Any, Choices]]:
    """An autocomplete callback that offers nothing after a failure or refusal: the user can still type, and the command
    explains.
    """

    @functools.wraps(suggest)  # discord.py recognises methods by their names
    async def guarded(*args: _Parameters.args, **kwargs: _Parameters.kwargs) -> Choices:
        try:
            return (await suggest(*args, **kwargs))[:MOST_CHOICES]
        except Exception as error:
            if sentence(error) is None:
                _LOG.exception("autocomplete_failed", autocomplete=suggest.__qualname__)
            return []

    return guarded

"""From an interaction to values of the domain: its user, its place, and its typed options."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import replace
from typing import Any, ParamSpec, TypeAlias, TypeVar

import discord
import structlog
from discord import app_commands

from bot.discord.interaction.errors import NumberError, RefusalError, sentence
from bot.discord.ui.markdown import CommandMentions
from bot.domain.places import Place
from bot.domain.players import Names, Player
from bot.wording.quoting import as_markdown, shorten
from rules.notation import plain

Interaction: TypeAlias = discord.Interaction[Any]

_LOG = structlog.get_logger(__name__)
_Parameters = ParamSpec("_Parameters")
_Value = TypeVar("_Value")

Choices = list[app_commands.Choice[Any]]
#: Discord shows at most 25 choices, of at most 100 characters each.
MOST_CHOICES = 25
LONGEST_CHOICE = 100
#: An option for a typed text or a choice.
Typed = app_commands.Range[str, 1, LONGEST_CHOICE]
_NUMBER = re.compile(r"#?([0-9]{1,9})|#([0-9]{1,9})\s.*", re.DOTALL)
#: What separates the value of a choice from a note on it, and what begins a choice that only explains a refusal.
_NOTE, _REFUSED = " · ", "✗ "


class TypedOption(app_commands.Transformer):
    """The base class of options that read typed text, as long as :data:`Typed`."""

    @property
    def min_value(self) -> int:
        return 1

    @property
    def max_value(self) -> int:
        return LONGEST_CHOICE


def player_of(user: discord.User | discord.Member) -> Player:
    """A user as a player, with the names that they have here."""
    names = Names(user.global_name or user.name, user.name)
    if isinstance(user, discord.Member):
        names = replace(names, guild_id=user.guild.id, nickname=user.nick)
    return Player(user.id, names.nickname or names.account, names)


def place_of(interaction: Interaction) -> Place:
    assert interaction.channel_id is not None, "commands and buttons are used somewhere"
    return Place(interaction.guild_id, interaction.channel_id, direct=alone(interaction))


def roles_of(interaction: Interaction) -> list[int]:
    """The ids of the user's roles on the server."""
    user = interaction.user
    return [role.id for role in user.roles] if isinstance(user, discord.Member) else []


def alone(interaction: Interaction) -> bool:
    """Whether the user is in their direct conversation with the bot."""
    return interaction.guild_id is None and interaction.context.dm_channel


def is_computer(interaction: Interaction, user: discord.Member | discord.User | None) -> bool:
    """Whether the user is the bot itself."""
    return user is not None and interaction.client.user is not None and user.id == interaction.client.user.id


def may_grant(interaction: Interaction) -> bool:
    """Whether the user can give the bot permissions in this channel."""
    permissions = interaction.permissions
    return permissions.administrator or permissions.manage_roles or permissions.manage_guild


def read_number(typed: str, refusal: str) -> int:
    """Read a number such as ``3`` or ``#3``, or a choice whose label begins with it.

    Raises :class:`NumberError` with the ``refusal``, which is not translated yet.
    """
    found = _NUMBER.fullmatch(plain(typed[:LONGEST_CHOICE]).strip())
    if found is None:
        raise NumberError(refusal)
    return int(found[1] or found[2])


def choice(name: str, value: Any) -> app_commands.Choice[Any]:
    return app_commands.Choice(name=shorten(name, LONGEST_CHOICE), value=value)


# Discord sometimes sends the label of a choice in place of its value, so options read both.


def noted_choice(value: str, *notes: str) -> app_commands.Choice[Any]:
    """A choice labelled with its value and notes on it; :func:`without_notes` reads the label, too."""
    label = _NOTE.join(filter(None, [value, *notes]))
    return choice(label if len(value) + len(_NOTE) < LONGEST_CHOICE else value, value)


def without_notes(typed: str) -> str:
    """The value of a :func:`noted_choice`. Raises the refusal of a :func:`refused_choice`."""
    if typed.startswith(_REFUSED):
        raise RefusalError(as_markdown(typed.removeprefix(_REFUSED)))
    return typed.partition(_NOTE)[0]


def refused_choice(reason: str, typed: str) -> app_commands.Choice[Any]:
    """A choice that only explains a refusal; the command refuses it for the same reason."""
    label = shorten(f"{_REFUSED}{reason}", LONGEST_CHOICE)
    return choice(label, typed if len(typed) <= LONGEST_CHOICE else label)


def distinct(labels: Mapping[_Value, str]) -> dict[_Value, str]:
    """The labels of choices, with their values where several choices have the same label."""
    counts = Counter(labels.values())
    return {value: label if counts[label] == 1 else f"{label}{_NOTE}{value}" for value, label in labels.items()}


def chosen(typed: str, labels: Mapping[_Value, str]) -> _Value | None:
    """The value that a text names, directly or by its label; None if there is none."""
    wanted = _folded(typed)
    for value, label in labels.items():
        if wanted in (_folded(str(value)), _folded(label), _folded(shorten(label, LONGEST_CHOICE))):
            return value
    return None


def _folded(text: str) -> str:
    return plain(text).strip().casefold()


def suggestions(
    suggest: Callable[_Parameters, Awaitable[Choices]],
) -> Callable[_Parameters, Coroutine[Any, Any, Choices]]:
    """Decorate an autocomplete callback: after a failure, it suggests nothing, and the command explains the failure."""

    @functools.wraps(suggest)  # discord.py recognises methods by their names
    async def guarded(*args: _Parameters.args, **kwargs: _Parameters.kwargs) -> Choices:
        try:
            return (await suggest(*args, **kwargs))[:MOST_CHOICES]
        except Exception as error:
            if sentence(error, CommandMentions()) is None:
                _LOG.exception("autocomplete_failed", autocomplete=suggest.__qualname__)
            return []

    return guarded

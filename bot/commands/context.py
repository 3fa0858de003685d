"""From an interaction to values of the domain."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import discord
import structlog
from discord import app_commands

from bot.cards import words
from bot.errors import RefusalError, sentence
from bot.matches.errors import UnknownMatchError
from bot.matches.model import Filter, Match, Names, Place, Player
from bot.texts import gettext as _

if TYPE_CHECKING:
    from bot.app import Hexgrove

    Interaction = discord.Interaction[Hexgrove]
else:
    Interaction = discord.Interaction

_LOG = structlog.get_logger(__name__)

Choices = list[app_commands.Choice[Any]]
#: Discord shows at most 25 choices, of at most 100 characters each.
MOST_CHOICES = 25
LONGEST_CHOICE = 100
#: An option in which people type, or pick one of those choices.
Typed = app_commands.Range[str, 1, LONGEST_CHOICE]
_NUMBER = re.compile("#?[0-9]{1,9}")


def player_of(user: discord.User | discord.Member) -> Player:
    """Somebody with the name that they have here."""
    names = Names(user.global_name or user.name, user.name)
    if isinstance(user, discord.Member):
        names = replace(names, guild_id=user.guild.id, nickname=user.nick)
    return Player(user.id, names.nickname or names.account, names)


def place_of(interaction: Interaction) -> Place:
    assert interaction.channel_id is not None, "commands and buttons are used somewhere"
    return Place(interaction.guild_id, interaction.channel_id)


def parent_of(interaction: Interaction) -> int | None:
    """The channel that a thread belongs to; None elsewhere."""
    channel = interaction.channel
    return channel.parent_id if isinstance(channel, discord.Thread) else None


def roles_of(interaction: Interaction) -> list[int]:
    """The ids of the user's roles in the server."""
    user = interaction.user
    return [role.id for role in user.roles] if isinstance(user, discord.Member) else []


def alone(interaction: Interaction) -> bool:
    """Whether this is the user's conversation with the bot, where nobody else is."""
    return interaction.guild_id is None and interaction.context.dm_channel


def match_number(typed: str | None) -> int | None:
    """The number in the option ``match``, such as ``3`` or ``#3``."""
    if typed is None:
        return None
    digits = typed.strip().removeprefix("#")
    if not (digits.isascii() and digits.isdecimal() and len(digits) < 10):
        raise RefusalError(_("A match is named by its number, such as #3. Pick one from the list that `match` offers."))
    return int(digits)


def choice(name: str, value: Any) -> app_commands.Choice[Any]:
    return app_commands.Choice(
        name=name if len(name) <= LONGEST_CHOICE else name[: LONGEST_CHOICE - 1] + "…", value=value
    )


def suggestions(
    suggest: Callable[[Interaction, str], Awaitable[Choices]],
) -> Callable[[discord.Interaction[Any], str], Coroutine[Any, Any, Choices]]:
    """An autocomplete callback that offers nothing when it fails or refuses: the user can still type, and the command
    explains.
    """

    async def guarded(interaction: discord.Interaction[Any], current: str) -> Choices:
        try:
            return (await suggest(interaction, current))[:MOST_CHOICES]
        except Exception as error:
            if sentence(error) is None:
                _LOG.exception("autocomplete_failed", command=interaction.command and interaction.command.name)
            return []

    return guarded


@suggestions
async def my_matches(interaction: Interaction, current: str) -> Choices:
    """The user's running matches."""
    return await _offer_matches(interaction, current, interaction.user.id)


@suggestions
async def all_matches(interaction: Interaction, current: str) -> Choices:
    """All matches that are running in the server."""
    return await _offer_matches(interaction, current, None)


@suggestions
async def any_match(interaction: Interaction, current: str) -> Choices:
    """Matches to look at: the user's own wherever they are, and those of the server; running ones first."""
    client, place, me = interaction.client, place_of(interaction), interaction.user.id
    running = [each.match for each in await client.history.running(player_id=me, seen_from=place)]
    mine = (await client.history.finished(Filter(player_id=me), seen_from=place)).matches
    here = await client.matches.running_matches(place)
    over = (await client.history.finished(Filter(place=place))).matches
    wanted, offered = current.strip().casefold(), {}
    named = match_number(current) if _NUMBER.fullmatch(wanted) else None
    if named is not None:
        with suppress(UnknownMatchError):
            offered[named] = await client.history.look_up(place, me, named)
    offered.update({match.id: match for match in (*running, *mine, *here, *over)})
    labels = {match.id: _label(match) for match in offered.values()}
    return [choice(label, str(number)) for number, label in labels.items() if wanted in label.casefold()]


def _label(match: Match) -> str:
    """A match in one line of plain text."""
    players = _("{first} vs {second}").format(
        first=words.plain_name(match.first), second=words.plain_name(match.second)
    )
    state = _("running") if match.result is None else f"{match.ended_at:%Y-%m-%d}"
    return f"#{match.id} {match.ruleset.game.title} · {players} · {state}"


async def _offer_matches(interaction: Interaction, current: str, player_id: int | None) -> Choices:
    place, me = place_of(interaction), interaction.user.id
    matches = interaction.client.matches
    offered = []
    for match in await matches.running_matches(place, player_id):
        awaited = (await matches.game(match.id)).to_act
        if awaited is None or awaited.id == me:
            turn = _("your turn")
        else:
            turn = _("{player}'s turn").format(player=words.plain_name(awaited))
        players = _("{first} vs {second}").format(
            first=words.plain_name(match.first), second=words.plain_name(match.second)
        )
        label = f"#{match.id} {match.ruleset.game.title} · {players} · {turn}"
        if current.strip().casefold() in label.casefold():
            offered.append(choice(label, str(match.id)))
            if len(offered) == MOST_CHOICES:
                break
    return offered

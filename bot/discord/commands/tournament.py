"""``/tournament``: round robins among the members of a channel."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import suppress

from discord import app_commands

import rules
from bot.discord import replies
from bot.discord.access import may_moderate, thread_parent, viewer_of, viewer_of_lists
from bot.discord.cards import words
from bot.discord.cards.scenes import private_look
from bot.discord.cards.tournament import cross_table_picture, take_out_question, tournament_card, withdraw_question
from bot.discord.commands.challenge import check_challenge, sizes, variants
from bot.discord.commands.clock import clocks
from bot.discord.delivery import NotShownError
from bot.discord.errors import RefusalError
from bot.discord.interactions import (
    MOST_CHOICES,
    Choices,
    Interaction,
    Typed,
    choice,
    match_number,
    place_of,
    player_of,
    roles_of,
    suggestions,
)
from bot.discord.messages import Press
from bot.discord.quoting import as_text
from bot.domain.clocks import DAY, TimeControl, read_time_control
from bot.domain.errors import NoEntrantError
from bot.domain.players import Player
from bot.domain.tournaments import Tournament, TournamentState
from bot.services.tournaments import MOST_AT_ONCE
from bot.texts import gettext as _
from bot.texts import gettext_noop

_LONGEST_NAME = 60
#: With a clock, somebody who does not play any more does not keep the end away for ever.
_USUAL_CONTROL = TimeControl.banks_of(3 * DAY, DAY)
_NUMBER = gettext_noop("The number of the tournament, if it is not the latest one here")

tournament = app_commands.Group(
    name="tournament",
    description=gettext_noop("Tournaments in which everybody plays everybody once"),
    allowed_installs=app_commands.AppInstallationType(guild=True, user=False),
    allowed_contexts=app_commands.AppCommandContext(guild=True, dm_channel=False, private_channel=False),
)


@suggestions
async def tournaments(interaction: Interaction, current: str) -> Choices:
    """The tournaments of the server that the user can see, those of the channel first."""
    service = interaction.client.tournaments
    known = await service.known(await viewer_of_lists(interaction))
    offered = []
    for number in known[:MOST_CHOICES]:
        found = await service.get(number)
        label = f"#{found.id} {words.title(found)} · {found.ruleset.game.title}"
        if current.strip().casefold() in label.casefold():
            offered.append(choice(label, str(found.id)))
    return offered


@suggestions
async def entrants(interaction: Interaction, current: str) -> Choices:
    """Who takes part in the tournament that is meant."""
    found = await _meant(interaction, interaction.namespace.number or None)
    wanted = current.strip().casefold()
    return [
        choice(name, str(each.id)) for each in _present(found) if wanted in (name := words.plain_name(each)).casefold()
    ]


@tournament.command(description=gettext_noop("Open a tournament in this channel, for others to join"))
@app_commands.describe(
    game=gettext_noop("The game to play"),
    name=gettext_noop("What the tournament is called"),
    size=gettext_noop("Cells on each side of the board"),
    variant=gettext_noop("A variant of the rules"),
    clock=gettext_noop("How much time you have, such as 1 day a turn, or none; usually 3 days + 1 day"),
    at_once=gettext_noop("How many games everybody plays at the same time; usually 2"),
)
@app_commands.choices(
    game=[app_commands.Choice(name=game.title, value=game.name) for game in rules.GAMES.values()],
)
@app_commands.autocomplete(size=sizes, variant=variants, clock=clocks)
async def create(
    interaction: Interaction,
    game: str,
    name: app_commands.Range[str, 1, _LONGEST_NAME] | None = None,
    size: int | None = None,
    variant: Typed | None = None,
    clock: Typed | None = None,
    at_once: app_commands.Range[int, 1, MOST_AT_ONCE] = 2,
) -> None:
    ruleset = rules.ruleset(game, size, variant)
    control = _USUAL_CONTROL if clock is None else read_time_control(clock)
    await check_challenge(interaction, None)
    opened = await interaction.client.tournaments.create(
        place_of(interaction),
        " ".join((name or "").split())[:_LONGEST_NAME],
        player_of(interaction.user),
        ruleset,
        control=control,
        at_once=at_once,
        parent_id=await thread_parent(interaction),
        role_ids=roles_of(interaction),
    )
    await interaction.client.tournament_presenter.show(opened.id)
    await replies.finish(interaction)


@tournament.command(description=gettext_noop("Join a tournament that has not begun"))
@app_commands.describe(number=_NUMBER)
@app_commands.autocomplete(number=tournaments)
async def join(interaction: Interaction, number: Typed | None = None) -> None:
    found = await _meant(interaction, number)
    await _join(interaction, found)
    await _tell(interaction, found, _("You take part in {tournament} now."))


@tournament.command(description=gettext_noop("Begin a tournament that you opened"))
@app_commands.describe(number=_NUMBER)
@app_commands.autocomplete(number=tournaments)
async def start(interaction: Interaction, number: Typed | None = None) -> None:
    found = await _meant(interaction, number)
    await _start(interaction, found)
    await _tell(interaction, found, _("{tournament} begins."))


@tournament.command(description=gettext_noop("How a tournament stands, with its cross table"))
@app_commands.describe(number=_NUMBER)
@app_commands.autocomplete(number=tournaments)
async def standings(interaction: Interaction, number: Typed | None = None) -> None:
    client = interaction.client
    found = await _meant(interaction, number, going_on=False)
    table = await client.tournaments.table(found.id)
    picture = None
    if found.state in (TournamentState.RUNNING, TournamentState.OVER):
        look = private_look(await client.preferences.preferences(interaction.user.id))
        picture = await asyncio.to_thread(cross_table_picture, table, look)
    await replies.tell(interaction, tournament_card(table, picture))


@tournament.command(description=gettext_noop("Leave a tournament; I ask before it counts"))
@app_commands.describe(
    number=_NUMBER, player=gettext_noop("Somebody who is absent, if you are the organiser or a moderator")
)
@app_commands.autocomplete(number=tournaments, player=entrants)
async def withdraw(interaction: Interaction, number: Typed | None = None, player: Typed | None = None) -> None:
    found = await _meant(interaction, number)
    if player is not None:
        absent = _entrant(found, player)
        if absent.id != interaction.user.id:
            await _ask_to_take_out(interaction, found, absent)
            return
    if found.state is TournamentState.RUNNING:
        mine = [each for each in found.entrants if each.player.id == interaction.user.id and each.withdrawn_at is None]
        if not mine:
            raise NoEntrantError
        await replies.tell(interaction, withdraw_question(found))
        return
    await _leave(interaction, found)
    await _tell(interaction, found, _("You left {tournament}."))


@tournament.command(description=gettext_noop("Call off a tournament that you opened; its running games go on"))
@app_commands.describe(number=_NUMBER)
@app_commands.autocomplete(number=tournaments)
async def cancel(interaction: Interaction, number: Typed | None = None) -> None:
    found = await _meant(interaction, number)
    await interaction.client.tournaments.cancel(
        found.id, interaction.user.id, moderator=await may_moderate(interaction, found.place)
    )
    await interaction.client.tournament_presenter.show(found.id)
    await _tell(interaction, found, _("You called {tournament} off."))


async def use_tournament(interaction: Interaction, press: Press) -> None:
    """The buttons of a tournament's card, and of the question whether to withdraw."""
    found = await _meant(interaction, str(press.subject))
    match press.action:
        case "tournament-join":
            await _join(interaction, found)
        case "tournament-leave":
            await _leave(interaction, found)
        case "tournament-start":
            await _start(interaction, found)
        case "tournament-withdraw":
            await interaction.client.tournaments.withdraw(found.id, interaction.user.id)
            await replies.replace(interaction, _("You withdrew from the tournament."))
            await interaction.client.tournament_presenter.show(found.id)
        case "tournament-take-out":
            await _take_out(interaction, found, _entrant(found, press.argument))
        case "tournament-keep":
            await replies.replace(interaction, _("Good. Nothing has changed."))
        case _:
            await replies.replace(interaction, _("Good. You are still in."))


async def _tell(interaction: Interaction, found: Tournament, text: str) -> None:
    """Answers a command, of which the tournament's card may be far away."""
    await replies.tell(interaction, text.format(tournament=f"**{words.tournament(found)}**"))


async def _meant(interaction: Interaction, number: str | None, *, going_on: bool = True) -> Tournament:
    named = match_number(number)
    viewer = viewer_of(interaction) if named is not None else await viewer_of_lists(interaction)
    return await interaction.client.tournaments.find(viewer, named, going_on=going_on)


def _present(found: Tournament) -> Iterable[Player]:
    return (each.player for each in found.entrants if each.withdrawn_at is None and not each.player.forgotten)


def _entrant(found: Tournament, typed: str) -> Player:
    """Who is meant: one of the list that the option offers, or a name."""
    wanted = as_text(typed.strip().removeprefix("@")).casefold()
    for player in _present(found):
        if wanted in (str(player.id), f"<@{player.id}>", words.plain_name(player).casefold()):
            return player
    raise NoEntrantError(own=False)


async def _ask_to_take_out(interaction: Interaction, found: Tournament, absent: Player) -> None:
    client = interaction.client
    await client.tournaments.check_take_out(
        found.id, absent.id, interaction.user.id, moderator=await may_moderate(interaction, found.place)
    )
    if found.state is TournamentState.RUNNING:
        await replies.tell(interaction, take_out_question(found, absent))
        return
    await _take_out(interaction, found, absent)


async def _take_out(interaction: Interaction, found: Tournament, absent: Player) -> None:
    client = interaction.client
    ended = await client.tournaments.take_out(
        found.id, absent.id, player_of(interaction.user), moderator=await may_moderate(interaction, found.place)
    )
    done = _("{player} is not in the tournament any more.").format(player=words.name(absent))
    await (replies.tell if interaction.message is None else replies.replace)(interaction, done)
    for match_id in ended:
        with suppress(NotShownError):  # it is stored, and shown when somebody asks for the board
            await client.presenter.show_match(match_id)
    await client.tournament_presenter.show(found.id)


async def _join(interaction: Interaction, found: Tournament) -> None:
    await interaction.client.tournaments.join(found.id, player_of(interaction.user))
    await interaction.client.tournament_presenter.show(found.id)


async def _leave(interaction: Interaction, found: Tournament) -> None:
    if found.state is TournamentState.RUNNING:
        raise RefusalError(
            _("{name} has begun. {command} lets you withdraw from it.").format(
                name=f"🏟️ {words.tournament(found)}", command=words.command("tournament withdraw")
            )
        )
    await interaction.client.tournaments.withdraw(found.id, interaction.user.id)
    await interaction.client.tournament_presenter.show(found.id)


async def _start(interaction: Interaction, found: Tournament) -> None:
    """The games begin by the tournament's timer, so that a crash in between loses none."""
    client = interaction.client
    await client.tournaments.start(
        found.id, interaction.user.id, moderator=await may_moderate(interaction, found.place)
    )
    await client.tournament_presenter.show(found.id)

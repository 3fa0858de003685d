"""``/tournament``: round robins among the members of a channel."""

from __future__ import annotations

import asyncio

from discord import app_commands

import render
import rules
from bot import replies
from bot.cards import words
from bot.cards.looks import private_look
from bot.cards.post import Press
from bot.cards.tournament import cross_table_picture, heading, tournament_card, withdraw_question
from bot.commands.challenge import check_challenge, sizes, variants
from bot.commands.clock import clocks
from bot.commands.context import Choices, Interaction, choice, match_number, parent_of, place_of, player_of, suggestions
from bot.commands.courtesies import may_moderate
from bot.errors import RefusalError
from bot.matches.clocks import read_time_control
from bot.matches.errors import NoEntrantError
from bot.matches.model import Tournament, TournamentState
from bot.matches.tournaments import MOST_AT_ONCE
from bot.texts import gettext as _
from bot.texts import later

_LONGEST_NAME = 60
_NUMBER = later("The number of the tournament, if it is not the latest one here")

tournament = app_commands.Group(
    name="tournament",
    description=later("Tournaments in which everybody plays everybody once"),
    allowed_installs=app_commands.AppInstallationType(guild=True, user=False),
    allowed_contexts=app_commands.AppCommandContext(guild=True, dm_channel=False, private_channel=False),
)


@suggestions
async def tournaments(interaction: Interaction, current: str) -> Choices:
    """The tournaments of the server, those of the channel first."""
    service, place = interaction.client.tournaments, place_of(interaction)
    offered = []
    for number in (await interaction.client.storage.tournaments_at(place, going_on=False))[:25]:
        found = await service.get(number)
        label = f"#{found.id} {found.name} · {found.ruleset.game.title}"
        if current.strip().casefold() in label.casefold():
            offered.append(choice(label, str(found.id)))
    return offered


@tournament.command(description=later("Open a tournament in this channel, for others to join"))
@app_commands.describe(
    game=later("The game to play"),
    name=later("What the tournament is called"),
    size=later("Cells on each side of the board"),
    variant=later("A variant of the rules"),
    clock=later("How much time you have, such as 3 days + 1 day; usually none"),
    at_once=later("How many games everybody plays at the same time; usually 2"),
)
@app_commands.choices(
    game=[app_commands.Choice(name=game.title, value=game.name) for game in render.GAMES.values()],
)
@app_commands.autocomplete(size=sizes, variant=variants, clock=clocks)
async def create(
    interaction: Interaction,
    game: str,
    name: app_commands.Range[str, 1, _LONGEST_NAME] | None = None,
    size: int | None = None,
    variant: str | None = None,
    clock: str = "",
    at_once: app_commands.Range[int, 1, MOST_AT_ONCE] = 2,
) -> None:
    if game not in render.GAMES:
        games = ", ".join(each.title for each in render.GAMES.values())
        raise RefusalError(_("You can play {games} here so far.").format(games=games))
    ruleset = rules.ruleset(game, size, variant)
    control = read_time_control(clock)
    await check_challenge(interaction, None)
    organiser = player_of(interaction.user)
    title = " ".join((name or "").split()) or _("{player}'s tournament").format(player=organiser.name)
    opened = await interaction.client.tournaments.create(
        place_of(interaction),
        title,
        organiser,
        ruleset,
        control=control,
        at_once=at_once,
        parent_id=parent_of(interaction),
    )
    await interaction.client.desk.show(opened.id)
    await replies.finish(interaction)


@tournament.command(description=later("Join a tournament that has not begun"))
@app_commands.describe(number=_NUMBER)
@app_commands.autocomplete(number=tournaments)
async def join(interaction: Interaction, number: str | None = None) -> None:
    found = await _meant(interaction, number)
    await _join(interaction, found)
    await _tell(interaction, found, _("You take part in {tournament} now."))


@tournament.command(description=later("Begin a tournament that you opened"))
@app_commands.describe(number=_NUMBER)
@app_commands.autocomplete(number=tournaments)
async def start(interaction: Interaction, number: str | None = None) -> None:
    found = await _meant(interaction, number)
    await _start(interaction, found)
    await _tell(interaction, found, _("{tournament} begins."))


@tournament.command(description=later("How a tournament stands, with its cross table"))
@app_commands.describe(number=_NUMBER)
@app_commands.autocomplete(number=tournaments)
async def standings(interaction: Interaction, number: str | None = None) -> None:
    client = interaction.client
    found = await client.tournaments.find(place_of(interaction), match_number(number), going_on=False)
    table = await client.tournaments.table(found.id)
    picture = None
    if found.state in (TournamentState.RUNNING, TournamentState.OVER):
        look = private_look(await client.preferences.preferences(interaction.user.id))
        picture = await asyncio.to_thread(cross_table_picture, table, look)
    await replies.tell(interaction, tournament_card(table, picture))


@tournament.command(description=later("Leave a tournament; I ask before it counts"))
@app_commands.describe(number=_NUMBER)
@app_commands.autocomplete(number=tournaments)
async def withdraw(interaction: Interaction, number: str | None = None) -> None:
    found = await _meant(interaction, number)
    if found.state is TournamentState.RUNNING:
        mine = [each for each in found.entrants if each.player.id == interaction.user.id and each.withdrawn_at is None]
        if not mine:
            raise NoEntrantError
        await replies.tell(interaction, withdraw_question(found))
        return
    await _leave(interaction, found)
    await _tell(interaction, found, _("You left {tournament}."))


@tournament.command(description=later("Call off a tournament that you opened; its running games go on"))
@app_commands.describe(number=_NUMBER)
@app_commands.autocomplete(number=tournaments)
async def cancel(interaction: Interaction, number: str | None = None) -> None:
    found = await _meant(interaction, number)
    await interaction.client.tournaments.cancel(found.id, interaction.user.id, moderator=may_moderate(interaction))
    await interaction.client.desk.show(found.id)
    await _tell(interaction, found, _("You called {tournament} off."))


async def use_tournament(interaction: Interaction, press: Press) -> None:
    """The buttons of a tournament's card, and of the question whether to withdraw."""
    found = await interaction.client.tournaments.find(place_of(interaction), press.subject)
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
            await interaction.client.desk.show(found.id)
        case _:
            await replies.replace(interaction, _("Good. You are still in."))


async def _tell(interaction: Interaction, found: Tournament, text: str) -> None:
    """Answers a command, of which the tournament's card may be far away."""
    await replies.tell(interaction, text.format(tournament=f"**{words.escaped(found.name)}**"))


async def _meant(interaction: Interaction, number: str | None) -> Tournament:
    return await interaction.client.tournaments.find(place_of(interaction), match_number(number))


async def _join(interaction: Interaction, found: Tournament) -> None:
    await interaction.client.tournaments.join(found.id, player_of(interaction.user))
    await interaction.client.desk.show(found.id)


async def _leave(interaction: Interaction, found: Tournament) -> None:
    if found.state is TournamentState.RUNNING:
        raise RefusalError(
            _("{name} has begun. {command} lets you withdraw from it.").format(
                name=heading(found).removeprefix("### "), command=words.command("tournament withdraw")
            )
        )
    await interaction.client.tournaments.withdraw(found.id, interaction.user.id)
    await interaction.client.desk.show(found.id)


async def _start(interaction: Interaction, found: Tournament) -> None:
    """The games begin by the tournament's timer, so that a crash in between loses none."""
    client = interaction.client
    await client.tournaments.start(found.id, interaction.user.id, moderator=may_moderate(interaction))
    await client.desk.show(found.id)

"""``/tournament``: round robins among the members of a channel."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from discord import app_commands
from discord.ext import commands

import rules
from bot.discord.interaction.access import Access
from bot.discord.interaction.errors import RefusalError
from bot.discord.interaction.feature import Feature, handles
from bot.discord.interaction.interactions import (
    MOST_CHOICES,
    Choices,
    Interaction,
    Typed,
    TypedOption,
    choice,
    player_of,
    read_number,
    roles_of,
    suggestions,
)
from bot.discord.interaction.languages import Languages
from bot.discord.interaction.options.clock import Clock
from bot.discord.interaction.options.ruleset import ExplainedGame, Size, Variant
from bot.discord.interaction.permissions import check_challenge
from bot.discord.posting.card_presenters import TournamentPresenter
from bot.discord.posting.cards.tournament import (
    JoinTournament,
    KeepEntrant,
    LeaveTournament,
    RemoveEntrant,
    StartTournament,
    StayInTournament,
    TournamentPress,
    WithdrawFromTournament,
    cross_table_picture,
    removal_question,
    tournament_card,
    withdrawal_question,
)
from bot.discord.posting.messenger import log_not_shown
from bot.discord.posting.presenter import Presenter
from bot.discord.transport import replies
from bot.domain.clocks import DAY, TimeControl
from bot.domain.players import Player
from bot.domain.timers import TimerKind
from bot.domain.tournaments import MAX_AT_ONCE, NoEntrantError, Tournament, TournamentState
from bot.services.timers import on_timer
from bot.services.tournaments import Tournaments
from bot.texts import gettext as _
from bot.texts import gettext_noop
from bot.wording import words
from bot.wording.looks import private_look
from bot.wording.quoting import as_text

_LONGEST_NAME = 60
#: With a clock, a player who has stopped playing does not hold up the tournament forever.
_DEFAULT_CONTROL = TimeControl.banks_of(3 * DAY, DAY)
_NUMBER = gettext_noop("The number of the tournament; usually the latest one here")


class TournamentOption(TypedOption):
    """The number of a tournament."""

    async def transform(self, _interaction: Interaction, typed: str) -> int:
        return _number(typed)

    @suggestions
    async def autocomplete(self, interaction: Interaction, current: Any) -> Choices:
        """Suggest the tournaments that the user can see on the server, beginning with this channel."""
        assert isinstance(interaction.command, app_commands.Command)
        feature: Any = interaction.command.binding
        offered = await feature.tournaments.visible(await feature.access.viewer_of_lists(interaction), MOST_CHOICES)
        labels = {each.id: f"#{each.id} {words.title(each)} · {each.ruleset.game.title}" for each in offered}
        wanted = current.strip().casefold()
        return [choice(label, str(number)) for number, label in labels.items() if wanted in label.casefold()]


KnownTournament = app_commands.Transform[int, TournamentOption]


def _number(typed: str) -> int:
    return read_number(
        typed, gettext_noop("A tournament has a number, such as #3. Choose one from the list of `number`.")
    )


@dataclass
@app_commands.allowed_installs(guilds=True, users=False)
@app_commands.allowed_contexts(guilds=True, dms=False, private_channels=False)
class TournamentCommands(
    Feature,
    commands.GroupCog,
    group_name="tournament",
    group_description=gettext_noop("Round-robin tournaments, in which everyone plays everyone else once"),
):
    tournaments: Tournaments
    languages: Languages
    access: Access
    presenter: Presenter
    tournament_presenter: TournamentPresenter

    @on_timer(TimerKind.TOURNAMENT)
    async def advance(self, tournament_id: int) -> None:
        """Begin or end the matches that are due, and show what has changed."""
        for match_id in await self.tournaments.advance(tournament_id):
            with log_not_shown("match_not_shown", match=match_id):
                await self.presenter.show_match(match_id)
        with log_not_shown("tournament_not_shown", retry=True, tournament=tournament_id):
            await self.tournament_presenter.show(tournament_id)

    # Options

    @suggestions
    async def entrants(self, interaction: Interaction, current: str) -> Choices:
        """Suggest the players of the tournament that the other option names."""
        typed = interaction.namespace.number
        tournament = await self._find(interaction, _number(typed) if typed else None)
        wanted = current.strip().casefold()
        names = {each.id: words.plain_name(each) for each in _nameable(tournament)}
        return [choice(name, str(player_id)) for player_id, name in names.items() if wanted in name.casefold()]

    # Commands

    @app_commands.command(description=gettext_noop("Open a tournament in this channel, for others to join"))
    @app_commands.describe(
        game=gettext_noop("The game to play"),
        name=gettext_noop("The name of the tournament"),
        size=gettext_noop("Cells on each side of the board"),
        variant=gettext_noop("A variant of the rules"),
        clock=gettext_noop("How much time you have, such as 1 day a turn, or none; usually 3 days + 1 day"),
        at_once=gettext_noop("How many matches each player has at the same time; usually 2"),
    )
    async def create(
        self,
        interaction: Interaction,
        game: ExplainedGame,
        name: app_commands.Range[str, 1, _LONGEST_NAME] | None = None,
        size: Size | None = None,
        variant: Variant | None = None,
        clock: Clock = _DEFAULT_CONTROL,
        at_once: app_commands.Range[int, 1, MAX_AT_ONCE] = 2,
    ) -> None:
        ruleset = rules.ruleset(game.name, size, variant)
        await check_challenge(interaction, None)
        opened = await self.tournaments.create(
            await self.access.place_of(interaction),
            " ".join((name or "").split())[:_LONGEST_NAME],
            player_of(interaction.user),
            ruleset,
            control=clock,
            at_once=at_once,
            role_ids=roles_of(interaction),
        )
        await self.tournament_presenter.show(opened.id)
        await replies.finish(interaction)

    @app_commands.command(description=gettext_noop("Join a tournament that has not started yet"))
    @app_commands.describe(number=_NUMBER)
    async def join(self, interaction: Interaction, number: KnownTournament | None = None) -> None:
        tournament = await self._find(interaction, number)
        await self._join(interaction, tournament)
        await _answer(interaction, tournament, _("You have joined {tournament}."))

    @app_commands.command(description=gettext_noop("Start a tournament that you opened"))
    @app_commands.describe(number=_NUMBER)
    async def start(self, interaction: Interaction, number: KnownTournament | None = None) -> None:
        tournament = await self._find(interaction, number)
        await self._start(interaction, tournament)
        await _answer(interaction, tournament, _("{tournament} has started."))

    @app_commands.command(description=gettext_noop("The standings of a tournament, with its cross table"))
    @app_commands.describe(number=_NUMBER)
    async def standings(self, interaction: Interaction, number: KnownTournament | None = None) -> None:
        tournament = await self._find(interaction, number, ongoing=False)
        table = await self.tournaments.table(tournament.id)
        picture = None
        if tournament.state in (TournamentState.RUNNING, TournamentState.OVER):
            look = private_look(await self.languages.load(interaction))
            picture = await asyncio.to_thread(cross_table_picture, table, look)
        await replies.tell(interaction, tournament_card(table, picture))

    @app_commands.command(description=gettext_noop("Leave a tournament; once it has started, I ask you to confirm"))
    @app_commands.describe(
        number=_NUMBER, player=gettext_noop("A player to remove, if you are the organiser or a moderator")
    )
    @app_commands.autocomplete(player=entrants)
    async def withdraw(
        self, interaction: Interaction, number: KnownTournament | None = None, player: Typed | None = None
    ) -> None:
        tournament = await self._find(interaction, number)
        if player is not None:
            entrant = _entrant(tournament, player)
            if entrant.id != interaction.user.id:
                await self._ask_to_remove(interaction, tournament, entrant)
                return
        if tournament.state is TournamentState.RUNNING:
            if not tournament.has_active(interaction.user.id):
                raise NoEntrantError
            await replies.tell(interaction, withdrawal_question(tournament))
            return
        await self._leave(interaction, tournament)
        await _answer(interaction, tournament, _("You left {tournament}."))

    @app_commands.command(description=gettext_noop("Call off a tournament that you opened; running matches continue"))
    @app_commands.describe(number=_NUMBER)
    async def cancel(self, interaction: Interaction, number: KnownTournament | None = None) -> None:
        tournament = await self._find(interaction, number)
        moderator = await self.access.may_moderate(interaction, tournament.place)
        await self.tournaments.cancel(tournament.id, interaction.user.id, moderator=moderator)
        await self.tournament_presenter.show(tournament.id)
        await _answer(interaction, tournament, _("You called {tournament} off."))

    # Buttons

    @handles(JoinTournament, LeaveTournament, StartTournament)
    async def press_entry(self, interaction: Interaction, press: TournamentPress) -> None:
        """Join, leave or start the tournament of a card."""
        change = {JoinTournament: self._join, LeaveTournament: self._leave, StartTournament: self._start}[type(press)]
        await change(interaction, await self._find(interaction, press.tournament_id))

    @handles(WithdrawFromTournament)
    async def press_withdraw(self, interaction: Interaction, press: WithdrawFromTournament) -> None:
        tournament = await self._find(interaction, press.tournament_id)
        await self.tournaments.withdraw(tournament.id, interaction.user.id)
        await replies.replace(interaction, _("You withdrew from the tournament."))
        await self.tournament_presenter.show(tournament.id)

    @handles(StayInTournament)
    async def press_stay(self, interaction: Interaction, _press: StayInTournament) -> None:
        await replies.replace(interaction, _("Good. You are still in the tournament."))

    @handles(RemoveEntrant)
    async def press_remove(self, interaction: Interaction, press: RemoveEntrant) -> None:
        tournament = await self._find(interaction, press.tournament_id)
        await self._remove(interaction, tournament, _entrant(tournament, str(press.player_id)))

    @handles(KeepEntrant)
    async def press_keep(self, interaction: Interaction, _press: KeepEntrant) -> None:
        await replies.replace(interaction, _("OK. Nothing has changed."))

    # Shared parts

    async def _find(self, interaction: Interaction, number: int | None, *, ongoing: bool = True) -> Tournament:
        viewer = self.access.viewer_of(interaction)
        if number is None:
            viewer = await self.access.viewer_of_lists(interaction)
        return await self.tournaments.find(viewer, number, ongoing=ongoing)

    async def _join(self, interaction: Interaction, tournament: Tournament) -> None:
        await self.tournaments.join(tournament.id, player_of(interaction.user))
        await self.tournament_presenter.show(tournament.id)

    async def _leave(self, interaction: Interaction, tournament: Tournament) -> None:
        if tournament.state is TournamentState.RUNNING:
            text, command = _("{name} has started. {command} lets you withdraw from it."), "tournament withdraw"
            raise RefusalError(text.format(name=f"🏟️ {words.tournament(tournament)}", command=words.command(command)))
        await self.tournaments.withdraw(tournament.id, interaction.user.id)
        await self.tournament_presenter.show(tournament.id)

    async def _start(self, interaction: Interaction, tournament: Tournament) -> None:
        """Start a tournament; its timer begins the matches, so that a crash loses none."""
        moderator = await self.access.may_moderate(interaction, tournament.place)
        await self.tournaments.start(tournament.id, interaction.user.id, moderator=moderator)
        await self.tournament_presenter.show(tournament.id)

    async def _ask_to_remove(self, interaction: Interaction, tournament: Tournament, entrant: Player) -> None:
        if tournament.state is not TournamentState.RUNNING:
            await self._remove(interaction, tournament, entrant)
            return
        moderator = await self.access.may_moderate(interaction, tournament.place)
        await self.tournaments.check_removal(tournament.id, entrant.id, interaction.user.id, moderator=moderator)
        await replies.tell(interaction, removal_question(tournament, entrant))

    async def _remove(self, interaction: Interaction, tournament: Tournament, entrant: Player) -> None:
        moderator = await self.access.may_moderate(interaction, tournament.place)
        user = player_of(interaction.user)
        ended = await self.tournaments.remove(tournament.id, entrant.id, user, moderator=moderator)
        done = _("{player} is no longer in the tournament.").format(player=words.name(entrant))
        await (replies.tell if interaction.message is None else replies.replace)(interaction, done)
        for match_id in ended:
            with log_not_shown("match_not_shown", match=match_id):
                await self.presenter.show_match(match_id)
        await self.tournament_presenter.show(tournament.id)


async def _answer(interaction: Interaction, tournament: Tournament, text: str) -> None:
    """Answer a command in words, since the tournament's card may be far up in the channel."""
    await replies.tell(interaction, text.format(tournament=f"**{words.tournament(tournament)}**"))


def _nameable(tournament: Tournament) -> list[Player]:
    """The active players who have a name."""
    return [each for each in tournament.active if not each.deleted]


def _entrant(tournament: Tournament, typed: str) -> Player:
    """The player with an id, as in the option's list, or with a name."""
    wanted = as_text(typed.strip().removeprefix("@")).casefold()
    for player in _nameable(tournament):
        if wanted in (str(player.id), f"<@{player.id}>", words.plain_name(player).casefold()):
            return player
    raise NoEntrantError("other")

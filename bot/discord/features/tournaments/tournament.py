"""``/tournament``: the tournaments of a server, round robins and cups, with buttons for their players."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from discord import app_commands

import rules
from bot.discord.features.tournaments.tournament_form import (
    LONGEST_NAME,
    ChangeTournament,
    NameTournament,
    OpenTournament,
    TournamentForm,
    name_form,
    tournament_form,
)
from bot.discord.interaction.access import Access
from bot.discord.interaction.feature import Feature, handles, opens_form
from bot.discord.interaction.interactions import Interaction, player_of, roles_of
from bot.discord.interaction.languages import Languages
from bot.discord.interaction.permissions import check_challenge
from bot.discord.posting.card_presenters import TournamentPresenter
from bot.discord.posting.cards.tournament import (
    AskToCallOff,
    BeginTournament,
    CallOff,
    ChooseEntrant,
    JoinTournament,
    KeepEntrant,
    LeaveTournament,
    RemoveEntrant,
    ShowTournament,
    StartTournament,
    StayInTournament,
    TournamentPress,
    WithdrawFromTournament,
    calling_off_question,
    cross_table_picture,
    no_tournament_card,
    options_card,
    removal_question,
    withdrawal_question,
)
from bot.discord.posting.match_presenter import MatchPresenter
from bot.discord.posting.messenger import log_not_shown
from bot.discord.transport.answers import Answer, on_private_card
from bot.discord.ui.messages import MOST_OPTIONS, Form
from bot.discord.ui.presses import Press
from bot.domain.competitions.tournaments import NoEntrantError, Tournament, TournamentState
from bot.domain.deliveries import CardKey
from bot.domain.players import Player
from bot.domain.timers import TimerKind
from bot.pictures import private_look
from bot.runtime.timers import on_timer
from bot.services.tournaments import Tournaments
from bot.texts import gettext as _, gettext_noop

_FIRST_RULESET = rules.ruleset(next(iter(rules.GAMES)))


@dataclass
class TournamentCommand(Feature):
    tournaments: Tournaments
    languages: Languages
    access: Access
    match_presenter: MatchPresenter
    tournament_presenter: TournamentPresenter

    @on_timer(TimerKind.TOURNAMENT)
    async def advance(self, tournament_id: int) -> None:
        """Start and end the matches that are due, and show the tournament."""
        await self.tournaments.advance(tournament_id)
        with log_not_shown("tournament_not_shown", retry=True, tournament=tournament_id):
            await self.tournament_presenter.show(tournament_id)

    @on_timer(TimerKind.CUP_START)
    async def start_cup(self, tournament_id: int) -> None:
        await self.tournaments.start_cup(tournament_id)

    @on_timer(TimerKind.HARD_END)
    async def end_overdue(self, match_id: int) -> None:
        with log_not_shown("match_not_shown", match=match_id):
            await self.match_presenter.leave_lost_place(CardKey(match_id))
        await self.tournaments.end_overdue(match_id)

    @app_commands.command(description=gettext_noop("Tournaments on this server: join, see the standings, or open one"))
    @app_commands.allowed_installs(guilds=True, users=False)
    @app_commands.allowed_contexts(guilds=True, dms=False, private_channels=False)
    async def tournament(self, interaction: Interaction) -> None:
        seen, user_id = await self._visible(interaction), interaction.user.id
        if not seen:
            await Answer.of(interaction).respond(no_tournament_card())
            return
        own = (tournament for tournament in seen if tournament.ongoing and tournament.has_active(user_id))
        await self._respond(interaction, next(own, seen[0]))

    @handles(ShowTournament)
    async def show(self, interaction: Interaction, press: ShowTournament) -> None:
        await self._respond(interaction, await self._find(interaction, press))

    # The form of a new tournament

    @handles(BeginTournament)
    async def begin(self, interaction: Interaction, _press: BeginTournament) -> None:
        await check_challenge(interaction, None)
        await Answer.of(interaction).respond(tournament_form(TournamentForm(_FIRST_RULESET)))

    @handles(ChangeTournament)
    async def change_form(self, interaction: Interaction, press: ChangeTournament) -> None:
        await Answer.of(interaction).respond(tournament_form(press.new_form))

    @opens_form(NameTournament)
    async def ask_for_name(self, _interaction: Interaction, press: NameTournament) -> Form:
        return name_form(press.form)

    @handles(OpenTournament)
    async def open_form(self, interaction: Interaction, press: OpenTournament) -> None:
        form = press.form
        await check_challenge(interaction, None)
        opened = await self.tournaments.create(
            await self.access.place_of(interaction),
            " ".join(press.name.split())[:LONGEST_NAME],
            player_of(interaction.user),
            form.ruleset,
            control=form.control,
            at_once=form.at_once,
            cup=form.cup,
            role_ids=roles_of(interaction),
        )
        await self.tournament_presenter.show(opened.id)
        await Answer.of(interaction).respond(_("✅ The tournament is in the channel."))

    # Entering, starting, leaving

    @handles(JoinTournament)
    async def join(self, interaction: Interaction, press: JoinTournament) -> None:
        tournament = await self._find(interaction, press)
        await self._show(interaction, await self.tournaments.join(tournament.id, player_of(interaction.user)))

    @handles(StartTournament)
    async def start(self, interaction: Interaction, press: StartTournament) -> None:
        """Start a tournament. Its timer starts the matches, so a crash loses none of them."""
        tournament = await self._find(interaction, press)
        moderator = await self.access.may_moderate(interaction, tournament.place)
        started = await self.tournaments.start(tournament.id, interaction.user.id, moderator=moderator)
        await self._show(interaction, started)

    @handles(LeaveTournament, WithdrawFromTournament)
    async def leave(self, interaction: Interaction, press: TournamentPress) -> None:
        """Leave a tournament; once it has started, only after a question."""
        tournament, user_id = await self._find(interaction, press), interaction.user.id
        if tournament.state is TournamentState.RUNNING and isinstance(press, LeaveTournament):
            if not tournament.has_active(user_id):
                raise NoEntrantError
            await Answer.of(interaction).respond(withdrawal_question(tournament))
            return
        await self._show(interaction, await self.tournaments.withdraw(tournament.id, user_id))

    @handles(StayInTournament, KeepEntrant)
    async def keep(self, interaction: Interaction, _press: Press) -> None:
        """Answer the other button of a question that an earlier version asked."""
        await Answer.of(interaction).respond(_("OK. Nothing has changed."))

    # Organising

    @handles(ChooseEntrant)
    async def choose_entrant(self, interaction: Interaction, press: ChooseEntrant) -> None:
        """Remove a player; once the tournament has started, only after a question."""
        tournament = await self._find(interaction, press)
        entrant = _entrant(tournament, press.player_id)
        if tournament.state is not TournamentState.RUNNING:
            await self._remove(interaction, tournament, entrant)
            return
        moderator = await self.access.may_moderate(interaction, tournament.place)
        await self.tournaments.check_removal(tournament.id, entrant.id, interaction.user.id, moderator=moderator)
        await Answer.of(interaction).respond(removal_question(tournament, entrant))

    @handles(RemoveEntrant)
    async def remove(self, interaction: Interaction, press: RemoveEntrant) -> None:
        tournament = await self._find(interaction, press)
        await self._remove(interaction, tournament, _entrant(tournament, press.player_id))

    @handles(AskToCallOff)
    async def ask_to_call_off(self, interaction: Interaction, press: AskToCallOff) -> None:
        tournament = await self._find(interaction, press)
        moderator = await self.access.may_moderate(interaction, tournament.place)
        tournament.check_calling_off(interaction.user.id, moderator=moderator)
        await Answer.of(interaction).respond(calling_off_question(tournament))

    @handles(CallOff)
    async def call_off(self, interaction: Interaction, press: CallOff) -> None:
        tournament = await self._find(interaction, press)
        moderator = await self.access.may_moderate(interaction, tournament.place)
        cancelled = await self.tournaments.cancel(tournament.id, interaction.user.id, moderator=moderator)
        await self._show(interaction, cancelled)

    # Helpers

    async def _visible(self, interaction: Interaction) -> list[Tournament]:
        return await self.tournaments.visible(await self.access.viewer_of_lists(interaction), MOST_OPTIONS)

    async def _find(self, interaction: Interaction, press: TournamentPress) -> Tournament:
        return await self.tournaments.find(self.access.viewer_of(interaction), press.tournament_id)

    async def _show(self, interaction: Interaction, tournament: Tournament) -> None:
        """Show a tournament after the user has changed it: to everybody and, if they used a private card, to them."""
        if on_private_card(interaction):
            await self._respond(interaction, tournament)
        await self.tournament_presenter.show(tournament.id)

    async def _respond(self, interaction: Interaction, tournament: Tournament) -> None:
        """Show a tournament to the user, with their options and the others to choose from."""
        tables, picture = await self.tournaments.tables(tournament.id), None
        if tournament.state in (TournamentState.RUNNING, TournamentState.OVER):
            look = private_look(await self.languages.load(interaction))
            picture = await asyncio.to_thread(cross_table_picture, tables.of(interaction.user.id), look)
        organises = tournament.organiser.id == interaction.user.id or await self.access.may_moderate(
            interaction, tournament.place
        )
        others = await self._visible(interaction)
        card = options_card(tables, picture, others, interaction.user.id, organises=organises)
        await Answer.of(interaction).respond(card)

    async def _remove(self, interaction: Interaction, tournament: Tournament, entrant: Player) -> None:
        moderator = await self.access.may_moderate(interaction, tournament.place)
        user = player_of(interaction.user)
        await self.tournaments.remove(tournament.id, entrant.id, user, moderator=moderator)
        await self._show(interaction, await self.tournaments.get(tournament.id))


def _entrant(tournament: Tournament, player_id: int) -> Player:
    """The active player with an id. Raises a refusal."""
    for player in tournament.active:
        if player.id == player_id:
            return player
    raise NoEntrantError("other")

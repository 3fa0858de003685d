"""``/tournament``: round robins and cups among the members of a channel."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from discord import app_commands
from discord.ext import commands

import rules
from bot.discord.features.tournaments.tournament_form import (
    AFTER_A_WEEK,
    DEFAULT_CONTROL,
    LONGEST_NAME,
    ChangeTournament,
    NameTournament,
    OpenTournament,
    TournamentForm,
    name_form,
    tournament_form,
)
from bot.discord.interaction.access import Access
from bot.discord.interaction.errors import RefusalError
from bot.discord.interaction.feature import Feature, feature_of, handles, opens_form
from bot.discord.interaction.interactions import (
    MOST_CHOICES,
    Choices,
    Interaction,
    Typed,
    TypedOption,
    choice,
    chosen,
    distinct,
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
from bot.discord.posting.match_presenter import MatchPresenter
from bot.discord.posting.messenger import log_not_shown
from bot.discord.transport.answers import Answer
from bot.discord.ui.markdown import CommandMentions
from bot.discord.ui.messages import Form
from bot.domain.clocks import TimeControl
from bot.domain.competitions.cups import STARTS_WITH, WEEKS, Cup
from bot.domain.competitions.tournaments import MAX_AT_ONCE, NoEntrantError, Tournament, TournamentState
from bot.domain.deliveries import CardKey
from bot.domain.players import Player
from bot.domain.timers import TimerKind
from bot.pictures import private_look
from bot.runtime.timers import on_timer
from bot.services.tournaments import Tournaments
from bot.texts import gettext as _, gettext_noop
from bot.wording import words
from bot.wording.quoting import as_text

_FIRST_RULESET = rules.ruleset(next(iter(rules.GAMES)))
_NUMBER = gettext_noop("The number of the tournament; usually the latest one here")


class TournamentOption(TypedOption):
    """The number of a tournament."""

    async def transform(self, _interaction: Interaction, typed: str) -> int:
        return _number(typed)

    @suggestions
    async def autocomplete(self, interaction: Interaction, current: Any) -> Choices:
        """Suggest the tournaments that the user can see on the server, this channel's tournaments first."""
        feature = feature_of(interaction, TournamentCommands)
        offered = await feature.tournaments.visible(await feature.access.viewer_of_lists(interaction), MOST_CHOICES)
        labels = {
            tournament.id: f"#{tournament.id} {words.title(tournament)} · {tournament.ruleset.game.title}"
            for tournament in offered
        }
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
    group_description=gettext_noop("Tournaments: round robins, in which everyone meets everyone else, and cups"),
):
    tournaments: Tournaments
    languages: Languages
    access: Access
    match_presenter: MatchPresenter
    tournament_presenter: TournamentPresenter
    command_mentions: CommandMentions

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

    # Options

    @suggestions
    async def players(self, interaction: Interaction, current: str) -> Choices:
        """Suggest the players of the tournament that the command names."""
        typed = interaction.namespace.number
        number, wanted_here = _number(typed) if typed else None, _runs_in(interaction.channel_id)
        tournament = await self._find(interaction, number, wanted=wanted_here)
        wanted = current.strip().casefold()
        return [choice(name, number) for number, name in _names(tournament).items() if wanted in name.casefold()]

    # Commands

    @app_commands.command(description=gettext_noop("Open a tournament in this channel, for others to join"))
    @app_commands.describe(
        game=gettext_noop("The game to play; without one, I open a form"),
        form=gettext_noop("A round robin, or a cup, which starts without you; usually a round robin"),
        name=gettext_noop("The name of the tournament"),
        size=gettext_noop("Cells on each side of the board"),
        variant=gettext_noop("A variant of the rules"),
        clock=gettext_noop("How much time you have, such as 1 day a turn, or none; usually 3 days + 1 day"),
        at_once=gettext_noop("How many matches each player has at the same time; usually 2"),
        entrants=gettext_noop("Players needed for a cup to start; usually 5"),
        weeks=gettext_noop("Weeks after which a cup match ends; usually 3"),
        again=gettext_noop("Whether the next edition of a cup opens when it starts; usually not"),
    )
    @app_commands.choices(
        form=[
            app_commands.Choice(name=gettext_noop("round robin"), value="round-robin"),
            app_commands.Choice(name=gettext_noop("cup"), value="cup"),
        ]
    )
    @app_commands.choices(
        entrants=[
            *(app_commands.Choice(name=str(count), value=count) for count in STARTS_WITH),
            app_commands.Choice(name=gettext_noop("everybody, after a week"), value=AFTER_A_WEEK),
        ]
    )
    async def create(
        self,
        interaction: Interaction,
        game: ExplainedGame | None = None,
        form: str = "round-robin",
        name: app_commands.Range[str, 1, LONGEST_NAME] | None = None,
        size: Size | None = None,
        variant: Variant | None = None,
        clock: Clock = DEFAULT_CONTROL,
        at_once: app_commands.Range[int, 1, MAX_AT_ONCE] = 2,
        entrants: int | None = None,
        weeks: app_commands.Range[int, WEEKS[0], WEEKS[-1]] | None = None,
        again: bool | None = None,
    ) -> None:
        await check_challenge(interaction, None)
        is_cup, given = form == "cup", {name for name, _value in interaction.namespace}
        if game is None:
            if given - {"form"}:
                raise RefusalError(_("Choose a `game` too, or leave all other options out and use the form."))
            await Answer.of(interaction).respond(tournament_form(TournamentForm(_FIRST_RULESET, is_cup=is_cup)))
            return
        if not is_cup and (entrants, weeks, again) != (None, None, None):
            raise RefusalError(_("`entrants`, `weeks` and `again` are for cups: choose the cup as `form`."))
        cup = Cup(5 if entrants is None else entrants or None, weeks or 3, again or False) if is_cup else None
        ruleset = rules.ruleset(game.name, size, variant)
        await self._open(interaction, name or "", ruleset, clock, at_once=at_once, cup=cup)
        await Answer.of(interaction).delete()

    @app_commands.command(description=gettext_noop("Join a tournament that has not started yet"))
    @app_commands.describe(number=_NUMBER)
    async def join(self, interaction: Interaction, number: KnownTournament | None = None) -> None:
        tournament = await self._find(interaction, number)
        if number is None and tournament.open_next is not None:
            tournament = await self.tournaments.get(tournament.open_next)
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
        tournament = await self._find(interaction, number, ongoing=False, wanted=_runs_in(interaction.channel_id))
        tables = await self.tournaments.tables(tournament.id)
        picture = None
        if tournament.state in (TournamentState.RUNNING, TournamentState.OVER):
            look = private_look(await self.languages.load(interaction))
            picture = await asyncio.to_thread(cross_table_picture, tables.of(interaction.user.id), look)
        await Answer.of(interaction).respond(tournament_card(tables, picture))

    @app_commands.command(description=gettext_noop("Leave a tournament; once it has started, I ask you to confirm"))
    @app_commands.describe(
        number=_NUMBER, player=gettext_noop("A player to remove, if you are the organiser or a moderator")
    )
    @app_commands.autocomplete(player=players)
    async def withdraw(
        self, interaction: Interaction, number: KnownTournament | None = None, player: Typed | None = None
    ) -> None:
        user_id = interaction.user.id
        wanted = _runs_in(interaction.channel_id) if player else lambda candidate: candidate.has_active(user_id)
        tournament = await self._find(interaction, number, wanted=wanted)
        if player is not None:
            entrant = _entrant(tournament, player)
            if entrant.id != user_id:
                await self._ask_to_remove(interaction, tournament, entrant)
                return
        if tournament.state is TournamentState.RUNNING:
            if not tournament.has_active(user_id):
                raise NoEntrantError
            await Answer.of(interaction).respond(withdrawal_question(tournament))
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

    # The form of a new tournament

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
        await self._open(interaction, press.name, form.ruleset, form.control, cup=form.cup)
        await Answer.of(interaction).respond(_("✅ The tournament is in the channel."))

    # Buttons

    @handles(JoinTournament, LeaveTournament, StartTournament)
    async def press_entry(self, interaction: Interaction, press: TournamentPress) -> None:
        """Join, leave or start the tournament on a card."""
        change = {JoinTournament: self._join, LeaveTournament: self._leave, StartTournament: self._start}[type(press)]
        await change(interaction, await self._find(interaction, press.tournament_id))

    @handles(WithdrawFromTournament)
    async def press_withdraw(self, interaction: Interaction, press: WithdrawFromTournament) -> None:
        tournament = await self._find(interaction, press.tournament_id)
        await self.tournaments.withdraw(tournament.id, interaction.user.id)
        await Answer.of(interaction).respond(_("You withdrew from the tournament."))
        await self.tournament_presenter.show(tournament.id)

    @handles(StayInTournament)
    async def press_stay(self, interaction: Interaction, _press: StayInTournament) -> None:
        await Answer.of(interaction).respond(_("Good. You are still in the tournament."))

    @handles(RemoveEntrant)
    async def press_remove(self, interaction: Interaction, press: RemoveEntrant) -> None:
        tournament = await self._find(interaction, press.tournament_id)
        await self._remove(interaction, tournament, _entrant(tournament, str(press.player_id)))

    @handles(KeepEntrant)
    async def press_keep(self, interaction: Interaction, _press: KeepEntrant) -> None:
        await Answer.of(interaction).respond(_("OK. Nothing has changed."))

    # Helpers

    async def _open(
        self,
        interaction: Interaction,
        name: str,
        ruleset: rules.Ruleset,
        control: TimeControl | None,
        *,
        at_once: int = 2,
        cup: Cup | None,
    ) -> None:
        opened = await self.tournaments.create(
            await self.access.place_of(interaction),
            " ".join(name.split())[:LONGEST_NAME],
            player_of(interaction.user),
            ruleset,
            control=control,
            at_once=at_once,
            cup=cup,
            role_ids=roles_of(interaction),
        )
        await self.tournament_presenter.show(opened.id)

    async def _find(
        self,
        interaction: Interaction,
        number: int | None,
        *,
        ongoing: bool = True,
        wanted: Callable[[Tournament], bool] = bool,
    ) -> Tournament:
        viewer = self.access.viewer_of(interaction)
        if number is None:
            viewer = await self.access.viewer_of_lists(interaction)
        return await self.tournaments.find(viewer, number, ongoing=ongoing, wanted=wanted)

    async def _join(self, interaction: Interaction, tournament: Tournament) -> None:
        await self.tournaments.join(tournament.id, player_of(interaction.user))
        await self.tournament_presenter.show(tournament.id)

    async def _leave(self, interaction: Interaction, tournament: Tournament) -> None:
        if tournament.state is TournamentState.RUNNING:
            text, command = _("{name} has started. {command} lets you withdraw from it."), "tournament withdraw"
            raise RefusalError(
                text.format(name=f"🏟️ {words.tournament(tournament)}", command=self.command_mentions.of(command))
            )
        await self.tournaments.withdraw(tournament.id, interaction.user.id)
        await self.tournament_presenter.show(tournament.id)

    async def _start(self, interaction: Interaction, tournament: Tournament) -> None:
        """Start a tournament. Its timer starts the matches, so a crash loses none of them."""
        moderator = await self.access.may_moderate(interaction, tournament.place)
        await self.tournaments.start(tournament.id, interaction.user.id, moderator=moderator)
        await self.tournament_presenter.show(tournament.id)

    async def _ask_to_remove(self, interaction: Interaction, tournament: Tournament, entrant: Player) -> None:
        if tournament.state is not TournamentState.RUNNING:
            await self._remove(interaction, tournament, entrant)
            return
        moderator = await self.access.may_moderate(interaction, tournament.place)
        await self.tournaments.check_removal(tournament.id, entrant.id, interaction.user.id, moderator=moderator)
        await Answer.of(interaction).respond(removal_question(tournament, entrant))

    async def _remove(self, interaction: Interaction, tournament: Tournament, entrant: Player) -> None:
        moderator = await self.access.may_moderate(interaction, tournament.place)
        user = player_of(interaction.user)
        await self.tournaments.remove(tournament.id, entrant.id, user, moderator=moderator)
        done = _("{player} is no longer in the tournament.").format(player=words.name(entrant))
        await Answer.of(interaction).respond(done)
        await self.tournament_presenter.show(tournament.id)


async def _answer(interaction: Interaction, tournament: Tournament, text: str) -> None:
    """Answer a command in words, because the tournament's card may be far up in the channel."""
    await Answer.of(interaction).respond(text.format(tournament=f"**{words.tournament(tournament)}**"))


def _runs_in(channel_id: int | None) -> Callable[[Tournament], bool]:
    """Return a function that tells whether a tournament is being played in a channel."""
    return lambda candidate: candidate.state is TournamentState.RUNNING and candidate.place.channel_id == channel_id


def _nameable(tournament: Tournament) -> list[Player]:
    """The active players who have not deleted their data."""
    return [player for player in tournament.active if not player.deleted]


def _names(tournament: Tournament) -> dict[str, str]:
    """The names of the active players, by id."""
    return distinct({str(player.id): words.plain_name(player) for player in _nameable(tournament)})


def _entrant(tournament: Tournament, typed: str) -> Player:
    """The active player whom the text names, by id, name or mention. Raises a refusal."""
    found, wanted = chosen(typed, _names(tournament)), as_text(typed.strip().removeprefix("@")).casefold()
    for player in _nameable(tournament):
        if found == str(player.id) or wanted in (f"<@{player.id}>", words.plain_name(player).casefold()):
            return player
    raise NoEntrantError("other")

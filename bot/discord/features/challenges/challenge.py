"""``/challenge``, the entry “Challenge…” in a user's menu, the buttons of challenges, and the list of open ones."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import discord
from discord import app_commands

import rules
from bot.discord.features.challenges.challenge_form import (
    ANYBODY,
    ChallengeAnybody,
    ChallengeForm,
    ChangeForm,
    ChooseBoard,
    ChooseComputer,
    ChooseOpponent,
    FormPress,
    SendChallenge,
    SendTo,
    challenge_form,
    gets_handicap,
    opponent_choice,
)
from bot.discord.features.challenges.computer import AgainstComputer
from bot.discord.interaction.access import Access
from bot.discord.interaction.errors import RefusalError, sentence
from bot.discord.interaction.feature import Command, Feature, feature_of, handles
from bot.discord.interaction.interactions import (
    Choices,
    Interaction,
    TypedOption,
    alone,
    choice,
    chosen,
    distinct,
    is_computer,
    place_of,
    player_of,
    roles_of,
    suggestions,
)
from bot.discord.interaction.languages import Languages
from bot.discord.interaction.options.clock import Clock
from bot.discord.interaction.options.ruleset import ExplainedGame, Size, Variant
from bot.discord.interaction.permissions import check_challenge, check_for_program, check_permissions
from bot.discord.posting.card_presenters import ChallengePresenter
from bot.discord.posting.cards.challenge import (
    CHALLENGES_ON_PAGE,
    AcceptInDigest,
    AnswerChallenge,
    challenge_buttons,
    challenge_entry,
)
from bot.discord.posting.channels import Channels
from bot.discord.posting.match_presenter import MatchPresenter
from bot.discord.posting.messenger import log_not_shown
from bot.discord.transport.answers import Answer
from bot.discord.transport.requests import DISCORD_FAILURES
from bot.discord.ui import markdown
from bot.discord.ui.actions import Decision, ListChallenges, StartGame, anyone_button
from bot.discord.ui.markdown import CommandMentions
from bot.discord.ui.messages import Message, compose, turners
from bot.discord.ui.presses import Id, Press
from bot.discord.ui.scenes import game_button, game_choice
from bot.domain.challenges import Challenge, ChallengeClosedError, DuplicateChallengeError, First, UnknownChallengeError
from bot.domain.clocks import TimeControl
from bot.domain.deliveries import PostedMessage
from bot.domain.matches import page_number
from bot.domain.players import Player
from bot.domain.timers import TimerKind
from bot.pictures import private_look
from bot.runtime.timers import on_timer
from bot.services.challenges import Challenges
from bot.services.deliveries import Deliveries
from bot.services.people.programs import Programs
from bot.texts import gettext as _, gettext_noop
from bot.wording import words
from rules.games import FIRST_GAME
from rules.position import HANDICAPS, Position
from rules.search import LEVELS

Handicap: TypeAlias = app_commands.Range[int, HANDICAPS[0], HANDICAPS[-1]]


class AcceptListed(Press, action="challenge-take"):
    """Accept a challenge from a page of the list."""

    challenge_id: Id
    page: int


class ProgramOption(TypedOption):
    """A program, by its number, as suggested, or by its name."""

    async def transform(self, interaction: Interaction, typed: str) -> str:
        return chosen(typed, await self._labels(interaction)) or typed.strip()

    @suggestions
    async def autocomplete(self, interaction: Interaction, current: Any) -> Choices:
        labels = await self._labels(interaction)
        wanted = current.strip().casefold()
        return [choice(name, number) for number, name in labels.items() if wanted in name.casefold()]

    async def _labels(self, interaction: Interaction) -> dict[str, str]:
        """The names of the programs on the server, by number."""
        found = await feature_of(interaction, ChallengeCommands).programs.on_server(interaction.guild_id)
        return distinct({str(program.id): words.plain_name(program) for program in found})


ProgramName = app_commands.Transform[str, ProgramOption]


@dataclass
class ChallengeCommands(Feature):
    challenges: Challenges
    programs: Programs
    command_mentions: CommandMentions
    deliveries: Deliveries
    languages: Languages
    access: Access
    channels: Channels
    match_presenter: MatchPresenter
    challenge_presenter: ChallengePresenter
    against_computer: AgainstComputer

    @property
    def commands(self) -> Iterator[Command]:
        yield from super().commands
        yield app_commands.ContextMenu(name="Challenge…", callback=self.open)

    @app_commands.command(description=gettext_noop("Challenge a friend to a match, or anyone in this channel"))
    @app_commands.describe(
        game=gettext_noop("The game to play"),
        opponent=gettext_noop("A friend, or me; leave it out, and anyone may accept"),
        level=gettext_noop("Play the computer at this level, from 1 to 5"),
        size=gettext_noop("Cells on each side of the board"),
        variant=gettext_noop("A variant of the rules"),
        first=gettext_noop("Who opens; the other player picks a side"),
        clock=gettext_noop("How much time you have, such as 3 days + 1 day; usually none"),
        rated=gettext_noop("Whether it counts for ratings and leaderboards (usually yes)"),
        handicap=gettext_noop("Extra pieces for the player who opens and keeps that side; usually none"),
        program=gettext_noop("A program on this server as the opponent"),
    )
    @app_commands.choices(
        first=[
            app_commands.Choice(name=gettext_noop("me"), value=First.CHALLENGER.value),
            app_commands.Choice(name=gettext_noop("opponent"), value=First.OPPONENT.value),
            app_commands.Choice(name=gettext_noop("random"), value=First.RANDOM.value),
        ]
    )
    async def challenge(
        self,
        interaction: Interaction,
        game: ExplainedGame,
        opponent: discord.Member | discord.User | None = None,
        level: app_commands.Range[int, LEVELS[0], LEVELS[-1]] | None = None,
        size: Size | None = None,
        variant: Variant | None = None,
        first: First = First.RANDOM,
        clock: Clock = None,
        rated: bool | None = None,
        handicap: Handicap | None = None,
        program: ProgramName | None = None,
    ) -> None:
        ruleset = rules.ruleset(game.name, size, variant)
        rival = None
        if program is not None:
            if opponent is not None or level is not None:
                raise RefusalError(_("A program is the opponent: leave out `opponent` and `level`."))
            if rated:
                raise RefusalError(_("Matches against programs are casual: leave `rated` out."))
            check_for_program(interaction)
            rival, rated = await self.programs.opponent(program, interaction.guild_id), False
        elif level is not None or is_computer(interaction, opponent) or (opponent is None and alone(interaction)):
            if opponent is not None and not is_computer(interaction, opponent):
                raise RefusalError(_("Only the computer has levels. Leave out the opponent or the level."))
            if rated or clock is not None:
                text = _("Matches against the computer are casual and have no clock: leave out `rated` and `clock`.")
                raise RefusalError(text)
            if handicap is not None:
                raise RefusalError(_("There is no handicap against the computer: choose a level instead."))
            check_permissions(interaction)
            await self.against_computer.start(interaction, level, ruleset, first)
            return
        if handicap is not None:
            if rated:
                raise RefusalError(_("A match with a handicap is casual: leave `rated` or `handicap` out."))
            ruleset, first, rated = rules.with_setup(ruleset, str(handicap)), gets_handicap(first), False
        terms: Any = {"ruleset": ruleset, "first": first, "rated": rated is not False, "control": clock}
        sends = self.send(interaction, opponent, **terms) if rival is None else self._post(interaction, rival, **terms)
        if await sends:
            await Answer.of(interaction).delete()

    async def send(
        self,
        interaction: Interaction,
        opponent: discord.Member | discord.User | None,
        ruleset: rules.Ruleset,
        first: First,
        *,
        rated: bool,
        control: TimeControl | None,
    ) -> bool:
        """Post a challenge to the opponent or to anyone. If the same one is open, point to that and return False."""
        await check_challenge(interaction, opponent)
        player = player_of(opponent) if opponent else None
        return await self._post(interaction, player, ruleset, first, rated=rated, control=control)

    async def _post(
        self,
        interaction: Interaction,
        opponent: Player | None,
        ruleset: rules.Ruleset,
        first: First,
        *,
        rated: bool,
        control: TimeControl | None,
    ) -> bool:
        try:
            sent = await self.challenges.challenge(
                await self.access.place_of(interaction),
                player_of(interaction.user),
                opponent,
                ruleset,
                first,
                rated=rated,
                control=control,
                role_ids=roles_of(interaction),
            )
        except DuplicateChallengeError as error:
            await self._point_to(interaction, error)
            return False
        await self.challenge_presenter.show(sent.id)
        return True

    async def _point_to(self, interaction: Interaction, error: DuplicateChallengeError) -> None:
        """Say where the open challenge is, and show the user its buttons, even if its message is gone."""
        existing = error.challenge
        card = (await self.deliveries.challenge_view(existing.id)).state.message
        link = markdown.card_link(existing.place.guild_id, card)
        jump = _("[Jump to it]({link})").format(link=link) if link else ""
        mine, withdraw = existing.challenger.id == interaction.user.id, AnswerChallenge(existing.id, Decision.WITHDRAW)
        buttons = tuple(button for button in challenge_buttons(existing) if (button.press == withdraw) is mine)
        text = f"{sentence(error, self.command_mentions)} {jump}".rstrip()
        await Answer.of(interaction).follow_up(compose(text, buttons=buttons))

    @on_timer(TimerKind.EXPIRY)
    async def expire(self, challenge_id: int) -> None:
        challenge, seen = await self.challenges.get(challenge_id), True
        if challenge.ladder_id is not None:
            place = challenge.place
            seen = self.channels.knows(place) and not await self.channels.is_out_of_reach(place)
        await self.challenges.expire(challenge_id, seen=seen)

    @on_timer(TimerKind.SHOW_CHALLENGE)
    async def show_due(self, challenge_id: int) -> None:
        """Show a challenge that was answered outside Discord, and its match if it was accepted."""
        with log_not_shown("challenge_not_shown", challenge=challenge_id):
            started = (await self.deliveries.challenge_view(challenge_id)).match
            if started is None:
                await self.challenge_presenter.show(challenge_id)
            else:
                await self.match_presenter.show_accepted(started[0])

    @handles(AnswerChallenge)
    async def answer(self, interaction: Interaction, press: AnswerChallenge) -> None:
        """Accept, decline or withdraw the challenge on a card."""
        user = interaction.user
        try:
            match press.answer:
                case Decision.ACCEPT:
                    match = await self.challenges.accept(press.challenge_id, player_of(user), shown_by_caller=True)
                    await self.match_presenter.show_accepted(match, interaction)
                case Decision.DECLINE:
                    await self.challenges.decline(press.challenge_id, user.id, shown_by_caller=True)
                case Decision.WITHDRAW:
                    await self.challenges.withdraw(press.challenge_id, user.id, shown_by_caller=True)
        except ChallengeClosedError:
            message = interaction.message
            on = None if message is None else PostedMessage(message.channel.id, message.id, 0)
            await self.challenge_presenter.show(press.challenge_id, on=on)
            raise
        await self.challenge_presenter.show(press.challenge_id)

    # The list of open challenges

    @handles(ListChallenges)
    async def turn_page(self, interaction: Interaction, press: ListChallenges) -> None:
        await self._show_list(interaction, press.page)

    @handles(AcceptListed)
    async def accept_listed(self, interaction: Interaction, press: AcceptListed) -> None:
        """Accept a challenge from the list, if the user can still see it."""
        try:
            challenge = await self.challenges.get(press.challenge_id)
            visible = await self.access.viewer_of(interaction).sees(challenge.place)
            note = await self._accept(interaction, challenge, visible=visible)
        except (ChallengeClosedError, UnknownChallengeError) as error:
            note = sentence(error, self.command_mentions) or ""
        await self._show_list(interaction, press.page, note)

    @handles(AcceptInDigest)
    async def accept_in_digest(self, interaction: Interaction, press: AcceptInDigest) -> None:
        """Accept a challenge in the user's digest."""
        challenge = await self.challenges.get(press.challenge_id)
        mine = challenge.opponent is not None and challenge.opponent.id == interaction.user.id
        visible = mine and await self.access.views_from_elsewhere(interaction, challenge.place)
        await Answer.of(interaction).follow_up(await self._accept(interaction, challenge, visible=visible))

    async def _accept(self, interaction: Interaction, challenge: Challenge, *, visible: bool) -> str:
        """Accept a challenge away from its card, and say where its match is played."""
        if not visible:
            raise UnknownChallengeError
        match = await self.challenges.accept(challenge.id, player_of(interaction.user), shown_by_caller=True)
        await self.match_presenter.show_accepted(match, interaction)
        await self.challenge_presenter.show(challenge.id)
        return markdown.whereabouts(match, await self.deliveries.get(match.id), place_of(interaction).channel_id)

    async def _show_list(self, interaction: Interaction, page: int, note: str = "") -> None:
        found = await self.challenges.open_to(await self.access.viewer_of_lists(interaction))
        await Answer.of(interaction).respond(open_challenges_card(found, page, self.command_mentions, note))

    # The form of a new challenge

    async def open(self, interaction: Interaction, opponent: discord.Member | discord.User) -> None:
        """Open the form from the menu of a user, who becomes the opponent."""
        await check_challenge(interaction, opponent)
        form = await self._suggested_form(interaction, FIRST_GAME, opponent.id)
        await Answer.of(interaction).follow_up(await self._form(interaction, form, opponent))

    @handles(StartGame)
    async def begin(self, interaction: Interaction, press: StartGame) -> None:
        """Ask for the game or, if it is known, for the opponent, unless the user cannot play here."""
        await check_challenge(interaction, interaction.client.user if alone(interaction) else None)
        await self.challenges.check(await self.access.place_of(interaction), roles_of(interaction))
        if press.game is None:
            buttons = [game_button(StartGame(game), game) for game in rules.GAMES.values()]
            await Answer.of(interaction).respond(game_choice(_("### ⚔️ Which game?"), buttons))
        else:
            await self._ask_opponent(interaction, await self._suggested_form(interaction, press.game, ANYBODY))

    @handles(ChooseBoard)
    async def choose_board(self, interaction: Interaction, press: ChooseBoard) -> None:
        await self._ask_opponent(interaction, press.form)

    async def _suggested_form(self, interaction: Interaction, game: type[Position], opponent_id: int) -> ChallengeForm:
        ruleset, rated = await self.challenges.suggested_terms(interaction.user.id, game)
        return ChallengeForm(opponent_id, ruleset, rated=rated)

    async def _ask_opponent(self, interaction: Interaction, form: ChallengeForm) -> None:
        level = await self.against_computer.suggested_level(interaction, form.ruleset.game)
        theme = private_look(await self.languages.load(interaction)).theme
        form = replace(form, opponent_id=ANYBODY)
        card = await asyncio.to_thread(opponent_choice, form, level, theme, alone=alone(interaction))
        await Answer.of(interaction).respond(card)

    @handles(ChooseComputer)
    async def choose_computer(self, interaction: Interaction, press: ChooseComputer) -> None:
        me = interaction.client.user
        assert me is not None
        await self._show_form(interaction, replace(press.form, opponent_id=me.id), me)

    @handles(ChooseOpponent, ChallengeAnybody)
    async def choose_opponent(self, interaction: Interaction, press: FormPress) -> None:
        opponents = press.opponents if isinstance(press, ChooseOpponent) else ()
        form = replace(press.form, opponent_id=next(iter(opponents), ANYBODY))
        await self._show_form(interaction, form, await find_opponent(interaction, form.opponent_id))

    async def _show_form(
        self, interaction: Interaction, form: ChallengeForm, opponent: discord.Member | discord.User | None
    ) -> None:
        """Show the terms for a newly chosen opponent, or for anybody."""
        await check_challenge(interaction, opponent)
        await Answer.of(interaction).respond(await self._form(interaction, form, opponent))

    @handles(ChangeForm)
    async def change_form(self, interaction: Interaction, press: ChangeForm) -> None:
        form, opponent = press.new_form, await find_opponent(interaction, press.new_form.opponent_id)
        if form.ruleset.game is not press.form.ruleset.game:
            suggested = await self._suggested_form(interaction, form.ruleset.game, form.opponent_id)
            form = replace(form, ruleset=suggested.ruleset, rated=form.rated and suggested.rated)
        await Answer.of(interaction).respond(await self._form(interaction, form, opponent))

    @handles(SendChallenge, SendTo)
    async def send_form(self, interaction: Interaction, press: FormPress) -> None:
        form = press.form
        opponent_id = press.opponent_id if isinstance(press, SendTo) else form.opponent_id
        opponent = await find_opponent(interaction, opponent_id)
        if is_computer(interaction, opponent):
            await self.against_computer.start(interaction, None, form.ruleset, form.first)
        elif await self.send(interaction, opponent, form.ruleset, form.first, rated=form.rated, control=form.control):
            await Answer.of(interaction).respond(_("✅ The challenge is in the channel."))

    async def _form(
        self, interaction: Interaction, form: ChallengeForm, opponent: discord.Member | discord.User | None
    ) -> Message:
        """The terms for an opponent or anybody, or the levels of the computer."""
        if is_computer(interaction, opponent):
            return await self.against_computer.level_form(interaction, form)
        return challenge_form(form, None if opponent is None else player_of(opponent))


async def find_opponent(interaction: Interaction, user_id: int) -> discord.Member | discord.User | None:
    """The user with an id, who may have left since the form was opened; None stands for anybody."""
    if user_id == ANYBODY:
        return None
    client, guild_id = interaction.client, interaction.guild_id
    guild = None if guild_id is None else client.get_guild(guild_id)
    try:
        if guild is None:
            user: discord.User = await client.fetch_user(user_id)
            return user
        member: discord.Member = await guild.fetch_member(user_id)
    except discord.NotFound:
        raise RefusalError(_("That person is no longer here, so you cannot challenge them.")) from None
    except DISCORD_FAILURES:
        raise RefusalError(_("Discord did not say who that is. Please try again.")) from None
    return member


def open_challenges_card(
    challenges: Sequence[Challenge], page: int, command_mentions: CommandMentions, note: str = ""
) -> Message:
    """A page of the challenges that the viewer may accept, with buttons to accept them."""
    heading = _("### ⚔️ Open challenges")
    if not challenges:
        nothing = _(
            "Nobody is waiting for an opponent. Use {challenge} to challenge a friend, or anyone in this channel."
        )
        text = nothing.format(challenge=command_mentions.of("challenge"))
        return compose(heading, note, text, buttons=(anyone_button(),))
    page, pages = page_number(page, len(challenges), CHALLENGES_ON_PAGE)
    shown = challenges[(page - 1) * CHALLENGES_ON_PAGE : page * CHALLENGES_ON_PAGE]
    entries = [challenge_entry(challenge, AcceptListed(challenge.id, page)) for challenge in shown]
    return compose(heading, note, *entries, buttons=(*turners(ListChallenges, page, pages), anyone_button()))

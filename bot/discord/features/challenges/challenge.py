"""``/challenge`` and the buttons of challenges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import discord
import structlog
from discord import app_commands

import rules
from bot.discord.features.challenges.sender import ChallengeSender
from bot.discord.interaction.errors import RefusalError, sentence
from bot.discord.interaction.feature import handles
from bot.discord.interaction.interactions import (
    Interaction,
    alone,
    is_computer,
    place_of,
    player_of,
)
from bot.discord.interaction.options.clock import Clock
from bot.discord.interaction.options.game import ExplainedGame
from bot.discord.interaction.options.ruleset import Size, Variant
from bot.discord.interaction.permissions import check_permissions
from bot.discord.posting.cards.challenge import (
    CHALLENGES_ON_PAGE,
    AcceptInDigest,
    AnswerChallenge,
    challenge_entry,
)
from bot.discord.posting.presenter import Presenter
from bot.discord.transport import replies
from bot.discord.transport.delivery import NotShownError
from bot.discord.ui import words
from bot.discord.ui.links import Answer, ListChallenges
from bot.discord.ui.messages import ActionButton, Aside, Message, compose, turners
from bot.discord.ui.presses import Id, Press
from bot.domain.challenges import (
    Challenge,
    ChallengeClosedError,
    First,
    UnknownChallengeError,
)
from bot.domain.deliveries import PostedMessage
from bot.domain.matches import Match, page_number
from bot.domain.timers import TimerKind
from bot.services.timers import on_timer
from bot.texts import gettext as _
from bot.texts import gettext_noop
from rules.search import LEVELS

_LOG = structlog.get_logger(__name__)


class AcceptListed(Press, action="challenge-take"):
    """Accepts a challenge of the list, from its page."""

    challenge_id: Id
    page: int


@dataclass
class ChallengeCommands(ChallengeSender):
    """``/challenge``, and the answers to challenges."""

    presenter: Presenter

    @app_commands.command(description=gettext_noop("Challenge somebody to a match, or anyone in this channel"))
    @app_commands.describe(
        game=gettext_noop("The game to play"),
        opponent=gettext_noop("A friend, or me; without one, anyone may accept"),
        level=gettext_noop("Play me at this level, from 1 to 5"),
        size=gettext_noop("Cells on each side of the board"),
        variant=gettext_noop("A variant of the rules"),
        first=gettext_noop("Who opens; the other one picks a side"),
        clock=gettext_noop("How much time you have, such as 3 days + 1 day; usually none"),
        rated=gettext_noop("Whether it counts for ratings and leaderboards (usually yes)"),
    )
    @app_commands.choices(
        first=[
            app_commands.Choice(name=gettext_noop("me"), value=First.CHALLENGER.value),
            app_commands.Choice(name=gettext_noop("opponent"), value=First.OPPONENT.value),
            app_commands.Choice(name=gettext_noop("random"), value=First.RANDOM.value),
        ],
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
    ) -> None:
        ruleset = rules.ruleset(game.name, size, variant)
        if level is not None or is_computer(interaction, opponent) or (opponent is None and alone(interaction)):
            if opponent is not None and not is_computer(interaction, opponent):
                raise RefusalError(_("A level is for matches against me. Leave out either the opponent or the level."))
            if rated or clock is not None:
                text = _("Matches against me are casual and have no clock: leave `rated` and `clock` out.")
                raise RefusalError(text)
            await self._play_computer(interaction, level, ruleset, first)
            return
        if await self.send(interaction, opponent, ruleset, first, rated=rated is not False, control=clock):
            await replies.finish(interaction)

    async def _play_computer(
        self, interaction: Interaction, level: int | None, ruleset: rules.Ruleset, first: First
    ) -> None:
        """Start a game against a level, or against the one that fits."""
        check_permissions(interaction)
        if level is not None:
            await self.against_computer.start(interaction, level, ruleset, first)
        else:
            await self.against_computer.start_suggested(interaction, ruleset, first)

    @on_timer(TimerKind.EXPIRY)
    async def expire(self, challenge_id: int) -> None:
        """Close a challenge that nobody has answered in time."""
        await self.challenges.expire(challenge_id)
        try:
            await self.challenge_presenter.show(challenge_id)
        except NotShownError as error:
            _LOG.warning("expiry_not_shown", challenge=challenge_id, reason=str(error))

    @app_commands.command(
        name="challenges", description=gettext_noop("Open challenges on this server that you can accept")
    )
    async def show_challenges(self, interaction: Interaction) -> None:
        await self._show_list(interaction, 1)

    @handles(ListChallenges)
    async def turn_page(self, interaction: Interaction, press: ListChallenges) -> None:
        await self._show_list(interaction, press.page)

    @handles(AcceptListed)
    async def accept_listed(self, interaction: Interaction, press: AcceptListed) -> None:
        """Accept a challenge of the list, if the user can still see it."""
        try:
            challenge = await self._seen(interaction, press.challenge_id)
            match = await self.challenges.accept(challenge.id, player_of(interaction.user))
        except (ChallengeClosedError, UnknownChallengeError) as error:
            await self._show_list(interaction, press.page, sentence(error) or "")
            return
        await self._show_list(interaction, press.page, await self._show_accepted(interaction, match))

    @handles(AcceptInDigest)
    async def accept_in_digest(self, interaction: Interaction, press: AcceptInDigest) -> None:
        """Accept a challenge to the user that their digest shows, and say where the match is played."""
        challenge = await self.challenges.get(press.challenge_id)
        if challenge.opponent is None or challenge.opponent.id != interaction.user.id:
            raise UnknownChallengeError
        if not await self.access.views_from_elsewhere(interaction, challenge.place):
            raise UnknownChallengeError
        match = await self.challenges.accept(challenge.id, player_of(interaction.user))
        await replies.tell(interaction, await self._show_accepted(interaction, match))

    async def _show_accepted(self, interaction: Interaction, match: Match) -> str:
        """Show the match of a challenge that was accepted away from its card, and return where that is."""
        await self.presenter.show_accepted(match, interaction)
        assert match.challenge_id is not None
        await self.challenge_presenter.show(match.challenge_id)
        delivery = await self.deliveries.get(match.id)
        return words.whereabouts(match, delivery, place_of(interaction).channel_id)

    async def _seen(self, interaction: Interaction, challenge_id: int) -> Challenge:
        """A challenge in a channel that the user can view."""
        challenge = await self.challenges.get(challenge_id)
        if not await self.access.viewer_of(interaction).sees(challenge.place):
            raise UnknownChallengeError
        return challenge

    async def _show_list(self, interaction: Interaction, page: int, note: str = "") -> None:
        viewer = await self.access.viewer_of_lists(interaction)
        found = await self.challenges.open_to(viewer)
        await replies.show(interaction, open_challenges_card(found, page, note))

    @handles(AnswerChallenge)
    async def answer(self, interaction: Interaction, press: AnswerChallenge) -> None:
        """Answer or withdraw the challenge on a card."""
        user = interaction.user
        try:
            match press.answer:
                case Answer.ACCEPT:
                    match = await self.challenges.accept(press.challenge_id, player_of(user))
                    await self.presenter.show_accepted(match, interaction)
                case Answer.DECLINE:
                    await self.challenges.decline(press.challenge_id, user.id)
                case Answer.WITHDRAW:
                    await self.challenges.withdraw(press.challenge_id, user.id)
        except ChallengeClosedError:
            message = interaction.message
            on = None if message is None else PostedMessage(message.channel.id, message.id, 0)
            await self.challenge_presenter.show(press.challenge_id, on=on)
            raise
        await self.challenge_presenter.show(press.challenge_id)


def open_challenges_card(challenges: Sequence[Challenge], page: int, note: str = "") -> Message:
    """A page, counted from 1, of the challenges that the viewer may accept, each with its button."""
    heading = _("### ⚔️ Open challenges")
    if not challenges:
        nothing = _("Nobody is waiting for an opponent. {challenge} challenges anyone in this channel, or a friend.")
        return compose(heading, note, nothing.format(challenge=words.command("challenge")))
    page, pages = page_number(page, len(challenges), CHALLENGES_ON_PAGE)
    listed = [
        Aside(
            challenge_entry(each),
            buttons=(ActionButton(AcceptListed(each.id, page), _("Accept"), discord.ButtonStyle.success),),
        )
        for each in challenges[(page - 1) * CHALLENGES_ON_PAGE : page * CHALLENGES_ON_PAGE]
    ]
    return compose(heading, note, *listed, buttons=turners(ListChallenges, page, pages))

"""Decisions of moderators about other people's matches: to end a match, and to void its result."""

from __future__ import annotations

from dataclasses import dataclass

from bot.discord.interaction.access import Access
from bot.discord.interaction.errors import RefusalError
from bot.discord.interaction.feature import Feature, handles
from bot.discord.interaction.interactions import Interaction, player_of
from bot.discord.posting.match_presenter import MatchPresenter
from bot.discord.transport.answers import Answer
from bot.discord.ui.actions import AboutMatch, Close, OnBoard
from bot.discord.ui.messages import ActionButton, Message, confirmation
from bot.domain.matches import Match, MatchOverError, MovedOnError, NotAPlayerError, UnknownMatchError
from bot.services.deliveries import Deliveries
from bot.services.matches import Matches
from bot.texts import gettext as _
from bot.wording import words


class EndMatch(OnBoard, action="end-match"):
    pass


class AskToVoid(AboutMatch, action="ask-void-result"):
    pass


class KeepResult(AboutMatch, action="keep-result"):
    pass


class VoidResult(AboutMatch, action="void-result"):
    pass


@dataclass
class ModerationButtons(Feature):
    matches: Matches
    deliveries: Deliveries
    access: Access
    match_presenter: MatchPresenter

    @handles(EndMatch)
    async def end(self, interaction: Interaction, press: EndMatch) -> None:
        match = await self.matches.match(press.match_id)
        await self.access.check_overrule(interaction, match, NotAPlayerError(match))
        try:
            await self.matches.force_abandon(
                match.id, player_of(interaction.user), seen_step=press.step, shown_by_caller=True
            )
        except MovedOnError:
            await Answer.of(interaction).respond(_("The board has moved on since you asked, so the match goes on."))
            return
        await Answer.of(interaction).respond(_("You ended match #{match}.").format(match=match.id))
        await self.match_presenter.show_match(match.id, interaction)

    @handles(AskToVoid)
    async def ask_to_void(self, interaction: Interaction, press: AskToVoid) -> None:
        match = await self._voidable(interaction, press.match_id)
        await Answer.of(interaction).follow_up(void_result_question(match.id))

    @handles(KeepResult)
    async def keep(self, interaction: Interaction, press: KeepResult) -> None:
        await self._voidable(interaction, press.match_id)
        await Answer.of(interaction).respond(_("The result stays as it is."))

    @handles(VoidResult)
    async def void(self, interaction: Interaction, press: VoidResult) -> None:
        match = await self._voidable(interaction, press.match_id)
        await self.matches.void(match.id, player_of(interaction.user))
        await Answer.of(interaction).respond(_("The result of match #{match} is void.").format(match=match.id))

    async def _voidable(self, interaction: Interaction, match_id: int) -> Match:
        """A finished match whose result the user may void."""
        match = await self.matches.match(match_id)
        if not await self.access.viewer_of(interaction).sees((await self.deliveries.get(match_id)).home):
            raise UnknownMatchError
        text = _("Only moderators who did not play in match #{match} can void its result, once it is over.")
        refusal = RefusalError(text.format(match=match.id))
        if match.result is None:
            raise refusal
        await self.access.check_overrule(interaction, match, refusal)
        return match


async def ask_to_end(interaction: Interaction, access: Access, match: Match) -> None:
    """Ask a moderator whether to end other people's match. Raises for everybody else."""
    await access.check_overrule(interaction, match, NotAPlayerError(match))
    if match.result is not None:
        raise MatchOverError(match)
    await Answer.of(interaction).respond(end_question(match))


def end_question(match: Match) -> Message:
    text = _(
        "Match #{match} is not yours: it is {players}. As a moderator, you can end it if it is stuck. Then "
        "nobody wins, and it does not count."
    ).format(match=match.id, players=words.versus(*match.players))
    return confirmation(text, EndMatch(match.id, match.step), _("End this match"), Close(), _("Leave it alone"))


def void_button(match_id: int) -> ActionButton:
    """The button for moderators beside a finished match."""
    return ActionButton(AskToVoid(match_id), _("Void result"))


def void_result_question(match_id: int) -> Message:
    text = _("Void the result of match #{match}? The match then no longer counts, but its board stays.")
    yes, no = VoidResult(match_id), KeepResult(match_id)
    return confirmation(text.format(match=match_id), yes, _("Void the result"), no, _("Keep it"))

"""How moderators void the result of a finished match."""

from __future__ import annotations

from dataclasses import dataclass

import discord

from bot.discord.interaction.access import Access
from bot.discord.interaction.errors import RefusalError
from bot.discord.interaction.feature import Feature, handles
from bot.discord.interaction.interactions import Interaction, player_of
from bot.discord.transport import replies
from bot.discord.ui.links import AboutMatch
from bot.discord.ui.messages import ActionButton, Message, compose
from bot.domain.matches import Match, UnknownMatchError
from bot.services.deliveries import Deliveries
from bot.services.matches import Matches
from bot.texts import gettext as _


class AskToVoid(AboutMatch, action="ask-void-result"):
    pass


class KeepResult(AboutMatch, action="keep-result"):
    pass


class VoidResult(AboutMatch, action="void-result"):
    pass


@dataclass
class VoidResultButtons(Feature):
    matches: Matches
    deliveries: Deliveries
    access: Access

    @handles(AskToVoid)
    async def ask(self, interaction: Interaction, press: AskToVoid) -> None:
        match = await self._voidable(interaction, press.match_id)
        await replies.tell(interaction, void_result_question(match.id))

    @handles(KeepResult)
    async def keep(self, interaction: Interaction, press: KeepResult) -> None:
        await self._voidable(interaction, press.match_id)
        await replies.replace(interaction, _("The result stays as it is."))

    @handles(VoidResult)
    async def void(self, interaction: Interaction, press: VoidResult) -> None:
        match = await self._voidable(interaction, press.match_id)
        await self.matches.void(match.id, player_of(interaction.user))
        await replies.replace(interaction, _("The result of match #{match} is void.").format(match=match.id))

    async def _voidable(self, interaction: Interaction, match_id: int) -> Match:
        """Return a finished match whose result the user may void."""
        match = await self.matches.match(match_id)
        if not await self.access.viewer_of(interaction).sees((await self.deliveries.get(match_id)).home):
            raise UnknownMatchError
        refusal = RefusalError(
            _("Only moderators who did not play in match #{match} can void its result, once it is over.").format(
                match=match.id
            )
        )
        if match.result is None:
            raise refusal
        await self.access.check_overrule(interaction, match, refusal)
        return match


def void_button(match_id: int) -> ActionButton:
    """The button beside a finished match, which only moderators see."""
    return ActionButton(AskToVoid(match_id), _("Void result"))


def void_result_question(match_id: int) -> Message:
    return compose(
        _("Void the result of match #{match}? It no longer counts for anything then, but its board stays.").format(
            match=match_id
        ),
        buttons=(
            ActionButton(VoidResult(match_id), _("Void the result"), discord.ButtonStyle.danger),
            ActionButton(KeepResult(match_id), _("Keep it")),
        ),
    )

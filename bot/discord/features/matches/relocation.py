"""Moving a match to where its players are, if it is played elsewhere or can no longer be played there."""

from __future__ import annotations

from dataclasses import dataclass

from bot.discord.interaction.access import Access
from bot.discord.interaction.errors import sentence
from bot.discord.interaction.feature import Feature, handles
from bot.discord.interaction.interactions import Interaction, may_grant, place_of, player_of
from bot.discord.posting.cards.proposal import proposed
from bot.discord.posting.channels import Channels
from bot.discord.posting.presenter import Presenter
from bot.discord.transport import replies
from bot.discord.transport.delivery import NotShownError
from bot.discord.ui import words
from bot.discord.ui.messages import ActionButton, Message, compose
from bot.discord.ui.presses import Id, Press
from bot.domain.deliveries import MatchDelivery
from bot.domain.matches import Match
from bot.domain.proposals import ProposalKind
from bot.services.matches import Matches
from bot.services.privacy import Privacy
from bot.services.proposals import Proposals
from bot.texts import gettext as _


class MoveHere(Press, action="move-here"):
    match_id: Id


@dataclass
class MoveButtons(Feature):
    matches: Matches
    proposals: Proposals
    privacy: Privacy
    access: Access
    presenter: Presenter
    channels: Channels

    async def bring_board(self, interaction: Interaction, match: Match) -> None:
        """Give a player a new live card, with its buttons, where the match is played; elsewhere, say where that is.

        The match has a delivery. One whose channel is gone goes on here, and the opponent can be asked to continue any
        other one here.
        """
        await self.privacy.count_post(player_of(interaction.user))
        try:
            shown = await self.presenter.show_again(match.id, interaction)
        except NotShownError as error:
            if error.gone and error.channel_id != interaction.channel_id:
                await self._take_here(interaction, match)
            elif error.closed and error.channel_id != interaction.channel_id:
                await replies.tell(interaction, _with_move(match, sentence(error) or ""))
            else:
                raise
            return
        assert shown is not None, "it has a board"
        waits_elsewhere = shown.channel_id is None and shown.home.channel_id != interaction.channel_id
        if waits_elsewhere and await self.channels.is_without_channel(shown):
            await self._take_here(interaction, match)
        else:
            await _tell_where(interaction, match, shown)

    @handles(MoveHere)
    async def move_here(self, interaction: Interaction, press: MoveHere) -> None:
        """Ask the opponent to go on here."""
        proposal = await self.proposals.propose(
            press.match_id,
            interaction.user.id,
            ProposalKind.MOVE,
            place=place_of(interaction),
            parent_id=await self.access.thread_parent(interaction),
        )
        await replies.replace(interaction, proposed(proposal, await self.matches.match(press.match_id)))
        await self.presenter.show_proposal(proposal.id, interaction)

    async def _take_here(self, interaction: Interaction, match: Match) -> None:
        match = await self.proposals.move_from_gone_channel(
            match.id,
            interaction.user.id,
            place_of(interaction),
            parent_id=await self.access.thread_parent(interaction),
        )
        shown = await self.presenter.show_match(match.id, interaction)
        assert shown is not None, "it was just moved here"
        await _tell_where(interaction, match, shown)


async def _tell_where(interaction: Interaction, match: Match, delivery: MatchDelivery) -> None:
    here, home = interaction.channel_id, delivery.home.channel_id
    if delivery.channel_id is not None and delivery.channel_id == here:
        await replies.finish(interaction)
    elif delivery.channel_id is None:
        waits = _("Match #{match} waits until the match that is running here ends.")
        if home != here:
            waits = _("Match #{match} waits until the match that is running in {channel} ends.")
        text = waits.format(match=match.id, channel=words.channel(home))
        if match.guild_id is not None and may_grant(interaction):
            advice = _(
                "To start it sooner, allow me to *Create Public Threads* and *Send Messages in Threads* there, then "
                "use {board}."
            )
            text = f"{text} {advice.format(board=words.command('board'))}"
        await replies.tell(interaction, text if home == here else _with_move(match, text))
    else:
        where = _("The board is in {channel}.").format(channel=words.channel(delivery.channel_id))
        await replies.tell(interaction, _with_move(match, where))


def _with_move(match: Match, text: str) -> Message:
    return compose(text, buttons=(ActionButton(MoveHere(match.id), _("Play on here")),))

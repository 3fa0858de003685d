"""Brings a match to where its players are, when it is played elsewhere or can be played there no more."""

from __future__ import annotations

from bot.discord import replies
from bot.discord.access import thread_parent
from bot.discord.cards import words
from bot.discord.cards.proposal import proposed
from bot.discord.delivery import NotShownError
from bot.discord.errors import sentence
from bot.discord.interactions import Interaction, place_of, player_of
from bot.discord.messages import ActionButton, Message, Press, compose
from bot.domain.matches import Match
from bot.domain.proposals import ProposalKind
from bot.texts import gettext as _


async def bring_board(interaction: Interaction, match: Match) -> None:
    """Gives a player the live card anew, with its buttons, where the match is played; elsewhere, says where that is.

    A match whose channel is gone goes on here, and any other can be asked here.
    """
    client = interaction.client
    await client.privacy.note_post(player_of(interaction.user))
    try:
        shown = await client.presenter.show_again(match.id)
    except NotShownError as error:
        if error.gone and error.channel_id != interaction.channel_id:
            await _take_here(interaction, match)
        elif error.closed and error.channel_id != interaction.channel_id:
            await replies.tell(interaction, _with_move(match, sentence(error) or ""))
        else:
            raise
        return
    waits_elsewhere = shown.channel_id is None and shown.home.channel_id != interaction.channel_id
    if waits_elsewhere and await client.presenter.is_without_channel(shown):
        await _take_here(interaction, shown)
    else:
        await _tell_where(interaction, shown)


async def move_here(interaction: Interaction, press: Press) -> None:
    """A player wants to go on here; the opponent has to agree."""
    client, place = interaction.client, place_of(interaction)
    proposal = await client.proposals.propose(
        press.subject, interaction.user.id, ProposalKind.MOVE, place=place, parent_id=await thread_parent(interaction)
    )
    match = await client.matches.match(press.subject)
    await replies.replace(interaction, proposed(proposal, match))
    await client.presenter.show_proposal(proposal.id)


async def _take_here(interaction: Interaction, match: Match) -> None:
    client = interaction.client
    await client.proposals.move_from_gone_channel(
        match.id, interaction.user.id, place_of(interaction), parent_id=await thread_parent(interaction)
    )
    await _tell_where(interaction, await client.presenter.show_match(match.id))


async def _tell_where(interaction: Interaction, match: Match) -> None:
    here = interaction.channel_id
    if match.channel_id is not None and match.channel_id == here:
        await replies.finish(interaction)
    elif match.channel_id is None:
        waits = _("Match #{match} waits until the match that is running here has ended.")
        if match.home.channel_id != here:
            waits = _("Match #{match} waits until the match that is running in {channel} has ended.")
        text = waits.format(match=match.id, channel=words.channel(match.home.channel_id))
        await replies.tell(interaction, text if match.home.channel_id == here else _with_move(match, text))
    else:
        where = _("The board is in {channel}.").format(channel=words.channel(match.channel_id))
        await replies.tell(interaction, _with_move(match, where))


def _with_move(match: Match, text: str) -> Message:
    return compose(text, buttons=(ActionButton(Press("move-here", match.id, match.step), _("Play on here")),))

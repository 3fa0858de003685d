"""``/draw`` and ``/undo``, and the buttons of proposals: what needs the consent of both players, or a moderator."""

from __future__ import annotations

from discord import app_commands

from bot.discord import replies
from bot.discord.access import check_overrule, viewer_of
from bot.discord.cards.match import void_question
from bot.discord.cards.proposal import answer_buttons, proposed, withdraw_button
from bot.discord.errors import sentence
from bot.discord.interactions import Interaction, Typed, match_number, player_of
from bot.discord.match_choices import my_matches
from bot.discord.messages import Press, compose
from bot.discord.presenter import card_link
from bot.domain.errors import (
    MatchOverError,
    MovedOnError,
    NotAPlayerError,
    ProposalClosedError,
    ProposalStandsError,
    RematchExistsError,
)
from bot.domain.matches import Match
from bot.domain.proposals import ProposalKind
from bot.texts import gettext as _
from bot.texts import gettext_noop

_MATCH = gettext_noop("The number of the match, if several fit")
#: What the buttons that propose something propose.
_KINDS = {"draw": ProposalKind.DRAW, "abandon": ProposalKind.ABANDON, "rematch": ProposalKind.REMATCH}


@app_commands.command(description=gettext_noop("Offer a draw, or accept the one you have been offered"))
@app_commands.describe(match=_MATCH)
@app_commands.autocomplete(match=my_matches)
async def draw(interaction: Interaction, match: Typed | None = None) -> None:
    await _propose_by_command(interaction, match, ProposalKind.DRAW)


@app_commands.command(description=gettext_noop("Ask your opponent to let you take back your last turn"))
@app_commands.describe(match=_MATCH)
@app_commands.autocomplete(match=my_matches)
async def undo(interaction: Interaction, match: Typed | None = None) -> None:
    await _propose_by_command(interaction, match, ProposalKind.TAKE_BACK)


async def _propose_by_command(interaction: Interaction, number: str | None, kind: ProposalKind) -> None:
    client, user = interaction.client, interaction.user
    match = await client.matches.find_match(viewer_of(interaction), match_number(number))
    try:
        proposal = await client.proposals.propose(match.id, user.id, kind)
    except ProposalStandsError as error:
        await _point_to(interaction, error)
        return
    await client.presenter.show_proposal(proposal.id)
    if match.channel_id == interaction.channel_id:
        await replies.finish(interaction)
    else:
        await replies.tell(interaction, proposed(proposal, match))


async def handle_proposing(interaction: Interaction, press: Press) -> None:
    """A button that proposes something: on a final card, or in private beside the question whether to resign."""
    client, user = interaction.client, interaction.user
    kind = _KINDS[press.argument]
    try:
        proposal = await client.proposals.propose(press.subject, user.id, kind, seen_step=press.step)
    except ProposalStandsError as error:
        await _point_to(interaction, error)
        return
    except RematchExistsError as error:
        await client.presenter.edit_final_card(error.match)
        raise
    except MovedOnError:
        await replies.replace(interaction, _("The board has moved on since you asked, so nothing was proposed."))
        return
    if kind is not ProposalKind.REMATCH:
        await replies.replace(interaction, proposed(proposal, await client.matches.match(press.subject)))
    await client.presenter.show_proposal(proposal.id)


async def handle_answer(interaction: Interaction, press: Press) -> None:
    """A button of a proposal: accept, decline or withdraw."""
    client, user = interaction.client, interaction.user
    try:
        match press.action:
            case "agree":
                await client.proposals.accept(press.subject, user.id)
            case "refuse":
                await client.proposals.decline(press.subject, user.id)
            case _:
                await client.proposals.withdraw(press.subject, user.id)
    except ProposalClosedError as error:
        await client.presenter.show_proposal(error.proposal.id)
        raise
    if interaction.message is not None and interaction.message.flags.ephemeral:
        done = {"agree": _("You accepted."), "refuse": _("You declined.")}
        await replies.replace(interaction, done.get(press.action, _("You withdrew it.")))
    await client.presenter.show_proposal(press.subject)


async def _point_to(interaction: Interaction, error: ProposalStandsError) -> None:
    """Says what is proposed already, with its buttons for the one who asks, even if its message is gone."""
    standing = error.proposal
    mine = standing.proposer.id == interaction.user.id
    text = sentence(error) or ""
    link = card_link(error.match.home.guild_id, standing.card)
    if link:
        jump = _("[Jump to it]({link})").format(link=link)
        text = f"{text} {jump}"
    buttons = (withdraw_button(standing),) if mine else answer_buttons(standing)
    await replies.tell(interaction, compose(text, buttons=buttons))


async def offer_to_void(interaction: Interaction, match: Match) -> None:
    """Asks a moderator whether to end a match of others; raises for everybody else."""
    await check_overrule(interaction, match, NotAPlayerError(match))
    if match.result is not None:
        raise MatchOverError(match)
    await replies.tell(interaction, void_question(match))


async def handle_voiding(interaction: Interaction, press: Press) -> None:
    """A moderator means it."""
    client = interaction.client
    match = await client.matches.match(press.subject)
    await check_overrule(interaction, match, NotAPlayerError(match))
    try:
        await client.matches.force_abandon(match.id, player_of(interaction.user), seen_step=press.step)
    except MovedOnError:
        await replies.replace(interaction, _("The board has moved on since you asked, so the match goes on."))
        return
    await replies.replace(interaction, _("You ended match #{match}.").format(match=match.id))
    await client.presenter.show_match(match.id)

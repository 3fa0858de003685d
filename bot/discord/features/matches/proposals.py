"""``/draw`` and ``/undo``, and the buttons of proposals, to which both players have to agree."""

from __future__ import annotations

from dataclasses import dataclass

from discord import app_commands

from bot.discord.interaction.errors import sentence
from bot.discord.interaction.feature import handles, loads_preferences
from bot.discord.interaction.interactions import Interaction
from bot.discord.interaction.languages import Languages
from bot.discord.interaction.options.match import MATCH_NUMBER, MatchFeature, OwnMatch
from bot.discord.posting.cards.proposal import AnswerProposal, Propose, answer_buttons, proposal_answer, withdraw_button
from bot.discord.posting.match_presenter import MatchPresenter
from bot.discord.posting.messenger import log_not_shown
from bot.discord.transport.answers import Answer, on_private_card
from bot.discord.ui import markdown
from bot.discord.ui.actions import Decision
from bot.discord.ui.markdown import CommandMentions
from bot.discord.ui.messages import compose
from bot.discord.ui.presses import OutdatedPressError
from bot.domain.matches import MovedOnError, ProposalKind
from bot.domain.proposals import DuplicateProposalError, OwnProposalError, ProposalClosedError, RematchExistsError
from bot.domain.timers import TimerKind
from bot.runtime.timers import on_timer
from bot.services.deliveries import Deliveries
from bot.services.proposals import Proposals
from bot.texts import gettext as _, gettext_noop


@dataclass
class ProposalCommands(MatchFeature):
    deliveries: Deliveries
    languages: Languages
    proposals: Proposals
    match_presenter: MatchPresenter
    command_mentions: CommandMentions

    @app_commands.command(description=gettext_noop("Offer a draw, or accept your opponent's offer"))
    @app_commands.describe(match=MATCH_NUMBER)
    @loads_preferences
    async def draw(self, interaction: Interaction, match: OwnMatch | None = None) -> None:
        await self._propose(interaction, match, ProposalKind.DRAW)

    @app_commands.command(description=gettext_noop("Ask your opponent to let you take back your last turn"))
    @app_commands.describe(match=MATCH_NUMBER)
    @loads_preferences
    async def undo(self, interaction: Interaction, match: OwnMatch | None = None) -> None:
        await self._propose(interaction, match, ProposalKind.TAKE_BACK)

    async def _propose(self, interaction: Interaction, number: int | None, kind: ProposalKind) -> None:
        turn = await self.matches.find_turn(self.access.viewer_of(interaction), number)
        self.languages.speak(interaction, turn.preferences)
        match = turn.game.match
        try:
            proposal = await self.proposals.propose(match.id, interaction.user.id, kind, shown_by_caller=True)
        except DuplicateProposalError as error:
            await self._point_to(interaction, error)
            return
        await self.match_presenter.show_proposal(proposal.id, interaction)
        opponent = match.opponent_of(interaction.user.id)
        if (await self.deliveries.get(match.id, opponent.id)).channel_id == interaction.channel_id:
            await Answer.of(interaction).delete()
        else:
            await Answer.of(interaction).respond(proposal_answer(proposal, match))

    @handles(Propose)
    async def propose(self, interaction: Interaction, press: Propose) -> None:
        """Make a proposal with a button of a final card or of a match's menu."""
        kind = press.kind
        if kind is ProposalKind.MOVE:  # which needs a place
            raise OutdatedPressError
        try:
            proposal = await self.proposals.propose(
                press.match_id, interaction.user.id, kind, seen_step=press.step, shown_by_caller=True
            )
        except DuplicateProposalError as error:
            await self._point_to(interaction, error)
            return
        except RematchExistsError as error:
            await self.match_presenter.edit_final_cards(error.match.id)
            raise
        except MovedOnError:
            await Answer.of(interaction).respond(_("The board has moved on since you asked, so nothing was proposed."))
            return
        match = await self.matches.match(press.match_id)
        delivery = await self.deliveries.get(match.id, match.opponent_of(interaction.user.id).id)
        here = delivery.channel_id == interaction.channel_id
        private = kind is not ProposalKind.REMATCH
        if private and not here:
            await Answer.of(interaction).respond(proposal_answer(proposal, match))
        await self.match_presenter.show_proposal(proposal.id, interaction)
        if private and here:
            await Answer.of(interaction).delete()

    @on_timer(TimerKind.SHOW_PROPOSAL)
    async def show_due(self, proposal_id: int) -> None:
        """Show a proposal that was made or answered outside Discord."""
        with log_not_shown("proposal_not_shown", proposal=proposal_id):
            await self.match_presenter.show_proposal(proposal_id)

    @handles(AnswerProposal)
    async def answer(self, interaction: Interaction, press: AnswerProposal) -> None:
        user = interaction.user
        try:
            match press.answer:
                case Decision.ACCEPT:
                    await self.proposals.accept(press.proposal_id, user.id, shown_by_caller=True)
                    done = _("You accepted.")
                case Decision.DECLINE:
                    await self.proposals.decline(press.proposal_id, user.id, shown_by_caller=True)
                    done = _("You declined.")
                case _:
                    await self.proposals.withdraw(press.proposal_id, user.id, shown_by_caller=True)
                    done = _("You withdrew it.")
        except ProposalClosedError as error:
            await self.match_presenter.show_proposal(error.proposal.id, interaction)
            raise
        if on_private_card(interaction):
            await Answer.of(interaction).respond(done)
        await self.match_presenter.show_proposal(press.proposal_id, interaction)

    async def _point_to(self, interaction: Interaction, error: DuplicateProposalError) -> None:
        """Say where the open proposal is, and show the user its buttons, even if its message is gone."""
        proposal = error.proposal
        mine = proposal.proposer.id == interaction.user.id
        text = sentence(OwnProposalError(proposal) if mine else error, self.command_mentions)
        view = await self.deliveries.proposal_view(proposal.id)
        shown_here = view.delivery.player_id in (None, interaction.user.id)
        link = markdown.card_link(view.delivery.home.guild_id, view.state.message) if shown_here else None
        jump = _("[Jump to it]({link})").format(link=link) if link else ""
        buttons = (withdraw_button(proposal),) if mine else answer_buttons(proposal)
        await Answer.of(interaction).respond(compose(f"{text} {jump}".rstrip(), buttons=buttons))

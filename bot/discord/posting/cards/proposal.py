"""The card of a proposal, and the private answer to its proposer."""

from __future__ import annotations

from bot.discord.ui import markdown, scenes
from bot.discord.ui.actions import Decision, OnBoard
from bot.discord.ui.messages import ActionButton, Message, compose
from bot.discord.ui.presses import Id, Press
from bot.domain.matches import Game, Match, Proposal, ProposalKind, ProposalState
from bot.domain.proposals import can_offer_draw
from bot.texts import gettext as _, gettext_noop
from bot.wording import words
from bot.wording.matches import request_of

_EMOJIS = {
    ProposalKind.DRAW: "🤝",
    ProposalKind.TAKE_BACK: "↩️",
    ProposalKind.ABANDON: "🍂",
    ProposalKind.MOVE: "📦",
    ProposalKind.REMATCH: "🔁",
}
#: These sentences make it clear that declining is not rude.
_PLAYS_ON = gettext_noop("{opponent} would rather play on.")
_DECLINED = {
    ProposalKind.MOVE: gettext_noop("{opponent} would rather stay here."),
    ProposalKind.REMATCH: gettext_noop("{opponent} has had enough for now. Maybe another time!"),
}


class Propose(OnBoard, action="propose"):
    kind: ProposalKind


class AnswerProposal(Press, action="proposal"):
    proposal_id: Id
    answer: Decision


def proposal_card(proposal: Proposal, match: Match, whereabouts: str = "") -> Message:
    """The proposal with its buttons, or its outcome; ``whereabouts`` is where an accepted rematch is played."""
    where = "" if proposal.place is None else markdown.channel(proposal.place.channel_id)
    request = f"{_EMOJIS[proposal.kind]} {request_of(proposal, match, where)}"
    if proposal.state is not ProposalState.OPEN:
        return compose(request, f"-# {_outcome(proposal, match, whereabouts)}")
    opponent = match.opponent_of(proposal.proposer.id)
    if not opponent.is_person:
        answerer = _("{player} can answer.").format(player=words.name(opponent))
        return compose(request, answerer, buttons=(withdraw_button(proposal),), colour=scenes.GOLD)
    return compose(
        request,
        _("{player}, do you accept?").format(player=markdown.mention(opponent)),
        footer="" if proposal.kind is ProposalKind.REMATCH else _("It expires with the next turn."),
        # Strangers withdraw where they ask again: the card is not in the proposer's home.
        buttons=(*answer_buttons(proposal), *([withdraw_button(proposal)] if match.apart is None else [])),
        colour=scenes.GOLD,
        pings=(opponent,),
    )


def _outcome(proposal: Proposal, match: Match, whereabouts: str) -> str:
    opponent = words.name(match.opponent_of(proposal.proposer.id))
    match proposal.state:
        case ProposalState.ACCEPTED:
            return f"{_('✅ {opponent} accepted.').format(opponent=opponent)} {whereabouts}".rstrip()
        case ProposalState.DECLINED:
            return _(_DECLINED.get(proposal.kind, _PLAYS_ON)).format(opponent=opponent)
        case ProposalState.WITHDRAWN:
            return _("{proposer} thought better of it.").format(proposer=words.name(proposal.proposer))
    return _("The match has moved on, so this no longer applies.")


def opponent_proposes(match: Match, kind: ProposalKind, player_id: int) -> bool:
    """Whether a proposal of this kind by the player's opponent is open."""
    proposal = match.proposal(kind)
    return proposal is not None and proposal.proposer.id != player_id


def draw_buttons(game: Game, player_id: int) -> tuple[ActionButton, ...]:
    """The button to offer a draw or to accept one, if that is possible."""
    match, kind = game.match, ProposalKind.DRAW
    offered = opponent_proposes(match, kind, player_id)
    if match.waiting or not (offered or can_offer_draw(match)):
        return ()
    label = _("Accept the draw") if offered else _("Offer a draw")
    return (ActionButton(Propose(match.id, game.step, kind), label, emoji=_EMOJIS[kind]),)


def answer_buttons(proposal: Proposal) -> tuple[ActionButton, ...]:
    return (
        ActionButton(AnswerProposal(proposal.id, Decision.ACCEPT), _("Accept")),
        ActionButton(AnswerProposal(proposal.id, Decision.DECLINE), _("Decline")),
    )


def withdraw_button(proposal: Proposal) -> ActionButton:
    return ActionButton(AnswerProposal(proposal.id, Decision.WITHDRAW), _("Withdraw"))


def proposal_answer(proposal: Proposal, match: Match) -> str:
    """The private answer to a player who has made a proposal, or has agreed to the opponent's."""
    opponent = words.name(match.opponent_of(proposal.proposer.id))
    if proposal.state is not ProposalState.ACCEPTED:
        return _("I have asked {player}.").format(player=opponent)
    if match.computer is not None:
        return _("{player} agrees.").format(player=opponent)
    return _("You agreed with {player}.").format(player=words.name(proposal.proposer))

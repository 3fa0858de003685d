"""Who may propose what, and answer it."""

from __future__ import annotations

from collections.abc import Iterable

from bot.domain.deliveries import MatchDelivery
from bot.domain.matches import Match, NotAPlayerError, Step, WaitingForPlaceError, mainline
from bot.domain.places import Place
from bot.domain.play import check_running
from bot.domain.proposal_refusals import (
    AlreadyThereError,
    NothingToTakeBackError,
    NotOverError,
    NotYourProposalError,
    OpponentDeletedError,
    OwnProposalError,
    ProposalClosedError,
    ProposalStandsError,
    RematchExistsError,
)
from bot.domain.proposals import Proposal, ProposalKind, ProposalState

#: These can be answered where the match is not shown.
_WITHOUT_BOARD = (ProposalKind.ABANDON, ProposalKind.MOVE, ProposalKind.REMATCH)


def check_proposable(match: Match, player_id: int, kind: ProposalKind, seen_step: int | None = None) -> None:
    """Raise when the player cannot make this proposal; ``seen_step`` is the step of their board."""
    if kind is ProposalKind.REMATCH:
        _check_rematch(match, player_id)
        return
    check_running(match, player_id, seen_step)
    if match.waiting and kind not in _WITHOUT_BOARD:
        raise WaitingForPlaceError(match)


def _check_rematch(match: Match, player_id: int) -> None:
    if not match.has_player(player_id):
        raise NotAPlayerError(match)
    if match.result is None:
        raise NotOverError(match)
    if match.rematch_id is not None:
        raise RematchExistsError(match)
    if match.opponent_of(player_id).deleted:
        raise OpponentDeletedError(match)


def check_destination(match: Match, delivery: MatchDelivery, place: Place) -> None:
    """Raise when the match is already played there."""
    if delivery.channel_id == place.channel_id:
        raise AlreadyThereError(match)


def proposal_to_accept(match: Match, player_id: int, kind: ProposalKind, place: Place | None) -> Proposal | None:
    """The opponent's open proposal of the same thing; making it as well accepts it.

    None if no proposal of that kind is open. Raises :class:`ProposalStandsError` if a different one is.
    """
    standing = match.proposal(kind)
    if standing is None:
        return None
    # Two take-backs are never the same: each takes back the last turn of its proposer.
    same = standing.place == place and kind is not ProposalKind.TAKE_BACK
    if not same or standing.proposer.id == player_id:
        raise ProposalStandsError(match, standing)
    return standing


def kept_turns(match: Match, steps: Iterable[Step], player_id: int) -> int:
    """The number of turns that stand after taking back the player's last turn and any turn after it."""
    own = [step.ply for step in mainline(steps) if step.player_id == player_id]
    if not own:
        raise NothingToTakeBackError(match)
    return own[-1] - 1


def check_answer(match: Match, proposal: Proposal, player_id: int) -> None:
    """Raise when the player can neither accept nor decline the proposal."""
    _check_open(match, proposal, player_id)
    if proposal.proposer.id == player_id:
        raise OwnProposalError(proposal)


def check_withdrawal(match: Match, proposal: Proposal, player_id: int) -> None:
    """Raise when the player cannot withdraw the proposal."""
    _check_open(match, proposal, player_id)
    if proposal.proposer.id != player_id:
        raise NotYourProposalError(proposal)


def _check_open(match: Match, proposal: Proposal, player_id: int) -> None:
    if not match.has_player(player_id):
        raise NotAPlayerError(match)
    if proposal.state is not ProposalState.OPEN:
        raise ProposalClosedError(proposal)

"""Proposals: who may make and answer them, and refusals."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from bot.domain.deliveries import PostedMessage
from bot.domain.matches import (
    AboutMatchError,
    Match,
    NotAPlayerError,
    Proposal,
    ProposalKind,
    ProposalState,
    Step,
    WaitingForPlaceError,
    mainline,
)
from bot.domain.places import Place
from bot.domain.play import check_running
from bot.domain.refusals import DomainError
from rules.text import gettext_noop

#: Proposals that players can make while the match is not shown.
_WITHOUT_BOARD = (ProposalKind.ABANDON, ProposalKind.MOVE, ProposalKind.REMATCH)


@dataclass(frozen=True, slots=True)
class LapsedProposal:
    """A proposal that has just lapsed, and its card, which does not show this yet."""

    proposal: Proposal
    card: PostedMessage


def can_offer_draw(match: Match) -> bool:
    """Whether the game can end in a draw, and the opponent is not the computer."""
    return match.ruleset.game.has_draws and match.computer is None


def check_proposable(match: Match, player_id: int, kind: ProposalKind, seen_step: int | None = None) -> None:
    """Raise unless the player may make this proposal; ``seen_step`` is the step of the board that they saw."""
    if kind is not ProposalKind.REMATCH:
        check_running(match, player_id, seen_step)
        if match.waiting and kind not in _WITHOUT_BOARD:
            raise WaitingForPlaceError(match)
        if kind is ProposalKind.ABANDON and match.ladder is not None:
            raise LadderMatchError(match)
        # Version 1.0 let players offer draws in all games, and such an offer may still be open.
        if kind is ProposalKind.DRAW and not can_offer_draw(match) and match.proposal(kind) is None:
            raise NoDrawError(match, None if match.computer is None else "computer")
        return
    if not match.has_player(player_id):
        raise NotAPlayerError(match)
    if match.result is None:
        raise NotOverError(match)
    if match.rematch_id is not None:
        raise RematchExistsError(match, match=match.rematch_id)
    if match.opponent_of(player_id).deleted:
        raise OpponentDeletedError(match)


def proposal_to_accept(match: Match, player_id: int, kind: ProposalKind, place: Place | None) -> Proposal | None:
    """The opponent's open proposal that a player accepts by making the same one; None without one.

    Raises :class:`DuplicateProposalError` if a different one of that kind is open.
    """
    existing = match.proposal(kind)
    if existing is None:
        return None
    # Two take-backs are never the same: each takes back the last turn of its proposer.
    same = existing.place == place and kind is not ProposalKind.TAKE_BACK
    if not same or existing.proposer.id == player_id:
        raise DuplicateProposalError(match, existing)
    return existing


def kept_turns(match: Match, steps: Iterable[Step], player_id: int) -> int:
    """The number of turns that remain after a take-back of the player's last turn and any turn after it."""
    own = [step.ply for step in mainline(steps) if step.player_id == player_id]
    if not own:
        raise NothingToTakeBackError(match)
    return own[-1] - 1


def check_answer(match: Match, proposal: Proposal, player_id: int) -> None:
    """Raise unless the player may accept or decline the proposal."""
    _check_open(match, proposal, player_id)
    if proposal.proposer.id == player_id:
        raise OwnProposalError(proposal)


def check_withdraw(match: Match, proposal: Proposal, player_id: int) -> None:
    """Raise unless the player may withdraw the proposal."""
    _check_open(match, proposal, player_id)
    if proposal.proposer.id != player_id:
        raise NotYourProposalError(proposal, player=proposal.proposer)


def _check_open(match: Match, proposal: Proposal, player_id: int) -> None:
    if not match.has_player(player_id):
        raise NotAPlayerError(match)
    if proposal.state is not ProposalState.OPEN:
        raise ProposalClosedError(proposal, proposal.state)


class UnknownProposalError(DomainError):
    template = gettext_noop("This proposal no longer exists. {board} shows the board.")


class DuplicateProposalError(AboutMatchError):
    """A proposal of that kind, made by either player, already waits for an answer."""

    templates: ClassVar = {
        ProposalKind.DRAW: gettext_noop(
            "{player} has already offered a draw in match #{match}. That has to be answered first."
        ),
        ProposalKind.TAKE_BACK: gettext_noop(
            "{player} has already asked to take turns back in match #{match}. That has to be answered first."
        ),
        ProposalKind.ABANDON: gettext_noop(
            "{player} has already proposed to call off match #{match}. That has to be answered first."
        ),
        ProposalKind.MOVE: gettext_noop(
            "{player} has already proposed to move match #{match}. That has to be answered first."
        ),
        ProposalKind.REMATCH: gettext_noop(
            "{player} has already asked for a rematch of match #{match}. That has to be answered first."
        ),
    }

    def __init__(self, match: Match, proposal: Proposal) -> None:
        super().__init__(match, proposal.kind, player=proposal.proposer)
        self.proposal = proposal


class NoDrawError(AboutMatchError):
    """The game has no draws, or the opponent is the ``computer``."""

    template = gettext_noop("This game has no draws. Play on in match #{match}, or resign.")
    templates: ClassVar = {
        "computer": gettext_noop("There are no draws against the computer. Play on in match #{match}, or resign.")
    }


class LadderMatchError(AboutMatchError):
    """A ladder match cannot be abandoned, because the opponent would keep their rung."""

    template = gettext_noop(
        "Match #{match} decides a place on a ladder, so it cannot be called off. Play on, or resign."
    )


class BlockedProposalError(AboutMatchError):
    """The opponent has blocked the player and accepts no proposals from them in a running match."""

    template = gettext_noop(
        "{player} does not accept proposals from you. You can still play match #{match}, or resign."
    )


class AlreadyThereError(AboutMatchError):
    template = gettext_noop("Match #{match} is already being played in this channel.")


class NothingToTakeBackError(AboutMatchError):
    template = gettext_noop("You have not played in match #{match} yet, so there is nothing to take back.")


class NotOverError(AboutMatchError):
    template = gettext_noop("Match #{match} is still running. You can have a rematch when it is over.")


class RematchExistsError(AboutMatchError):
    """There is already a rematch, ``match``."""

    template = gettext_noop("There is already a rematch: match #{match}. {board} shows it.")


class OpponentDeletedError(AboutMatchError):
    """The opponent in that match has deleted their data, so nobody knows who it was."""

    template = gettext_noop(
        "Your opponent in match #{match} has deleted their data. {challenge} starts a match with someone else."
    )


class ProposalError(DomainError):
    """A refusal about one proposal."""

    def __init__(self, proposal: Proposal, case: object = None, /, **values: object) -> None:
        super().__init__(case, **values)
        self.proposal = proposal


class ProposalClosedError(ProposalError):
    """The proposal was answered or withdrawn, or the match went on."""

    templates: ClassVar = {
        ProposalState.OPEN: gettext_noop("This is no longer open."),
        ProposalState.ACCEPTED: gettext_noop("This was already accepted."),
        ProposalState.DECLINED: gettext_noop("This was already declined."),
        ProposalState.WITHDRAWN: gettext_noop("This was already withdrawn."),
        ProposalState.LAPSED: gettext_noop("The match has moved on since then, so this no longer applies."),
    }


class OwnProposalError(ProposalError):
    """Proposers cannot answer their own proposal, only withdraw it."""

    template = gettext_noop("You proposed this yourself, so your opponent has to answer it. You can withdraw it.")


class NotYourProposalError(ProposalError):
    """Only the proposer can withdraw a proposal; the opponent can decline it."""

    template = gettext_noop("Only {player} can withdraw this. You can accept or decline it.")

"""Proposals: changes that need the consent of both players."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from bot.domain.places import Place
from bot.domain.players import Player


class ProposalKind(enum.StrEnum):
    DRAW = "draw"
    TAKE_BACK = "take-back"
    ABANDON = "abandon"
    MOVE = "move"
    REMATCH = "rematch"


class ProposalState(enum.StrEnum):
    OPEN = "open"
    ACCEPTED = "accepted"
    DECLINED = "declined"
    WITHDRAWN = "withdrawn"
    LAPSED = "lapsed"
    """The match went on, or ended, before an answer."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposal to the opponent about the match after ``step`` steps; it lapses with the next step.

    ``ply`` turns stood then; a take-back ``keeps`` the first of them. ``place`` is where to move the match.
    """

    id: int
    match_id: int
    kind: ProposalKind
    proposer: Player
    step: int
    state: ProposalState
    ply: int
    keeps: int | None = None
    place: Place | None = None

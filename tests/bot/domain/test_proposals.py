"""Who may propose what, and answer it, decided without a database."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace

import pytest
from hypothesis import given, settings, strategies as st

from bot.domain.matches import (
    Ending,
    Match,
    MatchOverError,
    MovedOnError,
    NotAPlayerError,
    Proposal,
    ProposalKind,
    ProposalState,
    Result,
    Step,
    WaitingForPlaceError,
    mainline,
)
from bot.domain.places import Place
from bot.domain.players import Player, computer
from bot.domain.proposals import (
    DuplicateProposalError,
    NoDrawError,
    NothingToTakeBackError,
    NotOverError,
    NotYourProposalError,
    OpponentDeletedError,
    OwnProposalError,
    ProposalClosedError,
    RematchExistsError,
    check_answer,
    check_proposable,
    check_withdraw,
    kept_turns,
    proposal_to_accept,
)
from rules import GAMES, ruleset
from tests.support.positions import repeatable
from tests.support.services.matches import ALICE, BOB, CAROL, MATCH

DRAW, TAKE_BACK, ABANDON, MOVE, REMATCH = ProposalKind
NOW = MATCH.started_at
ELSEWHERE = Place(1, 11)


def match() -> Match:
    """A running match of Alice and Bob with draws; after six steps, four turns stand."""
    return replace(MATCH, ruleset=ruleset("hedu", 5), ply=4, step=6)


def proposal(kind: ProposalKind = DRAW, who: Player = ALICE, place: Place | None = None) -> Proposal:
    return Proposal(1, MATCH.id, kind, who, step=6, state=ProposalState.OPEN, ply=4, place=place)


over = replace(match(), result=Result(BOB.id, Ending.RESIGNATION))


@pytest.mark.parametrize("kind", [DRAW, TAKE_BACK, ABANDON, MOVE])
def test_proposals_come_from_players_on_the_board_that_they_see(kind: ProposalKind) -> None:
    for who in (ALICE, BOB):
        check_proposable(match(), who.id, kind)
        check_proposable(match(), who.id, kind, seen_step=6)
        with pytest.raises(MovedOnError):
            check_proposable(match(), who.id, kind, seen_step=4)
        with pytest.raises(MatchOverError):
            check_proposable(over, who.id, kind)
    with pytest.raises(NotAPlayerError):
        check_proposable(match(), CAROL.id, kind)


@pytest.mark.parametrize("kind", [DRAW, TAKE_BACK, ABANDON, MOVE])
def test_a_match_that_waits_for_a_place_can_only_be_abandoned_or_moved(kind: ProposalKind) -> None:
    waiting = replace(match(), waiting=True)
    with nullcontext() if kind in (ABANDON, MOVE) else pytest.raises(WaitingForPlaceError):
        check_proposable(waiting, ALICE.id, kind)


@pytest.mark.parametrize("game", GAMES)
def test_draws_are_offered_between_people_in_games_that_have_them(game: str) -> None:
    wanted = replace(match(), ruleset=ruleset(game))
    with nullcontext() if game in ("fiodar", "hedu") else pytest.raises(NoDrawError):
        check_proposable(wanted, ALICE.id, DRAW)
    with pytest.raises(NoDrawError):
        check_proposable(replace(wanted, second=computer(3)), ALICE.id, DRAW)
    check_proposable(replace(wanted, proposals=(proposal(DRAW, BOB),)), ALICE.id, DRAW)


@pytest.mark.parametrize(
    ("wanted", "who", "refusal"),
    [
        (over, ALICE, None),
        (over, CAROL, NotAPlayerError),
        (match(), ALICE, NotOverError),
        (replace(over, rematch_id=2), ALICE, RematchExistsError),
        (replace(over, second=Player(-1, "")), ALICE, OpponentDeletedError),
    ],
)
def test_one_rematch_follows_a_match_that_is_over(wanted: Match, who: Player, refusal: type[Exception] | None) -> None:
    with pytest.raises(refusal) if refusal else nullcontext():
        check_proposable(wanted, who.id, REMATCH)


@pytest.mark.parametrize("kind", ProposalKind)
def test_proposing_what_the_opponent_proposes_accepts_it(kind: ProposalKind) -> None:
    place = ELSEWHERE if kind is MOVE else None
    existing = proposal(kind, ALICE, place)
    about = replace(match(), proposals=(existing,))
    assert proposal_to_accept(match(), BOB.id, kind, place) is None
    if kind is TAKE_BACK:
        with pytest.raises(DuplicateProposalError):
            proposal_to_accept(about, BOB.id, kind, place)
    else:
        assert proposal_to_accept(about, BOB.id, kind, place) is existing
    with pytest.raises(DuplicateProposalError):
        proposal_to_accept(about, ALICE.id, kind, place)
    other = DRAW if kind is ABANDON else ABANDON
    assert proposal_to_accept(about, BOB.id, other, None) is None


def test_moving_elsewhere_than_the_opponent_proposes_is_no_agreement() -> None:
    about = replace(match(), proposals=(proposal(MOVE, ALICE, ELSEWHERE),))
    with pytest.raises(DuplicateProposalError):
        proposal_to_accept(about, BOB.id, MOVE, Place(1, 12))


@pytest.mark.parametrize("state", ProposalState)
def test_the_opponent_answers_and_the_proposer_withdraws_while_it_is_open(state: ProposalState) -> None:
    offered = replace(proposal(), state=state)
    for check, own, refusal in (
        (check_answer, BOB, OwnProposalError),
        (check_withdraw, ALICE, NotYourProposalError),
    ):
        (other,) = {ALICE, BOB} - {own}
        with pytest.raises(NotAPlayerError):
            check(match(), offered, CAROL.id)
        is_open = state is ProposalState.OPEN
        with nullcontext() if is_open else pytest.raises(ProposalClosedError):
            check(match(), offered, own.id)
        with pytest.raises(refusal if is_open else ProposalClosedError):
            check(match(), offered, other.id)


@settings(repeatable)
@given(st.lists(st.one_of(st.sampled_from([ALICE, BOB]), st.integers(0, 12)), max_size=25))
def test_a_take_back_leaves_what_stood_before_the_players_last_turn(history: list[Player | int]) -> None:
    steps: list[Step] = []
    for number, each in enumerate(history):
        remaining = mainline(steps)
        if isinstance(each, Player):
            steps.append(Step(len(remaining) + 1, f"turn {number}", each.id, NOW))
        else:
            steps.append(Step(min(each, len(remaining)), None, ALICE.id, NOW))
    remaining = mainline(steps)
    for who in (ALICE, BOB):
        own = [step.player_id == who.id for step in remaining]
        if not any(own):
            with pytest.raises(NothingToTakeBackError):
                kept_turns(match(), steps, who.id)
            continue
        kept = kept_turns(match(), steps, who.id)
        assert own[kept]
        assert not any(own[kept + 1 :])

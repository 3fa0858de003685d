"""Who may make, answer and withdraw a challenge, decided without a database."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.domain.challenges import (
    Challenge,
    ChallengeClosedError,
    ChallengeState,
    ChannelNotAllowedError,
    First,
    NotYourChallengeError,
    OpenChallengeError,
    OwnChallengeError,
    assign_seats,
    check_place,
    suggested_terms,
)
from bot.domain.places import Place
from bot.domain.players import Player
from bot.domain.preferences import ServerSettings
from rules import ruleset
from tests.support.services.matches import ALICE, BOB, CAROL, DALEN, PLACE

NOW = datetime(2026, 1, 1, tzinfo=UTC)
CHECKS = [Challenge.check_accept, Challenge.check_decline, Challenge.check_withdraw]
Check = Callable[[Challenge, int, datetime], None]


def challenge(opponent: Player | None = BOB) -> Challenge:
    """Alice's open challenge, for another hour."""
    until = NOW + timedelta(hours=1)
    return Challenge(1, PLACE, ALICE, opponent, DALEN, First.RANDOM, ChallengeState.OPEN, NOW, until, match_id=None)


def test_two_matches_of_a_game_are_small_and_casual_and_later_ones_usual_and_rated() -> None:
    small, usual = ruleset("hedu", 5), ruleset("hedu", 7)
    suggested = [suggested_terms(usual.game, played) for played in range(4)]
    assert suggested == [(small, False), (small, False), (usual, True), (usual, True)]


@pytest.mark.parametrize(
    ("check", "opponent", "who", "refusal"),
    [
        (Challenge.check_accept, BOB, BOB, None),
        (Challenge.check_accept, BOB, ALICE, OwnChallengeError),
        (Challenge.check_accept, BOB, CAROL, NotYourChallengeError),
        (Challenge.check_accept, None, CAROL, None),
        (Challenge.check_accept, None, ALICE, OwnChallengeError),
        (Challenge.check_decline, BOB, BOB, None),
        (Challenge.check_decline, BOB, ALICE, OwnChallengeError),
        (Challenge.check_decline, BOB, CAROL, NotYourChallengeError),
        (Challenge.check_decline, None, CAROL, OpenChallengeError),
        (Challenge.check_decline, None, ALICE, OwnChallengeError),
        (Challenge.check_withdraw, BOB, ALICE, None),
        (Challenge.check_withdraw, BOB, BOB, NotYourChallengeError),
        (Challenge.check_withdraw, None, CAROL, NotYourChallengeError),
    ],
)
def test_only_the_players_concerned_answer_or_withdraw_a_challenge(
    check: Check, opponent: Player | None, who: Player, refusal: type[Exception] | None
) -> None:
    with pytest.raises(refusal) if refusal else nullcontext():
        check(challenge(opponent), who.id, NOW)


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("state", [state for state in ChallengeState if state is not ChallengeState.OPEN])
def test_a_closed_challenge_takes_no_answer_and_says_what_became_of_it(check: Check, state: ChallengeState) -> None:
    for who in (ALICE, BOB, CAROL):
        with pytest.raises(ChallengeClosedError) as refused:
            check(replace(challenge(), state=state), who.id, NOW)
        assert refused.value.args == ChallengeClosedError(state).args


@pytest.mark.parametrize(("check", "who"), list(zip(CHECKS, (BOB, BOB, ALICE), strict=True)))
def test_a_challenge_ends_with_its_last_moment(check: Check, who: Player) -> None:
    open_one = challenge()
    check(open_one, who.id, open_one.expires_at - timedelta(microseconds=1))
    with pytest.raises(ChallengeClosedError) as refused:
        check(open_one, who.id, open_one.expires_at)
    assert "has expired" in str(refused.value)


@pytest.mark.parametrize("heads", [False, True])
@pytest.mark.parametrize("first", First)
def test_only_where_it_is_left_to_chance_does_chance_decide_who_opens(first: First, heads: bool) -> None:
    opens = {First.CHALLENGER: ALICE, First.OPPONENT: BOB, First.RANDOM: ALICE if heads else BOB}[first]
    both = assign_seats(first, ALICE, BOB, heads=heads)
    assert both[0] is opens
    assert set(both) == {ALICE, BOB}


@pytest.mark.parametrize(
    ("allowed", "channel_id", "parent_id", "refused"),
    [
        (frozenset(), 10, None, False),
        (frozenset({10, 11}), 10, None, False),
        (frozenset({11}), 10, None, True),
        (frozenset({11}), 10, 11, False),
        (frozenset({11}), 10, 12, True),
    ],
)
def test_a_server_allows_its_channels_and_their_threads(
    allowed: frozenset[int], channel_id: int, parent_id: int | None, refused: bool
) -> None:
    with pytest.raises(ChannelNotAllowedError) if refused else nullcontext():
        check_place(ServerSettings(channel_ids=allowed), Place(1, channel_id, parent_id=parent_id))

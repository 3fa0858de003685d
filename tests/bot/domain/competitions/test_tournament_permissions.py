"""Who may join, leave, remove and start, and who is absent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.domain.clocks import TimeControl
from bot.domain.competitions.tournaments import (
    MAX_ENTRANTS,
    AlreadyEntrantError,
    NoEntrantError,
    NotOrganiserError,
    OwnTournamentError,
    Pairing,
    TooFewEntrantsError,
    Tournament,
    TournamentFullError,
    TournamentState,
    TournamentStateError,
)
from bot.domain.matches import Ending, Result
from bot.domain.refusals import DomainError
from tests.support.services.tournaments import tournament_of

NOW = datetime(2026, 1, 1, tzinfo=UTC)
ORGANISER, ENTRANT, OTHER, GONE = 1, 2, 3, 4
OUTSIDER = 9


def tournament(state: TournamentState, size: int = 4) -> Tournament:
    """A tournament of players 1, 2, …; the fourth has withdrawn if it is no longer open."""
    found = tournament_of(size, state=state, control=TimeControl.turns_of(timedelta(days=1)), pairings=())
    if state is TournamentState.OPEN:
        return found
    gone = {GONE: NOW}
    return replace(
        found, entrants=tuple(replace(entrant, withdrawn_at=gone.get(entrant.player.id)) for entrant in found.entrants)
    )


def refusal(check: Callable[[], None]) -> type[Exception] | None:
    try:
        check()
    except DomainError as error:
        return type(error)
    return None


OPEN, RUNNING, OVER, CANCELLED = TournamentState


@pytest.mark.parametrize(
    ("state", "player", "by", "moderator", "refused"),
    [
        (OPEN, ENTRANT, ORGANISER, False, None),
        (OPEN, ENTRANT, OUTSIDER, True, None),
        (OPEN, ENTRANT, OTHER, True, None),
        (OPEN, ENTRANT, OTHER, False, NotOrganiserError),
        (OPEN, OUTSIDER, ORGANISER, False, NoEntrantError),
        (RUNNING, ENTRANT, ORGANISER, False, None),
        (RUNNING, ENTRANT, OUTSIDER, True, None),
        (RUNNING, ENTRANT, OTHER, True, OwnTournamentError),
        (RUNNING, ENTRANT, OTHER, False, NotOrganiserError),
        (RUNNING, GONE, ORGANISER, False, NoEntrantError),
        (OVER, ENTRANT, ORGANISER, False, TournamentStateError),
        (CANCELLED, ENTRANT, OUTSIDER, True, TournamentStateError),
    ],
)
def test_organisers_and_neutral_moderators_remove_players(
    state: TournamentState, player: int, by: int, moderator: bool, refused: type[Exception] | None
) -> None:
    found = tournament(state)
    assert refusal(lambda: found.check_removal(player, by, moderator=moderator)) is refused


@pytest.mark.parametrize(
    ("state", "by", "moderator", "needed"),
    [
        (OPEN, ORGANISER, False, False),
        (OPEN, OTHER, True, False),
        (RUNNING, ORGANISER, False, True),
        (RUNNING, ORGANISER, True, True),
        (RUNNING, OUTSIDER, True, False),
    ],
)
def test_only_neutral_moderators_remove_players_who_are_present(
    state: TournamentState, by: int, moderator: bool, needed: bool
) -> None:
    assert tournament(state).needs_absence(by, moderator=moderator) is needed


@pytest.mark.parametrize(
    ("check", "state", "player", "refused"),
    [
        (Tournament.check_join, OPEN, OUTSIDER, None),
        (Tournament.check_join, OPEN, ENTRANT, AlreadyEntrantError),
        (Tournament.check_join, RUNNING, OUTSIDER, TournamentStateError),
        (Tournament.check_join, OVER, ENTRANT, TournamentStateError),
        (Tournament.check_leave, OPEN, ENTRANT, None),
        (Tournament.check_leave, OPEN, OUTSIDER, NoEntrantError),
        (Tournament.check_leave, RUNNING, ENTRANT, None),
        (Tournament.check_leave, RUNNING, GONE, NoEntrantError),
        (Tournament.check_leave, OVER, ENTRANT, TournamentStateError),
        (Tournament.check_leave, CANCELLED, OUTSIDER, TournamentStateError),
    ],
)
def test_players_join_open_tournaments_once_and_leave_once_until_the_end(
    check: Callable[[Tournament, int], None], state: TournamentState, player: int, refused: type[Exception] | None
) -> None:
    assert refusal(lambda: check(tournament(state), player)) is refused


def test_a_full_tournament_has_no_room() -> None:
    assert refusal(lambda: tournament(OPEN, MAX_ENTRANTS - 1).check_room()) is None
    full = tournament(OPEN, MAX_ENTRANTS)
    assert refusal(full.check_room) is TournamentFullError


@pytest.mark.parametrize(
    ("state", "size", "by", "moderator", "refused"),
    [
        (OPEN, 3, ORGANISER, False, None),
        (OPEN, 3, ENTRANT, True, None),
        (OPEN, 3, ENTRANT, False, NotOrganiserError),
        (OPEN, 2, ORGANISER, False, TooFewEntrantsError),
        (RUNNING, 3, ORGANISER, False, TournamentStateError),
    ],
)
def test_organisers_and_moderators_start_open_tournaments_of_three_or_more(
    state: TournamentState, size: int, by: int, moderator: bool, refused: type[Exception] | None
) -> None:
    found = tournament(state, size)
    assert refusal(lambda: found.check_start(by, moderator=moderator)) is refused


@pytest.mark.parametrize(
    ("player", "last_turn", "absent"),
    [
        (ENTRANT, None, True),
        (ENTRANT, NOW - timedelta(minutes=1), True),
        (ENTRANT, NOW, False),
        (ORGANISER, None, False),
        (OTHER, None, False),  # lost by the rules
    ],
)
def test_a_player_who_lost_on_time_is_absent_until_they_play(
    player: int, last_turn: datetime | None, absent: bool
) -> None:
    lost = Pairing(1, ORGANISER, ENTRANT, 7, Result(ORGANISER, Ending.TIME), NOW)
    by_rules = Pairing(3, ORGANISER, OTHER, 8, Result(ORGANISER, Ending.RULES), NOW)
    found = replace(tournament(RUNNING), pairings=(lost, Pairing(2, ENTRANT, OTHER), by_rules))
    assert found.lost_on_time(player, last_turn) is absent

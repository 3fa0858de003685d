"""Permissions in a tournament: functions that raise the error with the reason."""

from __future__ import annotations

from datetime import datetime, timedelta

from bot.domain.matches import Game
from bot.domain.tournaments import (
    MAX_ENTRANTS,
    MIN_ENTRANTS,
    AlreadyEntrantError,
    NoEntrantError,
    NotOrganiserError,
    OwnTournamentError,
    TooFewEntrantsError,
    Tournament,
    TournamentFullError,
    TournamentState,
    TournamentStateError,
)

#: A player is absent who has made no turn for so long in a game without a clock.
ABSENCE = timedelta(days=3)


def check_state(tournament: Tournament, *states: TournamentState) -> None:
    if tournament.state not in states:
        raise TournamentStateError(tournament)


def check_organiser(tournament: Tournament, player_id: int, *, moderator: bool, judging: bool = False) -> None:
    """Allow the organiser and moderators; when ``judging`` others, no moderator who takes part."""
    if player_id == tournament.organiser.id:
        return
    if not moderator:
        raise NotOrganiserError(tournament.organiser)
    if judging and tournament.has_player(player_id):
        raise OwnTournamentError


def check_joining(tournament: Tournament, player_id: int) -> None:
    check_state(tournament, TournamentState.OPEN)
    if tournament.has_player(player_id):
        raise AlreadyEntrantError


def check_room(tournament: Tournament) -> None:
    if len(tournament.entrants) >= MAX_ENTRANTS:
        raise TournamentFullError


def check_leaving(tournament: Tournament, player_id: int, *, own: bool = True) -> None:
    """Allow a player to leave an open or running tournament; ``own`` says whether they ask for it themselves."""
    if not tournament.ongoing:
        raise TournamentStateError(tournament)
    if not tournament.has_active(player_id):
        raise NoEntrantError(own=own)


def check_start(tournament: Tournament, player_id: int, *, moderator: bool) -> None:
    check_state(tournament, TournamentState.OPEN)
    check_organiser(tournament, player_id, moderator=moderator)
    if len(tournament.entrants) < MIN_ENTRANTS:
        raise TooFewEntrantsError


def check_removal(tournament: Tournament, player_id: int, by_id: int, *, moderator: bool) -> None:
    """Allow the organiser and moderators to remove a player.

    Once the tournament has started, a moderator must not be in it, and :func:`needs_absence` says what more the
    organiser needs.
    """
    check_leaving(tournament, player_id, own=False)
    check_organiser(tournament, by_id, moderator=moderator, judging=tournament.state is TournamentState.RUNNING)


def needs_absence(tournament: Tournament, by_id: int, *, moderator: bool) -> bool:
    """Whether a person can remove only absent players, and none of their own opponents."""
    neutral = moderator and not tournament.has_player(by_id)
    return tournament.state is TournamentState.RUNNING and not neutral


def lost_on_time(tournament: Tournament, player_id: int, last_turn_at: datetime | None) -> bool:
    """Whether a player has lost a game on time and has made no turn in the tournament since."""
    lost_at = tournament.last_loss_on_time(player_id)
    return lost_at is not None and (last_turn_at is None or last_turn_at < lost_at)


def keeps_waiting(game: Game, player_id: int, now: datetime, days_off: int) -> bool:
    """Whether a player has kept a game waiting too long: for days without a clock, or until their time was up.

    ``days_off`` is the number of days off taken since the last turn. They save the game, but the player counts as
    absent.
    """
    match = game.match
    if match.waiting or game.to_act is None or game.to_act.id != player_id:
        return False
    if match.clock is None:
        return now - match.moved_at >= ABSENCE
    if match.clock.fallen(now):
        return True
    since = match.clock.since
    # A day off restarts the clock.
    return since is not None and since > match.moved_at and days_off > 0

"""What players may do in a match, and what follows from a turn and from a result."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from bot.domain.matches import (
    AboutMatchError,
    Ending,
    Game,
    Match,
    MatchOverError,
    MovedOnError,
    NotAPlayerError,
    NotYourTurnError,
    Result,
    WaitingForPlaceError,
)
from bot.domain.refusals import DomainError
from bot.domain.timers import Timer, TimerKind
from rules import Draft
from rules.text import gettext_noop


def check_running(match: Match, player_id: int, seen_step: int | None = None) -> None:
    """Raise unless this is a running match of the player and, where given, still at ``seen_step``."""
    if not match.has_player(player_id):
        raise NotAPlayerError(match)
    if match.result is not None:
        raise MatchOverError(match)
    if seen_step not in (None, match.step):
        raise MovedOnError


def check_awaited(game: Game, player_id: int) -> None:
    """Raise unless the game is running and the player is to act."""
    check_running(game.match, player_id)
    if game.match.waiting:
        raise WaitingForPlaceError(game.match)
    awaited = game.to_act
    assert awaited is not None
    if awaited.id != player_id:
        raise NotYourTurnError(game, awaited)


def after(game: Game, turn: Draft, now: datetime) -> Game:
    """The game after a complete turn, with its result when the rules end it and with the clock of before the turn."""
    match, outcome = game.match, turn.preview.outcome
    match = replace(match, ply=match.ply + 1, step=match.step + 1, moved_at=now, proposals=())
    if outcome is not None:
        winner_id = None if outcome.winner is None else game.player_of(outcome.winner).id
        match = replace(match, result=Result(winner_id, Ending.RULES), ended_at=now)
    return Game(match, (*game.turns, turn.text), turn.preview, turn.events)


def tournament_timer(match: Match, now: datetime) -> Timer | None:
    """The timer that has the tournament look at a changed result; None outside tournaments."""
    return None if match.tournament is None else Timer(TimerKind.TOURNAMENT, match.tournament.id, now)


class NoClockError(AboutMatchError):
    template = gettext_noop("Match #{match} is played without a clock.")


class TimeUpError(AboutMatchError):
    """The player to act has run out of time under a strict clock."""

    template = gettext_noop("Your time in match #{match} is up.")


class TimeLeftError(AboutMatchError):
    """Nothing to claim: the player to act has time until ``match.clock.flag_at``, or a day off that was just
    ``spared``."""

    template = gettext_noop("There is time left in match #{match}, so there is nothing to claim.")
    _day_off = gettext_noop(
        "Your opponent in match #{match} still has days off. One of them is used now, so you do not win yet."
    )

    def __init__(self, match: Match, *, spared: bool = False) -> None:
        super().__init__(match, self._day_off if spared else None)


class OwnTimeError(AboutMatchError):
    """Only the opponent can give a player more time, or claim that it is up."""

    template = gettext_noop(
        "In match #{match}, your own time is running. Only your opponent can give you more, or claim the win when it "
        "is up."
    )


class ClockChangedError(DomainError):
    """The clock is no longer as the player saw it."""

    template = gettext_noop("The clock has changed since then. Look at it again before you decide.")

"""What players may do in a match, and the game after a turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import ClassVar

from bot.domain.limits import NUDGE_AFTER, NUDGE_AGAIN, NUDGE_LIMIT, TooManyNudgesError
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
from bot.domain.players import Player
from bot.domain.refusals import DomainError
from rules import Draft
from rules.text import gettext_noop


def check_running(match: Match, player_id: int, seen_step: int | None = None) -> None:
    """Raise unless the player plays this running match, still at the step of the board that they saw, if given."""
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
        raise NotYourTurnError(game.match, game.position.phase, player=awaited)


def after(game: Game, turn: Draft, now: datetime, *, planned: bool = False) -> Game:
    """The game after a complete turn, with the result if the turn ends it. The clock is not changed."""
    match, outcome = game.match, turn.preview.outcome
    match = replace(match, ply=match.ply + 1, step=match.step + 1, moved_at=now, proposals=())
    if outcome is not None:
        winner_id = None if outcome.winner is None else game.player_of(outcome.winner).id
        match = replace(match, result=Result(winner_id, Ending.RULES), ended_at=now)
    in_a_row = game.planned + 1 if planned else 0
    return Game(match, (*game.turns, turn.text), turn.preview, turn.events, planned=in_a_row)


def keeps_waiting(match: Match, now: datetime) -> bool:
    """Whether a match that may last for days has waited long enough for a nudge."""
    return _is_slow(match) and not match.waiting and match.moved_at + NUDGE_AFTER <= now


def _is_slow(match: Match) -> bool:
    return match.between_people and (match.clock is None or match.clock.control.slow)


def check_nudge(
    match: Match, awaited: Player, player_id: int, nudged_at: Mapping[int, datetime], now: datetime
) -> None:
    """Raise unless the player may nudge the opponent; ``nudged_at`` are the times of their last nudges, by match."""
    check_running(match, player_id)
    opponent = match.opponent_of(player_id)
    if opponent.is_program:
        raise NotNudgedError(match, "program", player=opponent)
    if match.waiting:
        raise WaitingForPlaceError(match)
    if awaited.id == player_id:
        raise NotNudgedError(match, "turn", player=opponent)
    if not _is_slow(match):
        raise NotNudgedError(match, "clock", player=opponent)
    if now < match.moved_at + NUDGE_AFTER:
        raise TooManyNudgesError(match.moved_at + NUDGE_AFTER, opponent)
    here = [nudged_at[match.id]] if match.id in nudged_at else []
    NUDGE_AGAIN.check(here, now, lambda again_at: TooManyNudgesError(again_at, opponent))
    NUDGE_LIMIT.check(nudged_at.values(), now, TooManyNudgesError)


class NoClockError(AboutMatchError):
    template = gettext_noop("Match #{match} is played without a clock.")


class TimeUpError(AboutMatchError):
    """The player's time is up under a strict clock."""

    template = gettext_noop("Your time in match #{match} is up.")


class TimeLeftError(AboutMatchError):
    """There is no win to claim: the player to act has time left, or a day off has just begun."""

    template = gettext_noop("There is time left in match #{match}, so there is nothing to claim.")
    templates: ClassVar = {
        "day off": gettext_noop(
            "Your opponent in match #{match} still has days off. One of them is used now, so you do not win yet."
        )
    }


class OwnTimeError(AboutMatchError):
    """Players cannot give themselves time, or claim a win when their own time is up."""

    template = gettext_noop(
        "In match #{match}, your own time is running. Only your opponent can give you more, or claim the win when it "
        "is up."
    )


class ClockChangedError(DomainError):
    """The clock has changed since the player saw it."""

    template = gettext_noop("The clock has changed since then. Look at it again before you decide.")


class NotNudgedError(AboutMatchError):
    """The player cannot nudge the opponent.

    The case is ``turn`` (it is the player's own), ``clock`` (it is short), ``pings`` (they are off), ``program`` (the
    opponent is one), or ``blocked``.
    """

    templates: ClassVar = {
        "turn": gettext_noop("It is your turn in match #{match}, so there is nobody to nudge."),
        "clock": gettext_noop(
            "Match #{match} has a short clock, which is reminder enough for {player}. Nudges are for matches that last "
            "for days."
        ),
        "pings": gettext_noop("{player} has turned pings off, so a nudge in match #{match} would not reach them."),
        "program": gettext_noop("{player} is a program, which needs no nudge: it knows your turn in match #{match}."),
        "blocked": gettext_noop("{player} does not accept nudges from you. You can still play match #{match}."),
    }

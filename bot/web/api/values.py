"""Challenges and matches in JSON, as ``api.json`` describes them to programs."""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Any

from bot.domain.challenges import Challenge
from bot.domain.clocks import Clock, TimeControl
from bot.domain.matches import Game, Match, Proposal
from bot.domain.players import Player
from bot.services.people.programs import ProgramState
from bot.web.http.live import version_of
from rules import Ruleset

#: A JSON value.
Json = dict[str, Any]


def match_json(game: Game, program_id: int, key: str, address: str, now: datetime) -> Json:
    """A game as the program reads it."""
    match, awaited, seat = game.match, game.to_act, game.match.seat_of(program_id)
    to_act = None if awaited is None else match.seat_of(awaited.id)
    return {
        "key": key,
        "address": address,
        "ruleset": _ruleset(match.ruleset),
        "turns": list(game.turns),
        "step": match.step,
        "seats": [{**_player(player), "side": _side(game, player)} for player in match.players],
        "you": seat,
        "to_act": to_act,
        "your_turn": to_act == seat and not match.waiting,
        "waiting": match.waiting,
        "clock": None if match.clock is None else _clock(match.clock, now),
        "proposals": [_proposal(proposal, match) for proposal in match.proposals],
        "result": _result(game),
    }


def challenge_json(challenge: Challenge, program_id: int, key: str | None) -> Json:
    """A challenge to or by the program, with the ``key`` of its match."""
    incoming = challenge.challenger.id != program_id
    other = challenge.challenger if incoming else challenge.opponent
    return {
        "id": challenge.id,
        "state": challenge.state,
        "direction": "in" if incoming else "out",
        "other": None if other is None else _player(other),
        "ruleset": _ruleset(challenge.ruleset),
        "first": challenge.first,
        "control": None if challenge.control is None else _control(challenge.control),
        "created_at": challenge.created_at.isoformat(),
        "expires_at": challenge.expires_at.isoformat(),
        "match": key,
    }


def state_digest(state: ProgramState) -> str:
    """A short hash of a state."""
    versions = [version_of(game.match) for game in state.games]
    shown = ([challenge.id for challenge in state.challenges], [game.match.id for game in state.games], versions)
    return hashlib.blake2s(repr(shown).encode(), digest_size=6).hexdigest()


def awaits_program(state: ProgramState) -> bool:
    """Whether a turn, a proposal or a challenge awaits the program."""
    program_id = state.program.id
    return any(challenge.challenger.id != program_id for challenge in state.challenges) or any(
        (game.to_act is not None and game.to_act.id == program_id and not game.match.waiting)
        or any(proposal.proposer.id != program_id for proposal in game.match.proposals)
        for game in state.games
    )


def _ruleset(ruleset: Ruleset) -> Json:
    return {
        "id": ruleset.id,
        "game": ruleset.game.name,
        "size": ruleset.size,
        "variant": ruleset.variant,
        "setup": ruleset.setup,
    }


def _player(player: Player) -> Json:
    if player.deleted:
        return {"name": "", "kind": "deleted"}
    if player.is_program:
        return {"name": player.name, "kind": "program"}
    return {"name": player.name, "kind": "computer" if player.level is not None else "person"}


def _side(game: Game, player: Player) -> str | None:
    side = game.side_of(player.id)
    return None if side is None else game.position.sides[side]


def _control(control: TimeControl) -> Json:
    return {
        "per_turn": control.per_turn,
        "bank": control.bank.total_seconds(),
        "bonus": control.bonus.total_seconds(),
        "cap": None if control.cap is None else control.cap.total_seconds(),
        "hard": control.hard,
    }


def _clock(clock: Clock, now: datetime) -> Json:
    return {
        "control": _control(clock.control),
        "left": [clock.time_left_at(seat, now).total_seconds() for seat in (0, 1)],
        "runs_out_at": None if clock.flag_at is None else clock.flag_at.isoformat(),
    }


def _proposal(proposal: Proposal, match: Match) -> Json:
    return {"id": proposal.id, "kind": proposal.kind, "by": match.seat_of(proposal.proposer.id)}


def _result(game: Game) -> Json | None:
    result = game.match.result
    if result is None:
        return None
    return {
        "winner": None if result.winner_id is None else game.match.seat_of(result.winner_id),
        "ending": result.ending,
        "reason": None if game.outcome is None else str(game.outcome.reason),
    }

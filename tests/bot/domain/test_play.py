"""What a turn makes of a match, and what its result leads to."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from bot.domain.matches import Ending, Game, Result
from bot.domain.play import after
from tests.support.games import WHOLE_GAME
from tests.support.services.matches import MATCH

NOW = MATCH.started_at


def game_after(turns: tuple[str, ...]) -> Game:
    position = MATCH.ruleset.replay(turns)
    return Game(replace(MATCH, ply=len(turns), step=len(turns) + 3), turns, position, ())


def test_every_turn_is_a_step_and_only_the_last_one_ends_the_match() -> None:
    game, now = game_after(()), NOW
    for turn in WHOLE_GAME:
        assert game.match.result is None
        now += timedelta(minutes=1)
        game = after(game, game.position.draft(turn), now)
        assert (game.match.ply, game.match.step) == (game.ply, game.ply + 3)
        assert game.match.moved_at == now
    outcome = game.position.outcome
    assert outcome is not None
    assert outcome.winner is not None
    assert game.match.result == Result(game.player_of(outcome.winner).id, Ending.RULES)
    assert game.match.ended_at == now
    assert game.to_act is None

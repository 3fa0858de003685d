"""Sentences about turns tried in a match."""

from __future__ import annotations

from dataclasses import replace

from bot.domain.matches import Ending, Game, Result
from bot.domain.study.lines import MOST_TURNS
from bot.texts import gettext as _
from bot.wording import words
from rules import Phase


def to_play(game: Game) -> str:
    """The player to act, with their side."""
    assert game.to_act is not None
    if game.position.phase is not Phase.PLAY:
        return _("{player} to play.").format(player=words.name(game.to_act))
    side = words.side(game.match.ruleset, game.position.turn_of)
    return _("{player} ({side}) to play.").format(**words.acting(game.to_act, side))


def ending_of(game: Game) -> str:
    """How the tried turns end the game."""
    assert game.outcome is not None
    winner = game.outcome.winner
    result = Result(None if winner is None else game.player_of(winner).id, Ending.RULES)
    return f"{words.result_emoji(result)} {words.result(replace(game, match=replace(game.match, result=result)))}"


def full_sentence() -> str:
    return _("A line has at most {count} turns. Press *Back* to try others.").format(count=MOST_TURNS)

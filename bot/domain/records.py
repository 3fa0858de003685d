"""Matches as records that other programs can read."""

from __future__ import annotations

from bot.domain.matches import Game
from rules import Record, Side


def record_of(game: Game) -> Record:
    """The match as a record, finished or not; an imported record is unchanged.

    The players' tags are named after their sides, or ``First`` and ``Second`` before the choice. The first side comes
    first, since ``1-0`` means that it won. ``Termination`` is the reason by the rules or else the :class:`Ending`. The
    result is ``*`` for an abandoned match, and for a match that ended before the choice, when no side can win;
    ``Winner`` then names the player. If tried turns end the game, the result is that of the rules.
    """
    match, position, imported = game.match, game.position, game.match.imported
    by_rules = "*" if position.outcome is None else Record.result_of(position.outcome.winner)
    if imported is not None:
        result = by_rules if match.result is None else imported.result
        return Record(match.ruleset, game.turns, result, dict(imported.tags))
    tags = {"Date": f"{match.started_at:%Y.%m.%d}"}
    players = sorted(match.players, key=lambda player: game.side_of(player.id) or Side.FIRST)
    for number, player in enumerate(players):
        side = game.side_of(player.id)
        tags[("First", "Second")[number] if side is None else position.sides[side].title()] = player.name
    if match.result is None:
        return Record(match.ruleset, game.turns, by_rules, tags)
    ending, winner_id, result = match.result.ending, match.result.winner_id, "*"
    tags["Termination"] = str(ending if position.outcome is None else position.outcome.reason)
    if winner_id is not None:
        won_by = game.side_of(winner_id)
        if won_by is None:
            tags["Winner"] = next(player.name for player in match.players if player.id == winner_id)
        else:
            result = Record.result_of(won_by)
    elif match.result.counts:
        result = Record.result_of(None)
    return Record(match.ruleset, game.turns, result, tags)

"""Looking back on what was played."""

from __future__ import annotations

from sqlalchemy import case, func, literal, select, union_all

from bot.matches.model import Player, Standing
from bot.storage.base import Store
from bot.storage.tables import matches, players

_SEATS = (matches.c.first_id, matches.c.second_id)


class HistoryStore(Store):
    """Answers questions about matches that are over."""

    async def standings(self, guild_id: int, game: str | None) -> list[Standing]:
        """The results of everybody who finished a match in the server, of one game or all; in no particular order."""
        finished = [matches.c.guild_id == guild_id, matches.c.ended_at.is_not(None)]
        if game is not None:
            finished.append(matches.c.game == game)
        seats = union_all(
            *(select(seat.label("player_id"), matches.c.winner_id).where(*finished) for seat in _SEATS)
        ).subquery()
        won = func.sum(case((seats.c.winner_id == seats.c.player_id, 1), else_=0))
        drawn = func.sum(case((seats.c.winner_id.is_(None), 1), else_=0))
        async with self._database.read() as connection:
            rows = await connection.execute(
                select(players.c.id, players.c.name, won, drawn, func.count(literal(1)))
                .join(seats, seats.c.player_id == players.c.id)
                .group_by(players.c.id, players.c.name)
            )
            return [
                Standing(Player(identity, name), wins, games - wins - draws, draws)
                for identity, name, wins, draws, games in rows
            ]

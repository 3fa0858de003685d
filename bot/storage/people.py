"""Forgetting somebody who asks for it."""

from __future__ import annotations

from sqlalchemy import delete, func, insert, or_, select, update

from bot.matches.model import ChallengeState, ProposalState
from bot.storage.base import Store
from bot.storage.matches import played_by
from bot.storage.tables import (
    blocks,
    challenges,
    drafts,
    hints,
    matches,
    metadata,
    players,
    preferences,
    proposals,
    standings,
    vacations,
)

#: What only the player ever sees, and leaderboards.
_OWN = (preferences, hints, drafts, standings, blocks, vacations)


class PeopleStore(Store):
    """Knows what is kept of a person."""

    async def open_challenges_of(self, player_id: int) -> list[tuple[int, bool]]:
        """The open challenges by or to a player: their ids, and whether they are the player's own."""
        theirs = or_(challenges.c.challenger_id == player_id, challenges.c.opponent_id == player_id)
        async with self._database.read() as connection:
            found = await connection.execute(
                select(challenges.c.id, challenges.c.challenger_id == player_id).where(
                    theirs, challenges.c.state == ChallengeState.OPEN
                )
            )
            return [(identity, bool(own)) for identity, own in found]

    async def forget_player(self, player_id: int) -> None:
        """Forgets who a player is: their matches stay, for the opponents' sake, as those of somebody without a name.

        That somebody has a negative number for an id, and stands on no leaderboard. The player has no running match.
        """
        async with self._correcting, self._database.write() as connection:
            if await connection.scalar(select(players.c.id).where(players.c.id == player_id)) is None:
                return
            nobody = min(0, await connection.scalar(select(func.min(players.c.id))) or 0) - 1
            await connection.execute(insert(players).values(id=nobody, name=""))
            for table in _OWN:
                await connection.execute(delete(table).where(table.c.player_id == player_id))
            await connection.execute(delete(blocks).where(blocks.c.blocked_id == player_id))
            theirs = select(matches.c.id).where(played_by(player_id))
            await connection.execute(
                update(proposals)
                .where(proposals.c.match_id.in_(theirs), proposals.c.state == ProposalState.OPEN)
                .values(state=ProposalState.LAPSED, version=proposals.c.version + 1)
            )
            columns = [
                column for table in metadata.sorted_tables for column in table.c if column.references(players.c.id)
            ]
            for column in (*columns, challenges.c.low_id, challenges.c.high_id):
                await connection.execute(update(column.table).where(column == player_id).values({column.name: nobody}))
            await connection.execute(delete(players).where(players.c.id == player_id))

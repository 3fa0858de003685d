"""Looking back on what was played."""

from __future__ import annotations

from sqlalchemy import ColumnElement, and_, func, literal, select, union_all

from bot.domain.matches import UNCOUNTED, Match, MatchFilter, Score
from bot.domain.players import Player
from bot.storage.matches import COUNTS, MATCHES, MatchStore, found_by, played_by
from bot.storage.tables import matches

_SEATS = (matches.c.first_id, matches.c.second_id)


class HistoryStore(MatchStore):
    """Answers questions about matches that are over."""

    async def count_finished(self, wanted: MatchFilter) -> int:
        """How many matches that are over fit."""
        async with self._database.read() as connection:
            found = await connection.scalar(select(func.count()).select_from(matches).where(_finished(wanted)))
            return found or 0

    async def finished_matches(self, wanted: MatchFilter, *, skip: int, most: int) -> list[Match]:
        """The matches that are over and fit, the last one first."""
        query = MATCHES.order_by(matches.c.ended_at.desc(), matches.c.id.desc()).offset(skip).limit(most)
        async with self._database.read() as connection:
            return await self._matches(connection, _finished(wanted), query)

    async def opponents(self, wanted: MatchFilter, most: int, guild_id: int | None) -> list[Player]:
        """The opponents of the player in the matches that are over and fit, those of most matches first; under the
        names that they have on a server, or outside of servers."""
        first, second = _SEATS
        others = union_all(
            *(
                select(theirs.label("player_id")).where(_finished(wanted), own == wanted.player_id)
                for own, theirs in ((first, second), (second, first))
            )
        ).subquery()
        query = (
            select(others.c.player_id)
            .where(others.c.player_id > 0)  # deleted players have no name
            .group_by(others.c.player_id)
            .order_by(func.count(literal(1)).desc(), others.c.player_id)
            .limit(most)
        )
        async with self._database.read() as connection:
            found = list(await connection.scalars(query))
            names = await self._known(connection, found, guild_id)
            return [names[each] for each in found]


def _finished(wanted: MatchFilter) -> ColumnElement[bool]:
    conditions: list[ColumnElement[bool]] = [matches.c.ended_at.is_not(None)]
    if wanted.viewer is not None:
        conditions.append(found_by(wanted.viewer))
    conditions += [played_by(each) for each in (wanted.player_id, wanted.opponent_id) if each is not None]
    if wanted.game is not None:
        conditions.append(matches.c.game == wanted.game)
    match wanted.score:
        case Score.WON:
            conditions.append(matches.c.winner_id == wanted.player_id)
        case Score.LOST:
            conditions.append(matches.c.winner_id != wanted.player_id)
        case Score.DRAWN:
            conditions += [matches.c.winner_id.is_(None), COUNTS]
        case Score.ABANDONED:
            conditions.append(matches.c.ending.in_(UNCOUNTED))
    return and_(*conditions)

"""Looking back on what was played."""

from __future__ import annotations

from sqlalchemy import ColumnElement, and_, func, select

from bot.matches.model import Ending, Filter, Match, Score
from bot.storage.matches import MATCHES, MatchStore, played_by, shared_with
from bot.storage.tables import matches

_COUNTS = and_(matches.c.ended_at.is_not(None), matches.c.ending != Ending.ABANDONED)


class HistoryStore(MatchStore):
    """Answers questions about matches that are over."""

    async def count_finished(self, wanted: Filter) -> int:
        """How many matches that are over fit."""
        async with self._database.read() as connection:
            found = await connection.scalar(select(func.count()).select_from(matches).where(_finished(wanted)))
            return found or 0

    async def finished_matches(self, wanted: Filter, *, skip: int, most: int) -> list[Match]:
        """The matches that are over and fit, the last one first."""
        query = MATCHES.order_by(matches.c.ended_at.desc(), matches.c.id.desc()).offset(skip).limit(most)
        async with self._database.read() as connection:
            return await self._matches(connection, _finished(wanted), query)


def _finished(wanted: Filter) -> ColumnElement[bool]:
    conditions: list[ColumnElement[bool]] = [matches.c.ended_at.is_not(None)]
    if wanted.place is not None:
        conditions.append(shared_with(wanted.place))
    conditions += [played_by(each) for each in (wanted.player_id, wanted.opponent_id) if each is not None]
    if wanted.game is not None:
        conditions.append(matches.c.game == wanted.game)
    match wanted.score:
        case Score.WON:
            conditions.append(matches.c.winner_id == wanted.player_id)
        case Score.LOST:
            conditions.append(matches.c.winner_id != wanted.player_id)
        case Score.DRAWN:
            conditions += [matches.c.winner_id.is_(None), _COUNTS]
        case Score.ABANDONED:
            conditions.append(matches.c.ending == Ending.ABANDONED)
    return and_(*conditions)

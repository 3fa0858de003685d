"""Finished matches: which there are, and who played them."""

from __future__ import annotations

from itertools import permutations

from sqlalchemy import ColumnElement, and_, func, literal, or_, select, union_all

from bot.domain.matches import UNCOUNTED, Match, MatchFilter, Score
from bot.domain.players import COMPUTER_ID, Player
from bot.storage.matches import COUNTS, WITH_COMPUTER, found_by
from bot.storage.repository import Repository, played_by
from bot.storage.tables import matches

_SEATS = (matches.c.first_id, matches.c.second_id)


class HistoryRepository(Repository):
    """Searches in finished matches."""

    async def count(self, wanted: MatchFilter) -> int:
        found = await self._connection.scalar(select(func.count()).select_from(matches).where(_finished(wanted)))
        return found or 0

    async def match_ids(self, wanted: MatchFilter, *, skip: int, most: int) -> list[int]:
        """The ids of the finished matches that fit, the latest first."""
        latest = select(matches.c.id).order_by(matches.c.ended_at.desc(), matches.c.id.desc())
        return list(await self._connection.scalars(latest.where(_finished(wanted)).offset(skip).limit(most)))

    async def opponent_ids(self, wanted: MatchFilter, most: int) -> list[int]:
        """The ids of the player's opponents in the finished matches that fit, the most frequent first."""
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
        return list(await self._connection.scalars(query))

    async def level_results(self, player_id: int, game: str, most: int) -> list[tuple[int, float]]:
        """The player's latest results in a game against the computer, each with its level, the latest last."""
        rows = await self._connection.execute(
            select(matches.c.first_id, matches.c.second_id, matches.c.winner_id)
            .where(played_by(player_id), WITH_COMPUTER, COUNTS, matches.c.game == game)
            .order_by(matches.c.ended_at.desc(), matches.c.id.desc())
            .limit(most)
        )
        results = []
        for row in reversed(rows.all()):
            level = Player(row.second_id if row.first_id == player_id else row.first_id, "").level
            assert level is not None
            results.append((level, 0.5 if row.winner_id is None else float(row.winner_id == player_id)))
        return results

    async def winners(self, match: Match) -> list[int | None]:
        """Who won the games of the match's players against each other in its server that count, None for a draw.

        They are those up to the match, which is over, the latest first.
        """
        players = permutations(player.id for player in match.players)
        met = or_(*(and_(*(seat == each for seat, each in zip(_SEATS, pair, strict=True))) for pair in players))
        until = or_(
            matches.c.ended_at < match.ended_at, and_(matches.c.ended_at == match.ended_at, matches.c.id <= match.id)
        )
        found = await self._connection.scalars(
            select(matches.c.winner_id)
            .where(met, until, COUNTS, matches.c.guild_id.is_not_distinct_from(match.guild_id))
            .order_by(matches.c.ended_at.desc(), matches.c.id.desc())
        )
        return list(found)


def _finished(wanted: MatchFilter) -> ColumnElement[bool]:
    conditions: list[ColumnElement[bool]] = [matches.c.ended_at.is_not(None)]
    if wanted.viewer is not None:
        conditions.append(found_by(wanted.viewer))
    conditions += [
        WITH_COMPUTER if each == COMPUTER_ID else played_by(each)
        for each in (wanted.player_id, wanted.opponent_id)
        if each is not None
    ]
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

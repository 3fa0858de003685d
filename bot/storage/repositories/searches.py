"""Searches among matches: suggestions, finished matches, and results between players."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from typing import Any

from sqlalchemy import ColumnElement, and_, case, func, literal, or_, select, true, union_all

from bot.domain.matches import UNCOUNTED, Match, MatchChoice, MatchFilter, MatchScope, Score
from bot.domain.places import Viewer
from bot.domain.players import COMPUTER_ID, IMPORTED_IDS, Player
from bot.storage.repositories.imports import ImportRepository, imported_by
from bot.storage.repositories.matches import APART, COUNTS, WITH_COMPUTER, found_by
from bot.storage.repositories.players import PlayerRepository
from bot.storage.repository import AnyRow, Repository, opponent_of, played_by, score_of
from bot.storage.tables import matches

_SEATS = (matches.c.first_id, matches.c.second_id)
_LATEST_FIRST = (matches.c.ended_at.desc(), matches.c.id.desc())


class SearchRepository(Repository):
    """Searches among matches, running and finished."""

    async def suggestions(
        self, viewer: Viewer, scope: MatchScope, number: int | None, *, most: int
    ) -> list[MatchChoice]:
        """The first matches to suggest to the viewer.

        The match with the ``number`` comes first, then running matches by number. If the scope has finished matches,
        the viewer's own matches come first, then running ones, then the latest.
        """
        mine = or_(played_by(viewer.player_id), imported_by(viewer.player_id))
        runs = matches.c.ended_at.is_(None)
        condition = {
            MatchScope.OWN: and_(found_by(viewer), mine, runs),
            MatchScope.RUNNING: and_(found_by(viewer), runs),
            MatchScope.ALL: or_(found_by(viewer), mine),
        }[scope]
        order: list[ColumnElement[Any]] = [matches.c.id]
        if scope is MatchScope.ALL:
            order = [case((mine, 0), else_=1), case((runs, 0), else_=1), matches.c.ended_at.desc(), matches.c.id]
        if number is not None:
            order.insert(0, case((matches.c.id == number, 0), else_=1))
        columns = (matches.c[name] for name in ("id", "game", "first_id", "second_id", "awaited_id", "ended_at"))
        query = select(*columns, APART.label("apart")).where(condition)
        rows = await self._read(query.order_by(*order).limit(most))
        found = self._other(PlayerRepository)
        named = {
            apart: await found.by_ids(
                {player_id for row in rows if row.apart == apart for player_id in (row.first_id, row.second_id)},
                None if apart else viewer.place.guild_id,
            )
            for apart in {bool(row.apart) for row in rows}
        }
        records = [row.id for row in rows if row.first_id == IMPORTED_IDS[0]]
        said = await self._other(ImportRepository).of_matches(records) if records else {}

        def players_of(row: AnyRow) -> tuple[Player, Player]:
            first, second = named[row.apart][row.first_id], named[row.apart][row.second_id]
            if row.id not in said:
                return first, second
            names, _imported = said[row.id]
            return replace(first, name=names[0]), replace(second, name=names[1])

        return [
            MatchChoice(row.id, row.game, *players_of(row), named[row.apart].get(row.awaited_id), row.ended_at)
            for row in rows
        ]

    async def count(self, wanted: MatchFilter) -> int:
        """The number of finished matches that the filter allows."""
        return await self._scalar(select(func.count()).select_from(matches).where(_finished(wanted))) or 0

    async def match_ids(self, wanted: MatchFilter, *, skip: int, most: int) -> list[int]:
        """The ids of the finished matches that the filter allows, the latest first."""
        query = select(matches.c.id).where(_finished(wanted)).order_by(*_LATEST_FIRST)
        return await self._scalars(query.offset(skip).limit(most))

    async def count_begun(self, player_id: int, game: str, *, most: int) -> int:
        """How many matches of a game a player has begun, up to ``most``."""
        theirs = select(matches.c.id).where(played_by(player_id), matches.c.game == game).limit(most)
        return await self._scalar(select(func.count()).select_from(theirs.subquery())) or 0

    async def newest_on_servers(self, most: int) -> list[int]:
        """The ids of matches on servers among the newest ones, which have begun and may still count."""
        newest = select(matches.c.id).order_by(matches.c.id.desc()).limit(most)
        begun = and_(matches.c.guild_id.is_not(None), matches.c.ply > 0)
        counts = or_(matches.c.ended_at.is_(None), COUNTS)
        return await self._scalars(select(matches.c.id).where(matches.c.id.in_(newest), begun, counts))

    async def opponent_ids(self, wanted: MatchFilter, most: int) -> list[int]:
        """The ids of the player's opponents in these matches, the most frequent first; strangers are not listed."""
        others = union_all(
            *(
                select(theirs.label("player_id")).where(_finished(wanted), ~APART, own == wanted.player_id)
                for own, theirs in permutations(_SEATS)
            )
        ).subquery()
        return await self._scalars(
            select(others.c.player_id)
            .where(others.c.player_id > 0)  # deleted players have no name
            .group_by(others.c.player_id)
            .order_by(func.count(literal(1)).desc(), others.c.player_id)
            .limit(most)
        )

    async def count_played(self, player_id: int, game: str, *, before: int | None = None, most: int) -> int:
        """Count the player's matches of a game that run or count, perhaps ``before`` another match, up to ``most``."""
        earlier = true() if before is None else matches.c.id < before
        runs_or_counts = or_(matches.c.ended_at.is_(None), COUNTS)
        query = select(matches.c.id).where(played_by(player_id), matches.c.game == game, runs_or_counts, earlier)
        return len(await self._scalars(query.limit(most)))

    async def level_results(self, player_id: int, game: str, most: int) -> list[tuple[int, float]]:
        """The player's latest results in a game against the computer, each with its level, the latest last."""
        rows = await self._rows(
            select(opponent_of(player_id).label("opponent_id"), matches.c.winner_id)
            .where(played_by(player_id), WITH_COMPUTER, COUNTS, matches.c.game == game)
            .order_by(*_LATEST_FIRST)
            .limit(most)
        )
        results = []
        for row in reversed(rows):
            level = Player(row.opponent_id, "").level
            assert level is not None
            results.append((level, score_of(player_id, row.winner_id)))
        return results

    async def winners(self, match: Match) -> list[int | None]:
        """The winners (None: a draw) of all games that count between a finished match's players, the latest first.

        Only games on the same server are included, up to the match itself. The games of strangers count apart, so that
        they do not learn whether they know each other.
        """
        pairs = permutations(player.id for player in match.players)
        met = or_(*(and_(*(seat == player for seat, player in zip(_SEATS, pair, strict=True))) for pair in pairs))
        until = or_(
            matches.c.ended_at < match.ended_at, and_(matches.c.ended_at == match.ended_at, matches.c.id <= match.id)
        )
        return await self._scalars(
            select(matches.c.winner_id)
            .where(met, until, COUNTS, matches.c.guild_id.is_not_distinct_from(match.guild_id))
            .where(~APART if match.apart is None else APART)
            .order_by(*_LATEST_FIRST)
        )


def _finished(wanted: MatchFilter) -> ColumnElement[bool]:
    """The finished matches that the filter allows."""
    conditions: list[ColumnElement[bool]] = [matches.c.ended_at.is_not(None)]
    if wanted.viewer is not None:
        conditions.append(found_by(wanted.viewer, wanted.player_id))
    conditions += [
        WITH_COMPUTER if player_id == COMPUTER_ID else played_by(player_id)
        for player_id in (wanted.player_id, wanted.opponent_id)
        if player_id is not None
    ]
    if wanted.opponent_id is not None:  # a search would tell who a stranger is
        conditions.append(~APART)
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

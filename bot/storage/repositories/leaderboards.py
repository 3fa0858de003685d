"""Leaderboards, and the matches behind profiles."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeAlias

from sqlalchemy import ColumnElement, Integer, and_, case, cast, desc, false, func, or_, select, union

from bot.domain.competitions.leaderboards import (
    LEAST_GAMES,
    Leaderboard,
    LeaderboardQuery,
    LeaderboardRow,
    Order,
    PlayedMatch,
    Scope,
)
from bot.domain.places import Viewer
from bot.domain.players import Player
from bot.domain.ratings import Rating
from bot.storage.repositories.matches import APART, COUNTS, found_by
from bot.storage.repositories.players import PlayerRepository
from bot.storage.repositories.ratings import to_totals
from bot.storage.repository import AnyRow, Repository, played_by, score_of
from bot.storage.tables import matches, rating_changes, rating_events, standings, turns
from rules import Side, ruleset_by_id

#: A player's matches in one seat: the rows, the opponents by id, and the first turns of each match.
_Played: TypeAlias = tuple[Sequence[AnyRow], Mapping[int, Player], Mapping[int, dict[int, str]]]
_GAMES = standings.c.wins + standings.c.draws + standings.c.losses
#: The sort keys of leaderboards, rounded as shown: players who look equal share a rank.
_KEYS: dict[Order, ColumnElement[Any]] = {
    Order.RATING: cast(func.round(standings.c.rating), Integer),
    Order.GAMES: _GAMES,
    Order.WINS: standings.c.wins,
    Order.RATE: (standings.c.wins * 1000 + _GAMES // 2) // _GAMES,
    Order.STREAK: standings.c.best,
}


class LeaderboardRepository(Repository):
    """Rankings of players, and the matches behind a profile."""

    async def leaderboard(
        self, query: LeaderboardQuery, now: datetime, page: int | None, *, most: int, course: int
    ) -> Leaderboard:
        """A page of up to ``most`` rows, by default the page with the viewer's row.

        Each row has up to ``course`` of the player's latest ratings.
        """
        sorting = _KEYS[query.order].label("key"), _apart(query, now).label("apart")
        rows = select(standings, *sorting).where(_on(query, now))
        own = await self._row(rows.where(standings.c.player_id == query.viewer_id))
        total, unranked, before, better = await self._sizes(query, now, own)
        own_page = None if own is None else before // most + 1
        pages = max(1, -(-total // most))
        number = min(max(1, page or own_page or 1), pages)
        skip = (number - 1) * most
        # Short rows sort faster.
        short = select(standings.c.player_id, *sorting).where(_on(query, now))
        on_page = short.order_by("apart", desc("key"), "player_id").offset(skip).limit(most).subquery()
        order = on_page.c.apart, on_page.c.key.desc(), on_page.c.player_id
        found = await self._rows(rows.join(on_page, on_page.c.player_id == standings.c.player_id).order_by(*order))
        ranks = await self._ranks(query, now, found, skip)
        people = {row.player_id for row in (*found, own) if row is not None}
        names = await self._other(PlayerRepository).by_ids(people, query.guild_id)
        courses = await self._courses(people, query.game, course)

        def to_row(row: AnyRow, rank: int | None) -> LeaderboardRow:
            history = courses[row.player_id]
            values = tuple(rating.value for rating in history)
            return LeaderboardRow(rank, names[row.player_id], history[-1], to_totals(row), values)

        return Leaderboard(
            query=query,
            rows=tuple(to_row(row, rank) for row, rank in zip(found, ranks, strict=True)),
            own_row=None if own is None else to_row(own, None if own.apart else better + 1),
            own_page=own_page,
            page=number,
            pages=pages,
            ranked=total - unranked,
            total=total,
        )

    async def latest_matches(
        self, player_id: int, most: int, viewer: Viewer | None = None, guild_id: int | None = None
    ) -> list[PlayedMatch]:
        """The player's latest matches that count, rated or casual, as the viewer sees them, oldest first.

        Opponents have their names on the server, or outside servers. Strangers are not listed.
        """
        listed: ColumnElement[bool] = ~APART
        if viewer is not None and viewer.player_id != player_id:
            listed = and_(listed, or_(found_by(viewer), played_by(viewer.player_id)))
        seats = (matches.c.first_id, matches.c.second_id)
        found: list[_Played] = []
        for seat, own in enumerate(seats):
            rows = await self._read(
                select(
                    *(matches.c[name] for name in ("id", "ruleset", "winner_id", "ended_at", "ply")),
                    seats[1 - seat].label("opponent_id"),
                    listed.label("listed"),
                )
                .where(own == player_id, COUNTS)
                .order_by(matches.c.ended_at.desc(), matches.c.id.desc())
                .limit(most)
            )
            opponents = await self._other(PlayerRepository).by_ids({row.opponent_id for row in rows}, guild_id)
            found.append((rows, opponents, await self._beginnings(own, player_id)))
        return await asyncio.to_thread(_latest, player_id, found, most)

    async def _beginnings(self, own: ColumnElement[Any], player_id: int) -> dict[int, dict[int, str]]:
        """The first two turns of each match that were not taken back, by number."""
        rows = await self._read(
            select(turns.c.match_id, turns.c.ply, turns.c.turn)
            .join(matches, matches.c.id == turns.c.match_id)
            .where(own == player_id, COUNTS, turns.c.ply <= 2, turns.c.turn.is_not(None))
            .order_by(turns.c.match_id, turns.c.step)
        )
        beginnings: dict[int, dict[int, str]] = {}
        for match_id, ply, turn in rows:
            beginnings.setdefault(match_id, {})[ply] = turn
        return beginnings

    async def _ranks(
        self, query: LeaderboardQuery, now: datetime, rows: Sequence[AnyRow], skip: int
    ) -> list[int | None]:
        """The ranks of the rows after the first ``skip`` rows; equal players share a rank."""
        ranks: list[int | None] = []
        for number, row in enumerate(rows):
            if row.apart:
                ranks.append(None)
            elif number == 0 and skip:
                better = and_(_on(query, now), ~_apart(query, now), _KEYS[query.order] > row.key)
                count: int | None = await self._scalar(select(func.count()).where(better))
                ranks.append(1 + (count or 0))
            elif number == 0:
                ranks.append(1)
            else:
                ranks.append(ranks[-1] if row.key == rows[number - 1].key else skip + number + 1)
        return ranks

    async def _courses(self, people: Collection[int], game: str, most: int) -> dict[int, list[Rating]]:
        """The latest ratings of these players, oldest first."""
        age = func.row_number().over(partition_by=rating_changes.c.player_id, order_by=rating_changes.c.seq.desc())
        latest = (
            select(rating_changes, age.label("age"))
            .where(rating_changes.c.player_id.in_(people), rating_changes.c.game == game)
            .subquery()
        )
        rows = await self._rows(
            select(latest.c.player_id, latest.c.value, latest.c.deviation, rating_events.c.at)
            .join(rating_events, rating_events.c.seq == latest.c.seq)
            .where(latest.c.age <= most)
            .order_by(latest.c.seq)
        )
        courses: dict[int, list[Rating]] = {}
        for player_id, *rating in rows:
            courses.setdefault(player_id, []).append(Rating(*rating))
        return courses

    async def _sizes(self, query: LeaderboardQuery, now: datetime, row: AnyRow | None) -> tuple[int, int, int, int]:
        """The numbers of all players, of unranked ones, of players above the row, and of better ones."""
        apart, key = _apart(query, now), _KEYS[query.order]
        ahead: ColumnElement[bool] = false()
        better: ColumnElement[bool] = false()
        if row is not None:
            better = and_(~apart, key > row.key)
            above = or_(key > row.key, and_(key == row.key, standings.c.player_id < row.player_id))
            ahead = or_(~apart, above) if row.apart else and_(~apart, above)
        # A single pass over the rows gives all counts.
        counts = (func.count(case((condition, 1))) for condition in (apart, ahead, better))
        return tuple((await self._result(select(func.count(), *counts).where(_on(query, now)))).one())


def _on(query: LeaderboardQuery, now: datetime) -> ColumnElement[bool]:
    """Whether a row is on the leaderboard."""
    on = and_(
        standings.c.guild_id == (query.guild_id or 0 if query.scope is Scope.SERVER else 0),
        standings.c.game == query.game,
        standings.c.span == query.period,
        standings.c.period == query.period.number(now),
    )
    if query.scope is Scope.FRIENDS:
        me = query.viewer_id
        friends = union(
            select(matches.c.second_id).where(matches.c.first_id == me, COUNTS, ~APART),
            select(matches.c.first_id).where(matches.c.second_id == me, COUNTS, ~APART),
        )
        on = and_(on, or_(standings.c.player_id == me, standings.c.player_id.in_(friends)))
    return on


def _apart(query: LeaderboardQuery, now: datetime) -> ColumnElement[bool]:
    """Whether a player is unranked, because they have played too little."""
    if query.order is Order.RATING:
        return standings.c.settled_until < int(now.timestamp())
    return _GAMES < LEAST_GAMES if query.order is Order.RATE else false()


def _latest(player_id: int, found: Iterable[_Played], most: int) -> list[PlayedMatch]:
    """The player's latest matches, oldest first, from the matches in each seat."""
    played = [
        _to_played(row, player_id, seat, opponents[row.opponent_id], beginnings.get(row.id, {}))
        for seat, (rows, opponents, beginnings) in enumerate(found)
        for row in rows
    ]
    return sorted(played, key=lambda match: (match.ended_at, match.match_id))[-most:]


def _to_played(row: AnyRow, player_id: int, seat: int, opponent: Player, beginning: dict[int, str]) -> PlayedMatch:
    ruleset = ruleset_by_id(row.ruleset)
    chosen = ruleset.second_player
    if chosen is None and row.ply >= ruleset.plies_before_play:
        chosen = Side(ruleset.game.sides.index(beginning[ruleset.plies_before_play]))
    side = None if chosen is None else chosen if seat else chosen.other
    return PlayedMatch(
        match_id=row.id,
        ruleset=ruleset,
        opponent=opponent,
        score=score_of(player_id, row.winner_id),
        side=side,
        opening=beginning.get(1) if seat == 0 and row.ply >= 1 and not ruleset.setup else None,
        ended_at=row.ended_at,
        listed=bool(row.listed),
    )

"""The log of rated matches, with the ratings and standings that follow from it."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict
from datetime import datetime
from itertools import product
from typing import Any

from sqlalchemy import and_, bindparam, delete, exists, func, or_, select, update

from bot.domain.competitions.leaderboards import Period, PlayerTotals, RatedResult, Standing, Totals
from bot.domain.computer import LevelGame
from bot.domain.matches import UNCOUNTED, Ending
from bot.domain.ratings import (
    LEAST_PLY,
    NEW,
    OVERALL,
    START,
    WIDEST,
    FinishedMatch,
    MatchRatingChange,
    PlayerRatings,
    Rating,
    RatingUpdate,
)
from bot.storage.database import lock
from bot.storage.repository import AnyRow, Repository, opponent_of, played_by, score_of
from bot.storage.tables import matches, rating_changes, rating_events, standings
from rules import GAMES

_RATED, _VOIDED = "rated", "voided"
#: A number above the numbers of all events.
_NEVER = 2**31 - 1
#: A match that did not end by the rules counts only after some turns.
_VALID = and_(
    matches.c.ended_at.is_not(None),
    matches.c.ending.not_in(UNCOUNTED),
    or_(matches.c.ending == Ending.RULES, matches.c.ply >= LEAST_PLY),
)
_COUNTS = and_(matches.c.rated, _VALID)
_FINISHED = tuple(
    matches.c[name] for name in ("id", "game", "guild_id", "first_id", "second_id", "winner_id", "ply", "ended_at")
)
_voided = rating_events.alias("voided")
#: Whether an event rated a match that still counts.
_STILL_COUNTS = and_(
    rating_events.c.kind == _RATED,
    ~exists().where(_voided.c.match_id == rating_events.c.match_id, _voided.c.kind == _VOIDED).correlate(rating_events),
)
#: A number that no other lock uses.
_LOCK = 0x4E47

_overall = rating_changes.alias("overall")
#: The effects of matches on the ratings of their games, and whether it was the player's first rated match.
_CHANGES = (
    select(
        rating_changes,
        rating_events.c.at,
        rating_events.c.match_id,
        and_(_overall.c.value_before == START, _overall.c.deviation_before == WIDEST).label("is_first"),
    )
    .join(rating_events, rating_events.c.seq == rating_changes.c.seq)
    .join(
        _overall,
        and_(
            _overall.c.seq == rating_changes.c.seq,
            _overall.c.player_id == rating_changes.c.player_id,
            _overall.c.game == OVERALL,
        ),
    )
    .where(rating_events.c.match_id.in_(bindparam("match_ids", expanding=True)), rating_changes.c.game != OVERALL)
    .order_by(rating_changes.c.seq, rating_changes.c.seat)
)
_last = (
    select(rating_changes.c.player_id, rating_changes.c.game, func.max(rating_changes.c.seq).label("seq"))
    .where(
        rating_changes.c.player_id.in_(bindparam("player_ids", expanding=True)),
        rating_changes.c.game.in_(bindparam("games", expanding=True)),
        rating_changes.c.seq < bindparam("before"),
    )
    .group_by(rating_changes.c.player_id, rating_changes.c.game)
    .subquery()
)
#: The effects of the last rated matches of some players in some games.
_LATEST = (
    select(rating_changes, rating_events.c.at)
    .join(_last, and_(*(_last.c[name] == rating_changes.c[name] for name in ("player_id", "game", "seq"))))
    .join(rating_events, rating_events.c.seq == rating_changes.c.seq)
)


class RatingRepository(Repository):
    """The log, its effects on ratings, and the standings."""

    async def lock(self) -> None:
        """Keep others from changing ratings until the end of the transaction."""
        await lock(self._connection, _LOCK)

    # The log

    async def finished_match(self, match_id: int) -> FinishedMatch | None:
        """A match that has ended and counts; None for another match."""
        row = await self._row(select(*_FINISHED).where(matches.c.id == match_id, _COUNTS))
        return None if row is None else _to_finished(row)

    async def last_event_at(self) -> datetime | None:
        """The time of the last event in the log."""
        return await self._scalar(select(rating_events.c.at).order_by(rating_events.c.seq.desc()).limit(1))

    async def log(self, match_id: int, at: datetime, *, voided: bool = False) -> int | None:
        """Log the rating or voiding of a match; return the event's number, or None if it was logged before."""
        event = self._insert(rating_events).values(match_id=match_id, kind=_VOIDED if voided else _RATED, at=at)
        return await self._scalar(event.on_conflict_do_nothing().returning(rating_events.c.seq))

    async def rated_event(self, match_id: int) -> int | None:
        """The number of the event that rated the match."""
        its = (rating_events.c.match_id == match_id, rating_events.c.kind == _RATED)
        return await self._scalar(select(rating_events.c.seq).where(*its))

    async def rated_after(self, seq: int, most: int) -> list[tuple[int, datetime, FinishedMatch]]:
        """The next events after ``seq`` that rated a match that still counts: numbers, times and matches."""
        rows = await self._rows(
            select(rating_events.c.seq, rating_events.c.at, *_FINISHED)
            .join(matches, matches.c.id == rating_events.c.match_id)
            .where(rating_events.c.seq > seq, _STILL_COUNTS)
            .order_by(rating_events.c.seq)
            .limit(most)
        )
        return [(row.seq, row.at, _to_finished(row)) for row in rows]

    # Ratings

    async def latest(
        self, player_ids: Collection[int], games: Collection[str], *, before: int = _NEVER
    ) -> PlayerRatings:
        """The ratings of players in games after their last rated match, or after the last one ``before`` an event."""
        asked = {"player_ids": list(player_ids), "games": list(games), "before": before}
        found = {(row.player_id, row.game): _after(row) for row in await self._rows(_LATEST, asked)}
        return {key: found.get(key, NEW) for key in product(player_ids, games)}

    async def of_player(self, player_id: int) -> dict[str, Rating]:
        """A player's latest ratings by game, including all games together."""
        latest = await self.latest([player_id], [OVERALL, *sorted(GAMES)])
        return {game: rating for (_, game), rating in latest.items() if rating is not NEW}

    async def history(self, player_id: int, game: str, most: int) -> list[Rating]:
        """A player's ratings after each of their latest matches, in a game or in all games together, oldest first."""
        rows = await self._rows(
            select(rating_changes.c.value, rating_changes.c.deviation, rating_events.c.at)
            .join(rating_events, rating_events.c.seq == rating_changes.c.seq)
            .where(rating_changes.c.player_id == player_id, rating_changes.c.game == game)
            .order_by(rating_changes.c.seq.desc())
            .limit(most)
        )
        return [Rating(*row) for row in reversed(rows)]

    async def level_games(self, level_id: int, game: str, most: int) -> list[LevelGame]:
        """The latest games of a level that count, oldest first, with its opponents' ratings at that time."""
        opponent_id = opponent_of(level_id)
        last = (
            select(rating_changes.c.seq)
            .join(rating_events, rating_events.c.seq == rating_changes.c.seq)
            .where(
                rating_changes.c.player_id == opponent_id,
                rating_changes.c.game == matches.c.game,
                rating_events.c.at < matches.c.ended_at,
            )
            .order_by(rating_changes.c.seq.desc())
            .limit(1)
            .correlate(matches)
            .scalar_subquery()
        )
        before = and_(
            rating_changes.c.player_id == opponent_id,
            rating_changes.c.game == matches.c.game,
            rating_changes.c.seq == last,
        )
        rows = await self._rows(
            select(*_FINISHED, *(rating_changes.c[name] for name in ("value", "deviation")), rating_events.c.at)
            .select_from(matches)
            .outerjoin(rating_changes, before)
            .outerjoin(rating_events, rating_events.c.seq == rating_changes.c.seq)
            .where(played_by(level_id), matches.c.game == game, _VALID)
            .order_by(matches.c.ended_at.desc(), matches.c.id.desc())
            .limit(most)
        )
        return [
            LevelGame(
                score_of(level_id, row.winner_id), row.ply, NEW if row.value is None else _after(row), row.ended_at
            )
            for row in reversed(rows)
        ]

    async def changes_of(self, match_ids: Collection[int]) -> dict[int, tuple[MatchRatingChange, ...]]:
        """The effects of matches on the ratings of their games, the first player's first."""
        changes: dict[int, tuple[MatchRatingChange, ...]] = {}
        for row in await self._rows(_CHANGES, {"match_ids": list(match_ids)}):
            before = Rating(row.value_before, row.deviation_before, row.at)
            change = MatchRatingChange(row.player_id, before, _after(row), is_first=bool(row.is_first))
            changes[row.match_id] = (*changes.get(row.match_id, ()), change)
        return changes

    async def put_updates(self, updates: Iterable[RatingUpdate]) -> None:
        """Store the effects of events on ratings, replacing previous effects of the same events."""
        await self._put(rating_changes, *(row for effect in updates for row in _change_rows(effect)))

    async def remove_updates(self, seq: int) -> list[int]:
        """Remove the effects of an event on ratings, and return the ids of its players."""
        gone = delete(rating_changes).where(rating_changes.c.seq == seq).returning(rating_changes.c.player_id)
        return sorted(set(await self._scalars(gone)))

    async def remove_uncounted(self) -> None:
        """Remove the effects of matches that do not count, and the standings of players without rated matches."""
        counted = select(rating_events.c.seq).where(_STILL_COUNTS)
        await self._execute(delete(rating_changes).where(rating_changes.c.seq.not_in(counted)))
        rated = select(rating_changes.c.player_id)
        await self._execute(delete(standings).where(standings.c.player_id.not_in(rated)))

    async def players_after(self, player_id: int, most: int) -> list[int]:
        """The next players with rated matches, in the order of their ids."""
        found = select(rating_changes.c.player_id).where(rating_changes.c.player_id > player_id).distinct()
        return await self._scalars(found.order_by(rating_changes.c.player_id).limit(most))

    async def digest(self) -> str:
        """A fingerprint of all ratings and standings."""
        digest = hashlib.sha256()
        for table in (rating_changes, standings):
            rows = await self._connection.stream(select(table).order_by(*table.primary_key.columns))
            async for row in rows:
                digest.update(repr(tuple(row)).encode())
        return digest.hexdigest()

    # Standings

    async def totals(self, match: FinishedMatch) -> dict[int, PlayerTotals]:
        """Those totals of both players that the match changes, by player."""
        totals: dict[int, PlayerTotals] = {player_id: {} for player_id in match.player_ids}
        query = select(standings).where(
            standings.c.guild_id.in_([0, match.guild_id or 0]),
            standings.c.game.in_([match.game, OVERALL]),
            standings.c.span.in_(list(Period)),
            standings.c.player_id.in_(match.player_ids),
        )
        for row in await self._rows(query):
            totals[row.player_id][row.guild_id or None, row.game, Period(row.span)] = to_totals(row)
        return totals

    async def results(self, player_ids: Sequence[int]) -> list[RatedResult]:
        """All rated matches of some players, by player and in the order of the log."""
        rows = await self._rows(
            select(rating_changes, rating_events.c.at, matches.c.game.label("played"), matches.c.guild_id)
            .join(rating_events, rating_events.c.seq == rating_changes.c.seq)
            .join(matches, matches.c.id == rating_events.c.match_id)
            .where(rating_changes.c.player_id.in_(player_ids))
            .order_by(rating_changes.c.player_id, rating_changes.c.seq)
        )
        return [RatedResult(row.player_id, row.game, row.played, row.guild_id, row.score, _after(row)) for row in rows]

    async def remove_standings(self, player_ids: Sequence[int]) -> None:
        await self._execute(delete(standings).where(standings.c.player_id.in_(player_ids)))

    async def save_standings(self, changed: Iterable[Standing]) -> None:
        rows = (
            {
                "guild_id": standing.guild_id or 0,
                "game": standing.game,
                "span": standing.period,
                "player_id": standing.player_id,
                **_totals(standing.totals),
                **_current(standing.rating),
            }
            for standing in changed
        )
        await self._put(standings, *rows)

    async def update_standings(self, ratings: PlayerRatings) -> None:
        """Store ratings, by player and game, in all standings."""
        rows = [
            {"its_player": player_id, "its_game": game, **_current(rating)}
            for (player_id, game), rating in ratings.items()
            if rating.at is not None
        ]
        if rows:
            its = (standings.c.player_id == bindparam("its_player"), standings.c.game == bindparam("its_game"))
            await self._execute(update(standings).where(*its), rows)


def _change_rows(update: RatingUpdate) -> list[dict[str, Any]]:
    return [
        {
            "player_id": change.player_id,
            "game": update.game,
            "seq": update.seq,
            "seat": seat,
            "score": 1 - update.score if seat else update.score,
            "value_before": change.before.value,
            "deviation_before": change.before.deviation,
            "value": change.after.value,
            "deviation": change.after.deviation,
        }
        for seat, change in enumerate(update.changes)
    ]


def _totals(totals: Totals) -> dict[str, int]:
    columns = asdict(totals)
    return {"period": columns.pop("number"), **columns}


def _current(rating: Rating) -> dict[str, Any]:
    return {"rating": rating.value, "settled_until": rating.settled_until}


def _to_finished(row: AnyRow) -> FinishedMatch:
    score = score_of(row.first_id, row.winner_id)
    return FinishedMatch(row.id, row.game, row.guild_id, (row.first_id, row.second_id), score, row.ply, row.ended_at)


def _after(row: AnyRow) -> Rating:
    return Rating(row.value, row.deviation, row.at)


def to_totals(row: AnyRow) -> Totals:
    return Totals(row.wins, row.draws, row.losses, number=row.period, streak=row.streak, best=row.best)

"""Ratings: the log of what counts, and what follows from it.

A match is rated in the transaction that ends it. Whatever is kept here follows from the log and the matches, in the
log's order, by the formula of :mod:`bot.services.rating_formula`; so it can be worked out again at any time, with the
same result.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from itertools import groupby, product
from typing import Any

from sqlalchemy import and_, bindparam, case, delete, exists, func, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain.leaderboards import Period, Tallies, Tally, count
from bot.domain.matches import UNCOUNTED, Ending
from bot.domain.ratings import LEAST_PLY, NEW, OVERALL, Rating, RatingChange
from bot.services.rating_formula import rate
from bot.storage.base import AnyRow, Store
from bot.storage.tables import matches, rating_changes, rating_corrections, rating_events, standings

_RATED, _VOIDED = "rated", "voided"
#: Ended otherwise than by the rules, a match has to have been played; one that was abandoned never counts.
_COUNTS = and_(
    matches.c.rated,
    matches.c.ended_at.is_not(None),
    matches.c.ending.not_in(UNCOUNTED),
    or_(matches.c.ending == Ending.RULES, matches.c.ply >= LEAST_PLY),
)
_MATCH = (
    matches.c.id,
    matches.c.game,
    matches.c.guild_id,
    matches.c.first_id,
    matches.c.second_id,
    matches.c.winner_id,
    matches.c.ended_at,
)
_BATCH = 5000
#: Events of the log that are looked at in one transaction of a correction, during which others wait.
_CORRECTED = 25
#: Players whose rows are made anew together.
_TOGETHER = 500
#: Any number will do that nothing else locks.
_LOCK = 0x4E47

_after_it = rating_changes.alias("after_it")
#: The next event after a change that changed the same rating.
_NEXT = (
    select(func.min(_after_it.c.seq))
    .where(
        _after_it.c.player_id == rating_changes.c.player_id,
        _after_it.c.game == rating_changes.c.game,
        _after_it.c.seq > rating_changes.c.seq,
    )
    .correlate(rating_changes)
    .scalar_subquery()
    .label("next_seq")
)

#: The ratings of players, each of a game, while the log is gone through.
_Ratings = dict[tuple[int, str], Rating]


class RatingStore(Store):
    """Keeps the ratings."""

    async def rating(self, player_id: int, game: str) -> Rating:
        """The player's rating after their last rated match of a game, or of all games."""
        async with self._database.read() as connection:
            return (await self._latest(connection, [player_id], [game]))[player_id, game]

    async def correct_ratings(self) -> None:
        """Finishes what the void of a match has begun, if there is something left of it.

        Others store their turns in between. What they rate meanwhile is corrected when its turn comes.
        """
        while (seq := await self._next_correction()) is not None:
            async with self._database.write() as connection:
                await self._lock_ratings(connection)
                await self._correct_some(connection, seq)

    async def recompute_ratings(self, watch: Callable[[int], None] = lambda _: None) -> int:
        """Makes all ratings and leaderboards anew from the stored matches; how many count.

        Matches that the log does not know yet are added to it in the order in which they ended. ``watch`` is called
        with the number of matches rated so far.
        """
        async with self._database.write() as connection:
            await self._lock_ratings(connection)
            await self._complete_log(connection)
            for table in (standings, rating_changes, rating_corrections):
                await connection.execute(delete(table))
            ratings: _Ratings = {}
            seq = done = 0
            while rows := await self._rated_after(connection, seq):
                seq, done = rows[-1].seq, done + len(rows)
                changes = [change for row in rows for change in _changes(row.seq, row.at, row, ratings)]
                await connection.execute(insert(rating_changes), changes)
                watch(done)
            people = sorted({player_id for player_id, _ in ratings})
            for first in range(0, len(people), _TOGETHER):
                await self._count_anew(connection, people[first : first + _TOGETHER])
            return done

    async def digest_ratings(self) -> str:
        """A fingerprint of all ratings and leaderboards."""
        digest = hashlib.sha256()
        async with self._database.read() as connection:
            for table in (rating_changes, standings):
                rows = await connection.stream(select(table).order_by(*table.primary_key.columns))
                async for row in rows:
                    digest.update(repr(tuple(row)).encode())
        return digest.hexdigest()

    # Shared parts

    async def _rate(self, connection: AsyncConnection, match_id: int) -> None:
        """Counts a match that has just ended, if it counts; once."""
        match = (await connection.execute(select(*_MATCH).where(matches.c.id == match_id, _COUNTS))).one_or_none()
        if match is None:
            return
        await self._lock_ratings(connection)
        last = select(rating_events.c.at).order_by(rating_events.c.seq.desc()).limit(1)
        # Should the clock have gone back, ratings must not.
        at = max(match.ended_at, await connection.scalar(last) or match.ended_at)
        seq = await self._log(connection, match_id, _RATED, at)
        if seq is None:
            return
        seats = (match.first_id, match.second_id)
        ratings = await self._latest(connection, seats, (match.game, OVERALL))
        changes = _changes(seq, at, match, ratings)
        await connection.execute(insert(rating_changes), changes)
        scores = {change["player_id"]: change["score"] for change in changes}
        tallies = await self._tallies(connection, match)
        kept = []
        for player_id in seats:
            after = count(tallies[player_id], match.guild_id, match.game, scores[player_id], at)
            kept += _standings(player_id, after, {game: ratings[player_id, game] for game in (match.game, OVERALL)})
        await self._keep(connection, kept)
        await self._show_ratings(connection, ratings)

    async def _unrate(self, connection: AsyncConnection, match_id: int, at: datetime) -> None:
        """Takes a match out of the log and the count; :meth:`correct_ratings` does the rest."""
        seq = await connection.scalar(
            select(rating_events.c.seq).where(rating_events.c.match_id == match_id, rating_events.c.kind == _RATED)
        )
        if seq is None:
            return
        await self._lock_ratings(connection)
        await self._log(connection, match_id, _VOIDED, at)
        gone = (await connection.execute(select(rating_changes, _NEXT).where(rating_changes.c.seq == seq))).all()
        await connection.execute(delete(rating_changes).where(rating_changes.c.seq == seq))
        await connection.execute(delete(rating_corrections).where(rating_corrections.c.seq == seq))
        await self._correct_from(connection, {(row.player_id, row.game): row.next_seq for row in gone})
        await self._count_anew(connection, sorted({row.player_id for row in gone}))

    async def _next_correction(self) -> int | None:
        """The first event whose ratings have to be corrected, if any."""
        async with self._database.read() as connection:
            seq: int | None = await connection.scalar(select(func.min(rating_corrections.c.seq)))
            return seq

    async def _correct_some(self, connection: AsyncConnection, seq: int) -> None:
        """Corrects what the matches from an event on did, as far as they go back on what was corrected before.

        A rating that comes out as it was stored changes nothing later; there its correction ends.
        """
        end = seq + _CORRECTED
        due = await self._due_corrections(connection, end)
        rows = await connection.execute(
            select(rating_changes, rating_events.c.at, _NEXT)
            .join(rating_events, rating_events.c.seq == rating_changes.c.seq)
            .where(rating_changes.c.seq >= seq, rating_changes.c.seq < end)
            .order_by(rating_changes.c.seq, rating_changes.c.game, rating_changes.c.seat)
        )
        changed: list[dict[str, Any]] = []
        ratings: _Ratings = {}
        later: dict[tuple[int, str], int | None] = {}
        for _, found in groupby(rows.all(), lambda row: (row.seq, row.game)):
            pair = {(row.player_id, row.game): row for row in found}
            for key, row in pair.items():
                if (row.seq, *key) in due:
                    ratings.setdefault(key, due[row.seq, *key])
            if ratings.keys().isdisjoint(pair):
                continue
            changed += _changes_anew(list(pair.values()), ratings)
            for key, row in pair.items():
                if ratings[key] == _after(row):
                    del ratings[key]
                later[key] = row.next_seq
        await self._correct(connection, changed)
        await connection.execute(delete(rating_corrections).where(rating_corrections.c.seq < end))
        await self._correct_from(connection, {key: later[key] for key in ratings})
        await self._show_ratings(connection, {key: rating for key, rating in ratings.items() if later[key] is None})

    async def _due_corrections(self, connection: AsyncConnection, end: int) -> dict[tuple[int, int, str], Rating]:
        """The ratings to correct the changes of some events with, those before ``end``: by event, player and game."""
        earlier = rating_changes.alias("earlier")
        its = ("player_id", "game")
        last = (
            select(func.max(earlier.c.seq))
            .where(*(earlier.c[name] == rating_corrections.c[name] for name in its))
            .where(earlier.c.seq < rating_corrections.c.seq)
            .correlate(rating_corrections)
            .scalar_subquery()
        )
        rows = await connection.execute(
            select(
                rating_corrections.c.seq.label("due"),
                *(rating_corrections.c[name] for name in its),
                *(rating_changes.c[name] for name in ("value", "deviation")),
                rating_events.c.at,
            )
            .select_from(rating_corrections)
            .outerjoin(
                rating_changes,
                and_(
                    *(rating_changes.c[name] == rating_corrections.c[name] for name in its),
                    rating_changes.c.seq == last,
                ),
            )
            .outerjoin(rating_events, rating_events.c.seq == rating_changes.c.seq)
            .where(rating_corrections.c.seq < end)
        )
        return {(row.due, row.player_id, row.game): NEW if row.value is None else _after(row) for row in rows}

    async def _correct_from(self, connection: AsyncConnection, events: dict[tuple[int, str], int | None]) -> None:
        """Asks for the ratings of some players, each of a game, to be corrected from some event on, if there is one."""
        rows = [
            {"player_id": player_id, "game": game, "seq": seq}
            for (player_id, game), seq in events.items()
            if seq is not None
        ]
        if rows:
            put = self._insert(connection, rating_corrections)
            known = rating_corrections.c.seq
            first = case((known < put.excluded.seq, known), else_=put.excluded.seq)
            await connection.execute(
                put.on_conflict_do_update(index_elements=["player_id", "game"], set_={"seq": first}), rows
            )

    async def _correct(self, connection: AsyncConnection, changes: list[dict[str, Any]]) -> None:
        """Replaces what matches did to ratings."""
        key = {name: rating_changes.c[name] == bindparam(f"its_{name}") for name in ("player_id", "game", "seq")}
        rows = [{f"its_{name}" if name in key else name: value for name, value in row.items()} for row in changes]
        if rows:
            await connection.execute(update(rating_changes).where(*key.values()), rows)

    async def _complete_log(self, connection: AsyncConnection) -> None:
        """Adds to the log what matches tell that it does not know."""

        def logged(kind: str) -> Any:
            return exists().where(rating_events.c.match_id == matches.c.id, rating_events.c.kind == kind)

        at = await connection.scalar(select(func.max(rating_events.c.at)))
        for kind, wanted in (
            (_RATED, and_(_COUNTS, ~logged(_RATED))),
            (_VOIDED, and_(~_COUNTS, logged(_RATED), ~logged(_VOIDED))),
        ):
            found = await connection.execute(
                select(matches.c.id, matches.c.ended_at).where(wanted).order_by(matches.c.ended_at, matches.c.id)
            )
            events = []
            for match_id, ended_at in found:
                at = ended_at if at is None else max(at, ended_at)
                events.append({"match_id": match_id, "kind": kind, "at": at})
            if events:
                await connection.execute(insert(rating_events), events)

    async def _log(self, connection: AsyncConnection, match_id: int, kind: str, at: datetime) -> int | None:
        """Adds to the log; the number of the event, None when it is there already."""
        event = self._insert(connection, rating_events).values(match_id=match_id, kind=kind, at=at)
        added = await connection.execute(event.on_conflict_do_nothing().returning(rating_events.c.seq))
        seq: int | None = added.scalar_one_or_none()
        return seq

    async def _rated_after(self, connection: AsyncConnection, seq: int) -> list[AnyRow]:
        """The next matches that count after that event."""
        voided = rating_events.alias("voided")
        rows = await connection.execute(
            select(rating_events.c.seq, rating_events.c.at, *_MATCH)
            .join(matches, matches.c.id == rating_events.c.match_id)
            .where(
                rating_events.c.seq > seq,
                rating_events.c.kind == _RATED,
                ~exists().where(voided.c.match_id == rating_events.c.match_id, voided.c.kind == _VOIDED),
            )
            .order_by(rating_events.c.seq)
            .limit(_BATCH)
        )
        return list(rows)

    async def _latest(
        self, connection: AsyncConnection, people: Collection[int], games: Collection[str], *, before: int | None = None
    ) -> _Ratings:
        """The ratings of some players in some games, after their last match before an event, or after all."""
        latest = (
            select(rating_changes.c.player_id, rating_changes.c.game, func.max(rating_changes.c.seq).label("seq"))
            .where(rating_changes.c.player_id.in_(people), rating_changes.c.game.in_(games))
            .group_by(rating_changes.c.player_id, rating_changes.c.game)
        )
        if before is not None:
            latest = latest.where(rating_changes.c.seq < before)
        last = latest.subquery()
        rows = await connection.execute(
            select(rating_changes, rating_events.c.at)
            .join(last, and_(*(last.c[name] == rating_changes.c[name] for name in ("player_id", "game", "seq"))))
            .join(rating_events, rating_events.c.seq == rating_changes.c.seq)
        )
        found = {(row.player_id, row.game): _after(row) for row in rows}
        return {key: found.get(key, NEW) for key in product(people, games)}

    async def _tallies(self, connection: AsyncConnection, match: AnyRow) -> dict[int, Tallies]:
        """The results of both players so far, as far as the match changes them."""
        tallies: dict[int, Tallies] = {match.first_id: {}, match.second_id: {}}
        rows = await connection.execute(
            select(standings).where(
                standings.c.guild_id.in_([0, match.guild_id or 0]),
                standings.c.game.in_([match.game, OVERALL]),
                standings.c.span.in_(list(Period)),
                standings.c.player_id.in_(list(tallies)),
            )
        )
        for row in rows:
            tallies[row.player_id][row.guild_id or None, row.game, Period(row.span)] = to_tally(row)
        return tallies

    async def _count_anew(self, connection: AsyncConnection, people: Sequence[int]) -> None:
        """Makes the standings of these players anew; those who were forgotten have none."""
        people = [player_id for player_id in people if player_id > 0]
        await connection.execute(delete(standings).where(standings.c.player_id.in_(people)))
        found = await connection.execute(
            select(rating_changes, rating_events.c.at, matches.c.game.label("played"), matches.c.guild_id)
            .join(rating_events, rating_events.c.seq == rating_changes.c.seq)
            .join(matches, matches.c.id == rating_events.c.match_id)
            .where(rating_changes.c.player_id.in_(people))
            .order_by(rating_changes.c.player_id, rating_changes.c.seq)
        )
        kept = []
        for player_id, rows in groupby(found.all(), lambda row: row.player_id):
            tallies: Tallies = {}
            ratings = {}
            for row in rows:
                ratings[row.game] = _after(row)
                if row.game == OVERALL:
                    tallies |= count(tallies, row.guild_id, row.played, row.score, row.at)
            kept += _standings(player_id, tallies, ratings)
        await self._keep(connection, kept)

    async def _keep(self, connection: AsyncConnection, rows: list[dict[str, Any]]) -> None:
        if not rows:
            return
        put = self._insert(connection, standings)
        key = [column.name for column in standings.primary_key]
        rest = {column.name: put.excluded[column.name] for column in standings.c if column.name not in key}
        await connection.execute(put.on_conflict_do_update(index_elements=key, set_=rest), rows)

    async def _show_ratings(self, connection: AsyncConnection, ratings: _Ratings) -> None:
        """Brings the ratings up to date in all rows that have them."""
        rows = [
            {"its_player": player_id, "its_game": game, **_shown(rating)}
            for (player_id, game), rating in ratings.items()
            if rating.at is not None
        ]
        if rows:
            its = (standings.c.player_id == bindparam("its_player"), standings.c.game == bindparam("its_game"))
            await connection.execute(update(standings).where(*its), rows)

    async def _rating_changes(
        self, connection: AsyncConnection, match_ids: Sequence[int]
    ) -> dict[int, tuple[RatingChange, ...]]:
        """What matches did to the ratings of their games, the first player's first."""
        rows = await connection.execute(
            select(rating_changes, rating_events.c.at, rating_events.c.match_id)
            .join(rating_events, rating_events.c.seq == rating_changes.c.seq)
            .where(rating_events.c.match_id.in_(match_ids), rating_changes.c.game != OVERALL)
            .order_by(rating_changes.c.seq, rating_changes.c.seat)
        )
        changes: dict[int, tuple[RatingChange, ...]] = {}
        for row in rows:
            change = RatingChange(row.player_id, _before(row), _after(row))
            changes[row.match_id] = (*changes.get(row.match_id, ()), change)
        return changes

    async def _lock_ratings(self, connection: AsyncConnection) -> None:
        """Lets one change of ratings follow the other; SQLite has one writer anyway."""
        if connection.dialect.name == "postgresql":
            await connection.execute(select(func.pg_advisory_xact_lock(_LOCK)))


def _changes(seq: int, at: datetime, match: AnyRow, ratings: _Ratings) -> list[dict[str, Any]]:
    """What a match does to the ratings, which are brought up to date, as rows."""
    score = 0.5 if match.winner_id is None else 1.0 if match.winner_id == match.first_id else 0.0
    seats = (match.first_id, match.second_id)
    return [change for game in (match.game, OVERALL) for change in _rated(seq, at, game, seats, score, ratings)]


def _rated(
    seq: int, at: datetime, game: str, seats: tuple[int, ...], score: float, ratings: _Ratings
) -> list[dict[str, Any]]:
    before = [ratings.get((player_id, game), NEW).on(at) for player_id in seats]
    after = rate(before[0], before[1], score, at)
    rows = []
    for seat, player_id in enumerate(seats):
        ratings[player_id, game] = after[seat]
        rows.append(
            {
                "player_id": player_id,
                "game": game,
                "seq": seq,
                "seat": seat,
                "score": 1 - score if seat else score,
                "value_before": before[seat].value,
                "deviation_before": before[seat].deviation,
                "value": after[seat].value,
                "deviation": after[seat].deviation,
            }
        )
    return rows


def _changes_anew(pair: list[AnyRow], ratings: _Ratings) -> list[dict[str, Any]]:
    """What a match does to two ratings, of which one at least is another one now."""
    for row in pair:
        ratings.setdefault((row.player_id, row.game), _before(row))
    first = pair[0]
    return _rated(first.seq, first.at, first.game, tuple(row.player_id for row in pair), first.score, ratings)


def _standings(player_id: int, tallies: Tallies, ratings: dict[str, Rating]) -> list[dict[str, Any]]:
    return [
        {
            "guild_id": guild_id or 0,
            "game": game,
            "span": span,
            "player_id": player_id,
            "period": tally.period,
            "wins": tally.wins,
            "draws": tally.draws,
            "losses": tally.losses,
            "streak": tally.streak,
            "best": tally.best,
            **_shown(ratings[game]),
        }
        for (guild_id, game, span), tally in tallies.items()
    ]


def _shown(rating: Rating) -> dict[str, Any]:
    return {"rating": rating.value, "settled_until": rating.settled_until}


def _before(row: AnyRow) -> Rating:
    return Rating(row.value_before, row.deviation_before, row.at)


def _after(row: AnyRow) -> Rating:
    return Rating(row.value, row.deviation, row.at)


def to_tally(row: AnyRow) -> Tally:
    return Tally(row.period, row.wins, row.draws, row.losses, row.streak, row.best)

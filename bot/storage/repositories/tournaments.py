"""Tournaments, with their entrants and pairings."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from itertools import groupby
from operator import attrgetter
from typing import Any

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Select,
    and_,
    bindparam,
    delete,
    exists,
    func,
    or_,
    select,
    union,
    update,
)

from bot.domain.clocks import TimeControl
from bot.domain.competitions.cups import Cup, Pause
from bot.domain.competitions.tournaments import ONGOING, Entrant, Pairing, Tournament, TournamentState
from bot.domain.matches import Ending, Result
from bot.domain.places import Place, Viewer
from bot.storage.names import JoinedPlayer
from bot.storage.repositories.matches import in_view
from bot.storage.repository import AnyRow, Repository, played_by
from bot.storage.tables import (
    KNOWN_BLOCKS,
    blocks,
    entrants,
    key_values,
    matches,
    pairings,
    tournaments,
    turns,
)
from rules import Ruleset, ruleset_by_id

_organiser, _entrant = (JoinedPlayer(name, tournaments.c.guild_id) for name in ("organiser", "player"))
_ONGOING = tournaments.c.state.in_(ONGOING)


class TournamentRepository(Repository):
    """The tournaments. A change is part of a transaction that has locked the tournament with :meth:`lock`."""

    async def add(
        self,
        place: Place,
        name: str,
        organiser_id: int,
        ruleset: Ruleset,
        control: TimeControl | None,
        at_once: int,
        created_at: datetime,
        cup: Cup | None = None,
        *,
        edition: int = 1,
        previous_id: int | None = None,
    ) -> int:
        """Add an open tournament without entrants and return its id; the name may be empty."""
        return await self._add_numbered(
            tournaments,
            guild_id=place.guild_id,
            channel_id=place.channel_id,
            name=name,
            organiser_id=organiser_id,
            ruleset=ruleset.id,
            control=control and control.code,
            at_once=at_once,
            state=TournamentState.OPEN,
            created_at=created_at,
            version=1,
            edition=edition,
            previous_id=previous_id,
            **({} if cup is None else asdict(cup)),
        )

    # Queries

    async def get(self, tournament_id: int) -> Tournament | None:
        found = await self.get_all([tournament_id])
        return found[0] if found else None

    async def lock(self, tournament_id: int) -> Tournament | None:
        """Lock the tournament until the end of the transaction, and return it.

        A transaction that also changes players or matches locks them before the tournament.
        """
        await self.lock_all([tournament_id])
        return await self.get(tournament_id)

    async def lock_all(self, tournament_ids: Sequence[int]) -> None:
        """Lock these tournaments and their previous editions.

        One statement locks all, always in the same order, so there are no deadlocks.
        """
        before = select(tournaments.c.previous_id).where(tournaments.c.id.in_(tournament_ids))
        both = or_(tournaments.c.id.in_(tournament_ids), tournaments.c.id.in_(before))
        await self._scalars(select(tournaments.c.id).where(both).order_by(tournaments.c.id).with_for_update())

    async def get_all(self, tournament_ids: Sequence[int]) -> list[Tournament]:
        """These tournaments, in the order of the ids."""
        values = {"tournament_ids": list(tournament_ids)}
        rows = {row.id: row for row in await self._rows(_ALL, values)}
        people, games = [
            {key: list(group) for key, group in groupby(await self._rows(query, values), attrgetter("tournament_id"))}
            for query in (_ENTRANTS, _PAIRINGS)
        ]
        return [
            _to_tournament(rows[number], people.get(number, ()), games.get(number, ()))
            for number in tournament_ids
            if number in rows
        ]

    async def search(self, viewer: Viewer, limit: int) -> list[int]:
        """The tournaments at the viewer's place that the viewer has joined or opened, or can view.

        Ongoing tournaments come before others, then those in the channel, then newer ones, except that next editions
        that the viewer has not joined come after the ones that are played.
        """
        place, here = viewer.place, tournaments.c.channel_id == viewer.place.channel_id
        where: ColumnElement[bool] = here
        own = exists().where(entrants.c.tournament_id == tournaments.c.id, entrants.c.player_id == viewer.player_id)
        following = and_(tournaments.c.previous_id.is_not(None), tournaments.c.state == TournamentState.OPEN, ~own)
        if place.guild_id is not None:
            opened = tournaments.c.organiser_id == viewer.player_id
            known = or_(own, opened, in_view(tournaments.c.channel_id, viewer))
            where = and_(tournaments.c.guild_id == place.guild_id, known)
        return await self._scalars(
            select(tournaments.c.id)
            .where(where)
            .order_by(~_ONGOING, ~here, following, tournaments.c.id.desc())
            .limit(limit)
        )

    async def ongoing_of(self, player_id: int) -> list[int]:
        """The ongoing tournaments in which the player takes part, or which they organise."""
        entered = exists().where(
            entrants.c.tournament_id == tournaments.c.id,
            entrants.c.player_id == player_id,
            entrants.c.withdrawn_at.is_(None),
        )
        mine = or_(entered, tournaments.c.organiser_id == player_id)
        return await self._scalars(select(tournaments.c.id).where(mine, _ONGOING).order_by(tournaments.c.id))

    async def last_turn_at(self, tournament_id: int, player_id: int) -> datetime | None:
        """The time of the player's last turn in a game of the tournament."""
        return await self._scalar(
            select(turns.c.played_at)
            .join(pairings, pairings.c.match_id == turns.c.match_id)
            .where(pairings.c.tournament_id == tournament_id, turns.c.player_id == player_id)
            .order_by(turns.c.played_at.desc())
            .limit(1)
        )

    async def has_block(self, tournament_id: int, player_id: int) -> bool:
        """Whether there is a block between the player and the organiser or an entrant."""
        others = union(
            select(entrants.c.player_id).where(entrants.c.tournament_id == tournament_id),
            select(tournaments.c.organiser_id).where(tournaments.c.id == tournament_id),
        )
        own = and_(blocks.c.player_id == player_id, blocks.c.blocked_id.in_(others))
        theirs = and_(blocks.c.blocked_id == player_id, blocks.c.player_id.in_(others))
        return await self._exists(select(blocks.c.player_id).where(KNOWN_BLOCKS, or_(own, theirs)))

    # Changes

    async def add_entrant(self, tournament_id: int, player_id: int) -> None:
        following = func.coalesce(func.max(entrants.c.number) + 1, 0)
        number: int | None = await self._scalar(select(following).where(entrants.c.tournament_id == tournament_id))
        await self._add(entrants, {"tournament_id": tournament_id, "player_id": player_id, "number": number})

    async def remove_entrant(self, tournament_id: int, player_id: int) -> None:
        await self._execute(delete(entrants).where(*_is_entrant(tournament_id, player_id)))

    async def withdraw_entrant(self, tournament_id: int, player_id: int, at: datetime) -> None:
        await self._execute(update(entrants).where(*_is_entrant(tournament_id, player_id)).values(withdrawn_at=at))

    async def set_organiser(self, tournament_id: int, player_id: int) -> None:
        await self._change(tournament_id, organiser_id=player_id)

    async def move(self, tournament_id: int, channel_id: int) -> None:
        """Move a tournament, and its next edition if it is open, to another channel."""
        following = and_(tournaments.c.previous_id == tournament_id, tournaments.c.state == TournamentState.OPEN)
        this = or_(tournaments.c.id == tournament_id, following)
        await self._execute(
            update(tournaments).where(this).values(channel_id=channel_id, version=tournaments.c.version + 1)
        )

    async def set_state(self, tournament_id: int, state: TournamentState) -> None:
        await self._change(tournament_id, state=state)

    async def order_entrants(self, tournament_id: int, player_ids: Sequence[int]) -> None:
        """Store the players' numbers in the schedule."""
        for number, player_id in enumerate(player_ids):
            await self._execute(update(entrants).where(*_is_entrant(tournament_id, player_id)).values(number=number))

    async def add_pairings(self, tournament_id: int, schedule: Sequence[Pairing]) -> None:
        rows = (
            {
                "tournament_id": tournament_id,
                "round": pairing.round,
                "first_id": pairing.first_id,
                "second_id": pairing.second_id,
                "group_number": pairing.group,
            }
            for pairing in schedule
        )
        await self._add(pairings, *rows)

    async def set_match(self, tournament_id: int, pairing: Pairing, match_id: int, ends_at: datetime | None) -> None:
        """Store the match of a pairing and, in a cup, its hard end."""
        this = (
            pairings.c.tournament_id == tournament_id,
            pairings.c.round == pairing.round,
            pairings.c.first_id == pairing.first_id,
        )
        await self._execute(update(pairings).where(*this).values(match_id=match_id, ends_at=ends_at))

    async def cup_of(self, match_id: int) -> Cup | None:
        """The terms of a match's cup; None outside cups."""
        row = await self._row(
            select(tournaments)
            .join(pairings, pairings.c.tournament_id == tournaments.c.id)
            .where(pairings.c.match_id == match_id)
        )
        return None if row is None else _to_cup(row)

    async def move_end(self, match_id: int, ends_at: datetime) -> bool:
        """Move the hard end of a match that has no turn yet; False if it has one."""
        begun = exists().where(turns.c.match_id == match_id)
        return (
            await self._execute(update(pairings).where(pairings.c.match_id == match_id, ~begun).values(ends_at=ends_at))
            == 1
        )

    async def set_end(self, match_id: int, ends_at: datetime) -> None:
        """Move the hard end of a match."""
        await self._execute(update(pairings).where(pairings.c.match_id == match_id).values(ends_at=ends_at))

    async def pause(self, match_id: int) -> Pause:
        """How long a match of a cup has been paused."""
        value: str | None = await self._scalar(
            select(key_values.c.value).where(key_values.c.name == _pause_of(match_id))
        )
        if value is None:
            return Pause()
        first, second, left, since = value.split()
        times = timedelta(seconds=float(first)), timedelta(seconds=float(second))
        return Pause(times, None if since == "-" else datetime.fromisoformat(since), timedelta(seconds=float(left)))

    async def set_pause(self, match_id: int, pause: Pause) -> None:
        seconds = (time.total_seconds() for time in (*pause.times, pause.left))
        since = "-" if pause.since is None else pause.since.isoformat()
        await self._put(key_values, {"name": _pause_of(match_id), "value": " ".join([*map(str, seconds), since])})

    async def lock_games(self, tournament_id: int, player_id: int) -> dict[int, int]:
        """Lock a player's running matches in the tournament, and return their steps, by match."""
        rows = await self._rows(
            select(matches.c.id, matches.c.step)
            .join(pairings, pairings.c.match_id == matches.c.id)
            .where(pairings.c.tournament_id == tournament_id, played_by(player_id), matches.c.ended_at.is_(None))
            .order_by(matches.c.id)
            .with_for_update(of=matches)
        )
        return {row.id: row.step for row in rows}

    async def increase_version(self, tournament_id: int) -> None:
        """Request an update of the card."""
        await self._change(tournament_id, version=tournaments.c.version + 1)

    async def _change(self, tournament_id: int, **values: Any) -> None:
        await self._execute(update(tournaments).where(tournaments.c.id == tournament_id).values(values))


_IDS: BindParameter[list[int]] = bindparam("tournament_ids", expanding=True)
_following = tournaments.alias("following")
_OPEN_NEXT = (
    select(_following.c.id)
    .where(_following.c.previous_id == tournaments.c.id, _following.c.state == TournamentState.OPEN)
    .scalar_subquery()
    .label("open_next")
)
_ALL: Select[*tuple[object, ...]] = _organiser.join(
    select(tournaments, *_organiser.columns, _OPEN_NEXT), tournaments.c.organiser_id
).where(tournaments.c.id.in_(_IDS))
_ENTRANTS: Select[*tuple[object, ...]] = (
    _entrant.join(
        select(entrants, *_entrant.columns).join(tournaments, tournaments.c.id == entrants.c.tournament_id),
        entrants.c.player_id,
    )
    .where(entrants.c.tournament_id.in_(_IDS))
    .order_by(entrants.c.tournament_id, entrants.c.number, entrants.c.player_id)
)
_PAIRINGS = (
    select(pairings, matches.c.ending, matches.c.winner_id, matches.c.ended_at)
    .outerjoin(matches, matches.c.id == pairings.c.match_id)
    .where(pairings.c.tournament_id.in_(_IDS))
    .order_by(pairings.c.tournament_id, pairings.c.round, pairings.c.first_id)
)


def _pause_of(match_id: int) -> str:
    return f"pause-{match_id}"


def _is_entrant(tournament_id: int, player_id: int) -> tuple[ColumnElement[bool], ...]:
    return entrants.c.tournament_id == tournament_id, entrants.c.player_id == player_id


def _to_tournament(row: AnyRow, people: Collection[AnyRow], games: Collection[AnyRow]) -> Tournament:
    return Tournament(
        id=row.id,
        place=Place(row.guild_id, row.channel_id),
        name=row.name,
        organiser=_organiser.player(row, row.guild_id),
        ruleset=ruleset_by_id(row.ruleset),
        control=None if row.control is None else TimeControl.from_code(row.control),
        at_once=row.at_once,
        state=TournamentState(row.state),
        created_at=row.created_at,
        entrants=tuple(Entrant(_entrant.player(person, row.guild_id), person.withdrawn_at) for person in people),
        pairings=tuple(map(_to_pairing, games)),
        cup=_to_cup(row),
        edition=row.edition,
        previous_id=row.previous_id,
        open_next=row.open_next,
    )


def _to_cup(row: AnyRow) -> Cup | None:
    return None if row.weeks is None else Cup(row.starts_with, row.weeks, row.reopens)


def _to_pairing(row: AnyRow) -> Pairing:
    result = None if row.ending is None else Result(row.winner_id, Ending(row.ending))
    return Pairing(row.round, row.first_id, row.second_id, row.match_id, result, row.ended_at, row.group_number)

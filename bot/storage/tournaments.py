"""Tournaments: entrants, pairings, and the card of each."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from itertools import groupby
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
    insert,
    or_,
    select,
    union,
    update,
)

from bot.domain.clocks import TimeControl
from bot.domain.matches import Ending, Result
from bot.domain.places import Place, Viewer
from bot.domain.tournaments import ONGOING, Entrant, Pairing, Tournament, TournamentState
from bot.storage.matches import in_view
from bot.storage.names import JoinedPlayer
from bot.storage.repository import AnyRow, Repository, played_by
from bot.storage.tables import blocks, entrants, matches, pairings, tournaments, turns
from rules import Ruleset, ruleset_by_id

_organiser, _entrant = (JoinedPlayer(name, tournaments.c.guild_id) for name in ("organiser", "player"))
_ONGOING = tournaments.c.state.in_(ONGOING)


class TournamentRepository(Repository):
    """Tournaments. Lock one with :meth:`lock` in the same transaction before changing it."""

    async def add(
        self,
        place: Place,
        name: str,
        organiser_id: int,
        ruleset: Ruleset,
        control: TimeControl | None,
        at_once: int,
        created_at: datetime,
    ) -> int:
        """Add an open tournament without entrants and return its id; the name may be empty."""
        added = await self._connection.execute(
            insert(tournaments)
            .values(
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
            )
            .returning(tournaments.c.id)
        )
        return int(added.scalar_one())

    # Queries

    async def get(self, tournament_id: int) -> Tournament | None:
        found = await self.get_all([tournament_id])
        return found[0] if found else None

    async def lock(self, tournament_id: int) -> Tournament | None:
        """Return the tournament, which nobody else changes until the end of the transaction.

        Transactions that also change players or matches lock those first.
        """
        await self._connection.execute(
            select(tournaments.c.id).where(tournaments.c.id == tournament_id).with_for_update()
        )
        return await self.get(tournament_id)

    async def get_all(self, tournament_ids: Sequence[int]) -> list[Tournament]:
        """Return these tournaments in the order of their ids in the argument."""
        values = {"tournament_ids": list(tournament_ids)}
        rows = {row.id: row for row in await self._connection.execute(_ALL, values)}
        found = await self._connection.execute(_ENTRANTS, values)
        people = {key: list(group) for key, group in groupby(found, lambda row: row.tournament_id)}
        found = await self._connection.execute(_PAIRINGS, values)
        games = {key: list(group) for key, group in groupby(found, lambda row: row.tournament_id)}
        return [
            _to_tournament(rows[each], people.get(each, ()), games.get(each, ()))
            for each in tournament_ids
            if each in rows
        ]

    async def search(self, viewer: Viewer, limit: int, *, ongoing: bool = False) -> list[int]:
        """The tournaments at the viewer's place that they may know of: their own, and those in channels they can view.

        Those of the channel come first, the newest of them before the others.
        """
        place, here = viewer.place, tournaments.c.channel_id == viewer.place.channel_id
        where: ColumnElement[bool] = here
        if place.guild_id is not None:
            own = exists().where(entrants.c.tournament_id == tournaments.c.id, entrants.c.player_id == viewer.player_id)
            opened = tournaments.c.organiser_id == viewer.player_id
            known = or_(own, opened, in_view(tournaments.c.channel_id, viewer))
            where = and_(tournaments.c.guild_id == place.guild_id, known)
        found = await self._connection.scalars(
            select(tournaments.c.id)
            .where(where, *([_ONGOING] if ongoing else []))
            .order_by(~here, tournaments.c.id.desc())
            .limit(limit)
        )
        return list(found)

    async def ongoing_of(self, player_id: int) -> list[int]:
        """The tournaments that are not over and that the player is in, or organises."""
        entered = exists().where(
            entrants.c.tournament_id == tournaments.c.id,
            entrants.c.player_id == player_id,
            entrants.c.withdrawn_at.is_(None),
        )
        found = await self._connection.scalars(
            select(tournaments.c.id)
            .where(or_(entered, tournaments.c.organiser_id == player_id), _ONGOING)
            .order_by(tournaments.c.id)
        )
        return list(found)

    async def opened_by(self, player_id: int, since: datetime) -> list[datetime]:
        """The times at which the player has opened tournaments after that."""
        found = await self._connection.scalars(
            select(tournaments.c.created_at).where(
                tournaments.c.organiser_id == player_id, tournaments.c.created_at > since
            )
        )
        return list(found)

    async def last_turn_at(self, tournament_id: int, player_id: int) -> datetime | None:
        """When the player last made a turn in any game of the tournament."""
        found: datetime | None = await self._connection.scalar(
            select(turns.c.played_at)
            .join(pairings, pairings.c.match_id == turns.c.match_id)
            .where(pairings.c.tournament_id == tournament_id, turns.c.player_id == player_id)
            .order_by(turns.c.played_at.desc())
            .limit(1)
        )
        return found

    async def has_block(self, tournament_id: int, player_id: int) -> bool:
        """Whether the player has blocked the organiser or an entrant, or was blocked by one of them."""
        others = union(
            select(entrants.c.player_id).where(entrants.c.tournament_id == tournament_id),
            select(tournaments.c.organiser_id).where(tournaments.c.id == tournament_id),
        )
        found = await self._connection.scalar(
            select(blocks.c.player_id)
            .where(
                or_(
                    and_(blocks.c.player_id == player_id, blocks.c.blocked_id.in_(others)),
                    and_(blocks.c.blocked_id == player_id, blocks.c.player_id.in_(others)),
                )
            )
            .limit(1)
        )
        return found is not None

    # Changes

    async def add_entrant(self, tournament_id: int, player_id: int) -> None:
        last = await self._connection.scalar(
            select(func.max(entrants.c.number)).where(entrants.c.tournament_id == tournament_id)
        )
        number = 0 if last is None else last + 1
        await self._connection.execute(
            insert(entrants).values(tournament_id=tournament_id, player_id=player_id, number=number)
        )

    async def remove_entrant(self, tournament_id: int, player_id: int) -> None:
        await self._connection.execute(delete(entrants).where(*_is_entrant(tournament_id, player_id)))

    async def withdraw_entrant(self, tournament_id: int, player_id: int, at: datetime) -> None:
        await self._connection.execute(
            update(entrants).where(*_is_entrant(tournament_id, player_id)).values(withdrawn_at=at)
        )

    async def set_organiser(self, tournament_id: int, player_id: int) -> None:
        await self._change(tournament_id, organiser_id=player_id)

    async def set_state(self, tournament_id: int, state: TournamentState) -> None:
        await self._change(tournament_id, state=state)

    async def add_schedule(self, tournament_id: int, player_ids: Sequence[int], schedule: Sequence[Pairing]) -> None:
        """Store the schedule and the order of the players in it."""
        for number, player_id in enumerate(player_ids):
            await self._connection.execute(
                update(entrants).where(*_is_entrant(tournament_id, player_id)).values(number=number)
            )
        await self._connection.execute(
            insert(pairings),
            [
                {
                    "tournament_id": tournament_id,
                    "round": each.round,
                    "first_id": each.first_id,
                    "second_id": each.second_id,
                }
                for each in schedule
            ],
        )

    async def set_match(self, tournament_id: int, pairing: Pairing, match_id: int) -> None:
        await self._connection.execute(
            update(pairings)
            .where(
                pairings.c.tournament_id == tournament_id,
                pairings.c.round == pairing.round,
                pairings.c.first_id == pairing.first_id,
            )
            .values(match_id=match_id)
        )

    async def lock_games(self, tournament_id: int, player_id: int) -> dict[int, int]:
        """Return the running matches of a player in the tournament, each with its step, and keep them as they are."""
        found = await self._connection.execute(
            select(matches.c.id, matches.c.step)
            .join(pairings, pairings.c.match_id == matches.c.id)
            .where(pairings.c.tournament_id == tournament_id, played_by(player_id), matches.c.ended_at.is_(None))
            .order_by(matches.c.id)
            .with_for_update(of=matches)
        )
        return {row.id: row.step for row in found}

    async def increase_version(self, tournament_id: int) -> None:
        """Note that the card has something new to show."""
        await self._change(tournament_id, version=tournaments.c.version + 1)

    async def _change(self, tournament_id: int, **values: Any) -> None:
        await self._connection.execute(update(tournaments).where(tournaments.c.id == tournament_id).values(values))


_IDS: BindParameter[list[int]] = bindparam("tournament_ids", expanding=True)
_ALL: Select[*tuple[object, ...]] = _organiser.join(
    select(tournaments, *_organiser.columns), tournaments.c.organiser_id
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
        entrants=tuple(Entrant(_entrant.player(each, row.guild_id), each.withdrawn_at) for each in people),
        pairings=tuple(_to_pairing(each) for each in games),
    )


def _to_pairing(row: AnyRow) -> Pairing:
    result = None if row.ending is None else Result(row.winner_id, Ending(row.ending))
    return Pairing(row.round, row.first_id, row.second_id, row.match_id, result, row.ended_at)

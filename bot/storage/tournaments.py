"""Tournaments: who takes part, who meets whom, and the matches that come of it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Row, and_, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.matches.clocks import TimeControl
from bot.matches.model import (
    Card,
    ChallengeState,
    Ending,
    Entrant,
    First,
    Pairing,
    Place,
    Player,
    Result,
    TimerKind,
    Tournament,
    TournamentState,
)
from bot.storage.base import to_card
from bot.storage.matches import MatchStore
from bot.storage.tables import challenges, entrants, matches, pairings, players, tournaments
from rules import Ruleset, ruleset_by_id

_GOING_ON = tournaments.c.state.in_((TournamentState.OPEN, TournamentState.RUNNING))


class TournamentStore(MatchStore):
    """Keeps the tournaments. A change is made in the state that it needs only, and says whether it was."""

    async def add_tournament(
        self,
        place: Place,
        name: str,
        organiser: Player,
        ruleset: Ruleset,
        control: TimeControl | None,
        at_once: int,
        created_at: datetime,
    ) -> int:
        """Stores an open tournament, in which its organiser takes part."""
        async with self._database.write() as connection:
            await self._remember(connection, organiser)
            added = await connection.execute(
                insert(tournaments)
                .values(
                    guild_id=place.guild_id,
                    channel_id=place.channel_id,
                    name=name,
                    organiser_id=organiser.id,
                    ruleset=ruleset.id,
                    control=control and control.code,
                    at_once=at_once,
                    state=TournamentState.OPEN,
                    created_at=created_at,
                    version=1,
                )
                .returning(tournaments.c.id)
            )
            identity: int = added.scalar_one()
            await connection.execute(insert(entrants).values(tournament_id=identity, player_id=organiser.id, number=0))
            await self._set_timer(connection, TimerKind.TOURNAMENT, identity, created_at)
            return identity

    async def tournament(self, tournament_id: int) -> Tournament | None:
        async with self._database.read() as connection:
            return await self._tournament(connection, tournament_id)

    async def tournaments_of(self, player_id: int) -> list[int]:
        """The tournaments in which the player is, and which are not over."""
        async with self._database.read() as connection:
            found = await connection.scalars(
                select(tournaments.c.id)
                .join(entrants)
                .where(entrants.c.player_id == player_id, entrants.c.withdrawn_at.is_(None), _GOING_ON)
                .order_by(tournaments.c.id)
            )
            return list(found)

    async def tournaments_at(self, place: Place, *, going_on: bool) -> list[int]:
        """The ids of the tournaments of the place's server, or else channel: first those of the channel, the newest
        first."""
        here: ColumnElement[bool] = tournaments.c.channel_id == place.channel_id
        where = here if place.guild_id is None else tournaments.c.guild_id == place.guild_id
        async with self._database.read() as connection:
            found = await connection.scalars(
                select(tournaments.c.id)
                .where(where, *([_GOING_ON] if going_on else []))
                .order_by(tournaments.c.channel_id != place.channel_id, tournaments.c.id.desc())
            )
            return list(found)

    async def add_entrant(self, tournament_id: int, player: Player, most: int, at: datetime) -> bool:
        """False when it is not open any more, or full, or the player takes part already."""
        async with self._database.write() as connection:
            await self._remember(connection, player)
            if not await self._change_tournament(connection, tournament_id, TournamentState.OPEN, at):
                return False
            mine = entrants.c.tournament_id == tournament_id
            count, last = (
                await connection.execute(select(func.count(), func.max(entrants.c.number)).where(mine))
            ).one()
            if count >= most:
                return False
            added = self._insert(connection, entrants).values(
                tournament_id=tournament_id, player_id=player.id, number=(last or 0) + 1
            )
            return (await connection.execute(added.on_conflict_do_nothing())).rowcount == 1

    async def remove_entrant(self, tournament_id: int, player_id: int, at: datetime) -> bool:
        """Takes somebody out of an open tournament."""
        async with self._database.write() as connection:
            if not await self._change_tournament(connection, tournament_id, TournamentState.OPEN, at):
                return False
            gone = await connection.execute(
                delete(entrants).where(entrants.c.tournament_id == tournament_id, entrants.c.player_id == player_id)
            )
            return gone.rowcount == 1

    async def withdraw_entrant(self, tournament_id: int, player_id: int, at: datetime) -> bool:
        """Notes that somebody has withdrawn from a running tournament."""
        async with self._database.write() as connection:
            if not await self._change_tournament(connection, tournament_id, TournamentState.RUNNING, at):
                return False
            gone = await connection.execute(
                update(entrants)
                .where(
                    entrants.c.tournament_id == tournament_id,
                    entrants.c.player_id == player_id,
                    entrants.c.withdrawn_at.is_(None),
                )
                .values(withdrawn_at=at)
            )
            return gone.rowcount == 1

    async def begin_tournament(
        self, tournament_id: int, order: Sequence[int], schedule: Sequence[Pairing], at: datetime
    ) -> bool:
        """Closes an open tournament for others and stores the schedule; ``order`` are the players' ids.

        False when it is not open, or when others take part by now.
        """
        async with self._database.write() as connection:
            mine = entrants.c.tournament_id == tournament_id
            await connection.execute(
                select(tournaments.c.id).where(tournaments.c.id == tournament_id).with_for_update()
            )
            if set(await connection.scalars(select(entrants.c.player_id).where(mine))) != set(order):
                return False
            if not await self._change_tournament(
                connection, tournament_id, TournamentState.OPEN, at, TournamentState.RUNNING
            ):
                return False
            for number, player_id in enumerate(order):
                await connection.execute(
                    update(entrants).where(mine, entrants.c.player_id == player_id).values(number=number)
                )
            for each in schedule:
                await connection.execute(
                    insert(pairings).values(
                        tournament_id=tournament_id, round=each.round, first_id=each.first_id, second_id=each.second_id
                    )
                )
            return True

    async def end_tournament(
        self, tournament_id: int, before: TournamentState, after: TournamentState, at: datetime
    ) -> bool:
        async with self._database.write() as connection:
            return await self._change_tournament(connection, tournament_id, before, at, after)

    async def begin_pairing(self, tournament: Tournament, pairing: Pairing, at: datetime) -> int | None:
        """Begins a match of a running tournament and returns its id; None when it has begun already, or when one of the
        two has withdrawn.

        The match comes from a challenge that was accepted, as every match does, but of which there is no card.
        """
        async with self._database.write() as connection:
            running = await connection.scalar(
                select(tournaments.c.id)
                .where(tournaments.c.id == tournament.id, tournaments.c.state == TournamentState.RUNNING)
                .with_for_update()
            )
            here = and_(
                pairings.c.tournament_id == tournament.id,
                pairings.c.round == pairing.round,
                pairings.c.first_id == pairing.first_id,
            )
            free = await connection.scalar(select(pairings.c.round).where(here, pairings.c.match_id.is_(None)))
            withdrawn = await connection.scalar(
                select(entrants.c.player_id).where(
                    entrants.c.tournament_id == tournament.id,
                    entrants.c.player_id.in_((pairing.first_id, pairing.second_id)),
                    entrants.c.withdrawn_at.is_not(None),
                )
            )
            if running is None or free is None or withdrawn is not None:
                return None
            low, high = sorted((pairing.first_id, pairing.second_id))
            challenge = await connection.execute(
                insert(challenges)
                .values(
                    guild_id=tournament.place.guild_id,
                    channel_id=tournament.place.channel_id,
                    challenger_id=pairing.first_id,
                    opponent_id=pairing.second_id,
                    low_id=low,
                    high_id=high,
                    ruleset=tournament.ruleset.id,
                    first=First.CHALLENGER,
                    state=ChallengeState.ACCEPTED,
                    # Nobody made it, so it counts for no limit.
                    created_at=tournament.created_at,
                    expires_at=at,
                    version=1,
                    shown_version=1,
                    control=tournament.control and tournament.control.code,
                )
                .returning(challenges.c.id)
            )
            people = {each.player.id: each.player for each in tournament.entrants}
            match_id = await self._add_match(
                connection,
                tournament.ruleset,
                tournament.place,
                None,
                (people[pairing.first_id], people[pairing.second_id]),
                at,
                rated=True,
                control=tournament.control,
                challenge_id=challenge.scalar_one(),
            )
            await connection.execute(update(pairings).where(here).values(match_id=match_id))
            return match_id

    async def tournament_shown(self, tournament_id: int, card: Card) -> None:
        await self._shown(tournaments, tournament_id, card.version, card)

    async def _change_tournament(
        self,
        connection: AsyncConnection,
        tournament_id: int,
        state: TournamentState,
        at: datetime,
        after: TournamentState | None = None,
    ) -> bool:
        """Locks a tournament in that state, puts it in the one ``after`` that, if any, and asks for it to be shown."""
        changed = await connection.execute(
            update(tournaments)
            .where(tournaments.c.id == tournament_id, tournaments.c.state == state)
            .values(version=tournaments.c.version + 1, state=after or state)
        )
        if changed.rowcount == 1:
            await self._set_timer(connection, TimerKind.TOURNAMENT, tournament_id, at)
        return changed.rowcount == 1

    async def _tournament(self, connection: AsyncConnection, tournament_id: int) -> Tournament | None:
        row = (
            await connection.execute(
                select(tournaments, players.c.name.label("organiser_name"))
                .join(players, players.c.id == tournaments.c.organiser_id)
                .where(tournaments.c.id == tournament_id)
            )
        ).one_or_none()
        if row is None:
            return None
        people = await connection.execute(
            select(players.c.id, players.c.name, entrants.c.withdrawn_at)
            .join(players, players.c.id == entrants.c.player_id)
            .where(entrants.c.tournament_id == tournament_id)
            .order_by(entrants.c.number, entrants.c.player_id)
        )
        games = await connection.execute(
            select(pairings, matches.c.ending, matches.c.winner_id, matches.c.ended_at)
            .outerjoin(matches, matches.c.id == pairings.c.match_id)
            .where(pairings.c.tournament_id == tournament_id)
            .order_by(pairings.c.round, pairings.c.first_id)
        )
        return Tournament(
            id=row.id,
            place=Place(row.guild_id, row.channel_id),
            name=row.name,
            organiser=Player(row.organiser_id, row.organiser_name),
            ruleset=ruleset_by_id(row.ruleset),
            control=None if row.control is None else TimeControl.from_code(row.control),
            at_once=row.at_once,
            state=TournamentState(row.state),
            created_at=row.created_at,
            version=row.version,
            card=to_card(row, step=0),
            entrants=tuple(Entrant(Player(each.id, each.name), each.withdrawn_at) for each in people),
            pairings=tuple(_to_pairing(each) for each in games),
        )


def _to_pairing(row: Row[Any]) -> Pairing:
    result = None if row.ending is None else Result(row.winner_id, Ending(row.ending))
    return Pairing(row.round, row.first_id, row.second_id, row.match_id, result, row.ended_at)

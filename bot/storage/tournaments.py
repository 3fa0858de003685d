"""Tournaments: who takes part, who meets whom, and the matches that come of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Row, and_, delete, exists, func, insert, or_, select, union, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain.challenges import ChallengeState, First
from bot.domain.clocks import TimeControl
from bot.domain.limits import TOURNAMENT_LIMIT, Wait
from bot.domain.matches import Ending, Result
from bot.domain.places import Place, PostedMessage, Viewer
from bot.domain.players import Player
from bot.domain.timers import TimerKind
from bot.domain.tournaments import Entrant, Pairing, Tournament, TournamentState
from bot.storage.base import to_card
from bot.storage.matches import MatchStore, in_view, played_by
from bot.storage.names import Role
from bot.storage.tables import blocks, challenges, entrants, matches, pairings, tournaments, turns
from rules import Ruleset, ruleset_by_id

_organiser, _entrant = (Role(name, tournaments.c.guild_id) for name in ("organiser", "player"))
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
    ) -> int | Wait:
        """Stores an open tournament, in which its organiser takes part, or says how long they have to wait; the name
        may be empty."""
        async with self._database.write() as connection:
            await self._remember(connection, organiser)
            own = tournaments.c.organiser_id == organiser.id
            until = await self._free_at(connection, TOURNAMENT_LIMIT, tournaments.c.created_at, created_at, own)
            if until is not None:
                return Wait(until)
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

    async def last_turn_in(self, tournament_id: int, player_id: int) -> datetime | None:
        """When a player has made their last turn in any game of the tournament."""
        async with self._database.read() as connection:
            found = await connection.execute(
                select(turns.c.played_at)
                .join(pairings, pairings.c.match_id == turns.c.match_id)
                .where(pairings.c.tournament_id == tournament_id, turns.c.player_id == player_id)
                .order_by(turns.c.played_at.desc())
                .limit(1)
            )
            return found.scalar_one_or_none()

    async def tournaments_for(self, viewer: Viewer, most: int, *, going_on: bool) -> list[int]:
        """The tournaments at the viewer's place that they may know of: their own, and those in channels that they can
        view. First those of the channel, the newest first."""
        place, here = viewer.place, tournaments.c.channel_id == viewer.place.channel_id
        where: ColumnElement[bool] = here
        if place.guild_id is not None:
            own = exists().where(entrants.c.tournament_id == tournaments.c.id, entrants.c.player_id == viewer.player_id)
            opened = tournaments.c.organiser_id == viewer.player_id
            known = or_(own, opened, in_view(tournaments.c.channel_id, viewer))
            where = and_(tournaments.c.guild_id == place.guild_id, known)
        async with self._database.read() as connection:
            found = await connection.scalars(
                select(tournaments.c.id)
                .where(where, *([_GOING_ON] if going_on else []))
                .order_by(~here, tournaments.c.id.desc())
                .limit(most)
            )
            return list(found)

    async def has_block(self, tournament_id: int, player_id: int) -> bool:
        """Whether the player has blocked the organiser or somebody who takes part, or was blocked by them."""
        async with self._database.read() as connection:
            return await self._has_block(connection, tournament_id, player_id)

    async def add_entrant(self, tournament_id: int, player: Player, most: int, at: datetime) -> bool:
        """False when it is not open any more, or full, or the player takes part already, or has a block with others."""
        async with self._database.write() as connection:
            await self._remember(connection, player)
            if not await self._lock_tournament(connection, tournament_id, TournamentState.OPEN):
                return False
            mine = entrants.c.tournament_id == tournament_id
            count, last = (
                await connection.execute(select(func.count(), func.max(entrants.c.number)).where(mine))
            ).one()
            if count >= most or await self._has_block(connection, tournament_id, player.id):
                return False
            added = self._insert(connection, entrants).values(
                tournament_id=tournament_id, player_id=player.id, number=(last or 0) + 1
            )
            if (await connection.execute(added.on_conflict_do_nothing())).rowcount == 0:
                return False
            return await self._change_tournament(connection, tournament_id, TournamentState.OPEN, at)

    async def remove_entrant(self, tournament_id: int, player_id: int, at: datetime) -> bool:
        """Takes somebody out of an open tournament."""
        async with self._database.write() as connection:
            if not await self._lock_tournament(connection, tournament_id, TournamentState.OPEN):
                return False
            gone = await connection.execute(
                delete(entrants).where(entrants.c.tournament_id == tournament_id, entrants.c.player_id == player_id)
            )
            if gone.rowcount == 0:
                return False
            return await self._change_tournament(connection, tournament_id, TournamentState.OPEN, at)

    async def withdraw_entrant(
        self,
        tournament_id: int,
        player_id: int,
        at: datetime,
        by: Player | None = None,
        steps: Mapping[int, int] | None = None,
    ) -> list[int] | None:
        """Notes that somebody has withdrawn from a running tournament, or was taken out ``by`` somebody else, who
        then ends the running games. Returns these matches; None when the player does not take part in it, or their
        running games have not made exactly these ``steps``."""
        async with self._database.write() as connection:
            await self._remember(connection, by)
            # Locked before the tournament, as when a match ends.
            running = (
                select(matches.c.id, matches.c.step)
                .join(pairings, pairings.c.match_id == matches.c.id)
                .where(pairings.c.tournament_id == tournament_id, played_by(player_id), matches.c.ended_at.is_(None))
                .order_by(matches.c.id)
                .with_for_update(of=matches)
            )
            games = [] if by is None else (await connection.execute(running)).all()
            if steps is not None and steps != {game.id: game.step for game in games}:
                return None
            if not await self._lock_tournament(connection, tournament_id, TournamentState.RUNNING):
                return None
            gone = await connection.execute(
                update(entrants)
                .where(
                    entrants.c.tournament_id == tournament_id,
                    entrants.c.player_id == player_id,
                    entrants.c.withdrawn_at.is_(None),
                )
                .values(withdrawn_at=at)
            )
            if gone.rowcount == 0:
                return None
            await self._change_tournament(connection, tournament_id, TournamentState.RUNNING, at)
            for game in games:
                await self._change(connection, game.id, game.step, at, Result(None, Ending.ABANDONED, by))
            return [game.id for game in games]

    async def hand_over(self, player_id: int, at: datetime) -> list[int]:
        """Makes the first of those who take part the organiser of each tournament of the player that is not over.

        An open one in which nobody else takes part is called off. Returns the tournaments' ids.
        """
        async with self._database.write() as connection:
            theirs = await connection.scalars(
                select(tournaments.c.id)
                .where(tournaments.c.organiser_id == player_id, _GOING_ON)
                .order_by(tournaments.c.id)
                .with_for_update()
            )
            handed_over = list(theirs)
            for identity in handed_over:
                heir = await connection.scalar(
                    select(entrants.c.player_id)
                    .where(
                        entrants.c.tournament_id == identity,
                        entrants.c.player_id != player_id,
                        entrants.c.withdrawn_at.is_(None),
                    )
                    .order_by(entrants.c.number, entrants.c.player_id)
                    .limit(1)
                )
                if heir is None:
                    await self._change_tournament(
                        connection, identity, TournamentState.OPEN, at, TournamentState.CANCELLED
                    )
                    continue
                await connection.execute(
                    update(tournaments)
                    .where(tournaments.c.id == identity)
                    .values(organiser_id=heir, version=tournaments.c.version + 1)
                )
                await self._set_timer(connection, TimerKind.TOURNAMENT, identity, at)
            return handed_over

    async def begin_tournament(
        self, tournament_id: int, order: Sequence[int], schedule: Sequence[Pairing], at: datetime
    ) -> bool:
        """Closes an open tournament for others and stores the schedule; ``order`` are the players' ids.

        False when it is not open, or when others take part by now.
        """
        async with self._database.write() as connection:
            mine = entrants.c.tournament_id == tournament_id
            if not await self._lock_tournament(connection, tournament_id, TournamentState.OPEN):
                return False
            if set(await connection.scalars(select(entrants.c.player_id).where(mine))) != set(order):
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
            return await self._change_tournament(
                connection, tournament_id, TournamentState.OPEN, at, TournamentState.RUNNING
            )

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
            running = await self._lock_tournament(connection, tournament.id, TournamentState.RUNNING)
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
            if not running or free is None or withdrawn is not None:
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

    async def tournament_shown(self, tournament_id: int, card: PostedMessage) -> None:
        await self._shown(tournaments, tournament_id, card.version, card)

    async def _has_block(self, connection: AsyncConnection, tournament_id: int, player_id: int) -> bool:
        others = union(
            select(entrants.c.player_id).where(entrants.c.tournament_id == tournament_id),
            select(tournaments.c.organiser_id).where(tournaments.c.id == tournament_id),
        )
        found = await connection.scalar(
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

    async def _lock_tournament(self, connection: AsyncConnection, tournament_id: int, state: TournamentState) -> bool:
        """Keeps a tournament in that state until the end of the transaction; False when it is in another one."""
        found = await connection.scalar(
            select(tournaments.c.id)
            .where(tournaments.c.id == tournament_id, tournaments.c.state == state)
            .with_for_update()
        )
        return found is not None

    async def _change_tournament(
        self,
        connection: AsyncConnection,
        tournament_id: int,
        state: TournamentState,
        at: datetime,
        after: TournamentState | None = None,
    ) -> bool:
        """Puts a tournament in that state in the one ``after`` it, if any, and asks for it to be shown."""
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
                _organiser.join(select(tournaments, *_organiser.columns), tournaments.c.organiser_id).where(
                    tournaments.c.id == tournament_id
                )
            )
        ).one_or_none()
        if row is None:
            return None
        people = await connection.execute(
            _entrant.join(
                select(entrants, *_entrant.columns).join(tournaments, tournaments.c.id == entrants.c.tournament_id),
                entrants.c.player_id,
            )
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
            organiser=_organiser.player(row, row.guild_id),
            ruleset=ruleset_by_id(row.ruleset),
            control=None if row.control is None else TimeControl.from_code(row.control),
            at_once=row.at_once,
            state=TournamentState(row.state),
            created_at=row.created_at,
            version=row.version,
            card=to_card(row, step=0),
            entrants=tuple(Entrant(_entrant.player(each, row.guild_id), each.withdrawn_at) for each in people),
            pairings=tuple(_to_pairing(each) for each in games),
        )


def _to_pairing(row: Row[Any]) -> Pairing:
    result = None if row.ending is None else Result(row.winner_id, Ending(row.ending))
    return Pairing(row.round, row.first_id, row.second_id, row.match_id, result, row.ended_at)

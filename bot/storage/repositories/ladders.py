"""Ladders, with their rungs and contests."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ColumnElement, Select, and_, case, delete, func, or_, select, update

from bot.domain.challenges import ChallengeState
from bot.domain.competitions.ladders import LONGEST_MATCH, Contest, Ladder, Loss, LostRung, PastChallenge, Rung
from bot.domain.matches import Ending, Result
from bot.domain.places import Place, Viewer
from bot.storage.names import JoinedPlayer
from bot.storage.repositories.matches import in_view
from bot.storage.repository import AnyRow, Repository
from bot.storage.tables import OPEN_CHALLENGES, challenges, ladders, lost_rungs, matches, rungs, turns
from rules import GAMES, Position

_player, _winner = (JoinedPlayer(name, ladders.c.guild_id) for name in ("player", "winner"))
#: The challenges on ladders, with their matches.
_ATTEMPTS: Select[*tuple[object, ...]] = select(
    challenges.c.challenger_id,
    challenges.c.opponent_id,
    challenges.c.state,
    challenges.c.created_at,
    matches.c.id.label("match_id"),
    matches.c.ending,
    matches.c.winner_id,
    matches.c.ended_at,
).outerjoin(matches, matches.c.challenge_id == challenges.c.id)


class LadderRepository(Repository):
    """The ladders. A change is part of a transaction that has locked the ladder with :meth:`lock`."""

    async def add(self, place: Place, game: type[Position]) -> int:
        """The ladder of a game on a server, added in the place if there is none yet."""
        new = self._insert(ladders).values(
            guild_id=place.guild_id, channel_id=place.channel_id, game=game.name, version=1
        )
        await self._execute(new.on_conflict_do_nothing())
        found = await self.find(place.guild_id, game)
        assert found is not None
        return found

    # Queries

    async def find(self, guild_id: int | None, game: type[Position]) -> int | None:
        this = (ladders.c.guild_id == guild_id, ladders.c.game == game.name)
        return await self._scalar(select(ladders.c.id).where(*this))

    async def lock(self, ladder_id: int, now: datetime) -> Ladder | None:
        """Lock the ladder until the end of the transaction, and return it.

        A transaction that also changes matches or ratings locks matches before ladders, and ratings after them.
        """
        await self._scalars(select(ladders.c.id).where(ladders.c.id == ladder_id).with_for_update())
        return await self.get(ladder_id, now)

    async def lock_all_of(self, player_id: int) -> list[int]:
        """Lock a player's ladders, and return their ids."""
        on_it = select(rungs.c.ladder_id).where(rungs.c.player_id == player_id)
        found = select(ladders.c.id).where(ladders.c.id.in_(on_it)).order_by(ladders.c.id)
        return await self._scalars(found.with_for_update())

    async def get(self, ladder_id: int, now: datetime) -> Ladder | None:
        row = await self._row(select(ladders).where(ladders.c.id == ladder_id))
        if row is None:
            return None
        people = _player.join(
            select(rungs, *_player.columns).join(ladders, ladders.c.id == rungs.c.ladder_id), rungs.c.player_id
        ).where(rungs.c.ladder_id == ladder_id)
        # One query, so a challenge that is accepted meanwhile is found exactly once.
        running = and_(matches.c.ended_at.is_(None), matches.c.started_at > now - LONGEST_MATCH)
        contests = _ATTEMPTS.where(challenges.c.ladder_id == ladder_id, or_(OPEN_CHALLENGES, running))
        return Ladder(
            id=row.id,
            place=Place(row.guild_id, row.channel_id),
            game=GAMES[row.game],
            rungs=tuple(_to_rung(person, row.guild_id) for person in await self._rows(people.order_by(rungs.c.number))),
            contests=tuple(
                Contest(contest.challenger_id, contest.opponent_id, contest.match_id)
                for contest in await self._rows(contests.order_by(challenges.c.id))
            ),
        )

    async def of_player(self, player_id: int, viewer: Viewer) -> dict[type[Position], tuple[int, int]]:
        """The player's rung, and the number of rungs, on each of their ladders that a viewer can see, by game."""
        every = rungs.alias("every")
        count = select(func.count()).where(every.c.ladder_id == ladders.c.id).scalar_subquery()
        query = select(ladders.c.game, rungs.c.number, count.label("rungs")).join(
            rungs, and_(rungs.c.ladder_id == ladders.c.id, rungs.c.player_id == player_id)
        )
        visible = (ladders.c.guild_id == viewer.place.guild_id, in_view(ladders.c.channel_id, viewer))
        rows = await self._rows(query.where(*visible))
        found = {row.game: (row.number, row.rungs) for row in rows}
        return {game: found[name] for name, game in GAMES.items() if name in found}

    async def attempts(self, ladder_id: int, challenger_id: int, since: datetime) -> list[PastChallenge]:
        """The challenges that a player has made on a ladder after a time."""
        rows = await self._rows(
            _ATTEMPTS.where(
                challenges.c.ladder_id == ladder_id,
                challenges.c.challenger_id == challenger_id,
                challenges.c.created_at > since,
            )
        )
        return [_to_attempt(row) for row in rows]

    async def last_turn_at(self, match_id: int, player_id: int) -> datetime | None:
        this = (turns.c.match_id == match_id, turns.c.player_id == player_id)
        return await self._scalar(select(func.max(turns.c.played_at)).where(*this))

    # Changes

    async def join(self, ladder_id: int, player_id: int, now: datetime, may_pause_at: datetime) -> None:
        """Add a player at the foot."""
        last: int | None = await self._scalar(select(func.max(rungs.c.number)).where(rungs.c.ladder_id == ladder_id))
        row = {"ladder_id": ladder_id, "player_id": player_id, "number": (last or 0) + 1, "active_at": now}
        await self._add(rungs, {**row, "may_pause_at": may_pause_at})

    async def leave(self, ladder_id: int, rung: Rung) -> None:
        """Remove a player; the players below move up."""
        await self._execute(delete(rungs).where(_is(ladder_id, rung.player.id)))
        await self._renumber(ladder_id, rungs.c.number > rung.number, -rungs.c.number - 1)

    async def promote(self, ladder_id: int, winner: Rung, loser: Rung) -> None:
        """Move the winner to the rung of the loser above; the players from there down to the winner move down."""
        others = case((rungs.c.player_id == winner.player.id, loser.number), else_=-rungs.c.number + 1)
        await self._renumber(ladder_id, rungs.c.number.between(loser.number, winner.number), others)

    async def _renumber(self, ladder_id: int, which: ColumnElement[bool], number: ColumnElement[int]) -> None:
        """Renumber rungs by way of negative numbers, because numbers must be unique at every moment."""
        here = rungs.c.ladder_id == ladder_id
        await self._execute(update(rungs).where(here, which).values(number=-rungs.c.number))
        await self._execute(update(rungs).where(here, rungs.c.number < 0).values(number=number))

    async def set_active(self, ladder_id: int, player_id: int, at: datetime) -> None:
        later = (_is(ladder_id, player_id), rungs.c.active_at < at)
        await self._execute(update(rungs).where(*later).values(active_at=at))

    async def forbid_pause(self, ladder_id: int, player_id: int, until: datetime) -> None:
        later = (_is(ladder_id, player_id), rungs.c.may_pause_at < until)
        await self._execute(update(rungs).where(*later).values(may_pause_at=until))

    async def set_pause(self, ladder_id: int, player_id: int, since: datetime | None) -> None:
        await self._execute(update(rungs).where(_is(ladder_id, player_id)).values(paused_at=since))

    async def move(self, ladder_id: int, channel_id: int) -> None:
        await self._execute(update(ladders).where(ladders.c.id == ladder_id).values(channel_id=channel_id))

    async def increase_version(self, ladder_id: int) -> None:
        """Request an update of the card."""
        changed = update(ladders).where(ladders.c.id == ladder_id)
        await self._execute(changed.values(version=ladders.c.version + 1))

    # Lost rungs whose players have not been told

    async def add_lost(self, ladder_id: int, rung: Rung, loss: Loss, winner_id: int | None = None) -> None:
        row = {"ladder_id": ladder_id, "player_id": rung.player.id, "number": rung.number, "loss": loss}
        await self._add(lost_rungs, {**row, "winner_id": winner_id})

    async def lost(self, ladder_id: int) -> list[LostRung]:
        """The lost rungs of a ladder whose players have not been told, oldest first."""
        query = _player.join(
            select(lost_rungs, *_player.columns, *_winner.columns, ladders.c.guild_id).join(
                ladders, ladders.c.id == lost_rungs.c.ladder_id
            ),
            lost_rungs.c.player_id,
        )
        query = _winner.join(query, lost_rungs.c.winner_id, optional=True).where(lost_rungs.c.ladder_id == ladder_id)
        return [_to_lost(row) for row in await self._rows(query.order_by(lost_rungs.c.id))]

    async def note_told(self, lost_id: int) -> None:
        await self._execute(delete(lost_rungs).where(lost_rungs.c.id == lost_id))


def _is(ladder_id: int, player_id: int) -> ColumnElement[bool]:
    return and_(rungs.c.ladder_id == ladder_id, rungs.c.player_id == player_id)


def _to_rung(row: AnyRow, guild_id: int | None) -> Rung:
    return Rung(row.number, _player.player(row, guild_id), row.active_at, row.paused_at, row.may_pause_at)


def _to_attempt(row: AnyRow) -> PastChallenge:
    return PastChallenge(
        challenger_id=row.challenger_id,
        opponent_id=row.opponent_id,
        state=ChallengeState(row.state),
        created_at=row.created_at,
        result=None if row.ending is None else Result(row.winner_id, Ending(row.ending)),
        ended_at=row.ended_at,
    )


def _to_lost(row: AnyRow) -> LostRung:
    winner = _winner.optional_player(row, row.guild_id)
    return LostRung(row.id, _player.player(row, row.guild_id), row.number, Loss(row.loss), winner)

"""Players with their names, and programs with the hashes of their tokens."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import Select, bindparam, delete, exists, func, or_, select, true, update

from bot.domain.players import PROGRAM_IDS, Names, Player, Program
from bot.domain.timers import PERSONAL
from bot.storage.database import Upsert, insert_for
from bot.storage.names import NAMES, join_names, name_in
from bot.storage.repositories.imports import ImportRepository
from bot.storage.repository import AnyRow, Repository, played_by
from bot.storage.tables import (
    blocks,
    challenges,
    drafts,
    known_games,
    lines,
    lost_rungs,
    matches,
    metadata,
    nicknames,
    notes,
    nudges,
    plans,
    players,
    posts,
    preferences,
    programs,
    puzzle_attempts,
    rungs,
    solved_tasks,
    standing_requests,
    standings,
    timers,
    tournaments,
    vacations,
    web_sessions,
    web_tokens,
)

#: The tables of a player's private data, and of leaderboards.
_OWN = (
    standing_requests,
    preferences,
    nicknames,
    known_games,
    solved_tasks,
    drafts,
    lines,
    plans,
    notes,
    standings,
    blocks,
    vacations,
    posts,
    nudges,
    puzzle_attempts,
    web_sessions,
    web_tokens,
    lost_rungs,
    programs,
)
#: The columns that refer to players.
_REFERENCES = [column for table in metadata.sorted_tables for column in table.c if column.references(players.c.id)]
#: Maximum players in a query, because databases limit the number of values.
_BATCH = 5000


class PlayerRepository(Repository):
    """Players with their names: on a server the nickname there, or else the account's display name.

    A nickname is never shown elsewhere; players choose the name that they have outside servers.
    """

    async def save(self, *people: Player | None) -> None:
        """Store players with their current names, always in the same order, against deadlocks."""
        for person in sorted(filter(None, people), key=lambda player: player.id):
            names = person.names or Names(person.name, "")
            await self._save_account(person.id, names)
            await self._save_nickname(person.id, names)

    async def rename(self, known: Player, current: Player) -> None:
        """Store the changes between the ``known`` and the current names of a player on a server."""
        before, names = known.names, current.names
        assert before is not None
        assert names is not None
        if (names.account, names.username) != (before.account, before.username):
            await self._save_account(current.id, names)
        if names.nickname != before.nickname:
            await self._save_nickname(current.id, names)

    async def by_ids(self, ids: Collection[int], guild_id: int | None) -> dict[int, Player]:
        """The stored players among these, by id, with their names on a server or outside servers."""
        query = join_names(select(players.c.id, *NAMES), guild_id or 0)
        wanted, found = sorted(set(ids)), {}
        for first in range(0, len(wanted), _BATCH):
            for row in await self._read(query.where(players.c.id.in_(wanted[first : first + _BATCH]))):
                found[row.id] = Player(row.id, name_in(row), Names(row.name, row.username or ""))
        return found

    async def exists(self, player_id: int) -> bool:
        return await self._exists(select(players.c.id).where(players.c.id == player_id))

    async def lock_games(self, player_id: int, played_in: Collection[int]) -> None:
        """Lock a player's matches and tournaments until the end of the transaction.

        The tournaments are the ones that they organise and the ones that they have ``played_in``. A transaction that
        also locks ratings locks them afterwards.
        """
        for query in (
            select(matches.c.id).where(played_by(player_id)).order_by(matches.c.id),
            select(tournaments.c.id)
            .where(or_(tournaments.c.organiser_id == player_id, tournaments.c.id.in_(played_in)))
            .order_by(tournaments.c.id),
        ):
            await self._rows(query.with_for_update())

    async def anonymise(self, player_id: int) -> bool:
        """Delete a player's private data, and put a nameless player with a negative id in their place elsewhere.

        False if something about the player was stored meanwhile, such as a new match: roll back then.
        """
        is_program, first = player_id in PROGRAM_IDS, -PROGRAM_IDS[0]
        alike = players.c.id <= first if is_program else players.c.id > first
        lowest: int | None = await self._scalar(select(func.min(players.c.id)).where(alike))
        nobody = min(first + 1 if is_program else 0, lowest or 0) - 1
        await self._add(players, {"id": nobody, "name": ""})
        records = self._other(ImportRepository)
        await records.delete(await records.match_ids(player_id))
        for table in _OWN:
            await self._execute(delete(table).where(table.c.player_id == player_id))
        await self._execute(delete(timers).where(timers.c.kind.in_(PERSONAL), timers.c.subject_id == player_id))
        for column in (*_REFERENCES, challenges.c.low_id, challenges.c.high_id):
            if column.table is rungs:
                continue  # the player has left all ladders, or has just joined one
            over = matches.c.ended_at.is_not(None) if column.table is matches else true()
            await self._execute(update(column.table).where(column == player_id, over).values({column.name: nobody}))
        # The lock waits for all transactions that are storing something about the player; later ones wait for the lock.
        this = players.c.id == player_id
        await self._rows(select(players.c.id).where(this).with_for_update())
        referred = or_(*(exists().where(column == player_id) for column in _REFERENCES))
        if await self._exists(select(players.c.id).where(this, referred)):
            return False
        await self._execute(delete(players).where(this))
        return True

    async def delete_unreferenced(self, ids: Collection[int]) -> None:
        """Delete the players of whom only names are stored."""
        unreferenced = set(ids)
        for column in (column for column in _REFERENCES if column.table is not nicknames):
            if not unreferenced:
                return
            unreferenced -= set(await self._scalars(select(column).where(column.in_(unreferenced))))
        await self._execute(delete(nicknames).where(nicknames.c.player_id.in_(unreferenced)))
        await self._execute(delete(players).where(players.c.id.in_(unreferenced)))

    async def _save_account(self, player_id: int, names: Names) -> None:
        account = _storing(self._connection.dialect.name, bool(names.username))
        await self._execute(account, {"id": player_id, "name": names.account, "username": names.username})

    async def _save_nickname(self, player_id: int, names: Names) -> None:
        """Store a player's nickname on a server, or that they have none."""
        if names.guild_id is not None:
            await self._put(nicknames, {"player_id": player_id, "guild_id": names.guild_id, "name": names.nickname})


# Built once, for every press.
@cache
def _storing(dialect: str, has_username: bool) -> Upsert:
    account = insert_for(dialect, players)
    renamed = {"name": account.excluded.name}
    if has_username:
        renamed["username"] = account.excluded.username
    return account.on_conflict_do_update(index_elements=["id"], set_=renamed)


# Built once, for every request of a program.
_BY_HASH = select(programs).where(programs.c.hash == bindparam("hash"))


class ProgramRepository(Repository):
    async def add(self, program: Program) -> None:
        """Store a program, whose player and owner are stored."""
        values = {"player_id": program.id, "owner_id": program.owner_id, "name": program.name}
        await self._add(programs, {**values, "hash": program.hash, "made_at": program.made_at})

    async def of_hash(self, hashed: str) -> Program | None:
        return self._to_optional_program(await self._row(_BY_HASH, {"hash": hashed}))

    async def get(self, program_id: int) -> Program | None:
        return self._to_optional_program(await self._row(select(programs).where(programs.c.player_id == program_id)))

    async def of_owner(self, owner_id: int) -> list[Program]:
        """The programs of a person, the oldest first."""
        return await self._programs(select(programs).where(programs.c.owner_id == owner_id))

    async def met_on(self, guild_id: int) -> list[Program]:
        """The programs whose owners have used the bot on a server."""
        met = (nicknames.c.player_id == programs.c.owner_id, nicknames.c.guild_id == guild_id)
        return await self._programs(select(programs).join(nicknames, met[0]).where(met[1]))

    async def owner_of(self, program_id: int) -> int:
        """The owner of a program; the program itself while it is being deleted."""
        found: int | None = await self._scalar(select(programs.c.owner_id).where(programs.c.player_id == program_id))
        return found or program_id

    async def set_hash(self, program_id: int, hashed: str) -> None:
        """Replace the token of a program."""
        self.wake(program_id)
        await self._execute(update(programs).where(programs.c.player_id == program_id).values(hash=hashed))

    async def note_use(self, program_id: int, now: datetime) -> None:
        await self._execute(update(programs).where(programs.c.player_id == program_id).values(used_at=now))

    async def begin_stream(self, program_id: int, now: datetime) -> Program | None:
        """Give a new stream of the program the next number, which ends the previous stream."""
        counted = update(programs).where(programs.c.player_id == program_id)
        counted = counted.values(stream=programs.c.stream + 1, used_at=now)
        self.wake(program_id)
        return self._to_optional_program(await self._row(counted.returning(programs)))

    async def _programs(self, query: Select[Any]) -> list[Program]:
        return [_to_program(row) for row in await self._rows(query.order_by(programs.c.made_at, programs.c.player_id))]

    @staticmethod
    def _to_optional_program(row: AnyRow | None) -> Program | None:
        return None if row is None else _to_program(row)


def _to_program(row: AnyRow) -> Program:
    return Program(row.player_id, row.owner_id, row.name, row.hash, row.stream, row.made_at, row.used_at)

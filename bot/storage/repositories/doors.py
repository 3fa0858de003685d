"""Tokens and sessions of the pages of matches, by their hashes."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Select, and_, bindparam, delete, or_, select, update

from bot.domain.doors import Session
from bot.storage.repository import AnyRow, Repository
from bot.storage.tables import web_sessions, web_tokens

# Built once, for every request of a page.
_SESSION = select(web_sessions).where(web_sessions.c.hash == bindparam("hash"))


class DoorRepository(Repository):
    async def add_token(self, hashed: str, player_id: int, match_id: int | None, expires_at: datetime) -> None:
        values = {"hash": hashed, "player_id": player_id, "match_id": match_id, "expires_at": expires_at}
        await self._add(web_tokens, values)

    async def token(self, hashed: str, now: datetime) -> tuple[int, int | None] | None:
        """The player and the match of a token; None if it is not valid."""
        row = await self._row(select(web_tokens).where(web_tokens.c.hash == hashed, web_tokens.c.expires_at > now))
        return None if row is None else (row.player_id, row.match_id)

    async def use_token(self, hashed: str, now: datetime) -> tuple[int, int | None] | None:
        """Use up a token; return its player and match, or None if it is not valid."""
        used = delete(web_tokens).where(web_tokens.c.hash == hashed, web_tokens.c.expires_at > now)
        row = await self._row(used.returning(web_tokens.c.player_id, web_tokens.c.match_id))
        return None if row is None else (row.player_id, row.match_id)

    async def add_session(
        self, hashed: str, player_id: int, now: datetime, most: int, *, in_activity: bool = False
    ) -> None:
        """Begin a session. If there are more than ``most`` of its kind, the sessions unused for longest end."""
        values = {"hash": hashed, "player_id": player_id, "begun_at": now, "used_at": now, "in_activity": in_activity}
        await self._add(web_sessions, values)
        alike = self._sessions(player_id).where(web_sessions.c.in_activity == in_activity)
        latest = alike.with_only_columns(web_sessions.c.id)
        surplus: list[int] = (await self._scalars(latest))[most:]
        if surplus:
            await self._execute(delete(web_sessions).where(web_sessions.c.id.in_(surplus)))

    async def session(self, hashed: str) -> Session | None:
        row = await self._row(_SESSION, {"hash": hashed})
        return None if row is None else _to_session(row)

    async def note_use(self, session_id: int, now: datetime) -> None:
        await self._execute(update(web_sessions).where(web_sessions.c.id == session_id).values(used_at=now))

    async def sessions(self, player_id: int) -> list[Session]:
        """The player's sessions, the most recently used first."""
        return [_to_session(row) for row in await self._rows(self._sessions(player_id))]

    async def end_session(self, hashed: str) -> None:
        await self._execute(delete(web_sessions).where(web_sessions.c.hash == hashed))

    async def end_sessions(self, player_id: int) -> int:
        """Delete all sessions and tokens of a player; return the number of sessions."""
        await self._execute(delete(web_tokens).where(web_tokens.c.player_id == player_id))
        return await self._execute(delete(web_sessions).where(web_sessions.c.player_id == player_id))

    async def delete_old(self, now: datetime, in_browsers: datetime, in_activities: datetime) -> None:
        """Delete tokens that have expired, and sessions that were last used before these times."""
        await self._execute(delete(web_tokens).where(web_tokens.c.expires_at <= now))
        activity, used_at = web_sessions.c.in_activity, web_sessions.c.used_at
        old = or_(used_at <= in_browsers, and_(activity, used_at <= in_activities))
        await self._execute(delete(web_sessions).where(old))

    @staticmethod
    def _sessions(player_id: int) -> Select[Any]:
        query = select(web_sessions).where(web_sessions.c.player_id == player_id)
        return query.order_by(web_sessions.c.used_at.desc(), web_sessions.c.id.desc())


def _to_session(row: AnyRow) -> Session:
    return Session(row.id, row.player_id, row.begun_at, row.used_at, row.in_activity)

"""A dedicated connection to PostgreSQL, which holds locks as long as it lasts and receives notifications."""

from __future__ import annotations

import asyncio
import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage.database import Database, UnusableDatabaseError
from bot.storage.repository import NOTIFICATIONS


class LockKind(enum.IntEnum):
    """The purpose of a session's lock: the first of the two numbers that identify the lock."""

    PROCESS = 4867601
    """A running process. Its key is the number of shards, with which other processes may share it, or 0 without."""
    SHARD = 4867602
    IDENTIFY = 4867603
    """The right to identify shards of a bucket to Discord."""


class SessionLostError(ConnectionError):
    """The connection is lost, together with its locks."""


@dataclass
class DatabaseSession:
    """A session with the database, which can be reopened after a loss."""

    database: Database

    def __post_init__(self) -> None:
        if not self.database.is_server:
            raise UnusableDatabaseError(
                "SHARDS is for several processes, which need PostgreSQL. Set DATABASE_URL to "
                "postgresql+asyncpg://user:password@host/name, or leave SHARDS out."
            )
        self._connection: AsyncConnection | None = None
        self._driver: Any = None
        self._turn = asyncio.Lock()

    async def open(
        self,
        idle: float = 0.0,
        *,
        on_lost: Callable[[], None] | None = None,
        on_notified: Callable[[str], None] | None = None,
    ) -> None:
        """Connect or reconnect.

        The server closes the connection after ``idle`` seconds without a query (0: never), and when this machine
        disappears. ``on_lost`` is called when the connection is lost, ``on_notified`` with every notification.
        """
        if self._connection is not None:
            await self.close()
            await self.database.engine.dispose()  # the other connections are probably lost, too
        self._connection = await self.database.engine.connect()
        driver: Any = (await self._connection.get_raw_connection()).driver_connection
        await self._connection.run_sync(Connection.detach)  # it never returns to the pool
        await driver.execute(f"SET idle_session_timeout = {round(idle * 1000)}; {_NOTICE_ABSENCE}")

        def lose(_: object) -> None:
            if self._driver is driver:  # not closed on purpose
                self._driver = None
                if on_lost is not None:
                    on_lost()

        driver.add_termination_listener(lose)
        if on_notified is not None:
            await driver.add_listener(NOTIFICATIONS, lambda *notification: on_notified(notification[-1]))
        self._driver = driver

    async def close(self) -> None:
        """Release all locks."""
        driver, self._driver = self._driver, None
        if driver is not None:
            driver.terminate()
        if self._connection is not None:
            await self._connection.close()

    async def try_lock(self, kind: LockKind, key: int) -> bool:
        """Acquire a lock; False if another session has it."""
        return bool(await self._fetch("SELECT pg_try_advisory_lock($1, $2)", kind, key))

    async def share(self, kind: LockKind, key: int) -> None:
        """Acquire a lock that others may share."""
        await self._fetch("SELECT pg_advisory_lock_shared($1, $2)", kind, key)

    async def unlock(self, kind: LockKind, key: int) -> None:
        await self._fetch("SELECT pg_advisory_unlock($1, $2)", kind, key)

    async def unlock_all(self) -> None:
        await self._fetch("SELECT pg_advisory_unlock_all()")

    async def notify(self, kind: LockKind, key: int) -> None:
        """Notify all processes of a change in the locks of a kind."""
        await self._fetch("SELECT pg_notify($1, $2)", NOTIFICATIONS, f"{kind.name.lower()}:{key}")

    async def disconnect_holder(self, shard: int) -> None:
        """Close the connections of a shard's last holder unless it still runs.

        If it froze in the middle of a transaction, its locks would keep others waiting.
        """
        await self._fetch(_DISCONNECT_HOLDER, shard, LockKind.PROCESS)

    async def locks(self, kind: LockKind) -> list[int]:
        """The keys of all sessions' locks of a kind; a shared key comes once for every holder."""
        keys: list[int] = await self._fetch(_LOCKS, kind)
        return keys

    async def _fetch(self, query: str, *values: object) -> Any:
        async with self._turn:  # the driver executes one query at a time
            if self._driver is None:
                raise SessionLostError
            try:
                return await self._driver.fetchval(query, *values)
            except Exception as error:  # of the driver
                raise SessionLostError from error


#: Makes the server notice the loss of this machine after 40 seconds.
_NOTICE_ABSENCE = "SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3"
_DISCONNECT_HOLDER = """
SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity AS former
WHERE datname = current_database() AND application_name = (SELECT holder FROM presence WHERE shard = $1)
AND NOT EXISTS (
    SELECT FROM pg_locks JOIN pg_stat_activity AS running USING (pid)
    WHERE running.application_name = former.application_name
    AND locktype = 'advisory' AND objsubid = 2 AND granted AND classid::bigint = $2
)
"""
_LOCKS = """
SELECT coalesce(array_agg(objid::bigint), '{}') FROM pg_locks
WHERE locktype = 'advisory' AND objsubid = 2 AND granted AND classid::bigint = $1
AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""

"""Shards: the parts into which Discord divides a bot's servers."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass

#: The lowest bits of a server's id, which do not affect its shard.
UNSHARDED_BITS = 22


@dataclass
class Shards:
    """The number of shards, and the shards that this process holds: all, unless shards are ``leased``.

    Everything outside servers belongs to shard 0. Leases expire unless they are renewed. ``clock`` returns seconds.
    """

    count: int = 1
    leased: bool = False
    clock: Callable[[], float] = time.monotonic

    def __post_init__(self) -> None:
        #: The name of this process among the others.
        self.holder = f"hexgrove-{secrets.token_hex(8)}"
        #: The shards that this process has acquired; their leases may have expired.
        self.acquired: set[int] = set()
        self._until = 0.0

    def divide(self, count: int) -> None:
        """Use another number of shards from now on, as Discord recommends."""
        self.count = count

    def of(self, guild_id: int | None) -> int:
        return ((guild_id or 0) >> UNSHARDED_BITS) % self.count

    @property
    def current(self) -> frozenset[int]:
        if not self.leased:
            return frozenset(range(self.count))
        return frozenset(self.acquired) if self.clock() < self._until else frozenset()

    def holds(self, guild_id: int | None) -> bool:
        """Whether this process works for a server, or for everything outside servers."""
        return not self.leased or self.of(guild_id) in self.current

    def renew(self, until: float) -> None:
        """Extend the leases to the given time of the clock."""
        self._until = until

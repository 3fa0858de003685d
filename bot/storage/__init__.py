"""Everything that is kept, and the only SQL."""

from __future__ import annotations

from bot.storage.database import Database, UnusableDatabaseError, address_of
from bot.storage.store import Storage, Transaction

__all__ = ["Database", "Storage", "Transaction", "UnusableDatabaseError", "address_of"]

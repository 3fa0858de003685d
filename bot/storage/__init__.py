"""The only SQL: the database, its tables, and a repository for each feature."""

from __future__ import annotations

from bot.storage.database import Database, UnusableDatabaseError, address_of
from bot.storage.store import Storage, Transaction

__all__ = ["Database", "Storage", "Transaction", "UnusableDatabaseError", "address_of"]

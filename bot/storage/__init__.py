"""Everything that is kept, and the only SQL."""

from __future__ import annotations

from bot.storage.database import Database, UnusableDatabaseError
from bot.storage.store import Storage

__all__ = ["Database", "Storage", "UnusableDatabaseError"]

"""The storage as its callers see it."""

from __future__ import annotations

from bot.storage.challenges import ChallengeStore
from bot.storage.history import HistoryStore
from bot.storage.matches import MatchStore
from bot.storage.upkeep import UpkeepStore


class Storage(ChallengeStore, MatchStore, HistoryStore, UpkeepStore):
    """All questions to the database and all changes of it; each method is one transaction."""

"""The storage as its callers see it."""

from __future__ import annotations

from bot.storage.boards import BoardStore
from bot.storage.fairplay import FairPlayStore
from bot.storage.history import HistoryStore
from bot.storage.people import PeopleStore
from bot.storage.proposals import ProposalStore
from bot.storage.settings import SettingsStore
from bot.storage.tournaments import TournamentStore
from bot.storage.upkeep import UpkeepStore


class Storage(
    PeopleStore,
    ProposalStore,
    HistoryStore,
    BoardStore,
    FairPlayStore,
    TournamentStore,
    SettingsStore,
    UpkeepStore,
):
    """All questions to the database and all changes of it; each method is one transaction, if it says nothing else."""

"""The storage as its callers see it."""

from __future__ import annotations

from bot.storage.boards import BoardStore
from bot.storage.choices import ChoiceStore
from bot.storage.fairplay import FairPlayStore
from bot.storage.history import HistoryStore
from bot.storage.people import PeopleStore
from bot.storage.proposals import ProposalStore
from bot.storage.settings import SettingsStore
from bot.storage.threads import ThreadStore
from bot.storage.tournaments import TournamentStore
from bot.storage.upkeep import UpkeepStore


class Storage(
    PeopleStore,
    ProposalStore,
    HistoryStore,
    BoardStore,
    ChoiceStore,
    FairPlayStore,
    TournamentStore,
    SettingsStore,
    ThreadStore,
    UpkeepStore,
):
    """All questions to the database and all changes of it; each method is one transaction, if it says nothing else."""

"""The storage as its callers see it."""

from __future__ import annotations

from bot.storage.choices import ChoiceStore
from bot.storage.history import HistoryStore
from bot.storage.leaderboards import BoardStore
from bot.storage.memos import UpkeepStore
from bot.storage.players import PeopleStore
from bot.storage.preferences import SettingsStore
from bot.storage.privacy import FairPlayStore
from bot.storage.proposals import ProposalStore
from bot.storage.threads import ThreadStore
from bot.storage.tournaments import TournamentStore


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

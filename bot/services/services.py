"""The use cases, each constructed once."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import datetime, timedelta

from bot.domain.shards import Shards
from bot.runtime.fair_queue import FairQueue
from bot.runtime.watching import Watching
from bot.services.challenges import Challenges
from bot.services.clocks import Clocks
from bot.services.computer_games import ComputerGames
from bot.services.deliveries import Deliveries
from bot.services.fair_play import FairPlay
from bot.services.history import History
from bot.services.ladders import Ladders
from bot.services.matches import Matches
from bot.services.outages import Outages
from bot.services.people.doors import Doors
from bot.services.people.privacy import Privacy
from bot.services.people.programs import Programs
from bot.services.people.reminders import Nudges, Reminders
from bot.services.people.settings import Settings
from bot.services.plans import Plans
from bot.services.proposals import Proposals
from bot.services.ratings import Ratings
from bot.services.readers import Readers
from bot.services.strangers.pairing import Strangers
from bot.services.strangers.requests import StandingRequests
from bot.services.study.imports import Imports
from bot.services.study.lines import Lines
from bot.services.study.notes import Notes
from bot.services.study.puzzles import Puzzles
from bot.services.study.reviews import Hints, Reviews, Think
from bot.services.tournaments import Tournaments
from bot.storage import Storage


class Services:
    """Everything that people can do, for both adapters.

    ``think`` searches for a person, ``used_by`` returns their recent use of the computer, ``ahead_of`` counts the
    searches before their next one at a level, ``going_on`` returns the matches with recent searches, and ``has_room``
    says whether a person may start another match at a level.
    """

    def __init__(
        self,
        storage: Storage,
        shards: Shards,
        now: Callable[[], datetime],
        *,
        doors: Doors,
        watching: Watching,
        challenge_lifetime: timedelta,
        themes: Collection[str],
        languages: Collection[str],
        think: Think,
        used_by: Callable[[int], float],
        ahead_of: Callable[[int, int], int],
        going_on: Callable[[], Collection[int]],
        has_room: Callable[[int, int, Collection[int]], bool],
    ) -> None:
        self.storage, self.shards, self.doors, self.watching = storage, shards, doors, watching
        self.ratings = Ratings(storage, now=now)
        self.matches = Matches(storage, self.ratings, now=now)
        self.deliveries = Deliveries(storage, now=now)
        self.programs = Programs(storage, self.matches, now=now)
        self.challenges = Challenges(storage, now=now, lifetime=challenge_lifetime)
        self.ladders = Ladders(storage, now=now)
        self.proposals = Proposals(storage, self.matches, now=now)
        self.lines = Lines(storage, self.matches, now=now)
        self.plans = Plans(storage, self.matches)
        self.notes = Notes(storage)
        self.history = History(storage, self.matches)
        self.readers = Readers(storage, self.matches, now=now)
        self.imports = Imports(storage, now=now)
        self.reminders = Reminders(storage, self.history, now=now)
        self.settings = Settings(storage, themes=themes, languages=languages)
        self.tournaments = Tournaments(storage, self.matches, now=now)
        self.privacy = Privacy(storage, self.matches, self.tournaments, now=now)
        self.clocks = Clocks(storage, self.matches, now=now)
        self.puzzles = Puzzles(storage, now=now)
        self.nudges = Nudges(storage, self.matches, now=now)
        self.outages = Outages(self.clocks, shards, now)
        self.fair_play = FairPlay(storage, self.matches)
        self.computer_games = ComputerGames(storage, self.matches, self.fair_play, going_on, has_room, now=now)
        self.standing_requests = StandingRequests(storage, now=now)
        self.strangers = Strangers(storage, self.matches, now=now)
        self.hints = Hints(think, ahead_of)
        self.reviews = Reviews(storage, self.fair_play, think, used_by)
        self.animations = FairQueue()

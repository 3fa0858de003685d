"""The features of the bot. A new one is a line in the list; it gets the parts that its fields name."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from typing import Any

from bot.discord.features.challenges.challenge import ChallengeCommands
from bot.discord.features.challenges.computer import ComputerGameButtons
from bot.discord.features.challenges.form import ChallengeFormCommands
from bot.discord.features.challenges.play import PlayCommand
from bot.discord.features.matches.board import BoardCommands
from bot.discord.features.matches.clock import MatchClocks
from bot.discord.features.matches.games import GamesCommands
from bot.discord.features.matches.match_choice import MatchChoiceButtons
from bot.discord.features.matches.moderation import VoidResultButtons
from bot.discord.features.matches.proposals import ProposalCommands
from bot.discord.features.people.digests import Digests
from bot.discord.features.people.leaderboard import LeaderboardCommand
from bot.discord.features.people.privacy import PrivacyButtons
from bot.discord.features.people.profile import ProfileCommand
from bot.discord.features.people.settings import SettingsCommands
from bot.discord.features.study.daily_puzzle import DailyPuzzles
from bot.discord.features.study.hint import HintCommands
from bot.discord.features.study.learn import LearnCommand
from bot.discord.features.study.puzzle import PuzzleCommand
from bot.discord.features.study.replay import ReplayCommands
from bot.discord.features.study.review import ReviewCommands
from bot.discord.features.study.rules import RulesCommand
from bot.discord.features.study.try_ import TryCommand
from bot.discord.features.tournaments.tournament import TournamentCommands
from bot.discord.features.turns.move import MoveCommands
from bot.discord.features.turns.turn_buttons import TurnButtons
from bot.discord.interaction.feature import Feature

FEATURES: tuple[type[Feature], ...] = (
    ComputerGameButtons,
    BoardCommands,
    ChallengeCommands,
    ChallengeFormCommands,
    MatchClocks,
    DailyPuzzles,
    Digests,
    HintCommands,
    LeaderboardCommand,
    LearnCommand,
    PlayCommand,
    MatchChoiceButtons,
    GamesCommands,
    VoidResultButtons,
    MoveCommands,
    PrivacyButtons,
    ProfileCommand,
    ProposalCommands,
    PuzzleCommand,
    ReplayCommands,
    ReviewCommands,
    RulesCommand,
    SettingsCommands,
    TournamentCommands,
    TryCommand,
    TurnButtons,
)


def build_features(parts: Iterable[object]) -> tuple[Feature, ...]:
    """Construct the features. Each field gets the part of its type, which may be another feature."""
    known = list(parts)

    def part_of(kind: type[Any]) -> Any:
        for part in known:
            if isinstance(part, kind):
                return part
        if not issubclass(kind, Feature):
            raise TypeError(f"no part of the bot is of the type {kind.__name__}")
        feature = kind(**{name: part_of(field) for name, field in _fields(kind)})
        known.append(feature)
        return feature

    return tuple(part_of(kind) for kind in FEATURES)


def _fields(kind: type[Feature]) -> Iterator[tuple[str, type[Any]]]:
    """The fields of a dataclass, including inherited ones, with their types."""
    for base in kind.__mro__:
        if "__dataclass_fields__" in vars(base):
            yield from inspect.get_annotations(base, eval_str=True).items()

"""The features of the bot. A new feature is a line in the list; it gets the parts that its fields name."""

from __future__ import annotations

import inspect
from collections import ChainMap
from collections.abc import Iterable
from functools import cache
from pkgutil import resolve_name
from typing import Any

from bot.discord.interaction.feature import Feature

FEATURES: tuple[type[Feature], ...] = tuple(
    resolve_name(f"bot.discord.features.{name}")
    for name in (
        "challenges.challenge:ChallengeCommands",
        "challenges.computer:AgainstComputer",
        "challenges.continuation:ContinuationButtons",
        "challenges.play:PlayCommand",
        "ladders.ladder:LadderCommand",
        "matches.board:BoardCommands",
        "matches.clock:MatchClocks",
        "matches.games:GamesCommand",
        "matches.history:HistoryCommand",
        "matches.match_choice:MatchChoiceButtons",
        "matches.moderation:ModerationButtons",
        "matches.notes:NoteForm",
        "matches.page:PageButtons",
        "matches.proposals:ProposalCommands",
        "people.digests:Digests",
        "people.leaderboard:LeaderboardCommand",
        "people.privacy:PrivacyButtons",
        "people.profile:ProfileCommand",
        "people.programs:ProgramButtons",
        "people.settings:SettingsCommands",
        "study.daily_puzzle:DailyPuzzles",
        "study.hint:HintCommand",
        "study.import_:ImportCommand",
        "study.learn:LearnCommand",
        "study.plan:PlanButtons",
        "study.puzzle:PuzzleCommand",
        "study.replay:ReplayCommands",
        "study.review:ReviewCommand",
        "study.rules:RulesCommand",
        "study.try_:TryCommand",
        "tournaments.tournament:TournamentCommands",
        "turns.move:MoveCommands",
    )
)


def build_features(parts: Iterable[object]) -> tuple[Feature, ...]:
    """Construct the features. Each field gets the part of its type, which may be another feature."""
    known = {kind: part for part in reversed([*parts]) for kind in type(part).__mro__}

    def part_of(kind: type[Any]) -> Any:
        if kind not in known:
            if not issubclass(kind, Feature):
                raise TypeError(f"no part of the bot is of the type {kind.__name__}")
            known[kind] = kind(**{name: part_of(field) for name, field in _fields(kind).items()})
        return known[kind]

    return tuple(part_of(kind) for kind in FEATURES)


@cache
def _fields(kind: type[Feature]) -> dict[str, type[Any]]:
    """The fields of a dataclass, including inherited ones, with their types."""
    bases = (base for base in kind.__mro__ if "__dataclass_fields__" in vars(base))
    return dict(ChainMap(*(inspect.get_annotations(base, eval_str=True) for base in bases)))

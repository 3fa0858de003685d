"""The list of the bot's features. Add a new feature here, with the parts that it needs."""

from __future__ import annotations

from collections.abc import Iterator

from bot.discord.features.challenges.challenge import ChallengeCommands
from bot.discord.features.challenges.computer import AgainstComputer
from bot.discord.features.challenges.continuation import ContinuationButtons
from bot.discord.features.challenges.play import PlayCommand
from bot.discord.features.ladders.ladder import LadderCommand
from bot.discord.features.matches.board import BoardCommands
from bot.discord.features.matches.clock import MatchClocks
from bot.discord.features.matches.games import GamesCommand
from bot.discord.features.matches.history import HistoryCommand
from bot.discord.features.matches.moderation import ModerationButtons
from bot.discord.features.matches.notes import NoteForm
from bot.discord.features.matches.page import PageButtons
from bot.discord.features.matches.proposals import ProposalCommands
from bot.discord.features.people.digests import Digests
from bot.discord.features.people.leaderboard import LeaderboardCommand
from bot.discord.features.people.privacy import PrivacyButtons
from bot.discord.features.people.profile import ProfileCommand
from bot.discord.features.people.programs import ProgramButtons
from bot.discord.features.people.settings import SettingsCommands
from bot.discord.features.strangers.anyone import PlayAnyone
from bot.discord.features.study.daily_puzzle import DailyPuzzles
from bot.discord.features.study.hint import HintButtons
from bot.discord.features.study.import_ import ImportCommand
from bot.discord.features.study.learn import LearnCommand
from bot.discord.features.study.plan import PlanButtons
from bot.discord.features.study.puzzle import PuzzleCommand
from bot.discord.features.study.replay import ReplayCommands
from bot.discord.features.study.review import ReviewButtons
from bot.discord.features.study.rules import RulesCommand
from bot.discord.features.study.try_ import TryCommand
from bot.discord.features.tournaments.tournament import TournamentCommand
from bot.discord.features.turns.move import MoveCommands
from bot.discord.gateway.parts import DiscordParts
from bot.discord.interaction.feature import Feature
from bot.services.services import Services


def build_features(s: Services, d: DiscordParts) -> tuple[Feature, ...]:
    """Build the features from the services ``s`` and the parts ``d`` that need Discord."""
    games = GamesCommand(
        s.matches,
        s.challenges,
        s.history,
        s.deliveries,
        s.nudges,
        d.access,
        d.servers,
        d.languages,
        d.messenger,
        d.command_mentions,
    )
    move = MoveCommands(
        s.matches,
        d.access,
        s.settings,
        d.languages,
        s.reminders,
        d.match_presenter,
        games,
        d.private_cards,
        s.doors,
        d.command_mentions,
    )
    return (games, move, *_challenges(s, d), *_matches(s, d), *_people(s, d), *_study(s, d, move))


def _challenges(s: Services, d: DiscordParts) -> Iterator[Feature]:
    against_computer = AgainstComputer(
        s.computer_games,
        s.challenges,
        s.ratings,
        d.access,
        d.match_presenter,
        d.challenge_presenter,
        d.command_mentions,
    )
    challenge = ChallengeCommands(
        s.challenges,
        s.programs,
        d.command_mentions,
        s.deliveries,
        d.languages,
        d.access,
        d.channels,
        d.match_presenter,
        d.challenge_presenter,
        against_computer,
    )
    yield from (challenge, against_computer)
    yield ContinuationButtons(
        s.matches, s.history, s.puzzles, s.fair_play, d.access, d.languages, challenge, against_computer
    )
    yield PlayCommand(s.challenges, s.standing_requests, d.access, d.languages)
    yield LadderCommand(
        s.ladders,
        s.challenges,
        s.deliveries,
        d.access,
        d.sender,
        d.ladder_presenter,
        d.challenge_presenter,
        d.command_mentions,
    )
    yield TournamentCommand(s.tournaments, d.languages, d.access, d.match_presenter, d.tournament_presenter)


def _matches(s: Services, d: DiscordParts) -> Iterator[Feature]:
    yield BoardCommands(
        s.matches,
        d.access,
        s.deliveries,
        s.settings,
        d.languages,
        s.proposals,
        s.privacy,
        d.match_presenter,
        d.channels,
        d.private_cards,
        d.command_mentions,
    )
    yield MatchClocks(
        s.matches,
        s.clocks,
        s.deliveries,
        s.outages,
        s.strangers,
        s.settings,
        d.languages,
        d.messenger,
        d.match_presenter,
        d.private_cards,
    )
    yield HistoryCommand(s.history, s.imports, d.access)
    yield ModerationButtons(s.matches, s.deliveries, d.access, d.match_presenter)
    yield NoteForm(s.notes)
    yield PageButtons(s.history, d.access, s.doors, d.private_cards)
    yield ProposalCommands(
        s.matches, d.access, s.deliveries, d.languages, s.proposals, d.match_presenter, d.command_mentions
    )


def _people(s: Services, d: DiscordParts) -> Iterator[Feature]:
    yield Digests(d.servers, s.matches, s.reminders, d.languages, d.messenger, d.sender, d.command_mentions)
    yield LeaderboardCommand(s.ratings, d.languages)
    yield PlayAnyone(s.standing_requests, s.strangers, s.matches, s.deliveries, s.privacy, s.settings, d.access)
    yield PrivacyButtons(s.privacy, s.history, s.doors)
    yield ProfileCommand(s.ratings, s.privacy, s.puzzles, s.ladders, d.languages, d.access, d.command_mentions)
    yield ProgramButtons(s.programs, s.history, s.doors, s.privacy, d.command_mentions)
    yield SettingsCommands(s.settings, s.reminders, s.puzzles, d.languages, d.welcome, s.doors)


def _study(s: Services, d: DiscordParts, move: MoveCommands) -> Iterator[Feature]:
    hint = HintButtons(s.matches, s.hints, s.fair_play, d.in_flight, d.private_cards, d.languages)
    plan = PlanButtons(s.matches, s.plans, d.languages, d.private_cards)
    replay = ReplayCommands(
        s.matches,
        d.access,
        s.history,
        s.privacy,
        s.settings,
        d.languages,
        d.messenger,
        s.doors,
        s.animations,
        d.command_mentions,
    )
    yield from (hint, plan, replay)
    yield DailyPuzzles(s.puzzles, s.settings, d.languages, d.sender)
    yield ImportCommand(s.imports)
    yield LearnCommand(s.settings, d.languages)
    yield PuzzleCommand(s.puzzles, hint, s.fair_play, d.languages, replay)
    yield ReviewButtons(s.matches, d.access, s.reviews, s.fair_play, s.history, d.in_flight, d.languages)
    yield RulesCommand(d.languages)
    yield TryCommand(s.matches, d.access, s.lines, s.history, move, hint, plan, replay, d.languages, d.command_mentions)

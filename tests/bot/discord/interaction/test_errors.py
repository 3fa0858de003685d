"""Every error has its own sentence for the user, in every language."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import discord
import pytest
from discord import app_commands

import rules
from bot import texts
from bot.discord.interaction.errors import RefusalError, sentence
from bot.discord.transport.sender import NotShownError
from bot.discord.ui.markdown import CommandMentions
from bot.discord.ui.presses import OutdatedPressError
from bot.domain import challenges, computer, doors, limits, matches, plans, play, players, preferences, proposals
from bot.domain.challenges import Challenge, ChallengeState, First
from bot.domain.clocks import Clock, TimeControl, TimeControlError
from bot.domain.competitions import ladders, strangers, tournaments
from bot.domain.competitions.tournaments import TournamentState
from bot.domain.day_times import DayTimeError
from bot.domain.matches import Ending, Match, Proposal, ProposalKind, ProposalState, Result
from bot.domain.places import NoConversationError, Place
from bot.domain.players import Player
from bot.domain.refusals import Channel, DomainError, Role
from bot.domain.study import imports, puzzles, reviews
from rules import Phase

ALICE, BOB = Player(101, "Alice"), Player(102, "Bob")
NOW = datetime(2026, 1, 1, tzinfo=UTC)
DALEN = rules.ruleset("dalen", 5)
CHALLENGE = Challenge(
    3, Place(1, 10), ALICE, BOB, DALEN, First.RANDOM, ChallengeState.OPEN, NOW, NOW + timedelta(days=1), None
)
RUNNING = Match(7, 3, DALEN, 1, ALICE, BOB, 0, 0, None, NOW, NOW)
ENDED = replace(RUNNING, id=8, result=Result(ALICE.id, Ending.RESIGNATION), ended_at=NOW, rematch_id=9)
TIMED = replace(RUNNING, clock=Clock.new(TimeControl.banks_of(timedelta(days=3), timedelta(days=1)), NOW))


def proposal(kind: ProposalKind, state: ProposalState = ProposalState.OPEN) -> Proposal:
    return Proposal(5, 7, kind, ALICE, 0, state, 0)


OFFER = proposal(ProposalKind.DRAW)

#: Errors with text that only their sentence contains, in every state on which the sentence depends.
SAID: list[tuple[DomainError, str]] = [
    (challenges.SelfChallengeError(), "cannot challenge yourself"),
    (NoConversationError(), "Discord does not let me write to you."),
    (strangers.NoGamesError(), "Choose at least one game."),
    (strangers.NoRequestError(), "You have not asked to play anyone."),
    (strangers.ExcludedError(), "The operator of this bot has excluded you"),
    (strangers.StrangersOffHereError(), "This server does not show matches with"),
    (strangers.PausedError(when=NOW), "Matches with you ended too soon, so you have to wait."),
    (challenges.DuplicateChallengeError(CHALLENGE), "Alice has already challenged Bob in this channel."),
    (challenges.DuplicateChallengeError(replace(CHALLENGE, opponent=None)), "You already have an open challenge"),
    (challenges.ContinuesRunningMatchError(RUNNING), "is still running. You can continue from its positions when"),
    (challenges.NothingToContinueError(), "There is nothing left to play in this position."),
    (plans.NothingToPlanError(), "A plan answers your opponent"),
    (plans.TooManyBranchesError(count=10), "A plan has at most 10 branches."),
    (plans.TooManyPlansError(count=50), "You already have plans in 50 matches."),
    (challenges.UnknownChallengeError(), "This challenge no longer exists. Start a new one with `/challenge`."),
    (challenges.ChallengeClosedError(ChallengeState.OPEN), "This challenge is no longer open."),
    (challenges.ChallengeClosedError(ChallengeState.ACCEPTED), "This challenge was already accepted."),
    (challenges.ChallengeClosedError(ChallengeState.DECLINED), "This challenge was declined."),
    (challenges.ChallengeClosedError(ChallengeState.WITHDRAWN), "This challenge was withdrawn."),
    (challenges.ChallengeClosedError(ChallengeState.EXPIRED), "This challenge has expired. `/challenge` starts"),
    (challenges.NotYourChallengeError(player=BOB), "This challenge is for Bob."),
    (challenges.NotYourChallengeError("withdraw", player=ALICE), "Only Alice can withdraw this challenge."),
    (challenges.OwnChallengeError(), "your own challenge"),
    (challenges.OpenChallengeError(), "open to anyone, so there is nothing to decline"),
    (challenges.ChannelNotAllowedError(channels=[Channel(11), Channel(12)]), "other channels: <#11>, <#12>."),
    (challenges.ChannelNotAllowedError(channels=[Channel(each) for each in range(1, 60)]), "<#10>, …."),
    (challenges.RoleNeededError(role=Role(13)), "you need the role <@&13> to challenge"),
    (computer.ComputerBusyError(4), "Start at level 4, or"),
    (computer.UnfairHintError(RUNNING), "Match #7 is between people, so a hint would not be fair."),
    (computer.SamePositionError(match=7), "has exactly this position, so help would not be fair."),
    (computer.StillThinkingError(), "I am still thinking about your last question."),
    (computer.NothingFoundError(), "My search failed. Please ask me again."),
    (computer.NotAgainstComputerError(), "This match was not against the computer."),
    (computer.LevelSettledError(), "You have already played in this match."),
    (computer.UnfinishedGamesError(count=2), "You have 2 unfinished matches against the computer."),
    (imports.UnreadableFileError(), "save them as UTF-8"),
    (imports.LargeFileError(), "at most 256 kB"),
    (imports.LostFileError(), "did not arrive in time"),
    (imports.NothingToImportError(), "such as one downloaded from `/replay`"),
    (imports.NotImportedError(), "already deleted this record"),
    (doors.UnusableTokenError(), "older than ten minutes"),
    (players.ProgramNameError(most=32), "1 to 32 letters"),
    (players.TooManyProgramsError(most=3), "You already have 3 programs, the maximum."),
    (players.UnknownProgramError(), "no such program here"),
    (players.BusyProgramError(player=ALICE, most=20), "Alice is already playing 20 matches"),
    (players.TokenError(), "This token is not valid"),
    (matches.UnknownMatchError(), "no match with that number"),
    (matches.NoMatchError(), "no running match"),
    (matches.NoMatchToShowError(), "No match has been played here yet."),
    (matches.ManyMatchesError([RUNNING, ENDED]), "matches fit: #7 (Alice vs Bob), #8 (Alice vs Bob)."),
    (matches.NotAPlayerError(RUNNING), "not playing in match #7 (Alice vs Bob)"),
    (matches.NotAPlayerError(ENDED), "did not play in match #8 (Alice vs Bob)"),
    (matches.NotYourTurnError(RUNNING, Phase.OPENING, player=ALICE), "Alice opens match #7"),
    (matches.NotYourTurnError(RUNNING, Phase.CHOICE, player=BOB), "Bob is choosing a side in match #7"),
    (matches.NotYourTurnError(RUNNING, Phase.PLAY, player=ALICE), "It is Alice's turn in match #7"),
    (matches.MatchOverError(ENDED), "Match #8 is over"),
    (matches.MovedOnError(), "The board has moved on"),
    (matches.WaitingForPlaceError(RUNNING), "Match #7 is waiting for a place"),
    (proposals.NotOverError(RUNNING), "You can have a rematch when it is over."),
    (reviews.StillRunningError(RUNNING), "I review it when it is over."),
    (reviews.NothingToReviewError(ENDED), "Too few turns were played in match #8 for a review."),
    (reviews.StillReviewingError(ENDED), "I am still reviewing match #8 for you."),
    (matches.AlreadyVoidError(ENDED), "nothing to void"),
    (proposals.RematchExistsError(ENDED, match=9), "already a rematch: match #9"),
    (proposals.OpponentDeletedError(ENDED), "has deleted their data"),
    (proposals.NothingToTakeBackError(RUNNING), "nothing to take back"),
    (proposals.AlreadyThereError(RUNNING), "Match #7 is already being played in this channel"),
    (play.NoClockError(RUNNING), "Match #7 is played without a clock."),
    (play.TimeUpError(TIMED), "Your time in match #7 is up."),
    (play.TimeLeftError(TIMED), "There is time left in match #7, so there is nothing to claim."),
    (play.TimeLeftError(TIMED, "day off"), "still has days off"),
    (play.OwnTimeError(TIMED), "In match #7, your own time is running."),
    (play.ClockChangedError(), "The clock has changed since then."),
    (TimeControlError("so*on", "unclear"), "“so\\*on” is not a clock."),
    (TimeControlError("5 s", "short"), "“5 s” is too short"),
    (TimeControlError("9" * 400, "long"), f"“{'9' * 50}” is too long"),
    (challenges.BlockedError("own", player=BOB), "You have blocked Bob."),
    (challenges.BlockedError(player=BOB), "Bob does not want to play with you."),
    (proposals.BlockedProposalError(RUNNING, player=BOB), "proposals from you. You can still play match #7"),
    (limits.TooManyChallengesError(NOW), "of challenges in one hour. You can make the next one <t:1767225600:R>."),
    (limits.TooManyChallengesError(NOW, BOB), "You have challenged Bob several times"),
    (limits.RecentlyDeletedError(NOW), "You can do this again <t:1767225600:R>."),
    (limits.TooManyTournamentsError(NOW), "You can open the next one"),
    (limits.TooManyEntriesError(NOW), "You can join the next one"),
    (limits.TooManyComputerGamesError(NOW), "a lot of matches against the computer in one hour"),
    (limits.TooManyProposalsError(NOW), "a lot of proposals in one hour"),
    (limits.TooManyProposalsError(NOW, BOB), "You have asked Bob several times"),
    (limits.TooManyPostsError(NOW), "a lot of boards in a few minutes"),
    (limits.TooManyNudgesError(NOW), "a lot of nudges in one hour"),
    (limits.TooManyNudgesError(NOW, BOB), "Give Bob some time: you can nudge them <t:1767225600:R>."),
    (play.NotNudgedError(RUNNING, "turn", player=BOB), "It is your turn in match #7, so there is nobody to nudge."),
    (play.NotNudgedError(RUNNING, "clock", player=BOB), "a short clock, which is reminder enough for Bob."),
    (play.NotNudgedError(RUNNING, "pings", player=BOB), "Bob has turned pings off, so a nudge in match #7"),
    (play.NotNudgedError(RUNNING, "blocked", player=BOB), "Bob does not accept nudges from you."),
    (DayTimeError("no*on", "zone"), "I do not know the time zone “no\\*on”."),
    (DayTimeError("no*on", "time"), "“no\\*on” is not a time of day."),
    (DayTimeError("no*on", "span"), "“no\\*on” is no span of quiet hours."),
    (preferences.InvalidSettingError(value="mau_ve"), "“mau\\_ve” is not possible here"),
    (tournaments.UnknownTournamentError(), "no such tournament"),
    (tournaments.TournamentStateError(TournamentState.OPEN), "This tournament has not started yet."),
    (tournaments.TournamentStateError(TournamentState.RUNNING), "This tournament has already started."),
    (tournaments.TournamentStateError(TournamentState.OVER), "This tournament is over."),
    (tournaments.TournamentStateError(TournamentState.CANCELLED), "This tournament was called off."),
    (tournaments.TournamentStateError("next"), "You can still join the next one"),
    (tournaments.TournamentFullError(), "This tournament is full."),
    (tournaments.TooFewEntrantsError(), "at least three players"),
    (tournaments.CupClockError(), "every match must end, so it needs a clock"),
    (tournaments.AlreadyEntrantError("cup"), "the cup starts on its own"),
    (tournaments.AlreadyEntrantError(), "You have already joined. The tournament starts"),
    (tournaments.NoEntrantError(), "You are not in this tournament."),
    (tournaments.NoEntrantError("other"), "That player is not in this tournament"),
    (tournaments.OwnOpponentError(RUNNING), "You are playing match #7 against them yourself"),
    (tournaments.NotAbsentError(player=BOB), "Bob is not absent"),
    (tournaments.OwnTournamentError(), "you cannot decide about it as a moderator"),
    (tournaments.BlockedEntrantError(), "do not play each other"),
    (tournaments.NotOrganiserError(player=ALICE), "Only Alice, who opened this tournament"),
    (ladders.UnknownLadderError(), "This ladder is in a channel that you cannot see."),
    (ladders.AlreadyOnLadderError(number=3), "You are already on this ladder, in place 3."),
    (ladders.NotOnLadderError(), "You are not on this ladder."),
    (ladders.NotOnLadderError("other"), "That player is no longer on this ladder."),
    (ladders.OutOfReachError(), "the next three players above you"),
    (ladders.LadderBusyError(), "You have an open challenge or a running match on this ladder."),
    (ladders.LadderBusyError("other", player=BOB), "Bob has an open challenge or a running match on this ladder."),
    (ladders.PausingError(), "You are pausing on this ladder."),
    (ladders.NotPausingError(), "You are not pausing on this ladder."),
    (ladders.NoPauseYetError(when=NOW), "You can pause <t:1767225600:R>. Wait a week after"),
    (ladders.ChallengedLatelyError(player=BOB, when=NOW), "Your last challenge to Bob did not win you the place."),
    (ladders.ChallengedLatelyError("withdrawn", when=NOW), "You have withdrawn a challenge on this ladder."),
    (proposals.LadderMatchError(RUNNING), "Match #7 decides a place on a ladder"),
    (proposals.NoDrawError(RUNNING), "This game has no draws."),
    (proposals.NoDrawError(RUNNING, "computer"), "There are no draws against the computer."),
    (ladders.OwnLadderError(), "You are on this ladder, so you cannot decide"),
    (proposals.UnknownProposalError(), "This proposal no longer exists"),
    (proposals.DuplicateProposalError(RUNNING, proposal(ProposalKind.DRAW)), "already offered a draw in match #7."),
    (proposals.DuplicateProposalError(RUNNING, proposal(ProposalKind.TAKE_BACK)), "take turns back in match #7."),
    (proposals.DuplicateProposalError(RUNNING, proposal(ProposalKind.ABANDON)), "proposed to call off match #7."),
    (proposals.DuplicateProposalError(RUNNING, proposal(ProposalKind.MOVE)), "proposed to move match #7."),
    (proposals.DuplicateProposalError(RUNNING, proposal(ProposalKind.REMATCH)), "asked for a rematch of match #7."),
    (proposals.ProposalClosedError(OFFER, ProposalState.OPEN), "This is no longer open."),
    (proposals.ProposalClosedError(OFFER, ProposalState.ACCEPTED), "This was already accepted."),
    (proposals.ProposalClosedError(OFFER, ProposalState.DECLINED), "This was already declined."),
    (proposals.ProposalClosedError(OFFER, ProposalState.WITHDRAWN), "This was already withdrawn."),
    (proposals.ProposalClosedError(OFFER, ProposalState.LAPSED), "The match has moved on since then"),
    (proposals.OwnProposalError(OFFER), "your opponent has to answer it"),
    (proposals.NotYourProposalError(OFFER, player=ALICE), "Only Alice can withdraw this."),
    (puzzles.NoPuzzleError(), "I have no puzzles of this game yet."),
    (puzzles.UnknownPuzzleError(), "I no longer have this puzzle."),
]


def refused(code: int) -> discord.Forbidden:
    """Discord's refusal of a request for lack of a permission."""
    response: Any = SimpleNamespace(status=403, reason="Forbidden")
    return discord.Forbidden(response, {"code": code, "message": ""})


#: Errors of the adapter and of discord.py.
ADAPTER: list[tuple[Exception, str]] = [
    (OutdatedPressError(), "This button comes from an earlier version. `/board` shows the current board."),
    (RefusalError("That cannot be."), "That cannot be."),
    (NotShownError(9), "but I could not show it: I am in <#9> only while someone there uses me"),
    (NotShownError(9, OSError()), "Discord did not accept the message."),
    (NotShownError(9, refused(50007)), "you take no direct messages from me; allow them, or use `/board`"),
    (NotShownError(9, refused(50013)), "I may not post in <#9>. I need *View Channel*"),
    (app_commands.NoPrivateMessage(), "played in a server's channels"),
    (app_commands.CommandNotFound("x", []), "This command has just changed."),
]


def test_an_error_has_its_own_sentence() -> None:
    shown = [(error, sentence(error, CommandMentions()) or "") for error, _ in (*SAID, *ADAPTER)]
    for error, said in (*SAID, *ADAPTER):
        assert [other for other, told in shown if said in told] == [error], said


@pytest.mark.parametrize("language", texts.LANGUAGES)
def test_an_error_is_a_whole_sentence_in_every_language(language: str) -> None:
    for error, said in SAID:
        english = sentence(error, CommandMentions())
        with texts.in_language(language):
            shown = sentence(error, CommandMentions())
        assert shown is not None, said
        assert (shown == english) == (language == texts.SOURCE), said
        assert shown.endswith((".", "!")), shown
        assert "{" not in shown, shown
        assert not re.search(r"object at|\w\(\w+=", shown), shown  # no value looks as in Python
        for name in ("Alice", "Bob", "<@&13>", "<#11>"):
            assert name in shown or name not in (english or ""), shown


def test_no_error_is_without_a_sentence() -> None:
    def kinds(of: type[DomainError]) -> set[type[DomainError]]:
        return {of, *(kind for each in of.__subclasses__() for kind in kinds(each))}

    families = {DomainError, matches.AboutMatchError, proposals.ProposalError, limits.TooManyError}
    assert kinds(DomainError) - {type(error) for error, _ in SAID} == families


def test_names_are_escaped_in_errors() -> None:
    assert sentence(tournaments.NotOrganiserError(player=Player(103, "*@everyone*")), CommandMentions()) == (
        "Only \\*\\@\N{ZERO WIDTH SPACE}everyone\\*, who opened this tournament, can do that."
    )


def test_the_log_names_nobody() -> None:
    assert "Bob" not in str(challenges.BlockedError(player=BOB))


def test_commands_can_be_tapped() -> None:
    mentions = CommandMentions([{"name": "tournament", "id": "42"}])
    said = sentence(tournaments.TournamentFullError(), mentions)
    assert said is not None
    assert "</tournament:42>" in said
    assert "/tournament" in said.plain
    with texts.in_language("de"):
        assert mentions.of("tournament").plain == "/turnier"


def test_a_failure_of_the_bot_has_no_sentence() -> None:
    assert sentence(ZeroDivisionError(), CommandMentions()) is None
    assert sentence(discord.ClientException(), CommandMentions()) is None

"""Everything that can go wrong for a player has a sentence."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

import rules
from bot.discord.errors import sentence
from bot.domain import errors
from bot.domain.challenges import Challenge, ChallengeState, First
from bot.domain.clocks import Clock, TimeControl
from bot.domain.matches import Ending, Game, Match, Result
from bot.domain.places import Place
from bot.domain.players import Player
from bot.domain.preferences import ServerSettings
from bot.domain.proposals import Proposal, ProposalKind, ProposalState
from bot.domain.tournaments import Tournament, TournamentState

ALICE, BOB = Player(101, "Alice"), Player(102, "Bob")
NOW = datetime(2026, 1, 1, tzinfo=UTC)
DALEN = rules.ruleset("dalen", 5)
CHALLENGE = Challenge(
    3, Place(1, 10), ALICE, BOB, DALEN, First.RANDOM, ChallengeState.OPEN, NOW, NOW + timedelta(days=1), 1, None, None
)
RUNNING = Match(7, 3, DALEN, Place(1, 10), 10, ALICE, BOB, 0, 0, 1, None, None, NOW, NOW)
ENDED = replace(RUNNING, id=8, result=Result(ALICE.id, Ending.RESIGNATION), ended_at=NOW, rematch_id=9)
GAME = Game(RUNNING, (), DALEN.start(), ())


TIMED = replace(RUNNING, clock=Clock.new(TimeControl.banks_of(timedelta(days=3), timedelta(days=1)), NOW))


def cup(state: TournamentState) -> Tournament:
    return Tournament(3, Place(1, 10), "Cup", ALICE, DALEN, None, 1, state, NOW, 1, None, (), ())


def proposal(kind: ProposalKind, state: ProposalState = ProposalState.OPEN) -> Proposal:
    return Proposal(5, 7, kind, ALICE, 0, state, 0, 1)


OFFER = proposal(ProposalKind.DRAW)
ANSWERED = (ProposalState.ACCEPTED, ProposalState.DECLINED, ProposalState.WITHDRAWN)

SAID: list[tuple[errors.MatchError, str]] = [
    (errors.SelfChallengeError(), "cannot challenge yourself"),
    (errors.DuplicateChallengeError(CHALLENGE), "Alice has challenged Bob in this channel already"),
    (errors.UnknownChallengeError(), "do not know this challenge"),
    *[(errors.ChallengeClosedError(state), "This challenge") for state in ChallengeState],
    (errors.NotYourChallengeError(CHALLENGE, BOB), "This challenge is for Bob"),
    (errors.OwnChallengeError(), "your own challenge"),
    (errors.OpenChallengeError(), "open to anyone"),
    (errors.ChannelNotAllowedError(ServerSettings(channel_ids=frozenset({11, 12}))), "other channels: <#11>, <#12>."),
    (errors.ChannelNotAllowedError(ServerSettings(channel_ids=frozenset(range(1, 60)))), "<#10>, …."),
    (errors.RoleNeededError(13), "you need the role <@&13> to challenge"),
    (errors.UnknownMatchError(), "no match with that number"),
    (errors.NoMatchError(), "no running match"),
    (errors.ManyMatchesError([RUNNING, RUNNING]), "Several of your matches fit"),
    (errors.NotAPlayerError(RUNNING), "not playing in match #7: it is Alice vs Bob"),
    (errors.NotAPlayerError(ENDED), "did not play match #8: it was Alice vs Bob"),
    (errors.NotYourTurnError(GAME, ALICE), "Alice makes the opening in match #7"),
    (errors.MatchOverError(ENDED), "Match #8 is over"),
    (errors.MovedOnError(), "The board has moved on"),
    (errors.WaitingForPlaceError(RUNNING), "Match #7 waits for a place"),
    (errors.NotOverError(RUNNING), "Match #7 is still running"),
    (errors.AlreadyVoidError(ENDED), "counts for nobody already"),
    (errors.RematchExistsError(ENDED), "there already: match #9"),
    (errors.OpponentForgottenError(ENDED), "has asked me to forget them"),
    (errors.OwnOpponentError(RUNNING), "You are playing match #7 against them yourself"),
    (errors.NotAbsentError(BOB), "Bob is not absent"),
    (errors.OwnTournamentError(), "Ask a moderator who does not"),
    (errors.NothingToTakeBackError(RUNNING), "nothing to take back"),
    (errors.AlreadyThereError(RUNNING), "Match #7 is played right here"),
    (errors.UnknownProposalError(), "do not know this proposal"),
    *[(errors.ProposalStandsError(RUNNING, proposal(kind)), "match #7, which waits") for kind in ProposalKind],
    *[
        (errors.ProposalClosedError(proposal(ProposalKind.DRAW, state)), "This was")
        for state in list(ProposalState)[1:4]
    ],
    (errors.ProposalClosedError(proposal(ProposalKind.DRAW, ProposalState.LAPSED)), "moved on since then"),
    (errors.OwnProposalError(OFFER), "your opponent has to answer it"),
    (errors.NotYourProposalError(OFFER), "Only Alice can withdraw this"),
    (errors.NoClockError(RUNNING), "clock"),
    (errors.TimeUpError(TIMED), "time"),
    (errors.TimeLeftError(TIMED), "time"),
    (errors.TimeLeftError(TIMED, spared=True), "has days off left"),
    (errors.OwnTimeError(TIMED), "opponent"),
    (errors.ClockChangedError(), "clock"),
    (errors.BlockedError(BOB, own=True), "Bob"),
    (errors.BlockedError(BOB, own=False), "Bob"),
    (errors.BlockedProposalError(RUNNING, BOB), "Bob takes no proposals from you. You can still play match #7"),
    (errors.TooManyChallengesError(NOW), "many challenges"),
    (errors.TooManyChallengesError(NOW, BOB), "You have challenged Bob several times"),
    (errors.TooManyProposalsError(NOW), "many proposals"),
    (errors.TooManyProposalsError(NOW, BOB), "You have asked Bob several times"),
    (errors.TooManyPostsError(NOW), "many boards"),
    (errors.UnknownTournamentError(), "no such tournament"),
    *[(errors.TournamentStateError(cup(state)), "tournament") for state in TournamentState],
    (errors.TournamentFullError(), "tournament"),
    (errors.TooFewEntrantsError(), "tournament"),
    (errors.AlreadyEntrantError(), "You are in already"),
    (errors.NoEntrantError(), "You are not in this tournament"),
    (errors.NoEntrantError(own=False), "They are not in this tournament"),
    (errors.BlockedEntrantError(), "do not play each other"),
    (errors.TooManyTournamentsError(NOW), "many tournaments"),
    (errors.NotOrganiserError(ALICE), "Alice"),
    (errors.InvalidSettingError("theme", "mauve", (None, "light")), "“mauve” is not possible here"),
]


@pytest.mark.parametrize(("error", "said"), SAID, ids=lambda value: type(value).__name__)
def test_what_goes_wrong_is_told_in_whole_sentences(error: errors.MatchError, said: str) -> None:
    told = sentence(error)
    assert told is not None
    assert said in told
    assert told.endswith((".", "!"))
    assert "{" not in told


def test_nothing_goes_wrong_without_words() -> None:
    def kinds(of: type[errors.MatchError]) -> set[type[errors.MatchError]]:
        return {of, *(kind for each in of.__subclasses__() for kind in kinds(each))}

    assert kinds(errors.MatchError) - {type(error) for error, _ in SAID} == {errors.MatchError, errors.TooManyError}

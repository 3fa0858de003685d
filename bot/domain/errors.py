"""What can go wrong for a player."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from bot.domain.challenges import Challenge, ChallengeState
from bot.domain.matches import Game, Match
from bot.domain.players import Player
from bot.domain.preferences import ServerSettings
from bot.domain.proposals import Proposal, ProposalKind, ProposalState
from bot.domain.refusals import Channel, Command, Role
from bot.domain.refusals import DomainError as DomainError  # callers catch it beside the others
from bot.domain.tournaments import Tournament, TournamentState
from rules import Phase
from rules.text import gettext_noop

_BOARD = Command("board")
_CHALLENGE = Command("challenge")
_CREATE = Command("tournament create")
_PUZZLE = Command("puzzle")
_REPLAY = Command("replay")
_SETTINGS = Command("settings")


# Challenges


class SelfChallengeError(DomainError):
    template = gettext_noop(
        "You cannot challenge yourself. Choose a friend, or leave the opponent out so that anyone can accept."
    )


class DuplicateChallengeError(DomainError):
    """The same two people have an open challenge in the same channel."""

    template = gettext_noop(
        "{challenger} has already challenged {opponent} in this channel. "
        "That challenge has to be answered or withdrawn first."
    )
    _to_anyone = gettext_noop(
        "You already have an open challenge to anyone in this channel. Withdraw it first, or wait for an answer."
    )

    def __init__(self, challenge: Challenge) -> None:
        if challenge.opponent is None:
            super().__init__(self._to_anyone)
        else:
            super().__init__(challenger=challenge.challenger, opponent=challenge.opponent)
        self.challenge = challenge


class UnknownChallengeError(DomainError):
    template = gettext_noop("This challenge no longer exists. Start a new one with {challenge}.")

    def __init__(self) -> None:
        super().__init__(challenge=_CHALLENGE)


class ChallengeClosedError(DomainError):
    """The challenge was answered, withdrawn or has expired."""

    _templates: ClassVar = {
        ChallengeState.OPEN: gettext_noop("This challenge is no longer open. {challenge} starts a new one."),
        ChallengeState.ACCEPTED: gettext_noop("This challenge was already accepted. {challenge} starts a new one."),
        ChallengeState.DECLINED: gettext_noop("This challenge was declined. {challenge} starts a new one."),
        ChallengeState.WITHDRAWN: gettext_noop("This challenge was withdrawn. {challenge} starts a new one."),
        ChallengeState.EXPIRED: gettext_noop("This challenge has expired. {challenge} starts a new one."),
    }

    def __init__(self, state: ChallengeState) -> None:
        super().__init__(self._templates[state], challenge=_CHALLENGE)
        self.state = state


class NotYourChallengeError(DomainError):
    """Only ``allowed`` may answer or withdraw this challenge."""

    template = gettext_noop("This challenge is for {player}. You can make your own with {challenge}.")
    _withdrawing = gettext_noop("Only {player} can withdraw this challenge.")

    def __init__(self, challenge: Challenge, allowed: Player) -> None:
        if allowed.id == challenge.challenger.id:
            super().__init__(self._withdrawing, player=allowed)
        else:
            super().__init__(player=allowed, challenge=_CHALLENGE)
        self.challenge = challenge
        self.allowed = allowed


class OwnChallengeError(DomainError):
    """Challengers cannot answer their own challenge, only withdraw it."""

    template = gettext_noop("This is your own challenge, so someone else has to answer it. You can withdraw it.")


class OpenChallengeError(DomainError):
    """A challenge to anyone cannot be declined, only left alone."""

    template = gettext_noop("This challenge is open to anyone, so there is nothing to decline. Just leave it alone.")


class ChannelNotAllowedError(DomainError):
    """The server plays in other channels: those of ``settings``."""

    template = gettext_noop("This server plays in other channels: {channels}. Please try there.")

    def __init__(self, settings: ServerSettings) -> None:
        super().__init__(channels=[Channel(each) for each in sorted(settings.channel_ids)])
        self.settings = settings


class RoleNeededError(DomainError):
    """On this server, challenging takes a role."""

    template = gettext_noop(
        "On this server, you need the role {role} to challenge others and to open tournaments. You can still accept "
        "challenges and join tournaments."
    )

    def __init__(self, role_id: int) -> None:
        super().__init__(role=Role(role_id))
        self.role_id = role_id


# The computer


class ComputerBusyError(DomainError):
    """So many games against the computer are going on that another one would let everybody wait."""

    template = gettext_noop(
        "I am playing as many games as I can think about right now. Please try again in a few minutes."
    )


class UnfairHintError(DomainError):
    """The match is running, and the opponent is a person."""

    template = gettext_noop(
        "Match #{match} is a game between people, and a hint would not be fair. I give hints in games against me, and "
        "when you try turns in a match that is over."
    )

    def __init__(self, match: Match) -> None:
        super().__init__(match=match.id)


class StillThinkingError(DomainError):
    template = gettext_noop("I am still thinking about what you asked me before. Please wait until that is here.")


class NotAgainstComputerError(DomainError):
    """The match was played between people, so its rematch takes the opponent's consent."""

    template = gettext_noop("This was no game against me. Press **Rematch** to ask your opponent for another one.")

    def __init__(self, match: Match) -> None:
        super().__init__()
        self.match = match


class UnfinishedGamesError(DomainError):
    """The player has as many unfinished games against the computer as allowed: ``matches``."""

    template = gettext_noop("You have {count} unfinished games against me. Finish or resign one first: {matches}.")

    def __init__(self, matches: list[Match]) -> None:
        super().__init__(count=len(matches), matches=matches)
        self.matches = matches


# Matches


class UnknownMatchError(DomainError):
    """No match has that number, here or at all."""

    template = gettext_noop("There is no match with that number here. Choose one from the `match` list.")


class NoMatchError(DomainError):
    """The player has no running match here, or nobody has one in this channel."""

    template = gettext_noop("You have no running match here. Start one with {challenge}.")

    def __init__(self) -> None:
        super().__init__(challenge=_CHALLENGE)


class ManyMatchesError(DomainError):
    """Several matches fit, so the player has to name one."""

    template = gettext_noop("Several of your matches fit: {matches}. Choose one with `match`.")

    def __init__(self, matches: list[Match]) -> None:
        super().__init__(matches=matches)
        self.matches = matches


class AboutMatchError(DomainError):
    """Something that is not possible in this match."""

    def __init__(self, match: Match, template: str | None = None, /, **values: object) -> None:
        super().__init__(template, **{"match": match.id, **values})
        self.match = match


class NotAPlayerError(AboutMatchError):
    template = gettext_noop("You are not playing in match {match}. {challenge} starts a match of your own.")
    _over = gettext_noop("You did not play in match {match}. {challenge} starts a match of your own.")

    def __init__(self, match: Match) -> None:
        super().__init__(match, None if match.result is None else self._over, match=match, challenge=_CHALLENGE)


class NotYourTurnError(AboutMatchError):
    """Somebody else, ``awaited``, has to act."""

    _templates: ClassVar = {
        Phase.OPENING: gettext_noop("It is not your turn: {player} makes the opening in match #{match}."),
        Phase.CHOICE: gettext_noop("It is not your turn: {player} is choosing a side in match #{match}."),
        Phase.PLAY: gettext_noop("It is not your turn: {player} is to play in match #{match}."),
    }

    def __init__(self, game: Game, awaited: Player) -> None:
        super().__init__(game.match, self._templates[game.position.phase], player=awaited)
        self.game = game
        self.awaited = awaited


class MatchOverError(AboutMatchError):
    template = gettext_noop("Match #{match} is over. {challenge} starts a new one.")

    def __init__(self, match: Match) -> None:
        super().__init__(match, challenge=_CHALLENGE)


class MovedOnError(DomainError):
    """The board changed since the player saw it."""

    template = gettext_noop("The board has moved on since then. Use the latest board, or get it with {board}.")

    def __init__(self) -> None:
        super().__init__(board=_BOARD)


class WaitingForPlaceError(AboutMatchError):
    """The match has no channel to be played in yet."""

    template = gettext_noop("Match #{match} is waiting for a place: another match is running in its channel.")


class NotOverError(AboutMatchError):
    """The match is still running, so there is nothing to have a rematch of."""

    template = gettext_noop("Match #{match} is still running. You can have a rematch when it is over.")


class StillRunningError(AboutMatchError):
    """The match is still running, so it cannot be reviewed."""

    template = gettext_noop("Match #{match} is still running. I review it when it is over.")


class NothingToReviewError(AboutMatchError):
    """Nothing was played but an opening and a choice of side."""

    template = gettext_noop("Too few turns were played in match #{match} for a review.")


class ManyReviewsError(DomainError):
    """So many reviews are waited for that another one would take too long."""

    template = gettext_noop("I am reviewing as many matches as I can right now. Please try again in a few minutes.")


class AlreadyVoidError(AboutMatchError):
    """The match does not count anyway: it was abandoned, or voided by ``match.result.moderator``."""

    template = gettext_noop("Match #{match} does not count as it is, so there is nothing to void.")


class RematchExistsError(AboutMatchError):
    """The match has a rematch already, ``match.rematch_id``."""

    template = gettext_noop("There is already a rematch: match #{match}. {board} shows it.")

    def __init__(self, match: Match) -> None:
        super().__init__(match, match=match.rematch_id, board=_BOARD)


class OpponentDeletedError(AboutMatchError):
    """The opponent in that match has deleted their data, so nobody knows who it was."""

    template = gettext_noop(
        "Your opponent in match #{match} has deleted their data. {challenge} starts a match with someone else."
    )

    def __init__(self, match: Match) -> None:
        super().__init__(match, challenge=_CHALLENGE)


class NothingToTakeBackError(AboutMatchError):
    """The player has made no turn yet."""

    template = gettext_noop("You have not played in match #{match} yet, so there is nothing to take back.")


class AlreadyThereError(AboutMatchError):
    """The match is played in that very channel."""

    template = gettext_noop("Match #{match} is already being played in this channel.")


# Clocks


class NoClockError(AboutMatchError):
    """The match is played without a clock."""

    template = gettext_noop("Match #{match} is played without a clock.")


class TimeUpError(AboutMatchError):
    """The player to act has run out of time, and the match ends when that happens."""

    template = gettext_noop("Your time in match #{match} is up.")


class TimeLeftError(AboutMatchError):
    """There is nothing to claim: the player to act has time until ``match.clock.flag_at``, or a day off, which has just
    been ``spared`` for that."""

    template = gettext_noop("There is time left in match #{match}, so there is nothing to claim.")
    _day_off = gettext_noop(
        "Your opponent in match #{match} has days off left, so one of them is used up instead of giving you the win."
    )

    def __init__(self, match: Match, *, spared: bool = False) -> None:
        super().__init__(match, self._day_off if spared else None)
        self.spared = spared


class OwnTimeError(AboutMatchError):
    """Only the opponent can give a player more time, or claim that it is up."""

    template = gettext_noop(
        "In match #{match}, your own time is running. Only your opponent can give you more, or claim the win when it "
        "is up."
    )


class ClockChangedError(DomainError):
    """The clock is no longer as the player saw it."""

    template = gettext_noop("The clock has changed since then. Press **Time** to see it as it is now.")


# Blocks and limits


class BlockedError(DomainError):
    """One of the two has blocked the other, ``other``; ``own`` says whether it was the one who asks."""

    template = gettext_noop("{player} does not want to play with you. There are others who do!")
    _own = gettext_noop("You have blocked {player}. You can change that in {settings} → Privacy.")

    def __init__(self, other: Player, *, own: bool) -> None:
        if own:
            super().__init__(self._own, player=other, settings=_SETTINGS)
        else:
            super().__init__(player=other)
        self.other = other
        self.own = own


class BlockedProposalError(AboutMatchError):
    """The opponent has blocked the player, and accepts no proposals from them in a match that goes on."""

    template = gettext_noop(
        "{player} does not accept proposals from you. You can still play match #{match}, or resign."
    )

    def __init__(self, match: Match, opponent: Player) -> None:
        super().__init__(match, player=opponent)
        self.opponent = opponent


class TooManyError(DomainError):
    """The player has done something too often for now; it is possible again at ``again_at``.

    ``other`` is the one person it was done to too often; None when it was too often in all.
    """

    _to_one: ClassVar[str]

    def __init__(self, again_at: datetime, other: Player | None = None, /, **values: object) -> None:
        if other is None:
            super().__init__(when=again_at, **values)
        else:
            super().__init__(self._to_one, when=again_at, player=other, **values)
        self.again_at = again_at
        self.other = other


class TooManyChallengesError(TooManyError):
    template = gettext_noop("That was a lot of challenges in one hour. You can make the next one {when}.")
    _to_one = gettext_noop(
        "You have challenged {player} several times, and they have not accepted. Give them some time: you can "
        "challenge them again {when}."
    )


class TooManyComputerGamesError(TooManyError):
    template = gettext_noop("That was a lot of games against me in one hour. You can start the next one {when}.")


class TooManyTournamentsError(TooManyError):
    template = gettext_noop("That was a lot of tournaments in one hour. You can open the next one {when}.")


class TooManyProposalsError(TooManyError):
    """The proposals that count are those that were not accepted."""

    template = gettext_noop("That was a lot of proposals in one hour. You can make the next one {when}.")
    _to_one = gettext_noop(
        "You have asked {player} several times, and they have not agreed. Give them some time: you can ask again "
        "{when}."
    )


class TooManyNudgesError(TooManyError):
    """``other`` is the opponent who was nudged already, or whose turn has not lasted long."""

    template = gettext_noop("That was a lot of nudges in one hour. You can nudge somebody again {when}.")
    _to_one = gettext_noop("Give {player} some time: you can nudge them {when}.")


class NotNudgedError(AboutMatchError):
    """The opponent cannot be nudged: ``reason`` is ``turn`` (it is not theirs), ``clock``, ``pings`` or ``blocked``."""

    _templates: ClassVar = {
        "turn": gettext_noop("It is your turn in match #{match}, so there is nobody to nudge."),
        "clock": gettext_noop(
            "Match #{match} has a short clock, which hurries {player} enough. Nudges are for matches that last for "
            "days."
        ),
        "pings": gettext_noop("{player} has turned pings off, so a nudge in match #{match} would not reach them."),
        "blocked": gettext_noop("{player} does not accept nudges from you. You can still play match #{match}."),
    }

    def __init__(self, match: Match, opponent: Player, reason: str) -> None:
        super().__init__(match, self._templates[reason], player=opponent)
        self.reason = reason


class TooManyPostsError(TooManyError):
    """The boards that count are those shown to everybody."""

    template = gettext_noop(
        "You have shown everyone here a lot of boards in a few minutes. You can show the next one {when}. Until then, "
        "{replay} shows the match to you alone."
    )

    def __init__(self, again_at: datetime) -> None:
        super().__init__(again_at, replay=_REPLAY)


class InvalidSettingError(DomainError):
    """``value`` is none of those that the setting ``name`` may have."""

    template = gettext_noop("“{value}” is not possible here. Please choose from the list.")

    def __init__(self, name: str, value: object, allowed: tuple[object, ...]) -> None:
        super().__init__(value=str(value))
        self.name = name
        self.value = value
        self.allowed = allowed


# Tournaments


class UnknownTournamentError(DomainError):
    """No tournament has that number here, or none is open or running that the player can see."""

    template = gettext_noop("There is no such tournament here. {create} opens a new one.")

    def __init__(self) -> None:
        super().__init__(create=_CREATE)


class TournamentStateError(DomainError):
    """The tournament is not in the state that this needs; see ``tournament.state``."""

    _templates: ClassVar = {
        TournamentState.OPEN: gettext_noop("This tournament has not started yet."),
        TournamentState.RUNNING: gettext_noop("This tournament has already started."),
        TournamentState.OVER: gettext_noop("This tournament is over."),
        TournamentState.CANCELLED: gettext_noop("This tournament was called off."),
    }

    def __init__(self, tournament: Tournament) -> None:
        super().__init__(self._templates[tournament.state])
        self.tournament = tournament


class TournamentFullError(DomainError):
    template = gettext_noop("This tournament is full. Open another one with {create}.")

    def __init__(self) -> None:
        super().__init__(create=_CREATE)


class TooFewEntrantsError(DomainError):
    template = gettext_noop("A tournament needs at least three players. Ask someone to join.")


class AlreadyEntrantError(DomainError):
    template = gettext_noop("You have already joined. The tournament starts when its organiser starts it.")


class NoEntrantError(DomainError):
    """The player does not take part, or has withdrawn; ``own`` says whether it is the one who asks."""

    template = gettext_noop("You are not in this tournament.")
    _other = gettext_noop("That player is not in this tournament, or has left it.")

    def __init__(self, *, own: bool = True) -> None:
        super().__init__(None if own else self._other)
        self.own = own


class OwnOpponentError(AboutMatchError):
    """Players cannot remove their own opponent in a running match from a tournament."""

    template = gettext_noop(
        "You are playing match #{match} against them yourself, so you cannot remove them. Finish the match first, or "
        "ask a moderator who is not in the tournament."
    )


class NotAbsentError(DomainError):
    """The organiser cannot remove a player who is not absent."""

    template = gettext_noop(
        "{player} is not absent. You can remove players whose time has run out, even if they have days off left, or "
        "who have kept a game without a clock waiting for three days. Otherwise ask a moderator who is not in the "
        "tournament."
    )

    def __init__(self, player: Player) -> None:
        super().__init__(player=player)
        self.player = player


class OwnTournamentError(DomainError):
    """A moderator who takes part cannot decide about the tournament, nor about its matches."""

    template = gettext_noop(
        "You are in this tournament, so you cannot decide about it as a moderator. Ask a moderator who is not."
    )


class BlockedEntrantError(DomainError):
    """One of those who take part has blocked the player, or the other way round."""

    template = gettext_noop(
        "You and someone in this tournament do not play each other, so you cannot join it. {create} opens another one."
    )

    def __init__(self) -> None:
        super().__init__(create=_CREATE)


class NotOrganiserError(DomainError):
    """Only the organiser may do this."""

    template = gettext_noop("Only {player}, who opened this tournament, can do that.")

    def __init__(self, organiser: Player) -> None:
        super().__init__(player=organiser)
        self.organiser = organiser


# Proposals


class UnknownProposalError(DomainError):
    template = gettext_noop("This proposal no longer exists. {board} shows the board.")

    def __init__(self) -> None:
        super().__init__(board=_BOARD)


class ProposalStandsError(AboutMatchError):
    """A proposal of that kind, one's own or one of the opponent's, is waiting for an answer."""

    _templates: ClassVar = {
        ProposalKind.DRAW: gettext_noop(
            "{player} has already offered a draw in match #{match}. That has to be answered first."
        ),
        ProposalKind.TAKE_BACK: gettext_noop(
            "{player} has already asked to take turns back in match #{match}. That has to be answered first."
        ),
        ProposalKind.ABANDON: gettext_noop(
            "{player} has already proposed to abandon match #{match}. That has to be answered first."
        ),
        ProposalKind.MOVE: gettext_noop(
            "{player} has already proposed to move match #{match}. That has to be answered first."
        ),
        ProposalKind.REMATCH: gettext_noop(
            "{player} has already asked for a rematch of match #{match}. That has to be answered first."
        ),
    }

    def __init__(self, match: Match, proposal: Proposal) -> None:
        super().__init__(match, self._templates[proposal.kind], player=proposal.proposer)
        self.proposal = proposal


class ProposalError(DomainError):
    """Something that is not possible with this proposal."""

    def __init__(self, proposal: Proposal, template: str | None = None, /, **values: object) -> None:
        super().__init__(template, **values)
        self.proposal = proposal


class ProposalClosedError(ProposalError):
    """The proposal was answered or withdrawn, or the match went on: see ``proposal.state``."""

    _templates: ClassVar = {
        ProposalState.OPEN: gettext_noop("This is no longer open."),
        ProposalState.ACCEPTED: gettext_noop("This was already accepted."),
        ProposalState.DECLINED: gettext_noop("This was already declined."),
        ProposalState.WITHDRAWN: gettext_noop("This was already withdrawn."),
        ProposalState.LAPSED: gettext_noop("The match has moved on since then, so this no longer applies."),
    }

    def __init__(self, proposal: Proposal) -> None:
        super().__init__(proposal, self._templates[proposal.state])


class OwnProposalError(ProposalError):
    """Proposers cannot answer their own proposal, only withdraw it."""

    template = gettext_noop("You proposed this yourself, so your opponent has to answer it. You can withdraw it.")


class NotYourProposalError(ProposalError):
    """Only the proposer can withdraw a proposal; the opponent can decline it."""

    template = gettext_noop("Only {player} can withdraw this. You can accept or decline it.")

    def __init__(self, proposal: Proposal) -> None:
        super().__init__(proposal, player=proposal.proposer)


# Puzzles


class NoPuzzleError(DomainError):
    template = gettext_noop("I have no puzzles of this game yet. {puzzle} without a game shows others.")

    def __init__(self) -> None:
        super().__init__(puzzle=_PUZZLE)


class UnknownPuzzleError(DomainError):
    """The puzzle is not in the collection of this version."""

    template = gettext_noop("I no longer have this puzzle. {puzzle} shows another one.")

    def __init__(self) -> None:
        super().__init__(puzzle=_PUZZLE)

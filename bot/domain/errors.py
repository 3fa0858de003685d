"""What can go wrong for a player. Each error says what it knows; ``bot.discord.errors`` puts it into a sentence."""

from __future__ import annotations

from datetime import datetime

from bot.domain.challenges import Challenge, ChallengeState
from bot.domain.matches import Game, Match
from bot.domain.players import Player
from bot.domain.preferences import ServerSettings
from bot.domain.proposals import Proposal
from bot.domain.tournaments import Tournament


class MatchError(Exception):
    """Something that a player asked for cannot be done."""


class SelfChallengeError(MatchError):
    pass


class DuplicateChallengeError(MatchError):
    """The same two people have an open challenge in the same channel."""

    def __init__(self, challenge: Challenge) -> None:
        super().__init__(challenge.id)
        self.challenge = challenge


class UnknownChallengeError(MatchError):
    pass


class ChallengeClosedError(MatchError):
    """The challenge was answered, withdrawn or has expired."""

    def __init__(self, state: ChallengeState) -> None:
        super().__init__(state)
        self.state = state


class NotYourChallengeError(MatchError):
    """Only ``allowed`` may answer or withdraw this challenge."""

    def __init__(self, challenge: Challenge, allowed: Player) -> None:
        super().__init__(challenge.id)
        self.challenge = challenge
        self.allowed = allowed


class OwnChallengeError(MatchError):
    """The challenger cannot answer the own challenge, only withdraw it."""


class OpenChallengeError(MatchError):
    """A challenge to anyone cannot be declined, only left alone."""


class ChannelNotAllowedError(MatchError):
    """The server plays in other channels: those of ``settings``."""

    def __init__(self, settings: ServerSettings) -> None:
        super().__init__(sorted(settings.channel_ids))
        self.settings = settings


class RoleNeededError(MatchError):
    """In this server one has to have a role to challenge."""

    def __init__(self, role_id: int) -> None:
        super().__init__(role_id)
        self.role_id = role_id


class UnknownMatchError(MatchError):
    """No match has that number, here or at all."""


class NoMatchError(MatchError):
    """The player has no running match here, or nobody has one in this channel."""


class ManyMatchesError(MatchError):
    """Several matches fit, so the player has to name one."""

    def __init__(self, matches: list[Match]) -> None:
        super().__init__([match.id for match in matches])
        self.matches = matches


class NotAPlayerError(MatchError):
    def __init__(self, match: Match) -> None:
        super().__init__(match.id)
        self.match = match


class NotYourTurnError(MatchError):
    """Somebody else's decision is awaited."""

    def __init__(self, game: Game, awaited: Player) -> None:
        super().__init__(game.match.id)
        self.game = game
        self.awaited = awaited


class MatchOverError(MatchError):
    def __init__(self, match: Match) -> None:
        super().__init__(match.id)
        self.match = match


class MovedOnError(MatchError):
    """The board changed since the player saw it."""


class WaitingForPlaceError(MatchError):
    """The match has no channel to be played in yet."""

    def __init__(self, match: Match) -> None:
        super().__init__(match.id)
        self.match = match


class NotOverError(MatchError):
    """The match is still running, so there is nothing to have a rematch of."""

    def __init__(self, match: Match) -> None:
        super().__init__(match.id)
        self.match = match


class AlreadyVoidError(MatchError):
    """The match counts for nobody already: it was abandoned, or voided by ``match.result.moderator``."""

    def __init__(self, match: Match) -> None:
        super().__init__(match.id)
        self.match = match


class RematchExistsError(MatchError):
    """The match has a rematch already, ``match.rematch_id``."""

    def __init__(self, match: Match) -> None:
        super().__init__(match.id)
        self.match = match


class OpponentForgottenError(MatchError):
    """The opponent of that match has asked to be forgotten, so nobody knows who it was."""

    def __init__(self, match: Match) -> None:
        super().__init__(match.id)
        self.match = match


class NothingToTakeBackError(MatchError):
    """The player has made no turn yet."""

    def __init__(self, match: Match) -> None:
        super().__init__(match.id)
        self.match = match


class AlreadyThereError(MatchError):
    """The match is played in that very channel."""

    def __init__(self, match: Match) -> None:
        super().__init__(match.id)
        self.match = match


class NoClockError(MatchError):
    """The match is played without a clock."""

    def __init__(self, match: Match) -> None:
        super().__init__(match.id)
        self.match = match


class TimeUpError(MatchError):
    """The time of the player to act is up, in a match that the rules of its clock end then."""

    def __init__(self, match: Match) -> None:
        super().__init__(match.id)
        self.match = match


class TimeLeftError(MatchError):
    """There is nothing to claim: the player to act has time until ``match.clock.flag_at``, or a day off, which has just
    been ``spared`` for that."""

    def __init__(self, match: Match, *, spared: bool = False) -> None:
        super().__init__(match.id)
        self.match = match
        self.spared = spared


class OwnTimeError(MatchError):
    """Only the opponent can give a player more time, or claim that it is up."""

    def __init__(self, match: Match) -> None:
        super().__init__(match.id)
        self.match = match


class ClockChangedError(MatchError):
    """The clock is not any more as the player saw it."""


class BlockedError(MatchError):
    """One of the two has blocked the other, ``other``; ``own`` says whether it was the one who asks."""

    def __init__(self, other: Player, *, own: bool) -> None:
        super().__init__(other.id)
        self.other = other
        self.own = own


class BlockedProposalError(MatchError):
    """The opponent has blocked the player, and takes no proposals from them in a match that goes on."""

    def __init__(self, match: Match, opponent: Player) -> None:
        super().__init__(match.id)
        self.match = match
        self.opponent = opponent


class TooManyError(MatchError):
    """The player has done something as often as one may for now; it is possible again at ``again_at``.

    ``other`` is the one person towards whom it was too often; None when it was too often in all.
    """

    def __init__(self, again_at: datetime, other: Player | None = None) -> None:
        super().__init__(again_at)
        self.again_at = again_at
        self.other = other


class TooManyChallengesError(TooManyError):
    """The player has made as many challenges as one may."""


class TooManyTournamentsError(TooManyError):
    """The player has opened as many tournaments as one may."""


class TooManyProposalsError(TooManyError):
    """The player has made as many proposals as one may that were not accepted."""


class TooManyPostsError(TooManyError):
    """The player has shown everybody as many boards as one may."""


class UnknownTournamentError(MatchError):
    """No tournament has that number here, or none is open or running that the player can see."""


class TournamentStateError(MatchError):
    """The tournament is not in the state that this needs; see ``tournament.state``."""

    def __init__(self, tournament: Tournament) -> None:
        super().__init__(tournament.id)
        self.tournament = tournament


class TournamentFullError(MatchError):
    """As many take part as can."""


class TooFewEntrantsError(MatchError):
    """So few make no tournament."""


class AlreadyEntrantError(MatchError):
    """The player takes part already."""


class NoEntrantError(MatchError):
    """The player does not take part, or has withdrawn; ``own`` says whether it is the one who asks."""

    def __init__(self, *, own: bool = True) -> None:
        super().__init__(own)
        self.own = own


class OwnOpponentError(MatchError):
    """Nobody takes their own opponent in a running game out of a tournament."""

    def __init__(self, match: Match) -> None:
        super().__init__(match.id)
        self.match = match


class NotAbsentError(MatchError):
    """The organiser cannot take out a player who is not absent."""

    def __init__(self, player: Player) -> None:
        super().__init__(player.id)
        self.player = player


class OwnTournamentError(MatchError):
    """A moderator who takes part cannot decide about the tournament, nor about its matches."""


class BlockedEntrantError(MatchError):
    """One of those who take part has blocked the player, or the other way round."""


class NotOrganiserError(MatchError):
    """Only the organiser may do this."""

    def __init__(self, organiser: Player) -> None:
        super().__init__(organiser.id)
        self.organiser = organiser


class UnknownProposalError(MatchError):
    pass


class ProposalStandsError(MatchError):
    """A proposal of that kind waits for an answer, one's own or another one of the opponent."""

    def __init__(self, match: Match, proposal: Proposal) -> None:
        super().__init__(proposal.id)
        self.match = match
        self.proposal = proposal


class ProposalClosedError(MatchError):
    """The proposal was answered or withdrawn, or the match went on: see ``proposal.state``."""

    def __init__(self, proposal: Proposal) -> None:
        super().__init__(proposal.id)
        self.proposal = proposal


class OwnProposalError(MatchError):
    """The proposer cannot answer the own proposal, only withdraw it."""

    def __init__(self, proposal: Proposal) -> None:
        super().__init__(proposal.id)
        self.proposal = proposal


class NotYourProposalError(MatchError):
    """Only the proposer can withdraw a proposal; the opponent can decline it."""

    def __init__(self, proposal: Proposal) -> None:
        super().__init__(proposal.id)
        self.proposal = proposal


class InvalidSettingError(MatchError):
    """``value`` is none of those that the setting ``name`` may have."""

    def __init__(self, name: str, value: object, allowed: tuple[object, ...]) -> None:
        super().__init__(name, value)
        self.name = name
        self.value = value
        self.allowed = allowed

"""What can go wrong for a player. Each error says what it knows; ``bot.errors`` puts it into a sentence."""

from __future__ import annotations

from bot.matches.model import Challenge, ChallengeState, Game, Match, Player


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

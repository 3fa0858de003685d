"""What players can do: challenge, answer, play, resign, and look things up."""

from __future__ import annotations

import random
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

from bot.matches.errors import (
    ChallengeClosedError,
    DuplicateChallengeError,
    ManyMatchesError,
    MatchOverError,
    MovedOnError,
    NoMatchError,
    NotAPlayerError,
    NotYourChallengeError,
    NotYourTurnError,
    OpenChallengeError,
    OwnChallengeError,
    SelfChallengeError,
    UnknownChallengeError,
    UnknownMatchError,
    WaitingForPlaceError,
)
from bot.matches.model import (
    Challenge,
    ChallengeState,
    Ending,
    First,
    Game,
    Match,
    Place,
    Player,
    Result,
    Standing,
)
from bot.storage import Storage
from rules import Event, Position, Ruleset

_CACHED_GAMES = 500


class Matches:
    """The rules of the house. Every method either does what it says, whole and stored, or raises a ``MatchError``.

    ``clock`` tells the time in UTC.
    """

    def __init__(
        self,
        storage: Storage,
        *,
        clock: Callable[[], datetime],
        challenge_lifetime: timedelta,
        chance: random.Random | None = None,
    ) -> None:
        self._storage = storage
        self._clock = clock
        self._challenge_lifetime = challenge_lifetime
        self._chance = chance or random.Random()
        # Replayed games by match, good for exactly the number of turns they were replayed to.
        self._replayed: OrderedDict[int, tuple[tuple[str, ...], Position, tuple[Event, ...]]] = OrderedDict()

    # Challenges

    async def challenge(
        self, place: Place, challenger: Player, opponent: Player | None, ruleset: Ruleset, first: First
    ) -> Challenge:
        if opponent is not None and opponent.id == challenger.id:
            raise SelfChallengeError
        now = self._clock()
        added = await self._storage.add_challenge(
            place, challenger, opponent, ruleset, first, now, now + self._challenge_lifetime
        )
        if added is not None:
            return added
        standing = await self._storage.open_challenge(place, challenger, opponent)
        if standing is None:  # it was closed in this very moment
            return await self.challenge(place, challenger, opponent, ruleset, first)
        raise DuplicateChallengeError(standing)

    async def accept(self, challenge_id: int, player: Player) -> Match:
        challenge = await self._open_challenge(challenge_id)
        if player.id == challenge.challenger.id:
            raise OwnChallengeError
        if challenge.opponent is not None and player.id != challenge.opponent.id:
            raise NotYourChallengeError(challenge, challenge.opponent)
        challenger_first = {
            First.CHALLENGER: True,
            First.OPPONENT: False,
            First.RANDOM: self._chance.random() < 0.5,
        }[challenge.first]
        first, second = (challenge.challenger, player) if challenger_first else (player, challenge.challenger)
        match_id = await self._storage.accept_challenge(challenge_id, first, second, player, self._clock())
        if match_id is None:
            raise ChallengeClosedError((await self.get_challenge(challenge_id)).state)
        return await self.match(match_id)

    async def decline(self, challenge_id: int, player_id: int) -> None:
        challenge = await self._open_challenge(challenge_id)
        if player_id == challenge.challenger.id:
            raise OwnChallengeError
        if challenge.opponent is None:
            raise OpenChallengeError
        if player_id != challenge.opponent.id:
            raise NotYourChallengeError(challenge, challenge.opponent)
        await self._close(challenge_id, ChallengeState.DECLINED)

    async def withdraw(self, challenge_id: int, player_id: int) -> None:
        challenge = await self._open_challenge(challenge_id)
        if player_id != challenge.challenger.id:
            raise NotYourChallengeError(challenge, challenge.challenger)
        await self._close(challenge_id, ChallengeState.WITHDRAWN)

    async def expire_challenges(self) -> list[int]:
        """Closes the challenges whose time is over and returns their ids."""
        due = await self._storage.expired_challenges(self._clock())
        return [identity for identity in due if await self._storage.close_challenge(identity, ChallengeState.EXPIRED)]

    async def get_challenge(self, challenge_id: int) -> Challenge:
        challenge = await self._storage.challenge(challenge_id)
        if challenge is None:
            raise UnknownChallengeError
        return challenge

    async def _open_challenge(self, challenge_id: int) -> Challenge:
        challenge = await self.get_challenge(challenge_id)
        if challenge.state is not ChallengeState.OPEN:
            raise ChallengeClosedError(challenge.state)
        if challenge.expires_at <= self._clock():
            raise ChallengeClosedError(ChallengeState.EXPIRED)
        return challenge

    async def _close(self, challenge_id: int, state: ChallengeState) -> None:
        if not await self._storage.close_challenge(challenge_id, state):
            raise ChallengeClosedError((await self.get_challenge(challenge_id)).state)

    # Matches

    async def match(self, match_id: int) -> Match:
        match = await self._storage.match(match_id)
        if match is None:
            raise UnknownMatchError
        return match

    async def game(self, match_id: int) -> Game:
        """The match with its position."""
        match = await self.match(match_id)
        turns, position, events = await self._replay(match)
        return Game(match, turns, position, events)

    async def game_at(self, match: Match, ply: int) -> Game:
        """The match as it was after ``ply`` turns, when it was still running."""
        turns, _, _ = await self._replay(match)
        position, events = _played(match.ruleset, turns[:ply])
        return Game(replace(match, ply=ply, result=None), turns[:ply], position, events)

    async def play(self, match_id: int, player_id: int, typed: str, *, seen_ply: int | None = None) -> Game:
        """Plays a turn, the opening or a choice of side, and returns the game after it.

        ``seen_ply`` is the ply of the board on which the player decided, when a button tells it. Raises
        :class:`rules.TurnError` when the turn is refused.
        """
        game = await self._running_game(match_id, player_id, seen_ply)
        awaited = game.to_act
        assert awaited is not None
        if awaited.id != player_id:
            raise NotYourTurnError(game, awaited)
        turn = game.position.parse(typed)
        position, events = game.position.play(turn)
        result = None
        if position.outcome is not None:
            winner = position.outcome.winner
            result = Result(None if winner is None else game.player_of(winner).id, Ending.RULES)
        if not await self._storage.add_turn(match_id, game.ply, turn, player_id, self._clock(), result):
            raise MovedOnError
        self._keep(match_id, (*game.turns, turn), position, events)
        return await self.game(match_id)

    async def resignable(self, match_id: int, player_id: int, *, seen_ply: int | None = None) -> Game:
        """The game that the player may give up."""
        return await self._running_game(match_id, player_id, seen_ply)

    async def resign(self, match_id: int, player_id: int, *, seen_ply: int | None = None) -> Game:
        """Gives the match up; the opponent wins."""
        game = await self._running_game(match_id, player_id, seen_ply)
        result = Result(game.match.opponent_of(player_id).id, Ending.RESIGNATION)
        if not await self._storage.end_match(match_id, game.ply, self._clock(), result):
            raise MovedOnError
        return await self.game(match_id)

    async def find_match(self, place: Place, player_id: int, number: int | None = None) -> Match:
        """The running match that a player means: the one named, the one played here, or the only one that fits."""
        if number is not None:
            match = await self._storage.match(number)
            if match is None or match.home.guild_id != place.guild_id:
                raise UnknownMatchError
            if not match.has_player(player_id):
                raise NotAPlayerError(match)
            return match
        mine = await self._storage.running_matches(place.guild_id, player_id=player_id)
        here = [match for match in mine if match.channel_id == place.channel_id]
        candidates = here or mine
        if len(candidates) > 1:
            awaited = [match for match in candidates if await self._awaits(match, player_id)]
            candidates = awaited if len(awaited) == 1 else candidates
        if len(candidates) > 1:
            raise ManyMatchesError(candidates)
        if not candidates:
            others = await self._storage.running_matches(place.guild_id, channel_id=place.channel_id)
            raise NotAPlayerError(others[0]) if others else NoMatchError()
        return candidates[0]

    async def find_board(self, place: Place, player_id: int, number: int | None = None) -> Match:
        """The match whose board somebody wants to see; unlike :meth:`find_match`, anyone may look at any match."""
        if number is not None:
            match = await self._storage.match(number)
            if match is None or match.home.guild_id != place.guild_id:
                raise UnknownMatchError
            return match
        here = await self._storage.latest_match(place.channel_id)
        if here is not None and here.result is None:
            return here
        try:
            return await self.find_match(place, player_id)
        except (NoMatchError, NotAPlayerError):
            if here is None:
                raise
            return here

    async def running_matches(self, guild_id: int, player_id: int | None = None) -> list[Match]:
        return await self._storage.running_matches(guild_id, player_id=player_id)

    async def standings(self, guild_id: int, game: str | None) -> list[Standing]:
        """The server's players, best first: more wins, then fewer losses."""
        standings = await self._storage.standings(guild_id, game)
        return sorted(standings, key=lambda each: (-each.wins, each.losses, -each.draws, each.player.name.casefold()))

    async def _awaits(self, match: Match, player_id: int) -> bool:
        awaited = (await self.game(match.id)).to_act
        return awaited is not None and awaited.id == player_id

    async def _running_game(self, match_id: int, player_id: int, seen_ply: int | None) -> Game:
        game = await self.game(match_id)
        match = game.match
        if not match.has_player(player_id):
            raise NotAPlayerError(match)
        if match.result is not None:
            raise MatchOverError(match)
        if match.channel_id is None:
            raise WaitingForPlaceError(match)
        if seen_ply is not None and seen_ply != game.ply:
            raise MovedOnError
        return game

    async def _replay(self, match: Match) -> tuple[tuple[str, ...], Position, tuple[Event, ...]]:
        kept = self._replayed.get(match.id)
        if kept is not None and len(kept[0]) == match.ply:
            self._replayed.move_to_end(match.id)
            return kept
        # Turns are only ever added, so the first ``ply`` ones belong to the match as it was read.
        turns = (await self._storage.turns(match.id))[: match.ply]
        position, events = _played(match.ruleset, turns)
        return self._keep(match.id, turns, position, events)

    def _keep(
        self, match_id: int, turns: tuple[str, ...], position: Position, events: tuple[Event, ...]
    ) -> tuple[tuple[str, ...], Position, tuple[Event, ...]]:
        self._replayed[match_id] = (turns, position, events)
        self._replayed.move_to_end(match_id)
        if len(self._replayed) > _CACHED_GAMES:
            self._replayed.popitem(last=False)
        return self._replayed[match_id]


def _played(ruleset: Ruleset, turns: tuple[str, ...]) -> tuple[Position, tuple[Event, ...]]:
    """The position after the turns, and what the last one did."""
    if not turns:
        return ruleset.start(), ()
    return ruleset.replay(turns[:-1]).play(turns[-1])

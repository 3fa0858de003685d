"""Matches against the computer: starting them, and the computer's turns and answers."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from datetime import datetime

import rules
from bot.domain.challenges import First, assign_seats
from bot.domain.computer import (
    ComputerBusyError,
    NotAgainstComputerError,
    SearchRequest,
    SearchResult,
    UnfinishedGamesError,
    check_level_change,
    has_played,
    search_request,
)
from bot.domain.limits import COMPUTER_LIMIT, LimitedAction, TooManyComputerGamesError
from bot.domain.matches import Ending, Match, ProposalKind, Result
from bot.domain.places import Place
from bot.domain.players import Player, computer
from bot.domain.proposals import check_proposable
from bot.domain.timers import TimerKind
from bot.services.challenges import check_challenger, check_limit, withdraw_challenge
from bot.services.fair_play import FairPlay
from bot.services.match_lifecycle import channel_for_match, start_match
from bot.services.matches import Matches, PlayResult, level_for, lock_match
from bot.services.proposals import start_rematch
from bot.services.scheduling import show_later
from bot.storage import Storage, Transaction
from rules import Position, Ruleset
from rules.search import LEVELS

#: Maximum unfinished games of a person against the computer.
_MOST_UNFINISHED = 5
#: A player's first matches of a game are on the smallest board.
_FEW = 2


@dataclass(frozen=True, slots=True)
class DueSearch:
    """A search that is due in a match, and the person who waits for it."""

    request: SearchRequest
    player_id: int


@dataclass
class ComputerGames:
    """Matches against the computer, which are casual and have no clock.

    Every method stores everything, or raises a ``DomainError``. ``going_on`` returns the matches with recent searches.
    ``has_room`` says whether a person may start another match at a level, ignoring these finished matches.
    """

    storage: Storage
    matches: Matches
    fair_play: FairPlay
    going_on: Callable[[], Collection[int]]
    has_room: Callable[[int, int, Collection[int]], bool]
    now: Callable[[], datetime]
    chance: random.Random = field(default_factory=random.Random)

    # People

    async def start(
        self,
        place: Place,
        player: Player,
        level: int,
        ruleset: Ruleset,
        first: First = First.RANDOM,
        *,
        role_ids: Collection[int] = (),
        shown_by_caller: bool = False,
    ) -> Match:
        """Start a match of a player with these roles against a level; after a double press, return the first match."""
        await self._check_fair(player, ruleset)
        async with self.storage.transaction(shown_by_caller=shown_by_caller) as tx:
            await check_challenger(tx, place, role_ids)
            # This locks the player, so no other match of theirs can start before the end of the transaction.
            await tx.players.save(player, computer(level))
            begun = await self._unfinished_matches(tx, player)
            for match in begun:
                if await _is_the_same(tx, match, player, level, ruleset, place):
                    return match
            await self._check_limits(tx, player, level, begun)
            return await self._start(tx, place, player, level, ruleset, first)

    async def start_instead(
        self, challenge_id: int, player: Player, level: int, *, shown_by_caller: bool = False
    ) -> Match:
        """Withdraw the player's open challenge, and start a match against a level instead."""
        async with self.storage.read() as tx:
            wanted = await tx.challenges.get(challenge_id)
        if wanted is not None:
            await self._check_fair(player, wanted.ruleset)
        async with self.storage.transaction(shown_by_caller=shown_by_caller) as tx:
            challenge = await withdraw_challenge(tx, challenge_id, player.id, self.now())
            await tx.players.save(player, computer(level))
            await self._check_limits(tx, player, level, await self._unfinished_matches(tx, player))
            # Against the computer, levels replace handicaps.
            ruleset = challenge.ruleset if challenge.ruleset.handicap is None else replace(challenge.ruleset, setup="")
            return await self._start(tx, challenge.place, player, level, ruleset, challenge.first)

    async def rematch(self, match_id: int, player: Player, level: int, *, shown_by_caller: bool = False) -> Match:
        """Start a rematch against any level, with swapped seats."""
        await self._check_fair(player, (await self.matches.match(match_id)).ruleset)
        async with self.storage.transaction(shown_by_caller=shown_by_caller) as tx:
            match, now = await lock_match(tx, match_id), self.now()
            check_proposable(match, player.id, ProposalKind.REMATCH)
            if match.computer is None:
                raise NotAgainstComputerError
            opponent = computer(level)
            await tx.players.save(player, opponent)
            await self._check_limits(tx, player, level, await self._unfinished_matches(tx, player))
            seats = (opponent, player) if match.first.id == player.id else (player, opponent)
            await show_later(tx, TimerKind.CARD, match.id, match.guild_id, now)
            return await start_rematch(tx, match, seats, now)

    async def match_to_change(self, match_id: int, player_id: int) -> Match:
        """A match that :meth:`change_level` can replace, because the player has not played yet."""
        match = await self.matches.match(match_id)
        check_level_change(match, player_id)
        return match

    async def change_level(self, match_id: int, player: Player, level: int, *, shown_by_caller: bool = False) -> Match:
        """Replace a match in which the player has not played yet by a match at another level, with the same seats."""
        await self._check_fair(player, (await self.matches.match(match_id)).ruleset)
        async with self.storage.transaction(shown_by_caller=shown_by_caller) as tx:
            match, now, opponent = await lock_match(tx, match_id), self.now(), computer(level)
            check_level_change(match, player.id)
            if match.computer == opponent:
                return match
            await tx.players.save(player, opponent)
            await self.matches.end(tx, match, Result(None, Ending.ABANDONED), now)
            await self._check_limits(tx, player, level, await self._unfinished_matches(tx, player))
            seats = (player, opponent) if match.first.id == player.id else (opponent, player)
            return await start_rematch(tx, match, seats, now)

    async def usual_ruleset(self, player_id: int, game: type[Position]) -> Ruleset:
        """The ruleset of a match of the player: on the smallest board as long as they have begun few matches."""
        async with self.storage.read() as tx:
            begun = await tx.searches.count_begun(player_id, game.name, most=_FEW)
        return rules.ruleset(game.name, game.sizes[0] if begun < _FEW else None)

    async def suggested_level(self, player_id: int, game: str) -> int:
        """The level that suits the player in a game, by their past results."""
        async with self.storage.read() as tx:
            return await level_for(tx, player_id, game)

    async def _check_fair(self, player: Player, ruleset: Ruleset) -> None:
        """Raise if the match would begin with a position that the player also has against a person."""
        if ruleset.continues:
            await self.fair_play.check(player.id, await asyncio.to_thread(ruleset.start))

    async def _start(
        self, tx: Transaction, place: Place, player: Player, level: int, ruleset: Ruleset, first: First
    ) -> Match:
        seats = assign_seats(first, player, computer(level), heads=self.chance.random() < 0.5)
        channel_id = await channel_for_match(tx, place)
        return await start_match(tx, ruleset, place, seats, self.now(), channel_id, rated=False, control=None)

    @staticmethod
    async def _unfinished_matches(tx: Transaction, player: Player) -> list[Match]:
        return [match for match in await tx.matches.running(player_id=player.id) if match.computer is not None]

    async def _check_limits(self, tx: Transaction, player: Player, level: int, unfinished: list[Match]) -> None:
        if len(unfinished) >= _MOST_UNFINISHED:
            raise UnfinishedGamesError(count=len(unfinished))
        limited = LimitedAction.COMPUTER_GAMES
        await check_limit(tx, COMPUTER_LIMIT, limited, player.id, self.now(), TooManyComputerGamesError)
        if self.has_room(player.id, level, ()):
            return
        over = await tx.matches.over(self.going_on())
        if not self.has_room(player.id, level, over):
            raise ComputerBusyError(max(lower for lower in LEVELS if self.has_room(player.id, lower, over)))

    # The computer

    async def due_search(self, match_id: int) -> DueSearch | None:
        """The search that is due in a match; None if the computer has nothing to do."""
        game = await self.matches.game(match_id)
        match, awaited = game.match, game.to_act
        if match.computer is None or awaited is None or awaited.level is None or match.waiting:
            return None
        return DueSearch(search_request(game), match.opponent_of(match.computer.id).id)

    async def reply(self, match_id: int, request: SearchRequest, result: SearchResult) -> PlayResult | None:
        """Play the turn that a search found; None if the board has moved on.

        Raises :class:`rules.TurnError`.
        """
        game = await self.matches.game(match_id)
        level = game.match.computer
        if level is None or game.to_act is None or search_request(game) != request:
            return None
        turn = await asyncio.to_thread(lambda: game.position.draft(game.position.parse(result.turn)))
        return await self.matches.play_and_view(game, turn, level)


async def _is_the_same(
    tx: Transaction, match: Match, player: Player, level: int, ruleset: Ruleset, place: Place
) -> bool:
    opponent = match.opponent_of(player.id)
    if (opponent.level, match.ruleset) != (level, ruleset) or has_played(match, player.id):
        return False
    return (await tx.deliveries.get(match.id)).home == place

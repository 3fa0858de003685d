"""Puzzles: which one is next, how players stand, and the puzzle of the day."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from bot.domain.errors import NoPuzzleError, UnknownPuzzleError
from bot.domain.players import Player
from bot.domain.preferences import ServerSettings
from bot.domain.puzzles import (
    KEPT,
    Answered,
    DailyPuzzle,
    PuzzleCount,
    PuzzleStanding,
    daily_puzzle,
    day_of,
    next_daily,
    standing,
    suitable,
)
from bot.domain.timers import Timer, TimerKind
from bot.storage import Storage, Transaction
from rules import GAMES
from rules.puzzles import Puzzle, find_puzzle, puzzles

#: How long a solver waits at most for the card of the puzzle of the day to count them, so that it is edited rarely.
_COUNTED_AFTER = timedelta(seconds=30)


class Puzzles:
    """``clock`` returns the time in UTC."""

    def __init__(self, storage: Storage, *, clock: Callable[[], datetime], chance: random.Random | None = None) -> None:
        self._storage = storage
        self._clock = clock
        self._chance = chance or random.Random()

    async def get(self, key: str) -> Puzzle:
        puzzle = await asyncio.to_thread(find_puzzle, key)
        if puzzle is None:
            raise UnknownPuzzleError
        return puzzle

    async def next(self, player_id: int, game: str | None = None) -> Puzzle:
        """The next puzzle for a player, of a game or of any."""
        collection = await _collection()
        found = [puzzle for name in collection if game in (None, name) for puzzle in collection[name]]
        if not found:
            raise NoPuzzleError
        async with self._storage.read() as tx:
            attempts = await tx.puzzles.attempts(player_id)
        return self._chance.choice(suitable(found, attempts, standing(attempts).rating))

    async def see(self, player: Player, puzzle: Puzzle) -> bool | None:
        """Note that a player sees a puzzle; return how the first try ended (None: not yet)."""
        async with self._storage.transaction() as tx:
            await tx.players.save(player)
            await tx.puzzles.see(player.id, puzzle, self._clock())
            return await tx.puzzles.solved(player.id, puzzle.key)

    async def answer(self, player: Player, puzzle: Puzzle, *, solved: bool) -> Answered:
        """Store that a player has solved a puzzle, or not; only how the first try ends is ever stored."""
        now = self._clock()
        async with self._storage.transaction() as tx:
            await tx.players.save(player)
            before = standing(await tx.puzzles.attempts(player.id))
            counts = await tx.puzzles.answer(player.id, puzzle, now, solved=solved)
            if not counts:
                return Answered(await tx.puzzles.solved(player.id, puzzle.key) is True, before, before)
            since = day_of(now) - KEPT
            for server_id in await tx.puzzles.servers_of(player.id, puzzle.key, since):
                await tx.timers.set_unless_there(Timer(TimerKind.PUZZLE_COUNT, server_id, now + _COUNTED_AFTER))
            return Answered(solved, before, standing(await tx.puzzles.attempts(player.id)))

    async def standing(self, player_id: int) -> PuzzleStanding:
        async with self._storage.read() as tx:
            return standing(await tx.puzzles.attempts(player_id))

    # The puzzle of the day

    async def subscribe(self, server_id: int, channel_id: int | None) -> ServerSettings:
        """Let a server get the puzzle of the day in a channel from now on, or nowhere.

        The caller has checked that the user may do so.
        """
        async with self._storage.transaction() as tx:
            await tx.settings.change_server_settings(server_id, {"puzzle_channel_id": channel_id})
            if channel_id is None:
                await tx.timers.cancel(server_id, TimerKind.DAILY_PUZZLE)
            else:
                await tx.timers.set(Timer(TimerKind.DAILY_PUZZLE, server_id, self._clock()))
            return await tx.settings.server_settings(server_id)

    async def to_post(self, server_id: int) -> DailyPuzzle | None:
        """The puzzle of the current day that a server is to get; None if it got it, or does not want it."""
        now = self._clock()
        puzzle = daily_puzzle([*(await _collection()).values()], day_of(now))
        async with self._storage.transaction() as tx:
            channel_id = (await tx.settings.server_settings(server_id)).puzzle_channel_id
            if channel_id is None or puzzle is None:
                return None
            day = day_of(now)
            await tx.puzzles.forget_dailies(server_id, day - KEPT)
            count = await tx.puzzles.count(puzzle.key, server_id)
            await tx.puzzles.add_daily(DailyPuzzle(server_id, day, puzzle.key, channel_id, None, count))
            daily = await tx.puzzles.daily(server_id, day)
            assert daily is not None, "it is there by now"
            if daily.message_id is not None:
                await self._set_next(tx, server_id)
                return None
            return replace(daily, channel_id=channel_id)

    async def set_posted(self, daily: DailyPuzzle, message_id: int) -> None:
        """Store that the puzzle of a day was posted; the one of the next day follows."""
        async with self._storage.transaction() as tx:
            await tx.puzzles.set_daily(replace(daily, message_id=message_id))
            await self._set_next(tx, daily.server_id)

    async def skip(self, server_id: int) -> None:
        """Leave the puzzle of a day out, for it cannot be posted."""
        async with self._storage.transaction() as tx:
            await self._set_next(tx, server_id)

    async def outdated(self, server_id: int) -> list[tuple[DailyPuzzle, PuzzleCount]]:
        """The puzzles of the day on a server whose cards show another count, each with the right one."""
        async with self._storage.read() as tx:
            posted = [each for each in await tx.puzzles.dailies(server_id) if each.message_id is not None]
            counted = [(each, await tx.puzzles.count(each.puzzle, server_id)) for each in posted]
        return [(each, count) for each, count in counted if count != each.count]

    async def set_counted(self, daily: DailyPuzzle, count: PuzzleCount) -> None:
        """Store that the card of a puzzle of the day shows a count."""
        async with self._storage.transaction() as tx:
            await tx.puzzles.set_daily(replace(daily, count=count))

    async def _set_next(self, tx: Transaction, server_id: int) -> None:
        """Let the puzzle of the next day be next, unless the server has had enough meanwhile."""
        if (await tx.settings.server_settings(server_id)).puzzle_channel_id is not None:
            now = self._clock()
            await tx.timers.set(Timer(TimerKind.DAILY_PUZZLE, server_id, next_daily(server_id, now)))


async def _collection() -> dict[str, Sequence[Puzzle]]:
    """The puzzles by game, which are read from files for the first time."""
    return await asyncio.to_thread(lambda: {game: puzzles(game) for game in GAMES})

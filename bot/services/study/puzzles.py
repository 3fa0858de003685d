"""Puzzles: the next one for a player, first tries and ratings, and the puzzle of the day."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from bot.domain.players import Player
from bot.domain.preferences import ServerSettings
from bot.domain.study.puzzles import (
    DAILY_CARD_LIFETIME,
    DailyPuzzle,
    DailyResult,
    FirstTry,
    NoPuzzleError,
    PuzzleProgress,
    Try,
    UnknownPuzzleError,
    daily_puzzle,
    day_of,
    next_daily,
    progress_of,
    suitable,
)
from bot.domain.timers import Timer, TimerKind
from bot.storage import Storage, Transaction
from rules import GAMES
from rules.puzzles import Puzzle, find_puzzle, puzzles

#: Maximum time until the card of the puzzle of the day counts a solver; the delay saves edits.
_COUNTED_AFTER = timedelta(minutes=1)


@dataclass
class Puzzles:
    storage: Storage
    now: Callable[[], datetime]
    chance: random.Random = field(default_factory=random.Random)

    async def get(self, key: str) -> Puzzle:
        """The puzzle with a key. Raises :class:`UnknownPuzzleError` if this version has none."""
        puzzle = await asyncio.to_thread(find_puzzle, key)
        if puzzle is None:
            raise UnknownPuzzleError
        return puzzle

    async def next(self, player_id: int, game: str | None = None) -> Puzzle:
        """The next puzzle for a player: of a game or, as long as they have new puzzles, of the known games."""
        collection = await _collection()
        found = [puzzle for name in collection if game in (None, name) for puzzle in collection[name]]
        if not found:
            raise NoPuzzleError
        async with self.storage.read() as tx:
            attempts = await tx.puzzles.attempts(player_id)
            known = await tx.settings.known_games(player_id)
        return self.chance.choice(suitable(found, attempts, progress_of(attempts).rating, known))

    async def see(self, player: Player, puzzle: Puzzle) -> bool | None:
        """Store that a player sees a puzzle; return the result of their first try (None: not yet)."""
        async with self.storage.transaction() as tx:
            await tx.players.save(player)
            await tx.puzzles.see(player.id, puzzle, self.now())
            return await tx.puzzles.first_try(player.id, puzzle.key)

    async def first_try(self, player_id: int, puzzle: Puzzle) -> bool | None:
        """Whether a player's first try solved a puzzle; None before its end."""
        async with self.storage.read() as tx:
            return await tx.puzzles.first_try(player_id, puzzle.key)

    async def answer(self, player: Player, puzzle: Puzzle, *, solved: bool, shown: bool = False) -> FirstTry:
        """Store whether a player has solved a puzzle, or has been shown its solution. Only the first try counts."""
        now, tried = self.now(), Try.FOUND if solved else Try.SHOWN if shown else Try.WRONG
        async with self.storage.transaction() as tx:
            await tx.players.save(player)
            before = progress_of(await tx.puzzles.attempts(player.id))
            counts = await tx.puzzles.answer(player.id, puzzle, now, solved=solved)
            await tx.puzzles.add_try(player.id, puzzle.key, tried)
            if not counts:
                return FirstTry(await tx.puzzles.first_try(player.id, puzzle.key) is True, before, before)
            since = day_of(now) - DAILY_CARD_LIFETIME
            for server_id in await tx.puzzles.servers_of(player.id, puzzle.key, since):
                await tx.timers.set_unless_there(Timer(TimerKind.PUZZLE_COUNT, server_id, now + _COUNTED_AFTER))
            return FirstTry(solved, before, progress_of(await tx.puzzles.attempts(player.id)))

    async def progress(self, player_id: int) -> PuzzleProgress:
        async with self.storage.read() as tx:
            return progress_of(await tx.puzzles.attempts(player_id))

    # The puzzle of the day

    async def subscribe(self, server_id: int, channel_id: int | None) -> ServerSettings:
        """Choose the channel of a server's puzzle of the day (None: no puzzle); the caller has checked the user."""
        async with self.storage.transaction() as tx:
            await tx.settings.change_server_settings(server_id, {"puzzle_channel_id": channel_id})
            if channel_id is None:
                await tx.timers.cancel(server_id, TimerKind.DAILY_PUZZLE)
            else:
                await tx.timers.set(Timer(TimerKind.DAILY_PUZZLE, server_id, self.now()))
            return await tx.settings.server_settings(server_id)

    async def today(self) -> Puzzle | None:
        """The puzzle of the current day; None without puzzles."""
        return daily_puzzle([*(await _collection()).values()], day_of(self.now()))

    async def daily_result(self, player_id: int, puzzle: Puzzle) -> DailyResult | None:
        """A player's tries of the current puzzle of the day; None for other puzzles, and before the tries end."""
        day, today = day_of(self.now()), await self.today()
        if today is None or today.key != puzzle.key:
            return None
        async with self.storage.read() as tx:
            tries = await tx.puzzles.tries(player_id, puzzle.key)
        return DailyResult(day, puzzle, tries) if tries and tries[-1] is not Try.WRONG else None

    async def to_post(self, server_id: int) -> DailyPuzzle | None:
        """The puzzle of the current day, if a server wants it and does not have it yet."""
        day, puzzle = day_of(self.now()), await self.today()
        async with self.storage.read() as tx:
            channel_id = (await tx.settings.server_settings(server_id)).puzzle_channel_id
            if channel_id is not None and puzzle is not None and not await tx.puzzles.was_posted(server_id, day):
                count = await tx.puzzles.count(puzzle.key, server_id)
                return DailyPuzzle(server_id, day, puzzle.key, channel_id, count)
        await self.skip(server_id)
        return None

    async def set_posted(self, daily: DailyPuzzle) -> None:
        """Store that the puzzle of a day was posted, and schedule the next puzzle."""
        async with self.storage.transaction() as tx:
            await tx.puzzles.delete_dailies(daily.server_id, daily.day - DAILY_CARD_LIFETIME)
            await tx.puzzles.set_daily(daily)
            await _set_next(tx, daily.server_id, self.now())

    async def give_up(self, daily: DailyPuzzle) -> None:
        """Stop posting puzzles, because the channel is gone, unless the server has chosen another channel."""
        async with self.storage.transaction() as tx:
            if (await tx.settings.server_settings(daily.server_id)).puzzle_channel_id == daily.channel_id:
                await tx.settings.change_server_settings(daily.server_id, {"puzzle_channel_id": None})
                await tx.timers.cancel(daily.server_id, TimerKind.DAILY_PUZZLE)

    async def skip(self, server_id: int) -> None:
        """Schedule the puzzle of the next day."""
        async with self.storage.transaction() as tx:
            await _set_next(tx, server_id, self.now())

    async def outdated_counts(self, server_id: int) -> list[DailyPuzzle]:
        """The puzzles of the day whose messages on a server show an outdated count, with the current counts."""
        async with self.storage.read() as tx:
            found = await tx.puzzles.dailies(server_id)
            counted = [replace(daily, count=await tx.puzzles.count(daily.puzzle, server_id)) for daily in found]
        return [daily for daily in counted if daily not in found]

    async def set_counted(self, daily: DailyPuzzle) -> None:
        """Store the count that the message of a puzzle of the day shows."""
        async with self.storage.transaction() as tx:
            await tx.puzzles.set_daily(daily)


async def _set_next(tx: Transaction, server_id: int, now: datetime) -> None:
    if (await tx.settings.server_settings(server_id)).puzzle_channel_id is not None:
        await tx.timers.set(Timer(TimerKind.DAILY_PUZZLE, server_id, next_daily(server_id, now)))


async def _collection() -> dict[str, Sequence[Puzzle]]:
    return await asyncio.to_thread(lambda: {game: puzzles(game) for game in GAMES})

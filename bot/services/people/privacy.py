"""Blocks, limits on posts, players' conduct, and the export and deletion of a player's data."""

from __future__ import annotations

import asyncio
import io
import json
import zipfile
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import aclosing, closing, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.domain.challenges import ChallengeState
from bot.domain.clocks import DAY
from bot.domain.limits import AFTER_DELETION, POST_LIMIT, LimitedAction, TooManyPostsError
from bot.domain.matches import Match, MatchOverError, MovedOnError, NotAPlayerError
from bot.domain.players import Conduct, Player
from bot.domain.timers import Timer, TimerKind
from bot.runtime.timers import on_timer
from bot.services.challenges import check_limit, close_challenge
from bot.services.ladders import leave_all_ladders
from bot.services.matches import Matches
from bot.services.scheduling import show_later, show_match_later, update_tournament
from bot.services.tournaments import Tournaments
from bot.storage import Storage, Transaction

#: Larger integers are not exact in languages such as JavaScript, in which all numbers are floats.
_EXACT = 2**53
#: Up to this size, the file is not compressed, so every phone can open it.
_PLAIN = 512 * 1024
_NAME = "hexgrove-data.json"


@dataclass(frozen=True, slots=True)
class ExportFile:
    filename: str
    data: bytes


@dataclass
class Archive:
    """A JSON file of table rows under construction, of at most ``largest`` bytes; a large file is compressed.

    Its methods are slow: call them in a thread.
    """

    largest: int

    def __post_init__(self) -> None:
        self._buffer = io.BytesIO()
        self._zip = zipfile.ZipFile(self._buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9)
        self._json = self._zip.open(_NAME, "w", force_zip64=True)
        self._table = ""

    def add(self, table: str, rows: Sequence[Mapping[str, object]]) -> bool:
        """Add rows; all rows of a table follow each other. Return whether there is room for more."""
        for row in rows:
            text = json.dumps({name: _plain(value) for name, value in row.items()}, ensure_ascii=False)
            begun = ("\n],\n" if self._table else "{\n") + f'"{table}": [\n'
            self._json.write(((",\n" if table == self._table else begun) + text).encode())
            self._table = table
        return self._buffer.tell() <= self.largest

    def finish(self) -> ExportFile | None:
        """The file; None if it is too large."""
        self._json.write(b"\n]\n}\n" if self._table else b"{}\n")
        self.close()
        if self._zip.getinfo(_NAME).file_size <= min(_PLAIN, self.largest):
            return ExportFile(_NAME, zipfile.ZipFile(self._buffer).read(_NAME))
        data = self._buffer.getvalue()
        return ExportFile("hexgrove-data.zip", data) if len(data) <= self.largest else None

    def close(self) -> None:
        self._json.close()
        self._zip.close()


def _plain(value: object) -> object:
    """A value for JSON. Discord ids become strings, because many readers would lose digits."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    return str(value) if isinstance(value, int) and value > _EXACT else value


#: Maximum blocks of a player: the maximum entries of a menu on Discord.
MOST_BLOCKED = 25
#: Maximum bytes of a file that Discord accepts everywhere.
LARGEST_FILE = 10 * 1024 * 1024
#: How long an unanswered challenge is kept after its expiry.
CHALLENGE_RETENTION = timedelta(days=30)
#: How long a tried line is kept after its last change.
LINE_RETENTION = timedelta(days=30)
#: Rows read and written together, in about a millisecond of the event loop.
_EXPORT_BATCH = 200
#: Challenges or lines deleted in one transaction, during which others wait.
_PURGE_BATCH = 100


class _BusyError(Exception):
    """The player did something while being deleted."""


@dataclass
class Privacy:
    """Blocks, limits on posts, and players' data."""

    storage: Storage
    matches: Matches
    tournaments: Tournaments
    now: Callable[[], datetime]

    def __post_init__(self) -> None:
        self._exporting = asyncio.Semaphore(1)

    async def blocks(self, player_id: int) -> list[int]:
        """The Discord ids of the people whom the player has blocked. A block prevents challenges both ways."""
        async with self.storage.read() as tx:
            return await tx.privacy.blocks(player_id)

    async def set_blocked(self, player: Player, others: Iterable[int]) -> list[int]:
        """Block these people, and nobody else; running matches go on."""
        wanted = [other for other in dict.fromkeys(others) if other != player.id]
        async with self.storage.transaction() as tx:
            await tx.players.save(player)
            await tx.privacy.set_blocked(player.id, wanted[:MOST_BLOCKED])
            await tx.timers.set_for(None, Timer(TimerKind.PAIR, 0, self.now()))  # perhaps with someone unblocked
            return await tx.privacy.blocks(player.id)

    async def block_stranger(self, player: Player, other_id: int) -> None:
        """Block someone whom the player knows only from a match of strangers, so that no list shows their account."""
        async with self.storage.transaction() as tx:
            await tx.players.save(player)
            await tx.privacy.block_stranger(player.id, other_id)

    async def count_post(self, player: Player) -> None:
        """Count a board that the player posts; raise if they posted too many recently."""
        now = self.now()
        async with self.storage.transaction() as tx:
            await tx.players.save(player)
            await check_limit(tx, POST_LIMIT, LimitedAction.POSTS, player.id, now, TooManyPostsError)
            await tx.limits.add_post(player.id, now, kept_since=now - POST_LIMIT.span)

    async def conduct(self, player_id: int, game: str | None = None) -> Conduct:
        """The player's reliability in finishing matches with people, in one game or in all."""
        async with self.storage.read() as tx:
            return await tx.privacy.conduct(player_id, game)

    async def export(self, player_id: int, largest: int = LARGEST_FILE) -> ExportFile | None:
        """All rows that refer to the player and their programs; None if the file would exceed ``largest`` bytes.

        Strangers remain unknown: instead of their ids, the rows name the first match with each.
        """
        # One export at a time, because each holds a file in memory.
        async with self._exporting, self.storage.snapshot() as tx:
            player_ids = [player_id, *(program.id for program in await tx.programs.of_owner(player_id))]
            with closing(Archive(largest)) as archive:
                async with aclosing(tx.privacy.rows_of(player_ids, _EXPORT_BATCH)) as tables:
                    async for table, rows in tables:
                        if not await asyncio.to_thread(archive.add, table, rows):
                            return None
                return await asyncio.to_thread(archive.finish)

    async def delete(self, player_id: int) -> None:
        """Delete a player's data.

        First the player leaves their tournaments and resigns their running matches, and their programs are deleted in
        the same way. Finished matches stay without the player's name, because they also belong to the opponents; the
        opponents' ratings stay, too. If this is interrupted, another call completes it.
        """
        async with self.storage.transaction() as tx:
            await tx.strangers.end(player_id)  # nobody else is to meet the player
        tournaments = await self.tournaments.withdraw_everywhere(player_id)
        resigned: dict[int, Match] = {}
        while True:
            async with self.storage.read() as tx:
                programs = await tx.programs.of_owner(player_id)
                running = await tx.matches.running(player_id=player_id)
            for program in programs:
                await self.delete(program.id)
            for match in running:
                resigned[match.id] = match
                # A second deletion may be faster.
                with suppress(MatchOverError, MovedOnError, NotAPlayerError):
                    await self.matches.resign(match.id, player_id, shown_by_caller=True)
            with suppress(_BusyError):
                async with self.storage.transaction() as tx:
                    # Rating a match and deleting its player change the same rows.
                    await tx.players.lock_games(player_id, tournaments)
                    await self._show_nameless(tx, resigned.values(), tournaments)
                    ladders = await tx.ladders.lock_all_of(player_id)
                    await tx.ratings.lock()
                    if await tx.programs.of_owner(player_id) or await tx.matches.running(player_id=player_id):
                        raise _BusyError
                    tx.programs.wake(player_id)
                    await self._delete_settled(tx, player_id, ladders)
                    return

    async def _show_nameless(self, tx: Transaction, resigned: Iterable[Match], tournaments: Iterable[int]) -> None:
        """Have the matches and tournaments that a deletion has ended shown, without the player's name."""
        now = self.now()
        for match in resigned:
            await show_match_later(tx, match, now)
        for tournament_id in tournaments:
            await update_tournament(tx, tournament_id, now)

    async def _delete_settled(self, tx: Transaction, player_id: int, ladders: Collection[int]) -> None:
        """Delete a player without running matches, who leaves these locked ``ladders``.

        Raises :class:`_BusyError`, to roll the transaction back, if the player does something at the same time.
        """
        now = self.now()
        if not await tx.players.exists(player_id):
            return
        for challenge_id, challenger_id in await tx.privacy.open_challenges(player_id):
            challenge = await tx.challenges.get(challenge_id)
            assert challenge is not None
            own = challenger_id == player_id
            state = ChallengeState.WITHDRAWN if own else ChallengeState.DECLINED
            await close_challenge(tx, challenge, state, now)
        await leave_all_ladders(tx, player_id, ladders, now)
        for proposal_id, guild_id in await tx.privacy.lapse_proposals(player_id):
            await show_later(tx, TimerKind.SHOW_PROPOSAL, proposal_id, guild_id, now)
        if not await tx.players.anonymise(player_id):
            raise _BusyError
        # This timer locks the tombstones until the end of the transaction.
        await tx.timers.set_unless_there(Timer(TimerKind.LIFT_LIMITS, 0, now))
        await tx.limits.add_deletion(player_id, now)
        await self._lift_limits(tx, now)

    @on_timer(TimerKind.LIFT_LIMITS)
    async def lift_limits(self, _subject: int = 0) -> None:
        """Lift the full limits of accounts whose deletion is long enough ago, and set a timer for the others."""
        now = self.now()
        async with self.storage.transaction() as tx:
            await tx.timers.set_unless_there(Timer(TimerKind.LIFT_LIMITS, 0, now))
            await self._lift_limits(tx, now)

    @staticmethod
    async def _lift_limits(tx: Transaction, now: datetime) -> None:
        following = await tx.limits.remove_deletions(now - AFTER_DELETION.span)
        if following is None:
            await tx.timers.cancel(0, TimerKind.LIFT_LIMITS)
        else:
            await tx.timers.set(Timer(TimerKind.LIFT_LIMITS, 0, following + AFTER_DELETION.span))

    async def schedule_purge(self) -> None:
        """Schedule the first purge of a new database; each purge schedules the next one."""
        async with self.storage.transaction() as tx:
            await tx.timers.set_unless_there(Timer(TimerKind.PURGE, 0, self.now() + DAY))

    @on_timer(TimerKind.PURGE)
    async def purge(self, _subject: int = 0) -> None:
        """Delete some old unanswered challenges and tried lines, players known only from them, and plans that are over.

        The next purge is due immediately if there may be more to delete, and otherwise on the next day.
        """
        now = self.now()
        async with self.storage.transaction() as tx:
            purged = await tx.privacy.delete_challenges(now - CHALLENGE_RETENTION, _PURGE_BATCH)
            tried_by = await tx.lines.delete_old(now - LINE_RETENTION, _PURGE_BATCH)
            await tx.plans.delete_of_ended()
            await tx.players.delete_unreferenced(set(tried_by).union(*purged))
            more = _PURGE_BATCH in (len(purged), len(tried_by))
            await tx.timers.set(Timer(TimerKind.PURGE, 0, now if more else now + DAY))

"""Ladders: joining, pausing and leaving, and the effects of challenges and matches, stored with these."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime

from bot.domain.challenges import Challenge, ChallengeState, check_place, check_roles
from bot.domain.clocks import DAY
from bot.domain.competitions.ladders import (
    AGAIN,
    ANSWER,
    BETWEEN_PAUSES,
    LONGEST_MATCH,
    UNPAUSED,
    Ladder,
    Loss,
    PastChallenge,
    Rung,
    UnknownLadderError,
    wins_rung,
)
from bot.domain.matches import Ending
from bot.domain.places import Place, Viewer
from bot.domain.players import Player
from bot.domain.refusals import DomainError
from bot.domain.timers import Timer, TimerKind
from bot.services.scheduling import update_ladder
from bot.storage import Storage, Transaction
from rules import Position


@dataclass(frozen=True, slots=True)
class LadderOptions:
    """A player's options on a ladder: the ``rungs`` that they may challenge, or why they may challenge nobody.

    ``own`` is the player's rung; None if they are not on the ladder.
    """

    ladder: Ladder
    own: Rung | None
    rungs: tuple[Rung, ...] = ()
    refusal: DomainError | None = None


@dataclass
class Ladders:
    """The ladder of each game on each server. Every method does everything, or raises a ``DomainError``.

    A change sets the ladder's timer, whose handler calls :meth:`advance` and shows the ladder. After a crash, the timer
    is still there.
    """

    storage: Storage
    now: Callable[[], datetime]

    # Looking up

    async def get(self, ladder_id: int) -> Ladder:
        async with self.storage.read() as tx:
            return _existing(await tx.ladders.get(ladder_id, self.now()))

    async def find(self, viewer: Viewer, game: type[Position]) -> Ladder | None:
        """The ladder of a game on the viewer's server; None if there is none yet."""
        async with self.storage.read() as tx:
            found = await tx.ladders.find(viewer.place.guild_id, game)
            ladder = None if found is None else await tx.ladders.get(found, self.now())
        if ladder is not None and not await viewer.sees(ladder.place):
            raise UnknownLadderError
        return ladder

    async def options(self, ladder: Ladder, player_id: int) -> LadderOptions:
        """A player's options on a ladder that was just loaded."""
        own, now = ladder.rung(player_id), self.now()
        if own is None:
            return LadderOptions(ladder, None)
        async with self.storage.read() as tx:
            attempts = await attempts_of(tx, ladder.id, player_id, now)
        rungs, refusal = list[Rung](), None
        try:
            ladder.check_challenger(player_id, attempts, now)
        except DomainError as error:
            return LadderOptions(ladder, own, refusal=error)
        for rung in ladder.above(player_id):
            try:
                ladder.check_challenged(player_id, rung, attempts, now)
                rungs.append(rung)
            except DomainError as error:
                refusal = error
        return LadderOptions(ladder, own, tuple(rungs), None if rungs else refusal)

    async def rungs_of(self, player_id: int, viewer: Viewer) -> dict[type[Position], tuple[int, int]]:
        """The player's rung, and the number of rungs, on each of their ladders that a viewer can see, by game."""
        async with self.storage.read() as tx:
            return await tx.ladders.of_player(player_id, viewer)

    async def note_told(self, lost_id: int) -> None:
        async with self.storage.transaction() as tx:
            await tx.ladders.note_told(lost_id)

    # What players do

    async def open(
        self, place: Place, game: type[Position], player: Player, *, role_ids: Collection[int] = ()
    ) -> Ladder:
        """Join the ladder of a game on a server; if there is none yet, open it in the place."""
        async with self.storage.transaction() as tx:
            found = await tx.ladders.find(place.guild_id, game)
            if found is None:
                settings = await tx.settings.server_settings(place.guild_id)
                check_place(settings, place)
                check_roles(settings, role_ids)
                found = await tx.ladders.add(place, game)
            return await self._join(tx, found, player)

    async def join(self, ladder_id: int, player: Player) -> Ladder:
        """Join a ladder at its foot."""
        async with self.storage.transaction() as tx:
            return await self._join(tx, ladder_id, player)

    async def pause(self, ladder_id: int, player_id: int) -> Ladder:
        """Begin a pause; until it ends, the player can neither challenge nor be challenged."""
        async with self.storage.transaction() as tx:
            now = self.now()
            (await lock_ladder(tx, ladder_id, now)).check_pause(player_id, now)
            await tx.ladders.set_pause(ladder_id, player_id, now)
            return await self._update(tx, ladder_id, now)

    async def come_back(self, ladder_id: int, player_id: int) -> Ladder:
        """End the player's pause."""
        async with self.storage.transaction() as tx:
            now = self.now()
            (await lock_ladder(tx, ladder_id, now)).check_return(player_id)
            await tx.ladders.set_pause(ladder_id, player_id, None)
            await tx.ladders.set_active(ladder_id, player_id, now)
            await tx.ladders.forbid_pause(ladder_id, player_id, now + BETWEEN_PAUSES)
            return await self._update(tx, ladder_id, now)

    async def leave(self, ladder_id: int, player_id: int) -> Ladder:
        async with self.storage.transaction() as tx:
            now = self.now()
            ladder = await lock_ladder(tx, ladder_id, now)
            ladder.check_leave(player_id)
            await _leave(tx, ladder, player_id)
            return await self._update(tx, ladder_id, now)

    async def move(self, ladder_id: int, place: Place) -> Ladder:
        """Move a ladder to another channel of its server. The caller has checked that a moderator asks for it."""
        async with self.storage.transaction() as tx:
            now = self.now()
            check_place(await tx.settings.server_settings(place.guild_id), place)
            await tx.ladders.move(ladder_id, place.channel_id)
            return await self._update(tx, ladder_id, now)

    # What is due

    async def advance(self, ladder_id: int) -> None:
        """Remove the players who are out, and set a timer for the next players.

        This may be called at any time, and repeated after a crash.
        """
        async with self.storage.transaction() as tx:
            now = self.now()
            ladder = await lock_ladder(tx, ladder_id, now)
            overdue = ladder.overdue(now)
            for rung, loss in overdue:
                await tx.ladders.add_lost(ladder_id, rung, loss)
                await _leave(tx, _existing(await tx.ladders.get(ladder_id, now)), rung.player.id)
            if overdue:
                ladder = await self._update(tx, ladder_id, now)
            # A match that lasts too long no longer counts as a contest.
            times = [at for at in (ladder.next_out_at, now + DAY if ladder.contests else None) if at is not None]
            if times:
                await tx.timers.set(Timer(TimerKind.LADDER_OUT, ladder_id, min(times)))

    # Helpers

    async def _join(self, tx: Transaction, ladder_id: int, player: Player) -> Ladder:
        now = self.now()
        (await lock_ladder(tx, ladder_id, now)).check_join(player.id)
        await tx.players.save(player)
        await tx.ladders.join(ladder_id, player.id, now, may_pause_at=now + UNPAUSED)
        return await self._update(tx, ladder_id, now)

    @staticmethod
    async def _update(tx: Transaction, ladder_id: int, now: datetime) -> Ladder:
        await update_ladder(tx, ladder_id, now)
        return _existing(await tx.ladders.get(ladder_id, now))


async def leave_all_ladders(tx: Transaction, player_id: int, ladder_ids: Collection[int], now: datetime) -> None:
    """Remove a player who is being deleted from these locked ladders; the player has no contest."""
    for ladder_id in ladder_ids:
        await _leave(tx, _existing(await tx.ladders.get(ladder_id, now)), player_id)
        await update_ladder(tx, ladder_id, now)


async def _leave(tx: Transaction, ladder: Ladder, player_id: int) -> None:
    rung = ladder.rung(player_id)
    assert rung is not None
    await tx.ladders.leave(ladder.id, rung)


async def attempts_of(tx: Transaction, ladder_id: int, player_id: int, now: datetime) -> list[PastChallenge]:
    """The player's challenges on a ladder that may still prevent another one."""
    return await tx.ladders.attempts(ladder_id, player_id, now - LONGEST_MATCH - ANSWER - AGAIN)


def _existing(ladder: Ladder | None) -> Ladder:
    if ladder is None:
        raise UnknownLadderError
    return ladder


async def lock_ladder(tx: Transaction, ladder_id: int, now: datetime) -> Ladder:
    """Lock a ladder until the end of the transaction, and return it."""
    return _existing(await tx.ladders.lock(ladder_id, now))


async def settle_challenge(
    tx: Transaction, challenge: Challenge, ladder: Ladder, now: datetime, *, seen: bool = True
) -> None:
    """Apply the outcome of a challenge to its locked ladder."""
    assert challenge.opponent is not None
    challenger_id, opponent_id = challenge.challenger.id, challenge.opponent.id
    if challenge.state in (ChallengeState.ACCEPTED, ChallengeState.DECLINED):
        await tx.ladders.set_active(ladder.id, opponent_id, now)
    # The opponent cannot know of a challenge that was not posted.
    seen = seen and (await tx.deliveries.challenge(challenge.id)).message is not None
    if challenge.state is ChallengeState.DECLINED:
        await promote(tx, ladder, challenger_id, opponent_id, now)
    elif challenge.state is ChallengeState.EXPIRED and seen:
        await promote(tx, ladder, challenger_id, opponent_id, now, Loss.SILENCE)
    await update_ladder(tx, ladder.id, now)


async def settle_match(tx: Transaction, match_id: int, now: datetime) -> None:
    """Apply the end of a locked ladder match, which has just been stored."""
    match = await tx.matches.get(match_id)
    assert match is not None
    assert match.ladder is not None
    assert match.result is not None
    ladder = await lock_ladder(tx, match.ladder.id, now)
    for player in match.players:
        # A player who loses on time is absent; if a moderator ends the match, both may be.
        lost_on_time = match.result.ending is Ending.TIME and match.result.winner_id != player.id
        absent = lost_on_time or not match.result.counts
        at = await tx.ladders.last_turn_at(match_id, player.id) if absent else now
        if at is not None:
            await tx.ladders.set_active(ladder.id, player.id, at)
    if wins_rung(match):
        challenger_id = match.ladder.challenger_id
        await promote(tx, ladder, challenger_id, match.opponent_of(challenger_id).id, now)
    await update_ladder(tx, ladder.id, now)


async def promote(
    tx: Transaction, ladder: Ladder, winner_id: int, loser_id: int, now: datetime, loss: Loss | None = None
) -> None:
    """Move the winner to the loser's rung above, and store the ``loss``; do nothing if either has left."""
    winner, loser = ladder.rung(winner_id), ladder.rung(loser_id)
    if winner is None or loser is None or winner.number < loser.number:
        return
    await tx.ladders.promote(ladder.id, winner, loser)
    await tx.ladders.forbid_pause(ladder.id, winner_id, now + UNPAUSED)
    if loss is not None:
        await tx.ladders.add_lost(ladder.id, loser, loss, winner_id)

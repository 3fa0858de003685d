"""The effects of challenges and matches on ladders, stored together with them."""

from __future__ import annotations

from datetime import datetime

from bot.domain.challenges import Challenge, ChallengeState
from bot.domain.ladders import UNPAUSED, Ladder, Loss, UnknownLadderError, takes_place
from bot.domain.matches import Ending
from bot.domain.timers import Timer, TimerKind
from bot.storage import Transaction


async def lock_ladder(tx: Transaction, ladder_id: int, now: datetime) -> Ladder:
    """Lock a ladder until the end of the transaction and return it."""
    ladder = await tx.ladders.lock(ladder_id, now)
    if ladder is None:
        raise UnknownLadderError
    return ladder


async def update_ladder(tx: Transaction, ladder_id: int, now: datetime) -> None:
    """Schedule advancing and showing a ladder after a change."""
    await tx.ladders.increase_version(ladder_id)
    await tx.timers.set(Timer(TimerKind.LADDER, ladder_id, now))


async def settle_challenge(
    tx: Transaction, challenge: Challenge, ladder: Ladder, now: datetime, *, seen: bool = True
) -> None:
    """Apply the outcome in ``challenge``, still stored as open, to a locked ladder."""
    assert challenge.opponent is not None
    challenger_id, opponent_id = challenge.challenger.id, challenge.opponent.id
    if challenge.state in (ChallengeState.ACCEPTED, ChallengeState.DECLINED):
        await tx.ladders.set_active(ladder.id, opponent_id, now)
    # The opponent cannot know of a challenge that was not posted.
    seen = seen and (await tx.deliveries.challenge(challenge.id)).message is not None
    if challenge.state is ChallengeState.DECLINED:
        await take_place(tx, ladder, challenger_id, opponent_id, now)
    elif challenge.state is ChallengeState.EXPIRED and seen:
        await take_place(tx, ladder, challenger_id, opponent_id, now, Loss.SILENCE)
    await update_ladder(tx, ladder.id, now)


async def settle_match(tx: Transaction, match_id: int, now: datetime) -> None:
    """Apply the end of a locked ladder match, which has just been stored."""
    match = await tx.matches.get(match_id)
    assert match is not None
    assert match.ladder is not None
    assert match.result is not None
    ladder = await lock_ladder(tx, match.ladder.id, now)
    for player in match.players:
        # A player who loses on time is absent, and both may be if a moderator ends the match.
        lost_on_time = match.result.ending is Ending.TIME and match.result.winner_id != player.id
        absent = lost_on_time or not match.result.counts
        at = await tx.ladders.last_turn_at(match_id, player.id) if absent else now
        if at is not None:
            await tx.ladders.set_active(ladder.id, player.id, at)
    if takes_place(match):
        challenger_id = match.ladder.challenger_id
        await take_place(tx, ladder, challenger_id, match.opponent_of(challenger_id).id, now)
    await update_ladder(tx, ladder.id, now)


async def take_place(
    tx: Transaction, ladder: Ladder, winner_id: int, loser_id: int, now: datetime, loss: Loss | None = None
) -> None:
    """Give a player the place of another above, and note the ``loss``; do nothing if either has left."""
    winner, loser = ladder.rung(winner_id), ladder.rung(loser_id)
    if winner is None or loser is None or winner.number < loser.number:
        return
    await tx.ladders.promote(ladder.id, winner, loser)
    await tx.ladders.forbid_pause(ladder.id, winner_id, now + UNPAUSED)
    if loss is not None:
        await tx.ladders.add_lost(ladder.id, loser, loss, winner_id)

"""Challenges and matches that are stored without the services."""

from __future__ import annotations

from datetime import datetime

from bot.domain.challenges import Challenge, ChallengeState, First
from bot.domain.places import Place
from bot.domain.players import Player
from bot.domain.proposals import Proposal
from bot.storage import Storage
from rules import Ruleset


async def add_challenge(
    storage: Storage,
    place: Place,
    challenger: Player,
    opponent: Player | None,
    ruleset: Ruleset,
    first: First,
    created_at: datetime,
    expires_at: datetime,
) -> int | None:
    async with storage.transaction() as tx:
        await tx.players.save(challenger, opponent)
        return await tx.challenges.add(
            place, challenger, opponent, ruleset, first, created_at, expires_at, rated=True, control=None
        )


async def accept_challenge(
    storage: Storage, challenge_id: int, first: Player, second: Player, accepter: Player, now: datetime
) -> int:
    """Start the match of an open challenge, and return its id."""
    async with storage.transaction() as tx:
        await tx.players.save(accepter)
        assert await tx.challenges.close(challenge_id, ChallengeState.ACCEPTED, accepter)
        challenge = await tx.challenges.get(challenge_id)
        assert challenge is not None
        return await tx.matches.add_match(
            challenge.ruleset,
            challenge.place,
            challenge.place.channel_id,
            (first, second),
            now,
            rated=challenge.rated,
            control=challenge.control,
            challenge_id=challenge_id,
        )


async def stored_challenge(storage: Storage, challenge_id: int) -> Challenge | None:
    async with storage.read() as tx:
        return await tx.challenges.get(challenge_id)


async def stored_proposal(storage: Storage, proposal_id: int) -> Proposal | None:
    async with storage.read() as tx:
        return await tx.proposals.get(proposal_id)


async def next_timer(storage: Storage) -> datetime | None:
    async with storage.read() as tx:
        return await tx.timers.next_due()

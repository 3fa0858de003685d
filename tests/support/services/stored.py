"""Reads and changes stored data without the services."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Table, func, select

from bot.domain.challenges import Challenge, ChallengeState, First
from bot.domain.clocks import DAYS_OFF, year_of
from bot.domain.deliveries import CardKey, CardState, MatchDelivery
from bot.domain.matches import Match, Result, Step, mainline
from bot.domain.places import Place
from bot.domain.players import Player
from bot.domain.timers import TimerKind
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
        match_id = await tx.matches.add(
            challenge.ruleset,
            challenge.place.guild_id,
            (first, second),
            now,
            awaited_id=first.id,
            rated=challenge.rated,
            challenge_id=challenge_id,
        )
        await tx.deliveries.add(CardKey(match_id), challenge.place, challenge.place.channel_id)
        return match_id


async def due_timers(storage: Storage, now: datetime) -> set[tuple[TimerKind, int]]:
    """The kinds and subjects of the timers that are due."""
    async with storage.read() as tx:
        return {(timer.kind, timer.subject_id) for timer in await tx.timers.due(now, 1000)}


async def stored_challenge(storage: Storage, challenge_id: int) -> Challenge | None:
    async with storage.read() as tx:
        return await tx.challenges.get(challenge_id)


async def newest_id(storage: Storage, table: Table) -> int:
    """The id of the newest row, or 0."""
    async with storage.database.read() as connection:
        return await connection.scalar(select(func.max(table.c.id))) or 0


async def next_timer(storage: Storage) -> datetime | None:
    async with storage.read() as tx:
        return await tx.timers.next_due()


async def stored_match(storage: Storage, match_id: int) -> Match | None:
    async with storage.read() as tx:
        return await tx.matches.get(match_id)


async def stored_delivery(storage: Storage, match_id: int) -> MatchDelivery:
    async with storage.read() as tx:
        delivery = await tx.deliveries.get(match_id)
    assert delivery is not None
    return delivery


async def stored_card(storage: Storage, challenge_id: int) -> CardState:
    """The delivery of a challenge: the version to show, and the version shown."""
    async with storage.read() as tx:
        return await tx.deliveries.challenge(challenge_id)


async def stored_steps(storage: Storage, match_id: int) -> tuple[Step, ...]:
    async with storage.read() as tx:
        return await tx.matches.steps(match_id)


async def stored_turns(storage: Storage, match_id: int) -> tuple[str, ...]:
    """The turns of a match that stand in the database."""
    return tuple(step.turn for step in mainline(await stored_steps(storage, match_id)) if step.turn is not None)


async def running_matches(
    storage: Storage, place: Place | None = None, *, channel_id: int | None = None
) -> list[Match]:
    """The running matches with a channel, oldest first, at one place or anywhere."""
    async with storage.read() as tx:
        running = await tx.matches.running()
        deliveries = await tx.deliveries.get_all([match.id for match in running])

    def fits(delivery: MatchDelivery | None) -> bool:
        if delivery is None:
            return place is None and channel_id is None
        return (place is None or delivery.home.shares(place)) and channel_id in (None, delivery.channel_id)

    return [match for match in running if fits(deliveries.get(match.id))]


async def days_off_left(storage: Storage, player_id: int, now: datetime) -> int:
    async with storage.read() as tx:
        return DAYS_OFF - (await tx.clocks.days_off(player_id, now, year_of(now))).spent


async def waiting_matches(storage: Storage, home_channel_id: int) -> list[int]:
    async with storage.read() as tx:
        return [key.match_id for key in await tx.deliveries.waiting_matches(home_channel_id)]


async def add_turn(
    storage: Storage, match_id: int, step: int, turn: str, player_id: int, at: datetime, result: Result | None = None
) -> bool:
    async with storage.transaction() as tx:
        match = await tx.matches.get(match_id)
        assert match is not None
        awaited_id = match.opponent_of(player_id).id if result is None else None
        played = Step(match.ply + 1, turn, player_id, at)
        return await tx.matches.add_step(match_id, step, played, awaited_id, result) is not None


async def end_match(storage: Storage, match_id: int, step: int, at: datetime, result: Result) -> bool:
    async with storage.transaction() as tx:
        await tx.players.save(result.moderator)
        return await tx.matches.end(match_id, step, at, result)


async def place_match(storage: Storage, match_id: int, channel_id: int) -> bool:
    async with storage.transaction() as tx:
        return await tx.deliveries.assign_channel(CardKey(match_id), channel_id)


async def get_memo(storage: Storage, name: str) -> str | None:
    async with storage.read() as tx:
        return await tx.key_values.get(name)


async def set_memo(storage: Storage, name: str, value: str) -> None:
    async with storage.transaction() as tx:
        await tx.key_values.set(name, value)

"""The start of matches, and the start, turns, pauses and end of their clocks.

Callers that change a clock have locked its match in the same transaction.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import datetime

from bot.domain.clocks import Clock, DaysOff, TimeControl, day_off_end, timer_changes, year_of
from bot.domain.competitions.strangers import LOST_FOR
from bot.domain.deliveries import CardKey
from bot.domain.matches import FIRST_TURN_WITHIN, Match, MovedOnError, seat_to_act
from bot.domain.places import Place
from bot.domain.play import TimeUpError
from bot.domain.players import MOST_RUNNING, BusyProgramError, Player
from bot.domain.preferences import PlayIn
from bot.domain.timers import Timer, TimerChanges, TimerKind
from bot.services.scheduling import call_computer, refresh_later, show_match_later
from bot.storage import Transaction
from rules import Ruleset


async def start_match(
    tx: Transaction,
    ruleset: Ruleset,
    home: Place,
    seats: tuple[Player, Player],
    now: datetime,
    channel_id: int | None,
    *,
    second_home: tuple[Place, int | None] | None = None,
    rated: bool,
    control: TimeControl | None,
    **origin: int,
) -> Match:
    """Start a match in a channel. If the channel is not free, the match waits for a place, and its clock stands still.

    Of strangers, the second player has a ``second_home`` with its channel.

    ``origin`` is a ``challenge_id`` or the match of a rematch, ``rematch_of``; other matches have none. Raises
    :class:`BusyProgramError`.
    """
    for player in seats:
        if player.is_program and (await tx.matches.count_pending(player.id))[0] >= MOST_RUNNING:
            raise BusyProgramError(player=player, most=MOST_RUNNING)
    # A game that continues a position may begin with either player's turn, and may take a while to replay.
    seat = seat_to_act(await asyncio.to_thread(ruleset.start)) if ruleset.setup else 0
    assert seat is not None, "no game begins where another one ended"
    awaited_id = seats[seat].id
    guild_id = home.guild_id if second_home is None else None
    match_id = await tx.matches.add(ruleset, guild_id, seats, now, awaited_id=awaited_id, rated=rated, **origin)
    owner_id = None if second_home is None else seats[0].id
    begins = await tx.deliveries.add(CardKey(match_id), home, channel_id, player_id=owner_id)
    if second_home is not None:
        begins &= await tx.deliveries.add(CardKey(match_id, 1), *second_home, player_id=seats[1].id)
        await tx.timers.set(
            Timer(TimerKind.LOST_HOME, match_id, now + LOST_FOR),
            Timer(TimerKind.FIRST_TURN, match_id, now + FIRST_TURN_WITHIN),
        )
    if begins:
        await call_computer(tx, match_id, guild_id, awaited_id, now)
    if control is not None:
        clock = Clock.new(control, now if begins else None, seat)
        await tx.clocks.add(match_id, clock)
        await _change_timers(tx, match_id, timer_changes(match_id, clock))
    match = await tx.matches.get(match_id)
    assert match is not None
    await show_match_later(tx, match, now)
    return match


async def save_clock(tx: Transaction, match_id: int, clock: Clock, *, before: Clock) -> bool:
    """Replace the clock ``before``, and set its timers; False, without a change, if it is no longer stored."""
    saved = await tx.clocks.save(match_id, clock, before=before)
    if saved:
        await _change_timers(tx, match_id, timer_changes(match_id, clock, before))
    return saved


async def channel_for_match(tx: Transaction, place: Place) -> int | None:
    """The channel for a match in a place; None if the server plays only in threads."""
    return None if (await tx.settings.server_settings(place.guild_id)).play_in is PlayIn.THREAD else place.channel_id


async def move_home(tx: Transaction, match: Match, key: CardKey, place: Place, now: datetime) -> bool:
    """Move a home of a locked match; return whether it got the channel. The match goes on if it has all its places."""
    if match.apart is not None:
        await note_loss(tx, match, key, now)
    placed = await tx.deliveries.move(key, place, to_thread=await channel_for_match(tx, place) is None)
    others = [home for home in await tx.deliveries.homes(match.id) if home.key != key] if match.apart else []
    if placed and all(home.channel_id is not None for home in others):
        await let_go_on(tx, match.id, place.guild_id, now)
    else:
        await stop_clock(tx, match.id, now)
    return placed


async def note_loss(tx: Transaction, match: Match, key: CardKey, now: datetime) -> None:
    """Call a match of strangers off unless the home that is about to be left is seen again within some days."""
    await tx.deliveries.note_loss(key, now)
    await tx.timers.set_unless_there(Timer(TimerKind.LOST_HOME, match.id, now + LOST_FOR))


async def let_go_on(tx: Transaction, match_id: int, guild_id: int | None, now: datetime) -> None:
    """Continue a match that has just got a channel: start its clock, and call the computer.

    The hard end of a new match is counted from now; if the match had lost its place, its hard end is postponed.
    """
    await start_clock(tx, match_id, now)
    await call_computer(tx, match_id, guild_id, await tx.matches.to_act(match_id), now)


async def start_clock(tx: Transaction, match_id: int, now: datetime, *, again: bool = False) -> None:
    """Start the clock, if the match has one; ``again`` gives back the time that it has run since the last turn."""
    clock = await tx.clocks.get(match_id)
    if clock is not None:
        stopped = clock.stopped(clock.since) if again and clock.since is not None else clock
        await save_clock(tx, match_id, stopped.started(now), before=clock)
        cup = await tx.tournaments.cup_of(match_id)
        if cup is None:
            return
        if await tx.tournaments.move_end(match_id, ends_at := now + cup.longest_game):
            await tx.timers.set(Timer(TimerKind.HARD_END, match_id, ends_at))
        elif (pause := await tx.tournaments.pause(match_id)).since is not None:
            await tx.tournaments.set_pause(match_id, pause.ended(now, clock.seat))
            await _set_end(tx, match_id, now + pause.left)


async def pause_match(tx: Transaction, match: Match, now: datetime, *, unnoticed: bool = False) -> None:
    """Stop the clock of a locked match that has lost its place: now or, if that was ``unnoticed``, as of the last turn.

    In a cup, the match has the time of a whole game to find another place. Then it ends without a winner.
    """
    clock = match.clock
    if clock is None or clock.since is None:
        return
    since = clock.since if unnoticed else now
    await save_clock(tx, match.id, clock.stopped(since), before=clock)
    cup = await tx.tournaments.cup_of(match.id)
    if cup is not None and match.ends_at is not None:
        paused = await tx.tournaments.pause(match.id)
        await tx.tournaments.set_pause(match.id, replace(paused, since=since, left=match.ends_at - since))
        await _set_end(tx, match.id, now + cup.longest_game)


async def _set_end(tx: Transaction, match_id: int, ends_at: datetime) -> None:
    await tx.tournaments.set_end(match_id, ends_at)
    await tx.timers.set(Timer(TimerKind.HARD_END, match_id, ends_at))


async def stop_clock(tx: Transaction, match_id: int, now: datetime) -> None:
    """Stop the clock, if the match has one."""
    clock = await tx.clocks.get(match_id)
    if clock is not None:
        await save_clock(tx, match_id, clock.stopped(now), before=clock)


async def turn_clock(tx: Transaction, match: Match, before: Clock | None, now: datetime, seat: int) -> Clock | None:
    """Store and return the clock after a turn, with ``seat`` to act next.

    The match has the clock for the turn, and ``before`` is the stored clock, as :func:`check_in_time` returns them.
    Both may have been loaded before the match was locked. Since then, the clock can only have got more time, or have
    been stopped and started, so the turn is still in time.
    """
    clock = match.clock
    while clock is not None and before is not None:
        turned, spent = clock.turned(now, seat)
        if await save_clock(tx, match.id, turned, before=before):
            await tx.clocks.add_spent(match.id, match.step + 1, spent)
            return turned
        clock = before = await tx.clocks.get(match.id)
    return None


async def reached_until(tx: Transaction, match: Match, now: datetime) -> datetime:
    """When the player to act could last reach the bot for certain: now, or at the last heartbeat of its process."""
    guild_id = match.guild_id if match.clock is None else match.server_of(match.clock.seat)
    if tx.shards.holds(guild_id):
        return now
    seen_at = await tx.presence.seen_at(tx.shards.of(guild_id))
    return now if seen_at is None else min(seen_at, now)


async def check_in_time(tx: Transaction, match: Match, now: datetime) -> tuple[Match, Clock | None]:
    """Raise if a turn comes too late; otherwise return the match with the clock for the turn, and the stored clock.

    The two clocks differ by a day off, if one was spent. Raises :class:`MovedOnError` if the match has changed since it
    was loaded.
    """
    if match.clock is None or not match.clock.refuses_turns(now):
        return match, match.clock
    now = await reached_until(tx, match, now)
    player_id = match.players[match.clock.seat].id
    found = await tx.clocks.lock(match.id, match.step, player_id, now, year_of(now))
    if found is None:
        raise MovedOnError
    clock, days_off = found
    if not clock.refuses_turns(now):
        return replace(match, clock=clock), clock
    longer = await _begin_day_off(tx, player_id, clock, days_off, now)
    if longer is None:
        raise TimeUpError(match)
    return replace(match, clock=longer), clock


async def spend_day_off(tx: Transaction, match: Match, now: datetime) -> bool:
    """Spend a day off for a player whose flag has fallen, in a match that lasts for days; False if none is left."""
    assert match.clock is not None
    player_id = match.players[match.clock.seat].id
    days_off = await tx.clocks.days_off(player_id, now, year_of(now))
    longer = await _begin_day_off(tx, player_id, match.clock, days_off, now)
    if longer is None:
        return False
    await save_clock(tx, match.id, longer, before=match.clock)
    await refresh_later(tx, match, now)
    return True


async def _begin_day_off(
    tx: Transaction, player_id: int, clock: Clock, days_off: DaysOff, now: datetime
) -> Clock | None:
    """Begin a day off, unless one is running, for a player whose flag has fallen.

    Return the clock to store, or None if no day off is left. A day off applies to all matches of the player, but only
    matches in which their time is up need it.
    """
    ends_at = day_off_end(days_off, now) if clock.control.slow else None
    if ends_at is None:
        return None
    if days_off.running_until is None:
        await tx.clocks.add_day_off(player_id, now, ends_at)
    return clock.given(clock.seat, ends_at - now, now)


async def _change_timers(tx: Transaction, match_id: int, changes: TimerChanges) -> None:
    await tx.timers.set(*changes.set)
    await tx.timers.cancel(match_id, *changes.cancel)
    if changes.keep is not None:
        await tx.timers.set_unless_there(changes.keep)

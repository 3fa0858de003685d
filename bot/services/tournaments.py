"""Tournaments: joining, starting, playing and withdrawing."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime

from bot.domain.clocks import TimeControl
from bot.domain.competitions.cross_tables import CrossTables, cross_tables, winners_pairings
from bot.domain.competitions.cups import Cup, loser_at_hard_end
from bot.domain.competitions.tournaments import (
    MAX_AT_ONCE,
    MIN_ENTRANTS,
    BlockedEntrantError,
    CupClockError,
    NotAbsentError,
    OwnOpponentError,
    Pairing,
    Tournament,
    TournamentState,
    UnknownTournamentError,
    cup_pairings,
    is_absent,
    pairings_of,
)
from bot.domain.limits import (
    ENTRY_LIMIT,
    TOURNAMENT_LIMIT,
    LimitedAction,
    TooManyEntriesError,
    TooManyTournamentsError,
)
from bot.domain.matches import Ending, Game, MatchOverError, NotAPlayerError, Result
from bot.domain.places import Place, Viewer
from bot.domain.players import Player
from bot.domain.timers import LEASE, Timer, TimerKind
from bot.services.challenges import check_blocks, check_challenger, check_limit
from bot.services.match_lifecycle import start_match
from bot.services.matches import Matches, lock_match
from bot.services.scheduling import show_later, update_tournament
from bot.storage import Storage, Transaction
from rules import Ruleset

#: Maximum tournaments among which the wanted one is searched.
_MOST_SEARCHED = 20


@dataclass
class Tournaments:
    """Tournaments. Every method does everything, or raises a ``DomainError`` and does nothing.

    A change sets the tournament's timer, whose handler calls :meth:`advance` and shows the tournament. After a crash,
    the timer is still there.
    """

    storage: Storage
    matches: Matches
    now: Callable[[], datetime]
    chance: random.Random = field(default_factory=random.Random)

    # Looking up

    async def get(self, tournament_id: int) -> Tournament:
        async with self.storage.read() as tx:
            return _existing(await tx.tournaments.get(tournament_id))

    async def visible(self, viewer: Viewer, limit: int) -> list[Tournament]:
        """The tournaments that the viewer may see: first the ongoing ones, above all the channel's, then the newest."""
        async with self.storage.read() as tx:
            return await tx.tournaments.get_all(await tx.tournaments.search(viewer, limit))

    async def find(self, viewer: Viewer, number: int) -> Tournament:
        """The tournament with a number, if the viewer may see it."""
        found = await self.get(number)
        own = found.has_player(viewer.player_id) or found.organiser.id == viewer.player_id
        if not found.place.shares(viewer.place) or not (own or await viewer.sees(found.place)):
            raise UnknownTournamentError
        return found

    async def tables(self, tournament_id: int) -> CrossTables:
        return cross_tables(await self.get(tournament_id))

    # Before the start

    async def create(
        self,
        place: Place,
        name: str,
        organiser: Player,
        ruleset: Ruleset,
        *,
        control: TimeControl | None = None,
        at_once: int = 2,
        cup: Cup | None = None,
        role_ids: Collection[int] = (),
    ) -> Tournament:
        """Open a tournament, which its organiser joins. Without a name, it is named after the organiser.

        ``role_ids`` are the organiser's roles.
        """
        now, at_once = self.now(), min(max(1, at_once), MAX_AT_ONCE)
        if cup is not None and control is None:
            raise CupClockError
        async with self.storage.transaction() as tx:
            await check_challenger(tx, place, role_ids)
            await tx.players.save(organiser)
            limited = LimitedAction.TOURNAMENTS
            await check_limit(tx, TOURNAMENT_LIMIT, limited, organiser.id, now, TooManyTournamentsError)
            tournament_id = await tx.tournaments.add(place, name, organiser.id, ruleset, control, at_once, now, cup)
            await tx.tournaments.add_entrant(tournament_id, organiser.id)
            return await self._set_timers(tx, tournament_id)

    async def join(self, tournament_id: int, player: Player) -> Tournament:
        async with self.storage.transaction() as tx:
            await tx.players.save(player)
            tournament = _existing(await tx.tournaments.lock(tournament_id))
            tournament.check_join(player.id)
            organiser = tournament.organiser
            if organiser.id != player.id:
                await check_blocks(tx, player, organiser)
            if await tx.tournaments.has_block(tournament_id, player.id):
                raise BlockedEntrantError
            tournament.check_room()
            # Later editions of cups count towards no limit.
            await check_limit(tx, ENTRY_LIMIT, LimitedAction.ENTRIES, player.id, self.now(), TooManyEntriesError)
            await tx.tournaments.add_entrant(tournament_id, player.id)
            joined = await self._update(tx, tournament_id)
            return await self._begin(tx, joined) if joined.filled else joined

    async def start(self, tournament_id: int, player_id: int, *, moderator: bool = False) -> Tournament:
        """Draw lots for the order of the players and store the schedule; :meth:`advance` starts the games."""
        async with self.storage.transaction() as tx:
            tournament = _existing(await tx.tournaments.lock(tournament_id))
            tournament.check_start(player_id, moderator=moderator)
            return await self._begin(tx, tournament)

    async def start_cup(self, tournament_id: int) -> None:
        """Start a cup whose week is over, or call it off if too few have joined."""
        async with self.storage.transaction() as tx:
            tournament = _existing(await tx.tournaments.lock(tournament_id))
            if tournament.state is not TournamentState.OPEN or self.now() < tournament.starts_at:
                return
            if len(tournament.entrants) < MIN_ENTRANTS:
                await self._close(tx, tournament, TournamentState.CANCELLED)
            else:
                await self._begin(tx, tournament)

    async def _begin(self, tx: Transaction, tournament: Tournament) -> Tournament:
        """Start an open tournament; a cup may open its next edition in the same transaction."""
        order, cup = [entrant.player.id for entrant in tournament.entrants], tournament.cup
        self.chance.shuffle(order)
        if cup is None:
            schedule = pairings_of(order)
        else:
            game = tournament.ruleset.game.name
            ratings = await tx.ratings.latest(order, [game])
            order.sort(key=lambda player_id: ratings[player_id, game].value, reverse=True)
            schedule = cup_pairings(order, self.chance)
        await tx.tournaments.order_entrants(tournament.id, order)
        await tx.tournaments.add_pairings(tournament.id, schedule)
        if cup is not None and cup.reopens:
            following = await tx.tournaments.add(
                tournament.place,
                tournament.name,
                tournament.organiser.id,
                tournament.ruleset,
                tournament.control,
                tournament.at_once,
                self.now(),
                cup,
                edition=tournament.edition + 1,
                previous_id=tournament.id,
            )
            await self._set_timers(tx, following)
        return await self._close(tx, tournament, TournamentState.RUNNING)

    async def _set_timers(self, tx: Transaction, tournament_id: int) -> Tournament:
        """Set the timers of a new tournament."""
        opened = _existing(await tx.tournaments.get(tournament_id))
        await tx.timers.set(Timer(TimerKind.TOURNAMENT, tournament_id, opened.created_at))
        if opened.cup is not None:
            await tx.timers.set(Timer(TimerKind.CUP_START, tournament_id, opened.starts_at))
        return opened

    async def _close(self, tx: Transaction, tournament: Tournament, state: TournamentState) -> Tournament:
        """Start, end or call off a tournament. The previous edition's card then no longer offers to join it."""
        await tx.tournaments.set_state(tournament.id, state)
        if tournament.state is TournamentState.OPEN and tournament.previous_id is not None:
            before = _existing(await tx.tournaments.get(tournament.previous_id))
            if before.state is TournamentState.RUNNING:
                await update_tournament(tx, before.id, self.now())
        return await self._update(tx, tournament.id)

    async def cancel(self, tournament_id: int, player_id: int, *, moderator: bool = False) -> Tournament:
        """Call off an open or running tournament; its running games go on without it."""
        async with self.storage.transaction() as tx:
            tournament = _existing(await tx.tournaments.lock(tournament_id))
            tournament.check_calling_off(player_id, moderator=moderator)
            return await self._close(tx, tournament, TournamentState.CANCELLED)

    # Leaving

    async def withdraw(self, tournament_id: int, player_id: int) -> Tournament:
        """Withdraw a player: without a trace before the start, with an effect on the table after it."""
        async with self.storage.transaction() as tx:
            tournament = _existing(await tx.tournaments.lock(tournament_id))
            tournament.check_leave(player_id)
            await self._leave(tx, tournament, player_id, self.now())
            return await self._update(tx, tournament_id)

    async def withdraw_everywhere(self, player_id: int) -> list[int]:
        """Withdraw a player who is being deleted from all tournaments; return the tournaments' ids.

        Their tournaments pass to the next entrant. An edition of a cup without entrants passes to the new organiser of
        the previous edition; another open tournament without entrants is called off.
        """
        async with self.storage.transaction() as tx:
            ids, locked = await tx.tournaments.ongoing_of(player_id), list[int]()
            while ids != locked:  # a next edition may have opened before the lock
                await tx.tournaments.lock_all(ids)
                ids, locked = await tx.tournaments.ongoing_of(player_id), ids
            successors: dict[int | None, Player] = {}
            for tournament_id in ids:
                tournament = _existing(await tx.tournaments.get(tournament_id))
                if tournament.has_active(player_id):
                    await self._leave(tx, tournament, player_id, self.now())
                if tournament.organiser.id == player_id:
                    successor = tournament.successor(player_id) or successors.get(tournament.previous_id)
                    if successor is not None:
                        successors[tournament_id] = successor
                        await tx.tournaments.set_organiser(tournament_id, successor.id)
                    elif tournament.state is TournamentState.OPEN:
                        await self._close(tx, tournament, TournamentState.CANCELLED)
                # The deletion itself shows it without the player's name; this timer is for an interrupted deletion.
                await update_tournament(tx, tournament_id, self.now() + LEASE)
        return ids

    async def check_removal(self, tournament_id: int, player_id: int, by_id: int, *, moderator: bool = False) -> None:
        """Raise unless the user ``by_id`` may remove the player.

        Before the start, the organiser and moderators may remove players. After it, moderators who do not take part may
        do so, and the organiser may remove absent players, except their own opponents in running games.
        """
        await self._judge(tournament_id, player_id, by_id, moderator=moderator)

    async def remove(self, tournament_id: int, player_id: int, by: Player, *, moderator: bool = False) -> None:
        """Remove a player and end their running games without a winner."""
        while True:
            steps = await self._judge(tournament_id, player_id, by.id, moderator=moderator)
            async with self.storage.transaction() as tx:
                games = await tx.tournaments.lock_games(tournament_id, player_id)
                await tx.players.save(by)
                tournament = _existing(await tx.tournaments.lock(tournament_id))
                tournament.check_removal(player_id, by.id, moderator=moderator)
                absence_matters = tournament.needs_absence(by.id, moderator=moderator)
                if absence_matters and steps != games:
                    continue  # since the check, a turn was made, or a game has started or ended
                now = self.now()
                await self._leave(tx, tournament, player_id, now)
                await self._update(tx, tournament_id)
                for match_id in games:
                    match = await tx.matches.get(match_id)
                    assert match is not None
                    await self.matches.end(tx, match, Result(None, Ending.ABANDONED, by), now)
                return

    async def _judge(self, tournament_id: int, player_id: int, by_id: int, *, moderator: bool) -> dict[int, int] | None:
        """Raise unless the user may remove the player, as for :meth:`check_removal`.

        If the player has to be absent, return the steps of the running games that were checked, by match.
        """
        tournament = await self.get(tournament_id)
        tournament.check_removal(player_id, by_id, moderator=moderator)
        if not tournament.needs_absence(by_id, moderator=moderator):
            return None
        for pairing in tournament.running_of(player_id, by_id):
            assert pairing.match_id is not None
            raise OwnOpponentError(await self.matches.match(pairing.match_id))
        running = [pairing.match_id for pairing in tournament.running_of(player_id)]
        games = [await self.matches.game(match_id) for match_id in running if match_id is not None]
        if not await self._is_absent(tournament, games, player_id):
            raise NotAbsentError(player=tournament.player(player_id))
        return {game.match.id: game.step for game in games}

    async def _is_absent(self, tournament: Tournament, games: Collection[Game], player_id: int) -> bool:
        async with self.storage.read() as tx:
            last_turn_at = await tx.tournaments.last_turn_at(tournament.id, player_id)
            if tournament.lost_on_time(player_id, last_turn_at):
                return True
            for game in games:
                now = self.now()
                days_off = await tx.clocks.days_off(player_id, now, game.match.moved_at)
                if is_absent(game, player_id, now, days_off.spent):
                    return True
        return False

    @staticmethod
    async def _leave(tx: Transaction, tournament: Tournament, player_id: int, now: datetime) -> None:
        if tournament.state is TournamentState.OPEN:
            await tx.tournaments.remove_entrant(tournament.id, player_id)
        else:
            await tx.tournaments.withdraw_entrant(tournament.id, player_id, now)

    # Playing

    async def advance(self, tournament_id: int) -> None:
        """Resign the games of players who have withdrawn, start games, and end the tournament after its last game.

        After the last game of a cup's groups, the winners' group begins. Matches that still wait for a place look for
        one again. This may be called at any time, and repeated after a crash.
        """
        await self._resign_games(await self.get(tournament_id))
        async with self.storage.transaction() as tx:
            tournament = _existing(await tx.tournaments.lock(tournament_id))
            if tournament.state is not TournamentState.RUNNING:
                return
            following = winners_pairings(tournament, self.chance)
            if following:
                await tx.tournaments.add_pairings(tournament_id, following)
                tournament = await self._update(tx, tournament_id)
            running = [pairing.match_id for pairing in tournament.running if pairing.match_id is not None]
            for match_id in await tx.deliveries.outdated(running):
                await show_later(tx, TimerKind.SHOW_MATCH, match_id, tournament.place.guild_id, self.now())
            for pairing in tournament.startable:
                await self._start_game(tx, tournament, pairing)
            if tournament.finished:
                await self._close(tx, tournament, TournamentState.OVER)

    async def end_overdue(self, match_id: int) -> None:
        """End a cup match at its hard end: the player who has used more time loses.

        A match that waits for a place, or was never shown, has no winner.
        """
        async with self.storage.transaction() as tx:
            match, now = await lock_match(tx, match_id), self.now()
            if match.result is not None or match.ends_at is None or now < match.ends_at:
                return
            result = Result(None, Ending.ABANDONED)
            if match.shown and not match.waiting:
                cup, steps = await tx.tournaments.cup_of(match_id), await tx.matches.steps(match_id)
                assert cup is not None
                paused = (await tx.tournaments.pause(match_id)).times
                began_at = match.ends_at - cup.longest_game - paused[0] - paused[1]
                loser_id = await asyncio.to_thread(loser_at_hard_end, match, steps, began_at, now, paused)
                result = Result(match.opponent_of(loser_id).id, Ending.TIME)
            await self.matches.end(tx, match, result, now)

    async def _start_game(self, tx: Transaction, tournament: Tournament, pairing: Pairing) -> None:
        """Start the match of a pairing."""
        now = self.now()
        seats = tournament.player(pairing.first_id), tournament.player(pairing.second_id)
        match = await start_match(
            tx,
            tournament.ruleset,
            tournament.place,
            seats,
            now,
            channel_id=None,
            rated=True,
            control=tournament.control,
        )
        ends_at = None if tournament.cup is None else now + tournament.cup.longest_game
        await tx.tournaments.set_match(tournament.id, pairing, match.id, ends_at)
        if ends_at is not None:
            await tx.timers.set(Timer(TimerKind.HARD_END, match.id, ends_at))

    async def _resign_games(self, tournament: Tournament) -> None:
        for player_id in tournament.withdrawals:
            for pairing in tournament.running_of(player_id):
                assert pairing.match_id is not None
                with suppress(MatchOverError, NotAPlayerError):  # the player may just have been deleted
                    await self.matches.resign(pairing.match_id, player_id)

    async def _update(self, tx: Transaction, tournament_id: int) -> Tournament:
        await update_tournament(tx, tournament_id, self.now())
        return _existing(await tx.tournaments.get(tournament_id))


def _existing(tournament: Tournament | None) -> Tournament:
    if tournament is None:
        raise UnknownTournamentError
    return tournament

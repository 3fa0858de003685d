"""Round robins: joining, beginning, playing, withdrawing, and the table."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import comb

from bot.domain import round_robin
from bot.domain.clocks import TimeControl
from bot.domain.errors import (
    AlreadyEntrantError,
    BlockedEntrantError,
    MatchOverError,
    NoEntrantError,
    NotAbsentError,
    NotAPlayerError,
    NotOrganiserError,
    OwnOpponentError,
    OwnTournamentError,
    TooFewEntrantsError,
    TooManyTournamentsError,
    TournamentFullError,
    TournamentStateError,
    UnknownTournamentError,
)
from bot.domain.limits import Wait
from bot.domain.matches import Ending, Game
from bot.domain.places import Place, Viewer
from bot.domain.players import Player
from bot.domain.round_robin import Meeting, Row
from bot.domain.tournaments import Pairing, Tournament, TournamentState
from bot.services.matches import Matches
from bot.storage import Storage
from rules import Ruleset

FEWEST, MOST = 3, 16
MOST_AT_ONCE = 4
#: As many as Discord shows in one list.
_MOST_KNOWN = 25
#: Somebody is absent who has made no turn for so long in a game without a clock.
ABSENCE = timedelta(days=3)
_HOUR = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Table:
    """How a tournament stands: the rows, the best first, and what counts; players are their numbers in the schedule.

    ``withdrawn`` are those who left it, and ``annulled`` those of them whose games do not count: they come last.
    """

    tournament: Tournament
    rows: tuple[Row, ...]
    meetings: tuple[Meeting, ...]
    withdrawn: frozenset[int]
    annulled: frozenset[int]

    def player(self, number: int) -> Player:
        return self.tournament.entrants[number].player

    def meeting(self, one: int, other: int) -> Meeting | None:
        """The game of two players, when it counts."""
        return next((each for each in self.meetings if each.has(one) and each.has(other)), None)

    @property
    def winners(self) -> list[Player]:
        """Who has the best place among those who stayed."""
        staying = [row for row in self.rows if row.player not in self.withdrawn]
        return [self.player(row.player) for row in staying if row.place == staying[0].place]

    @property
    def games(self) -> int:
        """How many games count once all are over."""
        return comb(len(self.rows) - len(self.annulled), 2)


class Tournaments:
    """Every method either does what it says, whole and stored, or raises a ``DomainError``.

    Who withdraws gives up the games that are running; those of somebody who is taken out are abandoned. Before half of
    their games was played, none of their games counts; after that, the opponents win those that were not played, or
    were abandoned by that. Any other game that was abandoned brings nothing to both.
    """

    def __init__(
        self,
        storage: Storage,
        matches: Matches,
        *,
        clock: Callable[[], datetime],
        chance: random.Random | None = None,
    ) -> None:
        self._storage = storage
        self._matches = matches
        self._clock = clock
        self._chance = chance or random.Random()

    async def create(
        self,
        place: Place,
        name: str,
        organiser: Player,
        ruleset: Ruleset,
        *,
        control: TimeControl | None = None,
        at_once: int = 2,
        parent_id: int | None = None,
        role_ids: Collection[int] = (),
    ) -> Tournament:
        """Opens a tournament, in which the organiser takes part; without a name it is called after them.

        ``parent_id`` is the channel that a thread belongs to, ``role_ids`` are the organiser's.
        """
        await self._matches.check_challenger(place, parent_id, role_ids)
        added = await self._storage.add_tournament(
            place, name, organiser, ruleset, control, min(max(1, at_once), MOST_AT_ONCE), self._clock()
        )
        if isinstance(added, Wait):
            raise TooManyTournamentsError(added.until)
        return await self.get(added)

    async def get(self, tournament_id: int) -> Tournament:
        found = await self._storage.tournament(tournament_id)
        if found is None:
            raise UnknownTournamentError
        return found

    async def known(self, viewer: Viewer, most: int = _MOST_KNOWN, *, going_on: bool = False) -> list[int]:
        """The tournaments that the viewer may know of: their own, and those in channels that they can view.

        Those of the channel come first, the newest first; ``going_on`` leaves those out that are over.
        """
        return await self._storage.tournaments_for(viewer, most, going_on=going_on)

    async def find(self, viewer: Viewer, number: int | None = None, *, going_on: bool = True) -> Tournament:
        """The tournament named, or the newest one that the viewer may know of; ``going_on`` if it is to be."""
        if number is None:
            known = await self.known(viewer, 1, going_on=True)
            known = known or ([] if going_on else await self.known(viewer, 1))
            if not known:
                raise UnknownTournamentError
            return await self.get(known[0])
        found = await self.get(number)
        own = found.has_player(viewer.player_id) or found.organiser.id == viewer.player_id
        if not found.place.shares(viewer.place) or not (own or await viewer.sees(found.place)):
            raise UnknownTournamentError
        return found

    async def join(self, tournament_id: int, player: Player) -> Tournament:
        if await self._storage.add_entrant(tournament_id, player, MOST, self._clock()):
            return await self.get(tournament_id)
        tournament = await self._in(tournament_id, TournamentState.OPEN)
        if tournament.has_player(player.id):
            raise AlreadyEntrantError
        if tournament.organiser.id != player.id:
            await self._matches.check_blocks(player, tournament.organiser)
        if await self._storage.has_block(tournament_id, player.id):
            raise BlockedEntrantError
        raise TournamentFullError

    async def withdraw(self, tournament_id: int, player_id: int) -> Tournament:
        """Takes a player out who wants it: before the beginning without a trace, later with what that brings;
        :meth:`advance` then gives up their running games."""
        now = self._clock()
        if not await self._storage.remove_entrant(tournament_id, player_id, now):
            left = await self._storage.withdraw_entrant(tournament_id, player_id, now)
            if left is None:
                tournament = await self.get(tournament_id)
                if tournament.state in (TournamentState.OPEN, TournamentState.RUNNING):
                    raise NoEntrantError
                raise TournamentStateError(tournament)
        return await self.get(tournament_id)

    async def remove(self, tournament_id: int, player_id: int, by: Player, *, moderator: bool = False) -> list[int]:
        """The same for somebody else: nobody wins the games that are running, and the opponents the points. Returns
        these matches.

        ``moderator`` says that ``by`` keeps order where the tournament is.
        """
        tournament, steps = await self._checked(tournament_id, player_id, by.id, moderator)
        now = self._clock()
        if tournament.state is TournamentState.OPEN:
            if await self._storage.remove_entrant(tournament_id, player_id, now):
                return []
        else:
            ended = await self._storage.withdraw_entrant(tournament_id, player_id, now, by, steps)
            if ended is not None:
                return ended
        return await self.remove(tournament_id, player_id, by, moderator=moderator)  # it has changed in this moment

    async def check_removal(self, tournament_id: int, player_id: int, by_id: int, *, moderator: bool = False) -> None:
        """Raises unless somebody may take that player out.

        Before the beginning, the organiser and moderators may. After it, moderators who do not take part may, and the
        organiser when the player is absent; but nobody their own opponent in a running game.
        """
        await self._checked(tournament_id, player_id, by_id, moderator)

    async def _checked(
        self, tournament_id: int, player_id: int, by_id: int, moderator: bool
    ) -> tuple[Tournament, dict[int, int] | None]:
        """The tournament from which somebody may take a player out, and the steps of the player's running games by
        which the player is absent, where that matters."""
        tournament = await self.get(tournament_id)
        if tournament.state not in (TournamentState.OPEN, TournamentState.RUNNING):
            raise TournamentStateError(tournament)
        if not tournament.has_player(player_id) or player_id in tournament.withdrawn:
            raise NoEntrantError(own=False)
        if tournament.state is TournamentState.OPEN:
            self._check_organiser(tournament, by_id, moderator)
            return tournament, None
        if moderator and not tournament.has_player(by_id):
            return tournament, None
        self._check_organiser(tournament, by_id, moderator, judging=True)
        for pairing in tournament.running:
            if pairing.match_id is not None and pairing.has_player(player_id) and pairing.has_player(by_id):
                raise OwnOpponentError(await self._matches.match(pairing.match_id))
        return tournament, await self._check_absent(tournament, player_id)

    async def _check_absent(self, tournament: Tournament, player_id: int) -> dict[int, int]:
        """Raises unless a player keeps the tournament waiting; the steps of their running games."""
        absent = await self._lost_on_time(tournament, player_id)
        steps = {}
        for pairing in tournament.running:
            if pairing.match_id is not None and pairing.has_player(player_id):
                game = await self._matches.game(pairing.match_id)
                steps[pairing.match_id] = game.step
                absent = absent or await self._keeps_waiting(game, player_id)
        if not absent:
            raise NotAbsentError(next(each.player for each in tournament.entrants if each.player.id == player_id))
        return steps

    async def _keeps_waiting(self, game: Game, player_id: int) -> bool:
        """Whether a game without a clock has waited for a player for days, or the time of their clock is up, even if
        they have days off."""
        match, now = game.match, self._clock()
        if match.channel_id is None or game.to_act is None or game.to_act.id != player_id:
            return False
        if match.clock is None:
            return now - match.moved_at >= ABSENCE
        if match.clock.fallen(now):
            return True
        since = match.clock.since
        # A day off sets the clock going anew.
        restarted = since is not None and since > match.moved_at
        return restarted and await self._storage.days_off(player_id, match.moved_at) > 0

    async def _lost_on_time(self, tournament: Tournament, player_id: int) -> bool:
        """Whether a player has lost a game of it on time, and made no turn in any of them since."""
        lost = [
            each.ended_at
            for each in tournament.pairings
            if each.has_player(player_id)
            and each.result is not None
            and each.result.ending is Ending.TIME
            and each.result.winner_id != player_id
            and each.ended_at is not None
        ]
        if not lost:
            return False
        last = await self._storage.last_turn_in(tournament.id, player_id)
        return last is None or last < max(lost)

    async def withdraw_everywhere(self, player_id: int) -> list[int]:
        """Takes a player who leaves for good out of every tournament, and returns the tournaments' ids.

        What they have organised goes on with the first of those who stay, or is called off when there is nobody.
        """
        left = await self._storage.tournaments_of(player_id)
        for tournament_id in left:
            with suppress(NoEntrantError, TournamentStateError):
                await self.withdraw(tournament_id, player_id)
        handed_over = await self._storage.hand_over(player_id, self._clock())
        return sorted({*left, *handed_over})

    async def start(self, tournament_id: int, player_id: int, *, moderator: bool = False) -> Tournament:
        """Draws lots for the schedule; the games begin with :meth:`advance`."""
        tournament = await self._in(tournament_id, TournamentState.OPEN)
        self._check_organiser(tournament, player_id, moderator)
        order = [entrant.player.id for entrant in tournament.entrants]
        if len(order) < FEWEST:
            raise TooFewEntrantsError
        self._chance.shuffle(order)
        schedule = [
            Pairing(number, order[first], order[second])
            for number, pairs in enumerate(round_robin.schedule(len(order)), 1)
            for first, second in pairs
        ]
        if not await self._storage.begin_tournament(tournament_id, order, schedule, self._clock()):
            return await self.start(tournament_id, player_id, moderator=moderator)
        return await self.get(tournament_id)

    async def cancel(self, tournament_id: int, player_id: int, *, moderator: bool = False) -> Tournament:
        """Calls an open or running tournament off; games that are running go on by themselves."""
        tournament = await self.get(tournament_id)
        self._check_organiser(tournament, player_id, moderator, judging=True)
        for state in (TournamentState.OPEN, TournamentState.RUNNING):
            if await self._storage.end_tournament(tournament_id, state, TournamentState.CANCELLED, self._clock()):
                return await self.get(tournament_id)
        raise TournamentStateError(await self.get(tournament_id))

    async def advance(self, tournament_id: int) -> list[int]:
        """Gives up the games of those who have withdrawn, begins those that can begin, and ends the tournament after
        the last. It can be called at any time, and again after a crash.

        Returns the matches that have to be shown: those that were given up, and those that are running.
        """
        given_up = await self._give_up(await self.get(tournament_id))
        tournament = await self.get(tournament_id)
        if tournament.state is not TournamentState.RUNNING:
            return given_up
        gone = tournament.withdrawn
        running = tournament.running
        waiting = {
            (each.first_id, each.second_id): each
            for each in tournament.pairings
            if each.match_id is None and each.first_id not in gone and each.second_id not in gone
        }
        busy = Counter(player for each in running for player in (each.first_id, each.second_id))
        begun = [each.match_id for each in running if each.match_id is not None]
        for pair in round_robin.startable(list(waiting), busy, tournament.at_once):
            match_id = await self._storage.begin_pairing(tournament, waiting[pair], self._clock())
            if match_id is not None:
                begun.append(match_id)
        if not running and not waiting:
            await self._storage.end_tournament(
                tournament_id, TournamentState.RUNNING, TournamentState.OVER, self._clock()
            )
        return given_up + begun

    async def _give_up(self, tournament: Tournament) -> list[int]:
        """Resigns the running games of those who have withdrawn, and returns these matches."""
        given_up = []
        for pairing in tournament.running:
            for player_id in (pairing.first_id, pairing.second_id):
                if player_id in tournament.withdrawn and pairing.match_id is not None:
                    with suppress(MatchOverError, NotAPlayerError):  # the player may just have been forgotten
                        await self._matches.resign(pairing.match_id, player_id)
                    given_up.append(pairing.match_id)
        return list(dict.fromkeys(given_up))

    async def table(self, tournament_id: int) -> Table:
        return table(await self.get(tournament_id))

    async def _in(self, tournament_id: int, state: TournamentState) -> Tournament:
        tournament = await self.get(tournament_id)
        if tournament.state is not state:
            raise TournamentStateError(tournament)
        return tournament

    @staticmethod
    def _check_organiser(tournament: Tournament, player_id: int, moderator: bool, *, judging: bool = False) -> None:
        """Raises for everybody but the organiser and moderators; when it is about ``judging``, those who play are no
        moderators."""
        if player_id == tournament.organiser.id:
            return
        if not moderator:
            raise NotOrganiserError(tournament.organiser)
        if judging and tournament.has_player(player_id):
            raise OwnTournamentError


def table(tournament: Tournament) -> Table:
    """How a tournament stands by the games that are over."""
    numbers = {entrant.player.id: number for number, entrant in enumerate(tournament.entrants)}
    left = {entrant.player.id: entrant.withdrawn_at for entrant in tournament.entrants if entrant.withdrawn_at}
    annulled = {
        player_id
        for player_id, at in left.items()
        if 2
        * sum(
            each.has_player(player_id) and each.ended_at is not None and each.ended_at < at
            for each in tournament.pairings
        )
        < len(numbers) - 1
    }
    meetings = []
    for each in tournament.pairings:
        if each.first_id in annulled or each.second_id in annulled:
            continue
        scores = _scores(each, left)
        if scores is not None:
            uncounted = each.result is not None and not each.result.counts
            played = each.match_id is not None and not (uncounted and any(scores))
            meetings.append(Meeting(numbers[each.first_id], numbers[each.second_id], *scores, played))
    out = frozenset(numbers[each] for each in annulled)
    rows = round_robin.standings([number for number in numbers.values() if number not in out], meetings)
    last = [Row(number, len(rows) + 1, 0, 0, 0, 0, 0) for number in sorted(out)]
    return Table(tournament, (*rows, *last), tuple(meetings), frozenset(numbers[each] for each in left), out)


def _scores(pairing: Pairing, left: dict[int, datetime]) -> tuple[int, int] | None:
    """What a game brought to both, in half points; None while it is not over."""
    uncounted = pairing.result is not None and not pairing.result.counts
    if pairing.match_id is None or uncounted:
        gone = _had_left(pairing, pairing.first_id, left), _had_left(pairing, pairing.second_id, left)
        unplayed = {(True, False): (0, 2), (False, True): (2, 0), (True, True): (0, 0)}.get(gone)
        return (0, 0) if unplayed is None and uncounted else unplayed
    if pairing.result is None:
        return None
    if pairing.result.winner_id is not None:
        return (2, 0) if pairing.result.winner_id == pairing.first_id else (0, 2)
    return 1, 1


def _had_left(pairing: Pairing, player_id: int, left: dict[int, datetime]) -> bool:
    """Whether a player had withdrawn when the game ended, if ever it did."""
    at = left.get(player_id)
    return at is not None and (pairing.ended_at is None or at <= pairing.ended_at)

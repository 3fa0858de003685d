"""People who want to play anyone for months, while they come and go, and processes die and work at the same time."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import combinations, count
from typing import Any, TypeAlias

import pytest
from sqlalchemy import or_, select

import rules
from bot.domain.clocks import DAY
from bot.domain.competitions.strangers import NoRequestError, Pace, RequestState, StandingRequest
from bot.domain.deliveries import CardKey, MatchDelivery, PostedMessage
from bot.domain.matches import Ending, Match, MovedOnError, ProposalKind, Result
from bot.domain.places import Place
from bot.domain.players import Player
from bot.domain.refusals import DomainError
from bot.domain.timers import LEASE, TimerKind
from bot.services.strangers.pairing import CONVERSATION
from bot.storage.repository import AnyRow
from bot.storage.tables import blocks, excluded_accounts, match_deliveries, matches, standing_requests, turns
from rules import Phase
from rules.search.players import at_random
from tests.support.services.failures import dying_at
from tests.support.services.house import House
from tests.support.services.matches import CROWD
from tests.support.thorough import THOROUGH

OPEN, PAUSED, ENDED = RequestState
WEEK, HOUR, MINUTE = 7 * DAY, DAY / 24, DAY / 1440
#: Longer than the bot waits until it looks again who fits.
SOON = HOUR + 5 * MINUTE
#: How many turns a match has at least before it ends in a usual way.
FEW_TURNS = 4
SEED = 0
Handler: TypeAlias = Callable[[int], Awaitable[None]]


def seats(row: AnyRow) -> tuple[int, int]:
    return row.first_id, row.second_id


def conversation(player_id: int) -> Place:
    return Place(None, 500_000 + player_id, direct=True)


@dataclass
class Discord:
    """What shows matches in the tests: channels that may be lost, and conversations that may be closed.

    ``visible`` are the times since which homes have shown a running match, and ``dark`` those since which they have
    not.
    """

    clock: Callable[[], datetime]
    channels: dict[int, list[int]] = field(default_factory=dict)
    gone: set[int] = field(default_factory=lambda: {0})
    closed: set[int] = field(default_factory=set)
    visible: dict[CardKey, datetime] = field(default_factory=dict)
    dark: dict[CardKey, datetime] = field(default_factory=dict)
    #: The last loss of a home, by match.
    losses: dict[int, datetime] = field(default_factory=dict)
    ids: count[int] = field(default_factory=lambda: count(1_000_000))

    def attend(self, house: House, failures: list[Exception]) -> House:
        """Show what a process has shown on Discord, and note the failures of its timers."""

        def noting(handler: Callable[[int], Awaitable[Any]]) -> Handler:
            async def handle(subject: int) -> None:
                try:
                    await handler(subject)
                except Exception as error:
                    failures.append(error)
                    raise

            return handle

        handlers: dict[TimerKind, Any] = dict(house.scheduler.handlers)
        handlers[TimerKind.SHOW_MATCH] = lambda subject: self.show(house, CardKey.of(subject))
        house.scheduler.handlers = {kind: noting(handler) for kind, handler in handlers.items()}
        return house

    def reaches(self, home: MatchDelivery) -> bool:
        closed = home.home.guild_id is None and home.player_id in self.closed
        return home.home.channel_id not in self.gone and not closed

    def dark_since(self, key: CardKey, row: AnyRow, now: datetime) -> datetime:
        """Since when a home has not shown a match; ``now`` if it does."""
        return self.dark.get(key, now if key in self.visible else row.started_at)

    async def show(self, house: House, key: CardKey) -> None:
        """Show a match in a home, which may move."""
        match, home = await house.deliveries.of_card(key)
        if match.result is None and (home.channel_id is None or not self.reaches(home)):
            await self._find(house, home)
            match, home = await house.deliveries.of_card(key)
        if home.channel_id is None or not self.reaches(home):
            return
        if not match.shown and match.result is None:
            await house.deliveries.begin(key.match_id)
        seen, card = home.message, PostedMessage(home.channel_id, next(self.ids), home.version, match.step)
        await house.deliveries.set_board(
            key, card, None, seen=None if seen is None else seen.version, replaced=(), timers=(), newcomer=None
        )
        self.visible.setdefault(key, self.clock())
        self.dark.pop(key, None)

    async def catch_up(self, house: House) -> None:
        """Show what a process has left out when it died, as the next start does."""
        async with house.storage.read() as tx:
            unshown = await tx.deliveries.unshown_matches()
        for key in unshown:
            await self.show(house, key)

    async def _find(self, house: House, home: MatchDelivery) -> None:
        """Find a place for a match whose home is lost or occupied."""
        self.visible.pop(home.key, None)
        self.dark.setdefault(home.key, self.clock())
        if home.channel_id is not None:
            self.losses[home.match_id] = self.clock()
            await house.deliveries.release_channel(home.key, home.channel_id)
        if self.reaches(home):
            for channel_id in (home.home.channel_id, next(self.ids)):
                if await house.deliveries.assign_channel(home.key, channel_id):
                    return
        assert home.player_id is not None
        if home.player_id not in self.closed:
            await house.deliveries.move_home(home.key, conversation(home.player_id))


@dataclass
class Life:
    """People on servers and in conversations, in two processes."""

    house: House
    people: list[Player]
    servers: int
    chance: random.Random
    #: What each player last asked for, and since when they have waited without a match that began or ended.
    wishes: dict[int, RequestState] = field(default_factory=dict)
    since: dict[int, datetime] = field(default_factory=dict)
    requests: dict[int, AnyRow] = field(default_factory=dict)
    blocked: set[frozenset[int]] = field(default_factory=set)
    excluded: set[int] = field(default_factory=set)
    history: dict[int, AnyRow] = field(default_factory=dict)
    done: Counter[str] = field(default_factory=Counter)
    failures: list[Exception] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.discord = Discord(self.house.clock)
        self.houses = [self.discord.attend(house, self.failures) for house in (self.house, self.house.another())]
        self.discord.channels = {number: [10 * number, 10 * number + 1] for number in range(1, self.servers + 1)}
        # Some never come again, and some resign at once.
        self.absent, self.quitters = ({player.id for player in self.people[rest::9]} for rest in (0, 1))

    @property
    def now(self) -> datetime:
        return self.house.now

    # What people do

    async def act(self) -> None:
        """Let somebody do something. The process may die in the middle; then perhaps the other one does it."""
        house, other = self.chance.sample(self.houses, 2)
        who, awaiting = await self.somebody()
        try:
            if self.chance.random() < 0.1:
                with dying_at(house.storage, self.chance.randint(1, 30)):
                    await self.do(house, who, awaiting)
            else:
                await self.do(house, who, awaiting)
        except KeyboardInterrupt:
            self.done["died"] += 1
            await self.recall(who.id)
            await self.discord.catch_up(house)
            if self.chance.random() < 0.5:
                await self.do(other, who, awaiting)

    async def somebody(self, who: Player | None = None) -> tuple[Player, list[int]]:
        """A player, often one who is to act, and the matches that wait for them."""
        async with self.house.database.read() as connection:
            query = select(matches.c.id, matches.c.awaited_id).where(matches.c.ended_at.is_(None))
            awaiting = (await connection.execute(query.order_by(matches.c.id))).all()
        awaited = {row.awaited_id for row in awaiting} - self.absent
        busy = [player for player in self.people if player.id in awaited]
        who = who or self.chance.choice(busy if busy and self.chance.random() < 0.7 else self.people)
        return who, [row.id for row in awaiting if row.awaited_id == who.id]

    async def do(self, house: House, who: Player, awaiting: list[int]) -> None:
        wish = self.wishes.get(who.id, ENDED)
        if wish is OPEN:
            names = ["match"] * 40 * bool(awaiting) + ["ask", "pause", "block", "unblock", "lose", "rematch"] * 2
            names += ["end", "remove", "close", "exclude", "server"] + ["delete"] * (self.chance.random() < 0.4)
        else:
            names = ["match"] * 10 * bool(awaiting) + ["ask"] * 6 + ["resume"] * 6 * (wish is PAUSED)
            names += ["rematch", "admit", "reopen"]
        name = self.chance.choice(names)
        if name != "ask" and who.id in self.absent:
            name = "idle"
        with suppress(DomainError):
            if name == "match":
                await self._go_on(house, self.chance.choice(awaiting), who)
            elif name != "idle":
                await getattr(self, f"_{name}")(house, who)
            self.done[name] += 1

    async def _go_on(self, house: House, match_id: int, who: Player) -> None:
        """Play a turn, or end the match."""
        game = await house.matches.game(match_id)
        match = game.match
        if who.id in self.quitters and match.ply < FEW_TURNS:
            await house.resign(match, who)
        elif match.ply < FEW_TURNS or self.chance.random() < 0.3:
            opening = game.position.phase is not Phase.PLAY
            legal, seed = game.position.legal_turns, self.chance.randrange(1000)
            turn = self.chance.choice(legal) if opening else at_random(game.position, seed)
            await house.matches.play(game, game.position.draft(turn), match.player(who.id))
            self.done["turn"] += 1
        elif self.chance.random() < 0.2:
            await house.resign(match, who)
        else:
            winner = self.chance.choice([*match.players, None])
            result = Result(None, Ending.AGREEMENT) if winner is None else Result(winner.id, Ending.RULES)
            async with house.storage.transaction() as tx:
                locked = await tx.matches.lock(match.id)
                if locked is not None and locked.result is None:
                    await house.matches.end(tx, locked, result, self.now)

    async def _ask(self, house: House, who: Player) -> None:
        games = self.chance.sample(list(rules.GAMES), self.chance.choice([1, 2, 5]))
        place = conversation(who.id)
        if self.chance.random() < 0.7:
            server = self.chance.randint(1, self.servers)
            place = Place(server, self.chance.choice(self.discord.channels[server]))
        elif self.chance.random() < 0.2:
            place = CONVERSATION
        how = {"pace": self.chance.choice([*Pace]), "home": place, "near": self.chance.random() < 0.2}
        request = await house.standing_requests.ask(who, games, self.chance.choice([1, 1, 1, 2, 5]), **how)
        self._wish(who.id, request)

    def _wish(self, player_id: int, request: StandingRequest | AnyRow | None) -> None:
        state = ENDED if request is None else RequestState(request.state)
        if request is not None and state is PAUSED and request.resumes_at is not None:
            state = OPEN  # the bot has paused it, not the player
        if self.wishes.get(player_id) is not OPEN:
            self.since[player_id] = self.now
        self.wishes[player_id] = state

    async def _pause(self, house: House, who: Player) -> None:
        self._wish(who.id, await house.standing_requests.change(who.id, PAUSED))

    async def _resume(self, house: House, who: Player) -> None:
        self._wish(who.id, await house.standing_requests.change(who.id, OPEN))

    async def _end(self, house: House, who: Player) -> None:
        self._wish(who.id, await house.standing_requests.change(who.id, ENDED))

    async def _block(self, house: House, who: Player) -> None:
        other = self.chance.choice(self.people)
        if other != who:
            await house.privacy.block_stranger(who, other.id)
            self.blocked.add(frozenset((who.id, other.id)))

    async def _unblock(self, house: House, who: Player) -> None:
        """Block one known person and nobody else, except strangers."""
        await house.privacy.set_blocked(who, [self.chance.choice(self.people).id])
        await self.recall(who.id)

    async def _rematch(self, house: House, who: Player) -> None:
        last = next((row for row in reversed(self.history.values()) if who.id in seats(row) and row.ended_at), None)
        if last is not None and last.ended_at > self.now - DAY:
            made = await house.proposals.propose(last.id, who.id, ProposalKind.REMATCH)
            other = next(player_id for player_id in seats(last) if player_id != who.id)
            await house.proposals.accept(made.id, other)

    async def _lose(self, house: House, _who: Player) -> None:
        """A channel is deleted, and a new one made."""
        server = self.chance.randint(1, self.servers)
        channel = self.discord.channels[server].pop(0)
        self.discord.channels[server].append(next(self.discord.ids))
        self.discord.gone.add(channel)
        for key in await house.deliveries.running_in(channel):
            await self.discord.show(house, key)

    async def _remove(self, house: House, _who: Player) -> None:
        """A moderator removes a match from a server."""
        async with house.storage.read() as tx:
            homes = [home for match in await tx.matches.running() for home in await tx.deliveries.homes(match.id)]
        homes = [home for home in homes if home.home.guild_id is not None]
        if homes:
            home = self.chance.choice(homes)
            self.discord.losses[home.match_id] = self.now
            await house.deliveries.move_home(home.key, CONVERSATION)
            await self.discord.show(house, home.key)

    async def _server(self, house: House, _who: Player) -> None:
        await house.settings.change_server_settings(
            self.chance.randint(1, self.servers), strangers=self.chance.random() < 0.6
        )

    async def _close(self, house: House, who: Player) -> None:
        """A player closes the conversation with the bot."""
        self.discord.closed.add(who.id)
        place = conversation(who.id)
        for key in await house.deliveries.running_in(place.channel_id):
            await self.discord.show(house, key)

    async def _reopen(self, house: House, who: Player) -> None:
        """A player comes back, whose matches may have waited for that."""
        self.discord.closed.discard(who.id)
        async with house.storage.read() as tx:
            running = await tx.matches.running(player_id=who.id)
        for match in running:
            await self.discord.show(house, match.card_of(who.id))

    async def _exclude(self, house: House, who: Player) -> None:
        await house.standing_requests.exclude(who.id, excluded=True)
        self.excluded.add(who.id)

    async def _admit(self, house: House, who: Player) -> None:
        await house.standing_requests.exclude(who.id, excluded=False)
        self.excluded.discard(who.id)

    async def _delete(self, house: House, who: Player) -> None:
        await house.privacy.delete(who.id)
        await self._forget(who)

    async def _forget(self, who: Player) -> None:
        self.people = [player for player in self.people if player != who]
        del self.wishes[who.id]

    async def recall(self, player_id: int) -> None:
        """Read what is stored about a player, after a death or a change."""
        async with self.house.database.read() as connection:
            request = await connection.execute(
                select(standing_requests).where(standing_requests.c.player_id == player_id)
            )
            row = request.one_or_none()
            pairs = (await connection.execute(select(blocks.c.player_id, blocks.c.blocked_id))).all()
            self.excluded = set((await connection.scalars(select(excluded_accounts.c.id))).all())
        self.blocked = {frozenset(pair) for pair in pairs}
        self._wish(player_id, row)

    async def pass_time(self, time: timedelta) -> None:
        """Let time pass, in which either process, or both at once, do what is due; one may die."""
        end = self.now + time
        await self.begin()
        house, other = self.chance.sample(self.houses, 2)
        if self.chance.random() < 0.3:
            await asyncio.gather(*(process.scheduler.run_due() for process in self.houses))
        with dying_at(house.storage, self.chance.randint(1, 200)), suppress(KeyboardInterrupt):
            await house.wait(max(end - self.now, timedelta(0)))
        await other.wait(max(end - self.now, timedelta(0)) + LEASE + MINUTE)

    async def end(self) -> None:
        """Let everybody go away, half of them without a word, until all requests and matches have ended."""
        for player in self.people[THOROUGH * len(self.people) // 2 :]:
            with suppress(NoRequestError):
                await self._end(self.house, player)
        for _ in range(7):
            await self.pass_time(WEEK)
            await self.check()
        assert all(row.ended_at is not None for row in self.history.values())
        assert {request.state for request in (await self.stored_requests()).values()} == {ENDED}

    # What always holds

    async def begin(self) -> dict[int, int]:
        """Note what is asked before people are paired; return how many matches each player wants at once."""
        self.requests = await self.stored_requests()
        return {request.player_id: request.at_once for request in self.requests.values()}

    async def check(self, at_once: dict[int, int] | None = None) -> None:
        """Check what has happened. ``at_once`` is what people wanted before, if requests changed while it happened."""
        assert not self.failures
        last = max(self.history, default=0)
        left = [match_id for match_id, row in self.history.items() if row.ended_at is None]
        async with self.house.database.read() as connection:
            query = select(matches).where(or_(matches.c.id > last, matches.c.id.in_(left))).order_by(matches.c.id)
            rows = (await connection.execute(query)).all()
            ids = [row.id for row in rows]
            homes = await connection.execute(select(match_deliveries).where(match_deliveries.c.match_id.in_(ids)))
            stored = {CardKey(home.match_id, home.seat): home for home in homes}
            steps = await connection.execute(select(turns.c.match_id, turns.c.player_id))
            played = {tuple(step) for step in steps}
        self.history |= {row.id: row for row in rows}
        for row in rows:
            if row.id > last:
                self._check_begin(row, at_once)
            if row.ended_at is not None:
                self._check_end(row, {player_id for player_id in seats(row) if (row.id, player_id) in played})
        if at_once is not None:
            return
        running = {row.id: row for row in rows if row.ended_at is None}
        self._check_cards(running, stored)
        await self._check_waiting(await self.stored_requests(), running)

    async def stored_requests(self) -> dict[int, AnyRow]:
        async with self.house.database.read() as connection:
            rows = (await connection.execute(select(standing_requests))).all()
        return {row.player_id: row for row in rows}

    def _check_begin(self, row: AnyRow, at_once: dict[int, int] | None) -> None:
        if row.rematch_of is not None:
            return
        start = row.started_at
        one, other = seats(row)
        assert at_once is not None or frozenset((one, other)) not in self.blocked, "nobody meets a blocked person"
        earlier = [past for past in self.history.values() if past.id < row.id]
        for player_id in (player_id for player_id in seats(row) if player_id in self.requests):
            request = self.requests[player_id]
            if at_once is None:
                assert self.wishes[player_id] is OPEN, "nobody plays who does not want to"
                assert player_id not in self.excluded
                assert row.game in request.games
            own = [past for past in earlier if player_id in seats(past)]
            busy = [
                past for past in own if past.rematch_of is None and (past.ended_at is None or past.ended_at > start)
            ]
            assert len(busy) < max(request.at_once, (at_once or {}).get(player_id, 0)), (
                "nobody is in more matches than asked"
            )
        met = [past for past in earlier if {one, other} == {*seats(past)} and (past.ended_at or start) > start - WEEK]
        if met:
            self.done["met again"] += 1
            recent = [
                event
                for past in earlier
                if past.rematch_of is None and {one, other} & {*seats(past)}
                for event in (past.started_at, past.ended_at)
                if event is not None and start - 2 * DAY < event <= start
            ]
            assert not recent, "nobody meets the same person twice in a week unless both waited two days"
            assert all(self.since.get(player_id, start) <= start - 2 * DAY for player_id in (one, other))

    def _check_end(self, row: AnyRow, players: set[int]) -> None:
        end, keys = row.ended_at, (CardKey(row.id), CardKey(row.id, 1))
        self.done[f"ended by {row.ending}"] += 1
        dark = min(self.discord.dark_since(key, row, end) for key in keys)
        if row.ending == Ending.TIME:
            loser = next(player_id for player_id in seats(row) if player_id != row.winner_id)
            assert loser in players, "nobody loses a match without a turn"
            assert dark == end, "nobody loses a match that is not shown"
        elif row.ending == Ending.ABANDONED and dark <= end - 3 * DAY:
            self.done["lost"] += 1
        elif row.ending == Ending.ABANDONED:
            self.done["nobody came"] += 1
            assert len(players) < 2
            shown_for = end - max(self.discord.visible.get(key, end) for key in keys)
            assert shown_for >= 2 * DAY - HOUR or row.id in self.discord.losses, "nobody is to blame for a late card"

    def _check_cards(self, running: dict[int, AnyRow], stored: dict[CardKey, AnyRow]) -> None:
        for key, home in stored.items():
            if key.match_id not in running:
                continue
            row = running[key.match_id]
            reachable = home.player_id not in self.discord.closed or home.home_channel_id not in (
                *self.discord.gone,
                conversation(home.player_id).channel_id,
            )
            if reachable:
                assert home.channel_id is not None, "a match has a card in each reachable home"
                assert home.shown_version == row.step + home.requests
            dark = self.discord.dark_since(key, row, self.now)
            since = max(dark, self.discord.losses.get(row.id, row.started_at))
            assert self.now - since <= 3 * DAY + HOUR, "a match that somebody cannot see ends after three days"

    async def _check_waiting(self, requests: dict[int, AnyRow], running: dict[int, AnyRow]) -> None:
        """Every request is answered or waits for a reason."""
        busy = Counter(player_id for row in running.values() for player_id in seats(row))
        for request in requests.values():
            if request.state == OPEN:
                assert self.wishes[request.player_id] is OPEN, "who has paused stays paused"
        left = [
            request
            for request in requests.values()
            if request.state == OPEN
            and request.player_id not in self.excluded
            and busy[request.player_id] < request.at_once
        ]
        async with self.house.storage.read() as tx:
            ratings = await tx.ratings.latest([request.player_id for request in left], list(rules.GAMES))
        for one, other in combinations(left, 2):
            at = max(self.now - SOON, one.waiting_since, other.waiting_since)
            near = [request for request in (one, other) if request.near]
            within = [150 + 75 * ((at - request.waiting_since) / DAY) for request in near]
            pair = {one.player_id, other.player_id}
            met = [row.ended_at or self.now for row in self.history.values() if pair == {*seats(row)}]
            # Who goes first after a match without a first turn seems to have waited for longer.
            ended = [row.ended_at or row.started_at for row in self.history.values() if pair & {*seats(row)}]
            waited = at - max(one.waiting_since, other.waiting_since, *ended)
            fits = (
                one.pace == other.pace
                and frozenset(pair) not in self.blocked
                and (not met or at - max(met) >= WEEK or waited >= 2 * DAY)
                and any(
                    all(
                        abs(ratings[one.player_id, game].value - ratings[other.player_id, game].value) <= most
                        for most in within
                    )
                    for game in {*one.games} & {*other.games}
                )
            )
            assert not fits, f"two people wait who could play: {one}, {other}"


async def test_strangers_meet_as_the_rules_say_whatever_happens(house: House) -> None:
    """One act after the other; some die in the middle."""
    people, servers, days, acts = (300, 40, 90, 25) if THOROUGH else (14, 4, 7, 12)
    random.seed(SEED)  # who opens is left to chance
    life = Life(house, CROWD[:people], servers, random.Random(SEED))
    for _ in range(days):
        for _ in range(acts):
            await life.act()
        await life.pass_time(life.chance.uniform(0, 2) * DAY)
        await life.check()
    await life.end()
    seen = {"nobody came", "died", "turn"}
    more = {"lost", "met again", "rematch", "delete", "ended by time", "ended by rules", "ended by resignation"}
    assert seen | (more if THOROUGH else set()) <= life.done.keys()
    await house.check_ratings()


async def test_strangers_meet_as_the_rules_say_if_all_happens_at_once(house: House) -> None:
    """Many acts at the same time, in two processes, which also pair people meanwhile."""
    people, servers, rounds = (200, 20, 60) if THOROUGH else (14, 4, 3)
    life = Life(house, CROWD[:people], servers, random.Random(5))
    for _ in range(rounds):
        before = await life.begin()
        awaiting = [await life.somebody(who) for who in life.chance.sample(life.people, min(len(life.people), 12))]
        acts = [life.do(life.houses[number % 2], *each) for number, each in enumerate(awaiting)]
        pairing = [process.strangers.pair() for process in life.houses]
        await asyncio.gather(*acts, *pairing)
        for who, _ in awaiting:
            await life.recall(who.id)
        await life.begin()
        await life.check(at_once=before)
        await life.pass_time(life.chance.uniform(0, 2) * DAY)
        await life.check()
    await life.end()
    assert {"ask", "match", "turn"} <= life.done.keys()


@dataclass
class Deaths:
    """A process that dies again and again, and another one that goes on."""

    house: House

    def __post_init__(self) -> None:
        failures, discord = list[Exception](), Discord(self.house.clock)
        self.other = discord.attend(self.house.another(), failures)
        discord.attend(self.house, failures)

    async def ask(self, number: int) -> tuple[Player, Player]:
        """Let two people ask who have not asked before: one on a server, one in a conversation."""
        one, other = CROWD[2 * number : 2 * number + 2]
        for player, home in ((one, Place(number, 10 * number)), (other, conversation(other.id))):
            await self.other.standing_requests.ask(player, ["dalen"], 1, Pace.WEEK, home, near=False)
        return one, other

    async def running(self) -> list[Match]:
        async with self.other.storage.read() as tx:
            return await tx.matches.running()

    async def shown(self) -> Match:
        """The only match, shown in both homes once the leases of a dead process are over."""
        await self.other.wait(LEASE + MINUTE)
        (match,) = await self.running()
        homes = await self.other.deliveries.homes(match.id)
        assert [(home.seat, home.outdated, home.channel_id) for home in homes] == [
            (seat, False, home.home.channel_id) for seat, home in enumerate(homes)
        ]
        assert match.clock is not None
        assert match.clock.since is not None
        return match

    async def end(self, match: Match) -> None:
        for player in match.players:
            await self.other.standing_requests.change(player.id, ENDED)
        await self.other.resign(match, match.first)
        await self.other.wait(MINUTE)


@pytest.mark.both_databases
async def test_a_process_that_dies_while_it_pairs_leaves_one_match_or_none(house: House) -> None:
    number, begun, deaths = 0, set[int](), Deaths(house)
    while True:
        number += 1 if THOROUGH else 9
        pair = await deaths.ask(number)
        with dying_at(house.storage, number) as statements, suppress(KeyboardInterrupt):
            await house.wait()
        begun.add(len(await deaths.running()))
        match = await deaths.shown()
        assert {*match.players} == {*pair}
        await deaths.end(match)
        if len(statements) < number:
            break
    assert begun == {0, 1}


@pytest.mark.both_databases
async def test_a_process_that_dies_in_a_turn_with_two_homes_plays_it_once_or_not_at_all(house: House) -> None:
    number, played, deaths = 0, set[int](), Deaths(house)
    while True:
        number += 1 if THOROUGH else 7
        await deaths.ask(number)
        match = await deaths.shown()
        game = await house.game(match)
        with dying_at(house.storage, number) as statements, suppress(KeyboardInterrupt):
            await house.matches.play(game, game.position.draft("e5"), match.first)
            await house.wait()
        played.add(len(await house.turns(match)))
        with suppress(MovedOnError):
            await deaths.other.matches.play(game, game.position.draft("e5"), match.first)
        match = await deaths.shown()
        assert await house.turns(match) == ("e5",)
        assert match.clock is not None
        assert match.clock.seat == 1
        await deaths.end(match)
        if len(statements) < number:
            break
    assert played == {0, 1}

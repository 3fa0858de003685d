"""Matches: playing, ending and finding them, and how everybody sees them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from typing import TypeAlias

from bot.domain.clocks import Clock
from bot.domain.competitions.leaderboards import HeadToHead
from bot.domain.computer import LAST_RESULTS, Exchange, exchange, steps_on_past_card, suggested_level
from bot.domain.deliveries import CardKey, MatchDelivery, PostedMessage, home_for
from bot.domain.matches import (
    AlreadyVoidError,
    Ending,
    Game,
    ManyMatchesError,
    Match,
    MatchChoice,
    MatchScope,
    MovedOnError,
    NextMatch,
    NoMatchError,
    NoMatchToShowError,
    NotAPlayerError,
    Proposal,
    ProposalState,
    Result,
    Step,
    TakeBack,
    UnknownMatchError,
    mainline,
)
from bot.domain.places import Viewer
from bot.domain.plans import planned_answers
from bot.domain.play import after, check_awaited, check_running
from bot.domain.players import Player
from bot.domain.preferences import Preferences, ServerSettings
from bot.domain.proposals import LapsedProposal, NotOverError
from bot.domain.ratings import Rating
from bot.domain.timers import TimerKind
from bot.runtime import metrics
from bot.runtime.recent import Recent
from bot.services.ladders import settle_match
from bot.services.match_lifecycle import check_in_time, save_clock, stop_clock, turn_clock
from bot.services.ratings import Ratings
from bot.services.scheduling import call_computer, refresh_later, show_match_later, update_tournament
from bot.services.strangers.requests import settle_strangers
from bot.storage import Storage, Transaction
from bot.storage.repositories.matches import AddedStep
from rules import Draft, Event, Position, Ruleset, TurnError


@dataclass(frozen=True, slots=True)
class MatchView:
    """A match as everybody sees it. ``preferences`` are of the people whom it may ping.

    The ``newcomer`` does not know the game yet. The last turn closed the ``lapsed_proposals``; the cards of
    ``unshown_proposals`` are outdated. After a match, ``play_on`` says whether a player still has other matches.

    ``exchange`` has the steps that the card shows together; the last turns of the ``earlier`` games are listed above
    the last turn. After a match against the computer, ``level_rating`` is the rating of its level, and
    ``suggested_level`` the level for the next match.
    """

    game: Game
    delivery: MatchDelivery
    settings: ServerSettings
    preferences: Mapping[int, Preferences]
    newcomer: Player | None
    unshown_proposals: tuple[int, ...]
    lapsed_proposals: tuple[LapsedProposal, ...]
    exchange: Exchange
    ended_by: Proposal | None
    record: HeadToHead | None
    suggested_level: int | None
    play_on: bool
    earlier: tuple[Game, ...] = ()
    level_rating: Rating | None = None


async def read_view(
    tx: Transaction, game: Game, delivery: MatchDelivery, unshown: Iterable[int], lapsed: Sequence[LapsedProposal] = ()
) -> MatchView:
    """The view of a match that was just loaded, without ``earlier`` and ``level_rating``."""
    game = replace(game, match=game.match.seen_from(delivery))
    match, awaited = game.match, game.to_act
    computer, over, game_name = match.computer, match.result, match.ruleset.game.name
    people = [player for player in match.players if player.reachable]
    called = people if awaited is None else [player for player in people if player == awaited]
    wishes = await tx.settings.preferences_and_known([player.id for player in called], game_name)
    lapsed_ids = {closed.proposal.id for closed in lapsed}
    return MatchView(
        game=game,
        delivery=delivery,
        settings=await tx.settings.server_settings(delivery.home.guild_id),
        preferences={player_id: wished for player_id, (wished, _) in wishes.items()},
        newcomer=awaited if awaited is not None and not wishes.get(awaited.id, (None, True))[1] else None,
        unshown_proposals=tuple(proposal_id for proposal_id in unshown if proposal_id not in lapsed_ids),
        lapsed_proposals=tuple(lapsed),
        exchange=exchange(game, () if computer is None else (await tx.matches.steps(match.id))[: match.step]),
        ended_by=await tx.proposals.of_ending(match.id) if over and over.ending is not Ending.RULES else None,
        record=HeadToHead.of(match.first.id, await tx.searches.winners(match)) if over and over.counts else None,
        suggested_level=await level_for(tx, match.opponent_of(computer.id).id, game_name)
        if over and computer
        else None,
        play_on=bool(over and people) and await tx.matches.any_play([player.id for player in people]),
    )


async def level_for(tx: Transaction, player_id: int, game: str) -> int:
    """The level that suits the player in a game, by their past results."""
    return suggested_level(await tx.searches.level_results(player_id, game, LAST_RESULTS))


_CACHED_GAMES = 500
#: Maximum match labels searched for a typed text.
_MOST_LABELS = 1000
#: Match numbers have fewer digits.
_DIGITS = 10
#: Maximum matches whose turns are read together.
_BATCH = 500


@dataclass(frozen=True, slots=True)
class Turn:
    """The game that a player means, their ``draft`` of a turn if it was loaded, and their preferences."""

    game: Game
    draft: str
    preferences: Preferences


@dataclass(frozen=True, slots=True)
class PlayResult:
    """The result of a turn, which planned answers may follow.

    ``view`` is the match as everybody then sees it, ``own`` is the game after the player's own turn, and ``next_match``
    is another match that waits for the player.
    """

    view: MatchView
    own: Game
    next_match: NextMatch | None = None

    @property
    def game(self) -> Game:
        return self.view.game


@dataclass(frozen=True, slots=True)
class _StoredTurns:
    """The game after a player's ``own`` turn, the games after each planned answer, and the ``latest`` game.

    The turn closed the ``lapsed_proposals``. The match ``next_awaited`` has waited longest for the player.
    """

    own: Game
    answers: Sequence[Game]
    latest: Game
    lapsed_proposals: tuple[LapsedProposal, ...]
    next_awaited: int | None


@dataclass
class Matches:
    """Matches and their games. Every method stores everything, or raises a ``DomainError``."""

    storage: Storage
    ratings: Ratings
    now: Callable[[], datetime]

    def __post_init__(self) -> None:
        # Replayed games by match and step, including the games on previous cards.
        self._replays: Recent[tuple[int, int], _Replay] = Recent(_CACHED_GAMES)

    # Matches

    async def match(self, match_id: int) -> Match:
        async with self.storage.read() as tx:
            return await self._match(tx, match_id)

    async def game(self, match_id: int) -> Game:
        async with self.storage.read() as tx:
            return await self.load(tx, match_id)

    async def game_of(self, match: Match) -> Game:
        """The game of a match that has just been loaded."""
        known = self._replays.get((match.id, match.step))
        if known is not None:
            return Game(match, *known)
        async with self.storage.read() as tx:
            return await self._game(tx, match)

    async def game_at(self, match: Match, ply: int) -> Game:
        """The match after the first ``ply`` of its turns, as if it were still running."""
        return await rewound(await self.game_of(match), ply)

    async def past_game(self, match: Match, step: int) -> Game:
        """The match after its first ``step`` steps, as if it were still running.

        This includes turns that were taken back later. If the match has fewer steps, it is the match with all of them.
        """
        step = min(step, match.step)
        game = await self.game_of(replace(match, step=step))
        return replace(game, match=replace(match, ply=game.ply, step=step, result=None, proposals=()))

    async def view(self, key: CardKey) -> MatchView:
        """A match as everybody sees it in a home."""
        async with self.storage.snapshot() as tx:
            delivery, unshown = await tx.deliveries.with_proposals(key)
            view = await read_view(tx, await self.load(tx, key.match_id), delivery, unshown)
        return await self._complete(view)

    async def earlier_games(self, match: Match, step: int) -> tuple[Game, ...]:
        """The games whose last turns are listed above the last turn on the card of a step."""
        earlier = range(step - (await self.past_game(match, step)).planned, step)
        if match.computer is not None:
            async with self.storage.read() as tx:
                earlier = steps_on_past_card(match, (await tx.matches.steps(match.id))[:step])
        return tuple([await self.past_game(match, number) for number in earlier])

    async def load(self, tx: Transaction, match_id: int) -> Game:
        return await self._game(tx, await self._match(tx, match_id))

    async def games(self, tx: Transaction, matches: Sequence[Match]) -> list[Game]:
        """The games of matches that were just loaded in the transaction."""
        keys = {match.id: (match.id, match.step) for match in matches}
        replays = {match_id: self._replays[key] for match_id, key in keys.items() if key in self._replays}
        unknown = [match for match in matches if match.id not in replays]
        steps: dict[int, tuple[Step, ...]] = {}
        for first in range(0, len(unknown), _BATCH):
            steps |= await tx.matches.steps_of([match.id for match in unknown[first : first + _BATCH]])
        for match in unknown:
            # Steps are only ever added, so the first ones are unchanged.
            replays[match.id] = await asyncio.to_thread(_replay, match.ruleset, steps[match.id][: match.step])
            self._replays[match.id, match.step] = replays[match.id]
        return [Game(match, *replays[match.id]) for match in matches]

    async def play(self, game: Game, draft: Draft, player: Player) -> Game:
        """Play a complete turn on a loaded board, then planned answers; return the game after them.

        The opening and the choice of a side are turns, too. ``player`` has current names. Raises :class:`MovedOnError`
        if the board has moved on since it was loaded.
        """
        check_awaited(game, player.id)
        now = self.now()
        own = after(game, draft, now)
        async with self.storage.transaction() as tx:
            stored = await self._store_turns(tx, game, own, player, now)
        self._note_turns(stored)
        return stored.latest

    async def play_and_view(self, game: Game, draft: Draft, player: Player) -> PlayResult:
        """Play a turn as with :meth:`play`, for a caller who then shows the match on Discord."""
        check_awaited(game, player.id)
        now = self.now()
        own = after(game, draft, now)
        async with self.storage.transaction(shown_by_caller=True) as tx:
            stored = await self._store_turns(tx, game, own, player, now)
            shown = await tx.deliveries.with_proposals(game.match.card_of(player.id))
            view = await read_view(tx, stored.latest, *shown, stored.lapsed_proposals)
            next_match = None
            if stored.next_awaited is not None and player.level is None:
                next_match = await tx.matches.next_match(stored.next_awaited, player)
        self._note_turns(stored)
        return PlayResult(await self._complete(view), stored.own, next_match)

    async def _store_turns(self, tx: Transaction, game: Game, own: Game, player: Player, now: datetime) -> _StoredTurns:
        """Store the turn that leads from ``game`` to ``own``, and planned answers."""
        match, before = await check_in_time(tx, game.match, now)
        own, added = await self._store_turn(tx, match, before, own, player, now)
        known = match.player(player.id)
        current = known.seen_as(player.names)
        if match.apart is not None:  # strangers do not see a nickname
            await tx.players.save(player)
        elif current.names != known.names:
            await tx.players.rename(known, current)
            own = replace(own, match=own.match.with_current(current))
        # Answers are stored with the turn, so nothing can come between, and no answer is missed.
        answers = await self._play_planned(tx, own, player, now) if added.has_plans else []
        latest = answers[-1] if answers else own
        if latest.match.result is not None:
            latest = replace(latest, match=await self._match(tx, match.id))
        return _StoredTurns(own, answers, latest, _lapsed_proposals(match, added.lapsed_cards), added.next_awaited)

    def _note_turns(self, stored: _StoredTurns) -> None:
        """Cache the replays of stored turns, and count the turns."""
        own, match = stored.own, stored.own.match
        for game in (own, *stored.answers):
            self._replays[match.id, game.step] = game.turns, game.position, game.events, None, game.planned
        metrics.TURNS.labels(match.ruleset.game.name).inc(1 + len(stored.answers))

    async def _store_turn(
        self, tx: Transaction, match: Match, before: Clock | None, played: Game, by: Player, now: datetime
    ) -> tuple[Game, AddedStep]:
        """Store a turn with its consequences. ``match`` has the clock for the turn, and ``before`` is stored."""
        awaited = played.to_act
        step = Step(played.ply, played.turns[-1], by.id, now, played.planned)
        added = await tx.matches.add_step(
            match.id, match.step, step, None if awaited is None else awaited.id, played.match.result
        )
        if added is None:
            raise MovedOnError
        if awaited is None:
            if match.clock is not None and before is not None and match.clock != before:  # by a day off
                await save_clock(tx, match.id, match.clock, before=before)
            await self.conclude(tx, match, now)
        else:
            await show_match_later(tx, match, now)
            clock = await turn_clock(tx, match, before, now, match.seat_of(awaited.id))
            played = replace(played, match=replace(played.match, clock=clock))
            await call_computer(tx, match.id, match.guild_id, awaited.id, now)
            if by.level is not None and awaited.level is None:
                await tx.timers.cancel(match.id, TimerKind.COMPUTER)
        return played, added

    async def _play_planned(self, tx: Transaction, game: Game, by: Player, now: datetime) -> list[Game]:
        """Play the planned answer to a turn made by hand, the planned answer to it, and so on; return the games."""
        match_id = game.match.id
        plans = await tx.plans.of_match(match_id)
        answers, spent = await asyncio.to_thread(planned_answers, plans, game, by.id, now)
        if spent:
            await tx.plans.delete(match_id, by.id)
        stored = list[Game]()
        for answer in answers:
            match, awaited = game.match, game.to_act
            assert awaited is not None
            game, _added = await self._store_turn(tx, match, match.clock, answer, awaited, now)
            stored.append(game)
        return stored

    async def turn(self, match_id: int, player_id: int, seen_step: int | None = None) -> Turn:
        """The turn that the player is putting together.

        Raises if the player is not to act, or if the match has moved on from the step of the board that they saw.
        """
        async with self.storage.read() as tx:
            preferences = await tx.settings.preferences(player_id)
            match, draft = await tx.matches.with_draft(match_id, player_id)
            if match is None:
                raise UnknownMatchError
            check_running(match, player_id, seen_step)
            game = await self._game(tx, match)
        check_awaited(game, player_id)
        return Turn(game, draft, preferences)

    async def was_just_played(self, match_id: int, step: int, turn: str) -> bool:
        """Whether this turn was the last one made by hand, on the board of a step: a double press plays it twice."""
        game = await self.game(match_id)
        last = game.turn_after(step)
        if last is None:
            return False
        before = (await self.past_game(game.match, step)).position
        try:
            return await asyncio.to_thread(before.same_turn, turn, last)
        except TurnError:
            return False

    async def resign(
        self, match_id: int, player_id: int, *, seen_step: int | None = None, shown_by_caller: bool = False
    ) -> Game:
        """Resign the match; the opponent wins."""
        async with self.storage.transaction(shown_by_caller=shown_by_caller) as tx:
            match = await lock_match(tx, match_id)
            check_running(match, player_id, seen_step)
            await self.end(tx, match, Result(match.opponent_of(player_id).id, Ending.RESIGNATION), self.now())
        return await self.game(match_id)

    async def end(self, tx: Transaction, match: Match, result: Result, now: datetime) -> None:
        """End a running match without a turn; the caller has locked it."""
        if result.moderator is not None:
            await tx.players.save(result.moderator)
        ended = await tx.matches.end(match.id, match.step, now, result)
        assert ended, "the match is locked"
        await self.conclude(tx, match, now)

    async def conclude(self, tx: Transaction, match: Match, now: datetime) -> None:
        """Apply the consequences of every end: stop the clock, update the tournament or ladder, and rate the match."""
        await stop_clock(tx, match.id, now)
        await show_match_later(tx, match, now)
        if match.computer is not None:
            await tx.timers.cancel(match.id, TimerKind.COMPUTER)
        if match.tournament is not None:
            await update_tournament(tx, match.tournament.id, now)
        if match.ladder is not None:
            await settle_match(tx, match.id, now)
        await self.ratings.rate(tx, match.id)
        if match.apart is not None:
            await settle_strangers(tx, await self._match(tx, match.id), now)

    async def force_abandon(
        self, match_id: int, moderator: Player, *, seen_step: int | None = None, shown_by_caller: bool = False
    ) -> Match:
        """End a stuck match without a winner, and without asking the players; the caller has checked the moderator."""
        async with self.storage.transaction(shown_by_caller=shown_by_caller) as tx:
            match = await lock_match(tx, match_id)
            check_running(match, match.first.id, seen_step)
            await self.end(tx, match, Result(None, Ending.ABANDONED, moderator), self.now())
            return await self._match(tx, match_id)

    async def void(self, match_id: int, moderator: Player) -> Match:
        """Void the result of a finished match and its effect on ratings; the caller has checked the moderator."""
        async with self.storage.transaction() as tx:
            match, now = await lock_match(tx, match_id), self.now()
            if match.result is None:
                raise NotOverError(match)
            was_void = not match.result.counts
            if not was_void:
                await tx.players.save(moderator)
                await tx.matches.void(match_id, moderator.id)
                await refresh_later(tx, match, now)
                if match.tournament is not None:
                    await update_tournament(tx, match.tournament.id, now)
                await self.ratings.unrate(tx, match_id, now)
        await self.ratings.correct()  # also finishes an interrupted correction
        if was_void:
            raise AlreadyVoidError(match)
        return await self.match(match_id)

    # Drafts

    async def draft(self, match: Match, player_id: int) -> str:
        """The player's unfinished turn on this board; empty if there is none."""
        async with self.storage.read() as tx:
            return await tx.matches.draft(match.id, player_id, match.step)

    async def save_draft(self, game: Game, player_id: int, draft: Draft | None, *, before: str) -> None:
        """Replace the draft ``before`` by another unfinished turn (None: by nothing).

        Raises :class:`MovedOnError` if the board or the draft has changed meanwhile, for example by a double press.
        """
        text = "" if draft is None else draft.text
        async with self.storage.transaction() as tx:
            if not await tx.matches.save_draft(game.match.id, player_id, game.step, text, before=before):
                raise MovedOnError

    # Looking up

    async def find_turn(
        self, viewer: Viewer, number: int | None = None, preferences: Preferences | None = None
    ) -> Turn:
        """The running match that a player means: by its number, by the channel, or as the only one that fits.

        Also loads the player's preferences, unless they are given.
        """
        player_id = viewer.player_id
        async with self.storage.read() as tx:
            preferences = preferences or await tx.settings.preferences(player_id)
            if number is None:
                found = await self._candidates(tx, viewer)
                return Turn(_only(await self.games(tx, found), player_id), "", preferences)
            named = await self._with_homes(tx, number)
        game = await _visible(viewer, *named)
        if not game.match.has_player(player_id):
            raise NotAPlayerError(game.match)
        return Turn(game, "", preferences)

    async def find_board(self, viewer: Viewer, number: int | None = None) -> Match:
        """The match whose board the viewer wants to see, which others may play."""
        if number is not None:
            async with self.storage.read() as tx:
                found = await self._with_homes(tx, number)
            return (await _visible(viewer, *found)).match
        async with self.storage.read() as tx:
            here = await tx.matches.latest(viewer.place.channel_id)
        if here is not None and here.result is None:
            return here
        try:
            return (await self.find_turn(viewer)).game.match
        except NotAPlayerError:
            if here is None:
                raise
        except NoMatchError:
            if here is None:
                raise NoMatchToShowError from None
        return here

    async def next_after(self, match_id: int, player: Player) -> NextMatch | None:
        """The match that waits for the player after this one, or the first one after the last; None without others."""
        async with self.storage.read() as tx:
            waiting = await tx.matches.awaiting(player.id)
            behind = waiting.index(match_id) + 1 if match_id in waiting else 0
            others = [other_id for other_id in (*waiting[behind:], *waiting[:behind]) if other_id != match_id]
            return await tx.matches.next_match(others[0], player) if others else None

    async def choices(
        self, viewer: Viewer, typed: str, scope: MatchScope, label: Callable[[MatchChoice], str], *, most: int
    ) -> dict[int, str]:
        """The labels of the first matches to suggest to the viewer, by number; all labels contain the ``typed`` text.

        The match whose number was typed comes first, then running matches by number. If the scope has finished matches,
        the viewer's own matches come first, then running ones, then the latest. Only the first thousand labels are
        searched.
        """
        digits = typed.removeprefix("#")
        number = int(digits) if digits.isdecimal() and len(digits) < _DIGITS else None
        async with self.storage.read() as tx:
            found = await tx.searches.suggestions(viewer, scope, number, most=_MOST_LABELS if typed else most)

        def search() -> dict[int, str]:
            labels = ((match.id, label(match)) for match in found)
            return dict(islice((item for item in labels if typed.casefold() in item[1].casefold()), most))

        return await asyncio.to_thread(search)

    async def _with_homes(self, tx: Transaction, number: int) -> tuple[Game, list[MatchDelivery]]:
        found = await tx.matches.with_homes(number)
        if found is None:
            raise UnknownMatchError
        match, homes = found
        return await self._game(tx, match), homes

    async def _candidates(self, tx: Transaction, viewer: Viewer) -> list[Match]:
        """The viewer's running matches here or, without any, elsewhere on the server."""
        found = await tx.matches.candidates(viewer.player_id, viewer.place)
        if not found:
            raise NoMatchError
        if not found[0].has_player(viewer.player_id):
            raise NotAPlayerError(found[0])
        return found

    async def _match(self, tx: Transaction, match_id: int) -> Match:
        match = await tx.matches.get(match_id)
        if match is None:
            raise UnknownMatchError
        return match

    async def _complete(self, view: MatchView) -> MatchView:
        """The view with the parts that are too slow for its transaction."""
        match = view.game.match
        computer, rating = match.computer, None
        if computer is not None and match.result is not None and computer.level is not None:
            rating = (await self.ratings.levels(match.ruleset.game.name, [computer.level])).get(computer.level)
        earlier = tuple([await self.past_game(match, step) for step in view.exchange.before])
        return replace(view, earlier=earlier, level_rating=rating)

    async def _game(self, tx: Transaction, match: Match) -> Game:
        (game,) = await self.games(tx, [match])
        return game


async def rewound(game: Game, ply: int) -> Game:
    """The game after the first ``ply`` of its turns, as if it were still running."""
    replay: _Replay = (game.turns, game.position, game.events, None, 0)
    if ply < game.ply:
        replay = await asyncio.to_thread(_replay_turns, game.match.ruleset, game.turns[:ply])
    return Game(replace(game.match, ply=len(replay[0]), result=None, proposals=()), *replay)


async def lock_match(tx: Transaction, match_id: int) -> Match:
    """Lock a match until the end of the transaction, and return it."""
    match = await tx.matches.lock(match_id)
    if match is None:
        raise UnknownMatchError
    return match


async def _visible(viewer: Viewer, game: Game, homes: Sequence[MatchDelivery]) -> Game:
    """The game, if it shares the viewer's place, and they play it or may see it; raise otherwise.

    A match of strangers has no place that its players share, so they find it everywhere.
    """
    home, plays = home_for(homes, viewer).home, game.match.has_player(viewer.player_id)
    if not (plays and game.match.apart is not None) and not home.shares(viewer.place):
        raise UnknownMatchError
    if not plays and not await viewer.sees(home):
        raise UnknownMatchError
    return game


def _only(games: Sequence[Game], player_id: int) -> Game:
    """The only game, or the only game that waits for the player; raise if there are several."""
    awaited = [game for game in games if game.to_act is not None and game.to_act.id == player_id]
    for fitting in (games, awaited):
        if len(fitting) == 1:
            return fitting[0]
    raise ManyMatchesError([game.match for game in games])


def _lapsed_proposals(match: Match, cards: Mapping[int, PostedMessage]) -> tuple[LapsedProposal, ...]:
    """The proposals of a match that have lapsed, with their cards."""
    return tuple(
        LapsedProposal(replace(proposal, state=ProposalState.LAPSED), cards[proposal.id])
        for proposal in match.proposals
        if proposal.id in cards
    )


#: Turns, the position to which they lead, the events of the last turn, the take-back after it (None: without), and the
#: number of last turns that were planned.
_Replay: TypeAlias = tuple[tuple[str, ...], Position, tuple[Event, ...], TakeBack | None, int]


def _replay(ruleset: Ruleset, steps: tuple[Step, ...]) -> _Replay:
    turns = tuple(step.turn for step in mainline(steps) if step.turn is not None)
    if steps and steps[-1].turn is None:
        return _replay_turns(ruleset, turns, TakeBack(steps[-1].player_id, steps[-2].ply - steps[-1].ply))
    return _replay_turns(ruleset, turns, planned=steps[-1].planned if steps else 0)


def _replay_turns(
    ruleset: Ruleset, turns: tuple[str, ...], take_back: TakeBack | None = None, planned: int = 0
) -> _Replay:
    if not turns:
        return turns, ruleset.start(), (), take_back, planned
    return turns, *ruleset.replay(turns[:-1]).play(turns[-1]), take_back, planned

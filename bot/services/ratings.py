"""The rating formula, ratings, leaderboards and profiles."""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from statistics import NormalDist
from typing import TypeVar

from openskill.models import ThurstoneMostellerFull

from bot.domain.competitions.leaderboards import (
    Leaderboard,
    LeaderboardQuery,
    LeaderboardRow,
    PlayedMatch,
    Profile,
    Results,
    Standing,
    Streak,
    count,
    recount,
    standings,
)
from bot.domain.computer import RATED_GAMES, level_rating
from bot.domain.places import Viewer
from bot.domain.players import Player, computer
from bot.domain.ratings import NARROWEST, OVERALL, START, WIDEST, Formula, Rating, RatingUpdate, rate_match
from bot.storage import Storage, Transaction
from rules.search import LEVELS

#: Increase this number when the formula changes; the next start then recomputes all ratings.
VERSION = "2"
#: The deviation of a performance: it makes a lead of 400 points mean ten wins to one, as in chess.
_BETA = 400 / NormalDist().inv_cdf(10 / 11) / math.sqrt(2)
#: A game with fewer turns says less about its players, so it counts less: with four turns, a fifth.
_FULL_PLY = 20


def _full(*_: object, **__: object) -> float:
    """The factor by which a game reduces the uncertainty."""
    return 1.0


# Uncertainty grows with time, not with games, so tau is 0.
_MODEL = ThurstoneMostellerFull(mu=START, sigma=WIDEST, beta=_BETA, tau=0.0, gamma=_full)


def rate(first: Rating, second: Rating, score: float, ply: int, at: datetime) -> tuple[Rating, Rating]:
    """Both ratings after a game of ``ply`` turns that ended ``at`` a time; the first player's score is 1, ½ or 0."""
    before = first.on(at), second.on(at)
    teams = [[_MODEL.rating(rating.value, rating.deviation)] for rating in before]
    [[one], [other]] = _MODEL.rate(teams, scores=[score, 1 - score])
    weight = min(1, ply / _FULL_PLY)

    def after(own: Rating, value: float, deviation: float) -> Rating:
        variance = own.deviation**2 + weight * (deviation**2 - own.deviation**2)
        return Rating(own.value + weight * (value - own.value), max(NARROWEST, math.sqrt(variance)), at)

    return after(before[0], one.mu, one.sigma), after(before[1], other.mu, other.sigma)


#: The name of the stored version of the formula.
_FORMULA = "rating-formula"
#: The name of the stored event after which all ratings have to be recomputed.
_DUE_AFTER = "ratings-due-after"
_PAGE = 10
#: Maximum ratings in the curve beside a name.
_ROW_HISTORY = 24
#: Maximum ratings in the picture of a profile.
LONGEST_HISTORY = 400
#: Matches or players recomputed in one transaction, during which other writers wait.
_BATCH = 100
#: Maximum matches on which a profile is based.
_MOST_MATCHES = 5000

Key = TypeVar("Key", bound=Hashable)


@dataclass
class Ratings:
    """Ratings, leaderboards and profiles.

    A match is rated in the transaction that ends it. Everything stored follows from the matches and the order in which
    they were rated, so it can be recomputed at any time, with the same result. Ratings become less certain with time.
    """

    storage: Storage
    now: Callable[[], datetime]
    formula: Formula = rate

    async def rate(self, tx: Transaction, match_id: int) -> None:
        """Rate a match that has just ended, if it counts; a second call does nothing."""
        match = await tx.ratings.finished_match(match_id)
        if match is None:
            return
        await tx.ratings.lock()
        # Ratings do not go back in time, even if the clock does.
        at = max(match.ended_at, await tx.ratings.last_event_at() or match.ended_at)
        seq = await tx.ratings.log(match_id, at)
        if seq is None:
            return
        games = (match.game, OVERALL)
        ratings = await tx.ratings.latest(match.player_ids, games)
        await tx.ratings.put_updates(rate_match(seq, at, match, ratings, self.formula))
        totals = await tx.ratings.totals(match)
        changed: list[Standing] = []
        for player_id in match.player_ids:
            counted = count(totals[player_id], match.guild_id, match.game, match.score_of(player_id), at)
            changed += standings(player_id, counted, {game: ratings[player_id, game] for game in games})
        await tx.ratings.save_standings(changed)
        await tx.ratings.update_standings(ratings)

    async def unrate(self, tx: Transaction, match_id: int, at: datetime) -> None:
        """Remove a voided match from the ratings of its players. Call :meth:`correct` afterwards."""
        seq = await tx.ratings.rated_event(match_id)
        if seq is None:
            return
        await tx.ratings.lock()
        await tx.ratings.log(match_id, at, voided=True)
        player_ids = await tx.ratings.remove_updates(seq)
        due = await _due_after(tx)
        await tx.key_values.set(_DUE_AFTER, str(seq if due is None else min(seq, due)))
        await _recount(tx, player_ids)

    async def correct(self, watch: Callable[[int], None] = lambda _: None) -> int:
        """Rate all matches again from the earliest voided one on, and return their number.

        Others can write between its transactions, and it may be interrupted at any time. ``watch`` is called with the
        number of matches rated so far.
        """
        done = 0
        while found := await self._correct_some():
            done += found
            watch(done)
        return done

    async def _correct_some(self) -> int:
        """Rate the next matches again, and return their number; 0 when nothing remains."""
        async with self.storage.transaction() as tx:
            await tx.ratings.lock()
            due = await _due_after(tx)
            found = [] if due is None else await tx.ratings.rated_after(due, _BATCH)
            if not found:
                await tx.key_values.remove(_DUE_AFTER)
                return 0
            player_ids = {player_id for _, _, match in found for player_id in match.player_ids}
            games = {OVERALL, *(match.game for _, _, match in found)}
            ratings = await tx.ratings.latest(player_ids, games, before=found[0][0])

            def rate_all() -> list[RatingUpdate]:
                return [update for event in found for update in rate_match(*event, ratings, self.formula)]

            await tx.ratings.put_updates(await asyncio.to_thread(rate_all))
            await tx.ratings.update_standings(await tx.ratings.latest(player_ids, games))
            await tx.key_values.set(_DUE_AFTER, str(found[-1][0]))
            return len(found)

    async def catch_up(self) -> None:
        """Recompute all ratings if the formula has changed; otherwise finish an interrupted correction."""
        async with self.storage.read() as tx:
            version = await tx.key_values.get(_FORMULA)
        await (self.correct() if version == VERSION else self.recompute())

    async def recompute(self, watch: Callable[[int], None] = lambda _: None) -> int:
        """Recompute all ratings and standings from the log and its matches, like :meth:`correct`."""
        async with self.storage.transaction() as tx:
            await tx.ratings.lock()
            await tx.ratings.remove_uncounted()
            await tx.key_values.remove(_FORMULA)  # if this is interrupted, the next start begins again
            await tx.key_values.set(_DUE_AFTER, "0")
        done = await self.correct(watch)
        last = -(2**63)
        while True:
            async with self.storage.transaction() as tx:
                await tx.ratings.lock()
                player_ids = await tx.ratings.players_after(last, _BATCH)
                if not player_ids:
                    await tx.key_values.set(_FORMULA, VERSION)
                    return done
                await _recount(tx, player_ids)
                last = player_ids[-1]

    async def digest(self) -> str:
        """A fingerprint of all ratings and standings."""
        async with self.storage.snapshot() as tx:
            return await tx.ratings.digest()

    async def rating(self, player_id: int, game: str = OVERALL) -> Rating:
        """A player's current rating."""
        async with self.storage.read() as tx:
            ratings = await tx.ratings.latest([player_id], [game])
        return ratings[player_id, game].on(self.now())

    async def levels(self, game: str, levels: Iterable[int] = LEVELS) -> dict[int, Rating]:
        """The current ratings in a game of the computer's levels that have played enough."""
        async with self.storage.read() as tx:
            played = {level: await tx.ratings.level_games(computer(level).id, game, RATED_GAMES) for level in levels}
        now = self.now()

        def rate_all() -> dict[int, Rating]:
            rated = ((level, level_rating(games, self.formula)) for level, games in played.items())
            return {level: rating.on(now) for level, rating in rated if rating is not None}

        return await asyncio.to_thread(rate_all)

    async def leaderboard(self, query: LeaderboardQuery, page: int | None = 1) -> Leaderboard:
        """A page of a leaderboard, at most the last, and the viewer's row; page None is the page with that row."""
        now = self.now()
        async with self.storage.read() as tx:
            found = await tx.leaderboards.leaderboard(query, now, page, most=_PAGE, course=_ROW_HISTORY)

        def aged(row: LeaderboardRow) -> LeaderboardRow:
            return replace(row, rating=row.rating.on(now))

        own_row = None if found.own_row is None else aged(found.own_row)
        return replace(found, rows=tuple(aged(row) for row in found.rows), own_row=own_row)

    async def profile(
        self, player: Player, viewer: Viewer, game: str | None = None, guild_id: int | None = None
    ) -> Profile:
        """A player's profile; with a game, the history and the results cover only that game.

        Opponents have their names on the server, or outside servers.
        """
        now = self.now()
        async with self.storage.read() as tx:
            ratings = await tx.ratings.of_player(player.id)
            history = await tx.ratings.history(player.id, game or OVERALL, LONGEST_HISTORY)
            played = await tx.leaderboards.latest_matches(player.id, _MOST_MATCHES, viewer, guild_id)
        current = {name: rating.on(now) for name, rating in ratings.items()}
        return await asyncio.to_thread(_profile, player, viewer.player_id, game, current, history, played)


def _profile(
    player: Player,
    viewer_id: int,
    game: str | None,
    ratings: Mapping[str, Rating],
    history: Sequence[Rating],
    played: Iterable[PlayedMatch],
) -> Profile:
    fitting = [match for match in played if game is None or match.ruleset.game.name == game]
    matches = [match for match in fitting if match.opponent.is_person]
    against_computer = [match for match in fitting if match.opponent.level is not None]
    opened = Counter(match.ruleset for match in matches if match.opening is not None).most_common(1)
    ruleset = opened[0][0] if opened else None
    openings = Counter(match.opening for match in matches if match.opening is not None and match.ruleset == ruleset)
    against = [match for match in matches if match.listed and match.opponent.id == viewer_id]
    scores = [match.score for match in matches]
    runs = [(score, len(list(run))) for score, run in groupby(scores)]
    return Profile(
        player=player,
        game=game or OVERALL,
        ratings=ratings,
        history=tuple(history),
        results=Results.of(scores),
        by_game=_by(matches, lambda match: match.ruleset.game.name),
        by_side=_by((match for match in matches if match.side is not None), _side),
        by_size=_by(matches, lambda match: (match.ruleset.game.name, match.ruleset.size)),
        by_opponent=_by((match for match in matches if match.listed), lambda match: match.opponent),
        by_level=dict(sorted(_by(against_computer, lambda match: match.opponent.level or 0).items())),
        against_viewer=Results.of([match.score for match in against]) if against else None,
        streak=Streak(scores[-1], runs[-1][1]) if runs else None,
        longest=max((length for score, length in runs if score == 1), default=0),
        openings_ruleset=ruleset,
        openings=dict(openings.most_common()),
    )


async def _due_after(tx: Transaction) -> int | None:
    due = await tx.key_values.get(_DUE_AFTER)
    return None if due is None else int(due)


async def _recount(tx: Transaction, player_ids: Iterable[int]) -> None:
    """Recount the standings of these players; deleted players have none."""
    known = [player_id for player_id in player_ids if player_id > 0]
    results = await tx.ratings.results(known)
    changed: list[Standing] = []
    for player_id, own in groupby(results, lambda result: result.player_id):
        changed += recount(player_id, own)
    await tx.ratings.remove_standings(known)
    await tx.ratings.save_standings(changed)


def _side(played: PlayedMatch) -> str:
    assert played.side is not None
    return played.ruleset.game.sides[played.side]


def _by(played: Iterable[PlayedMatch], key: Callable[[PlayedMatch], Key]) -> dict[Key, Results]:
    """The results of the matches by a key, the most frequent key first."""
    groups: dict[Key, list[float]] = {}
    for match in played:
        groups.setdefault(key(match), []).append(match.score)
    ordered = sorted(groups.items(), key=lambda group: -len(group[1]))
    return {name: Results.of(scores) for name, scores in ordered}

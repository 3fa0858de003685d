"""``python -m tests.benchmarks.ratings``: measure leaderboards and profiles with many players and games."""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bot.domain.challenges import First
from bot.domain.competitions.leaderboards import LeaderboardQuery, Order, Period, Scope
from bot.domain.places import Place, Viewer
from bot.domain.players import Player
from bot.services.challenges import Challenges
from bot.services.matches import Matches
from bot.services.ratings import Ratings
from bot.storage import Database, Storage, address_of
from rules import ruleset
from tests.benchmarks.sample_database import fill
from tests.support.services.matches import PLAYED, play_turn

_TIMES = 20
_NOW = datetime(2026, 5, 20, 12, tzinfo=UTC)


async def _bench(players: int, games: int, file: Path | None) -> None:
    """Measure on a database of this size: in ``file`` if given, which is filled if it is new."""
    with tempfile.TemporaryDirectory() as folder:
        kept = file or Path(folder) / "bench.db"
        new = not kept.exists()
        database = Database(address_of(kept))
        try:
            await database.migrate()
            storage = Storage(database)
            ratings = Ratings(storage, now=lambda: _NOW)
            if new:
                await _make(database, ratings, players, games)
            print(f"{kept.stat().st_size / 1e6:.0f} MB; medians of {_TIMES} in milliseconds\n")
            await _measure(storage, ratings, players)
        finally:
            await database.close()


async def _make(database: Database, ratings: Ratings, players: int, games: int) -> None:
    started = time.perf_counter()
    await fill(database, players, games, _NOW, lambda done: print(f"\r{done:,} games", end="", flush=True))
    print(f"\r{games:,} games of {players:,} players generated in {time.perf_counter() - started:.0f} s")
    started = time.perf_counter()
    counted = await ratings.recompute(lambda done: print(f"\r{done:,} rated", end="", flush=True))
    print(f"\r{counted:,} games rated in {time.perf_counter() - started:.0f} s")


async def _measure(storage: Storage, ratings: Ratings, players: int) -> None:
    middle = players // 2
    boards = {f"everywhere, by {order}": LeaderboardQuery(middle, order=order) for order in Order}
    boards["one game"] = LeaderboardQuery(middle, game="dalen")
    boards["this month"] = LeaderboardQuery(middle, period=Period.MONTH)
    boards["this season, by win rate"] = LeaderboardQuery(middle, period=Period.SEASON, order=Order.RATE)
    boards["a server"] = LeaderboardQuery(middle, middle // 50 + 1, Scope.SERVER)
    boards["friends"] = LeaderboardQuery(middle, scope=Scope.FRIENDS)
    boards["friends of the busiest"] = LeaderboardQuery(1, scope=Scope.FRIENDS)
    for name, board in boards.items():
        await _time(f"leaderboard: {name}", lambda board=board: ratings.leaderboard(board))  # type: ignore[misc]
    await _time("leaderboard: the page with my place", lambda: ratings.leaderboard(LeaderboardQuery(middle), None))
    await _time("leaderboard: the last page", lambda: ratings.leaderboard(LeaderboardQuery(middle), players))
    for name, number in (("the busiest player", 1), ("a usual player", middle)):
        async with storage.read() as tx:
            games = len(await tx.leaderboards.latest_matches(number, players))
        await _time(
            f"profile: {name}, {games:,} games",
            lambda number=number: ratings.profile(Player(number, ""), Viewer(middle, Place(None, 0))),  # type: ignore[misc]
        )
    matches = Matches(storage, ratings, now=lambda: _NOW)
    challenges = Challenges(storage, now=lambda: _NOW, lifetime=timedelta(days=1))
    for rated in (True, False):
        spent = [await _resigned(challenges, matches, number, rated) for number in range(_TIMES)]
        name = f"the end of a {'rated' if rated else 'casual'} match"
        print(f"{name:<48} {statistics.median(spent):7.1f}")
    async with storage.read() as tx:
        voided = [latest.match_id for latest in (await tx.leaderboards.latest_matches(middle, players))[-3:]]
    started = time.perf_counter()
    await matches.void(voided[0], Player(middle, f"Player {middle}"))
    print(f"{'a match voided among a usual player’s last three':<48} {(time.perf_counter() - started) * 1000:7.0f}")


async def _time(name: str, run: Callable[[], Awaitable[object]]) -> None:
    spent = []
    await run()
    for _ in range(_TIMES):
        started = time.perf_counter()
        await run()
        spent.append((time.perf_counter() - started) * 1000)
    print(f"{name:<48} {statistics.median(spent):7.1f}", flush=True)


async def _resigned(challenges: Challenges, matches: Matches, number: int, rated: bool) -> float:
    """The milliseconds that storing the end of a match takes."""
    one, other = Player(1 + number, f"Player {1 + number}"), Player(500 + number, f"Player {500 + number}")
    place = Place(1, time.perf_counter_ns())
    offered = await challenges.challenge(place, one, other, ruleset("dalen", 5), First.CHALLENGER, rated=rated)
    match = await challenges.accept(offered.id, other)
    for turn in PLAYED:
        game = await matches.game(match.id)
        assert game.to_act is not None
        await play_turn(matches, match.id, game.to_act.id, turn)
    started = time.perf_counter()
    await matches.resign(match.id, one.id)
    return (time.perf_counter() - started) * 1000


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.ratings", description="Measure leaderboards and profiles on generated games."
    )
    parser.add_argument("--players", type=int, default=100_000)
    parser.add_argument("--games", type=int, default=1_000_000)
    parser.add_argument("--file", type=Path, help="keep the generated games in this file, or use those in it")
    options = parser.parse_args()
    asyncio.run(_bench(options.players, options.games, options.file))
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""``python -m bot.ratings``: recompute all ratings from the stored games."""

from __future__ import annotations

import argparse
import asyncio
import sys
from datetime import UTC, datetime

from bot.config import Config
from bot.services.ratings import Ratings
from bot.storage import Database, Storage, UnusableDatabaseError


async def recompute(url: str) -> bool:
    """Recompute the ratings, and return whether they were right before."""
    database = Database(url)
    try:
        await database.migrate()
        ratings = Ratings(Storage(database), clock=lambda: datetime.now(UTC))
        before = await ratings.digest()
        counted = await ratings.recompute(lambda done: print(f"\r{done:,} games", end="", file=sys.stderr, flush=True))
        print(file=sys.stderr)
        same = await ratings.digest() == before
    finally:
        await database.close()
    print(f"{counted:,} games count. " + ("All ratings are as they were." if same else "The ratings have changed."))
    return same


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bot.ratings",
        description="Recompute all ratings and leaderboards from the stored games. Stop the bot first. "
        "The exit status is 1 when the ratings have changed, 0 when they are as they were, and 2 when the "
        "database cannot be used.",
    )
    parser.parse_args()
    try:
        return 0 if asyncio.run(recompute(Config.load().database_url)) else 1
    except UnusableDatabaseError as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())

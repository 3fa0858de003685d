"""The operator's commands: back up, copy, recompute the ratings, and keep an account out of matches of strangers."""

from __future__ import annotations

import argparse
import asyncio
import sys
from datetime import UTC, datetime
from pathlib import Path

from bot.config import Config
from bot.services.ratings import Ratings
from bot.services.strangers.requests import StandingRequests
from bot.storage import Database, Storage, UnusableDatabaseError
from bot.storage.transfer import copy


async def back_up(file: Path) -> None:
    """Copy the SQLite database in DATABASE_URL to a new file."""
    database = Database(Config.load().database_url)
    try:
        revision = await database.back_up(file)
    finally:
        await database.close()
    print(f"{file} is a complete and sound backup of the schema {revision}.")


async def copy_all(source: str, target: str) -> None:
    """Copy everything from one database into an empty one."""
    old = Database(source, name="FROM")
    new = Database(target, name="TO")
    try:
        copied = await copy(old, new, _show)
    finally:
        await new.close()
        await old.close()
    print(
        f"{copied.rows:,} rows of {copied.tables} tables are the same in both databases, "
        f"and the latest {copied.replays:,} matches can be replayed."
    )


def _show(table: str, count: int) -> None:
    print(f"{table}: {count:,} rows", file=sys.stderr)


async def recompute(url: str) -> bool:
    """Recompute the ratings, and return whether they were right before."""
    database = Database(url)
    try:
        await database.migrate()
        ratings = Ratings(Storage(database), now=lambda: datetime.now(UTC))
        before = await ratings.digest()
        counted = await ratings.recompute(lambda done: print(f"\r{done:,} games", end="", file=sys.stderr, flush=True))
        print(file=sys.stderr)
        same = await ratings.digest() == before
    finally:
        await database.close()
    print(f"{counted:,} games count. " + ("All ratings are as they were." if same else "The ratings have changed."))
    return same


async def exclude(account_id: int, *, again: bool) -> None:
    """Keep an account out of matches of strangers or, ``again``, let it in."""
    database = Database(Config.load().database_url)
    try:
        await database.migrate()
        requests = StandingRequests(Storage(database), lambda: datetime.now(UTC))
        await requests.exclude(account_id, excluded=not again)
    finally:
        await database.close()
    print(f"The account {account_id} {'can play' if again else 'no longer plays'} people from elsewhere.")


def add_commands(parser: argparse.ArgumentParser) -> None:
    """Add the commands to a parser. A command has a coroutine function, and a status for an unusable database."""
    commands = parser.add_subparsers(title="commands")
    backup = commands.add_parser(
        "backup",
        help="copy the SQLite database in DATABASE_URL to a new file, while the bot runs",
        description="Copy the SQLite database in DATABASE_URL to a new file, which has that name once it is complete "
        "and has been checked. The bot may run meanwhile. To restore it, stop the bot, delete the files of the "
        "database whose names end in -wal and -shm, put the backup in place of the database, and start the bot. "
        "Back PostgreSQL up with its own tools, such as pg_dump.",
    )
    backup.add_argument("file", type=Path, metavar="FILE", help="the new file")
    backup.set_defaults(run=lambda options: back_up(options.file), unusable=1)
    copying = commands.add_parser(
        "copy",
        help="copy everything from one database into an empty one, from SQLite to PostgreSQL or back",
        description="Copy everything from one database into an empty one, and compare the two. Stop the bot first, and "
        "start it with the new DATABASE_URL afterwards. If anything fails, the new database stays empty.",
    )
    copying.add_argument("source", metavar="FROM", help="an address as in DATABASE_URL")
    copying.add_argument("target", metavar="TO", help="the address of an empty database")
    copying.set_defaults(run=lambda options: copy_all(options.source, options.target), unusable=1)
    ratings = commands.add_parser(
        "ratings",
        help="recompute all ratings and leaderboards from the stored games",
        description="Recompute all ratings and leaderboards from the stored games. Stop the bot first. The exit status "
        "is 1 when the ratings have changed, 0 when they are as they were, and 2 when the database cannot be used.",
    )
    ratings.set_defaults(run=lambda _options: recompute(Config.load().database_url), unusable=2)
    excluding = commands.add_parser(
        "exclude",
        help="keep an account out of matches with people from elsewhere",
        description="Keep a Discord account out of matches with people from elsewhere, or let it in again. The bot may "
        "run meanwhile. Matches that have begun go on.",
    )
    excluding.add_argument("id", type=int, metavar="ID", help="the Discord ID of the account")
    excluding.add_argument("--again", action="store_true", help="let the account in again")
    excluding.set_defaults(run=lambda options: exclude(options.id, again=options.again), unusable=1)


def run(options: argparse.Namespace) -> int:
    """Run a command, and return the exit status."""
    try:
        return 1 if asyncio.run(options.run(options)) is False else 0
    except UnusableDatabaseError as error:
        print(error, file=sys.stderr)
        return int(options.unusable)

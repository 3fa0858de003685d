"""``python -m bot.storage``: back up the database, or copy it to another one."""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path

from bot.config import Config
from bot.storage.database import Database, UnusableDatabaseError
from bot.storage.transfer import copy


async def back_up(file: Path) -> None:
    database = Database(Config.load().database_url)
    try:
        revision = await database.back_up(file)
    finally:
        await database.close()
    print(f"{file} is a complete and sound backup of the schema {revision}.")


async def copy_all(source: str, target: str) -> None:
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


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bot.storage",
        description="Look after the database. The exit status is 1 if that fails; nothing is changed then.",
    )
    commands = parser.add_subparsers(title="commands", required=True)
    backup = commands.add_parser(
        "backup",
        help="copy the SQLite database in DATABASE_URL to a new file, while the bot runs",
        description="Copy the SQLite database in DATABASE_URL to a new file, which has that name once it is complete "
        "and has been checked. The bot may run meanwhile. To restore it, stop the bot, delete the files of the "
        "database whose names end in -wal and -shm, put the backup in place of the database, and start the bot. "
        "Back PostgreSQL up with its own tools, such as pg_dump.",
    )
    backup.add_argument("file", type=Path, metavar="FILE", help="the new file")
    backup.set_defaults(run=lambda options: back_up(options.file))
    copying = commands.add_parser(
        "copy",
        help="copy everything from one database into an empty one, from SQLite to PostgreSQL or back",
        description="Copy everything from one database into an empty one, and compare the two. Stop the bot first, and "
        "start it with the new DATABASE_URL afterwards. If anything fails, the new database stays empty.",
    )
    copying.add_argument("source", metavar="FROM", help="an address as in DATABASE_URL")
    copying.add_argument("target", metavar="TO", help="the address of an empty database")
    copying.set_defaults(run=lambda options: copy_all(options.source, options.target))
    options = parser.parse_args()
    try:
        asyncio.run(options.run(options))
    except UnusableDatabaseError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

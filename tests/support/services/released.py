"""Databases of past releases, with the cards and controls that people had on Discord."""

from __future__ import annotations

import gzip
import json
import re
import sqlite3
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from sqlalchemy import Connection, DateTime, MetaData, Table, create_engine, insert, select, text

from bot.storage import Database, migrations
from bot.storage.database import renumber
from bot.storage.tables import metadata
from tests.support.discord.club import Club

FOLDER = Path(__file__).parents[2] / "bot" / "storage" / "released"
VERSIONS = sorted(file.name.removesuffix(".sql.gz") for file in FOLDER.glob("*.sql.gz"))


@dataclass(frozen=True)
class Control:
    """A button, or a menu with one chosen option (none if its options are people, channels or roles)."""

    custom_id: str
    chosen: Sequence[str] | None = None


@dataclass(frozen=True)
class Released:
    """The database of a release, and the controls that people have on Discord."""

    sql: str
    now: datetime
    ids: dict[str, int]
    """The server, its channel and its members, by name."""
    cards: dict[int, dict[str, str]]
    """The custom ids on the cards of running matches, by match and label."""
    controls: tuple[Control, ...]
    """Examples of every control that was ever shown."""


def write(released: Released) -> None:
    said = asdict(released)
    with gzip.GzipFile(FOLDER / f"{version('hexgrove')}.sql.gz", "wb", mtime=0) as file:
        file.write(said.pop("sql").encode())
    said["now"] = released.now.isoformat()
    (FOLDER / f"{version('hexgrove')}.json").write_text(json.dumps(said, indent=1, ensure_ascii=False) + "\n")


def ids_of(club: Club) -> dict[str, int]:
    """The server, its channel and its members, by name."""
    members = club.env.backend.guilds[club.guild.id].members
    people = {club.env.backend.users[member].name: member for member in members}
    return {"guild": club.guild.id, "channel": club.channel.id, **people}


def read(release: str, ids: Mapping[str, int] = {}) -> Released:
    """Read a release's data, with the ids of its server and people replaced by these."""
    sql = gzip.decompress((FOLDER / f"{release}.sql.gz").read_bytes()).decode()
    said = (FOLDER / f"{release}.json").read_text()
    stored = json.loads(said)["ids"]
    if ids:
        # All at once: an id here may be another person's id there.
        here = {str(stored[name]): str(there) for name, there in ids.items()}
        sql, said = (re.sub("|".join(here), lambda found: here[found[0]], text) for text in (sql, said))
    values = json.loads(said)
    return Released(
        sql,
        datetime.fromisoformat(values["now"]),
        values["ids"],
        {int(number): card for number, card in values["cards"].items()},
        tuple(Control(**control) for control in values["controls"]),
    )


async def restore(released: Released, database: Database) -> None:
    """Restore a release's database into an empty one."""

    def fill(target: Connection) -> list[Table]:
        with create_engine(f"sqlite:///{file}").connect() as source:
            migrations.upgrade(target, source.scalar(text("SELECT version_num FROM alembic_version")))
            old, new = MetaData(), MetaData()
            old.reflect(source)
            new.reflect(target)
            for table in new.sorted_tables:
                instants = [column.name for column in table.columns if isinstance(column.type, DateTime)]
                rows = [dict(row) for row in source.execute(select(old.tables[table.name])).mappings()]
                for row in rows:
                    row |= {name: row[name] and row[name].replace(tzinfo=UTC) for name in instants}
                if rows and table.name != "alembic_version":
                    target.execute(insert(table), rows)
        return [table for table in metadata.sorted_tables if table.name in old.tables]

    with tempfile.TemporaryDirectory() as folder:
        file = Path(str(database.url.database)) if not database.is_server else Path(folder) / "released.db"
        with closing(sqlite3.connect(file)) as written:
            written.executescript(released.sql)
        if database.is_server:
            async with database.write() as connection:
                await renumber(connection, await connection.run_sync(fill))

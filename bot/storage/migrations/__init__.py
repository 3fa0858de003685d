"""The migrations of the database's schema. Every start applies the missing ones."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from sqlalchemy import Connection

_FOLDER = Path(__file__).parent


class UnknownRevisionError(Exception):
    """The revision of the schema is not among the migrations."""


def upgrade(connection: Connection, revision: str = "head") -> None:
    """Bring the schema up to date, or up to a revision. Raises :class:`UnknownRevisionError`."""
    config = Config()
    config.set_main_option("script_location", str(_FOLDER).replace("%", "%%"))
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, revision)
    except CommandError as error:
        raise UnknownRevisionError from error

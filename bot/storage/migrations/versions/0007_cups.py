"""Cups: the terms and editions of tournaments, their groups, and the hard end of a game."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from bot.storage.columns import Instant

revision = "0007_cups"
down_revision = "0006_ladders"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("tournaments", sa.Column("weeks", sa.Integer(), nullable=True))
    op.add_column("tournaments", sa.Column("starts_with", sa.Integer(), nullable=True))
    op.add_column("tournaments", sa.Column("reopens", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.add_column("tournaments", sa.Column("edition", sa.Integer(), server_default=sa.text("1"), nullable=False))
    # In one statement, because SQLite would copy the table, to which other tables refer, for a constraint of its own.
    op.execute(
        "ALTER TABLE tournaments ADD COLUMN previous_id INTEGER "
        "CONSTRAINT fk_tournaments_previous_id REFERENCES tournaments (id)"
    )
    op.create_index(op.f("ix_tournaments_previous_id"), "tournaments", ["previous_id"], unique=True)
    op.add_column("pairings", sa.Column("group_number", sa.Integer(), server_default=sa.text("0"), nullable=False))
    op.add_column("pairings", sa.Column("ends_at", Instant(), nullable=True))

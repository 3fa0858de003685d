"""Puzzles that players have tried, and puzzles of the day on servers."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "puzzle_attempts",
        sa.Column("player_id", sa.BigInteger(), nullable=False),
        sa.Column("puzzle", sa.String(), nullable=False),
        sa.Column("difficulty", sa.Integer(), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("solved", sa.Boolean()),
        sa.Column("answered_at", sa.DateTime(timezone=True)),
        sa.CheckConstraint("(solved IS NULL) = (answered_at IS NULL)", name=op.f("ck_puzzle_attempts_answered")),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_puzzle_attempts_player_id")),
        sa.PrimaryKeyConstraint("player_id", "puzzle", name=op.f("pk_puzzle_attempts")),
    )
    op.create_index("ix_puzzle_attempts_puzzle", "puzzle_attempts", ["puzzle"])
    op.create_table(
        "daily_puzzles",
        sa.Column("server_id", sa.BigInteger(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("puzzle", sa.String(), nullable=False),
        sa.Column("channel_id", sa.BigInteger(), nullable=False),
        sa.Column("message_id", sa.BigInteger(), nullable=False),
        sa.Column("solved", sa.Integer(), nullable=False),
        sa.Column("tried", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["server_id"], ["servers.id"], name=op.f("fk_daily_puzzles_server_id")),
        sa.PrimaryKeyConstraint("server_id", "day", name=op.f("pk_daily_puzzles")),
    )
    op.add_column("servers", sa.Column("puzzle_channel_id", sa.BigInteger()))


def downgrade() -> None:
    op.drop_column("servers", "puzzle_channel_id")
    op.drop_table("daily_puzzles")
    op.drop_table("puzzle_attempts")

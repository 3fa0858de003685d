"""Ladders, their places, and the challenges about them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006_ladders"
down_revision = "0005_notes"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "ladders",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("guild_id", sa.BigInteger(), nullable=False),
        sa.Column("channel_id", sa.BigInteger(), nullable=False),
        sa.Column("game", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("shown_version", sa.Integer(), nullable=True),
        sa.Column("card_channel_id", sa.BigInteger(), nullable=True),
        sa.Column("card_message_id", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ladders")),
    )
    op.create_index("ix_ladders_guild_game", "ladders", ["guild_id", "game"], unique=True)
    op.create_table(
        "rungs",
        sa.Column("ladder_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("player_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("active_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("may_pause_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("paused_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["ladder_id"], ["ladders.id"], name=op.f("fk_rungs_ladder_id")),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_rungs_player_id")),
        sa.PrimaryKeyConstraint("ladder_id", "player_id", name=op.f("pk_rungs")),
    )
    op.create_index("ix_rungs_ladder_number", "rungs", ["ladder_id", "number"], unique=True)
    op.create_index("ix_rungs_player_id", "rungs", ["player_id"], unique=False)
    op.create_table(
        "lost_rungs",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("ladder_id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("loss", sa.String(), nullable=False),
        sa.Column("winner_id", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["ladder_id"], ["ladders.id"], name=op.f("fk_lost_rungs_ladder_id")),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_lost_rungs_player_id")),
        sa.ForeignKeyConstraint(["winner_id"], ["players.id"], name=op.f("fk_lost_rungs_winner_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_lost_rungs")),
    )
    for column in ("ladder_id", "player_id", "winner_id"):
        op.create_index(op.f(f"ix_lost_rungs_{column}"), "lost_rungs", [column], unique=False)
    # In one statement, SQLite adds a reference without copying the table.
    op.execute(
        "ALTER TABLE challenges ADD COLUMN ladder_id INTEGER CONSTRAINT fk_challenges_ladder_id REFERENCES ladders (id)"
    )
    laddered = sa.text("ladder_id IS NOT NULL")
    op.create_index(
        "ix_challenges_ladder", "challenges", ["ladder_id"], sqlite_where=laddered, postgresql_where=laddered
    )

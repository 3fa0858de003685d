"""Notes on matches."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005_notes"
down_revision = "0004_plans"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "notes",
        sa.Column("match_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("player_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_notes_match_id")),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_notes_player_id")),
        sa.PrimaryKeyConstraint("match_id", "player_id", name=op.f("pk_notes")),
    )
    op.create_index(op.f("ix_notes_player_id"), "notes", ["player_id"], unique=False)

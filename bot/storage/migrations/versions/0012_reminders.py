"""Nudges of slow opponents."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "nudges",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_nudges_match_id")),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_nudges_player_id")),
        sa.PrimaryKeyConstraint("match_id", "player_id", name=op.f("pk_nudges")),
    )
    op.create_index("ix_nudges_player_created", "nudges", ["player_id", "created_at"])


def downgrade() -> None:
    op.drop_table("nudges")

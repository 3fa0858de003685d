"""Lines that somebody tries from a position of a match."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "lines",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.BigInteger(), nullable=False),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("turns", sa.String(), nullable=False),
        sa.Column("begun", sa.String(), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_lines_match_id")),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_lines_player_id")),
        sa.PrimaryKeyConstraint("match_id", "player_id", name=op.f("pk_lines")),
    )
    op.create_index(op.f("ix_lines_changed_at"), "lines", ["changed_at"])


def downgrade() -> None:
    op.drop_table("lines")

"""Plans, and the turns that were played as planned."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004_plans"
down_revision = "0003_activities"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("turns", sa.Column("planned", sa.Integer(), server_default=sa.text("0"), nullable=False))
    op.create_table(
        "plans",
        sa.Column("match_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("player_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("branches", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_plans_match_id")),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_plans_player_id")),
        sa.PrimaryKeyConstraint("match_id", "player_id", name=op.f("pk_plans")),
    )
    op.create_index(op.f("ix_plans_player_id"), "plans", ["player_id"], unique=False)

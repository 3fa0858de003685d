"""Tasks that players have solved."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013_solved_tasks"
down_revision = "0012_tries"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "solved_tasks",
        sa.Column("player_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("game", sa.String(), autoincrement=False, nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_solved_tasks_player_id")),
        sa.PrimaryKeyConstraint("player_id", "game", "number", name=op.f("pk_solved_tasks")),
    )

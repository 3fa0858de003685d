"""Imported records, and lines that players have shared."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008_imports"
down_revision = "0007_cups"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "imports",
        sa.Column("match_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("player_id", sa.BigInteger(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("first_name", sa.String(), nullable=False),
        sa.Column("second_name", sa.String(), nullable=False),
        sa.Column("result", sa.String(), nullable=False),
        sa.Column("tags", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_imports_match_id")),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_imports_player_id")),
        sa.PrimaryKeyConstraint("match_id", name=op.f("pk_imports")),
    )
    op.create_index(op.f("ix_imports_player_id_digest"), "imports", ["player_id", "digest"], unique=True)
    op.create_table(
        "shared_lines",
        sa.Column("match_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("turns", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_shared_lines_match_id")),
        sa.PrimaryKeyConstraint("match_id", "digest", name=op.f("pk_shared_lines")),
    )

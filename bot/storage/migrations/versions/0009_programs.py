"""Programs that people connect to the bot."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009_programs"
down_revision = "0008_imports"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "programs",
        sa.Column("player_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("owner_id", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("hash", sa.String(), nullable=False),
        sa.Column("stream", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["owner_id"], ["players.id"], name=op.f("fk_programs_owner_id")),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_programs_player_id")),
        sa.PrimaryKeyConstraint("player_id", name=op.f("pk_programs")),
        sa.UniqueConstraint("hash", name=op.f("uq_programs_hash")),
    )
    op.create_index(op.f("ix_programs_owner_id"), "programs", ["owner_id"], unique=False)

"""The doors to the pages of matches."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002_web"
down_revision = "0001_version_1"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "web_sessions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("hash", sa.String(), nullable=False),
        sa.Column("player_id", sa.BigInteger(), nullable=False),
        sa.Column("begun_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_web_sessions_player_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_web_sessions")),
        sa.UniqueConstraint("hash", name=op.f("uq_web_sessions_hash")),
    )
    op.create_index(op.f("ix_web_sessions_player_id"), "web_sessions", ["player_id"], unique=False)
    op.create_index(op.f("ix_web_sessions_used_at"), "web_sessions", ["used_at"], unique=False)
    op.create_table(
        "web_tokens",
        sa.Column("hash", sa.String(), nullable=False),
        sa.Column("player_id", sa.BigInteger(), nullable=False),
        sa.Column("match_id", sa.Integer(), nullable=True),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_web_tokens_match_id")),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_web_tokens_player_id")),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_web_tokens")),
    )
    op.create_index(op.f("ix_web_tokens_expires_at"), "web_tokens", ["expires_at"], unique=False)
    op.create_index(op.f("ix_web_tokens_player_id"), "web_tokens", ["player_id"], unique=False)

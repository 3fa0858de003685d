"""Ratings: the log, the changes, the standings; rated and casual matches; faster ways to a player's matches."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

BEGINNING = sa.text("ply <= 2")


def upgrade() -> None:
    for table in ("challenges", "matches"):
        op.add_column(table, sa.Column("rated", sa.Boolean(), server_default=sa.true(), nullable=False))
    op.create_index("ix_matches_first_ended", "matches", ["first_id", "ended_at"])
    op.create_index("ix_matches_second_ended", "matches", ["second_id", "ended_at"])
    op.create_index(
        "ix_turns_beginning", "turns", ["match_id", "step"], sqlite_where=BEGINNING, postgresql_where=BEGINNING
    )
    op.create_table(
        "rating_events",
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_rating_events_match_id")),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_rating_events")),
        sa.UniqueConstraint("match_id", "kind", name=op.f("uq_rating_events_match_id")),
    )
    op.create_table(
        "rating_changes",
        sa.Column("player_id", sa.BigInteger(), nullable=False),
        sa.Column("game", sa.String(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("score", sa.Float(), nullable=False),
        sa.Column("value_before", sa.Float(), nullable=False),
        sa.Column("deviation_before", sa.Float(), nullable=False),
        sa.Column("value", sa.Float(), nullable=False),
        sa.Column("deviation", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_rating_changes_player_id")),
        sa.ForeignKeyConstraint(["seq"], ["rating_events.seq"], name=op.f("fk_rating_changes_seq")),
        sa.PrimaryKeyConstraint("player_id", "game", "seq", name=op.f("pk_rating_changes")),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_rating_changes_seq", "rating_changes", ["seq"])
    op.create_table(
        "standings",
        sa.Column("guild_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("game", sa.String(), nullable=False),
        sa.Column("span", sa.String(), nullable=False),
        sa.Column("player_id", sa.BigInteger(), nullable=False),
        sa.Column("period", sa.Integer(), nullable=False),
        sa.Column("wins", sa.Integer(), nullable=False),
        sa.Column("draws", sa.Integer(), nullable=False),
        sa.Column("losses", sa.Integer(), nullable=False),
        sa.Column("streak", sa.Integer(), nullable=False),
        sa.Column("best", sa.Integer(), nullable=False),
        sa.Column("rating", sa.Float(), nullable=False),
        sa.Column("settled_until", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_standings_player_id")),
        sa.PrimaryKeyConstraint("guild_id", "game", "span", "player_id", name=op.f("pk_standings")),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_standings_player_game", "standings", ["player_id", "game"])


def downgrade() -> None:
    for table in ("standings", "rating_changes", "rating_events"):
        op.drop_table(table)
    op.drop_index("ix_turns_beginning", "turns")
    for seat in ("first", "second"):
        op.drop_index(f"ix_matches_{seat}_ended", "matches")
    for table in ("challenges", "matches"):
        op.drop_column(table, "rated")

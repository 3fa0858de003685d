"""Players, challenges, matches, turns, timers and memos."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

OPEN = sa.text("state = 'open'")
RUNNING = sa.text("ended_at IS NULL")


def upgrade() -> None:
    op.create_table(
        "memos",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("value", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_memos")),
    )
    op.create_table(
        "players",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_players")),
    )
    op.create_table(
        "timers",
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("subject_id", sa.Integer(), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("kind", "subject_id", name=op.f("pk_timers")),
    )
    op.create_index("ix_timers_due_at", "timers", ["due_at"], unique=False)

    op.create_table(
        "challenges",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("guild_id", sa.BigInteger(), nullable=False),
        sa.Column("channel_id", sa.BigInteger(), nullable=False),
        sa.Column("challenger_id", sa.BigInteger(), nullable=False),
        sa.Column("opponent_id", sa.BigInteger(), nullable=True),
        sa.Column("low_id", sa.BigInteger(), nullable=False),
        sa.Column("high_id", sa.BigInteger(), nullable=False),
        sa.Column("ruleset", sa.String(), nullable=False),
        sa.Column("first", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("shown_version", sa.Integer(), nullable=True),
        sa.Column("card_channel_id", sa.BigInteger(), nullable=True),
        sa.Column("card_message_id", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["challenger_id"], ["players.id"], name=op.f("fk_challenges_challenger_id")),
        sa.ForeignKeyConstraint(["opponent_id"], ["players.id"], name=op.f("fk_challenges_opponent_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_challenges")),
    )
    op.create_index(
        "ix_challenges_one_open",
        "challenges",
        ["channel_id", "low_id", "high_id"],
        unique=True,
        sqlite_where=OPEN,
        postgresql_where=OPEN,
    )

    op.create_table(
        "matches",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("challenge_id", sa.Integer(), nullable=False),
        sa.Column("ruleset", sa.String(), nullable=False),
        sa.Column("game", sa.String(), nullable=False),
        sa.Column("guild_id", sa.BigInteger(), nullable=False),
        sa.Column("home_channel_id", sa.BigInteger(), nullable=False),
        sa.Column("channel_id", sa.BigInteger(), nullable=True),
        sa.Column("first_id", sa.BigInteger(), nullable=False),
        sa.Column("second_id", sa.BigInteger(), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ending", sa.String(), nullable=True),
        sa.Column("winner_id", sa.BigInteger(), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("shown_version", sa.Integer(), nullable=True),
        sa.Column("card_channel_id", sa.BigInteger(), nullable=True),
        sa.Column("card_message_id", sa.BigInteger(), nullable=True),
        sa.Column("shown_ply", sa.Integer(), nullable=True),
        sa.CheckConstraint("(ended_at IS NULL) = (ending IS NULL)", name=op.f("ck_matches_ended")),
        sa.ForeignKeyConstraint(["challenge_id"], ["challenges.id"], name=op.f("fk_matches_challenge_id")),
        sa.ForeignKeyConstraint(["first_id"], ["players.id"], name=op.f("fk_matches_first_id")),
        sa.ForeignKeyConstraint(["second_id"], ["players.id"], name=op.f("fk_matches_second_id")),
        sa.ForeignKeyConstraint(["winner_id"], ["players.id"], name=op.f("fk_matches_winner_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_matches")),
        sa.UniqueConstraint("challenge_id", name=op.f("uq_matches_challenge_id")),
    )
    op.create_index(
        "ix_matches_first_running",
        "matches",
        ["first_id"],
        unique=False,
        sqlite_where=RUNNING,
        postgresql_where=RUNNING,
    )
    op.create_index("ix_matches_guild_game", "matches", ["guild_id", "game"], unique=False)
    op.create_index(
        "ix_matches_one_running", "matches", ["channel_id"], unique=True, sqlite_where=RUNNING, postgresql_where=RUNNING
    )
    op.create_index(
        "ix_matches_second_running",
        "matches",
        ["second_id"],
        unique=False,
        sqlite_where=RUNNING,
        postgresql_where=RUNNING,
    )

    op.create_table(
        "turns",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("turn", sa.String(), nullable=False),
        sa.Column("player_id", sa.BigInteger(), nullable=False),
        sa.Column("played_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_turns_match_id")),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_turns_player_id")),
        sa.PrimaryKeyConstraint("match_id", "ply", name=op.f("pk_turns")),
    )


def downgrade() -> None:
    for table in ("turns", "matches", "challenges", "timers", "players", "memos"):
        op.drop_table(table)

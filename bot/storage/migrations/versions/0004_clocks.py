"""Time controls, clocks, days off, blocked players and tournaments."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("challenges", sa.Column("control", sa.String(), nullable=True))
    op.create_table(
        "clocks",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("control", sa.String(), nullable=False),
        sa.Column("first_left", sa.BigInteger(), nullable=False),
        sa.Column("second_left", sa.BigInteger(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_clocks_match_id")),
        sa.PrimaryKeyConstraint("match_id", name=op.f("pk_clocks")),
    )
    op.create_table(
        "clock_turns",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("used", sa.BigInteger(), nullable=False),
        sa.Column("gained", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_clock_turns_match_id")),
        sa.PrimaryKeyConstraint("match_id", "step", name=op.f("pk_clock_turns")),
    )
    op.create_table(
        "vacations",
        sa.Column("player_id", sa.BigInteger(), nullable=False),
        sa.Column("starts_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ends_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_vacations_player_id")),
        sa.PrimaryKeyConstraint("player_id", "starts_at", name=op.f("pk_vacations")),
    )
    op.create_table(
        "blocks",
        sa.Column("player_id", sa.BigInteger(), nullable=False),
        sa.Column("blocked_id", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_blocks_player_id")),
        sa.ForeignKeyConstraint(["blocked_id"], ["players.id"], name=op.f("fk_blocks_blocked_id")),
        sa.PrimaryKeyConstraint("player_id", "blocked_id", name=op.f("pk_blocks")),
    )
    op.create_index("ix_challenges_challenger_created", "challenges", ["challenger_id", "created_at"], unique=False)
    _create_tournaments()


def _create_tournaments() -> None:
    op.create_table(
        "tournaments",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("guild_id", sa.BigInteger(), nullable=True),
        sa.Column("channel_id", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("organiser_id", sa.BigInteger(), nullable=False),
        sa.Column("ruleset", sa.String(), nullable=False),
        sa.Column("control", sa.String(), nullable=True),
        sa.Column("at_once", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("shown_version", sa.Integer(), nullable=True),
        sa.Column("card_channel_id", sa.BigInteger(), nullable=True),
        sa.Column("card_message_id", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["organiser_id"], ["players.id"], name=op.f("fk_tournaments_organiser_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tournaments")),
    )
    op.create_index("ix_tournaments_channel_state", "tournaments", ["channel_id", "state"], unique=False)
    op.create_table(
        "entrants",
        sa.Column("tournament_id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("withdrawn_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["tournament_id"], ["tournaments.id"], name=op.f("fk_entrants_tournament_id")),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_entrants_player_id")),
        sa.PrimaryKeyConstraint("tournament_id", "player_id", name=op.f("pk_entrants")),
    )
    op.create_table(
        "pairings",
        sa.Column("tournament_id", sa.Integer(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("first_id", sa.BigInteger(), nullable=False),
        sa.Column("second_id", sa.BigInteger(), nullable=False),
        sa.Column("match_id", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["tournament_id"], ["tournaments.id"], name=op.f("fk_pairings_tournament_id")),
        sa.ForeignKeyConstraint(["first_id"], ["players.id"], name=op.f("fk_pairings_first_id")),
        sa.ForeignKeyConstraint(["second_id"], ["players.id"], name=op.f("fk_pairings_second_id")),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_pairings_match_id")),
        sa.PrimaryKeyConstraint("tournament_id", "round", "first_id", name=op.f("pk_pairings")),
        sa.UniqueConstraint("match_id", name=op.f("uq_pairings_match_id")),
    )


def downgrade() -> None:
    for table in ("pairings", "entrants", "tournaments"):
        op.drop_table(table)
    op.drop_index("ix_challenges_challenger_created", "challenges")
    for table in ("blocks", "vacations", "clock_turns", "clocks"):
        op.drop_table(table)
    op.drop_column("challenges", "control")

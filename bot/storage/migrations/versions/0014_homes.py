"""Matches of strangers: several homes of a match, each with its server, and standing requests."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from bot.storage.columns import Instant

revision = "0014_homes"
down_revision = "0013_solved_tasks"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("match_deliveries") as table:
        table.add_column(sa.Column("seat", sa.Integer(), server_default=sa.text("0"), nullable=False))
        table.add_column(sa.Column("player_id", sa.BigInteger(), nullable=True))
        table.add_column(sa.Column("home_guild_id", sa.BigInteger(), nullable=True))
        table.add_column(sa.Column("lost_at", Instant(), nullable=True))
        table.create_foreign_key(op.f("fk_match_deliveries_player_id"), "players", ["player_id"], ["id"])
        table.drop_constraint("pk_match_deliveries", type_="primary")
        table.create_primary_key("pk_match_deliveries", ["match_id", "seat"])
    op.execute(
        "UPDATE match_deliveries SET home_guild_id = "
        "(SELECT guild_id FROM matches WHERE matches.id = match_deliveries.match_id)"
    )
    theirs = sa.text("player_id IS NOT NULL")
    for column in ("player_id", "home_guild_id"):
        op.create_index(
            op.f(f"ix_match_deliveries_{column}"),
            "match_deliveries",
            [column],
            sqlite_where=theirs,
            postgresql_where=theirs,
        )
    op.add_column("replaced_cards", sa.Column("seat", sa.Integer(), server_default=sa.text("0"), nullable=False))
    op.create_table(
        "standing_requests",
        sa.Column("player_id", sa.BigInteger(), nullable=False),
        sa.Column("games", sa.JSON(), nullable=False),
        *(sa.Column(name, sa.Integer(), nullable=False) for name in ("at_once", "offences", "version")),
        *(sa.Column(name, sa.String(), nullable=False) for name in ("pace", "state")),
        *(sa.Column(name, sa.Boolean(), nullable=False) for name in ("near", "direct")),
        sa.Column("guild_id", sa.BigInteger(), nullable=True),
        sa.Column("channel_id", sa.BigInteger(), nullable=False),
        *(sa.Column(name, Instant(), nullable=False) for name in ("waiting_since", "asked_at")),
        sa.Column("resumes_at", Instant(), nullable=True),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_standing_requests_player_id")),
        sa.PrimaryKeyConstraint("player_id", name=op.f("pk_standing_requests")),
    )
    still = sa.text("state <> 'ended'")
    op.create_index(
        "ix_standing_requests_open", "standing_requests", ["waiting_since"], sqlite_where=still, postgresql_where=still
    )
    op.create_table(
        "excluded_accounts",
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_excluded_accounts")),
    )
    op.add_column("blocks", sa.Column("stranger", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.add_column("servers", sa.Column("strangers", sa.Boolean(), server_default=sa.true(), nullable=False))

"""Several homes of a match, each with its server."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012_homes"
down_revision = "0011_origins"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("match_deliveries") as table:
        table.add_column(sa.Column("seat", sa.Integer(), server_default=sa.text("0"), nullable=False))
        table.add_column(sa.Column("player_id", sa.BigInteger(), nullable=True))
        table.add_column(sa.Column("home_guild_id", sa.BigInteger(), nullable=True))
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

"""What is left to do of replaced cards and of corrected ratings."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "replaced_cards",
        sa.Column("message_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("channel_id", sa.BigInteger(), nullable=False),
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_replaced_cards_match_id")),
        sa.PrimaryKeyConstraint("message_id", name=op.f("pk_replaced_cards")),
    )
    op.create_table(
        "rating_corrections",
        sa.Column("player_id", sa.BigInteger(), nullable=False),
        sa.Column("game", sa.String(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_rating_corrections_player_id")),
        sa.ForeignKeyConstraint(["seq"], ["rating_events.seq"], name=op.f("fk_rating_corrections_seq")),
        sa.PrimaryKeyConstraint("player_id", "game", name=op.f("pk_rating_corrections")),
    )
    op.create_index("ix_rating_corrections_seq", "rating_corrections", ["seq"])
    # A correction that was interrupted cannot be continued from what it left: all ratings are worked out again instead.
    op.execute(
        "DELETE FROM memos WHERE name = 'rating-formula' "
        "AND EXISTS (SELECT 1 FROM memos WHERE name = 'uncorrected-ratings')"
    )
    op.execute("DELETE FROM memos WHERE name = 'uncorrected-ratings'")


def downgrade() -> None:
    # The earlier version knows of no single correction, so it works out all ratings again.
    op.execute("DELETE FROM memos WHERE name = 'rating-formula' AND EXISTS (SELECT 1 FROM rating_corrections)")
    op.drop_table("rating_corrections")
    op.drop_table("replaced_cards")

"""What deleted players have done lately, as far as a limit still counts it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "kept_counts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("hash", sa.String(), nullable=False),
        sa.Column("counted_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("kept_until", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_kept_counts")),
    )
    op.create_index("ix_kept_counts_hash", "kept_counts", ["hash"])
    op.create_index("ix_kept_counts_kept_until", "kept_counts", ["kept_until"])


def downgrade() -> None:
    op.drop_table("kept_counts")
    op.execute("DELETE FROM timers WHERE kind = 'forget'")
    op.execute("DELETE FROM memos WHERE name = 'limits-key'")

"""Accounts that have deleted their data, in place of what they had done."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010_tombstones"
down_revision = "0009_programs"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "tombstones",
        sa.Column("hash", sa.String(), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_tombstones")),
    )
    # Its rows count for an hour at most.
    op.drop_table("kept_counts")

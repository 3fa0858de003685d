"""The channels that public threads belong to."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "threads",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("parent_id", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_threads")),
    )
    op.create_index(op.f("ix_threads_parent_id"), "threads", ["parent_id"])


def downgrade() -> None:
    op.drop_index(op.f("ix_threads_parent_id"), table_name="threads")
    op.drop_table("threads")

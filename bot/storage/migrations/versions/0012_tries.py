"""The tries of a puzzle after the first."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012_tries"
down_revision = "0011_origins"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("puzzle_attempts", sa.Column("tries", sa.String(), server_default=sa.text("''"), nullable=False))
    op.execute("UPDATE puzzle_attempts SET tries = CASE WHEN solved THEN 'o' ELSE 'x' END WHERE solved IS NOT NULL")

"""Whether to play at once becomes a choice of the confirmation; turns put together with buttons are counted."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("UPDATE preferences SET confirmation = 'at-once' WHERE at_once AND confirmation = 'risky'")
    op.drop_column("preferences", "at_once")
    op.add_column("preferences", sa.Column("turns_by_buttons", sa.Integer(), server_default="0", nullable=False))


def downgrade() -> None:
    op.drop_column("preferences", "turns_by_buttons")
    op.add_column("preferences", sa.Column("at_once", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.execute("UPDATE preferences SET confirmation = 'risky', at_once = true WHERE confirmation = 'at-once'")

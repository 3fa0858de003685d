"""Quiet hours and the time zones of players.

Players have timers of their own from now on, and their ids do not fit 32 bits.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("preferences", sa.Column("utc_offset", sa.Integer(), server_default="0", nullable=False))
    op.add_column("preferences", sa.Column("quiet_from", sa.Integer(), nullable=True))
    op.add_column("preferences", sa.Column("quiet_to", sa.Integer(), nullable=True))
    with op.batch_alter_table("timers") as timers:
        timers.alter_column("subject_id", existing_type=sa.Integer(), type_=sa.BigInteger(), existing_nullable=False)


def downgrade() -> None:
    op.execute("DELETE FROM timers WHERE kind = 'quiet-end'")
    with op.batch_alter_table("timers") as timers:
        timers.alter_column("subject_id", existing_type=sa.BigInteger(), type_=sa.Integer(), existing_nullable=False)
    for name in ("quiet_to", "quiet_from", "utc_offset"):
        op.drop_column("preferences", name)

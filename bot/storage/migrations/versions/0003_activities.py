"""The sessions of Activities of Discord."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003_activities"
down_revision = "0002_web"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("web_sessions") as table:
        table.add_column(sa.Column("in_activity", sa.Boolean(), nullable=False, server_default=sa.false()))

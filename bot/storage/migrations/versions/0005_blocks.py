"""A block outlasts what is kept of the blocked player."""

from __future__ import annotations

from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("blocks") as batch:
        batch.drop_constraint("fk_blocks_blocked_id", type_="foreignkey")


def downgrade() -> None:
    op.execute("DELETE FROM blocks WHERE blocked_id NOT IN (SELECT id FROM players)")
    with op.batch_alter_table("blocks") as batch:
        batch.create_foreign_key("fk_blocks_blocked_id", "players", ["blocked_id"], ["id"])

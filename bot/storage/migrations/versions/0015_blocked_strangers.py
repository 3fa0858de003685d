"""Blocks of a known account beside blocks of a stranger; requests of excluded accounts end."""

from __future__ import annotations

from alembic import op

revision = "0015_blocked_strangers"
down_revision = "0014_homes"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("blocks") as table:
        table.drop_constraint("pk_blocks", type_="primary")
        table.create_primary_key("pk_blocks", ["player_id", "stranger", "blocked_id"])
    op.execute(
        "UPDATE standing_requests SET state = 'ended', version = version + 1 "
        "WHERE player_id IN (SELECT id FROM excluded_accounts)"
    )

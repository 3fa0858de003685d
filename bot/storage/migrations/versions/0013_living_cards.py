"""Living cards: how servers, channels and matches show boards, and the messages that call players to a living one."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("servers", sa.Column("board_cards", sa.String(), nullable=False, server_default=sa.text("'living'")))
    op.create_table(
        "other_card_channels",
        sa.Column("server_id", sa.BigInteger(), nullable=False),
        sa.Column("channel_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.ForeignKeyConstraint(["server_id"], ["servers.id"], name=op.f("fk_other_card_channels_server_id")),
        sa.PrimaryKeyConstraint("server_id", "channel_id", name=op.f("pk_other_card_channels")),
    )
    op.add_column("match_deliveries", sa.Column("ping_message_id", sa.BigInteger(), nullable=True))
    op.add_column("match_deliveries", sa.Column("board_cards", sa.String(), nullable=True))
    op.add_column("replaced_cards", sa.Column("surplus", sa.Boolean(), nullable=False, server_default=sa.false()))


def downgrade() -> None:
    op.drop_column("replaced_cards", "surplus")
    op.drop_column("match_deliveries", "board_cards")
    op.drop_column("match_deliveries", "ping_message_id")
    op.drop_table("other_card_channels")
    op.drop_column("servers", "board_cards")

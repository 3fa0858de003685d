"""When proposals were made, and who posted boards: there are limits to both."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("proposals", sa.Column("created_at", sa.DateTime(timezone=True), nullable=True))
    op.create_index("ix_proposals_proposer_created", "proposals", ["proposer_id", "created_at"], unique=False)
    op.create_table(
        "posts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_posts_player_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_posts")),
    )
    op.create_index("ix_posts_player_created", "posts", ["player_id", "created_at"], unique=False)


def downgrade() -> None:
    op.drop_table("posts")
    op.drop_index("ix_proposals_proposer_created", table_name="proposals")
    op.drop_column("proposals", "created_at")

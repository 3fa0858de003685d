"""When the bot was last there, for each shard instead of for all at once."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

_memos = sa.table("memos", sa.column("name", sa.String()), sa.column("value", sa.String()))
_presence = sa.table(
    "presence",
    sa.column("shard", sa.Integer()),
    sa.column("shards", sa.Integer()),
    sa.column("seen_at", sa.DateTime(timezone=True)),
    sa.column("holder", sa.String()),
)
_LAST_SEEN = _memos.c.name == "last-seen"


def upgrade() -> None:
    op.create_table(
        "presence",
        sa.Column("shard", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("shards", sa.Integer(), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("holder", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("shard", name=op.f("pk_presence")),
    )
    connection = op.get_bind()
    noted = connection.scalar(sa.select(_memos.c.value).where(_LAST_SEEN))
    if noted is not None:
        seen = {"shard": 0, "shards": 1, "seen_at": datetime.fromisoformat(noted), "holder": ""}
        connection.execute(_presence.insert().values(seen))
        connection.execute(_memos.delete().where(_LAST_SEEN))


def downgrade() -> None:
    connection = op.get_bind()
    # SQLite forgets the zone, which is UTC.
    seen = [each.isoformat() for each in connection.scalars(sa.select(_presence.c.seen_at)) if each is not None]
    if seen:
        connection.execute(_memos.insert().values(name="last-seen", value=f"{min(seen)[:26]}+00:00"))
    op.drop_table("presence")

"""Daily digests, and time zones by name, whose clocks change by themselves."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

_PREFERENCES = sa.table("preferences", sa.column("utc_offset", sa.Integer), sa.column("time_zone", sa.String))


def upgrade() -> None:
    op.add_column("preferences", sa.Column("time_zone", sa.String(), server_default="+0", nullable=False))
    op.add_column("preferences", sa.Column("digest_at", sa.Integer(), nullable=True))
    op.add_column("preferences", sa.Column("direct_language", sa.String(), nullable=True))
    op.add_column("preferences", sa.Column("digest_refused", sa.Boolean(), server_default=sa.false(), nullable=False))
    for offset in op.get_bind().scalars(sa.select(_PREFERENCES.c.utc_offset).distinct()).all():
        hours, minutes = divmod(abs(offset), 60)
        text = f"{'-' if offset < 0 else '+'}{hours}" + (f":{minutes:02}" if minutes else "")
        op.execute(_PREFERENCES.update().where(_PREFERENCES.c.utc_offset == offset).values(time_zone=text))
    op.drop_column("preferences", "utc_offset")


def downgrade() -> None:
    """Go back to offsets; a time zone that has a name becomes UTC."""
    op.execute("DELETE FROM timers WHERE kind = 'digest'")
    op.add_column("preferences", sa.Column("utc_offset", sa.Integer(), server_default="0", nullable=False))
    for text in op.get_bind().scalars(sa.select(_PREFERENCES.c.time_zone).distinct()).all():
        if text[0] in "+-":
            hours, _colon, minutes = text[1:].partition(":")
            offset = int(f"{text[0]}1") * (int(hours) * 60 + int(minutes or 0))
            op.execute(_PREFERENCES.update().where(_PREFERENCES.c.time_zone == text).values(utc_offset=offset))
    for name in ("digest_refused", "direct_language", "digest_at", "time_zone"):
        op.drop_column("preferences", name)

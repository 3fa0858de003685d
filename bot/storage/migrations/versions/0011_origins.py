"""Matches of tournaments without a challenge that nobody made."""

from __future__ import annotations

from alembic import op

revision = "0011_origins"
down_revision = "0010_tombstones"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("UPDATE matches SET challenge_id = NULL WHERE id IN (SELECT match_id FROM pairings)")
    op.execute(
        "DELETE FROM challenges WHERE state = 'accepted' "
        "AND NOT EXISTS (SELECT 1 FROM matches WHERE matches.challenge_id = challenges.id)"
    )

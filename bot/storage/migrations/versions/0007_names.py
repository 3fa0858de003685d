"""Nicknames by server, names of accounts, how people appear elsewhere, and ways to what is purged.

The names so far may be nicknames of whichever server somebody was seen on last. Who was seen on one server only keeps
the name there; otherwise nobody can tell whose name it is, so it is shown nowhere. The names of the accounts are not
known before people are seen again.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

CAME_TO_NOTHING = sa.text("state IN ('declined', 'withdrawn', 'expired')")
INDEXES = (
    ("ix_challenges_opponent", "challenges", "opponent_id"),
    ("ix_matches_winner_id", "matches", "winner_id"),
    ("ix_matches_moderator_id", "matches", "moderator_id"),
    ("ix_turns_player", "turns", "player_id"),
)
#: On which server, if on one, somebody was seen.
SEEN = """
    SELECT challenger_id AS player_id, guild_id FROM challenges
    UNION SELECT opponent_id, guild_id FROM challenges WHERE opponent_id IS NOT NULL
    UNION SELECT first_id, guild_id FROM matches
    UNION SELECT second_id, guild_id FROM matches
    UNION SELECT moderator_id, guild_id FROM matches WHERE moderator_id IS NOT NULL
    UNION SELECT organiser_id, guild_id FROM tournaments
    UNION SELECT entrants.player_id, tournaments.guild_id FROM entrants
        JOIN tournaments ON tournaments.id = entrants.tournament_id
"""


def upgrade() -> None:
    op.add_column("players", sa.Column("username", sa.String(), server_default=sa.text("''"), nullable=False))
    op.add_column("preferences", sa.Column("outside", sa.String(), server_default="account", nullable=False))
    op.create_table(
        "nicknames",
        sa.Column("player_id", sa.BigInteger(), nullable=False),
        sa.Column("guild_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("name", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_nicknames_player_id")),
        sa.PrimaryKeyConstraint("player_id", "guild_id", name=op.f("pk_nicknames")),
    )
    op.execute(f"CREATE TEMPORARY TABLE seen AS {SEEN}")
    op.execute(
        """
        INSERT INTO nicknames (player_id, guild_id, name)
        SELECT seen.player_id, seen.guild_id, CASE WHEN everywhere.servers = 1 THEN NULLIF(players.name, '') END
        FROM seen
        JOIN players ON players.id = seen.player_id
        JOIN (SELECT player_id, COUNT(guild_id) AS servers FROM seen GROUP BY player_id) AS everywhere
            ON everywhere.player_id = seen.player_id
        WHERE seen.guild_id IS NOT NULL AND seen.player_id > 0
        """
    )
    op.execute("DROP TABLE seen")
    op.execute("UPDATE players SET name = ''")
    for name, table, column in INDEXES:
        op.create_index(name, table, [column])
    op.create_index(
        "ix_challenges_came_to_nothing",
        "challenges",
        ["expires_at"],
        sqlite_where=CAME_TO_NOTHING,
        postgresql_where=CAME_TO_NOTHING,
    )


def downgrade() -> None:
    op.drop_index("ix_challenges_came_to_nothing", "challenges")
    for name, table, _ in INDEXES:
        op.drop_index(name, table)
    # A nickname is what would have been shown before.
    op.execute(
        "UPDATE players SET name = COALESCE("
        "(SELECT MAX(nicknames.name) FROM nicknames WHERE nicknames.player_id = players.id), players.name)"
    )
    op.drop_table("nicknames")
    op.drop_column("preferences", "outside")
    op.drop_column("players", "username")

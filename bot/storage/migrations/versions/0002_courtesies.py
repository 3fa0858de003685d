"""Steps instead of plies, rematches, places outside servers, proposals, drafts and settings.

SQLite cannot change a column, so challenges, matches and turns are made anew and filled from copies.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

OPEN = sa.text("state = 'open'")
RUNNING = sa.text("ended_at IS NULL")
REMADE = ("turns", "matches", "challenges")


def upgrade() -> None:
    for table in REMADE:
        op.execute(f"CREATE TABLE {table}_before AS SELECT * FROM {table}")  # noqa: S608
    for table in REMADE:
        op.drop_table(table)
    _create_challenges()
    _create_matches()
    _create_turns()
    kept = (
        "id, guild_id, channel_id, challenger_id, opponent_id, low_id, high_id, ruleset, first, state, created_at, "
        "expires_at, version, shown_version, card_channel_id, card_message_id"
    )
    op.execute(f"INSERT INTO challenges ({kept}) SELECT {kept} FROM challenges_before")  # noqa: S608
    kept = (
        "id, challenge_id, ruleset, game, guild_id, home_channel_id, channel_id, first_id, second_id, ply, started_at, "
        "ended_at, ending, winner_id, version, shown_version, card_channel_id, card_message_id"
    )
    # Nothing was ever taken back, so the numbers of the steps are those of the turns.
    op.execute(
        f"INSERT INTO matches ({kept}, step, shown_step) SELECT {kept}, ply, shown_ply FROM matches_before"  # noqa: S608
    )
    kept = "match_id, ply, turn, player_id, played_at"
    op.execute(f"INSERT INTO turns ({kept}, step) SELECT {kept}, ply FROM turns_before")  # noqa: S608
    for table in REMADE:
        op.drop_table(f"{table}_before")
    if op.get_bind().dialect.name == "postgresql":
        for table in ("challenges", "matches"):
            op.execute(
                f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), max(id)) FROM {table} HAVING max(id) > 0"  # noqa: S608
            )
    _create_proposals_and_drafts()
    _create_settings()


def downgrade() -> None:
    raise NotImplementedError("rematches and turns taken back have no place in the tables before; restore a backup")


def _create_challenges() -> None:
    op.create_table(
        "challenges",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("guild_id", sa.BigInteger(), nullable=True),
        sa.Column("channel_id", sa.BigInteger(), nullable=False),
        sa.Column("challenger_id", sa.BigInteger(), nullable=False),
        sa.Column("opponent_id", sa.BigInteger(), nullable=True),
        sa.Column("low_id", sa.BigInteger(), nullable=False),
        sa.Column("high_id", sa.BigInteger(), nullable=False),
        sa.Column("ruleset", sa.String(), nullable=False),
        sa.Column("first", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("shown_version", sa.Integer(), nullable=True),
        sa.Column("card_channel_id", sa.BigInteger(), nullable=True),
        sa.Column("card_message_id", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["challenger_id"], ["players.id"], name=op.f("fk_challenges_challenger_id")),
        sa.ForeignKeyConstraint(["opponent_id"], ["players.id"], name=op.f("fk_challenges_opponent_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_challenges")),
    )
    op.create_index(
        "ix_challenges_one_open",
        "challenges",
        ["channel_id", "low_id", "high_id"],
        unique=True,
        sqlite_where=OPEN,
        postgresql_where=OPEN,
    )


def _create_matches() -> None:
    op.create_table(
        "matches",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("challenge_id", sa.Integer(), nullable=True),
        sa.Column("rematch_of", sa.Integer(), nullable=True),
        sa.Column("ruleset", sa.String(), nullable=False),
        sa.Column("game", sa.String(), nullable=False),
        sa.Column("guild_id", sa.BigInteger(), nullable=True),
        sa.Column("home_channel_id", sa.BigInteger(), nullable=False),
        sa.Column("channel_id", sa.BigInteger(), nullable=True),
        sa.Column("first_id", sa.BigInteger(), nullable=False),
        sa.Column("second_id", sa.BigInteger(), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ending", sa.String(), nullable=True),
        sa.Column("winner_id", sa.BigInteger(), nullable=True),
        sa.Column("moderator_id", sa.BigInteger(), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("shown_version", sa.Integer(), nullable=True),
        sa.Column("card_channel_id", sa.BigInteger(), nullable=True),
        sa.Column("card_message_id", sa.BigInteger(), nullable=True),
        sa.Column("shown_step", sa.Integer(), nullable=True),
        sa.CheckConstraint("(ended_at IS NULL) = (ending IS NULL)", name=op.f("ck_matches_ended")),
        sa.CheckConstraint("(challenge_id IS NULL) <> (rematch_of IS NULL)", name=op.f("ck_matches_origin")),
        sa.ForeignKeyConstraint(["challenge_id"], ["challenges.id"], name=op.f("fk_matches_challenge_id")),
        sa.ForeignKeyConstraint(["rematch_of"], ["matches.id"], name=op.f("fk_matches_rematch_of")),
        sa.ForeignKeyConstraint(["first_id"], ["players.id"], name=op.f("fk_matches_first_id")),
        sa.ForeignKeyConstraint(["second_id"], ["players.id"], name=op.f("fk_matches_second_id")),
        sa.ForeignKeyConstraint(["winner_id"], ["players.id"], name=op.f("fk_matches_winner_id")),
        sa.ForeignKeyConstraint(["moderator_id"], ["players.id"], name=op.f("fk_matches_moderator_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_matches")),
        sa.UniqueConstraint("challenge_id", name=op.f("uq_matches_challenge_id")),
        sa.UniqueConstraint("rematch_of", name=op.f("uq_matches_rematch_of")),
    )
    op.create_index("ix_matches_guild_game", "matches", ["guild_id", "game"], unique=False)
    for name, column, unique in (
        ("ix_matches_one_running", "channel_id", True),
        ("ix_matches_first_running", "first_id", False),
        ("ix_matches_second_running", "second_id", False),
    ):
        op.create_index(name, "matches", [column], unique=unique, sqlite_where=RUNNING, postgresql_where=RUNNING)


def _create_turns() -> None:
    op.create_table(
        "turns",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("turn", sa.String(), nullable=True),
        sa.Column("player_id", sa.BigInteger(), nullable=False),
        sa.Column("played_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_turns_match_id")),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_turns_player_id")),
        sa.PrimaryKeyConstraint("match_id", "step", name=op.f("pk_turns")),
    )


def _create_proposals_and_drafts() -> None:
    op.create_table(
        "proposals",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("proposer_id", sa.BigInteger(), nullable=False),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("keeps", sa.Integer(), nullable=True),
        sa.Column("guild_id", sa.BigInteger(), nullable=True),
        sa.Column("channel_id", sa.BigInteger(), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("shown_version", sa.Integer(), nullable=True),
        sa.Column("card_channel_id", sa.BigInteger(), nullable=True),
        sa.Column("card_message_id", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_proposals_match_id")),
        sa.ForeignKeyConstraint(["proposer_id"], ["players.id"], name=op.f("fk_proposals_proposer_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_proposals")),
    )
    op.create_index(
        "ix_proposals_one_open",
        "proposals",
        ["match_id", "kind"],
        unique=True,
        sqlite_where=OPEN,
        postgresql_where=OPEN,
    )
    op.create_index("ix_proposals_match_id", "proposals", ["match_id"], unique=False)
    op.create_table(
        "drafts",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.BigInteger(), nullable=False),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_drafts_match_id")),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_drafts_player_id")),
        sa.PrimaryKeyConstraint("match_id", "player_id", name=op.f("pk_drafts")),
    )


def _create_settings() -> None:
    op.create_table(
        "preferences",
        sa.Column("player_id", sa.BigInteger(), nullable=False),
        sa.Column("theme", sa.String(), nullable=True),
        sa.Column("orientation", sa.String(), nullable=False),
        sa.Column("coordinates", sa.Boolean(), nullable=False),
        sa.Column("confirmation", sa.String(), nullable=False),
        sa.Column("pings", sa.Boolean(), nullable=False),
        sa.Column("language", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_preferences_player_id")),
        sa.PrimaryKeyConstraint("player_id", name=op.f("pk_preferences")),
    )
    op.create_table(
        "hints",
        sa.Column("player_id", sa.BigInteger(), nullable=False),
        sa.Column("game", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_hints_player_id")),
        sa.PrimaryKeyConstraint("player_id", "game", name=op.f("pk_hints")),
    )
    op.create_table(
        "servers",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("play_in", sa.String(), nullable=False),
        sa.Column("challenger_role_id", sa.BigInteger(), nullable=True),
        sa.Column("theme", sa.String(), nullable=True),
        sa.Column("language", sa.String(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_servers")),
    )
    op.create_table(
        "server_channels",
        sa.Column("server_id", sa.BigInteger(), nullable=False),
        sa.Column("channel_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.ForeignKeyConstraint(["server_id"], ["servers.id"], name=op.f("fk_server_channels_server_id")),
        sa.PrimaryKeyConstraint("server_id", "channel_id", name=op.f("pk_server_channels")),
    )

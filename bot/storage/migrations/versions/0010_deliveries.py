"""Where matches are played on Discord, and what was shown of them, in a table of its own.

So a match can be played outside Discord, and without a challenge. SQLite cannot change the check of where a match came
from, so there the table of matches is made again and filled from a copy.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_RUNNING = sa.text("ended_at IS NULL")
_ENDED = "CASE WHEN ended_at IS NULL THEN 0 ELSE 1 END"
_KEPT = (
    "id, challenge_id, rematch_of, ruleset, game, guild_id, first_id, second_id, ply, step, started_at, ended_at, "
    "ending, winner_id, moderator_id, rated"
)
_DELIVERED = "home_channel_id, channel_id, shown_version, shown_step, card_channel_id, card_message_id"
_INDEXES = (
    ("ix_matches_guild_game", ["guild_id", "game"], None),
    ("ix_matches_first_running", ["first_id"], _RUNNING),
    ("ix_matches_second_running", ["second_id"], _RUNNING),
    ("ix_matches_first_ended", ["first_id", "ended_at"], None),
    ("ix_matches_second_ended", ["second_id", "ended_at"], None),
    ("ix_matches_winner_id", ["winner_id"], None),
    ("ix_matches_moderator_id", ["moderator_id"], None),
)
_ORIGIN = "challenge_id IS NULL OR rematch_of IS NULL"
_ORIGIN_BEFORE = "(challenge_id IS NULL) <> (rematch_of IS NULL)"


def upgrade() -> None:
    op.create_table(
        "match_deliveries",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("home_channel_id", sa.BigInteger(), nullable=False),
        sa.Column("channel_id", sa.BigInteger(), nullable=True),
        sa.Column("occupied_channel_id", sa.BigInteger(), nullable=True),
        sa.Column("requests", sa.Integer(), nullable=False),
        sa.Column("shown_version", sa.Integer(), nullable=True),
        sa.Column("shown_step", sa.Integer(), nullable=True),
        sa.Column("card_channel_id", sa.BigInteger(), nullable=True),
        sa.Column("card_message_id", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_match_deliveries_match_id")),
        sa.PrimaryKeyConstraint("match_id", name=op.f("pk_match_deliveries")),
        sa.UniqueConstraint("occupied_channel_id", name=op.f("uq_match_deliveries_occupied_channel_id")),
    )
    # The version follows from the steps and the end now, so what was counted besides is what is left of it.
    op.execute(
        f"INSERT INTO match_deliveries (match_id, occupied_channel_id, requests, {_DELIVERED}) "  # noqa: S608
        f"SELECT id, CASE WHEN ended_at IS NULL THEN channel_id END, version - step - {_ENDED}, {_DELIVERED} "
        "FROM matches"
    )
    op.create_index(op.f("ix_match_deliveries_channel_id"), "match_deliveries", ["channel_id"])
    op.drop_index("ix_matches_one_running", table_name="matches")
    if op.get_bind().dialect.name == "sqlite":
        _make_again(_KEPT, f"SELECT {_KEPT} FROM matches_before", _ORIGIN)  # noqa: S608
        return
    for name in (*_DELIVERED.split(", "), "version"):
        op.drop_column("matches", name)
    op.drop_constraint(op.f("ck_matches_origin"), "matches", type_="check")
    op.create_check_constraint(op.f("ck_matches_origin"), "matches", _ORIGIN)


def downgrade() -> None:
    unknown = "SELECT count(*) FROM matches WHERE id NOT IN (SELECT match_id FROM match_deliveries)"
    if op.get_bind().scalar(sa.text(f"{unknown} OR challenge_id IS NULL AND rematch_of IS NULL")):
        raise NotImplementedError("matches outside Discord have no place in the tables before; restore a backup")
    version = f"requests + step + {_ENDED}"
    if op.get_bind().dialect.name == "sqlite":
        _make_again(
            f"{_KEPT}, version, {_DELIVERED}",
            f"SELECT {_KEPT}, {version}, {_DELIVERED} "  # noqa: S608
            "FROM matches_before JOIN match_deliveries ON match_id = id",
            _ORIGIN_BEFORE,
            sa.Column("home_channel_id", sa.BigInteger(), nullable=False),
            sa.Column("version", sa.Integer(), nullable=False),
            *_nullable_columns(),
        )
    else:
        op.drop_constraint(op.f("ck_matches_origin"), "matches", type_="check")
        op.create_check_constraint(op.f("ck_matches_origin"), "matches", _ORIGIN_BEFORE)
        needed = ("home_channel_id", sa.BigInteger()), ("version", sa.Integer())
        for column in (*(sa.Column(name, kind, nullable=True) for name, kind in needed), *_nullable_columns()):
            op.add_column("matches", column)
        values = ", ".join(f"{name} = match_deliveries.{name}" for name in _DELIVERED.split(", "))
        op.execute(
            f"UPDATE matches SET version = {version}, {values} FROM match_deliveries WHERE match_id = id"  # noqa: S608
        )
        for name, _ in needed:
            op.alter_column("matches", name, nullable=False)
    op.create_index(
        "ix_matches_one_running",
        "matches",
        ["channel_id"],
        unique=True,
        sqlite_where=_RUNNING,
        postgresql_where=_RUNNING,
    )
    op.drop_index(op.f("ix_match_deliveries_channel_id"), table_name="match_deliveries")
    op.drop_table("match_deliveries")


def _nullable_columns() -> tuple[sa.Column[int], ...]:
    return (
        sa.Column("channel_id", sa.BigInteger(), nullable=True),
        sa.Column("shown_version", sa.Integer(), nullable=True),
        sa.Column("card_channel_id", sa.BigInteger(), nullable=True),
        sa.Column("card_message_id", sa.BigInteger(), nullable=True),
        sa.Column("shown_step", sa.Integer(), nullable=True),
    )


def _make_again(names: str, rows: str, origin: str, *columns: sa.Column[int]) -> None:
    """Make the table of matches again on SQLite, with these columns beside those that it keeps."""
    # Other tables refer to the matches, which are gone for a moment.
    op.execute("PRAGMA defer_foreign_keys = ON")
    op.execute("CREATE TABLE matches_before AS SELECT * FROM matches")
    for name, _, _ in _INDEXES:
        op.drop_index(name, table_name="matches")  # or every row would be looked up in them
    op.drop_table("matches")
    op.create_table(
        "matches",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("challenge_id", sa.Integer(), nullable=True),
        sa.Column("rematch_of", sa.Integer(), nullable=True),
        sa.Column("ruleset", sa.String(), nullable=False),
        sa.Column("game", sa.String(), nullable=False),
        sa.Column("guild_id", sa.BigInteger(), nullable=True),
        sa.Column("first_id", sa.BigInteger(), nullable=False),
        sa.Column("second_id", sa.BigInteger(), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ending", sa.String(), nullable=True),
        sa.Column("winner_id", sa.BigInteger(), nullable=True),
        sa.Column("moderator_id", sa.BigInteger(), nullable=True),
        sa.Column("rated", sa.Boolean(), nullable=False, server_default=sa.true()),
        *columns,
        sa.CheckConstraint("(ended_at IS NULL) = (ending IS NULL)", name=op.f("ck_matches_ended")),
        sa.CheckConstraint(origin, name=op.f("ck_matches_origin")),
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
    op.execute(f"INSERT INTO matches ({names}) {rows}")
    op.drop_table("matches_before")
    for name, indexed, where in _INDEXES:
        op.create_index(name, "matches", indexed, sqlite_where=where)

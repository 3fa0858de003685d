"""The tables of version 1.0."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001_version_1"
down_revision = None
branch_labels = None
depends_on = None

_TIME = sa.DateTime(timezone=True)
_tables = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def upgrade() -> None:
    _tables.create_all(op.get_bind(), checkfirst=False)


def _optional(kind: Any, *names: str, **options: Any) -> list[sa.Column[Any]]:
    """Columns of a type, or columns that refer to the table of that name."""
    return [
        sa.Column(name, sa.ForeignKey(f"{kind}.id") if isinstance(kind, str) else kind, **options) for name in names
    ]


def _key(kind: Any, *names: str) -> list[sa.Column[Any]]:
    """Columns of a primary key whose values the database does not assign."""
    return _optional(kind, *names, primary_key=True, autoincrement=False)


def _required(kind: Any, *names: str, **options: Any) -> list[sa.Column[Any]]:
    """Columns without NULL."""
    return _optional(kind, *names, nullable=False, **options)


def _table(name: str, *parts: sa.schema.SchemaItem, **options: Any) -> None:
    sa.Table(name, _tables, *parts, **options)


def _card_state() -> list[sa.Column[Any]]:
    return [
        *_required(sa.Integer, "version"),
        *_optional(sa.Integer, "shown_version"),
        *_optional(sa.BigInteger, "card_channel_id", "card_message_id"),
    ]


def _index(name: str, *columns: str, where: str, **options: Any) -> sa.Index:
    """An index of the rows that meet a condition."""
    return sa.Index(name, *columns, **options, sqlite_where=sa.text(where), postgresql_where=sa.text(where))


_table(
    "players",
    *_key(sa.BigInteger, "id"),
    *_required(sa.String, "name"),
    *_required(sa.String, "username", server_default=sa.text("''")),
)
_table("nicknames", *_key("players", "player_id"), *_key(sa.BigInteger, "guild_id"), *_optional(sa.String, "name"))
_table(
    "challenges",
    sa.Column("id", sa.Integer, primary_key=True),
    *_optional(sa.BigInteger, "guild_id"),
    *_required(sa.BigInteger, "channel_id", "low_id", "high_id"),
    *_required("players", "challenger_id"),
    *_optional("players", "opponent_id"),
    *_required(sa.String, "ruleset", "first", "state"),
    *_required(sa.Boolean, "rated", server_default=sa.true()),
    *_required(_TIME, "created_at", "expires_at"),
    *_card_state(),
    *_optional(sa.String, "control"),
    _index("ix_challenges_one_open", "channel_id", "low_id", "high_id", where="state = 'open'", unique=True),
    _index("ix_challenges_unaccepted", "expires_at", where="state IN ('declined', 'withdrawn', 'expired')"),
    sa.Index("ix_challenges_opponent", "opponent_id"),
    sa.Index("ix_challenges_challenger_created", "challenger_id", "created_at"),
)
_table(
    "matches",
    sa.Column("id", sa.Integer, primary_key=True),
    *_optional("challenges", "challenge_id", unique=True),
    *_optional("matches", "rematch_of", unique=True),
    *_required(sa.String, "ruleset", "game"),
    *_optional(sa.BigInteger, "guild_id"),
    *_required("players", "first_id", "second_id"),
    *_required(sa.Integer, "ply", "step"),
    *_optional("players", "awaited_id", "winner_id", "moderator_id"),
    *_required(_TIME, "started_at"),
    *_optional(_TIME, "ended_at"),
    *_optional(sa.String, "ending"),
    *_required(sa.Boolean, "rated", server_default=sa.true()),
    sa.CheckConstraint("(ended_at IS NULL) = (ending IS NULL)", name="ended"),
    sa.CheckConstraint("(ended_at IS NULL) = (awaited_id IS NOT NULL)", name="awaited"),
    sa.CheckConstraint("challenge_id IS NULL OR rematch_of IS NULL", name="origin"),
    _index("ix_matches_first_running", "first_id", where="ended_at IS NULL"),
    _index("ix_matches_second_running", "second_id", where="ended_at IS NULL"),
    sa.Index("ix_matches_guild_game", "guild_id", "game"),
    sa.Index("ix_matches_first_ended", "first_id", "ended_at"),
    sa.Index("ix_matches_second_ended", "second_id", "ended_at"),
    sa.Index("ix_matches_winner_id", "winner_id"),
    sa.Index("ix_matches_moderator_id", "moderator_id"),
    sa.Index("ix_matches_awaited_id", "awaited_id"),
)
_table(
    "match_deliveries",
    *_key("matches", "match_id"),
    *_required(sa.BigInteger, "home_channel_id"),
    *_required(sa.Boolean, "direct", server_default=sa.false()),
    *_optional(sa.BigInteger, "channel_id", index=True),
    *_optional(sa.BigInteger, "occupied_channel_id", unique=True),
    *_required(sa.Integer, "requests"),
    *_optional(sa.Integer, "shown_version", "shown_step"),
    *_optional(sa.BigInteger, "card_channel_id", "card_message_id", "ping_message_id"),
    *_optional(sa.String, "board_cards"),
)
_table(
    "replaced_cards",
    *_key(sa.BigInteger, "message_id"),
    *_required(sa.BigInteger, "channel_id"),
    *_required("matches", "match_id"),
    *_required(sa.Integer, "step"),
    *_required(sa.Boolean, "surplus", server_default=sa.false()),
)
_table(
    "turns",
    *_key("matches", "match_id"),
    *_key(sa.Integer, "step"),
    *_required(sa.Integer, "ply"),
    *_optional(sa.String, "turn"),
    *_required("players", "player_id"),
    *_required(_TIME, "played_at"),
    sa.Index("ix_turns_player", "player_id"),
    _index("ix_turns_beginning", "match_id", "step", where="ply <= 2"),
)
_table(
    "proposals",
    sa.Column("id", sa.Integer, primary_key=True),
    *_required("matches", "match_id", index=True),
    *_required(sa.String, "kind", "state"),
    *_required("players", "proposer_id"),
    *_required(sa.Integer, "step"),
    *_optional(sa.Integer, "keeps"),
    *_optional(sa.BigInteger, "guild_id", "channel_id"),
    *_card_state(),
    *_required(_TIME, "created_at"),
    sa.Index("ix_proposals_proposer_created", "proposer_id", "created_at"),
    _index("ix_proposals_one_open", "match_id", "kind", where="state = 'open'", unique=True),
)
_table(
    "drafts",
    *_key("matches", "match_id"),
    *_key("players", "player_id"),
    *_required(sa.Integer, "step"),
    *_required(sa.String, "text"),
)
_table("reviews", *_key("matches", "match_id"), *_required(sa.Integer, "version"), *_required(sa.JSON, "review"))
_table(
    "lines",
    *_key("matches", "match_id"),
    *_key("players", "player_id"),
    *_required(sa.Integer, "step", "ply"),
    *_required(sa.String, "turns", "begun"),
    *_required(_TIME, "changed_at", index=True),
)
_table(
    "preferences",
    *_key("players", "player_id"),
    *_optional(sa.String, "theme", "language", "direct_language"),
    *_required(sa.String, "orientation", "confirmation"),
    *_required(sa.Boolean, "coordinates", "pings"),
    *_required(sa.String, "outside", server_default="account"),
    *_required(sa.Integer, "turns_by_buttons", server_default="0"),
    *_required(sa.String, "time_zone", server_default="+0"),
    *_optional(sa.Integer, "quiet_from", "quiet_to", "digest_at"),
    *_required(sa.Boolean, "digest_refused", server_default=sa.false()),
)
_table("known_games", *_key("players", "player_id"), *_key(sa.String, "game"))
_table(
    "servers",
    *_key(sa.BigInteger, "id"),
    *_required(sa.String, "play_in"),
    *_optional(sa.BigInteger, "challenger_role_id", "puzzle_channel_id"),
    *_optional(sa.String, "theme", "language"),
    *_required(sa.String, "board_cards", server_default=sa.text("'living'")),
)
_table(
    "server_channels", *_key("servers", "server_id"), *_key(sa.String, "setting"), *_key(sa.BigInteger, "channel_id")
)
_table("threads", *_key(sa.BigInteger, "id"), *_required(sa.BigInteger, "parent_id", index=True))
_table("timers", *_key(sa.String, "kind"), *_key(sa.BigInteger, "subject_id"), *_required(_TIME, "due_at", index=True))
_table(
    "rating_events",
    sa.Column("seq", sa.Integer, primary_key=True),
    *_required("matches", "match_id"),
    *_required(sa.String, "kind"),
    *_required(_TIME, "at"),
    sa.UniqueConstraint("match_id", "kind"),
)
_table(
    "rating_changes",
    *_key("players", "player_id"),
    *_key(sa.String, "game"),
    sa.Column("seq", sa.ForeignKey("rating_events.seq"), primary_key=True),
    *_required(sa.Integer, "seat"),
    *_required(sa.Float, "score", "value_before", "deviation_before", "value", "deviation"),
    sa.Index("ix_rating_changes_seq", "seq"),
    sqlite_with_rowid=False,
)
_table(
    "standings",
    *_key(sa.BigInteger, "guild_id"),
    *_key(sa.String, "game", "span"),
    *_key("players", "player_id"),
    *_required(sa.Integer, "period", "wins", "draws", "losses", "streak", "best"),
    *_required(sa.Float, "rating"),
    *_required(sa.BigInteger, "settled_until"),
    sa.Index("ix_standings_player_game", "player_id", "game"),
    sqlite_with_rowid=False,
)
_table("memos", *_key(sa.String, "name"), *_required(sa.String, "value"))
_table(
    "presence",
    *_key(sa.Integer, "shard"),
    *_required(sa.Integer, "shards"),
    *_optional(_TIME, "seen_at"),
    *_required(sa.String, "holder"),
)
_table(
    "clocks",
    *_key("matches", "match_id"),
    *_required(sa.String, "control"),
    *_required(sa.BigInteger, "first_left", "second_left"),
    *_required(sa.Integer, "seat"),
    *_optional(_TIME, "since"),
)
_table(
    "clock_turns",
    *_key("matches", "match_id"),
    *_key(sa.Integer, "step"),
    *_required(sa.Integer, "seat"),
    *_required(sa.BigInteger, "used", "gained"),
)
_table("vacations", *_key("players", "player_id"), *_key(_TIME, "starts_at"), *_required(_TIME, "ends_at"))
_table("blocks", *_key("players", "player_id"), *_key(sa.BigInteger, "blocked_id"))
_table(
    "posts",
    sa.Column("id", sa.Integer, primary_key=True),
    *_required("players", "player_id"),
    *_required(_TIME, "created_at"),
    sa.Index("ix_posts_player_created", "player_id", "created_at"),
)
_table(
    "nudges",
    *_key("matches", "match_id"),
    *_key("players", "player_id"),
    *_required(_TIME, "created_at"),
    sa.Index("ix_nudges_player_created", "player_id", "created_at"),
)
_table(
    "kept_counts",
    sa.Column("id", sa.Integer, primary_key=True),
    *_required(sa.String, "hash", index=True),
    *_required(_TIME, "counted_at"),
    *_required(_TIME, "kept_until", index=True),
)
_table(
    "tournaments",
    sa.Column("id", sa.Integer, primary_key=True),
    *_optional(sa.BigInteger, "guild_id"),
    *_required(sa.BigInteger, "channel_id"),
    *_required(sa.String, "name", "ruleset", "state"),
    *_required("players", "organiser_id"),
    *_optional(sa.String, "control"),
    *_required(sa.Integer, "at_once"),
    *_required(_TIME, "created_at"),
    *_card_state(),
    sa.Index("ix_tournaments_channel_state", "channel_id", "state"),
)
_table(
    "entrants",
    *_key("tournaments", "tournament_id"),
    *_key("players", "player_id"),
    *_required(sa.Integer, "number"),
    *_optional(_TIME, "withdrawn_at"),
)
_table(
    "pairings",
    *_key("tournaments", "tournament_id"),
    *_key(sa.Integer, "round"),
    *_key("players", "first_id"),
    *_required("players", "second_id"),
    *_optional("matches", "match_id", unique=True),
)
_table(
    "puzzle_attempts",
    *_key("players", "player_id"),
    *_key(sa.String, "puzzle"),
    *_required(sa.Integer, "difficulty"),
    *_required(_TIME, "seen_at"),
    *_optional(sa.Boolean, "solved"),
    *_optional(_TIME, "answered_at"),
    sa.CheckConstraint("(solved IS NULL) = (answered_at IS NULL)", name="answered"),
    sa.Index("ix_puzzle_attempts_puzzle", "puzzle"),
)
_table(
    "daily_puzzles",
    *_key("servers", "server_id"),
    *_key(sa.Date, "day"),
    *_required(sa.String, "puzzle"),
    *_required(sa.BigInteger, "channel_id", "message_id"),
    *_required(sa.Integer, "solved", "tried"),
)

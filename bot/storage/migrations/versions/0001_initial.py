"""The tables of version 1.0."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001_initial"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "kept_counts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("hash", sa.String(), nullable=False),
        sa.Column("counted_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("kept_until", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_kept_counts")),
    )
    op.create_index(op.f("ix_kept_counts_hash"), "kept_counts", ["hash"], unique=False)
    op.create_index(op.f("ix_kept_counts_kept_until"), "kept_counts", ["kept_until"], unique=False)
    op.create_table(
        "memos",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("value", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_memos")),
    )
    op.create_table(
        "players",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("username", sa.String(), server_default=sa.text("''"), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_players")),
    )
    op.create_table(
        "presence",
        sa.Column("shard", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("shards", sa.Integer(), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("holder", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("shard", name=op.f("pk_presence")),
    )
    op.create_table(
        "servers",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("play_in", sa.String(), nullable=False),
        sa.Column("challenger_role_id", sa.BigInteger(), nullable=True),
        sa.Column("theme", sa.String(), nullable=True),
        sa.Column("language", sa.String(), nullable=True),
        sa.Column("board_cards", sa.String(), server_default=sa.text("'living'"), nullable=False),
        sa.Column("puzzle_channel_id", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_servers")),
    )
    op.create_table(
        "threads",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("parent_id", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_threads")),
    )
    op.create_index(op.f("ix_threads_parent_id"), "threads", ["parent_id"], unique=False)
    op.create_table(
        "timers",
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("subject_id", sa.BigInteger(), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("kind", "subject_id", name=op.f("pk_timers")),
    )
    op.create_index(op.f("ix_timers_due_at"), "timers", ["due_at"], unique=False)
    op.create_table(
        "blocks",
        sa.Column("player_id", sa.BigInteger(), nullable=False),
        sa.Column("blocked_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_blocks_player_id")),
        sa.PrimaryKeyConstraint("player_id", "blocked_id", name=op.f("pk_blocks")),
    )
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
        sa.Column("rated", sa.Boolean(), server_default=sa.true(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("shown_version", sa.Integer(), nullable=True),
        sa.Column("card_channel_id", sa.BigInteger(), nullable=True),
        sa.Column("card_message_id", sa.BigInteger(), nullable=True),
        sa.Column("control", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(["challenger_id"], ["players.id"], name=op.f("fk_challenges_challenger_id")),
        sa.ForeignKeyConstraint(["opponent_id"], ["players.id"], name=op.f("fk_challenges_opponent_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_challenges")),
    )
    op.create_index(
        "ix_challenges_came_to_nothing",
        "challenges",
        ["expires_at"],
        unique=False,
        sqlite_where=sa.text("state IN ('declined', 'withdrawn', 'expired')"),
        postgresql_where=sa.text("state IN ('declined', 'withdrawn', 'expired')"),
    )
    op.create_index("ix_challenges_challenger_created", "challenges", ["challenger_id", "created_at"], unique=False)
    op.create_index(
        "ix_challenges_one_open",
        "challenges",
        ["channel_id", "low_id", "high_id"],
        unique=True,
        sqlite_where=sa.text("state = 'open'"),
        postgresql_where=sa.text("state = 'open'"),
    )
    op.create_index("ix_challenges_opponent", "challenges", ["opponent_id"], unique=False)
    op.create_table(
        "daily_puzzles",
        sa.Column("server_id", sa.BigInteger(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("puzzle", sa.String(), nullable=False),
        sa.Column("channel_id", sa.BigInteger(), nullable=False),
        sa.Column("message_id", sa.BigInteger(), nullable=False),
        sa.Column("solved", sa.Integer(), nullable=False),
        sa.Column("tried", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["server_id"], ["servers.id"], name=op.f("fk_daily_puzzles_server_id")),
        sa.PrimaryKeyConstraint("server_id", "day", name=op.f("pk_daily_puzzles")),
    )
    op.create_table(
        "known_games",
        sa.Column("player_id", sa.BigInteger(), nullable=False),
        sa.Column("game", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_known_games_player_id")),
        sa.PrimaryKeyConstraint("player_id", "game", name=op.f("pk_known_games")),
    )
    op.create_table(
        "nicknames",
        sa.Column("player_id", sa.BigInteger(), nullable=False),
        sa.Column("guild_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("name", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_nicknames_player_id")),
        sa.PrimaryKeyConstraint("player_id", "guild_id", name=op.f("pk_nicknames")),
    )
    op.create_table(
        "other_card_channels",
        sa.Column("server_id", sa.BigInteger(), nullable=False),
        sa.Column("channel_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.ForeignKeyConstraint(["server_id"], ["servers.id"], name=op.f("fk_other_card_channels_server_id")),
        sa.PrimaryKeyConstraint("server_id", "channel_id", name=op.f("pk_other_card_channels")),
    )
    op.create_table(
        "posts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_posts_player_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_posts")),
    )
    op.create_index("ix_posts_player_created", "posts", ["player_id", "created_at"], unique=False)
    op.create_table(
        "preferences",
        sa.Column("player_id", sa.BigInteger(), nullable=False),
        sa.Column("theme", sa.String(), nullable=True),
        sa.Column("orientation", sa.String(), nullable=False),
        sa.Column("coordinates", sa.Boolean(), nullable=False),
        sa.Column("confirmation", sa.String(), nullable=False),
        sa.Column("pings", sa.Boolean(), nullable=False),
        sa.Column("language", sa.String(), nullable=True),
        sa.Column("outside", sa.String(), server_default="account", nullable=False),
        sa.Column("turns_by_buttons", sa.Integer(), server_default="0", nullable=False),
        sa.Column("time_zone", sa.String(), server_default="+0", nullable=False),
        sa.Column("quiet_from", sa.Integer(), nullable=True),
        sa.Column("quiet_to", sa.Integer(), nullable=True),
        sa.Column("digest_at", sa.Integer(), nullable=True),
        sa.Column("direct_language", sa.String(), nullable=True),
        sa.Column("digest_refused", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_preferences_player_id")),
        sa.PrimaryKeyConstraint("player_id", name=op.f("pk_preferences")),
    )
    op.create_table(
        "puzzle_attempts",
        sa.Column("player_id", sa.BigInteger(), nullable=False),
        sa.Column("puzzle", sa.String(), nullable=False),
        sa.Column("difficulty", sa.Integer(), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("solved", sa.Boolean(), nullable=True),
        sa.Column("answered_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("(solved IS NULL) = (answered_at IS NULL)", name=op.f("ck_puzzle_attempts_answered")),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_puzzle_attempts_player_id")),
        sa.PrimaryKeyConstraint("player_id", "puzzle", name=op.f("pk_puzzle_attempts")),
    )
    op.create_index("ix_puzzle_attempts_puzzle", "puzzle_attempts", ["puzzle"], unique=False)
    op.create_table(
        "server_channels",
        sa.Column("server_id", sa.BigInteger(), nullable=False),
        sa.Column("channel_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.ForeignKeyConstraint(["server_id"], ["servers.id"], name=op.f("fk_server_channels_server_id")),
        sa.PrimaryKeyConstraint("server_id", "channel_id", name=op.f("pk_server_channels")),
    )
    op.create_table(
        "standings",
        sa.Column("guild_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("game", sa.String(), nullable=False),
        sa.Column("span", sa.String(), nullable=False),
        sa.Column("player_id", sa.BigInteger(), nullable=False),
        sa.Column("period", sa.Integer(), nullable=False),
        sa.Column("wins", sa.Integer(), nullable=False),
        sa.Column("draws", sa.Integer(), nullable=False),
        sa.Column("losses", sa.Integer(), nullable=False),
        sa.Column("streak", sa.Integer(), nullable=False),
        sa.Column("best", sa.Integer(), nullable=False),
        sa.Column("rating", sa.Float(), nullable=False),
        sa.Column("settled_until", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_standings_player_id")),
        sa.PrimaryKeyConstraint("guild_id", "game", "span", "player_id", name=op.f("pk_standings")),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_standings_player_game", "standings", ["player_id", "game"], unique=False)
    op.create_table(
        "tournaments",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("guild_id", sa.BigInteger(), nullable=True),
        sa.Column("channel_id", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("organiser_id", sa.BigInteger(), nullable=False),
        sa.Column("ruleset", sa.String(), nullable=False),
        sa.Column("control", sa.String(), nullable=True),
        sa.Column("at_once", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("shown_version", sa.Integer(), nullable=True),
        sa.Column("card_channel_id", sa.BigInteger(), nullable=True),
        sa.Column("card_message_id", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["organiser_id"], ["players.id"], name=op.f("fk_tournaments_organiser_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tournaments")),
    )
    op.create_index("ix_tournaments_channel_state", "tournaments", ["channel_id", "state"], unique=False)
    op.create_table(
        "vacations",
        sa.Column("player_id", sa.BigInteger(), nullable=False),
        sa.Column("starts_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ends_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_vacations_player_id")),
        sa.PrimaryKeyConstraint("player_id", "starts_at", name=op.f("pk_vacations")),
    )
    op.create_table(
        "entrants",
        sa.Column("tournament_id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("withdrawn_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_entrants_player_id")),
        sa.ForeignKeyConstraint(["tournament_id"], ["tournaments.id"], name=op.f("fk_entrants_tournament_id")),
        sa.PrimaryKeyConstraint("tournament_id", "player_id", name=op.f("pk_entrants")),
    )
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
        sa.Column("awaited_id", sa.BigInteger(), nullable=True),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ending", sa.String(), nullable=True),
        sa.Column("winner_id", sa.BigInteger(), nullable=True),
        sa.Column("moderator_id", sa.BigInteger(), nullable=True),
        sa.Column("rated", sa.Boolean(), server_default=sa.true(), nullable=False),
        sa.CheckConstraint("(ended_at IS NULL) = (awaited_id IS NOT NULL)", name=op.f("ck_matches_awaited")),
        sa.CheckConstraint("(ended_at IS NULL) = (ending IS NULL)", name=op.f("ck_matches_ended")),
        sa.CheckConstraint("challenge_id IS NULL OR rematch_of IS NULL", name=op.f("ck_matches_origin")),
        sa.ForeignKeyConstraint(["awaited_id"], ["players.id"], name=op.f("fk_matches_awaited_id")),
        sa.ForeignKeyConstraint(["challenge_id"], ["challenges.id"], name=op.f("fk_matches_challenge_id")),
        sa.ForeignKeyConstraint(["first_id"], ["players.id"], name=op.f("fk_matches_first_id")),
        sa.ForeignKeyConstraint(["moderator_id"], ["players.id"], name=op.f("fk_matches_moderator_id")),
        sa.ForeignKeyConstraint(["rematch_of"], ["matches.id"], name=op.f("fk_matches_rematch_of")),
        sa.ForeignKeyConstraint(["second_id"], ["players.id"], name=op.f("fk_matches_second_id")),
        sa.ForeignKeyConstraint(["winner_id"], ["players.id"], name=op.f("fk_matches_winner_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_matches")),
        sa.UniqueConstraint("challenge_id", name=op.f("uq_matches_challenge_id")),
        sa.UniqueConstraint("rematch_of", name=op.f("uq_matches_rematch_of")),
    )
    op.create_index("ix_matches_awaited_id", "matches", ["awaited_id"], unique=False)
    op.create_index("ix_matches_first_ended", "matches", ["first_id", "ended_at"], unique=False)
    op.create_index(
        "ix_matches_first_running",
        "matches",
        ["first_id"],
        unique=False,
        sqlite_where=sa.text("ended_at IS NULL"),
        postgresql_where=sa.text("ended_at IS NULL"),
    )
    op.create_index("ix_matches_guild_game", "matches", ["guild_id", "game"], unique=False)
    op.create_index("ix_matches_moderator_id", "matches", ["moderator_id"], unique=False)
    op.create_index("ix_matches_second_ended", "matches", ["second_id", "ended_at"], unique=False)
    op.create_index(
        "ix_matches_second_running",
        "matches",
        ["second_id"],
        unique=False,
        sqlite_where=sa.text("ended_at IS NULL"),
        postgresql_where=sa.text("ended_at IS NULL"),
    )
    op.create_index("ix_matches_winner_id", "matches", ["winner_id"], unique=False)
    op.create_table(
        "clock_turns",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("used", sa.BigInteger(), nullable=False),
        sa.Column("gained", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_clock_turns_match_id")),
        sa.PrimaryKeyConstraint("match_id", "step", name=op.f("pk_clock_turns")),
    )
    op.create_table(
        "clocks",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("control", sa.String(), nullable=False),
        sa.Column("first_left", sa.BigInteger(), nullable=False),
        sa.Column("second_left", sa.BigInteger(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_clocks_match_id")),
        sa.PrimaryKeyConstraint("match_id", name=op.f("pk_clocks")),
    )
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
    op.create_table(
        "lines",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.BigInteger(), nullable=False),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("turns", sa.String(), nullable=False),
        sa.Column("begun", sa.String(), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_lines_match_id")),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_lines_player_id")),
        sa.PrimaryKeyConstraint("match_id", "player_id", name=op.f("pk_lines")),
    )
    op.create_index(op.f("ix_lines_changed_at"), "lines", ["changed_at"], unique=False)
    op.create_table(
        "match_deliveries",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("home_channel_id", sa.BigInteger(), nullable=False),
        sa.Column("direct", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("channel_id", sa.BigInteger(), nullable=True),
        sa.Column("occupied_channel_id", sa.BigInteger(), nullable=True),
        sa.Column("requests", sa.Integer(), nullable=False),
        sa.Column("shown_version", sa.Integer(), nullable=True),
        sa.Column("shown_step", sa.Integer(), nullable=True),
        sa.Column("card_channel_id", sa.BigInteger(), nullable=True),
        sa.Column("card_message_id", sa.BigInteger(), nullable=True),
        sa.Column("ping_message_id", sa.BigInteger(), nullable=True),
        sa.Column("board_cards", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_match_deliveries_match_id")),
        sa.PrimaryKeyConstraint("match_id", name=op.f("pk_match_deliveries")),
        sa.UniqueConstraint("occupied_channel_id", name=op.f("uq_match_deliveries_occupied_channel_id")),
    )
    op.create_index(op.f("ix_match_deliveries_channel_id"), "match_deliveries", ["channel_id"], unique=False)
    op.create_table(
        "nudges",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_nudges_match_id")),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_nudges_player_id")),
        sa.PrimaryKeyConstraint("match_id", "player_id", name=op.f("pk_nudges")),
    )
    op.create_index("ix_nudges_player_created", "nudges", ["player_id", "created_at"], unique=False)
    op.create_table(
        "pairings",
        sa.Column("tournament_id", sa.Integer(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("first_id", sa.BigInteger(), nullable=False),
        sa.Column("second_id", sa.BigInteger(), nullable=False),
        sa.Column("match_id", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["first_id"], ["players.id"], name=op.f("fk_pairings_first_id")),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_pairings_match_id")),
        sa.ForeignKeyConstraint(["second_id"], ["players.id"], name=op.f("fk_pairings_second_id")),
        sa.ForeignKeyConstraint(["tournament_id"], ["tournaments.id"], name=op.f("fk_pairings_tournament_id")),
        sa.PrimaryKeyConstraint("tournament_id", "round", "first_id", name=op.f("pk_pairings")),
        sa.UniqueConstraint("match_id", name=op.f("uq_pairings_match_id")),
    )
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
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_proposals_match_id")),
        sa.ForeignKeyConstraint(["proposer_id"], ["players.id"], name=op.f("fk_proposals_proposer_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_proposals")),
    )
    op.create_index(op.f("ix_proposals_match_id"), "proposals", ["match_id"], unique=False)
    op.create_index(
        "ix_proposals_one_open",
        "proposals",
        ["match_id", "kind"],
        unique=True,
        sqlite_where=sa.text("state = 'open'"),
        postgresql_where=sa.text("state = 'open'"),
    )
    op.create_index("ix_proposals_proposer_created", "proposals", ["proposer_id", "created_at"], unique=False)
    op.create_table(
        "rating_events",
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_rating_events_match_id")),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_rating_events")),
        sa.UniqueConstraint("match_id", "kind", name=op.f("uq_rating_events_match_id")),
    )
    op.create_table(
        "replaced_cards",
        sa.Column("message_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("channel_id", sa.BigInteger(), nullable=False),
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("surplus", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_replaced_cards_match_id")),
        sa.PrimaryKeyConstraint("message_id", name=op.f("pk_replaced_cards")),
    )
    op.create_table(
        "reviews",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("review", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_reviews_match_id")),
        sa.PrimaryKeyConstraint("match_id", name=op.f("pk_reviews")),
    )
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
    op.create_index(
        "ix_turns_beginning",
        "turns",
        ["match_id", "step"],
        unique=False,
        sqlite_where=sa.text("ply <= 2"),
        postgresql_where=sa.text("ply <= 2"),
    )
    op.create_index("ix_turns_player", "turns", ["player_id"], unique=False)
    op.create_table(
        "rating_changes",
        sa.Column("player_id", sa.BigInteger(), nullable=False),
        sa.Column("game", sa.String(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("score", sa.Float(), nullable=False),
        sa.Column("value_before", sa.Float(), nullable=False),
        sa.Column("deviation_before", sa.Float(), nullable=False),
        sa.Column("value", sa.Float(), nullable=False),
        sa.Column("deviation", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_rating_changes_player_id")),
        sa.ForeignKeyConstraint(["seq"], ["rating_events.seq"], name=op.f("fk_rating_changes_seq")),
        sa.PrimaryKeyConstraint("player_id", "game", "seq", name=op.f("pk_rating_changes")),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_rating_changes_seq", "rating_changes", ["seq"], unique=False)

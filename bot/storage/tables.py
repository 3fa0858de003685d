"""The tables. Every change needs a migration in ``migrations/versions``; a test compares the two."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.schema import SchemaItem

from bot.storage.columns import Identity, Instant, Span

metadata = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _table(name: str, *items: SchemaItem, **options: Any) -> sa.Table:
    return sa.Table(name, metadata, *items, **options)


def _optional(kind: Any, *names: str, **options: Any) -> list[sa.Column[Any]]:
    """Nullable columns of a type, or with references to the table of that name."""
    return [
        sa.Column(name, sa.ForeignKey(f"{kind}.id") if isinstance(kind, str) else kind, **options) for name in names
    ]


def _required(kind: Any, *names: str, **options: Any) -> list[sa.Column[Any]]:
    """Columns that are not nullable."""
    return _optional(kind, *names, nullable=False, **options)


def _key(kind: Any, *names: str) -> list[sa.Column[Any]]:
    """Columns of a primary key whose values the database does not assign."""
    return _optional(kind, *names, primary_key=True, autoincrement=False)


def _card_state() -> list[sa.Column[Any]]:
    """The current version of a card, the version last shown, and its message."""
    return [
        *_required(sa.Integer, "version"),
        *_optional(sa.Integer, "shown_version"),
        *_optional(sa.BigInteger, "card_channel_id", "card_message_id"),
    ]


def _partial_index(
    name: str, *columns: sa.ColumnElement[Any], where: sa.ColumnElement[bool] | sa.TextClause, unique: bool = False
) -> None:
    """Add an index of the rows that meet a condition."""
    sa.Index(name, *columns, unique=unique, sqlite_where=where, postgresql_where=where)


players = _table(
    "players",
    *_key(sa.BigInteger, "id"),
    # The account's display name and username; empty as long as they are unknown.
    *_required(sa.String, "name"),
    *_required(sa.String, "username", server_default=sa.text("''")),
)

# The servers on which a player has used the bot, with the nickname there (NULL: none).
nicknames = _table(
    "nicknames", *_key("players", "player_id"), *_key(sa.BigInteger, "guild_id"), *_optional(sa.String, "name")
)

# The ladder of each game on each server, in the channel of its card.
ladders = _table(
    "ladders",
    sa.Column("id", Identity, primary_key=True),
    *_required(sa.BigInteger, "guild_id", "channel_id"),
    *_required(sa.String, "game"),
    *_card_state(),
    sa.Index("ix_ladders_guild_game", "guild_id", "game", unique=True),
)

# The rungs of ladders; number 1 is the top.
rungs = _table(
    "rungs",
    *_key("ladders", "ladder_id"),
    *_key("players", "player_id"),
    *_required(sa.Integer, "number"),
    *_required(Instant, "active_at", "may_pause_at"),
    *_optional(Instant, "paused_at"),
    sa.Index("ix_rungs_ladder_number", "ladder_id", "number", unique=True),
    sa.Index("ix_rungs_player_id", "player_id"),
)

# Lost rungs whose players have not been told, with the winner; without one, the player was removed from the ladder.
lost_rungs = _table(
    "lost_rungs",
    sa.Column("id", Identity, primary_key=True),
    *_required("ladders", "ladder_id", index=True),
    *_required("players", "player_id", index=True),
    *_required(sa.Integer, "number"),
    *_required(sa.String, "loss"),
    *_optional("players", "winner_id", index=True),
)

challenges = _table(
    "challenges",
    sa.Column("id", Identity, primary_key=True),
    *_optional(sa.BigInteger, "guild_id"),
    *_required(sa.BigInteger, "channel_id"),
    *_required("players", "challenger_id"),
    *_optional("players", "opponent_id"),
    # Both players in a fixed order (0: anyone), for an index that refuses a second open challenge.
    *_required(sa.BigInteger, "low_id", "high_id"),
    *_required(sa.String, "ruleset", "first", "state"),
    *_required(sa.Boolean, "rated", server_default=sa.true()),
    *_required(Instant, "created_at", "expires_at"),
    *_card_state(),
    # The code of the time control; NULL without a clock.
    *_optional(sa.String, "control"),
    # The ladder, for a challenge for the opponent's rung.
    *_optional("ladders", "ladder_id"),
)
_partial_index("ix_challenges_ladder", challenges.c.ladder_id, where=challenges.c.ladder_id.is_not(None))
#: Challenges that wait for an answer. This is literal SQL, because with a parameter, SQLite would plan every query
#: again, to decide about the partial index.
OPEN_CHALLENGES = challenges.c.state == sa.literal_column("'open'")
_partial_index(
    "ix_challenges_one_open",
    *(challenges.c[name] for name in ("channel_id", "low_id", "high_id")),
    where=OPEN_CHALLENGES,
    unique=True,
)
sa.Index("ix_challenges_opponent", challenges.c.opponent_id)
sa.Index("ix_challenges_challenger_created", challenges.c.challenger_id, challenges.c.created_at)
#: Challenges without a match. This is literal SQL, because only this text uses the partial index.
UNACCEPTED_CHALLENGES = sa.text("state IN ('declined', 'withdrawn', 'expired')")
_partial_index("ix_challenges_unaccepted", challenges.c.expires_at, where=UNACCEPTED_CHALLENGES)

matches = _table(
    "matches",
    sa.Column("id", Identity, primary_key=True),
    # The origin of the match: a challenge, a match for a rematch, or NULL. An origin leads to at most one match.
    *_optional("challenges", "challenge_id", unique=True),
    *_optional("matches", "rematch_of", unique=True),
    *_required(sa.String, "ruleset", "game"),
    *_optional(sa.BigInteger, "guild_id"),
    *_required("players", "first_id", "second_id"),
    *_required(sa.Integer, "ply", "step"),
    # The player to act in a running match.
    *_optional("players", "awaited_id"),
    *_required(Instant, "started_at"),
    *_optional(Instant, "ended_at"),
    *_optional(sa.String, "ending"),
    *_optional("players", "winner_id", "moderator_id"),
    *_required(sa.Boolean, "rated", server_default=sa.true()),
    sa.CheckConstraint("(ended_at IS NULL) = (ending IS NULL)", name="ended"),
    sa.CheckConstraint("(ended_at IS NULL) = (awaited_id IS NOT NULL)", name="awaited"),
    sa.CheckConstraint("challenge_id IS NULL OR rematch_of IS NULL", name="origin"),
)
_partial_index("ix_matches_first_running", matches.c.first_id, where=sa.text("ended_at IS NULL"))
_partial_index("ix_matches_second_running", matches.c.second_id, where=sa.text("ended_at IS NULL"))
sa.Index("ix_matches_guild_game", matches.c.guild_id, matches.c.game)
sa.Index("ix_matches_first_ended", matches.c.first_id, matches.c.ended_at)
sa.Index("ix_matches_second_ended", matches.c.second_id, matches.c.ended_at)
# Indexes for a player's other roles: deleting a player must not scan all matches.
for _role in (matches.c.winner_id, matches.c.moderator_id, matches.c.awaited_id):
    sa.Index(f"ix_matches_{_role.name}", _role)

# The homes of matches on Discord, and the state of the card in each. A match of strangers has a home for the player of
# each seat; other matches have one, numbered 0, for both. The version to show is the sum of the match's steps, its end,
# and ``requests``: its start, each new channel, and each request for another card.
match_deliveries = _table(
    "match_deliveries",
    *_key("matches", "match_id"),
    sa.Column("seat", sa.Integer, primary_key=True, autoincrement=False, server_default=sa.text("0")),
    # The player whose home it is, in a match of strangers.
    *_optional("players", "player_id"),
    *_optional(sa.BigInteger, "home_guild_id"),
    *_required(sa.BigInteger, "home_channel_id"),
    # Whether the home is a player's conversation with the bot alone.
    *_required(sa.Boolean, "direct", server_default=sa.false()),
    *_optional(sa.BigInteger, "channel_id", index=True),
    # The channel of a running match, where no other match can be played.
    *_optional(sa.BigInteger, "occupied_channel_id", unique=True),
    *_required(sa.Integer, "requests"),
    *_optional(sa.Integer, "shown_version", "shown_step"),
    # The message of the card, and the message below it that pings a player.
    *_optional(sa.BigInteger, "card_channel_id", "card_message_id", "ping_message_id"),
    # The players' choice; NULL for the channel's default.
    *_optional(sa.String, "board_cards"),
    # Since when a stranger's match has not been seen in this home; NULL while it is, or if it never was.
    *_optional(Instant, "lost_at"),
)
# The standing requests of people to play anyone; ``version`` counts changes. Who has one has agreed to what others see.
standing_requests = _table(
    "standing_requests",
    *_key("players", "player_id"),
    *_required(sa.JSON, "games"),
    *_required(sa.Integer, "at_once", "offences", "version"),
    *_required(sa.String, "pace", "state"),
    *_required(sa.Boolean, "near", "direct"),
    *_optional(sa.BigInteger, "guild_id"),
    *_required(sa.BigInteger, "channel_id"),
    *_required(Instant, "waiting_since", "asked_at"),
    *_optional(Instant, "resumes_at"),
)
_partial_index("ix_standing_requests_open", standing_requests.c.waiting_since, where=sa.text("state <> 'ended'"))

# The accounts that the operator keeps out of matches with people from elsewhere.
excluded_accounts = _table("excluded_accounts", *_key(sa.BigInteger, "id"))

for _whose in (match_deliveries.c.player_id, match_deliveries.c.home_guild_id):
    _partial_index(f"ix_match_deliveries_{_whose.name}", _whose, where=sa.text("player_id IS NOT NULL"))

# Messages of matches that a later message in the same home has replaced. A row stays until its message is deleted, if
# it is surplus, or has lost its buttons.
replaced_cards = _table(
    "replaced_cards",
    *_key(sa.BigInteger, "message_id"),
    *_required(sa.BigInteger, "channel_id"),
    *_required("matches", "match_id"),
    *_required(sa.Integer, "seat", server_default=sa.text("0")),
    *_required(sa.Integer, "step"),
    *_required(sa.Boolean, "surplus", server_default=sa.false()),
)

# The steps of matches; rows are only ever added. A row without a turn is a take-back. ``ply`` is the number of turns
# after the step.
turns = _table(
    "turns",
    *_key("matches", "match_id"),
    *_key(sa.Integer, "step"),
    *_required(sa.Integer, "ply"),
    *_optional(sa.String, "turn"),
    *_required("players", "player_id"),
    *_required(Instant, "played_at"),
    # The number of turns in a row, up to this one, that were played as planned.
    *_required(sa.Integer, "planned", server_default=sa.text("0")),
)
sa.Index("ix_turns_player", turns.c.player_id)
# An index of openings and choices of side, which profiles read for all games of a player.
_partial_index("ix_turns_beginning", turns.c.match_id, turns.c.step, where=sa.text("ply <= 2"))

proposals = _table(
    "proposals",
    sa.Column("id", Identity, primary_key=True),
    *_required("matches", "match_id", index=True),
    *_required(sa.String, "kind", "state"),
    *_required("players", "proposer_id"),
    *_required(sa.Integer, "step"),
    # For a take-back, the number of turns that remain; for a move to another channel, that channel.
    *_optional(sa.Integer, "keeps"),
    *_optional(sa.BigInteger, "guild_id", "channel_id"),
    *_card_state(),
    *_required(Instant, "created_at"),
)
sa.Index("ix_proposals_proposer_created", proposals.c.proposer_id, proposals.c.created_at)
#: Proposals that wait for an answer, as literal SQL like OPEN_CHALLENGES.
OPEN_PROPOSALS = proposals.c.state == sa.literal_column("'open'")
_partial_index("ix_proposals_one_open", proposals.c.match_id, proposals.c.kind, where=OPEN_PROPOSALS, unique=True)

# Unfinished turns of players, each on the board of its step. A draft on an earlier board stays until the player begins
# another, or until the match ends.
drafts = _table(
    "drafts",
    *_key("matches", "match_id"),
    *_key("players", "player_id"),
    *_required(sa.Integer, "step"),
    *_required(sa.String, "text"),
)

# Players' planned answers to the opponent's next turns, after ``ply`` turns of a match with ``step`` steps.
plans = _table(
    "plans",
    *_key("matches", "match_id"),
    *_key("players", "player_id"),
    *_required(sa.Integer, "step", "ply"),
    *_required(sa.String, "branches"),
    sa.Index("ix_plans_player_id", "player_id"),
)

# The computer's reviews of finished matches, each by a version of the search.
reviews = _table(
    "reviews", *_key("matches", "match_id"), *_required(sa.Integer, "version"), *_required(sa.JSON, "review")
)

# Lines that players try from a position of a match, without an effect on the match.
lines = _table(
    "lines",
    *_key("matches", "match_id"),
    *_key("players", "player_id"),
    *_required(sa.Integer, "step", "ply"),
    *_required(sa.String, "turns", "begun"),
    *_required(Instant, "changed_at", index=True),
)

# The private notes of players on their matches.
notes = _table("notes", *_key("matches", "match_id"), *_key("players", "player_id"), *_required(sa.String, "text"))
sa.Index("ix_notes_player_id", notes.c.player_id)

# Records that players have imported; their matches are finished, and nobody plays them. ``digest`` identifies a record.
imports = _table(
    "imports",
    *_key("matches", "match_id"),
    *_required("players", "player_id"),
    *_required(sa.String, "digest", "first_name", "second_name", "result"),
    *_required(sa.JSON, "tags"),
    sa.Index("ix_imports_player_id_digest", "player_id", "digest", unique=True),
)

# Shared lines that are too long for the id of a button, by their digests.
shared_lines = _table(
    "shared_lines",
    *_key("matches", "match_id"),
    *_key(sa.String, "digest"),
    *_required(sa.Integer, "step", "ply"),
    *_required(sa.String, "turns"),
)

preferences = _table(
    "preferences",
    *_key("players", "player_id"),
    *_optional(sa.String, "theme", "language", "direct_language"),
    *_required(sa.String, "orientation", "confirmation"),
    *_required(sa.Boolean, "coordinates", "pings"),
    *_required(sa.String, "outside", server_default="account"),
    # The number of turns that the player has put together with buttons, counted up to a limit.
    *_required(sa.Integer, "turns_by_buttons", server_default="0"),
    # The name of a time zone, or hours from UTC.
    *_required(sa.String, "time_zone", server_default="+0"),
    # Minutes of the player's day.
    *_optional(sa.Integer, "quiet_from", "quiet_to", "digest_at"),
    # Whether Discord has refused a digest, and the player has not been told.
    *_required(sa.Boolean, "digest_refused", server_default=sa.false()),
)

# The games that a player knows, after their first card in a match or after the tasks.
known_games = _table("known_games", *_key("players", "player_id"), *_key(sa.String, "game"))

# The tasks of each game that a player has solved, counted from 0.
solved_tasks = _table(
    "solved_tasks", *_key("players", "player_id"), *_key(sa.String, "game"), *_key(sa.Integer, "number")
)

servers = _table(
    "servers",
    *_key(sa.BigInteger, "id"),
    *_required(sa.String, "play_in"),
    # The role that challengers need, and the channel of the puzzle of the day; NULL without.
    *_optional(sa.BigInteger, "challenger_role_id", "puzzle_channel_id"),
    *_optional(sa.String, "theme", "language"),
    *_required(sa.String, "board_cards", server_default=sa.text("'living'")),
    # Whether matches with people from elsewhere may be shown here.
    *_required(sa.Boolean, "strangers", server_default=sa.true()),
)

# The channels in a server's settings, each with the field of ServerSettings that names it.
server_channels = _table(
    "server_channels", *_key("servers", "server_id"), *_key(sa.String, "setting"), *_key(sa.BigInteger, "channel_id")
)

# Public threads with their channels, because Discord reports archived threads only on request.
threads = _table("threads", *_key(sa.BigInteger, "id"), *_required(sa.BigInteger, "parent_id", index=True))

# Work that is due at a time, even after a restart.
timers = _table(
    "timers", *_key(sa.String, "kind"), *_key(sa.BigInteger, "subject_id"), *_required(Instant, "due_at", index=True)
)

# The events that change ratings, in order; rows are only ever added. A match is rated at most once and voided at most
# once. The next two tables follow from these events and the matches, and can be computed again.
rating_events = _table(
    "rating_events",
    sa.Column("seq", sa.Integer, primary_key=True),
    *_required("matches", "match_id"),
    *_required(sa.String, "kind"),
    *_required(Instant, "at"),
    sa.UniqueConstraint("match_id", "kind"),
)

# A match's effect on its players' ratings, in its game and in all games together (empty name). ``deviation_before`` is
# the deviation just before the match, after growing with time.
rating_changes = _table(
    "rating_changes",
    *_key("players", "player_id"),
    *_key(sa.String, "game"),
    sa.Column("seq", sa.ForeignKey("rating_events.seq"), primary_key=True),
    *_required(sa.Integer, "seat"),
    *_required(sa.Float, "score", "value_before", "deviation_before", "value", "deviation"),
    sa.Index("ix_rating_changes_seq", "seq"),
    sqlite_with_rowid=False,
)

# The rows of the leaderboards: a player's results by server (0: everywhere), game (empty: all games) and span, which is
# all time or the latest month or season in which they played. The rating is repeated, so one table answers every query.
# ``settled_until`` is in seconds since 1970.
standings = _table(
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

# Values that the application stores by name, such as the last registered commands.
key_values = _table("memos", *_key(sa.String, "name"), *_required(sa.String, "value"))

# For each shard, when the bot was last present, the number of shards then, and the process that holds the shard.
presence = _table(
    "presence",
    *_key(sa.Integer, "shard"),
    *_required(sa.Integer, "shards"),
    *_optional(Instant, "seen_at"),
    *_required(sa.String, "holder"),
)

# The clocks of matches; see bot.domain.clocks.Clock.
clocks = _table(
    "clocks",
    *_key("matches", "match_id"),
    *_required(sa.String, "control"),
    *_required(Span, "first_left", "second_left"),
    *_required(sa.Integer, "seat"),
    *_optional(Instant, "since"),
)

# The time that each turn has used and gained.
clock_turns = _table(
    "clock_turns",
    *_key("matches", "match_id"),
    *_key(sa.Integer, "step"),
    *_required(sa.Integer, "seat"),
    *_required(Span, "used", "gained"),
)

# The days off of players.
vacations = _table(
    "vacations", *_key("players", "player_id"), *_key(Instant, "starts_at"), *_required(Instant, "ends_at")
)

# The people whom a player has blocked. A row belongs to that player, and survives the other's deletion.
blocks = _table(
    "blocks",
    *_key("players", "player_id"),
    # Whether the player does not know the blocked account, because they only met in a match of strangers. A block of
    # the same account beside it does not change it, nor its place in the key, which would tell who the stranger is.
    *_required(sa.Boolean, "stranger", server_default=sa.false(), primary_key=True),
    *_key(sa.BigInteger, "blocked_id"),
)
#: Blocks of known accounts. Other blocks hold only between strangers: elsewhere, they would tell who the stranger is.
KNOWN_BLOCKS = ~blocks.c.stranger

# The boards that players have recently posted or shared. Every post deletes the player's rows that no limit counts.
posts = _table(
    "posts",
    sa.Column("id", Identity, primary_key=True),
    *_required("players", "player_id"),
    *_required(Instant, "created_at"),
    sa.Index("ix_posts_player_created", "player_id", "created_at"),
)

# The latest nudge by each player in each match. Every nudge deletes the player's rows that no limit counts.
nudges = _table(
    "nudges",
    *_key("matches", "match_id"),
    *_key("players", "player_id"),
    *_required(Instant, "created_at"),
    sa.Index("ix_nudges_player_created", "player_id", "created_at"),
)

# Accounts that have recently deleted their data, each under a keyed hash; see bot.storage.repositories.limits.
tombstones = _table("tombstones", sa.Column("hash", sa.String, primary_key=True), *_required(Instant, "deleted_at"))

tournaments = _table(
    "tournaments",
    sa.Column("id", Identity, primary_key=True),
    *_optional(sa.BigInteger, "guild_id"),
    *_required(sa.BigInteger, "channel_id"),
    *_required(sa.String, "name", "ruleset", "state"),
    *_required("players", "organiser_id"),
    *_optional(sa.String, "control"),
    # Maximum games of a player at the same time.
    *_required(sa.Integer, "at_once"),
    *_required(Instant, "created_at"),
    *_card_state(),
    # The weeks after which a game of a cup ends; NULL for a round robin. Without ``starts_with``, a cup starts after a
    # week.
    *_optional(sa.Integer, "weeks", "starts_with"),
    *_required(sa.Boolean, "reopens", server_default=sa.false()),
    *_required(sa.Integer, "edition", server_default=sa.text("1")),
    # The previous edition, which has at most one next edition.
    *_optional("tournaments", "previous_id"),
    sa.Index("ix_tournaments_channel_state", "channel_id", "state"),
    sa.Index("ix_tournaments_previous_id", "previous_id", unique=True),
)

# The players of a tournament. ``number`` is the order of joining or, after the start, the number in the schedule.
entrants = _table(
    "entrants",
    *_key("tournaments", "tournament_id"),
    *_key("players", "player_id"),
    *_required(sa.Integer, "number"),
    *_optional(Instant, "withdrawn_at"),
)

# The schedule of a tournament that has started. A pairing has no match until its game begins. The group that decides a
# tournament is 0; other groups are numbered from 1. ``ends_at`` is the hard end of a game in a cup.
pairings = _table(
    "pairings",
    *_key("tournaments", "tournament_id"),
    *_key(sa.Integer, "round"),
    *_key("players", "first_id"),
    *_required("players", "second_id"),
    *_optional("matches", "match_id", unique=True),
    *_required(sa.Integer, "group_number", server_default=sa.text("0")),
    *_optional(Instant, "ends_at"),
)

# The puzzles that players have seen, by their keys, with the result of the first try once it has ended. Ratings and
# streaks follow from these results. Each try is a letter: x is a wrong turn; o, the solution found, or s, the solution
# shown, is the last.
puzzle_attempts = _table(
    "puzzle_attempts",
    *_key("players", "player_id"),
    *_key(sa.String, "puzzle"),
    *_required(sa.Integer, "difficulty"),
    *_required(Instant, "seen_at"),
    *_optional(sa.Boolean, "solved"),
    *_optional(Instant, "answered_at"),
    *_required(sa.String, "tries", server_default=sa.text("''")),
    sa.CheckConstraint("(solved IS NULL) = (answered_at IS NULL)", name="answered"),
    sa.Index("ix_puzzle_attempts_puzzle", "puzzle"),
)

# The puzzles of the day on servers, each with its message and the count on its card.
daily_puzzles = _table(
    "daily_puzzles",
    *_key("servers", "server_id"),
    *_key(sa.Date, "day"),
    *_required(sa.String, "puzzle"),
    *_required(sa.BigInteger, "channel_id", "message_id"),
    *_required(sa.Integer, "solved", "tried"),
)

# The tokens that lead players from Discord to the page of a match, as SHA-256. Using a token deletes it.
web_tokens = _table(
    "web_tokens",
    *_key(sa.String, "hash"),
    *_required("players", "player_id", index=True),
    *_optional("matches", "match_id"),
    *_required(Instant, "expires_at", index=True),
)

# The browsers in which players have signed in, and the Activities, each with the SHA-256 of its secret.
web_sessions = _table(
    "web_sessions",
    sa.Column("id", Identity, primary_key=True),
    *_required(sa.String, "hash", unique=True),
    *_required("players", "player_id", index=True),
    *_required(Instant, "begun_at"),
    *_required(Instant, "used_at", index=True),
    *_required(sa.Boolean, "in_activity", server_default=sa.false()),
)

# The programs of people, each also a player, with the SHA-256 of its token. ``stream`` is the number of its latest
# stream; earlier streams end when it grows.
programs = _table(
    "programs",
    *_key("players", "player_id"),
    *_required("players", "owner_id", index=True),
    *_required(sa.String, "name"),
    *_required(sa.String, "hash", unique=True),
    *_required(sa.Integer, "stream", server_default=sa.text("0")),
    *_required(Instant, "made_at"),
    *_optional(Instant, "used_at"),
)

"""The tables. Every change needs a migration in ``migrations/versions``; a test compares the two."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Date,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    UniqueConstraint,
    false,
    literal_column,
    text,
    true,
)

from bot.storage.database import IN_ORDER_OF_KEY, Identity, Instant, Span, covering

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)

players = Table(
    "players",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    # The display name and the username of the account; empty until they are known.
    Column("name", String, nullable=False),
    Column("username", String, nullable=False, server_default=text("''")),
)

# The servers on which somebody was met, each with the nickname there, if any.
nicknames = Table(
    "nicknames",
    metadata,
    Column("player_id", ForeignKey("players.id"), primary_key=True),
    Column("guild_id", BigInteger, primary_key=True, autoincrement=False),
    Column("name", String),
)


def _card_state() -> tuple[Column[int], ...]:
    """The current version of a card, the version last shown, and its message."""
    return (
        Column("version", Integer, nullable=False),
        Column("shown_version", Integer),
        Column("card_channel_id", BigInteger),
        Column("card_message_id", BigInteger),
    )


challenges = Table(
    "challenges",
    metadata,
    Column("id", Identity, primary_key=True),
    Column("guild_id", BigInteger),
    Column("channel_id", BigInteger, nullable=False),
    Column("challenger_id", ForeignKey("players.id"), nullable=False),
    Column("opponent_id", ForeignKey("players.id")),
    # The two people in a fixed order (0 for anyone), so that one index can refuse a second open challenge.
    Column("low_id", BigInteger, nullable=False),
    Column("high_id", BigInteger, nullable=False),
    Column("ruleset", String, nullable=False),
    Column("first", String, nullable=False),
    Column("rated", Boolean, nullable=False, server_default=true()),
    Column("state", String, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("expires_at", Instant, nullable=False),
    *_card_state(),
    # The code of the time control; none for a game without a clock.
    Column("control", String),
)
#: The challenges that wait for an answer, as literal SQL: with a parameter, SQLite plans a query anew whenever it is
#: made, to see whether the partial index serves it.
OPEN_CHALLENGES = challenges.c.state == literal_column("'open'")
Index(
    "ix_challenges_one_open",
    challenges.c.channel_id,
    challenges.c.low_id,
    challenges.c.high_id,
    unique=True,
    **covering(OPEN_CHALLENGES),
)
Index("ix_challenges_opponent", challenges.c.opponent_id)
#: The challenges that are kept only for a while, as literal SQL: the partial index is used for this text only.
CAME_TO_NOTHING = text("state IN ('declined', 'withdrawn', 'expired')")
Index("ix_challenges_came_to_nothing", challenges.c.expires_at, **covering(CAME_TO_NOTHING))

matches = Table(
    "matches",
    metadata,
    Column("id", Identity, primary_key=True),
    # Where it came from, if from either; each challenge and each match leads to one match at most.
    Column("challenge_id", ForeignKey("challenges.id")),
    Column("rematch_of", ForeignKey("matches.id")),
    UniqueConstraint("challenge_id"),
    UniqueConstraint("rematch_of"),
    Column("ruleset", String, nullable=False),
    Column("game", String, nullable=False),
    Column("guild_id", BigInteger),
    Column("first_id", ForeignKey("players.id"), nullable=False),
    Column("second_id", ForeignKey("players.id"), nullable=False),
    Column("ply", Integer, nullable=False),
    Column("step", Integer, nullable=False),
    # The player to act in a running match.
    Column("awaited_id", ForeignKey("players.id")),
    Column("started_at", Instant, nullable=False),
    Column("ended_at", Instant),
    Column("ending", String),
    Column("winner_id", ForeignKey("players.id")),
    Column("moderator_id", ForeignKey("players.id")),
    Column("rated", Boolean, nullable=False, server_default=true()),
    CheckConstraint("(ended_at IS NULL) = (ending IS NULL)", name="ended"),
    CheckConstraint("(ended_at IS NULL) = (awaited_id IS NOT NULL)", name="awaited"),
    CheckConstraint("challenge_id IS NULL OR rematch_of IS NULL", name="origin"),
)
_RUNNING = text("ended_at IS NULL")
Index("ix_matches_first_running", matches.c.first_id, **covering(_RUNNING))
Index("ix_matches_second_running", matches.c.second_id, **covering(_RUNNING))
Index("ix_matches_guild_game", matches.c.guild_id, matches.c.game)
Index("ix_matches_first_ended", matches.c.first_id, matches.c.ended_at)
Index("ix_matches_second_ended", matches.c.second_id, matches.c.ended_at)
# By whom else a match refers to, so that somebody can be removed without looking at every match.
for _role in (matches.c.winner_id, matches.c.moderator_id, matches.c.awaited_id):
    Index(f"ix_matches_{_role.name}", _role)

# Where matches are played on Discord, and what was shown of them. The version to show follows from the match's steps
# and its end; ``requests`` counts what it has to be shown for besides: its start, other channels, and people who ask.
match_deliveries = Table(
    "match_deliveries",
    metadata,
    Column("match_id", ForeignKey("matches.id"), primary_key=True),
    Column("home_channel_id", BigInteger, nullable=False),
    # Whether the home is a player's conversation with the bot itself.
    Column("direct", Boolean, nullable=False, server_default=false()),
    Column("channel_id", BigInteger, index=True),
    # The channel of a running match, so that no other is played there.
    Column("occupied_channel_id", BigInteger, unique=True),
    Column("requests", Integer, nullable=False),
    Column("shown_version", Integer),
    Column("shown_step", Integer),
    Column("card_channel_id", BigInteger),
    Column("card_message_id", BigInteger),
    # The message below the card that pings a player, in the same channel.
    Column("ping_message_id", BigInteger),
    # What the players have chosen; none is what is usual in the channel.
    Column("board_cards", String),
)

# Messages of matches that a later one has replaced, until their buttons are gone, or they are if they are surplus.
replaced_cards = Table(
    "replaced_cards",
    metadata,
    Column("message_id", BigInteger, primary_key=True, autoincrement=False),
    Column("channel_id", BigInteger, nullable=False),
    Column("match_id", ForeignKey("matches.id"), nullable=False),
    Column("step", Integer, nullable=False),
    Column("surplus", Boolean, nullable=False, server_default=false()),
)

# What happened in a match, step by step; rows are only ever added. A row without a turn is a take-back. ``ply`` is the
# number of turns that stand after the step.
turns = Table(
    "turns",
    metadata,
    Column("match_id", ForeignKey("matches.id"), primary_key=True),
    Column("step", Integer, primary_key=True),
    Column("ply", Integer, nullable=False),
    Column("turn", String),
    Column("player_id", ForeignKey("players.id"), nullable=False),
    Column("played_at", Instant, nullable=False),
)
Index("ix_turns_player", turns.c.player_id)
# The opening and the choice of side, which are asked for over all games of a player.
_BEGINNING = text("ply <= 2")
Index("ix_turns_beginning", turns.c.match_id, turns.c.step, **covering(_BEGINNING))

proposals = Table(
    "proposals",
    metadata,
    Column("id", Identity, primary_key=True),
    Column("match_id", ForeignKey("matches.id"), nullable=False, index=True),
    Column("kind", String, nullable=False),
    Column("proposer_id", ForeignKey("players.id"), nullable=False),
    Column("step", Integer, nullable=False),
    Column("state", String, nullable=False),
    # Of a take-back: how many turns stay. Of a move: where to.
    Column("keeps", Integer),
    Column("guild_id", BigInteger),
    Column("channel_id", BigInteger),
    *_card_state(),
    Column("created_at", Instant, nullable=False),
)
Index("ix_proposals_proposer_created", proposals.c.proposer_id, proposals.c.created_at)
#: The proposals that wait for an answer, as literal SQL for the same reason.
OPEN_PROPOSALS = proposals.c.state == literal_column("'open'")
Index("ix_proposals_one_open", proposals.c.match_id, proposals.c.kind, unique=True, **covering(OPEN_PROPOSALS))

# Turns that are put together step by step and not played yet, each on the board of its step; those of earlier boards
# stay until the player begins another one, or the match ends.
drafts = Table(
    "drafts",
    metadata,
    Column("match_id", ForeignKey("matches.id"), primary_key=True),
    Column("player_id", ForeignKey("players.id"), primary_key=True),
    Column("step", Integer, nullable=False),
    Column("text", String, nullable=False),
)

#: What the computer thinks of matches that are over, as found by a version of its search.
reviews = Table(
    "reviews",
    metadata,
    Column("match_id", ForeignKey("matches.id"), primary_key=True),
    Column("version", Integer, nullable=False),
    Column("review", JSON, nullable=False),
)

#: What people try from a position of a match, which is not affected.
lines = Table(
    "lines",
    metadata,
    Column("match_id", ForeignKey("matches.id"), primary_key=True),
    Column("player_id", ForeignKey("players.id"), primary_key=True),
    Column("step", Integer, nullable=False),
    Column("ply", Integer, nullable=False),
    Column("turns", String, nullable=False),
    Column("begun", String, nullable=False),
    Column("changed_at", Instant, nullable=False, index=True),
)

preferences = Table(
    "preferences",
    metadata,
    Column("player_id", ForeignKey("players.id"), primary_key=True),
    Column("theme", String),
    Column("orientation", String, nullable=False),
    Column("coordinates", Boolean, nullable=False),
    Column("confirmation", String, nullable=False),
    Column("pings", Boolean, nullable=False),
    Column("language", String),
    Column("outside", String, nullable=False, server_default="account"),
    # Turns that the player has put together with buttons, as long as there are few.
    Column("turns_by_buttons", Integer, nullable=False, server_default="0"),
    # The name of a time zone, or hours from UTC.
    Column("time_zone", String, nullable=False, server_default="+0"),
    # Minutes of the player's day.
    Column("quiet_from", Integer),
    Column("quiet_to", Integer),
    Column("digest_at", Integer),
    Column("direct_language", String),
    # Whether a digest could not be delivered, which the player does not know yet.
    Column("digest_refused", Boolean, nullable=False, server_default=false()),
)

# The games that a player knows, from the first card of a match or from the tasks.
known_games = Table(
    "known_games",
    metadata,
    Column("player_id", ForeignKey("players.id"), primary_key=True),
    Column("game", String, primary_key=True),
)

servers = Table(
    "servers",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("play_in", String, nullable=False),
    Column("challenger_role_id", BigInteger),
    Column("theme", String),
    Column("language", String),
    Column("board_cards", String, nullable=False, server_default=text("'living'")),
    # Where the puzzle of the day is posted, if anywhere.
    Column("puzzle_channel_id", BigInteger),
)

# The channels that a server plays in; without any, it plays everywhere.
server_channels = Table(
    "server_channels",
    metadata,
    Column("server_id", ForeignKey("servers.id"), primary_key=True),
    Column("channel_id", BigInteger, primary_key=True, autoincrement=False),
)

# The channels in which matches have the kind of board cards that they do not have elsewhere on the server.
other_card_channels = Table(
    "other_card_channels",
    metadata,
    Column("server_id", ForeignKey("servers.id"), primary_key=True),
    Column("channel_id", BigInteger, primary_key=True, autoincrement=False),
)

# The public threads that people play in, each with its channel: of archived threads, Discord reports only those that a
# bot asks for.
threads = Table(
    "threads",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("parent_id", BigInteger, nullable=False, index=True),
)

# What has to happen at a time, whether or not the process runs until then.
timers = Table(
    "timers",
    metadata,
    Column("kind", String, primary_key=True),
    Column("subject_id", BigInteger, primary_key=True),
    Column("due_at", Instant, nullable=False, index=True),
)

# The events that change ratings, in order; rows are only ever added. A match is rated at most once, and voided at most
# once. The tables below follow from these events and the matches, and can be recomputed.
rating_events = Table(
    "rating_events",
    metadata,
    Column("seq", Integer, primary_key=True),
    Column("match_id", ForeignKey("matches.id"), nullable=False),
    Column("kind", String, nullable=False),
    Column("at", Instant, nullable=False),
    UniqueConstraint("match_id", "kind"),
)

# What a match did to the ratings of its players, of its game and of all games together (whose name is empty).
# ``before`` is the deviation that had grown until the match.
rating_changes = Table(
    "rating_changes",
    metadata,
    Column("player_id", ForeignKey("players.id"), primary_key=True),
    Column("game", String, primary_key=True),
    Column("seq", ForeignKey("rating_events.seq"), primary_key=True),
    Column("seat", Integer, nullable=False),
    Column("score", Float, nullable=False),
    Column("value_before", Float, nullable=False),
    Column("deviation_before", Float, nullable=False),
    Column("value", Float, nullable=False),
    Column("deviation", Float, nullable=False),
    Index("ix_rating_changes_seq", "seq"),
    **IN_ORDER_OF_KEY,
)

# The rows of the leaderboards: a player's results in the latest month, season or all time that they played in, by
# server (0: everywhere) and game (empty: all of them), each with the rating, so that one table answers everything.
# ``settled_until`` is in seconds since 1970.
standings = Table(
    "standings",
    metadata,
    Column("guild_id", BigInteger, primary_key=True, autoincrement=False),
    Column("game", String, primary_key=True),
    Column("span", String, primary_key=True),
    Column("player_id", ForeignKey("players.id"), primary_key=True),
    Column("period", Integer, nullable=False),
    Column("wins", Integer, nullable=False),
    Column("draws", Integer, nullable=False),
    Column("losses", Integer, nullable=False),
    Column("streak", Integer, nullable=False),
    Column("best", Integer, nullable=False),
    Column("rating", Float, nullable=False),
    Column("settled_until", BigInteger, nullable=False),
    Index("ix_standings_player_game", "player_id", "game"),
    **IN_ORDER_OF_KEY,
)

# What the application remembers of itself, such as the commands it last registered.
memos = Table(
    "memos",
    metadata,
    Column("name", String, primary_key=True),
    Column("value", String, nullable=False),
)

# For each shard, how many there were, when the bot was last there, and which process holds it.
presence = Table(
    "presence",
    metadata,
    Column("shard", Integer, primary_key=True, autoincrement=False),
    Column("shards", Integer, nullable=False),
    Column("seen_at", Instant),
    Column("holder", String, nullable=False),
)

# The clocks of the matches that have one; see bot.domain.clocks.Clock.
clocks = Table(
    "clocks",
    metadata,
    Column("match_id", ForeignKey("matches.id"), primary_key=True),
    Column("control", String, nullable=False),
    Column("first_left", Span, nullable=False),
    Column("second_left", Span, nullable=False),
    Column("seat", Integer, nullable=False),
    Column("since", Instant),
)

# What the turns of matches with a clock did to it.
clock_turns = Table(
    "clock_turns",
    metadata,
    Column("match_id", ForeignKey("matches.id"), primary_key=True),
    Column("step", Integer, primary_key=True),
    Column("seat", Integer, nullable=False),
    Column("used", Span, nullable=False),
    Column("gained", Span, nullable=False),
)

# The days off that players have spent, by the moment each began.
vacations = Table(
    "vacations",
    metadata,
    Column("player_id", ForeignKey("players.id"), primary_key=True),
    Column("starts_at", Instant, primary_key=True),
    Column("ends_at", Instant, nullable=False),
)

# Who wants nothing to do with whom.
blocks = Table(
    "blocks",
    metadata,
    Column("player_id", ForeignKey("players.id"), primary_key=True),
    # This belongs to the player who blocks, so it stays when the other one is deleted.
    Column("blocked_id", BigInteger, primary_key=True, autoincrement=False),
)
Index("ix_challenges_challenger_created", challenges.c.challenger_id, challenges.c.created_at)

# Who has posted boards lately, again or to share them; rows that no limit asks for any more go with the next one.
posts = Table(
    "posts",
    metadata,
    Column("id", Identity, primary_key=True),
    Column("player_id", ForeignKey("players.id"), nullable=False),
    Column("created_at", Instant, nullable=False),
)
Index("ix_posts_player_created", posts.c.player_id, posts.c.created_at)

# When players have last nudged their opponents; rows that no limit asks for any more go with the next nudge.
nudges = Table(
    "nudges",
    metadata,
    Column("match_id", ForeignKey("matches.id"), primary_key=True),
    Column("player_id", ForeignKey("players.id"), primary_key=True),
    Column("created_at", Instant, nullable=False),
)
Index("ix_nudges_player_created", nudges.c.player_id, nudges.c.created_at)

# What deleted players have done lately that a limit still counts, each time under a keyed hash of the player, of what
# is limited, and of whom it was done to; see bot.storage.limits.
kept_counts = Table(
    "kept_counts",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("hash", String, nullable=False, index=True),
    Column("counted_at", Instant, nullable=False),
    Column("kept_until", Instant, nullable=False, index=True),
)

tournaments = Table(
    "tournaments",
    metadata,
    Column("id", Identity, primary_key=True),
    Column("guild_id", BigInteger),
    Column("channel_id", BigInteger, nullable=False),
    Column("name", String, nullable=False),
    Column("organiser_id", ForeignKey("players.id"), nullable=False),
    Column("ruleset", String, nullable=False),
    Column("control", String),
    # How many games of it a player has at most at the same time.
    Column("at_once", Integer, nullable=False),
    Column("state", String, nullable=False),
    Column("created_at", Instant, nullable=False),
    *_card_state(),
)
Index("ix_tournaments_channel_state", tournaments.c.channel_id, tournaments.c.state)

# Who takes part; ``number`` is the order of joining, and once it has begun the number in the schedule.
entrants = Table(
    "entrants",
    metadata,
    Column("tournament_id", ForeignKey("tournaments.id"), primary_key=True),
    Column("player_id", ForeignKey("players.id"), primary_key=True),
    Column("number", Integer, nullable=False),
    Column("withdrawn_at", Instant),
)

# Who meets whom, from the beginning of the tournament on; without a match until that begins.
pairings = Table(
    "pairings",
    metadata,
    Column("tournament_id", ForeignKey("tournaments.id"), primary_key=True),
    Column("round", Integer, primary_key=True),
    Column("first_id", ForeignKey("players.id"), primary_key=True),
    Column("second_id", ForeignKey("players.id"), nullable=False),
    Column("match_id", ForeignKey("matches.id")),
    UniqueConstraint("match_id"),
)

# The puzzles that players have seen, by their keys: when last, and how the first try ended, if it has. Ratings and
# streaks follow from that.
puzzle_attempts = Table(
    "puzzle_attempts",
    metadata,
    Column("player_id", ForeignKey("players.id"), primary_key=True),
    Column("puzzle", String, primary_key=True),
    Column("difficulty", Integer, nullable=False),
    Column("seen_at", Instant, nullable=False),
    Column("solved", Boolean),
    Column("answered_at", Instant),
    CheckConstraint("(solved IS NULL) = (answered_at IS NULL)", name="answered"),
    Index("ix_puzzle_attempts_puzzle", "puzzle"),
)

# The puzzles of the day that servers have got, each with its message and the count that it shows.
daily_puzzles = Table(
    "daily_puzzles",
    metadata,
    Column("server_id", ForeignKey("servers.id"), primary_key=True),
    Column("day", Date, primary_key=True),
    Column("puzzle", String, nullable=False),
    Column("channel_id", BigInteger, nullable=False),
    Column("message_id", BigInteger, nullable=False),
    Column("solved", Integer, nullable=False),
    Column("tried", Integer, nullable=False),
)

# The tokens by which players come from Discord to the page of a match, as SHA-256; each is deleted when it is used.
web_tokens = Table(
    "web_tokens",
    metadata,
    Column("hash", String, primary_key=True),
    Column("player_id", ForeignKey("players.id"), nullable=False, index=True),
    Column("match_id", ForeignKey("matches.id")),
    Column("expires_at", Instant, nullable=False, index=True),
)

# The browsers in which players have come to the page, each with the SHA-256 of its secret.
web_sessions = Table(
    "web_sessions",
    metadata,
    Column("id", Identity, primary_key=True),
    Column("hash", String, nullable=False, unique=True),
    Column("player_id", ForeignKey("players.id"), nullable=False, index=True),
    Column("begun_at", Instant, nullable=False),
    Column("used_at", Instant, nullable=False, index=True),
)

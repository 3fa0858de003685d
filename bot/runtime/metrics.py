"""The metrics of the running bot, for Prometheus. No label contains a name or typed text."""

from __future__ import annotations

from enum import StrEnum

from prometheus_client import Counter, Gauge, Histogram

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0)
_LATENESS = (1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 900.0, 3600.0)


class InteractionOutcome(StrEnum):
    """How an interaction ended: done, refused with a reason, failed unexpectedly, or not acknowledged in time."""

    DONE = "done"
    REFUSED = "refused"
    FAILED = "failed"
    UNACKNOWLEDGED = "unacknowledged"


TURNS = Counter("hexgrove_turns", "Turns stored", ["game"])
INTERACTIONS = Counter(
    "hexgrove_interactions",
    "Commands, presses and forms, by name and outcome",
    ["name", "outcome"],
)
ACKNOWLEDGEMENT = Histogram(
    "hexgrove_acknowledgement_seconds", "From an interaction to its acknowledgement", buckets=_SECONDS
)
BOARD = Histogram("hexgrove_board_seconds", "From an interaction to the board that it changed", buckets=_SECONDS)
REQUESTS = Counter("hexgrove_discord_requests", "Requests to Discord, by method and status", ["method", "status"])
REQUEST_WAIT = Histogram(
    "hexgrove_discord_request_wait_seconds", "How long requests to Discord waited for the budget", buckets=_SECONDS
)
TIMERS_HANDLED = Counter("hexgrove_timers_handled", "Calls of timers' handlers, by kind", ["kind"])
TIMER_LATENESS = Histogram("hexgrove_timer_lateness_seconds", "How late timers were handled", buckets=_LATENESS)
TIMERS_DUE = Gauge("hexgrove_timers_due", "Timers that are due and not handled yet")
SHARDS_HELD = Gauge("hexgrove_shards_held", "Shards that this process holds")
LOOP_LAG = Histogram("hexgrove_event_loop_lag_seconds", "How late the event loop wakes a task", buckets=_SECONDS)
SEARCH = Histogram("hexgrove_search_seconds", "How long the computer searched for a turn", ["level"], buckets=_SECONDS)
QUEUE_LENGTH = Gauge("hexgrove_queue_length", "Jobs that wait or run, by queue", ["queue"])

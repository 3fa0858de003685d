"""Failures and messages of libraries in the log."""

from __future__ import annotations

import asyncio
import logging
from types import SimpleNamespace
from typing import Any

import discord
import pytest
from structlog.testing import capture_logs

from bot.runtime import log

SECRET = "okapi"


def failure() -> Exception:
    """An exception that holds a secret in its message, its cause's message and its variables."""

    def parse(typed: str) -> None:
        raise ValueError(f"not a number: {typed}")

    try:
        try:
            parse(SECRET)
        except ValueError as error:
            raise RuntimeError(f"{SECRET} failed") from error
    except RuntimeError as error:
        return error
    raise AssertionError


def test_a_failure_is_logged_with_its_cause_and_place_but_without_messages() -> None:
    error = failure()
    for given in (error, (type(error), error, error.__traceback__)):
        event = log._describe_failure(None, "error", {"event": "failed", "exc_info": given})
        said = event["exception"]
        first, second = said.index("builtins.ValueError"), said.index("builtins.RuntimeError")
        assert first < second
        assert "test_log.py" in said[first:second]
        assert "in parse" in said
        assert SECRET not in str(event)


@pytest.mark.parametrize(
    ("message", "arguments", "said"),
    [
        ("%s waits for %.1f seconds, try %d", (SECRET, 1.5, 3), "… waits for 1.5 seconds, try 3"),
        ("%(who)s waits", ({"who": SECRET},), "%(who)s waits"),
        (f"Task exception was never retrieved\nfuture: {SECRET}", (), "Task exception was never retrieved"),
        ("Stuck for %s\nat %s", (SECRET, SECRET), "Stuck for %s"),
        ("", (), ""),
    ],
)
def test_messages_of_libraries_keep_only_their_numbers(message: str, arguments: Any, said: str) -> None:
    record = logging.LogRecord("discord.http", logging.WARNING, "http.py", 1, message, arguments, None)
    assert log._without_values(record)
    assert record.getMessage() == said


async def test_an_unnoticed_failure_of_a_task_is_logged_without_its_message() -> None:
    loop = asyncio.get_running_loop()
    log.log_lost_failures(loop)
    with capture_logs() as events:
        loop.call_exception_handler({"message": f"lost {SECRET}", "exception": failure(), "future": SECRET})
    (event,) = events
    assert event["event"] == "background_failure"
    assert isinstance(event["exc_info"], RuntimeError)
    assert SECRET not in str(log._describe_failure(None, "error", event))


def test_an_error_of_discord_is_named_by_its_codes() -> None:
    response: Any = SimpleNamespace(status=404, reason=SECRET)
    error = discord.NotFound(response, {"code": 10008, "message": SECRET})
    assert log.failure(error) == "NotFound 404 (error code 10008)"
    assert log.failure(OSError(SECRET)) == "OSError"

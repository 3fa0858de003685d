"""Structured logs: events with fields, without secrets or anything that users have written.

A failure is logged with its type and the lines of code where it happened, but without its message, which may contain
anything: a user's text, a row of the database, or a URL with a token.
"""

from __future__ import annotations

import logging
import sys
import traceback
from asyncio import AbstractEventLoop
from collections.abc import Iterator
from typing import Any

import structlog
from structlog.typing import EventDict, Processor

from bot.config import Config

_LOG = structlog.get_logger(__name__)
_OURS = ("bot", "render", "rules")


def configure(config: Config) -> None:
    """Send the bot's and the libraries' events to standard error, in the configured format."""
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    renderer: Processor = (
        structlog.processors.JSONRenderer()
        if config.log_format == "json"
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler()
    handler.addFilter(_without_values)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                _describe_failure,
                renderer,
            ],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    # Below warnings, libraries log every request with its contents.
    root.setLevel(max(logging.WARNING, logging.getLevelName(config.log_level)))
    for name in _OURS:
        logging.getLogger(name).setLevel(config.log_level)


def log_lost_failures(loop: AbstractEventLoop) -> None:
    """Log the failures of tasks that nothing awaits; asyncio would print their messages."""

    def log_failure(_loop: AbstractEventLoop, context: dict[str, Any]) -> None:
        _LOG.error("background_failure", exc_info=context.get("exception"))

    loop.set_exception_handler(log_failure)


def failure(error: BaseException) -> str:
    """The type of a failure, without text from outside."""
    match vars(error):
        case {"status": int(status), "code": int(code)}:  # Discord's answer
            return f"{type(error).__name__} {status} (error code {code})"
        case {"database_code": str(code)}:
            return f"{type(error).__name__} {code}"
    return type(error).__name__


def _without_values(record: logging.LogRecord) -> bool:
    """Remove all values but numbers from a library's event."""
    if record.name.partition(".")[0] not in _OURS and isinstance(record.msg, str):
        lines = record.msg.splitlines() or [""]
        record.msg = lines[0]
        if isinstance(record.args, tuple):
            record.args = tuple(value if isinstance(value, int | float) else "…" for value in record.args)
            try:
                record.getMessage()
            except (TypeError, ValueError):  # some values belonged to a later line
                record.args = None
        else:
            record.args = None
    return True


def _describe_failure(_logger: object, _method: str, event: EventDict) -> EventDict:
    """Replace an exception by its type and the lines of code where it happened."""
    found = event.pop("exc_info", None)
    if found is True:
        found = sys.exc_info()
    error = found[1] if isinstance(found, tuple) else found
    if isinstance(error, BaseException):
        event["exception"] = "\n".join(_chain(error))
    return event


def _chain(error: BaseException) -> Iterator[str]:
    """Describe an exception and its causes, the first cause first."""
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if before is not None:
        yield from _chain(before)
    yield f"{type(error).__module__}.{failure(error)}"
    for frame in traceback.extract_tb(error.__traceback__):
        yield f"  {frame.filename}:{frame.lineno} in {frame.name}"

"""Times of the day and time zones, as players type them; both are counted in minutes."""

from __future__ import annotations

import re
from typing import ClassVar

from bot.domain.preferences import DAY
from bot.domain.refusals import DomainError
from rules.text import gettext_noop

#: Nothing longer is read, or quoted.
LONGEST = 20
_OFFSET = re.compile(r"(?:utc|gmt)?([+-]?)(\d{1,2})(?::(\d{2}))?")
_TIME = re.compile(r"(\d{1,2})(?:[:.h](\d{2}))?(am|pm)?h?")
_FROM, _TO = -12 * 60, 14 * 60


class DayTimeError(DomainError):
    """The text is not what was asked for: ``reason`` is ``offset`` or ``span``."""

    _templates: ClassVar = {
        "offset": gettext_noop("I cannot read “{typed}” as hours from UTC. Write it as `+2`, `-5` or `+5:30`."),
        "span": gettext_noop("I cannot read “{typed}” as quiet hours. Write them as `22-8` or `22:30-7`."),
    }

    def __init__(self, typed: str, reason: str) -> None:
        super().__init__(self._templates[reason], typed=typed[:LONGEST])
        self.reason = reason


def read_offset(typed: str) -> int:
    """The minutes by which a clock is ahead of UTC, such as 330 for ``+5:30``; nothing typed is UTC."""
    text = _bare(typed)
    if not text:
        return 0
    found = _OFFSET.fullmatch(text)
    if found is None:
        raise DayTimeError(typed, "offset")
    minutes = int(found[2]) * 60 + int(found[3] or 0)
    minutes = -minutes if found[1] == "-" else minutes
    if not _FROM <= minutes <= _TO or int(found[3] or 0) > 59:
        raise DayTimeError(typed, "offset")
    return minutes


def read_span(typed: str) -> tuple[int, int] | None:
    """The minutes of the day from which and until when, such as ``22-8``; None when nothing is typed."""
    text = _bare(typed)
    if not text:
        return None
    begin, dash, end = text.partition("-")
    if not dash:
        raise DayTimeError(typed, "span")
    span = _minute(begin, typed), _minute(end, typed)
    return None if span[0] == span[1] else span


def _bare(typed: str) -> str:
    text = "".join(typed.split()).casefold().replace("–", "-").replace("−", "-")
    return text if len(text) <= LONGEST else "?"


def _minute(text: str, typed: str) -> int:
    found = _TIME.fullmatch(text)
    if found is None:
        raise DayTimeError(typed, "span")
    hour, minute = int(found[1]), int(found[2] or 0)
    if found[3]:
        if not 1 <= hour <= 12:
            raise DayTimeError(typed, "span")
        hour = hour % 12 + (12 if found[3] == "pm" else 0)
    if hour > 24 or minute > 59:
        raise DayTimeError(typed, "span")
    return (hour * 60 + minute) % DAY

"""Times of day, in minutes, and time zones, as typed and as stored."""

from __future__ import annotations

import re
import unicodedata
import zoneinfo
from datetime import UTC, timedelta, timezone, tzinfo
from functools import cache
from typing import ClassVar

from bot.domain.preferences import MINUTES_A_DAY
from bot.domain.refusals import DomainError
from rules.notation import plain, with_names
from rules.text import gettext_noop

#: Maximum characters of a text that is read or quoted.
LONGEST = 40
_OFFSET = re.compile(r"(?:utc|gmt)?([+-]?)(\d{1,2})(?::?(\d{2}))?")
_TIME = re.compile(r"(\d{1,2})(?:[:.h](\d{2}))?(am|pm)?h?")
_FROM, _TO = -12 * 60, 14 * 60
#: Separators in names of time zones; people type any of them.
_BETWEEN = re.compile(r"[\s_-]+")
#: Unambiguous abbreviations.
_ABBREVIATIONS = {
    **dict.fromkeys(("cet", "cest", "mez", "mesz"), "Europe/Brussels"),
    **dict.fromkeys(("eet", "eest"), "Europe/Athens"),
    **dict.fromkeys(("wet", "west"), "Europe/Lisbon"),
    **dict.fromkeys(("est", "edt"), "America/New_York"),
    **dict.fromkeys(("pst", "pdt"), "America/Los_Angeles"),
    "cdt": "America/Chicago",
    "mdt": "America/Denver",
    "msk": "Europe/Moscow",
    "jst": "Asia/Tokyo",
}
#: The regions whose time zones are named after cities.
_REGIONS = {"Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific"}


class DayTimeError(DomainError):
    """An unreadable ``zone``, ``span`` or ``time``, as ``reason`` says."""

    templates: ClassVar = {
        "zone": gettext_noop(
            "I do not know the time zone “{typed}”. Write a large city in it, such as “Berlin” or “New York”, or hours "
            "from UTC, such as “+2”."
        ),
        "span": gettext_noop("“{typed}” is no span of quiet hours. Write it as “22-8” or “22:30-7”."),
        "time": gettext_noop("“{typed}” is not a time of day. Write it as “8” or “18:30”."),
    }

    def __init__(self, typed: str, reason: str) -> None:
        super().__init__(reason, typed=with_names(typed[:LONGEST]))


def read_zone(typed: str) -> tzinfo:
    """Read a time zone: a city such as ``Berlin``, an offset such as ``+5:30``, or an abbreviation such as ``CET``.

    An empty text means UTC. The first call reads the list of time zones: call it in a thread.
    """
    text = _bare(typed)
    if text in ("", "utc", "gmt", "z"):
        return UTC
    offset = _OFFSET.fullmatch(text)
    if offset is not None:
        return _from_utc(offset, typed)
    name = _squeezed(plain(typed)) if len(typed) <= LONGEST else ""
    named = _ABBREVIATIONS.get(name) or _zone_names().get(name)
    if named is None:
        raise DayTimeError(typed, "zone")
    return zoneinfo.ZoneInfo(named)


def zone_text(zone: tzinfo) -> str:
    """The stored form of a time zone, which can also be typed: ``Europe/Berlin`` or ``+5:30``."""
    if isinstance(zone, zoneinfo.ZoneInfo):
        return zone.key
    minutes = round((zone.utcoffset(None) or timedelta(0)) / timedelta(minutes=1))
    hours, rest = divmod(abs(minutes), 60)
    return f"{'-' if minutes < 0 else '+'}{hours}" + (f":{rest:02}" if rest else "")


def zone_of(text: str) -> tzinfo:
    """The time zone with that stored form; UTC if this machine does not know it."""
    offset = _OFFSET.fullmatch(text)
    if offset is not None:
        return _from_utc(offset, text)
    try:
        return zoneinfo.ZoneInfo(text)
    except zoneinfo.ZoneInfoNotFoundError:
        return UTC


def read_span(typed: str) -> tuple[int, int] | None:
    """Read a daily span such as ``22-8`` as the minutes of its beginning and end; None for an empty text.

    The whole day, ``0-24``, ends at minute 1440.
    """
    text = _bare(typed)
    if not text:
        return None
    begin, dash, end = text.partition("-")
    if not dash:
        raise DayTimeError(typed, "span")
    span = _minute(begin, typed, "span"), _minute(end, typed, "span")
    if span == (0, MINUTES_A_DAY):
        return span
    first, last = (minute % MINUTES_A_DAY for minute in span)
    return None if first == last else (first, last)


def read_time(typed: str) -> int | None:
    """Read a time such as ``18:30`` as a minute of the day; None for an empty text."""
    text = _bare(typed)
    return _minute(text, typed, "time") % MINUTES_A_DAY if text else None


@cache
def _zone_names() -> dict[str, str]:
    """The names of time zones, by full name and by city."""
    found: dict[str, str] = {}
    for name in sorted(zoneinfo.available_timezones()):
        region, _slash, rest = name.partition("/")
        if region in _REGIONS:
            found.setdefault(_squeezed(rest.rpartition("/")[2]), name)
            found[_squeezed(name)] = name
    return found


def _squeezed(name: str) -> str:
    plain = "".join(mark for mark in unicodedata.normalize("NFKD", name) if not unicodedata.combining(mark))
    return _BETWEEN.sub("", plain).casefold()


def _from_utc(offset: re.Match[str], typed: str) -> tzinfo:
    minutes = int(offset[2]) * 60 + int(offset[3] or 0)
    minutes = -minutes if offset[1] == "-" else minutes
    if not _FROM <= minutes <= _TO or int(offset[3] or 0) > 59:
        raise DayTimeError(typed, "zone")
    return timezone(timedelta(minutes=minutes))


def _bare(typed: str) -> str:
    text = "".join(plain(typed).split()).casefold()
    return text if len(text) <= LONGEST else "?"


def _minute(text: str, typed: str, reason: str) -> int:
    """Read a time of day; midnight at the end of the day is minute 1440."""
    found = _TIME.fullmatch(text)
    if found is None:
        raise DayTimeError(typed, reason)
    hour, minute = int(found[1]), int(found[2] or 0)
    if minute > 59 or not (1 <= hour <= 12 if found[3] else hour <= 24):
        raise DayTimeError(typed, reason)
    if found[3]:
        hour = hour % 12 + (12 if found[3] == "pm" else 0)
    if hour * 60 + minute > MINUTES_A_DAY:
        raise DayTimeError(typed, reason)
    return hour * 60 + minute

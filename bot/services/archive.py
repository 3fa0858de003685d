"""What is kept of somebody, as files to take away, of which none is larger than Discord takes."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

#: Larger whole numbers are not exact where numbers are floating ones, as in JavaScript.
_EXACT = 2**53
#: As long as it is no longer than this, everything comes in one file that every phone can open.
_PLAIN = 512 * 1024
#: What a file in an archive takes beside its contents, at most.
_OVERHEAD = 512


@dataclass(frozen=True, slots=True)
class Part:
    """A file of an archive; ``last`` when none comes after it."""

    filename: str
    data: bytes
    number: int
    last: bool


class Archive:
    """Takes rows of tables, and hands them back as JSON, or as ZIP files with JSON files when they are many.

    Never holds more than ``largest`` bytes, which is also the most that a file has. Writing takes a while, so do it
    outside the event loop's thread.
    """

    def __init__(self, largest: int) -> None:
        self._largest = largest
        self._plain: dict[str, list[dict[str, object]]] | None = {}
        self._written = 0
        self._number = 1
        self._files: dict[str, int] = {}
        self._begin()

    def _begin(self) -> None:
        self._buffer = io.BytesIO()
        self._zip = zipfile.ZipFile(self._buffer, "w", zipfile.ZIP_DEFLATED)

    def add(self, table: str, rows: Sequence[Mapping[str, object]]) -> Part | None:
        """Takes some rows; a part that is full now, if one is."""
        plain = [{name: _plain(value) for name, value in row.items()} for row in rows]
        text = _json(plain)
        self._written += len(text)
        if self._plain is not None:
            self._plain.setdefault(table, []).extend(plain)
            if self._written > min(_PLAIN, self._largest):
                self._plain = None
        full = None
        room = self._largest - self._buffer.tell() - (len(self._zip.filelist) + 2) * _OVERHEAD
        if len(text) > room and self._zip.filelist:
            full = self._close(last=False)
        self._files[table] = self._files.get(table, 0) + 1
        self._zip.writestr(f"{table}-{self._files[table]}.json", text)
        return full

    def finish(self) -> Part:
        """The last part."""
        if self._plain is not None and len(text := _json(self._plain, indent=1)) <= self._largest:
            return Part("hexgrove-data.json", text, 1, last=True)
        return self._close(last=True)

    def _close(self, *, last: bool) -> Part:
        self._zip.close()
        number = "" if last and self._number == 1 else f"-{self._number}"
        part = Part(f"hexgrove-data{number}.zip", self._buffer.getvalue(), self._number, last)
        self._number += 1
        self._begin()
        return part


def _json(value: object, indent: int | None = None) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=indent).encode()


def _plain(value: object) -> object:
    """A value as JSON has it; ids of Discord are texts, for they have more digits than many readers keep."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    return str(value) if isinstance(value, int) and value > _EXACT else value

"""The data of a player as files of a size that Discord accepts."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

#: Larger integers are not exact in languages such as JavaScript, where all numbers are floats.
_EXACT = 2**53
#: Up to this size, everything is in one JSON file, which every phone can open.
_PLAIN = 512 * 1024
#: The most bytes that a file in an archive takes besides its contents.
_OVERHEAD = 512


@dataclass(frozen=True, slots=True)
class ExportFile:
    """A file of an export."""

    filename: str
    data: bytes
    number: int
    last: bool


@dataclass
class Archive:
    """Turns rows of tables into a JSON file or, if there are many, into ZIP files.

    No file has more than ``largest`` bytes. Writing takes a while: do it outside the event loop.
    """

    largest: int

    def __post_init__(self) -> None:
        self._plain: dict[str, list[dict[str, object]]] | None = {}
        self._size = 0
        self._number = 1
        self._files: dict[str, int] = {}
        self._begin()

    def _begin(self) -> None:
        self._buffer = io.BytesIO()
        self._zip = zipfile.ZipFile(self._buffer, "w", zipfile.ZIP_DEFLATED)

    def add(self, table: str, rows: Sequence[Mapping[str, object]]) -> ExportFile | None:
        """Add rows; return a file if one is full."""
        plain = [{name: _plain(value) for name, value in row.items()} for row in rows]
        text = _json(plain)
        self._size += len(text)
        if self._plain is not None:
            self._plain.setdefault(table, []).extend(plain)
            if self._size > min(_PLAIN, self.largest):
                self._plain = None
        full = None
        room = self.largest - self._buffer.tell() - (len(self._zip.filelist) + 2) * _OVERHEAD
        if len(text) > room and self._zip.filelist:
            full = self._close(last=False)
        self._files[table] = self._files.get(table, 0) + 1
        self._zip.writestr(f"{table}-{self._files[table]}.json", text)
        return full

    def finish(self) -> ExportFile:
        """Return the last file."""
        if self._plain is not None and len(text := _json(self._plain, indent=1)) <= self.largest:
            self._zip.close()
            return ExportFile("hexgrove-data.json", text, 1, last=True)
        return self._close(last=True)

    def _close(self, *, last: bool) -> ExportFile:
        self._zip.close()
        number = "" if last and self._number == 1 else f"-{self._number}"
        file = ExportFile(f"hexgrove-data{number}.zip", self._buffer.getvalue(), self._number, last)
        self._number += 1
        if not last:
            self._begin()
        return file


def _json(value: object, indent: int | None = None) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=indent).encode()


def _plain(value: object) -> object:
    """A value for JSON. Discord ids become strings, because many readers lose some of their digits."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    return str(value) if isinstance(value, int) and value > _EXACT else value

"""The data of a player as a file that Discord accepts."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

#: Larger integers are not exact in languages such as JavaScript, where all numbers are floats.
_EXACT = 2**53
#: Up to this size, the file is not compressed, so every phone can open it.
_PLAIN = 512 * 1024
_NAME = "hexgrove-data.json"


@dataclass(frozen=True, slots=True)
class ExportFile:
    filename: str
    data: bytes


@dataclass
class Archive:
    """Turns rows of tables into a JSON file, compressed if it is large; no more than ``largest`` bytes are kept.

    Writing takes a while: do it outside the event loop.
    """

    largest: int

    def __post_init__(self) -> None:
        self._buffer = io.BytesIO()
        self._zip = zipfile.ZipFile(self._buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9)
        self._json = self._zip.open(_NAME, "w", force_zip64=True)
        self._table = ""

    def add(self, table: str, rows: Sequence[Mapping[str, object]]) -> bool:
        """Add rows, those of a table one after the other; return whether there is room for more."""
        for row in rows:
            text = json.dumps({name: _plain(value) for name, value in row.items()}, ensure_ascii=False)
            begun = ("\n],\n" if self._table else "{\n") + f'"{table}": [\n'
            self._json.write(((",\n" if table == self._table else begun) + text).encode())
            self._table = table
        return self._buffer.tell() <= self.largest

    def finish(self) -> ExportFile | None:
        """The file; None if it is too large."""
        self._json.write(b"\n]\n}\n" if self._table else b"{}\n")
        self.close()
        if self._zip.getinfo(_NAME).file_size <= min(_PLAIN, self.largest):
            return ExportFile(_NAME, zipfile.ZipFile(self._buffer).read(_NAME))
        data = self._buffer.getvalue()
        return ExportFile("hexgrove-data.zip", data) if len(data) <= self.largest else None

    def close(self) -> None:
        self._json.close()
        self._zip.close()


def _plain(value: object) -> object:
    """A value for JSON. Discord ids become strings, because many readers lose some of their digits."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    return str(value) if isinstance(value, int) and value > _EXACT else value

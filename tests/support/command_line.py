"""Command lines, run in the test's process."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest


@dataclass
class CommandLine:
    """Runs ``main`` with arguments and typed input."""

    main: Callable[[list[str]], int]
    capsys: pytest.CaptureFixture[str]
    monkeypatch: pytest.MonkeyPatch

    def __call__(self, *arguments: object, typed: str = "") -> tuple[int, str, str]:
        """Return the exit status, the standard output and the standard error."""
        self.monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        try:
            status = self.main([str(argument) for argument in arguments])
        except SystemExit as stopped:
            status = int(str(stopped.code))
        written = self.capsys.readouterr()
        return status, written.out, written.err

    def prints(self, *arguments: object, typed: str = "") -> str:
        """Return the standard output of a command that succeeds without errors."""
        status, out, err = self(*arguments, typed=typed)
        assert (status, err) == (0, "")
        return out

    def prints_objects(self, *arguments: object, typed: str = "") -> list[dict[str, Any]]:
        """Read the standard output of a command that succeeds, which has one JSON object a line."""
        return objects(self.prints(*arguments, typed=typed))

    def refuses(self, *arguments: object, typed: str = "") -> str:
        """Return the standard error of a command that is refused without other output."""
        status, out, err = self(*arguments, typed=typed)
        assert (status, out) == (2, "")
        return err


def objects(out: str | bytes) -> list[dict[str, Any]]:
    """Read output that has one JSON object a line and nothing else."""
    text = out.decode("ascii") if isinstance(out, bytes) else out
    assert not text or text.endswith("\n")
    return [json.loads(line) for line in text.splitlines()]

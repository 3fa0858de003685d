"""Fixtures of the tests of processes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest


@pytest.fixture
def folder(tmp_path: Path, empty_database: Path) -> Path:
    """The folder of a bot that has run before, with its database."""
    shutil.copy(empty_database, tmp_path / "bot.db")
    return tmp_path

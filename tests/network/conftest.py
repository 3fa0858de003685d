"""What the tests of processes share."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest


@pytest.fixture
def folder(tmp_path: Path, empty_database: Path) -> Path:
    """The folder of a bot that has been started before, so its database is there."""
    shutil.copy(empty_database, tmp_path / "bot.db")
    return tmp_path

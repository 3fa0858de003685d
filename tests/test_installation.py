"""What an installation downloads: nothing but the files that the lock files name."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("page", ["README.md", "Dockerfile"])
def test_what_is_installed_comes_from_a_lock_file(page: str) -> None:
    commands = re.findall(r"pip install ([^&\n]*)", (ROOT / page).read_text(encoding="utf-8"))
    assert commands
    for options in map(str.split, commands):
        assert "-r" in options or {"--no-build-isolation", "--no-deps"} <= set(options), options


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-dev.lock"])
def test_lock_files_fix_what_the_build_requires(name: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    required = project["build-system"]["requires"]
    assert project["dependency-groups"]["build"] == required
    lock = (ROOT / name).read_text(encoding="utf-8")
    for each in required:
        package = re.match(r"[\w.-]+", each)
        assert package is not None
        assert re.search(rf"^{package[0]}==\S+ \\\n +--hash=sha256:", lock, re.MULTILINE), each

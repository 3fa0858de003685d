"""``python -m rules new-game``: a skeleton that can be played, drawn and tested immediately."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rules import new_game
from tests.support.command_line import CommandLine
from tests.support.each import for_each
from tests.support.sources import ROOT


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Copy the rules, the pictures and the toy game, as in a clone."""
    for folder in ("rules", "render", "tests/support/tern"):
        unneeded = shutil.ignore_patterns("__pycache__", "*.jsonl", "*.png", "*.gif")
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=unneeded)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def in_clone(clone: Path, *arguments: str, typed: str = "") -> str:
    done = subprocess.run(
        [sys.executable, *arguments], input=typed, capture_output=True, cwd=clone, timeout=60, check=False, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("name", ["ab", "hexagonalia"])
def test_a_new_game_can_be_played_and_drawn_and_passes_the_linters(clone: Path, name: str) -> None:
    written = new_game.make(name, clone)
    assert all((clone / path).is_file() for path in written)
    code = [str(path) for path in written if path.suffix == ".py"]
    in_clone(clone, "-m", "ruff", "check", "--no-cache", *code)
    in_clone(clone, "-m", "ruff", "format", "--check", "--no-cache", *code)
    turns = "a1\nblue\nd4\na2\nd5\ng4\nd6\n"
    assert "Blue wins with three connected stones." in in_clone(clone, "-m", "rules", "play", name, typed=turns)
    assert "nadraz" in in_clone(clone, "-m", "rules", "list")
    record = f"render/games/{name}/example.txt"
    assert f"{name.title()}, size 4. Blue to play." in in_clone(clone, "-m", "render", "--words", record)
    in_clone(clone, "-m", "render", record, "-o", "picture.png")
    assert not [path for path in written[:-2] if re.search(r"\b[Tt]ern\b|tests", (clone / path).read_text("utf-8"))]


@for_each("name", ["dalen", "search", "board", "class", "Tic", "four-up", "x" * 21, "../up"])
def test_a_taken_or_invalid_name_is_refused(run: CommandLine, name: str) -> None:
    assert f"“{name}”" in run.refuses("new-game", name)

"""``python -m render``."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
from PIL import Image

from render.__main__ import main, progress
from tests.support.command_line import CommandLine
from tests.support.each import for_each

pytestmark = pytest.mark.usefixtures("coarse")

RECORD = """
[Game "dalen"]
[Size "5"]
[Result "0-1"]
[Termination "resignation"]

1. e5 2. dark 3. e6 4. d5 5. d4 6. c3 0-1
"""


@pytest.fixture
def record(tmp_path: Path) -> Path:
    path = tmp_path / "game.txt"
    path.write_text(RECORD, encoding="utf-8")
    return path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    return CommandLine(main, capsys, monkeypatch)


def test_a_record_becomes_a_picture_beside_it(run: CommandLine, record: Path) -> None:
    made = record.with_suffix(".png")
    assert str(made) in run.prints(record)
    with Image.open(made) as image:
        assert image.width == 900


@for_each(
    "options",
    [
        *("--turn 3", "--turn 0", "--theme light", "--orientation 7", "--no-coordinates", "--window e5:3"),
        *("--overlay legal", "--turn 5 --preview h8", "--sheet"),
    ],
)
def test_every_option_makes_another_picture(run: CommandLine, record: Path, tmp_path: Path, options: str) -> None:
    plain, other = tmp_path / "plain.png", tmp_path / "other.png"
    run.prints(record, "-o", plain)
    run.prints(record, "-o", other, *options.split())
    assert plain.read_bytes() != other.read_bytes()


def test_a_record_becomes_an_animated_picture(run: CommandLine, record: Path) -> None:
    run.prints(record, "--animation")
    with Image.open(record.with_suffix(".gif")) as image:
        assert getattr(image, "n_frames", 1) == 6


def test_a_position_in_words(run: CommandLine, record: Path) -> None:
    assert "Game over: Light won by resignation." in run.prints(record, "--words")
    assert "Light to play." in run.prints(record, "--words", "--turn", 2)


@for_each(
    "case",
    [
        ("--turn 7", "the game has 6 turns"),
        ("--overlay roots", "choose from legal"),
        ("--overlay legal:z9", "“z9” is not a cell"),
        ("--window e5", "CELL:SIZE"),
        ("--window e5:9", "from 2 to 5"),
        ("--turn 4 --preview e5", "e5 is taken"),
        ("--turn 0 --sheet", "no turns yet"),
        ("--theme pink", "invalid choice"),
    ],
)
def test_unsuitable_options_are_refused_with_a_reason(run: CommandLine, record: Path, case: tuple[str, str]) -> None:
    options, why = case
    assert why in run.refuses(record, *options.split())
    assert not list(record.parent.glob("*.png"))


def test_help_for_the_gallery_draws_nothing(run: CommandLine) -> None:
    assert "python -m render gallery renews render/README.md" in run.prints("gallery", "--help")
    run.refuses("gallery", "--pink")


def test_files_without_a_record_are_refused(run: CommandLine, tmp_path: Path) -> None:
    assert "No such file" in run.refuses(tmp_path / "none.txt")
    wrong = tmp_path / "wrong.txt"
    wrong.write_bytes(b"\xff\xfe\x00")
    run.refuses(wrong)
    wrong.write_text("hello", encoding="utf-8")
    assert "the tag Game is missing" in run.refuses(wrong)


def test_long_work_shows_a_progress_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr("render.__main__._PATIENCE", -1.0)
    assert list(progress("abc", 3)) == ["a", "b", "c"]
    assert terminal.getvalue().endswith(f"[{'#' * 40}] 3/3\n")

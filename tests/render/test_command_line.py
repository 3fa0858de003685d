"""``python -m render``."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from render.__main__ import main, progress

pytestmark = pytest.mark.usefixtures("coarse")

RECORD = """
[Game "dalen"]
[Size "5"]
[Result "0-1"]
[Termination "resignation"]

1. e5 2. dark 3. e6 4. d5 5. d4 6. c3 0-1
"""

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def record(tmp_path: Path) -> Path:
    path = tmp_path / "game.txt"
    path.write_text(RECORD, encoding="utf-8")
    return path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command line in the test's process, and return exit status, standard output and standard error."""

    def run_main(*arguments: object) -> tuple[int, str, str]:
        try:
            status = main([str(argument) for argument in arguments])
        except SystemExit as stopped:
            status = int(str(stopped.code))
        written = capsys.readouterr()
        return status, written.out, written.err

    return run_main


def test_a_record_becomes_a_picture_beside_it(run: Run, record: Path) -> None:
    status, out, _ = run(record)
    made = record.with_suffix(".png")
    assert status == 0
    assert str(made) in out
    with Image.open(made) as image:
        assert image.width == 900


@pytest.mark.parametrize(
    "options",
    [
        ["--turn", 3],
        ["--turn", 0],
        ["--theme", "light"],
        ["--orientation", 7],
        ["--no-coordinates"],
        ["--window", "e5:3"],
        ["--overlay", "legal"],
        ["--turn", 5, "--preview", "h8"],
        ["--sheet"],
    ],
    ids=lambda options: options[0] + str(options[1:]),
)
def test_every_option_makes_another_picture(run: Run, record: Path, tmp_path: Path, options: list[object]) -> None:
    plain, other = tmp_path / "plain.png", tmp_path / "other.png"
    assert run(record, "-o", plain)[0] == 0
    assert run(record, "-o", other, *options)[0] == 0
    assert plain.read_bytes() != other.read_bytes()


def test_a_record_becomes_an_animated_picture(run: Run, record: Path) -> None:
    assert run(record, "--animation")[0] == 0
    with Image.open(record.with_suffix(".gif")) as image:
        assert getattr(image, "n_frames", 1) == 6


def test_a_position_in_words(run: Run, record: Path) -> None:
    assert "Game over: Light won by resignation." in run(record, "--words")[1]
    assert "Light to play." in run(record, "--words", "--turn", 2)[1]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--turn", 7], "the game has 6 turns"),
        (["--overlay", "roots"], "choose from legal"),
        (["--overlay", "legal:z9"], "“z9” is not a cell"),
        (["--window", "e5"], "CELL:SIZE"),
        (["--window", "e5:9"], "from 2 to 5"),
        (["--turn", 4, "--preview", "e5"], "e5 is taken"),
        (["--turn", 0, "--sheet"], "no turns yet"),
        (["--theme", "pink"], "invalid choice"),
    ],
    ids=str,
)
def test_unsuitable_options_are_refused_with_a_reason(run: Run, record: Path, options: list[object], why: str) -> None:
    status, _, output = run(record, *options)
    assert status == 2
    assert why in output
    assert not list(record.parent.glob("*.png"))


def test_help_for_the_gallery_draws_nothing(run: Run) -> None:
    status, out, _ = run("gallery", "--help")
    assert status == 0
    assert "python -m render gallery renews render/README.md" in out
    assert run("gallery", "--pink")[0] == 2


def test_files_without_a_record_are_refused(run: Run, tmp_path: Path) -> None:
    assert "No such file" in run(tmp_path / "none.txt")[2]
    wrong = tmp_path / "wrong.txt"
    wrong.write_bytes(b"\xff\xfe\x00")
    assert run(wrong)[0] == 2
    wrong.write_text("hello", encoding="utf-8")
    assert "the tag Game is missing" in run(wrong)[2]


def test_long_work_shows_a_progress_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr("render.__main__._PATIENCE", -1.0)
    assert list(progress("abc", 3)) == ["a", "b", "c"]
    assert terminal.getvalue().endswith(f"[{'#' * 40}] 3/3\n")

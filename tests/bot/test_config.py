"""The settings: where they come from, what is said when they are wrong, and that the page for operators lists them."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
from contextlib import nullcontext
from datetime import timedelta
from pathlib import Path

import pytest

from bot.__main__ import main
from bot.config import Config
from tests.support.thorough import THOROUGH

ROOT = Path(__file__).parents[2]


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty folder, where the settings come from."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_without_a_token_the_bot_explains_how_to_get_one_or_do_without(
    monkeypatch: pytest.MonkeyPatch, elsewhere: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("DISCORD_TOKEN", raising=False)
    assert main() == 2
    said = capsys.readouterr().err
    assert "DISCORD_TOKEN" in said
    assert "https://discord.com/developers/applications" in said
    assert "python -m bot.playground" in said
    assert list(elsewhere.iterdir()) == []


def test_help_tells_what_the_bot_needs_and_which_other_commands_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["--help"])
    said = capsys.readouterr().out
    assert said.startswith("usage: python -m bot [-h]")
    for named in ("DISCORD_TOKEN", "bot.playground", "bot.storage", "bot.ratings"):
        assert named in said


def test_options_that_the_bot_does_not_have_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["--token", "secret"])
    assert capsys.readouterr().err.startswith("usage: python -m bot [-h]")


@pytest.mark.parametrize("program", ["bot", "bot.playground"])
def test_the_programs_can_be_run(
    monkeypatch: pytest.MonkeyPatch, elsewhere: Path, capfd: pytest.CaptureFixture[str], program: str
) -> None:
    ended: object
    if THOROUGH:  # in a process of its own, where nothing is loaded yet
        command = [sys.executable, "-m", program, "--token"]
        ended = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(ROOT)}, timeout=60, check=False).returncode
    else:
        monkeypatch.delitem(sys.modules, "bot.__main__" if program == "bot" else program, raising=False)
        monkeypatch.setattr("sys.argv", [program, "--token"])
        with pytest.raises(SystemExit) as raised:
            runpy.run_module(program, run_name="__main__")
        ended = raised.value.code
    assert ended == 2
    assert capfd.readouterr().err.startswith(f"usage: python -m {program} [-h]")


def test_a_wrong_setting_ends_the_bot_and_is_named(
    monkeypatch: pytest.MonkeyPatch, elsewhere: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    token = "never-used"
    monkeypatch.setenv("LOG_LEVEL", "LOUD")
    monkeypatch.setenv("DISCORD_TOKEN", token)
    with pytest.raises(SystemExit, match="2"):
        main([])
    said = capsys.readouterr().err
    assert said.startswith("LOG_LEVEL: ")
    assert "Traceback" not in said
    assert token not in said
    assert list(elsewhere.iterdir()) == []


def test_a_number_that_is_too_small_is_named(
    monkeypatch: pytest.MonkeyPatch, elsewhere: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CHALLENGE_HOURS", "0")
    with pytest.raises(SystemExit, match="2"):
        Config.load()
    assert capsys.readouterr().err.startswith("CHALLENGE_HOURS: ")


def test_a_wrong_setting_in_the_file_is_named_too(elsewhere: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (elsewhere / ".env").write_text("LOG_FORMAT=poetry\n", encoding="utf-8")
    with pytest.raises(SystemExit, match="2"):
        Config.load()
    assert capsys.readouterr().err.startswith("LOG_FORMAT: ")


@pytest.mark.parametrize("token", ["two words", "tokén"])
def test_what_cannot_be_a_token_is_refused_in_words(
    monkeypatch: pytest.MonkeyPatch, elsewhere: Path, capsys: pytest.CaptureFixture[str], token: str
) -> None:
    monkeypatch.setenv("DISCORD_TOKEN", token)
    assert main() == 2
    said = capsys.readouterr().err
    assert said.startswith("DISCORD_TOKEN is not a valid token")
    assert token not in said


def test_settings_come_from_the_environment(monkeypatch: pytest.MonkeyPatch, elsewhere: Path) -> None:
    monkeypatch.setenv("DISCORD_TOKEN", "hidden")
    monkeypatch.setenv("CHALLENGE_HOURS", "1.5")
    monkeypatch.setenv("LOG_FORMAT", "json")
    config = Config()
    assert config.discord_token is not None
    assert config.discord_token.get_secret_value() == "hidden"
    assert config.challenge_lifetime == timedelta(minutes=90)
    assert config.log_format == "json"
    assert "hidden" not in repr(config)


@pytest.mark.parametrize(
    ("url", "fits"),
    [
        ("https://hexgrove.example.org", True),
        ("https://hexgrove.example.org:8443", True),
        ("http://127.0.0.1:8080", True),
        ("http://localhost:8080", True),
        ("http://hexgrove.example.org", False),
        ("https://hexgrove.example.org/pages", False),
        ("https://hexgrove.example.org/", False),
        ("hexgrove.example.org", False),
    ],
)
def test_pages_have_an_encrypted_address_without_a_path(url: str, fits: bool) -> None:
    with nullcontext() if fits else pytest.raises(SystemExit):
        Config.load(web_url=url)


@pytest.mark.parametrize(
    ("proxies", "number"),
    [("10.0.0.0/8", 1), ("127.0.0.1, ::1,172.16.0.9/12", 3), ("proxy", None), ("10.0.0.0/99", None)],
)
def test_proxies_are_addresses_or_networks(proxies: str, number: int | None) -> None:
    with pytest.raises(SystemExit) if number is None else nullcontext():
        assert len(Config.load(web_proxies=proxies).proxies) == number


def test_an_empty_variable_is_as_good_as_none(monkeypatch: pytest.MonkeyPatch, elsewhere: Path) -> None:
    for name in Config.model_fields:
        monkeypatch.setenv(name.upper(), "")
    assert Config() == Config.model_construct()


def test_the_page_for_operators_lists_exactly_the_settings() -> None:
    page = (ROOT / ".github" / "OPERATIONS.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\|\s*`([A-Z_]+)`", page, re.MULTILINE)
    assert sorted(listed) == sorted(name.upper() for name in Config.model_fields)

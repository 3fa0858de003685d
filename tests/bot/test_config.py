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
from tests.support.sources import ROOT
from tests.support.thorough import THOROUGH


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
    for named in ("DISCORD_TOKEN", "bot.playground", "backup", "copy", "ratings"):
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
        ("https://hexgrove.example.org/", True),
        ('"https://hexgrove.example.org" ', True),
        ("hexgrove.example.org", False),
    ],
)
def test_pages_have_an_encrypted_address_without_a_path(url: str, fits: bool) -> None:
    with nullcontext() if fits else pytest.raises(SystemExit):
        assert Config.load(web_url=url).web_url == url.strip(' "').removesuffix("/")


def test_an_address_that_does_not_fit_is_refused_with_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        Config.load(web_url="https://hexgrove.example.org/pages")
    said = capsys.readouterr().err
    assert said.startswith("WEB_URL: ")
    assert "without a path, such as `https://hexgrove.example.org`" in said
    assert "^" not in said


@pytest.mark.parametrize(("level", "form"), [("info", "JSON"), ("Warning", "Console"), (" DEBUG\r", "'json'")])
def test_capitals_spaces_and_quotes_do_not_matter(
    monkeypatch: pytest.MonkeyPatch, elsewhere: Path, level: str, form: str
) -> None:
    monkeypatch.setenv("LOG_LEVEL", level)
    monkeypatch.setenv("LOG_FORMAT", form)
    config = Config.load()
    assert (config.log_level, config.log_format) == (level.strip().upper(), form.strip("'").lower())


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_the_file_is_read_in_the_encoding_that_an_editor_gave_it(elsewhere: Path, encoding: str) -> None:
    (elsewhere / ".env").write_bytes("LOG_LEVEL=debug\r\n# für später\r\nWEB_PORT=8080\r\n".encode(encoding))
    config = Config.load()
    assert (config.log_level, config.web_port) == ("DEBUG", 8080)


def test_a_file_that_is_no_text_is_refused_in_a_sentence(elsewhere: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (elsewhere / ".env").write_bytes(b"# f\xfcr\nLOG_LEVEL=DEBUG\n")
    with pytest.raises(SystemExit, match="2"):
        Config.load()
    assert capsys.readouterr().err == ".env: this is not plain text; save it as UTF-8\n"


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
    settings = page.partition("\n## Settings\n")[2].partition("\n## ")[0]
    listed = re.findall(r"^\|\s*`([A-Z_]+)`", settings, re.MULTILINE)
    assert sorted(listed) == sorted(name.upper() for name in Config.model_fields)

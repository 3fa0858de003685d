"""The settings: their sources, the messages about wrong ones, and their list for operators."""

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


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty folder, to which the settings file belongs."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_without_a_token_the_bot_explains_what_to_do(
    monkeypatch: pytest.MonkeyPatch, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("DISCORD_TOKEN", raising=False)
    assert main() == 2
    message = capsys.readouterr().err
    for part in ("DISCORD_TOKEN", "https://discord.com/developers/applications", "python -m bot.playground"):
        assert part in message
    assert list(folder.iterdir()) == []


def test_help_names_the_token_and_the_other_commands(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["--help"])
    message = capsys.readouterr().out
    assert message.startswith("usage: python -m bot [-h]")
    for name in ("DISCORD_TOKEN", "bot.playground", "backup", "copy", "ratings"):
        assert name in message


@pytest.mark.parametrize("program", ["bot", "bot.playground"])
def test_programs_refuse_unknown_options(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], program: str
) -> None:
    status: object
    if THOROUGH:  # in a process of its own, where nothing is loaded yet
        command = [sys.executable, "-m", program, "--token"]
        status = subprocess.run(
            command, env={**os.environ, "PYTHONPATH": str(ROOT)}, timeout=60, check=False
        ).returncode
    else:
        monkeypatch.delitem(sys.modules, "bot.__main__" if program == "bot" else program, raising=False)
        monkeypatch.setattr("sys.argv", [program, "--token"])
        with pytest.raises(SystemExit) as raised:
            runpy.run_module(program, run_name="__main__")
        status = raised.value.code
    assert status == 2
    assert capfd.readouterr().err.startswith(f"usage: python -m {program} [-h]")


def test_a_wrong_setting_ends_the_bot_with_its_name(
    monkeypatch: pytest.MonkeyPatch, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DISCORD_TOKEN", "never-used")
    monkeypatch.setenv("LOG_LEVEL", "LOUD")
    with pytest.raises(SystemExit, match="2"):
        main([])
    message = capsys.readouterr().err
    assert message.startswith("LOG_LEVEL: ")
    assert "Traceback" not in message
    assert "never-used" not in message
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("file", "message"),
    [
        (b"CHALLENGE_HOURS=0\n", "CHALLENGE_HOURS: "),
        (b"LOG_FORMAT=poetry\n", "LOG_FORMAT: "),
        (b"# f\xfcr\nLOG_LEVEL=DEBUG\n", ".env: this is not plain text; save it as UTF-8\n"),
    ],
)
def test_a_mistake_in_the_settings_file_is_named(
    folder: Path, capsys: pytest.CaptureFixture[str], file: bytes, message: str
) -> None:
    (folder / ".env").write_bytes(file)
    with pytest.raises(SystemExit, match="2"):
        Config.load()
    assert capsys.readouterr().err.startswith(message)


@pytest.mark.parametrize("token", ["two words", "tokén"])
def test_an_impossible_token_is_refused_without_repeating_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], token: str
) -> None:
    monkeypatch.setenv("DISCORD_TOKEN", token)
    assert main() == 2
    message = capsys.readouterr().err
    assert message.startswith("DISCORD_TOKEN is not a valid token")
    assert token not in message


def test_settings_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISCORD_TOKEN", "hidden")
    monkeypatch.setenv("CHALLENGE_HOURS", "1.5")
    config = Config()
    assert config.discord_token is not None
    assert config.discord_token.get_secret_value() == "hidden"
    assert config.challenge_lifetime == timedelta(minutes=90)
    assert "hidden" not in repr(config)


@pytest.mark.parametrize(
    ("url", "valid"),
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
def test_pages_need_an_encrypted_address_without_a_path(
    url: str, valid: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    with nullcontext() if valid else pytest.raises(SystemExit):
        assert Config.load(web_url=url).web_url == url.strip(' "').removesuffix("/")
    message = capsys.readouterr().err
    assert valid or message.startswith("WEB_URL: ")
    assert ("without a path, such as `https://hexgrove.example.org`" in message) is not valid
    assert "^" not in message


@pytest.mark.parametrize(("level", "form"), [("info", "JSON"), ("Warning", "Console"), (" DEBUG\r", "'json'")])
def test_capitals_spaces_and_quotes_do_not_matter(monkeypatch: pytest.MonkeyPatch, level: str, form: str) -> None:
    monkeypatch.setenv("LOG_LEVEL", level)
    monkeypatch.setenv("LOG_FORMAT", form)
    config = Config.load()
    assert (config.log_level, config.log_format) == (level.strip().upper(), form.strip("'").lower())


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_the_settings_file_may_have_the_encoding_of_any_editor(folder: Path, encoding: str) -> None:
    (folder / ".env").write_bytes("LOG_LEVEL=debug\r\n# für später\r\nWEB_PORT=8080\r\n".encode(encoding))
    config = Config.load()
    assert (config.log_level, config.web_port) == ("DEBUG", 8080)


@pytest.mark.parametrize(
    ("proxies", "number"),
    [("10.0.0.0/8", 1), ("127.0.0.1, ::1,172.16.0.9/12", 3), ("proxy", None), ("10.0.0.0/99", None)],
)
def test_proxies_are_addresses_or_networks(proxies: str, number: int | None) -> None:
    with pytest.raises(SystemExit) if number is None else nullcontext():
        assert len(Config.load(web_proxies=proxies).proxies) == number


def test_an_empty_variable_counts_as_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in Config.model_fields:
        monkeypatch.setenv(name.upper(), "")
    assert Config() == Config.model_construct()


def test_the_page_for_operators_lists_exactly_the_settings() -> None:
    page = (ROOT / ".github" / "OPERATIONS.md").read_text(encoding="utf-8")
    settings = page.partition("\n## Settings\n")[2].partition("\n## ")[0]
    listed = re.findall(r"^\|\s*`([A-Z_]+)`", settings, re.MULTILINE)
    assert sorted(listed) == sorted(name.upper() for name in Config.model_fields)

"""Which part may use which: the rules know nothing of pictures, the pictures nothing of Discord."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
STANDARD = sys.stdlib_module_names


def modules(*parts: str) -> Iterator[Path]:
    for part in parts:
        path = ROOT / part
        yield from [path] if path.suffix == ".py" else sorted(path.rglob("*.py"))


def imports(file: Path) -> set[str]:
    """The full names of the modules that a file imports, wherever in it, and of what it takes from them."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file} imports relatively"
            assert node.module is not None
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def packages(file: Path) -> set[str]:
    return {name.partition(".")[0] for name in imports(file)}


def of(prefix: str, names: set[str]) -> set[str]:
    return {name for name in names if name == prefix or name.startswith(f"{prefix}.")}


def names(files: Iterator[Path]) -> list[str]:
    return [str(file.relative_to(ROOT)) for file in files]


@pytest.mark.parametrize("file", names(modules("rules")))
def test_the_rules_need_nothing_but_python(file: str) -> None:
    assert packages(ROOT / file) - STANDARD <= {"rules"}


@pytest.mark.parametrize("file", names(modules("render")))
def test_the_pictures_need_nothing_but_pillow_and_the_rules(file: str) -> None:
    assert packages(ROOT / file) - STANDARD <= {"PIL", "render", "rules"}


@pytest.mark.parametrize("file", names(modules("bot/matches", "bot/ratings")))
def test_the_domain_knows_neither_discord_nor_sql(file: str) -> None:
    assert not packages(ROOT / file) & {"discord", "sqlalchemy", "alembic", "aiosqlite", "render"}
    inside = of("bot", imports(ROOT / file))
    assert not {name for name in inside if of("bot.commands", {name}) or of("bot.cards", {name})}


@pytest.mark.parametrize("file", names(modules("bot")))
def test_sql_is_in_the_storage_only(file: str) -> None:
    if not file.startswith("bot/storage/"):
        assert not packages(ROOT / file) & {"sqlalchemy", "alembic", "aiosqlite", "sqlite3"}


@pytest.mark.parametrize(
    "file", names(modules("bot/matches", "bot/ratings", "bot/storage", "bot/texts", "bot/settings.py", "bot/timers.py"))
)
def test_what_does_not_speak_with_discord_does_not_import_it(file: str) -> None:
    assert "discord" not in packages(ROOT / file)


@pytest.mark.parametrize("file", names(modules("bot/storage")))
def test_the_storage_knows_the_domains_values_only(file: str) -> None:
    inside = of("bot", imports(ROOT / file))
    values = (
        "bot.storage",
        "bot.matches.model",
        "bot.matches.clocks",
        "bot.matches.limits",
        "bot.ratings.model",
        "bot.ratings.formula",
    )
    assert all(any(of(each, {name}) for each in values) for name in inside)


def test_there_is_something_to_check() -> None:
    for part in ("rules", "render", "bot", "bot/matches", "bot/storage", "bot/cards", "bot/commands"):
        assert list(modules(part))

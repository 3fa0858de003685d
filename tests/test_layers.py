"""The map of the house: which room may use which, what loads with each, and no circles anywhere."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from tests.support.sources import ROOT, files

#: The rooms of the adapter for Discord, from the lowest to the highest; each uses only those before it.
DISCORD_ROOMS = [f"bot.discord.{room}" for room in ("ui", "transport", "interaction", "posting", "features", "gateway")]
#: What all of them but the lowest may use.
BELOW_DISCORD = {
    "bot.domain",
    "bot.pictures",
    "bot.runtime",
    "bot.services",
    "bot.storage.failures",
    "bot.texts",
    "bot.wording",
    "rules",
    "rules.search",
    "discord",
    "structlog",
}
#: The rooms of the pages, likewise.
WEB_ROOMS = [f"bot.web.{room}" for room in ("html", "http", "board", "api", "pages")]
BELOW_WEB = {
    "bot.domain",
    "bot.pictures",
    "bot.runtime",
    "bot.services",
    "bot.storage.failures",
    "bot.texts",
    "bot.wording",
    "render",
    "rules",
    "aiohttp",
    "babel",
    "markupsafe",
    "structlog",
}
#: Each room with the rooms and the packages that its files may import, themselves and the standard library aside.
ROOMS: dict[str, set[str]] = {
    "rules": set(),
    "rules.search": {"rules"},
    "rules.search.workshop": {"rules", "rules.search"},
    "render": {"rules", "PIL"},
    "bot.domain": {"rules", "rules.search"},
    "bot.config": {"rules", "pydantic", "pydantic_settings"},
    "bot.texts": {"rules", "babel", "bot.domain"},
    "bot.storage": {"bot.domain", "rules", "sqlalchemy", "alembic", "aiosqlite"},
    "bot.storage.failures": {"bot.domain", "rules", "sqlalchemy"},
    "bot.runtime": {"bot.config", "bot.domain", "bot.storage", "aiohttp", "prometheus_client", "structlog"},
    "bot.services": {
        "bot.storage",
        "bot.domain",
        "bot.runtime",
        "rules",
        "rules.search",
        "openskill",
        "structlog",
    },
    "bot.computer": {"bot.services", "bot.runtime", "bot.domain", "rules", "rules.search", "structlog"},
    "bot.wording": {
        "bot.domain",
        "bot.texts",
        "render",
        "rules",
        "rules.search",
        "anyascii",
        "babel",
        "markdown_it",
        "markupsafe",
    },
    "bot.pictures": {"bot.domain", "bot.texts", "bot.wording", "render", "rules"},
    "bot.discord.ui": {
        "bot.domain",
        "bot.pictures",
        "bot.texts",
        "bot.wording",
        "render",
        "rules",
        "discord",
        "markupsafe",
    },
    "bot.discord.transport": {*BELOW_DISCORD, "bot.discord.ui", "aiohttp"},
    "bot.discord.interaction": {*BELOW_DISCORD, "bot.storage", "render", *DISCORD_ROOMS[:2]},
    "bot.discord.posting": {*BELOW_DISCORD, "render", *DISCORD_ROOMS[:3]},
    "bot.discord.features": {*BELOW_DISCORD, "bot.storage", "render", *DISCORD_ROOMS[:4]},
    "bot.discord.gateway": {*BELOW_DISCORD, "bot.storage", "aiohttp", *DISCORD_ROOMS[:5]},
    "bot.web.html": {*BELOW_WEB, "jinja2", "markdown_it"},
    "bot.web.http": {*BELOW_WEB, *WEB_ROOMS[:1]},
    "bot.web.board": {*BELOW_WEB, *WEB_ROOMS[:2]},
    "bot.web.api": {*BELOW_WEB, *WEB_ROOMS[:3]},
    "bot.web.pages": {*BELOW_WEB, *WEB_ROOMS[:4]},
    "bot.web": {"bot.runtime", "bot.services", *WEB_ROOMS, "aiohttp"},
    "bot.app": {
        "bot.computer",
        *DISCORD_ROOMS,
        "bot.web",
        *WEB_ROOMS,
        "bot.services",
        "bot.storage",
        "bot.domain",
        "bot.config",
        "bot.runtime",
        "bot.texts",
        "render",
    },
    "bot.operator": {"bot.services", "bot.storage", "bot.domain", "bot.config", "rules"},
    "bot.playground": {
        "bot.app",
        *DISCORD_ROOMS,
        "bot.services",
        "bot.storage",
        "bot.domain",
        "bot.config",
        "bot.runtime",
        "bot.texts",
        "discord",
        "simcord",
    },
    "bot.__main__": {
        "bot.app",
        "bot.config",
        "bot.operator",
        "bot.runtime",
        "bot.storage",
        "discord",
        "aiohttp",
        "structlog",
        "uvloop",
    },
}
#: What only Discord needs to remember (which message shows what, threads, registered commands) belongs to no service:
#: these files of ``bot/discord`` read and write it themselves, and no others.
KEEPERS = {
    f"bot.discord.{name}"
    for name in (
        "features.challenges.welcome",
        "gateway.backlog",
        "gateway.lifecycle",
        "gateway.registration",
        "interaction.access",
    )
}
#: What must not load with a room, through however many imports.
NEVER_LOADED: dict[str, set[str]] = {
    "bot.domain": {"sqlalchemy", "alembic", "discord", "openskill", "PIL", "babel"},
    "bot.storage": {"discord", "PIL", "openskill"},
    "bot.runtime": {"discord", "PIL", "babel", "openskill"},
    "bot.services": {"discord", "PIL", "babel"},
    "bot.wording": {"discord", "sqlalchemy"},
    "bot.pictures": {"discord", "sqlalchemy"},
    **{room: {"discord"} for room in ("bot.web", *WEB_ROOMS)},
    "bot.computer.worker": {"sqlalchemy", "discord", "PIL", "babel", "openskill", "structlog"},
}


#: An import, which ruff keeps on a line of its own, or between parentheses: parsing all files would take far longer.
IMPORT = re.compile(r"^ *(?:import|from (\S+) import) (?:\(([^)]*)\)|(.+))", re.MULTILINE)


def named(file: Path) -> Iterator[tuple[str, str]]:
    """What a file imports, wherever in it and for whatever reason: each module with the name that is taken from it."""
    for found in IMPORT.finditer(file.read_text(encoding="utf-8")):
        for node in ast.parse(found[0].strip()).body:
            if isinstance(node, ast.Import):
                yield from ((alias.name, "") for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{file} imports relatively"
                assert node.module is not None
                yield from ((node.module, alias.name) for alias in node.names)


@cache
def imports(module: str) -> frozenset[str]:
    """The modules of the project that a module imports, by their full names, and the packages of others."""
    found: set[str] = set()
    for name, taken in named(files()[module]):
        inner = f"{name}.{taken}"
        found.add(inner if inner in files() else name)
    ours = {name for name in found if name in files()} - {module}
    others = {name.partition(".")[0] for name in found - ours}
    return frozenset(ours | (others - set(sys.stdlib_module_names) - {"rules", "render", "bot"}))


def room_of(name: str) -> str:
    """The innermost room that a module stands in; a package of others is its own."""
    fitting = [room for room in ROOMS if name == room or name.startswith(f"{room}.")]
    return max(fitting, key=len, default=name)


def loaded(module: str) -> Iterator[str]:
    """Everything that is imported with a module."""
    seen: set[str] = set()
    ahead = [module]
    while ahead:
        at = ahead.pop()
        if at not in seen:
            seen.add(at)
            yield at
            if at in files():
                ahead += imports(at)


def test_every_file_stands_in_a_room_and_imports_what_the_room_may() -> None:
    wrong = [
        f"{module} imports {name}"
        for module in files()
        if module not in {"bot", "bot.discord"}
        for name in imports(module)
        if room_of(name) not in ROOMS.get(room_of(module), set()) | {room_of(module)}
        # A room may use the rooms inside it, as a package does.
        and not room_of(name).startswith(f"{room_of(module)}.")
    ]
    assert wrong == []


def test_discord_goes_through_the_services_but_for_its_own_records() -> None:
    inside = {module for module in files() if room_of(module) in DISCORD_ROOMS}
    assert {module for module in inside if "bot.storage" in map(room_of, imports(module))} <= KEEPERS


def test_no_file_imports_itself_by_way_of_others() -> None:
    # A package's own __init__ gathers what its modules define, so it is not followed from inside the package.
    graph = {
        module: {name for name in imports(module) if name in files() and not module.startswith(f"{name}.")}
        for module in files()
    }
    TopologicalSorter(graph).prepare()


@pytest.mark.parametrize("room", NEVER_LOADED)
def test_nothing_heavy_loads_by_way_of_others(room: str) -> None:
    for module in files():
        if room_of(module) == room or module == room:
            assert NEVER_LOADED[room].isdisjoint(loaded(module)), module


def test_tests_share_nothing_but_what_the_support_package_holds() -> None:
    wrong = [
        f"{file.relative_to(ROOT)} imports {name}"
        for file in sorted((ROOT / "tests").rglob("*.py"))
        for name in (f"{module}.{taken}" for module, taken in named(file))
        if name.startswith("tests.") and not name.startswith(("tests.support.", "tests.benchmarks."))
    ]
    assert wrong == []


@pytest.mark.parametrize(
    "room",
    [
        "rules",
        "render",
        "bot.domain",
        "bot.storage",
        "bot.runtime",
        "bot.services",
        "bot.wording",
        *WEB_ROOMS,
        *DISCORD_ROOMS,
    ],
)
def test_there_is_something_to_check(room: str) -> None:
    assert [module for module in files() if room_of(module) == room]

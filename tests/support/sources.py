"""The modules of the project."""

from __future__ import annotations

from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]


def name_of(file: Path) -> str:
    return ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@cache
def files() -> dict[str, Path]:
    """All modules of the project by name, without migrations, which nothing imports."""
    found = [file for room in ("rules", "render", "bot") for file in sorted((ROOT / room).rglob("*.py"))]
    return {name_of(file): file for file in found if "migrations" not in file.parts}

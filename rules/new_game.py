"""The skeleton of a new game, for ``python -m rules new-game``, run in a clone: a copy of the smallest toy game of the
tests, which can be played at once, with its pictures, pages and lines in the registries.
"""

from __future__ import annotations

import keyword
import re
from pathlib import Path

#: The folder of the clone, and the toy game in it.
ROOT = Path(__file__).parents[1]
_TOY = Path("tests", "support", "tern")
_THEMES = Path("render", "games", "dalen", "theme.py")
#: These files of the toy game are about pictures.
_PICTURES = ("face.py", "example.txt")
_NAME = re.compile(r"[a-z]{2,20}")
_TOY_NAME = re.compile(r"\b[Tt]ern(?=Face\b|\b)")


def make(name: str, root: Path = ROOT) -> list[Path]:
    """Write the files of a game, add it to the registries, and return what was written, relative to ``root``.

    Raises ``ValueError`` if there cannot be a game of that name.
    """
    if not _NAME.fullmatch(name) or keyword.iskeyword(name):
        raise ValueError(f"“{name}” cannot name a game: 2 to 20 small letters from a to z can")
    rules, pictures = Path("rules", name), Path("render", "games", name)
    if any((root / path).exists() for path in (rules, rules.with_suffix(".py"), pictures)):
        raise ValueError(f"there is already something named “{name}” in rules or render/games")
    if not (root / _TOY).is_dir():
        raise ValueError("a new game is made in a clone of the repository, from a game of its tests")
    themes = (root / _THEMES).read_text(encoding="utf-8")
    written = {
        pictures / "__init__.py": "",
        pictures / "theme.py": re.sub('^""".*?"""', f'"""{name.title()}\'s colours."""', themes, flags=re.DOTALL),
    }
    for file in sorted((root / _TOY).rglob("*.*")):
        if file.suffix in {".py", ".md", ".txt"}:
            within = file.relative_to(root / _TOY)
            folder = pictures if within.name in _PICTURES else rules
            written[folder / within] = _renamed(file.read_text(encoding="utf-8"), name)
    for path, text in written.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return [*written, *_register(name, root)]


def _renamed(text: str, name: str) -> str:
    text = text.replace("tests.support.tern", f"rules.{name}")
    text = text.replace("render.games.dalen", f"render.games.{name}")
    return _TOY_NAME.sub(lambda toy: name.title() if toy[0].istitle() else name, text)


def _register(name: str, root: Path) -> list[Path]:
    """Add the lines of the game to both registries."""
    title = name.title()
    registries = {
        Path("rules", "games.py"): (f"from rules.{name} import {title}", "\n    )\n", f"        {title},"),
        Path("render", "games", "__init__.py"): (
            f"from render.games.{name}.face import {title}Face",
            "\n}\n",
            f'    "{name}": {title}Face(),',
        ),
    }
    for path, (imported, end, entry) in registries.items():
        text = (root / path).read_text(encoding="utf-8").replace(end, f"\n{entry}{end}", 1)
        package, _, _ = imported.partition(".")
        imports = [line for line in text.splitlines() if line.startswith(f"{package}.")]
        text = text.replace("\n".join(imports), "\n".join(sorted([*imports, imported])), 1)
        (root / path).write_text(text, encoding="utf-8")
    return list(registries)

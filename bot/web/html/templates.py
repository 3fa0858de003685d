"""HTML from templates, and the files that all pages share."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from bot.texts import current_language
from bot.wording.sentence import gettext, ngettext

_HERE = Path(__file__).parent.parent
_STATIC = _HERE / "static"
#: The types of static files. Scripts are embedded in pages instead.
_TYPES = {".css": "text/css", ".svg": "image/svg+xml"}
#: The scripts embedded in pages: for a board, and for the pages as a Discord Activity.
SCRIPT, ACTIVITY_SCRIPT = "board.js", "activity.js"


@cache
def environment() -> Environment:
    """The environment of the templates: it refuses unknown names and escapes every value."""
    made = Environment(
        loader=FileSystemLoader(_HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals.update(
        _=gettext,
        ngettext=ngettext,
        static=static_address,
        script=_script(SCRIPT),
        activity_script=_script(ACTIVITY_SCRIPT),
        language=current_language,
    )
    return made


def render(template: str, **values: object) -> str:
    """The HTML of a template in the current language."""
    return environment().get_template(template).render(values)


def _script(name: str) -> Markup:
    return Markup((_STATIC / name).read_text(encoding="utf-8"))  # noqa: S704


@cache
def stylesheet() -> str:
    """The stylesheet of all pages."""
    return (_STATIC / "page.css").read_text(encoding="utf-8")


@cache
def static_files() -> dict[str, tuple[str, bytes]]:
    """The types and contents of static files, by names that change with the content."""
    files = {}
    for file in sorted(_STATIC.iterdir()):
        if file.suffix in _TYPES:
            content = file.read_bytes()
            name = f"{file.stem}-{hashlib.sha256(content).hexdigest()[:12]}{file.suffix}"
            files[name] = _TYPES[file.suffix], content
    return files


@cache
def static_address(name: str) -> str:
    """The address of a static file."""
    stem, _dot, suffix = name.partition(".")
    return next(f"/static/{file}" for file in static_files() if file.startswith(f"{stem}-") and file.endswith(suffix))

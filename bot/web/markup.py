"""HTML from the Markdown of sentences, in which players, turns and sides are written."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from babel.dates import format_timedelta
from markupsafe import Markup, escape

from bot.texts import current_language

_TOKEN = re.compile(
    r"\\(?P<literal>[^0-9A-Za-z\s])"
    r"|`(?P<code>[^`\n]*)`"
    r"|\*\*(?=\S)(?P<strong>(?:\\.|[^*\\]|\*(?!\*))+)(?<=\S)\*\*"
    r"|\*(?=[^\s*])(?P<em>(?:\\.|[^*\\\n])+)(?<=\S)\*"
    r"|\[(?P<label>(?:\\.|[^\]\\\n])+)\]\((?P<href>[^)\s]+)\)"
    r"|<t:(?P<time>[0-9]{1,12}):R>"
    r"|(?P<line>\n)(?:-# )?"
)
_ELEMENTS = {"code": "code", "strong": "strong", "em": "em"}


def html(text: str) -> Markup:
    """A sentence, or several lines of them, as HTML."""
    parts, at = [], 0
    for found in _TOKEN.finditer(text):
        parts.append(escape(text[at : found.start()]))
        parts.append(_element(found))
        at = found.end()
    return Markup().join([*parts, escape(text[at:])])


def _element(found: re.Match[str]) -> Markup:
    kind = found.lastgroup or ""
    if kind == "literal":
        return escape(found[kind])
    if kind == "line":
        return Markup("<br>")
    if kind == "time":
        at = datetime.fromtimestamp(int(found[kind]), UTC)
        ahead = format_timedelta(at - datetime.now(UTC), add_direction=True, locale=current_language())
        return Markup('<time datetime="{}">{}</time>').format(at.isoformat(), ahead)
    if kind == "href":
        # Links of sentences lead to Discord, which the page itself never loads.
        return html(found["label"])
    inner = escape(found[kind]) if kind == "code" else html(found[kind])
    return Markup("<{0}>{1}</{0}>").format(_ELEMENTS[kind], inner)

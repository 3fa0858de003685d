"""HTML from the Markdown of sentences about players, turns and sides."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime

from babel.dates import format_timedelta
from markupsafe import Markup, escape

from bot.texts import current_language
from bot.wording import words

_TOKEN = re.compile(
    r"\\(?P<literal>[^0-9A-Za-z\s])"
    r"|`(?P<code>[^`\n]*)`"
    r"|\*\*(?=\S)(?P<strong>(?:\\.|[^*\\]|\*(?!\*))+)(?<=\S)\*\*"
    r"|\*(?=[^\s*])(?P<em>(?:\\.|[^*\\\n])+)(?<=\S)\*"
    r"|\[(?P<label>(?:\\.|[^\]\\\n])+)\]\((?P<href>[^)\s]+)\)"
    r"|<t:(?P<time>[0-9]{1,12}):R>"
    r"|(?P<command></[a-z -]{1,99}:[0-9]{1,20}>)"
    r"|(?P<place><(?:#|@[!&]?)[0-9]{1,20}>)"
    r"|(?P<line>\n)(?:-# )?"
)
#: The beginning of a list item.
_ITEM = re.compile(r" *(?:[-*]|[0-9]+[.]) +")
_ELEMENTS = {"code": "code", "strong": "strong", "em": "em"}


def nowhere(_target: str) -> None:
    """Return no address: links in sentences lead to Discord."""


def html(text: str, link: Callable[[str], str | None] = nowhere) -> Markup:
    """Sentences, on one or several lines, as HTML; ``link`` returns the address for a link's target, or None."""
    pieces, at = [], 0
    for found in _TOKEN.finditer(text):
        pieces.append(escape(text[at : found.start()]))
        pieces.append(_element(found, link))
        at = found.end()
    return Markup().join([*pieces, escape(text[at:])])


def blocks(text: str, link: Callable[[str], str | None]) -> Markup:
    """Paragraphs, lists and tables of a rule page as HTML."""
    return Markup("\n").join(_block(each.split("\n"), link) for each in re.split(r"\n{2,}", text.strip()))


def _block(lines: list[str], link: Callable[[str], str | None]) -> Markup:
    if lines[0].startswith("|"):
        return _table(lines, link)
    begins = _ITEM.match(lines[0])
    if begins is None:
        at = next((number for number, line in enumerate(lines) if _ITEM.match(line)), len(lines))
        paragraph = Markup("<p>{}</p>").format(html(" ".join(lines[:at]), link))
        return paragraph + _block(lines[at:], link) if at < len(lines) else paragraph
    items: list[str] = []
    for line in lines:
        found = _ITEM.match(line)
        if found is None:
            items[-1] += f" {line.strip()}"
        else:
            items.append(line[found.end() :])
    kind = "ol" if begins[0][0].isdigit() else "ul"
    inner = Markup().join(Markup("<li>{}</li>").format(html(item, link)) for item in items)
    return Markup("<{0}>{1}</{0}>").format(kind, inner)


def _table(lines: list[str], link: Callable[[str], str | None]) -> Markup:
    head, _line, *rows = ([html(cell.strip(), link) for cell in line.strip("|").split("|")] for line in lines)
    first = Markup().join(Markup('<th scope="col">{}</th>').format(cell) for cell in head)
    others = Markup().join(
        Markup("<tr>{}</tr>").format(Markup().join(Markup("<td>{}</td>").format(cell) for cell in row)) for row in rows
    )
    return Markup('<div class="wide-table" tabindex="0"><table><tr>{}</tr>{}</table></div>').format(first, others)


def _element(found: re.Match[str], link: Callable[[str], str | None]) -> Markup:
    kind = found.lastgroup or ""
    if kind == "literal":
        return escape(found[kind])
    if kind == "line":
        return Markup("<br>")
    if kind == "command":
        return Markup("<code>{}</code>").format(words.plain(found[kind]))
    if kind == "place":
        return Markup("Discord")
    if kind == "time":
        at = datetime.fromtimestamp(int(found[kind]), UTC)
        ahead = format_timedelta(at - datetime.now(UTC), add_direction=True, locale=current_language())
        return Markup('<time datetime="{}">{}</time>').format(at.isoformat(), ahead)
    if kind == "href":
        address = link(found["href"])
        inner = html(found["label"], link)
        return inner if address is None else Markup('<a href="{}">{}</a>').format(address, inner)
    inner = escape(found[kind]) if kind == "code" else html(found[kind], link)
    return Markup("<{0}>{1}</{0}>").format(_ELEMENTS[kind], inner)

"""HTML for rule pages and for times."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import unquote

from babel.dates import format_timedelta
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markupsafe import Markup

from bot.texts import current_language

_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")


def blocks(text: str, link: Callable[[str], str | None]) -> Markup:
    """Part of a rule page as HTML; ``link`` returns the address of a link's target, or None to show plain text."""
    return Markup(_MARKDOWN.render(text, {"link": link}))  # noqa: S704


def relative(at: datetime) -> Markup:
    """A time relative to now."""
    ahead = format_timedelta(at - datetime.now(UTC), add_direction=True, locale=current_language())
    return Markup('<time datetime="{}">{}</time>').format(at.isoformat(), ahead)


def _link(_self: RendererHTML, tokens: Sequence[Token], at: int, _options: Any, env: Any) -> str:
    if tokens[at].nesting > 0:
        env["address"] = env["link"](unquote(str(tokens[at].attrs["href"])))
        return "" if env["address"] is None else Markup('<a href="{}">').format(env["address"])
    return "" if env["address"] is None else "</a>"


def _table(_self: RendererHTML, tokens: Sequence[Token], at: int, _options: Any, _env: Any) -> str:
    return '<div class="wide-table" tabindex="0"><table>' if tokens[at].nesting > 0 else "</table></div>"


for _rule in ("link_open", "link_close"):
    _MARKDOWN.add_render_rule(_rule, _link)
for _rule in ("table_open", "table_close"):
    _MARKDOWN.add_render_rule(_rule, _table)

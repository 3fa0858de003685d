"""A small model of Discord's Markdown."""

from __future__ import annotations

import re

#: Discord's syntax, in order of precedence. A backslash escapes what follows it.
_RULES = [
    (kind, re.compile(pattern))
    for kind, pattern in (
        ("text", r"\\([^0-9A-Za-z\s])"),
        ("code", r"(`+)(?:[\s\S]*?[^`])\1(?!`)"),
        ("address", r"<(?:https?|steam|discord|mailto|tel|sms):[^\s>]+>"),
        ("mention", r"<(?:@[!&]?\d+|#\d+|/[^:>]+:\d+|id:\w+|t:-?\d+(?::\w)?|a?:\w+:\d+)>"),
        ("address", r"(?:https?|steam|discord)://\S"),
        ("mail", r"[\w.+-]+@[\w-]+\.\w+"),
        ("link", r"\[[\s\S]*?\]\([\s\S]*?\)"),
        ("mark", r"\*\*|\*|__|_|~~|\|\|"),
    )
]
_LINE_STARTS = re.compile(r"#{1,3} |-# |[-*] |\d+\. |>>> |> ", re.ASCII)
_EVERYBODY = re.compile("@(?:everyone|here)")


def rendered(text: str) -> tuple[list[str], str]:
    """The formatted parts of a message, in order, and its plain text."""
    parts, letters, at = [f"call {name}" for name in _EVERYBODY.findall(text)], "", 0
    while at < len(text):
        if at == 0 or text[at - 1] == "\n":
            start = _LINE_STARTS.match(text, at)
            if start:
                parts.append(f"line {start[0]}")
                at = start.end()
                continue
        tried = ((kind, pattern.match(text, at)) for kind, pattern in _RULES)
        kind, found = next((match for match in tried if match[1]), ("", None))
        if found is None:
            parts += ["break"] if text[at] == "\n" else []
            letters += text[at]
            at += 1
            continue
        if kind == "text":
            letters += found[1]
        else:
            parts.append(f"{kind} {found[0]}")
        at = found.end()
    return parts, letters


def codes(text: str) -> list[str]:
    """The code in a message, as people see it."""
    return [part.removeprefix("code ").strip("`") for part in rendered(text)[0] if part.startswith("code ")]

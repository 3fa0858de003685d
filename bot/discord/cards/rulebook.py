"""The rule pages, cut into leaves that fit on a phone, with their examples as pictures."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import discord

import render
import rules
from bot.discord.cards.words import plain
from bot.discord.messages import ActionButton, Message, Picture, Press, compose, option_menu
from bot.texts import gettext as _
from rules import Event, Position
from rules.pages import COMMON, Example, Section, sections

#: The most that a leaf holds: characters of text, and pictures; but no paragraph or example is ever cut.
_TEXT, _PICTURES = 1400, 2
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
#: Where a text may be cut: between paragraphs, and before an item of a list.
_BREAK = re.compile(r"\n\n|\n(?=- |\d+\. )")
_TABLE = re.compile(r"(?:^\|.*\|\n?)+", re.MULTILINE)
_ITEM = re.compile(r"- |\d+\. ")
#: Claims that a picture shows better, besides those about the stones of each side.
_SEEN = {"turns", "to play", "after"}
#: The page that all games share, in the ids of buttons.
SHARED = "common"


@dataclass(frozen=True)
class Leaf:
    """The part of a section of a rule page that is shown at once."""

    section: Section
    parts: tuple[str | Example, ...]


def name_of(page: str) -> str:
    """Return the rule page that a button or choice stands for."""
    return COMMON if page == SHARED else page


def choices() -> dict[str, str]:
    """Return the titles of the rule pages, by their names in buttons and choices."""
    return {**{name: game.title for name, game in rules.GAMES.items()}, SHARED: _("What all games share")}


@cache
def leaves(page: str) -> tuple[Leaf, ...]:
    """Return the leaves of a rule page."""
    return tuple(leaf for section in sections(page) for leaf in _cut(section))


def contents(name: str) -> dict[int, str]:
    """Return the titles of a page's sections, by the number of the leaf on which each begins."""
    found = leaves(name_of(name))
    starts = (at for at in range(len(found)) if at == 0 or found[at].section is not found[at - 1].section)
    return {at: title_of(found[at]) for at in starts}


def leaf_of(rule: str) -> tuple[str, int, str]:
    """Return the page, leaf and title that a link such as ``dalen.md#passing`` leads to."""
    page, _, anchor = rule.partition(".md#")
    for number, leaf in enumerate(leaves(page)):
        if leaf.section.anchor == anchor:
            return SHARED if page == COMMON else page, number, title_of(leaf)
    raise LookupError(rule)


def title_of(leaf: Leaf) -> str:
    return plain(leaf.section.title)


def rule_button(rule: str) -> ActionButton:
    """The button that opens the rule by which something was refused."""
    name, number, title = leaf_of(rule)
    return ActionButton(Press("rule", number, 0, name), _("Rule: {title}").format(title=title)[:80], emoji="📖")


def leaf_card(name: str, number: int, look: render.Look, *, english: bool) -> Message:
    """A leaf with its pictures, and the way to the others.

    ``english`` is whether the reader's language is English, in which the pages are written. Drawing takes a while, so
    call this outside the event loop.
    """
    found = leaves(name_of(name))
    number = min(number, len(found) - 1)
    leaf = found[number]
    starts = contents(name)
    here = max(at for at in starts if at <= number)
    menu = option_menu(
        Press("rules-section", 0, 0, name),
        [
            discord.SelectOption(label=title[:100], value=str(at), default=at == here)
            for at, title in list(starts.items())[:25]
        ],
        _("Sections"),
    )
    game = "" if leaf.section.level == 1 else f"{choices()[name]} · "
    page = _("Page {number} of {pages}").format(number=number + 1, pages=len(found))
    note = "" if english else _("These pages are only available in English so far.")
    back, forth = max(0, number - 1), min(number + 1, len(found) - 1)
    return compose(
        f"### 📖 {game}{leaf.section.title}",
        *_shown(leaf, f"{name}-{number}", look),
        footer=" · ".join(filter(None, [page, note])),
        menus=(menu,),
        buttons=(
            ActionButton(Press("rules", back, 0, f"{name}.back"), "◀", disabled=back == number),
            ActionButton(Press("rules", forth, 0, f"{name}.forth"), "▶", disabled=forth == number),
        ),
    )


def _shown(leaf: Leaf, filename: str, look: render.Look) -> Iterator[str | Picture]:
    """Yield the texts and pictures of a leaf in order."""
    for at, part in enumerate(leaf.parts):
        if isinstance(part, str):
            yield part
            continue
        position, said, turns = part.position(), _said(part), part.turns()
        yield _picture(position, (), f"{filename}-{at}.png", look)
        for number, claims in enumerate(said):
            if number and number == len(turns):
                *before, last = turns
                for turn in before:
                    position, _ = position.play(turn)
                yield _picture(*position.play(last), f"{filename}-{at}-after.png", look)
            if claims:
                yield f"-# {' · '.join(claims)}"


def _said(example: Example) -> list[list[str]]:
    """Return the claims on the position, then those on each turn, without what the pictures show."""
    said: list[list[str]] = [[]]
    for what, value in example.claims:
        if what == "turn":
            said.append([f"**{value}**"])
        elif what not in _SEEN.union(example.ruleset.game.sides):
            said[-1].append(f"{what}: {value}")
    return said


def _picture(position: Position, events: tuple[Event, ...], filename: str, look: render.Look) -> Picture:
    shown = (position, events, None, look)
    return Picture(filename, render.picture(*shown), render.describe(*shown))


def _cut(section: Section) -> Iterator[Leaf]:
    """Cut a section into leaves, each with as much as it can hold."""
    parts: list[str | Example] = []
    for part in section.parts:
        for piece in [part] if isinstance(part, Example) else _paragraphs(part):
            if parts and not _has_room([*parts, piece]):
                kept: list[str | Example] = []
                final = parts[-1]
                if isinstance(piece, Example) and isinstance(final, str) and final.endswith(":"):
                    before, _, announcing = final.rpartition("\n\n")
                    parts, kept = [*parts[:-1], *filter(None, [before])], [announcing]
                if parts:
                    yield Leaf(section, tuple(parts))
                parts = kept
            last = parts[-1] if parts else None
            if isinstance(last, str) and isinstance(piece, str):
                in_list = _ITEM.match(piece) and _ITEM.match(last.rpartition("\n")[2])
                parts[-1] = f"{last}\n{piece}" if in_list else f"{last}\n\n{piece}"
            else:
                parts.append(piece)
    if parts or section.level > 1:
        yield Leaf(section, tuple(parts))


def _has_room(parts: list[str | Example]) -> bool:
    texts = sum(len(part) for part in parts if isinstance(part, str))
    pictures = sum(2 if part.turns() else 1 for part in parts if isinstance(part, Example))
    return texts <= _TEXT and pictures <= _PICTURES


def _paragraphs(text: str) -> Iterator[str]:
    """Yield the paragraphs, list items and tables of a text, each on one line, because Discord keeps line breaks."""
    for block in _BREAK.split(_without_tables(_LINK.sub(r"\1", text))):
        quote = block.startswith("> ")
        lines = (line.strip().removeprefix("> " if quote else "") for line in block.split("\n"))
        yield ("> " if quote else "") + " ".join(lines)


def _without_tables(text: str) -> str:
    """Turn tables, which Discord does not have, into lists; each item begins with the first cell of its row."""
    return _TABLE.sub(lambda found: _as_list(found[0].strip().split("\n")) + "\n", text)


def _as_list(rows: list[str]) -> str:
    head, _, *body = ([cell.strip() for cell in row.strip("| ").split("|")] for row in rows)
    head = head[-len(body[0]) :]  # the first cell of a head may be empty
    items = []
    for name, *cells in body:
        titles = head[-len(cells) :]
        said = cells if len(cells) == 1 else [f"{title}: {cell}" for title, cell in zip(titles, cells, strict=True)]
        items.append(f"- **{name}** · {' · '.join(said)}")
    return "\n".join(items)

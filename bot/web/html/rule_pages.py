"""The sections of rule pages, and the pictures of their examples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from markupsafe import Markup

import render
import rules
from bot import texts
from bot.texts import current_language
from bot.web.html.markup import blocks
from bot.wording.examples import Illustration, illustrations
from bot.wording.sentence import Sentence
from render.geometry import board_geometry
from rules.pages import COMMON, RULES, Example, anchor_of, linked, sections

#: The address of the page about all games; the pages of the games are below it.
ADDRESS = "/rules"


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture of an example, with its number on the page, its description and its captions."""

    number: int
    description: str
    captions: tuple[Sentence, ...]
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class PageSection:
    """A section of a page, as HTML and figures."""

    title: Sentence
    anchor: str
    level: int
    content: tuple[Markup | Figure, ...]


def page_of(game: str) -> str:
    """The name of a rule page. Raises ``KeyError`` for an unknown game."""
    if not game:
        return COMMON
    return f"{rules.GAMES[game].name}{RULES}"


def sections_of(page: str) -> list[PageSection]:
    """The sections of a page in the current language."""
    numbers = iter(range(1000))
    return [
        PageSection(
            Sentence(section.title),
            section.anchor,
            section.level,
            tuple(item for piece in section.content for item in _content(page, piece, numbers)),
        )
        for section in sections(page, current_language())
    ]


def _content(page: str, piece: str | Example, numbers: Iterator[int]) -> Iterator[Markup | Figure]:
    if isinstance(piece, str):
        yield blocks(piece, partial(address, page))
        return
    look = render.Look(texts=texts.translations())
    for shown, captions in illustrations(piece):
        geometry = board_geometry(shown.position.ruleset.size)
        yield Figure(next(numbers), shown.describe(look), tuple(captions), geometry.width, geometry.height)


def address(page: str, target: str) -> str | None:
    """The address of a link's target; None if it is no rule page."""
    if target.startswith(("http:", "https:")):
        return target
    file, _hash, anchor = target.partition("#")
    other = linked(page, file, current_language())
    game, _slash, name = other.partition("/")
    if other != COMMON and (f"/{name}" != RULES or game not in rules.GAMES):
        return None
    where = ADDRESS if other == COMMON else f"{ADDRESS}/{game}"
    # Translations link to translated titles, but all languages have the same anchors.
    titled = sections(other, current_language())
    known = next((section.anchor for section in titled if anchor in (section.anchor, anchor_of(section.title))), "")
    return f"{where}#{known}" if known else where


def picture(page: str, number: int, theme: str, language: str) -> bytes:
    """Draw the example of a page with this number. Raises ``ValueError`` for an unknown number or theme."""
    look = render.Look(theme, texts=texts.catalogue(language))
    shown: list[Illustration] = [
        illustration
        for section in sections(page)
        for piece in section.content
        if isinstance(piece, Example)
        for illustration, _captions in illustrations(piece)
    ]
    if not 0 <= number < len(shown):
        raise ValueError(f"there is no example {number}")
    return shown[number].draw(look)

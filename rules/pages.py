"""The rule pages, written for players in Markdown: their sections, and the positions that their examples show.

An example is a fenced block that begins with the game, the size and, unless it is the standard one, the variant. It
holds the diagram, an empty line, and claims such as ``black: e4 e5``, which are read from top to bottom. Those before
the first ``turn:`` are about the position of the diagram, the others about what the last ``turn:`` did and where it
led; after ``after:`` and an empty line, the diagram of the position at the end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from rules.board import board
from rules.games import GAMES
from rules.position import Position, Ruleset
from rules.side import Side

#: The page of what all games share; the others have the names of the games.
COMMON = "README"
COMMON_FILE = Path(__file__).with_name(f"{COMMON}.md")

_EXAMPLE = re.compile(r"^```([a-z].*)\n((?s:.*?))^```$", re.MULTILINE)
_HEADING = re.compile(r"^(##+) (.*)$", re.MULTILINE)
_CONTENTS = re.compile(r"(?:^ *- \[.*\]\(#.*\)\n)+", re.MULTILINE)


@dataclass(frozen=True)
class Example:
    """A position on a page, and what is said of it: claims by what they are about, in order."""

    page: str
    line: int
    ruleset: Ruleset
    diagram: str
    claims: tuple[tuple[str, str], ...]
    diagram_after: str | None

    def position(self) -> Position:
        """The position of the diagram: where its turns lead, or with the pieces that it shows."""
        (first, said), *others = self.claims
        if first == "turns":
            return self.ruleset.replay(said.split())
        start = self.ruleset.start()
        to_play = (dict(others[::-1]) | {first: said}).get("to play", start.sides[0])
        return start.set_up(self._shown(), Side(start.sides.index(to_play)))

    def turns(self) -> tuple[str, ...]:
        """The turns that are played from the position of the diagram."""
        return tuple(said for what, said in self.claims if what == "turn")

    def _shown(self) -> dict[int, str]:
        """What stands on the cells of the diagram."""
        pieces = {}
        places = board(self.ruleset.size).diagram(lambda cell: chr(0xF0000 + cell))
        for shown, place in zip(self.diagram.split("\n"), places.split("\n"), strict=True):
            for at, mark in enumerate(place):
                if ord(mark) >= 0xF0000 and shown[at] != "·":
                    pieces[ord(mark) - 0xF0000] = shown[at]
        return pieces


@dataclass(frozen=True)
class Section:
    """A part of a page under a heading of its own; a text, or an example, after another.

    The first one has the page's title. ``level`` is 1 there, and 2 or more for what comes below it.
    """

    title: str
    level: int
    parts: tuple[str | Example, ...]

    @property
    def anchor(self) -> str:
        """The name under which the section can be linked to."""
        return re.sub(r"[^\w -]", "", self.title.lower()).replace(" ", "-")


@cache
def text(page: str) -> str:
    """The whole page in Markdown."""
    file = COMMON_FILE if page == COMMON else GAMES[page].page()
    return file.read_text(encoding="utf-8")


@cache
def sections(page: str) -> tuple[Section, ...]:
    """The sections of a page in order, without its table of contents."""
    whole = text(page)
    # Nothing in an example begins like a heading.
    headings = list(_HEADING.finditer(whole))
    title, _, _ = whole.removeprefix("# ").partition("\n")
    starts = [(title, 1, whole.index("\n")), *((each[2], len(each[1]), each.end()) for each in headings)]
    ends = [*(each.start() for each in headings), len(whole)]
    return tuple(
        Section(title, level, tuple(_parts(page, start, end)))
        for (title, level, start), end in zip(starts, ends, strict=True)
    )


def examples(page: str) -> list[Example]:
    return [part for section in sections(page) for part in section.parts if isinstance(part, Example)]


def _parts(page: str, start: int, end: int) -> Iterator[str | Example]:
    whole, at = text(page), start
    for block in _EXAMPLE.finditer(whole, start, end):
        yield from _words(whole[at : block.start()])
        yield _example(page, block)
        at = block.end()
    yield from _words(whole[at:end])


def _words(written: str) -> Iterator[str]:
    words = _CONTENTS.sub("", written).strip()
    if words:
        yield words


def _example(page: str, block: re.Match[str]) -> Example:
    game, size, variant = [*block[1].split(), "standard"][:3]
    diagram, said, *after = block[2].rstrip("\n").split("\n\n")
    claims = [line.split(":", 1) for line in said.split("\n")]
    return Example(
        page,
        block.string.count("\n", 0, block.start()) + 1,
        Ruleset(GAMES[game], int(size), variant),
        diagram,
        tuple((what, " ".join(value.split())) for what, value in claims),
        "\n\n".join(after) if after else None,
    )

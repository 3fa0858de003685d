"""The rule pages and lessons for players, in Markdown: their sections, and the positions of their examples.

A page is named after its file: the folder of a game has ``dalen/rules``, its lessons ``dalen/lessons``, and its tasks
``dalen/tasks`` (:mod:`rules.tasks`). Translations have the same names, in a folder for each language, and the same
sections in the same order. Only the English page has positions: in place of an example, a translation has a line with
just a link to that section of the English page, such as ``[Beispiel](../rules.md#passing)``.

An example is a fenced block that begins with the game, the size and, unless it is the standard one, the variant. It
contains the diagram, an empty line, and claims such as ``black: e4 e5``, in order. Claims before the first ``turn:``
are about the position of the diagram, others about the effect of the ``turn:`` before them and the position after it.
``shown:`` names the picture's overlay. The last claim may be ``after:``, followed by an empty line and the diagram of
the final position.

Notes in ``<sub>`` are not part of the text.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from rules.board import board
from rules.games import GAMES
from rules.position import Position, Ruleset, split_setup
from rules.side import Side

#: The page for all games.
COMMON = "README"
#: The language of the pages with the positions.
SOURCE = "en"
#: These follow a game's name in the names of its rule page, lessons and tasks.
RULES, LESSONS, TASKS = "/rules", "/lessons", "/tasks"

_EXAMPLE = re.compile(r"^```([a-z].*)\n((?s:.*?))^```$", re.MULTILINE)
_HEADING = re.compile(r"^(##+) (.*)$", re.MULTILINE)
_REFERENCE = re.compile(r"^\[[^\]\n]*\]\(\.\./[\w.]+\.md#[\w-]*\)$", re.MULTILINE)
#: Notes on the diagrams, for readers of the file.
_NOTE = re.compile(r"^<sub>.*?</sub>$", re.MULTILINE | re.DOTALL)
_CONTENTS = re.compile(r"(?:^ *- \[.*\]\(#.*\)\n)+", re.MULTILINE)


@dataclass(frozen=True)
class Example:
    """A position on a page, and the claims about it, as pairs of a topic and a value."""

    page: str
    line: int
    ruleset: Ruleset
    diagram: str
    claims: tuple[tuple[str, str], ...]
    diagram_after: str | None

    def position(self) -> Position:
        """The position of the diagram: the result of its turns, or a position with the pieces shown."""
        (first, said), *others = self.claims
        if first == "turns":
            return self.ruleset.replay(said.split())
        start = self.ruleset.start()
        to_play = (dict(others[::-1]) | {first: said}).get("to play", start.sides[0])
        return start.set_up(self._symbols(), Side(start.sides.index(to_play)))

    def turns(self) -> tuple[str, ...]:
        """The turns played from the position of the diagram."""
        return tuple(said for what, said in self.claims if what == "turn")

    def stages(self) -> list[dict[str, str]]:
        """The claims about the position of the diagram, then about each turn, itself under ``turn``."""
        found: list[dict[str, str]] = [{}]
        for what, said in self.claims:
            if what == "turn":
                found.append({})
            found[-1][what] = said
        return found

    def _symbols(self) -> dict[int, str]:
        pieces = {}
        layout = board(self.ruleset.size).diagram(lambda cell: chr(0xF0000 + cell))
        for shown, line in zip(self.diagram.split("\n"), layout.split("\n"), strict=True):
            for at, mark in enumerate(line):
                if ord(mark) >= 0xF0000 and shown[at] != "·":
                    pieces[ord(mark) - 0xF0000] = shown[at]
        return pieces


@dataclass(frozen=True)
class Section:
    """A page from one heading to the next: its texts and examples.

    A page begins with a section of ``level`` 1 that has its title; others have level 2 or more. ``anchor`` is the
    fragment that links to the section of the English page.
    """

    title: str
    level: int
    anchor: str
    content: tuple[str | Example, ...]


def anchor_of(title: str) -> str:
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


def page_file(page: str, language: str = SOURCE) -> Path:
    game, _slash, name = page.rpartition("/")
    folder = GAMES[game].folder() if game else Path(__file__).parent
    return folder / ("" if language == SOURCE else language) / f"{name}.md"


def linked(page: str, target: str, language: str = SOURCE) -> str:
    """The page to which a page links with a relative ``target``, such as ``../README.md``; itself if that is empty."""
    if not target:
        return page
    game, _slash, _name = page.rpartition("/")
    folder = posixpath.join(game, "" if language == SOURCE else language)
    names = posixpath.normpath(posixpath.join(folder, target)).removesuffix(".md").split("/")
    return "/".join(name for name in names if name != language)


@cache
def text(page: str, language: str = SOURCE) -> str:
    """The whole page in Markdown."""
    return page_file(page, language).read_text(encoding="utf-8")


@cache
def sections(page: str, language: str = SOURCE) -> tuple[Section, ...]:
    """The sections of a page, without its table of contents.

    Raises ``ValueError`` if a translation has other sections or examples than the original.
    """
    whole = text(page, language)
    # No line of an example begins like a heading.
    headings = list(_HEADING.finditer(whole))
    title, _, _ = whole.removeprefix("# ").partition("\n")
    starts = [(title, 1, whole.index("\n")), *((heading[2], len(heading[1]), heading.end()) for heading in headings)]
    ends = [*(heading.start() for heading in headings), len(whole)]
    cut = [(*start, end) for start, end in zip(starts, ends, strict=True)]
    if language == SOURCE:
        return tuple(
            Section(title, level, anchor_of(title), tuple(_content(page, start, end)))
            for title, level, start, end in cut
        )
    return tuple(
        Section(title, level, source.anchor, tuple(_translated(whole[start:end], source)))
        for (title, level, start, end), source in zip(cut, sections(page), strict=True)
    )


def examples(page: str) -> list[Example]:
    return [piece for section in sections(page) for piece in section.content if isinstance(piece, Example)]


def as_example(ruleset: Ruleset, turns: tuple[str, ...] = ()) -> str:
    """The position after some turns as an example on a page.

    The first claims are the turns from the empty board or, after a setup with pieces, the cells of both sides.
    """
    position = ruleset.replay(turns)
    head, begun = split_setup(ruleset.game, ruleset.setup)
    if head or not (begun or turns):
        cells = ((side, " ".join(position.board.names(position.stones(side)))) for side in Side)
        claims = [f"{position.sides[side]}: {names or 'none'}" for side, names in cells]
    else:
        claims = [f"turns: {' '.join((*begun, *turns))}"]
    if position.to_play is not None:
        claims.append(f"to play: {position.sides[position.to_play]}")
    if position.outcome is not None:
        winner = position.outcome.winner
        claims.append(f"wins: {'nobody' if winner is None else position.sides[winner]}")
    variant = [] if ruleset.variant == "standard" else [ruleset.variant]
    name = " ".join([ruleset.game.name, str(ruleset.size), *variant])
    return "\n".join([f"```{name}", str(position), "", *claims, "```"])


def _content(page: str, start: int, end: int) -> Iterator[str | Example]:
    whole, at = text(page), start
    for block in _EXAMPLE.finditer(whole, start, end):
        yield from _words(whole[at : block.start()])
        yield _example(page, block)
        at = block.end()
    yield from _words(whole[at:end])


def _translated(written: str, source: Section) -> Iterator[str | Example]:
    """Yield the content of a translated section, with the examples of the original."""
    first, *others = _REFERENCE.split(written)
    shown = (piece for piece in source.content if isinstance(piece, Example))
    yield from _words(first)
    for example, words in zip(shown, others, strict=True):
        yield example
        yield from _words(words)


def _words(written: str) -> Iterator[str]:
    words = _NOTE.sub("", _CONTENTS.sub("", written)).strip()
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

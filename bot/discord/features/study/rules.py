"""``/rules``: the rule pages leaf by leaf."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, islice

from discord import app_commands

import render
import rules
from bot.discord.interaction.errors import RefusalError
from bot.discord.interaction.feature import Feature, handles
from bot.discord.interaction.interactions import Choices, Interaction, Typed, choice, chosen, suggestions
from bot.discord.interaction.languages import Languages
from bot.discord.interaction.options.ruleset import game_choices
from bot.discord.transport.answers import Answer
from bot.discord.ui.actions import (
    SHARED,
    ReadPage,
    ReadSection,
    choice_of,
    choices,
    contents,
    learn_button,
    name_of,
)
from bot.discord.ui.messages import MOST_IN_ROW, ActionButton, Message, Picture, compose, option_menu
from bot.pictures import page_look
from bot.texts import current_language, gettext as _, gettext_noop
from bot.wording.examples import illustrations
from bot.wording.sentence import Sentence
from rules.notation import plain
from rules.pages import Example, Section, anchor_of, linked, sections

#: Maximum numbers of characters and pictures on a leaf, unless a single paragraph or example has more.
_TEXT, _PICTURES = 1500, 2
#: A section without pictures that has fewer characters may share a leaf with another section.
_SHORT = 350
_LINK = re.compile(r"\[([^\]]*)\]\(([^)]*)\)")
#: The gap before a paragraph or list item, where the text may be cut.
_BREAK = re.compile(r"\n\n|\n(?=- |\d+\. )")
_TABLE = re.compile(r"(?:^\|.*\|\n?)+", re.MULTILINE)
_ITEM = re.compile(r"- |\d+\. ")


@dataclass
class RulesCommand(Feature):
    languages: Languages

    @suggestions
    async def pages(self, interaction: Interaction, current: str) -> Choices:
        return [choice(title, anchor) for anchor, title in _find_sections(interaction.namespace.game, current).items()]

    @app_commands.command(description=gettext_noop("The rules of a game, with pictures"))
    @app_commands.describe(game=gettext_noop("The game to read about"), page=gettext_noop("The section to open"))
    @app_commands.choices(
        game=[
            *game_choices(explain=True),
            app_commands.Choice(name=app_commands.locale_str(gettext_noop("What all games share")), value=SHARED),
        ]
    )
    @app_commands.autocomplete(page=pages)
    async def rules(self, interaction: Interaction, game: str, page: Typed | None = None) -> None:
        leaf = 0 if page is None else leaf_number(game, page)
        await Answer.of(interaction).respond(await self._leaf(interaction, game, leaf))

    @handles(ReadPage)
    async def turn_page(self, interaction: Interaction, press: ReadPage) -> None:
        await Answer.of(interaction).respond(await self._leaf(interaction, press.page, press.leaf))

    @handles(ReadSection)
    async def open_section(self, interaction: Interaction, press: ReadSection) -> None:
        card = await self._leaf(interaction, press.page, press.anchor)
        await Answer.of(interaction).respond(card, beside=not press.in_place)

    async def _leaf(self, interaction: Interaction, name: str, leaf: int | str) -> Message:
        """A leaf of a rule page, given by its number or by the anchor of a section on it."""
        if name not in choices():
            raise RefusalError(_("I have no rules for that. Pick a game from the list."))
        number = leaf if isinstance(leaf, int) else number_of(name, leaf)
        return await asyncio.to_thread(leaf_card, name, number, await self._look(interaction))

    async def _look(self, interaction: Interaction) -> render.Look:
        return page_look(await self.languages.load(interaction))


def leaf_number(name: str, page: str) -> int:
    """Return the number of the leaf on which a section begins, given by its anchor or a part of its title."""
    anchor = chosen(page, _find_sections(name, "")) or next(iter(_find_sections(name, page)), None)
    if anchor is None:
        raise RefusalError(_("The rules have no section “{page}”. Pick one from the list.").format(page=page[:60]))
    return number_of(name, anchor)


def _find_sections(name: str, typed: str) -> dict[str, str]:
    """The titles of a page's sections that contain the typed text, by anchor."""
    titles, wanted = contents(name) if name in choices() else {}, plain(typed).strip().casefold()
    return {anchor: title for anchor, title in titles.items() if wanted in title.casefold()}


@dataclass(frozen=True)
class Leaf:
    """What is on one card of a rule page: a section, a part of a long section, or several short sections.

    The leaf has the title of its ``section``. ``starts`` are the anchors of the sections that begin on it.
    """

    section: Section
    content: tuple[str | Example, ...]
    starts: tuple[str, ...] = ()

    @property
    def is_short(self) -> bool:
        return _length(self.content) < _SHORT and not _pictures(self.content)


def leaves(page: str) -> tuple[Leaf, ...]:
    return _leaves(page, current_language())


@cache
def _leaves(page: str, language: str) -> tuple[Leaf, ...]:
    found: list[Leaf] = []
    for leaf in chain.from_iterable(map(_cut, sections(page, language))):
        joined = _join(found[-1], leaf) if found else None
        if joined is not None:
            found.pop()
        found.append(joined or leaf)
    return tuple(found)


def _join(leaf: Leaf, other: Leaf) -> Leaf | None:
    """Join two leaves with whole sections if either is short and there is room; None if not."""
    if leaf.section.level == 1 or not leaf.starts or not other.starts or not (leaf.is_short or other.is_short):
        return None
    heading, next_heading = (f"**{Sentence(joined.section.title).plain}**" for joined in (leaf, other))
    begun = leaf.content if len(leaf.starts) > 1 else (heading, *leaf.content)
    content = (*begun, next_heading, *other.content)
    fits = _length(content) <= _TEXT and _pictures(content) <= _PICTURES
    return Leaf(leaf.section, content, leaf.starts + other.starts) if fits else None


def number_of(name: str, anchor: str) -> int:
    """Return the number of the leaf on which a section begins, by default 0."""
    return next((number for number, leaf in enumerate(leaves(name_of(name))) if anchor in leaf.starts), 0)


def leaf_card(name: str, number: int, look: render.Look) -> Message:
    """A leaf with its pictures, and buttons to other leaves. Renders pictures: call it in a thread."""
    found = leaves(name_of(name))
    number = min(number, len(found) - 1)
    leaf = found[number]
    here = next(leaf.starts[0] for leaf in found[number::-1] if leaf.starts)
    buttons = [
        ActionButton(ReadPage(name, max(0, number - 1)), "◀", disabled=number == 0),
        ActionButton(ReadPage(name, number + 1), "▶", disabled=number == len(found) - 1),
    ]
    if name in rules.GAMES:
        buttons.append(learn_button(rules.GAMES[name]))
    return compose(
        f"### 📖 {_heading(name, leaf)}",
        *_components(leaf.content, f"{name}-{number}", look),
        footer=_("Page {number} of {pages}").format(number=number + 1, pages=len(found)),
        menus=(option_menu(ReadSection(name), contents(name), _("Sections"), here),),
        buttons=tuple(buttons),
        more_buttons=tuple(islice(_links(name, leaf), 2 * MOST_IN_ROW)),
    )


def _heading(name: str, leaf: Leaf) -> str:
    """The title of a leaf, unless several sections on it have titles of their own."""
    if leaf.section.level == 1:
        return leaf.section.title
    return choices()[name] if len(leaf.starts) > 1 else f"{choices()[name]} · {leaf.section.title}"


def _links(name: str, leaf: Leaf) -> Iterator[ActionButton]:
    """Yield a button for each link in the texts of a leaf, without repetitions and links to the leaf itself."""
    found: set[tuple[str, str]] = set()
    for piece in leaf.content:
        for link in _LINK.finditer(piece) if isinstance(piece, str) else ():
            file, _hash, written = link[2].partition("#")
            page = linked(name_of(name), file, current_language())
            other = choice_of(page)
            if other not in choices():
                continue
            to = next((s for s in sections(page, current_language())[1:] if anchor_of(s.title) == written), None)
            anchor = next(iter(contents(other))) if to is None else to.anchor
            if (other, anchor) in found or (other == name and anchor in leaf.starts):
                continue
            found.add((other, anchor))
            title = choices()[other] if to is None else Sentence(to.title).plain
            yield ActionButton(ReadSection(other, anchor), f"→ {title}")


def _components(content: tuple[str | Example, ...], filename: str, look: render.Look) -> Iterator[str | Picture]:
    """Yield the texts and pictures of a leaf in order, with a caption after each picture.

    All pictures have coordinates, because the texts name cells.
    """
    look = replace(look, coordinates=True)
    for at, piece in enumerate(content):
        if isinstance(piece, str):
            yield _LINK.sub(r"\1", piece)
            continue
        for number, (shown, captions) in enumerate(illustrations(piece)):
            name = f"{filename}-{at}{'-after' if number else ''}.png"
            yield Picture(name, shown.draw(look), shown.describe(look))
            yield "\n".join(f"-# {line}" for line in captions)


def _cut(section: Section) -> Iterator[Leaf]:
    """Cut a section into leaves, as full as possible."""
    pieces: list[str | Example] = []
    starts: tuple[str, ...] = (section.anchor,)
    for piece in _split(section.content):
        if pieces and not _has_room(_merge(pieces), piece):
            final = pieces[-1]
            # An example stays with the text that introduces it.
            announces = isinstance(piece, Example) and isinstance(final, str) and final.endswith(":")
            rest = [pieces.pop()] if announces else []
            if pieces:
                yield Leaf(section, _merge(pieces), starts)
                starts = ()
            pieces = rest
        pieces.append(piece)
    if pieces or section.level > 1:
        yield Leaf(section, _merge(pieces), starts)


def _merge(pieces: Iterable[str | Example]) -> tuple[str | Example, ...]:
    """Join the texts between two examples."""
    content: list[str | Example] = []
    for piece in pieces:
        last = content[-1] if content else None
        if isinstance(last, str) and isinstance(piece, str):
            in_list = _ITEM.match(piece) and _ITEM.match(last.rpartition("\n")[2])
            content[-1] = f"{last}\n{piece}" if in_list else f"{last}\n\n{piece}"
        else:
            content.append(piece)
    return tuple(content)


def _has_room(content: Sequence[str | Example], piece: str | Example) -> bool:
    """Whether a leaf with this content has room for another piece. An example always fits after an example."""
    if isinstance(piece, str):
        return _length([*content, piece]) <= _TEXT
    return isinstance(content[-1], Example) or _pictures([*content, piece]) <= _PICTURES


def _pictures(content: Iterable[str | Example]) -> int:
    return sum(2 if piece.turns() else 1 for piece in content if isinstance(piece, Example))


def _length(content: Iterable[str | Example]) -> int:
    return sum(len(piece) for piece in content if isinstance(piece, str))


def _split(content: Iterable[str | Example]) -> tuple[str | Example, ...]:
    return tuple(part for piece in content for part in ([piece] if isinstance(piece, Example) else _paragraphs(piece)))


def _paragraphs(text: str) -> Iterator[str]:
    """Yield the paragraphs and list items of a text, each on a single line, because Discord keeps line breaks."""
    # Discord has no tables.
    text = _TABLE.sub(lambda table: _as_list(table[0].strip().split("\n")) + "\n", text)
    for block in _BREAK.split(text):
        quote = block.startswith("> ")
        lines = (line.strip().removeprefix("> " if quote else "") for line in block.split("\n"))
        yield ("> " if quote else "") + " ".join(lines)


def _as_list(rows: list[str]) -> str:
    """Turn the rows of a table into list items, which begin with the first cell."""
    head, _, *body = ([cell.strip() for cell in row.strip("| ").split("|")] for row in rows)
    head = head[-len(body[0]) :]  # the first cell of a header may be empty
    items = []
    for name, *cells in body:
        titles = head[-len(cells) :]
        texts = cells if len(cells) == 1 else [f"{title}: {cell}" for title, cell in zip(titles, cells, strict=True)]
        items.append(f"- **{name}** · {' · '.join(texts)}")
    return "\n".join(items)

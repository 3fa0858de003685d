"""Messages on Discord (a view, pictures, pings), and buttons, menus and forms that survive a restart."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, TypeAlias

import discord

from bot.discord.ui.presses import Press
from bot.domain.players import Player
from bot.wording.quoting import shorten

#: Maximum number of characters in a picture's alternative text.
LONGEST_DESCRIPTION = 1023
#: Discord's limits on characters: in all texts of a card, in parts of menus, and in parts of forms.
LONGEST_CARD, LONGEST_LABEL, LONGEST_OPTION, LONGEST_PLACEHOLDER = 4000, 80, 100, 150
LONGEST_TITLE, LONGEST_NOTE = 45, 100
MOST_IN_ROW, MOST_OPTIONS = 5, 25


class ActionButton(discord.ui.Button[Any]):
    """A button with its meaning in its custom id, so it works after a restart."""

    def __init__(
        self,
        press: Press,
        label: str,
        style: discord.ButtonStyle = discord.ButtonStyle.secondary,
        emoji: str | None = None,
        *,
        disabled: bool = False,
    ) -> None:
        label = shorten(label, LONGEST_LABEL)
        super().__init__(label=label, style=style, emoji=emoji, custom_id=press.custom_id, disabled=disabled)
        self.press = press


class LinkButton(discord.ui.Button[Any]):
    """A button that opens an address in the browser."""

    def __init__(self, url: str, label: str, emoji: str | None = None) -> None:
        super().__init__(label=shorten(label, LONGEST_LABEL), url=url, emoji=emoji)


CardButton: TypeAlias = ActionButton | LinkButton
#: A menu of options, or of channels, roles or users.
Menu: TypeAlias = (
    discord.ui.Select[Any] | discord.ui.ChannelSelect[Any] | discord.ui.RoleSelect[Any] | discord.ui.UserSelect[Any]
)


def option_menu(
    press: Press,
    labels: Mapping[str, str],
    placeholder: str,
    current: str | None = None,
    *,
    notes: Mapping[str, str] | None = None,
    emojis: Mapping[str, str] | None = None,
) -> Menu:
    """A menu of at most 25 values with their labels, notes and emojis. It works after a restart."""
    options = [
        discord.SelectOption(
            label=shorten(label, LONGEST_OPTION),
            value=value,
            description=shorten(notes[value], LONGEST_OPTION) if notes and value in notes else None,
            emoji=emojis.get(value) if emojis else None,
            default=value == current,
        )
        for value, label in labels.items()
    ]
    return discord.ui.Select(
        custom_id=press.custom_id,
        options=options[:MOST_OPTIONS],
        placeholder=shorten(placeholder or "", LONGEST_PLACEHOLDER) or None,
    )


def text_field(
    name: str, label: str, description: str, filled: str, most: int, *, required: bool = True, paragraph: bool = False
) -> discord.ui.Label[Any]:
    """A text field of a form for at most ``most`` characters, with the text ``filled`` in."""
    style = discord.TextStyle.paragraph if paragraph else discord.TextStyle.short
    field: discord.ui.TextInput[Any] = discord.ui.TextInput(
        custom_id=name, style=style, required=required, max_length=most, default=filled[:most] or None
    )
    return _labelled(field, label, description)


def file_field(name: str, label: str, description: str) -> discord.ui.Label[Any]:
    """An optional file in a form."""
    return _labelled(discord.ui.FileUpload(custom_id=name, required=False, max_values=1), label, description)


def _labelled(field: discord.ui.Item[Any], label: str, description: str) -> discord.ui.Label[Any]:
    label, description = shorten(label, LONGEST_TITLE), shorten(description, LONGEST_NOTE)
    return discord.ui.Label(text=label, description=description, component=field)


class Form(discord.ui.Modal):
    """A form of at most five fields. Its submission is a press with their values in order. It works after a restart."""

    def __init__(self, press: Press, title: str, *fields: discord.ui.Label[Any]) -> None:
        super().__init__(title=shorten(title, LONGEST_TITLE), custom_id=press.custom_id, timeout=None)
        for field in fields:
            self.add_item(field)

    def is_finished(self) -> bool:
        return True  # discord.py keeps unfinished forms until they are submitted


@dataclass(frozen=True, slots=True)
class Picture:
    """A PNG or GIF with its alternative text; without data, the message has the picture already."""

    filename: str
    png: bytes | None
    description: str

    @property
    def url(self) -> str:
        return f"attachment://{self.filename}"

    @property
    def thumbnail(self) -> discord.ui.Thumbnail[Any]:
        return discord.ui.Thumbnail(self.url, description=self.description)


@dataclass(frozen=True, slots=True)
class Aside:
    """A text beside a small picture, which a tap enlarges, and above buttons.

    Without a picture, a single button stands beside the text.
    """

    text: str
    picture: Picture | None = None
    buttons: tuple[ActionButton, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    filename: str
    data: bytes


@dataclass(frozen=True)
class Message:
    """A message to send, or an edit of a message."""

    view: discord.ui.LayoutView
    pictures: tuple[Picture, ...] = ()
    pings: tuple[Player, ...] = ()
    document: Document | None = None
    #: Whether it makes no sound on people's devices.
    silent: bool = False

    @property
    def files(self) -> list[discord.File]:
        found = [
            discord.File(io.BytesIO(picture.png), picture.filename, description=picture.description)
            for picture in self.pictures
            if picture.png is not None
        ]
        if self.document is not None:
            found.append(discord.File(io.BytesIO(self.document.data), self.document.filename))
        return found

    @property
    def keeps_files(self) -> bool:
        """Whether an edit keeps the message's files."""
        return any(picture.png is None for picture in self.pictures)

    @property
    def allowed_mentions(self) -> discord.AllowedMentions:
        return discord.AllowedMentions(
            everyone=False, roles=False, users=[discord.Object(player.id) for player in self.pings], replied_user=False
        )


class CardView(discord.ui.LayoutView):
    """A view that discord.py does not keep, because presses are routed by custom id alone.

    ``stop()`` is not enough: it has no effect in threads without an event loop, where many cards are made.
    """

    def __init__(self, item: discord.ui.Item[Any]) -> None:
        super().__init__(timeout=None)
        self.add_item(item)

    def is_finished(self) -> bool:
        return True


Component: TypeAlias = str | Picture | Aside | discord.ui.ActionRow[Any]


def compose(
    *components: Component | None,
    picture: Picture | None = None,
    document: Document | None = None,
    footer: str = "",
    menus: tuple[Menu, ...] = (),
    keypad: Sequence[Sequence[CardButton]] = (),
    buttons: tuple[CardButton, ...] = (),
    more_buttons: tuple[CardButton, ...] = (),
    colour: int | None = None,
    pings: tuple[Player, ...] = (),
) -> Message:
    """Compose a card: texts and pictures, a footer, menus, the rows of the keypad, other buttons, and a document.

    Empty components are left out, and texts that are too long together are cut. Each picture has a gallery of its own,
    because Discord crops pictures that share a gallery.
    """
    content = _cut([component for component in (*components, picture, f"-# {footer}" if footer else "") if component])
    rows = [*map(discord.ui.ActionRow, menus), *rows_of(*keypad, buttons, more_buttons)]
    items = chain.from_iterable(map(_items, (*content, *rows)))
    view = CardView(discord.ui.Container(*items, accent_colour=colour))
    if document is not None:
        view.add_item(discord.ui.File(f"attachment://{document.filename}"))
    pictures = [component.picture if isinstance(component, Aside) else component for component in content]
    return Message(view, tuple(found for found in pictures if isinstance(found, Picture)), pings, document)


def _cut(content: list[Component]) -> list[Component]:
    """Cut the longest text if all texts together are longer than Discord allows."""
    texts = [part.text if isinstance(part, Aside) else part for part in content if isinstance(part, str | Aside)]
    excess = sum(map(len, texts)) - LONGEST_CARD
    if excess <= 0:
        return content
    longest = max(texts, key=len)
    short = shorten(longest, len(longest) - excess)

    def cut(part: Component) -> Component:
        if isinstance(part, Aside) and part.text == longest:
            return replace(part, text=short)
        return short if part == longest else part

    return [cut(part) for part in content]


def confirmation(text: str, yes: Press, yes_label: str, no: Press, no_label: str) -> Message:
    """A question with a red button for yes and a button for no."""
    danger = ActionButton(yes, yes_label, discord.ButtonStyle.danger)
    return compose(text, buttons=(danger, ActionButton(no, no_label)))


def _items(component: Component) -> Iterator[discord.ui.Item[Any]]:
    match component:
        case str():
            yield discord.ui.TextDisplay(component)
        case Picture():
            yield discord.ui.MediaGallery(discord.MediaGalleryItem(component.url, description=component.description))
        case Aside(text, None, (button,)):
            yield discord.ui.Section(text, accessory=button)
        case Aside(text, picture, buttons):
            yield discord.ui.Section(text, accessory=picture.thumbnail) if picture else discord.ui.TextDisplay(text)
            yield from rows_of(buttons)
        case _:
            yield component


def rows_of(*groups: Sequence[CardButton]) -> Iterator[discord.ui.ActionRow[Any]]:
    """Yield the rows of each group of buttons, each row as full as Discord allows."""
    for group in groups:
        for at in range(0, len(group), MOST_IN_ROW):
            yield discord.ui.ActionRow(*group[at : at + MOST_IN_ROW])


def turners(press: Callable[[int], Press], page: int, pages: int) -> tuple[ActionButton, ...]:
    """The buttons to the previous and the next page; none for a single page. Pages are counted from 1."""
    if pages == 1:
        return ()
    return (
        ActionButton(press(page - 1), "◀", disabled=page == 1),
        ActionButton(press(page + 1), "▶", disabled=page == pages),
    )

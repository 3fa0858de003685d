"""What is sent to Discord (a view, its picture, who is pinged), and buttons, menus and forms that survive a restart."""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import discord

from bot.discord.ui.presses import Press
from bot.domain.players import Player

#: The most characters in a picture's alternative text.
LONGEST_DESCRIPTION = 1023
#: Maximum characters in a field of a form.
LONGEST_FIELD = 2000


class ActionButton(discord.ui.Button[Any]):
    """The only kind of button: all that it knows is in its custom id, so it works after a restart."""

    def __init__(
        self,
        press: Press,
        label: str,
        style: discord.ButtonStyle = discord.ButtonStyle.secondary,
        emoji: str | None = None,
        *,
        disabled: bool = False,
    ) -> None:
        super().__init__(label=label, style=style, emoji=emoji, custom_id=press.custom_id, disabled=disabled)
        self.press = press


#: A menu of options, or of channels, roles or users.
Menu: TypeAlias = (
    discord.ui.Select[Any] | discord.ui.ChannelSelect[Any] | discord.ui.RoleSelect[Any] | discord.ui.UserSelect[Any]
)


def option_menu(press: Press, options: Iterable[discord.SelectOption], placeholder: str) -> Menu:
    """A menu in which one of at most 25 options can be chosen; like the buttons it works after a restart."""
    return entity_menu(press, discord.ui.Select(options=list(options), placeholder=placeholder))


def entity_menu(press: Press, select: Menu) -> Menu:
    """A menu of channels, roles or users, which are chosen by their ids; all but its custom id is set already."""
    select.custom_id = press.custom_id
    return select


class Form(discord.ui.Modal):
    """A form with at most five fields, such as a text field in a label.

    What is filled in comes back as a press with the ``values``, in the order of the fields. The form keeps nothing, so
    it can be sent off after a restart too.
    """

    def __init__(self, press: Press, title: str, *fields: discord.ui.Label[Any]) -> None:
        super().__init__(title=title, custom_id=press.custom_id, timeout=None)
        for field in fields:
            self.add_item(field)

    def is_finished(self) -> bool:
        return True  # discord.py would keep every other form until somebody submits it


@dataclass(frozen=True, slots=True)
class Picture:
    """A PNG or GIF with its description in words; without the data, it is one that the message already has."""

    filename: str
    png: bytes | None
    description: str


@dataclass(frozen=True, slots=True)
class Aside:
    """A text with a small picture beside it, which a tap enlarges, and with buttons below.

    Without a picture, a single button is beside the text.
    """

    text: str
    picture: Picture | None = None
    buttons: tuple[ActionButton, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """A file to download."""

    filename: str
    data: bytes


@dataclass(frozen=True)
class Message:
    """A message to send, or an edit of one."""

    view: discord.ui.LayoutView
    pictures: tuple[Picture, ...] = ()
    pings: tuple[Player, ...] = ()
    document: Document | None = None
    silent: bool = False
    """Whether nobody's device makes a sound."""

    @property
    def files(self) -> list[discord.File]:
        shown = [
            discord.File(io.BytesIO(picture.png), picture.filename, description=picture.description)
            for picture in self.pictures
            if picture.png is not None
        ]
        if self.document is None:
            return shown
        return [*shown, discord.File(io.BytesIO(self.document.data), self.document.filename)]

    @property
    def keeps_files(self) -> bool:
        """Whether the message already has the files, so that none are sent."""
        return any(picture.png is None for picture in self.pictures)

    @property
    def allowed_mentions(self) -> discord.AllowedMentions:
        return discord.AllowedMentions(
            everyone=False, roles=False, users=[discord.Object(player.id) for player in self.pings], replied_user=False
        )


class _View(discord.ui.LayoutView):
    """A view that discord.py does not keep, because it is finished from the start.

    ``stop()`` does not suffice: it does nothing in a thread without an event loop, where many cards are made.
    """

    def __init__(self) -> None:
        super().__init__(timeout=None)

    def is_finished(self) -> bool:
        return True


def new_view() -> discord.ui.LayoutView:
    """Return an empty view; what is pressed in it is routed by custom id alone."""
    return _View()


def compose(
    *parts: str | Picture | Aside | None,
    picture: Picture | None = None,
    document: Document | None = None,
    footer: str = "",
    menus: tuple[Menu, ...] = (),
    keypad: tuple[tuple[ActionButton, ...], ...] = (),
    buttons: tuple[ActionButton, ...] = (),
    more_buttons: tuple[ActionButton, ...] = (),
    colour: int | None = None,
    pings: tuple[Player, ...] = (),
) -> Message:
    """A card: texts and pictures, a small line below them, menus, and rows of at most five buttons; then the file.

    Each picture stands by itself, since Discord crops pictures that share a gallery; empty parts are left out. The rows
    of the ``keypad`` come before those of other buttons.
    """
    box: discord.ui.Container[Any] = discord.ui.Container(accent_colour=colour)
    shown = [part for part in (*parts, picture) if part]
    for part in shown:
        if isinstance(part, str):
            box.add_item(discord.ui.TextDisplay(part))
        elif isinstance(part, Aside):
            _add_aside(box, part)
        else:
            box.add_item(discord.ui.MediaGallery(_item(part)))
    if footer:
        box.add_item(discord.ui.TextDisplay(f"-# {footer}"))
    for menu in menus:
        box.add_item(discord.ui.ActionRow(menu))
    for row in filter(None, (*keypad, buttons, more_buttons)):
        box.add_item(discord.ui.ActionRow(*row))
    view = new_view()
    view.add_item(box)
    if document is not None:
        view.add_item(discord.ui.File(f"attachment://{document.filename}"))
    pictures = tuple(picture for part in shown if (picture := _picture_of(part)) is not None)
    return Message(view, pictures, pings, document)


def _picture_of(part: str | Picture | Aside) -> Picture | None:
    match part:
        case Picture():
            return part
        case Aside():
            return part.picture
        case _:
            return None


def _add_aside(box: discord.ui.Container[Any], aside: Aside) -> None:
    if aside.picture is None and len(aside.buttons) == 1:
        box.add_item(discord.ui.Section(aside.text, accessory=aside.buttons[0]))
        return
    if aside.picture is None:
        box.add_item(discord.ui.TextDisplay(aside.text))
    else:
        box.add_item(discord.ui.Section(aside.text, accessory=_thumbnail(aside.picture)))
    if aside.buttons:
        box.add_item(discord.ui.ActionRow(*aside.buttons))


def _item(picture: Picture) -> discord.MediaGalleryItem:
    return discord.MediaGalleryItem(f"attachment://{picture.filename}", description=picture.description)


def _thumbnail(picture: Picture) -> discord.ui.Thumbnail[Any]:
    return discord.ui.Thumbnail(f"attachment://{picture.filename}", description=picture.description)

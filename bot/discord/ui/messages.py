"""What is sent to Discord (a view, its picture, who is pinged), and buttons, menus and forms that survive a restart."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, TypeVar

import discord

from bot.discord.ui import presses
from bot.discord.ui.presses import OutdatedPressError as OutdatedPressError
from bot.domain.players import Player

#: Increased when buttons of older messages can no longer be understood.
_SCHEMA = 1
#: The most characters in a picture's alternative text.
LONGEST_DESCRIPTION = 1023
_CUSTOM_ID = re.compile(rf"hexgrove:{_SCHEMA}:([a-z-]+):([0-9]{{1,19}}):([0-9]{{1,10}}):([a-z0-9.,+*-]*)")
#: The largest id on Discord or number of a match, and the largest step; the database takes no larger numbers.
_LARGEST_SUBJECT, _LARGEST_STEP = 2**63 - 1, 2**31 - 1
#: Maximum characters in a field of a form.
LONGEST_FIELD = 2000
#: Prefixes of the custom ids of menus and forms.
_MENU, _FORM = "menu:", "form:"
#: Maximum characters in a custom id on Discord.
_LONGEST_ID = 100
_Value = TypeVar("_Value")


def read(kind: Callable[[str], _Value], text: str) -> _Value:
    """Read a part of a custom id, or a choice, as a value of that kind. Raises :class:`OutdatedPressError`.

    A ``kind`` raises ``ValueError`` if a text is not of it.
    """
    try:
        return kind(text)
    except ValueError:
        raise OutdatedPressError from None


def number(text: str) -> int:
    """Read a number, such as an id. Raises ``ValueError``."""
    if not (text.isascii() and text.isdecimal()) or len(text) > 19 or int(text) > _LARGEST_SUBJECT:
        raise ValueError(text)
    return int(text)


@dataclass(frozen=True, slots=True)
class Press:
    """What a button, menu or form stands for: an action on a challenge or match, and the step of its board.

    ``values`` is what was chosen or filled in; all else is in the id.
    """

    action: str
    subject: int
    step: int = 0
    argument: str = ""
    values: tuple[str, ...] = ()

    @property
    def custom_id(self) -> str:
        return f"hexgrove:{_SCHEMA}:{self.action}:{self.subject}:{self.step}:{self.argument}"

    @property
    def chosen(self) -> str | None:
        """The one thing that was chosen or filled in; None for a button. Raises :class:`OutdatedPressError`."""
        if len(self.values) > 1:
            raise OutdatedPressError
        return next(iter(self.values), None)

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers that were chosen, such as ids of channels. Raises :class:`OutdatedPressError`."""
        return tuple(read(number, value) for value in self.values)

    @property
    def fits(self) -> bool:
        """Whether a button can stand for this."""
        return len(self.custom_id) <= _LONGEST_ID

    @classmethod
    def of(cls, interaction: discord.Interaction[Any]) -> Press:
        """Return the press of a button, the choice from a menu or the submitted form.

        Raises :class:`OutdatedPressError`.
        """
        data: Any = interaction.data
        chosen = data.get("values", [])
        for field in data.get("components", ()):
            chosen = [*chosen, *field["component"].get("values", [field["component"].get("value", "")])]
        press = cls.parse(data["custom_id"].removeprefix(_MENU).removeprefix(_FORM))
        if press is None:
            raise OutdatedPressError
        return replace(press, values=tuple(chosen))

    @classmethod
    def parse(cls, custom_id: str) -> Press | None:
        """Return the press that a custom id stands for; None if the id is outdated."""
        parts = _CUSTOM_ID.fullmatch(custom_id)
        if parts is None or int(parts[2]) > _LARGEST_SUBJECT or int(parts[3]) > _LARGEST_STEP:
            return None
        return cls(parts[1], int(parts[2]), int(parts[3]), parts[4])


class ActionButton(discord.ui.Button[Any]):
    """The only kind of button: all that it knows is in its custom id, so it works after a restart."""

    def __init__(
        self,
        press: presses.Press | Press,
        label: str,
        style: discord.ButtonStyle = discord.ButtonStyle.secondary,
        emoji: str | None = None,
        *,
        disabled: bool = False,
    ) -> None:
        super().__init__(label=label, style=style, emoji=emoji, custom_id=press.custom_id, disabled=disabled)
        self.press: Any = press


#: A menu of options, or of channels, roles or users.
Menu: TypeAlias = (
    discord.ui.Select[Any] | discord.ui.ChannelSelect[Any] | discord.ui.RoleSelect[Any] | discord.ui.UserSelect[Any]
)


def option_menu(press: presses.Press | Press, options: Iterable[discord.SelectOption], placeholder: str) -> Menu:
    """A menu in which one of at most 25 options can be chosen; like the buttons it works after a restart."""
    return entity_menu(press, discord.ui.Select(options=list(options), placeholder=placeholder))


def entity_menu(press: presses.Press | Press, select: Menu) -> Menu:
    """A menu of channels, roles or users, which are chosen by their ids; all but its custom id is set already."""
    select.custom_id = f"{_MENU}{press.custom_id}" if isinstance(press, Press) else press.custom_id
    return select


class Form(discord.ui.Modal):
    """A form with at most five fields, such as a text field in a label.

    What is filled in comes back as a press with the ``values``, in the order of the fields. The form keeps nothing, so
    it can be sent off after a restart too.
    """

    def __init__(self, press: presses.Press | Press, title: str, *fields: discord.ui.Label[Any]) -> None:
        custom_id = f"{_FORM}{press.custom_id}" if isinstance(press, Press) else press.custom_id
        super().__init__(title=title, custom_id=custom_id, timeout=None)
        for field in fields:
            self.add_item(field)

    def is_finished(self) -> bool:
        return True  # discord.py would keep every other form until somebody submits it


def presses_of(components: Iterable[object]) -> Iterator[Press]:
    """The presses of the buttons among the components of a message that Discord has sent."""
    for part in components:
        press = Press.parse(getattr(part, "custom_id", None) or "")
        if press is not None:
            yield press
        yield from presses_of(getattr(part, "children", ()))


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

"""What is sent to Discord: a view, its picture, and who is pinged; and what can be pressed, also after a restart."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Self, TypeAlias

import discord

from bot.domain.players import Player

#: Raised when buttons of older messages can no longer be understood.
_SCHEMA = 1
#: Characters of the words that stand for a picture.
LONGEST_DESCRIPTION = 1023
_CUSTOM_ID = re.compile(rf"hexgrove:{_SCHEMA}:([a-z-]+):([0-9]{{1,20}}):([0-9]{{1,20}}):([a-z0-9.,+*-]*)")
#: Characters that a field of a form takes at most.
LONGEST_FIELD = 2000
#: Characters that Discord takes as the id of a button.
_LONGEST_ID = 100


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
    def fits(self) -> bool:
        """Whether a button can stand for this."""
        return len(self.custom_id) <= _LONGEST_ID

    @classmethod
    def parse(cls, custom_id: str) -> Press | None:
        """The press behind a button's id; None when the button is of another time."""
        read = _CUSTOM_ID.fullmatch(custom_id)
        return read and cls(read[1], int(read[2]), int(read[3]), read[4])


class ActionButton(discord.ui.DynamicItem[discord.ui.Button[Any]], template=r"hexgrove:\d+:.*"):
    """The only kind of button: all it knows is in its id, so it works after a restart.

    Views hold nothing else that can be pressed: discord.py forgets the whole class when a mixed view ends.
    """

    def __init__(self, press: Press | None, button: discord.ui.Button[Any]) -> None:
        super().__init__(button)
        self.press = press

    @classmethod
    def make(
        cls,
        press: Press,
        label: str,
        style: discord.ButtonStyle = discord.ButtonStyle.secondary,
        emoji: str | None = None,
        *,
        disabled: bool = False,
    ) -> ActionButton:
        button: discord.ui.Button[Any] = discord.ui.Button(
            label=label, style=style, emoji=emoji, custom_id=press.custom_id, disabled=disabled
        )
        return cls(press, button)

    @classmethod
    async def from_custom_id(
        cls, interaction: discord.Interaction[Any], item: discord.ui.Item[Any], match: re.Match[str]
    ) -> Self:
        assert isinstance(item, discord.ui.Button)
        return cls(Press.parse(match[0]), item)

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        await interaction.client.pressed(interaction, self.press)


#: A menu of options, or of what a server has.
Menu: TypeAlias = (
    discord.ui.Select[Any] | discord.ui.ChannelSelect[Any] | discord.ui.RoleSelect[Any] | discord.ui.UserSelect[Any]
)


class ActionMenu(discord.ui.DynamicItem[Menu], template=r"menu:hexgrove:\d+:.*"):
    """The only kind of menu; like the buttons it works after a restart. What is chosen is in ``press.values``.

    Channels, roles and users are chosen by their ids.
    """

    def __init__(self, press: Press | None, select: Menu) -> None:
        super().__init__(select)
        self.press = press

    @classmethod
    def make(cls, press: Press, options: Iterable[discord.SelectOption], placeholder: str) -> ActionMenu:
        """One of at most 25 options can be chosen."""
        select: discord.ui.Select[Any] = discord.ui.Select(
            custom_id=f"menu:{press.custom_id}", options=list(options), placeholder=placeholder
        )
        return cls(press, select)

    @classmethod
    def of(cls, press: Press, select: Menu) -> ActionMenu:
        """A menu that was made with all but its id."""
        select.custom_id = f"menu:{press.custom_id}"
        return cls(press, select)

    @classmethod
    async def from_custom_id(
        cls, interaction: discord.Interaction[Any], item: discord.ui.Item[Any], match: re.Match[str]
    ) -> Self:
        assert isinstance(
            item, discord.ui.Select | discord.ui.ChannelSelect | discord.ui.RoleSelect | discord.ui.UserSelect
        )
        return cls(Press.parse(match[0].removeprefix("menu:")), item)

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        values = tuple(str(getattr(value, "id", value)) for value in self.item.values)
        press = self.press and replace(self.press, values=values)
        await interaction.client.pressed(interaction, press)


class Form(discord.ui.Modal):
    """A form with at most five fields, such as a text field in a label.

    What is filled in comes back as a press with the ``values``, in the order of the fields. The form keeps nothing, so
    it can be sent off after a restart too.
    """

    def __init__(self, press: Press, title: str, *fields: discord.ui.Label[Any]) -> None:
        super().__init__(title=title, custom_id=f"form:{press.custom_id}", timeout=None)
        for field in fields:
            self.add_item(field)
        self.stop()  # discord.py would keep every form until somebody sends it off

    @staticmethod
    def press(interaction: discord.Interaction[Any]) -> Press | None:
        """The press behind a form that was sent off; None when the form is of another time."""
        data: Any = interaction.data
        press = Press.parse(data["custom_id"].removeprefix("form:"))
        fields = [field["component"] for field in data["components"]]
        return press and replace(
            press, values=tuple(value for field in fields for value in field.get("values", [field.get("value", "")]))
        )


@dataclass(frozen=True, slots=True)
class Picture:
    """A PNG or GIF with its description in words; without the data it is one that the message has already."""

    filename: str
    png: bytes | None
    description: str


@dataclass(frozen=True, slots=True)
class Document:
    """A file to download."""

    filename: str
    data: bytes


@dataclass(frozen=True)
class Post:
    """A message to send, or an edit of one."""

    view: discord.ui.LayoutView
    pictures: tuple[Picture, ...] = ()
    pings: tuple[Player, ...] = ()
    document: Document | None = None

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
        """Whether the message has the files already, so that none are sent."""
        return any(picture.png is None for picture in self.pictures)

    @property
    def allowed_mentions(self) -> discord.AllowedMentions:
        return discord.AllowedMentions(
            everyone=False, roles=False, users=[discord.Object(player.id) for player in self.pings], replied_user=False
        )


def compose(
    *parts: str | Picture,
    picture: Picture | None = None,
    document: Document | None = None,
    footer: str = "",
    menus: tuple[ActionMenu, ...] = (),
    buttons: tuple[ActionButton, ...] = (),
    more_buttons: tuple[ActionButton, ...] = (),
    colour: int | None = None,
    pings: tuple[Player, ...] = (),
) -> Post:
    """A card: texts and pictures, a small line below them, menus, and rows of at most five buttons; then the file."""
    box: discord.ui.Container[Any] = discord.ui.Container(accent_colour=colour)
    shown = [part for part in (*parts, picture) if part]
    for part in shown:
        if isinstance(part, str):
            box.add_item(discord.ui.TextDisplay(part))
        else:
            item = discord.MediaGalleryItem(f"attachment://{part.filename}", description=part.description)
            box.add_item(discord.ui.MediaGallery(item))
    if footer:
        box.add_item(discord.ui.TextDisplay(f"-# {footer}"))
    for menu in menus:
        box.add_item(discord.ui.ActionRow(menu))
    for row in filter(None, (buttons, more_buttons)):
        box.add_item(discord.ui.ActionRow(*row))
    view = discord.ui.LayoutView(timeout=None)
    view.add_item(box)
    if document is not None:
        view.add_item(discord.ui.File(f"attachment://{document.filename}"))
    return Post(view, tuple(part for part in shown if isinstance(part, Picture)), pings, document)

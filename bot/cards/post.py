"""What is sent to Discord: a view, its picture, and who is pinged; and the buttons that survive a restart."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from typing import Any, Self

import discord

from bot.matches.model import Player

#: Raised when buttons of older messages can no longer be understood.
_SCHEMA = 1
_CUSTOM_ID = re.compile(rf"hexgrove:{_SCHEMA}:([a-z-]+):([0-9]+):([0-9]+):([a-z]*)")


@dataclass(frozen=True, slots=True)
class Press:
    """What a button stands for: an action on a challenge or match, and the step of the board it belongs to."""

    action: str
    subject: int
    step: int = 0
    argument: str = ""

    @property
    def custom_id(self) -> str:
        return f"hexgrove:{_SCHEMA}:{self.action}:{self.subject}:{self.step}:{self.argument}"

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
    ) -> ActionButton:
        return cls(press, discord.ui.Button(label=label, style=style, emoji=emoji, custom_id=press.custom_id))

    @classmethod
    async def from_custom_id(
        cls, interaction: discord.Interaction[Any], item: discord.ui.Item[Any], match: re.Match[str]
    ) -> Self:
        assert isinstance(item, discord.ui.Button)
        return cls(Press.parse(match[0]), item)

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        await interaction.client.pressed(interaction, self.press)


@dataclass(frozen=True, slots=True)
class Picture:
    """A PNG with its description in words; without the data it is one that the message has already."""

    filename: str
    png: bytes | None
    description: str


@dataclass(frozen=True)
class Post:
    """A message to send, or an edit of one."""

    view: discord.ui.LayoutView
    picture: Picture | None = None
    pings: tuple[Player, ...] = ()

    @property
    def files(self) -> list[discord.File]:
        if self.picture is None or self.picture.png is None:
            return []
        data = io.BytesIO(self.picture.png)
        return [discord.File(data, self.picture.filename, description=self.picture.description)]

    @property
    def allowed_mentions(self) -> discord.AllowedMentions:
        return discord.AllowedMentions(
            everyone=False, roles=False, users=[discord.Object(player.id) for player in self.pings], replied_user=False
        )


def compose(
    *texts: str,
    picture: Picture | None = None,
    footer: str = "",
    buttons: tuple[ActionButton, ...] = (),
    colour: int | None = None,
    pings: tuple[Player, ...] = (),
) -> Post:
    """A card: texts, the picture, a small line below it, and a row of at most five buttons."""
    box: discord.ui.Container[Any] = discord.ui.Container(accent_colour=colour)
    for text in filter(None, texts):
        box.add_item(discord.ui.TextDisplay(text))
    if picture is not None:
        item = discord.MediaGalleryItem(f"attachment://{picture.filename}", description=picture.description)
        box.add_item(discord.ui.MediaGallery(item))
    if footer:
        box.add_item(discord.ui.TextDisplay(f"-# {footer}"))
    if buttons:
        box.add_item(discord.ui.ActionRow(*buttons))
    view = discord.ui.LayoutView(timeout=None)
    view.add_item(box)
    return Post(view, picture, pings)

"""The games with their pictures, and buttons below them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import discord

import render
import rules
from bot.discord.ui import scenes
from bot.discord.ui.messages import ActionButton, Message, Picture, new_view
from bot.discord.ui.presses import Press
from bot.texts import gettext as _
from rules import Position

_COLOUR = 0x5B8C3E
#: Buttons in a row.
_ROW = 5


def game_list(heading: str, text: str, theme: str, *buttons: Sequence[ActionButton]) -> Message:
    """All games, each with a picture and one sentence; every sequence of ``buttons`` begins a row.

    Drawing takes a while, so call this outside the event loop.
    """
    box: discord.ui.Container[Any] = discord.ui.Container(accent_colour=_COLOUR)
    box.add_item(discord.ui.TextDisplay("\n".join(filter(None, [heading, text]))))
    pictures = []
    for game in rules.GAMES.values():
        section, picture = game_section(game, theme, f"**{scenes.sign(game)} {game.title}**\n{_(game.summary)}.")
        box.add_item(section)
        pictures.append(picture)
    for row in rows(*buttons):
        box.add_item(row)
    view = new_view()
    view.add_item(box)
    return Message(view, tuple(pictures))


def game_section(game: type[Position], theme: str, text: str) -> tuple[discord.ui.Section[Any], Picture]:
    """A text beside the picture of a game, and that picture."""
    seen = _("Part of a board of {game}.").format(game=game.title)
    picture = Picture(f"{game.name}-{theme}.png", render.thumbnail(game, theme), seen)
    thumbnail: discord.ui.Thumbnail[Any] = discord.ui.Thumbnail(f"attachment://{picture.filename}", description=seen)
    return discord.ui.Section(text, accessory=thumbnail), picture


def game_button(press: Press, game: type[Position]) -> ActionButton:
    """The button that chooses a game from the list."""
    return ActionButton(press, game.title, emoji=scenes.sign(game))


def rows(*groups: Sequence[ActionButton]) -> Iterator[discord.ui.ActionRow[Any]]:
    """Yield the rows of each group of buttons, as full as Discord allows."""
    for group in groups:
        for at in range(0, len(group), _ROW):
            yield discord.ui.ActionRow(*group[at : at + _ROW])

"""The games with their pictures, and buttons below them."""

from __future__ import annotations

from collections.abc import Sequence

import render
import rules
from bot.discord.ui import scenes
from bot.discord.ui.messages import ActionButton, Aside, Message, Picture, compose, rows_of
from bot.discord.ui.presses import Press
from bot.texts import gettext as _
from rules import Position

_COLOUR = 0x5B8C3E


def game_list(heading: str, text: str, theme: str, *buttons: Sequence[ActionButton]) -> Message:
    """All games, each with a picture and one sentence; each sequence of ``buttons`` begins a row. This draws."""
    games = [
        game_aside(game, theme, f"**{scenes.sign(game)} {game.title}**\n{_(game.summary)}.")
        for game in rules.GAMES.values()
    ]
    return compose("\n".join(filter(None, [heading, text])), *games, *rows_of(*buttons), colour=_COLOUR)


def game_aside(game: type[Position], theme: str, text: str) -> Aside:
    """A text beside the picture of a game. This draws."""
    description = _("Part of a board of {game}.").format(game=game.title)
    return Aside(text, Picture(f"{game.name}-{theme}.png", render.thumbnail(game, theme), description))


def game_button(press: Press, game: type[Position]) -> ActionButton:
    return ActionButton(press, game.title, emoji=scenes.sign(game))

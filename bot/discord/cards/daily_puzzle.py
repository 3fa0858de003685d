"""The card of the puzzle of the day, which everybody sees. It draws."""

from __future__ import annotations

import discord

import render
from bot.discord.cards import scenes
from bot.discord.cards.puzzles import Stage, footer, request, rules_button
from bot.discord.messages import ActionButton, Message, Picture, compose
from bot.domain.puzzles import PuzzleCount
from bot.texts import gettext as _


def daily_card(stage: Stage, count: PuzzleCount, look: render.Look, *, draw: bool = True) -> Message:
    """The position, and how many have solved it; unless told to ``draw``, the message has its picture already."""
    position, events = stage.position, stage.events
    game = stage.puzzle.ruleset.game
    told = [_("### 🧩 Puzzle of the day · {game}").format(game=game.title), request(stage)]
    if count.tried:
        told.append(_("Solved at the first try by {solved} of {count}.").format(solved=count.solved, count=count.tried))
    return compose(
        "\n".join(told),
        picture=Picture(
            f"puzzle-{stage.puzzle.key}.png",
            render.picture(position, events, None, look) if draw else None,
            render.describe(position, events, None, look),
        ),
        footer=footer(stage),
        buttons=(
            ActionButton(stage.press("open"), _("Solve"), discord.ButtonStyle.success, "🧩"),
            rules_button(stage.puzzle),
        ),
        colour=scenes.colour(game),
    )

"""Pictures of positions and games as their viewers want them, and the words and colours around them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import render
import rules
from bot import texts
from bot.discord.ui import words
from bot.discord.ui.messages import ActionButton, Aside, Message, Picture, compose, rows_of
from bot.discord.ui.presses import Press
from bot.discord.ui.ratings import drawable
from bot.domain.matches import Game
from bot.domain.preferences import Bottom, Preferences, ServerSettings
from bot.texts import gettext as _
from rules import Event, Position, Side, ruleset
from rules.tasks import TaskOverlay

#: The product that drew a picture, for people who see it elsewhere.
PRODUCT = "Hexgrove"
#: The colour of cards about no game in particular, such as proposals.
GOLD = 0xC9A227
_LIST_COLOUR = 0x5B8C3E


def public_look(settings: ServerSettings) -> render.Look:
    """The look of public pictures in a server."""
    return render.Look(settings.theme or render.DEFAULT_LOOK.theme, texts=texts.translations())


def private_look(preferences: Preferences, game: Game | None = None, player_id: int | None = None) -> render.Look:
    """The look of pictures for one player, such as of their own ``game``.

    With their own side at the bottom, the two players see the board from opposite sides.
    """
    turned = preferences.orientation
    if isinstance(turned, Bottom):
        second = game is not None and player_id is not None and game.side_of(player_id) is Side.SECOND
        turned = 3 if turned is Bottom.MY_SIDE and second else 0
    theme = preferences.theme or render.DEFAULT_LOOK.theme
    return render.Look(theme, turned, preferences.coordinates, texts=texts.translations())


def page_look(preferences: Preferences) -> render.Look:
    """The look of pages. Their text says where things are, so the player's orientation does not apply."""
    return render.Look(private_look(preferences).theme, texts=texts.translations())


def picture(
    filename: str,
    position: Position,
    events: Sequence[Event],
    look: render.Look,
    *,
    draw: bool = True,
    overlay: TaskOverlay | None = None,
    before: Position | None = None,
    **shown: Any,
) -> Picture:
    """A position and its last turn, with their description; ``shown`` is passed to :func:`render.picture`.

    Unless told to ``draw``, the picture is one that the message already has.
    """
    name, cell = (None, None) if overlay is None else (overlay.name, overlay.cell)
    png = (
        render.picture(position, events, None, look, overlay=name, cell=cell, before=before, **shown) if draw else None
    )
    return Picture(filename, png, render.describe(position, events, None, look, before=before))


def header(game: Game, *, shared: bool = False) -> render.Header:
    """The players of a game and, for a picture that is ``shared`` away from its match, the product and the day."""
    match = game.match
    first, second = map(drawable, match.players)
    if not shared:
        return render.Header((first, second))
    played = words.day(match.ended_at or match.moved_at)
    return render.Header((first, second), PRODUCT, played, game.ply)


def sign(game: type[Position]) -> str:
    return render.face(game).sign


def colour(game: type[Position]) -> int:
    return int.from_bytes(render.face(game).colour)


def warm_up(*games: str) -> None:
    """Draw pictures of these or all games, because the first picture of a game takes longest."""
    for game in games or rules.GAMES:
        render.picture(ruleset(game).start())
        render.thumbnail(rules.GAMES[game])


def footer(game: Game) -> str:
    """The tournament, the number, the terms and the clock of a match."""
    match = game.match
    cup = "" if match.tournament is None else f"🏟️ {words.tournament(match.tournament)}"
    number = _("Match #{match}").format(match=match.id)
    return " · ".join(filter(None, [cup, number, words.terms(match.ruleset, rated=match.rated), words.clock_of(game)]))


def game_list(heading: str, text: str, theme: str, *buttons: Sequence[ActionButton]) -> Message:
    """All games, each with a picture and one sentence; each sequence of ``buttons`` begins a row. This draws."""
    games = [
        game_aside(game, theme, f"**{sign(game)} {game.title}**\n{_(game.summary)}.") for game in rules.GAMES.values()
    ]
    return compose("\n".join(filter(None, [heading, text])), *games, *rows_of(*buttons), colour=_LIST_COLOUR)


def game_aside(game: type[Position], theme: str, text: str) -> Aside:
    """A text beside the picture of a game. This draws."""
    description = _("Part of a board of {game}.").format(game=game.title)
    return Aside(text, Picture(f"{game.name}-{theme}.png", render.thumbnail(game, theme), description))


def game_button(press: Press, game: type[Position]) -> ActionButton:
    return ActionButton(press, game.title, emoji=sign(game))

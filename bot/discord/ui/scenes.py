"""Pictures of positions and games, and the words and colours around them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import discord

import render
import rules
from bot.discord.ui.actions import lobby_button
from bot.discord.ui.messages import ActionButton, Aside, Message, Picture, compose, rows_of
from bot.discord.ui.presses import Press
from bot.domain.matches import Game
from bot.texts import gettext as _
from bot.wording import ratings, words
from bot.wording.matches import consequences
from bot.wording.sentence import joined
from rules import Event, Position, ruleset
from rules.games import FIRST_GAME
from rules.tasks import TaskOverlay

#: The colour of cards about no game in particular, such as proposals.
GOLD = 0xC9A227
_LIST_COLOUR = 0x5B8C3E


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

    Without ``draw``, the message has the picture already. Renders pictures: call it in a thread.
    """
    name, cell = (None, None) if overlay is None else (overlay.name, overlay.cell)
    png = (
        render.picture(position, events, None, look, overlay=name, cell=cell, before=before, **shown) if draw else None
    )
    return Picture(filename, png, render.describe(position, events, None, look, before=before))


def emoji(game: type[Position]) -> str:
    return render.face(game).emoji


def colour(game: type[Position]) -> int:
    return int.from_bytes(render.face(game).colour)


def warm_up(*games: str) -> None:
    """Draw pictures of these games, by default all: a game's first picture takes longest."""
    for game in games or rules.GAMES:
        render.picture(ruleset(game).start())
        render.thumbnail(rules.GAMES[game])


def footer(game: Game) -> str:
    """The tournament or ladder of a match, or that an opponent is from elsewhere; its number, terms and clock."""
    match = game.match
    cup = "" if match.tournament is None else f"🏟️ {words.tournament(match.tournament)}"
    ladder = "" if match.ladder is None else f"🪜 {words.ladder(match.ruleset.game)}"
    elsewhere = _("🌍 from elsewhere") if match.is_between_places else ""
    number = _("Match #{match}").format(match=match.id)
    terms = words.terms(match.ruleset, rated=match.rated)
    return " · ".join(filter(None, [cup, ladder, elsewhere, number, terms, words.clock_of(game)]))


def result(game: Game) -> str:
    """The result of a match with its consequences; an explanation of ratings is in small letters."""
    note = ratings.explanation(game.match)
    return joined(words.headline(game), consequences(game), f"-# {note}" if note else "", by="\n")


def game_list(text: str, theme: str, buttons: Sequence[ActionButton]) -> Message:
    """Introduce all games with pictures. Renders them: call it in a thread."""
    usual = (ruleset(name) for name in rules.GAMES)
    games = [game_aside(each.game, theme, f"{_game_line(each.game)}\n{words.goal(each)}") for each in usual]
    return compose(text, *games, *rows_of(buttons), colour=_LIST_COLOUR)


def game_choice(question: str, buttons: Sequence[ActionButton]) -> Message:
    """Ask for a game, each in one line; another button leads back to the lobby."""
    lines = "\n".join(map(_game_line, rules.GAMES.values()))
    return compose(question, lines, *rows_of(buttons, [lobby_button()]), colour=_LIST_COLOUR)


def _game_line(game: type[Position]) -> str:
    return f"{emoji(game)} **{game.title}** · {words.facts(game)}"


def game_aside(game: type[Position], theme: str, text: str) -> Aside:
    """A text beside the picture of a game. Renders pictures: call it in a thread."""
    description = _("Part of a board of {game}.").format(game=game.title)
    return Aside(text, Picture(f"{game.name}-{theme}.png", render.thumbnail(game, theme), description))


def game_button(press: Press, game: type[Position]) -> ActionButton:
    """A button of a choice of games, in which the game to begin with stands out."""
    style = discord.ButtonStyle.primary if game is FIRST_GAME else discord.ButtonStyle.secondary
    return ActionButton(press, game.title, style, emoji(game))

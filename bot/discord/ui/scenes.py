"""How pictures look to their viewers."""

from __future__ import annotations

import render
import rules
from bot import texts
from bot.discord.ui import words
from bot.discord.ui.clock_words import clock_of
from bot.discord.ui.ratings import drawable
from bot.domain.matches import Game
from bot.domain.preferences import Bottom, Preferences, ServerSettings
from bot.texts import gettext as _
from rules import Position, Side, ruleset

#: What drew the pictures, for those who see them somewhere else.
PRODUCT = "Hexgrove"


def public_look(settings: ServerSettings) -> render.Look:
    """The look of what everybody in a server sees."""
    return render.Look(settings.theme or render.DEFAULT_LOOK.theme, texts=texts.translations())


def theme_of(preferences: Preferences) -> str:
    """The theme of what only one player sees."""
    return preferences.theme or render.DEFAULT_LOOK.theme


def private_look(preferences: Preferences, game: Game | None = None, player_id: int | None = None) -> render.Look:
    """The look of what only one player sees, such as their own game.

    With the own side at the bottom, the two players see the board from opposite sides.
    """
    turned = preferences.orientation
    if isinstance(turned, Bottom):
        second = game is not None and player_id is not None and game.side_of(player_id) is Side.SECOND
        turned = 3 if turned is Bottom.MY_SIDE and second else 0
    return render.Look(theme_of(preferences), turned, preferences.coordinates, texts=texts.translations())


def header(game: Game, *, shared: bool = False) -> render.Header:
    """Whose game a picture shows and, for one that is ``shared`` away from its match, when it was played and where."""
    match = game.match
    first, second = map(drawable, match.players)
    if not shared:
        return render.Header((first, second))
    played = words.day(match.ended_at or match.moved_at)
    return render.Header((first, second), PRODUCT, played, game.ply)


def sign(game: type[Position]) -> str:
    """The emoji by which a game is known on its cards."""
    return render.face(game).sign


def colour(game: type[Position]) -> int:
    """The colour of a game's cards."""
    return int.from_bytes(render.face(game).colour)


def warm_up(*games: str) -> None:
    """Draw pictures of these games, or of all, because the first picture of a game takes longest."""
    for game in games or rules.GAMES:
        render.picture(ruleset(game).start())
        render.thumbnail(rules.GAMES[game])


def footer(game: Game) -> str:
    """Which match this is, and of which game."""
    match = game.match
    cup = "" if match.tournament is None else f"🏟️ {words.tournament(match.tournament)}"
    number = _("Match #{match}").format(match=match.id)
    return " · ".join(filter(None, [cup, number, words.terms(match.ruleset, rated=match.rated), clock_of(game)]))

"""The looks of pictures, the players named in them, and the pictures of boards, which are drawn once for everybody."""

from __future__ import annotations

from functools import lru_cache
from gettext import NullTranslations
from threading import Lock

import render
from bot import texts
from bot.domain.matches import Ending, Game
from bot.domain.preferences import Bottom, Preferences, ServerSettings
from bot.texts import gettext as _, gettext_noop
from bot.wording import words
from render.cache import for_everybody, viewer
from rules import Event, Position, Side

#: The reasons for the end of a match that people, not the rules, have ended.
_REASONS = {
    Ending.RESIGNATION: gettext_noop("by resignation"),
    Ending.AGREEMENT: gettext_noop("by agreement"),
    Ending.ABANDONED: gettext_noop("by abandonment"),
    Ending.TIME: gettext_noop("on time"),
    Ending.VOID: gettext_noop("by a moderator's decision"),
    Ending.RECORD: gettext_noop("according to the record"),
}

#: Maximum cached board pictures, of some 20 kB each.
_PICTURES = 200
_DRAWING = [Lock() for _ in range(64)]
#: The name of the product on pictures that people share elsewhere.
PRODUCT = "Hexgrove"


def draw_for(person: int) -> None:
    """From now on, let the current task draw for one person: in their fair share, and without caching for others.

    Pictures for everybody are not affected.
    """
    viewer.set(person)


def board_png(
    position: Position,
    events: tuple[Event, ...],
    decision: render.Conclusion | None,
    look: render.Look,
    header: render.Header | None,
) -> bytes:
    """Draw the picture of a board once for all viewers on Discord and on its page: call it in a thread.

    Use it only for boards that everybody may see: of other boards, a cached picture, which comes faster, would reveal
    what another person tries.
    """
    board = position, events, decision, look, look.texts, header
    # Simultaneous requests for the same board wait for the first.
    with for_everybody(), _DRAWING[hash(board) % len(_DRAWING)]:
        return _draw(*board)


@lru_cache(_PICTURES)
def _draw(
    position: Position,
    events: tuple[Event, ...],
    decision: render.Conclusion | None,
    look: render.Look,
    _texts: NullTranslations,  # looks in different languages are equal
    header: render.Header | None,
) -> bytes:
    return render.picture(position, events, decision, look, header=header)


def public_look(settings: ServerSettings) -> render.Look:
    """The look of public pictures on a server."""
    return render.Look(settings.theme or render.DEFAULT_LOOK.theme, texts=texts.translations())


def private_look(preferences: Preferences, game: Game | None = None, player_id: int | None = None) -> render.Look:
    """The look of pictures for one player, perhaps of a ``game`` that they play.

    Players who want their own side at the bottom see the board from opposite sides.
    """
    turned = preferences.orientation
    if isinstance(turned, Bottom):
        second = game is not None and player_id is not None and game.side_of(player_id) is Side.SECOND
        turned = 3 if turned is Bottom.MY_SIDE and second else 0
    theme = preferences.theme or render.DEFAULT_LOOK.theme
    return render.Look(theme, turned, preferences.coordinates, texts=texts.translations())


def page_look(preferences: Preferences) -> render.Look:
    """The look of rule pages. Their text refers to cells of the board, so the player's orientation does not apply."""
    return render.Look(private_look(preferences).theme, texts=texts.translations())


def header_of(game: Game, *, shared: bool = False) -> render.Header:
    """The players of a game and, for a picture ``shared`` outside its match, the product and the day."""
    match = game.match
    first, second = map(words.drawable_name, match.players)
    if not shared:
        return render.Header((first, second))
    played = "" if match.imported is not None else words.day(match.ended_at or match.moved_at)
    return render.Header((first, second), PRODUCT, played, game.ply)


def conclusion_of(game: Game) -> render.Conclusion | None:
    """The end of a match, if people, not the rules, have ended it; None for other matches."""
    ended = game.match.result
    if ended is None or ended.ending in (Ending.RULES, Ending.UNFINISHED):
        return None
    winner = None if ended.winner_id is None else game.side_of(ended.winner_id)
    return render.Conclusion(winner, _REASONS[ended.ending], not ended.counts)


def overlay_titles(game: type[Position]) -> dict[str, str]:
    """The titles of a game's overlays, by name."""
    titles = {name: _(overlay.title) for name, overlay in render.overlays_of(game).items()}
    return {name: title[:1].upper() + title[1:] for name, title in titles.items()}

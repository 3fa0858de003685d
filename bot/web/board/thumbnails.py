"""Small, square pictures of boards and games in lists."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot import texts
from bot.domain.matches import Match
from bot.domain.preferences import Preferences
from bot.web.board.pictures import PictureRequest
from bot.web.board.turn_board import DARK, LIGHT
from rules import GAMES, Position


@dataclass(frozen=True, slots=True)
class Thumbnail:
    """The addresses of a picture for dark and light pages. The text beside it says what it shows."""

    dark: str
    light: str

    @classmethod
    def of_board(cls, address: str, request: PictureRequest, preferences: Preferences) -> Thumbnail:
        """A board at the address of its picture. Its colours match the page unless the visitor has chosen a theme."""
        turned = preferences.orientation if isinstance(preferences.orientation, int) else 0
        request = replace(request, language=texts.SOURCE, orientation=turned, coordinates=False, small=True)
        theme = preferences.theme
        return cls(*(f"{address}?{replace(request, theme=theme or default).query}" for default in (DARK, LIGHT)))

    @classmethod
    def of_match(cls, match: Match, key: str, preferences: Preferences, *, outside: bool) -> Thumbnail:
        """The current board of a match, for a player or for a watcher, ``outside``."""
        request = PictureRequest(step=match.step, over=match.result is not None, outside=outside)
        return cls.of_board(f"/m/{key}/board.png", request, preferences)

    @classmethod
    def of_game(cls, game: type[Position], preferences: Preferences) -> Thumbnail:
        """The picture of a game."""
        theme = preferences.theme
        return cls(*(f"/learn/{game.name}.png?theme={theme or default}" for default in (DARK, LIGHT)))


def shown_games(preferences: Preferences) -> list[tuple[type[Position], Thumbnail]]:
    """All games with their pictures."""
    return [(game, Thumbnail.of_game(game, preferences)) for game in GAMES.values()]

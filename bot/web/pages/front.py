"""The front page: the games, the puzzle of the day, and matches to watch."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias

from markupsafe import Markup

from bot import texts
from bot.domain.deliveries import MatchDelivery
from bot.domain.matches import Match
from bot.domain.preferences import Preferences
from bot.services.history import History
from bot.services.people.doors import Doors
from bot.services.study.puzzles import Puzzles
from bot.web.board.pictures import PictureRequest
from bot.web.board.thumbnails import Thumbnail, shown_games
from bot.web.html import templates
from bot.web.html.markup import relative
from bot.web.http.shared_cache import SharedCache
from bot.wording import words

#: Returns whether everybody on a server can view the channel of a match.
IsPublic: TypeAlias = Callable[[MatchDelivery], bool]
#: Seconds for which all visitors share the front page, and bytes of kept ones.
_LIFETIME, _KEPT = 60, 400_000
#: Maximum matches to watch.
_MATCHES = 3
_USUAL = Preferences()


@dataclass(frozen=True, slots=True)
class WatchedMatch:
    """A match that everybody may watch."""

    key: str
    board: Thumbnail
    players: str
    game: str
    running: bool
    when: Markup


@dataclass
class Front:
    """The part of the front page that all visitors share."""

    history: History
    puzzles: Puzzles
    doors: Doors
    is_public: IsPublic
    _parts: SharedCache = field(default_factory=partial(SharedCache, _KEPT))

    async def part(self, language: str) -> str:
        """The part in a language, as it was at most a minute ago."""
        key = language, int(time.monotonic() / _LIFETIME)
        return (await self._parts.get(key, partial(self._make, language))).decode()

    async def _make(self, language: str) -> bytes:
        matches, puzzle = await self.history.in_public(self.is_public, _MATCHES), await self.puzzles.today()
        shown = [(match, await self.doors.key(match.id)) for match in matches]

        def render() -> bytes:
            with texts.in_language(language):
                board = None
                if puzzle is not None:
                    board = Thumbnail.of_board(f"/puzzle/{puzzle.key}/board.png", PictureRequest(), _USUAL)
                part = templates.render(
                    "front.html",
                    games=shown_games(_USUAL),
                    facts=words.facts,
                    watched=[_watched(match, key) for match, key in shown],
                    puzzle=puzzle,
                    board=board,
                )
                return part.encode()

        return await asyncio.to_thread(render)


def _watched(match: Match, key: str) -> WatchedMatch:
    return WatchedMatch(
        key=key,
        board=Thumbnail.of_match(match, key, _USUAL, outside=True),
        players=words.versus(*match.players).plain,
        game=match.ruleset.game.title,
        running=match.result is None,
        when=relative(match.ended_at or match.moved_at),
    )

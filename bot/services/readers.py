"""Matches as the readers of their pages see them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from bot.domain.clocks import ClockView
from bot.domain.deliveries import MatchDelivery
from bot.domain.matches import Game, UnknownMatchError
from bot.services.clocks import clock_view
from bot.services.history import named_outside
from bot.services.matches import Matches, level_for
from bot.storage import Storage, Transaction


@dataclass(frozen=True, slots=True)
class ReaderView:
    """A match as a reader sees it, with its card on Discord; a running match may have a ``clock``.

    For a player, ``draft`` is the turn that they have begun, and ``suggested_level`` the level of the computer that
    suits them. A ``newcomer`` plays their first match of the game. While the opponent is to act, ``to_play`` counts the
    other matches that wait for the player, and ``next_id`` is the one that has waited longest.
    """

    game: Game
    delivery: MatchDelivery | None
    clock: ClockView | None = None
    draft: str = ""
    suggested_level: int | None = None
    newcomer: bool = False
    next_id: int | None = None
    to_play: int = 0


@dataclass
class Readers:
    storage: Storage
    matches: Matches
    now: Callable[[], datetime]

    async def view(self, match_id: int, reader_id: int | None) -> ReaderView:
        """A match for a reader (None: not signed in). Only its owner sees an imported record.

        Raises :class:`UnknownMatchError`.
        """
        async with self.storage.read() as tx:
            found = await tx.matches.with_homes(match_id)
            if found is None:
                raise UnknownMatchError
            match, homes = found
            delivery = _shown_to(reader_id, homes)
            if match.imported is not None and not (reader_id is not None and match.belongs_to(reader_id)):
                raise UnknownMatchError
            (game,) = await self.matches.games(tx, [match])
            if reader_id is None or not match.has_player(reader_id):
                outside = replace(game, match=await named_outside(tx, match))
                return await self._for_watchers(tx, outside, delivery)
            view, name = await self._for_watchers(tx, game, delivery), match.ruleset.game.name
            if match.result is None:
                played = await tx.searches.count_played(reader_id, name, before=match.id, most=1)
                view = replace(view, newcomer=played == 0)
            if match.computer is not None:
                view = replace(view, suggested_level=await level_for(tx, reader_id, name))
            if game.to_act is not None and game.to_act.id == reader_id:
                return replace(view, draft=await tx.matches.draft(match.id, reader_id, match.step))
            waiting = await tx.matches.awaiting(reader_id)
            return replace(view, next_id=waiting[0], to_play=len(waiting)) if waiting else view

    async def for_watchers(self, game: Game) -> ReaderView:
        """A loaded game for everybody who watches it."""
        async with self.storage.read() as tx:
            return await self._for_watchers(tx, game, _shown_to(None, await tx.deliveries.homes(game.match.id)))

    async def _for_watchers(self, tx: Transaction, game: Game, delivery: MatchDelivery | None) -> ReaderView:
        match = game.match
        if match.clock is None or match.result is not None:
            return ReaderView(game, delivery)
        return ReaderView(game, delivery, await clock_view(tx, match.clock, match.players, self.now()))


def _shown_to(reader_id: int | None, homes: Sequence[MatchDelivery]) -> MatchDelivery | None:
    """The delivery in the common home or the reader's own; None for others, who learn nothing of strangers' homes."""
    return next((home for home in homes if home.player_id is None or home.player_id == reader_id), None)

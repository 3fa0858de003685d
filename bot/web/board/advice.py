"""Hints: the turn that the computer would play, and why."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from bot.domain.computer import check_hints, hint_request
from bot.domain.matches import Game
from bot.services.fair_play import FairPlay
from bot.services.study.reviews import Hints
from bot.wording.hints import hint
from bot.wording.sentence import Sentence, joined


@dataclass
class Advice:
    hints: Hints
    fair_play: FairPlay

    async def ask(self, player_id: int, game: Game) -> tuple[str, str]:
        """Return the turn that the computer would play, and the sentences about it.

        Raises a refusal in a match between people, or if a hint would be unfair.
        """
        check_hints(game.match)
        await self.fair_play.check(player_id, game.position)
        search = hint_request(game)
        with self.hints.one_at_a_time(player_id, search):
            found = await self.hints.find(search, player_id)
        yours = game.to_act is not None and game.to_act.id == player_id
        advice, *why = await asyncio.to_thread(hint, game, found, yours=yours)
        return found.turn, joined(Sentence("💡 **{advice}.**").format(advice=advice), *why)

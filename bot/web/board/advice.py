"""Hints: the turn that the computer would play, and why."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from markupsafe import Markup

from bot.domain.computer import check_hints, hint_request
from bot.domain.matches import Game
from bot.services.fair_play import FairPlay
from bot.services.study.reviews import Hints
from bot.web.html.markup import html
from bot.wording.hints import hint


@dataclass
class Advice:
    hints: Hints
    fair_play: FairPlay

    async def ask(self, own: int, game: Game) -> tuple[str, Markup]:
        """The turn that the computer would play, and the sentences about it.

        Raises a refusal in a match between people, and where a hint would be unfair.
        """
        check_hints(game.match)
        await self.fair_play.check(own, game.position)
        asked = hint_request(game)
        with self.hints.one_at_a_time(own, asked):
            found = await self.hints.find(asked, own)
        yours = game.to_act is not None and game.to_act.id == own
        advice, *why = await asyncio.to_thread(hint, game, found, yours=yours)
        return found.turn, html(" ".join(filter(None, [f"💡 **{advice}.**", *why])))

"""Handovers: this process shows changes in its shards that nobody has shown, such as turns from pages and programs.

After a temporary failure, the backlog shows everything missing.
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.discord.posting.messenger import log_not_shown
from bot.discord.posting.presenter import Presenter
from bot.domain.timers import TimerKind
from bot.runtime.timers import on_timer


@dataclass
class Handovers:
    presenter: Presenter

    @on_timer(TimerKind.SHOW_MATCH)
    async def show_match(self, match_id: int) -> None:
        with log_not_shown("match_not_shown", match=match_id):
            await self.presenter.show_match(match_id)

    @on_timer(TimerKind.SHOW_AGAIN)
    async def show_again(self, match_id: int) -> None:
        with log_not_shown("match_not_shown", match=match_id):
            await self.presenter.show_match(match_id, quiet=True)

    @on_timer(TimerKind.SHOW_CHALLENGE)
    async def show_challenge(self, challenge_id: int) -> None:
        with log_not_shown("challenge_not_shown", challenge=challenge_id):
            await self.presenter.show_answered(challenge_id)

    @on_timer(TimerKind.SHOW_PROPOSAL)
    async def show_proposal(self, proposal_id: int) -> None:
        with log_not_shown("proposal_not_shown", proposal=proposal_id):
            await self.presenter.show_proposal(proposal_id)

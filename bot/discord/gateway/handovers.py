"""Handovers: what other processes have stored for a shard of this one, which shows it."""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import dataclass

import structlog

from bot.discord.posting.card_presenters import ChallengePresenter
from bot.discord.posting.presenter import Presenter
from bot.discord.transport.delivery import NotShownError
from bot.domain.timers import TimerKind
from bot.services.timers import on_timer

_LOG = structlog.get_logger(__name__)


@dataclass
class Handovers:
    presenter: Presenter
    challenge_presenter: ChallengePresenter

    @on_timer(TimerKind.SHOW_MATCH)
    async def show_match(self, match_id: int) -> None:
        await _log_refusal(match_id, self.presenter.show_match(match_id))

    @on_timer(TimerKind.SHOW_AGAIN)
    async def show_again(self, match_id: int) -> None:
        await _log_refusal(match_id, self.presenter.show_match(match_id, quiet=True))

    @on_timer(TimerKind.SHOW_CHALLENGE)
    async def show_challenge(self, challenge_id: int) -> None:
        await _log_refusal(challenge_id, self.challenge_presenter.show(challenge_id))

    @on_timer(TimerKind.SHOW_PROPOSAL)
    async def show_proposal(self, proposal_id: int) -> None:
        await _log_refusal(proposal_id, self.presenter.show_proposal(proposal_id))


async def _log_refusal(subject_id: int, showing: Awaitable[object]) -> None:
    try:
        await showing
    except NotShownError as error:  # if it may pass, the backlog shows everything that is missing
        _LOG.warning("not_shown", subject=subject_id, channel=error.channel_id, reason=str(error))

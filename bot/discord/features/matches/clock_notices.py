"""Notices about clocks: a reminder, a flag that has fallen, and a card whose clock has changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import structlog

from bot import texts
from bot.discord.features.matches.clock import flag_notice, reminder
from bot.discord.interaction.feature import Feature
from bot.discord.interaction.languages import Languages
from bot.discord.posting.messenger import Messenger
from bot.discord.posting.presenter import Presenter
from bot.discord.transport.delivery import NotShownError
from bot.discord.ui.messages import Message
from bot.domain.matches import Match
from bot.domain.timers import TimerKind
from bot.services.clocks import Clocks, Fall
from bot.services.deliveries import Deliveries
from bot.services.outages import Outages
from bot.services.settings import Settings
from bot.services.timers import RetryLaterError, on_timer

_LOG = structlog.get_logger(__name__)


@dataclass
class ClockNotices(Feature):
    """Posts what happens to clocks. Each handler stores it first; what cannot be shown stays stored."""

    clocks: Clocks
    deliveries: Deliveries
    outages: Outages
    settings: Settings
    languages: Languages
    messenger: Messenger
    presenter: Presenter

    @on_timer(TimerKind.FLAG)
    async def drop_flag(self, match_id: int) -> None:
        await self._check_presence(match_id)
        fall, match = await self.clocks.flag_fell(match_id)
        try:
            if fall is Fall.LOSS:
                await self.presenter.show_match(match_id)
            elif fall is Fall.CLAIM:
                await self._notify(match, lambda: flag_notice(match), nonce=_nonce("f", match))
        except NotShownError as error:
            _retry_unless_closed(error, match_id)

    @on_timer(TimerKind.REMINDER)
    async def remind(self, match_id: int) -> None:
        await self._check_presence(match_id)
        match = await self.clocks.to_remind(match_id)
        if match is None or match.clock is None:
            return
        player = match.players[match.clock.seat]
        if not (await self.settings.preferences(player.id)).pings:
            return  # the card says so already, and without a ping a notice adds nothing
        try:
            await self._notify(match, lambda: reminder(match, player), nonce=_nonce("r", match))
        except NotShownError as error:
            _retry_unless_closed(error, match_id)

    @on_timer(TimerKind.CARD)
    async def refresh_card(self, match_id: int) -> None:
        try:
            await self.presenter.refresh_match(match_id)
        except NotShownError as error:
            _retry_unless_closed(error, match_id)

    async def _notify(self, match: Match, notice: Callable[[], Message], *, nonce: str) -> None:
        """Post a notice where the match is played, unless it waits for a place."""
        delivery = await self.deliveries.get(match.id)
        if delivery.channel_id is None:
            return
        with texts.in_language(await self.languages.of_server(match.guild_id)):
            message = notice()
        await self.messenger.show_everybody(delivery.channel_id, message, nonce=nonce)

    async def _check_presence(self, match_id: int) -> None:
        """Let no flag fall while the players cannot reach the bot, nor right after that."""
        delivery = await self.deliveries.get(match_id)
        if not self.outages.reaches(delivery.home.guild_id) or await self.outages.make_up():
            raise RetryLaterError


def _retry_unless_closed(error: NotShownError, match_id: int) -> None:
    """Have a notice tried again later, unless the bot may not post there: then the board shows it."""
    if not error.closed:
        raise RetryLaterError from error
    _LOG.warning("notice_not_shown", match=match_id, channel=error.channel_id, reason=str(error))


def _nonce(kind: str, match: Match) -> str:
    """A nonce that is the same for a notice sent twice, and another one once the clock has changed.

    Discord takes at most 25 characters.
    """
    assert match.clock is not None
    assert match.clock.flag_at is not None
    return f"{kind}{match.id}.{match.step}.{int(match.clock.flag_at.timestamp()) % 10**6}"

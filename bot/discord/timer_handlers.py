"""What the bot does when a timer rings."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import structlog

from bot import texts
from bot.discord.cards.clock import flag_notice, reminder
from bot.discord.delivery import NotShownError
from bot.discord.languages import server_language
from bot.domain.matches import Match
from bot.domain.timers import TimerKind
from bot.services.clocks import Fall
from bot.services.timers import NotNowError

if TYPE_CHECKING:
    from bot.app import Hexgrove

_LOG = structlog.get_logger(__name__)
#: Several beats of the process.
_STANDSTILL = timedelta(minutes=1)


class Bells:
    """The handlers of the timers. Each stores what happens, then shows it; what cannot be shown stays stored."""

    def __init__(self, client: Hexgrove) -> None:
        self._client = client
        self.handlers: Mapping[TimerKind, Callable[[int], Awaitable[None]]] = {
            TimerKind.EXPIRY: self._expire_challenge,
            TimerKind.FLAG: self._drop_flag,
            TimerKind.REMINDER: self._remind,
            TimerKind.CARD: self._refresh_card,
            TimerKind.TOURNAMENT: self._advance,
            TimerKind.HEARTBEAT: self._beat,
            TimerKind.PURGE: self._purge,
        }

    async def _expire_challenge(self, challenge_id: int) -> None:
        await self._client.matches.expire_challenge(challenge_id)
        try:
            await self._client.presenter.show_challenge(challenge_id)
        except NotShownError as error:
            _LOG.warning("expiry_not_shown", challenge=challenge_id, reason=str(error))

    async def _drop_flag(self, match_id: int) -> None:
        await self._check_presence()
        match = await self._client.matches.match(match_id)
        fall = await self._client.timekeeper.flag_fell(match_id)
        try:
            if fall is Fall.LOSS:
                await self._client.presenter.show_match(match_id)
            elif fall is Fall.CLAIM and match.channel_id is not None:
                with texts.speaking(await server_language(self._client, match.home.guild_id)):
                    notice = flag_notice(match)
                await self._client.presenter.show_everybody(match.channel_id, notice, nonce=_nonce("f", match))
        except NotShownError as error:
            self._not_shown(error, match_id)

    async def _remind(self, match_id: int) -> None:
        await self._check_presence()
        match = await self._client.matches.match(match_id)
        player = await self._client.timekeeper.to_remind(match_id)
        if player is None or match.channel_id is None:
            return
        if not (await self._client.preferences.preferences(player.id)).pings:
            return  # the card says it, and without a ping nobody would see more than that
        with texts.speaking(await server_language(self._client, match.home.guild_id)):
            notice = reminder(match, player)
        try:
            await self._client.presenter.show_everybody(match.channel_id, notice, nonce=_nonce("r", match))
        except NotShownError as error:
            self._not_shown(error, match_id)

    async def _refresh_card(self, match_id: int) -> None:
        try:
            await self._client.presenter.refresh_match(match_id)
        except NotShownError as error:
            self._not_shown(error, match_id)

    async def _advance(self, tournament_id: int) -> None:
        for match_id in await self._client.tournaments.advance(tournament_id):
            try:
                await self._client.presenter.show_match(match_id)
            except NotShownError as error:
                _LOG.warning("match_not_shown", match=match_id, channel=error.channel_id, reason=str(error))
        try:
            await self._client.desk.show(tournament_id)
        except NotShownError as error:
            if not error.closed:
                raise NotNowError from error
            _LOG.warning("tournament_not_shown", tournament=tournament_id, channel=error.channel_id)

    async def _beat(self, _subject: int) -> None:
        running = await self._client.storage.last_clock_change() is not None
        if self._client.connected:
            await self._client.timekeeper.note_presence(again=running)
        elif running:
            raise NotNowError

    async def _purge(self, _subject: int) -> None:
        await self._client.matches.purge()

    def _not_shown(self, error: NotShownError, match_id: int) -> None:
        """What may go by itself is tried again; where the bot may not post, people see it on the board."""
        if not error.closed:
            raise NotNowError
        _LOG.warning("notice_not_shown", match=match_id, channel=error.channel_id, reason=str(error))

    async def _check_presence(self) -> None:
        """No flag falls while the players cannot reach the bot, nor at once after that."""
        if not self._client.connected or await self._client.has_been_away():
            raise NotNowError


def _nonce(kind: str, match: Match) -> str:
    """The same for one notice that is sent twice, and another one when the clock has changed; at most 25 characters."""
    assert match.clock is not None
    assert match.clock.flag_at is not None
    return f"{kind}{match.id}.{match.step}.{int(match.clock.flag_at.timestamp()) % 10**6}"


class Absence:
    """Since when Discord has been out of reach, as far as the connection tells, or the process has stood still."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._since: datetime | None = None
        self._beaten: datetime | None = None

    def begin(self, since: datetime | None = None) -> None:
        """It begins now, or has begun earlier."""
        if self._since is None:
            self._since = since or self._clock()

    def end(self) -> datetime | None:
        """When it began, be it a standstill or a lost connection, which is over now; None when there was neither."""
        now, known = self._clock(), self._beaten
        still = known if known is not None and now - known >= _STANDSTILL else None
        since = min((each for each in (self._since, still) if each is not None), default=None)
        self._since = None
        if known is not None:
            self._beaten = now
        return since

    def beat(self) -> None:
        """Notes that the process is running; where nobody does that, it never stands still."""
        self._beaten = self._clock()

"""Writes to players directly: what waits for them, once a day or after their quiet hours."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import datetime

import structlog

from bot import texts
from bot.discord.features.matches.games_cards import Listed, list_match, small_boards
from bot.discord.features.people.reminders import SHOWN, digest_card, quiet_over_notice
from bot.discord.interaction.feature import Feature
from bot.discord.interaction.languages import Languages
from bot.discord.posting.messenger import Messenger
from bot.discord.transport.delivery import Delivery, NotShownError
from bot.discord.transport.servers import Servers
from bot.discord.ui.messages import Message
from bot.domain.deliveries import MatchDelivery
from bot.domain.matches import Pending
from bot.domain.places import Place
from bot.domain.timers import TimerKind
from bot.services.matches import Matches
from bot.services.reminders import ALONE, Reminders, Waiting
from bot.services.timers import on_timer

_LOG = structlog.get_logger(__name__)
#: A conversation of somebody with the bot, whichever.


@dataclass
class Digests(Feature):
    """Digests, and pings after quiet hours."""

    servers: Servers
    matches: Matches
    reminders: Reminders
    languages: Languages
    messenger: Messenger
    delivery: Delivery

    @on_timer(TimerKind.DIGEST)
    async def send(self, player_id: int) -> None:
        """Send a player's digest if it is due and something waits for them.

        It is silent in their quiet hours, after which one ping follows as ever.
        """
        waiting = await self.reminders.digest(player_id)
        if waiting is None:
            return
        chosen = waiting.preferences
        with _in_language_of(waiting):
            card = replace(await self._card(waiting), silent=chosen.quiet_until(waiting.loaded_at) is not None)
        around = chosen.digests_around(waiting.loaded_at)
        assert around is not None, "it is due"
        try:
            await self.delivery.send_directly(player_id, card, nonce=_nonce(player_id, around[0]))
        except NotShownError as error:
            _LOG.info("digest_not_sent", reason=str(error))
            if error.closed:
                await self.reminders.stop_digests(player_id)
            else:
                await self.reminders.put_off(TimerKind.DIGEST, player_id)
            return
        await self.reminders.end_digest(player_id)

    @on_timer(TimerKind.QUIET_END)
    async def end_quiet_hours(self, player_id: int) -> None:
        """Ping a player once for everything that came while pings were silent.

        The ping is posted where something waits, or sent as a direct message if the bot cannot post there: in the
        conversations of others it may only answer its users.
        """
        waiting = await self.reminders.quiet_over(player_id)
        if waiting is None:
            return
        try:
            if waiting.place is None or not await self._ping_in(waiting.place, waiting):
                await self._ping_directly(waiting)
        except NotShownError as error:
            _LOG.warning("reminder_not_shown", channel=error.channel_id, reason=str(error))
            if not error.closed:
                await self.reminders.put_off(TimerKind.QUIET_END, player_id)

    async def _ping_in(self, place: Place, waiting: Waiting) -> bool:
        """Ping a player on a server; False if the bot may not post there."""
        with texts.in_language(await self.languages.of_server(place.guild_id)):
            notice = quiet_over_notice(waiting)
        try:
            await self.messenger.show_everybody(place.channel_id, notice)
        except NotShownError as error:
            if not error.closed:
                raise
            return False
        return True

    async def _ping_directly(self, waiting: Waiting) -> None:
        with _in_language_of(waiting):
            notice = quiet_over_notice(waiting)
        await self.delivery.send_directly(waiting.player.id, notice, nonce=secrets.token_hex(8))

    async def _card(self, waiting: Waiting) -> Message:
        shown = [await self._listed(pending, waiting.deliveries) for pending in waiting.matches[:SHOWN]]
        games = [await self.matches.game_of(each.pending.match) for each in shown]
        player = waiting.player
        boards = await asyncio.to_thread(small_boards, games, waiting.preferences, player.id)
        return digest_card(waiting, shown, boards)

    async def _listed(self, pending: Pending, deliveries: Mapping[int, MatchDelivery]) -> Listed:
        delivery, guild_id = deliveries[pending.match.id], pending.match.guild_id
        if guild_id is None:
            return list_match(pending, delivery, None, ALONE, absent=True)
        await self.servers.wait(guild_id)  # the bot may have just started
        guild, absent = self.servers.get(guild_id), self.servers.lacks(guild_id)
        return list_match(pending, delivery, guild, ALONE, absent=absent)


def _nonce(player_id: int, due_at: datetime) -> str:
    """A nonce that is the same when a digest is sent twice, of at most 25 characters, as Discord wants it."""
    return f"d{player_id}.{due_at.toordinal() % 1000}"


def _in_language_of(waiting: Waiting) -> AbstractContextManager[None]:
    chosen = waiting.preferences
    return texts.in_language(chosen.language or chosen.direct_language or texts.SOURCE)

"""The backlog: changes that are stored but not shown yet, such as after a start."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

import structlog

from bot.discord.posting.card_presenters import ChallengePresenter, ProposalPresenter
from bot.discord.posting.match_presenter import MatchPresenter
from bot.discord.transport.sender import NotShownError
from bot.discord.transport.servers import Servers
from bot.domain.deliveries import CardKey
from bot.storage import Storage

_T = TypeVar("_T")
_LOG = structlog.get_logger(__name__)
#: Seconds until the next attempt after a failure.
_RETRY = 60.0
#: The number of cards to show at once: the bot draws one while another waits for Discord.
_AT_ONCE = 4


@dataclass
class Backlog:
    """Shows what is missing; ``on_done`` is called after each attempt."""

    match_presenter: MatchPresenter
    challenge_presenter: ChallengePresenter
    proposal_presenter: ProposalPresenter
    servers: Servers
    storage: Storage
    on_done: Callable[[], Awaitable[None]]

    def __post_init__(self) -> None:
        self._catching_up: asyncio.Task[None] | None = None
        self._behind = False
        self._retry: asyncio.TimerHandle | None = None
        self._stopped = False

    def start_catching_up(self) -> None:
        """Catch up in the background; if an attempt is running, once more afterwards."""
        if self._stopped:
            return  # Discord's events still arrive until the connection is closed
        self._behind = True
        if self._catching_up is None or self._catching_up.done():
            self._catching_up = asyncio.get_running_loop().create_task(self._catch_up_and_log())

    async def wait(self) -> None:
        """Wait for the running attempt to end."""
        if self._catching_up is not None:
            await asyncio.wait({self._catching_up})

    def retry_later(self) -> None:
        """Schedule another attempt."""
        if self._retry is None:
            self._retry = asyncio.get_running_loop().call_later(_RETRY, self._retry_now)

    def stop(self) -> set[asyncio.Task[None]]:
        """Start no more attempts, and return the task of the last one."""
        if self._retry is not None:
            self._retry.cancel()
        self._stopped = True
        return set() if self._catching_up is None else {self._catching_up}

    async def catch_up(self) -> None:
        """Show what is missing, the newest first, find places for waiting matches, and retire replaced messages."""
        async with self.storage.read() as tx:
            outdated = await tx.deliveries.unshown_matches()
            waiting = await tx.deliveries.waiting_matches()
        self.match_presenter.search(outdated)
        placed = [key for key in outdated if key not in waiting]
        await self._show_all("match_not_shown", self._show_card, placed)
        # The match that has waited longest finds a place first. Matches of other shards follow once these are ready.
        placeable = [key for key in waiting if await self._is_known(key)]
        await self._show_all("match_not_shown", self._show_card, placeable, at_once=1)
        # Finding a place also changes a challenge's card, so these come last.
        async with self.storage.read() as tx:
            challenges = await tx.deliveries.unshown_challenges()
            proposals = await tx.deliveries.unshown_proposals()
            replaced = await tx.deliveries.replaced_messages()
        await self._show_all("challenge_not_shown", self.challenge_presenter.show, challenges)
        await self._show_all("proposal_not_shown", self.proposal_presenter.show, proposals)
        await self.match_presenter.retire(replaced)

    async def _show_all(
        self, event: str, show: Callable[[_T], Awaitable[object]], ids: Sequence[_T], *, at_once: int = _AT_ONCE
    ) -> None:
        """Show subjects in order, several at once; the failure of one does not hold up the others.

        The first one is shown alone, because the first picture after a start takes long, and longer beside others.
        """
        left = iter(ids)

        async def work(most: int | None = None) -> None:
            for subject in islice(left, most):
                try:
                    await show(subject)
                except NotShownError as error:
                    _LOG.warning(event, subject=subject, channel=error.channel_id, reason=str(error))
                except Exception:
                    _LOG.exception("catching_up_failed", subject=subject)
                    self.retry_later()

        await work(1)
        if len(ids) > 1:
            await asyncio.gather(*(work() for _ in range(at_once)))

    async def _show_card(self, key: CardKey) -> None:
        await self.match_presenter.show_match(key.match_id, key=key)

    async def _is_known(self, key: CardKey) -> bool:
        """Whether this process knows the channels where the match can find a place."""
        _match, delivery = await self.match_presenter.deliveries.of_card(key)
        guild_id = delivery.home.guild_id
        return guild_id is None or self.servers.is_ready(guild_id)

    async def _catch_up_and_log(self) -> None:
        try:
            while self._behind:
                self._behind = False
                await self.catch_up()
                await self.on_done()  # clocks have started in matches that found a place
        except Exception:
            _LOG.exception("catching_up_failed")
            self.retry_later()

    def _retry_now(self) -> None:
        self._retry = None
        self.start_catching_up()

"""Catches up on what was stored and not shown, such as after a start."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from bot.discord.delivery import NotShownError
from bot.discord.match_presenter import MatchPresenter
from bot.discord.presenter import Presenter
from bot.discord.proposal_presenter import ProposalPresenter
from bot.storage import Storage

_LOG = structlog.get_logger(__name__)
#: Seconds before all that is missing is shown.
_SECOND_TRY = 60.0


class Backlog:
    """``on_done`` is called when what was missing is shown."""

    def __init__(
        self,
        presenter: Presenter,
        match_presenter: MatchPresenter,
        proposal_presenter: ProposalPresenter,
        storage: Storage,
        on_done: Callable[[], Awaitable[None]],
    ) -> None:
        self._presenter = presenter
        self._match_presenter = match_presenter
        self._proposal_presenter = proposal_presenter
        self._storage = storage
        self._on_done = on_done
        self._catching_up: asyncio.Task[None] | None = None
        self._behind = False
        self._second_try: asyncio.TimerHandle | None = None

    def start_catching_up(self) -> None:
        """Catch up in the background; once more if that is going on already."""
        self._behind = True
        if self._catching_up is None or self._catching_up.done():
            self._catching_up = asyncio.get_running_loop().create_task(self._catch_up_and_log())

    def try_later(self) -> None:
        """Show what is missing a while later."""
        if self._second_try is None:
            self._second_try = asyncio.get_running_loop().call_later(_SECOND_TRY, self._try_again)

    def stop(self) -> set[asyncio.Task[None]]:
        """Start nothing more in the background; return what is going on, if anything."""
        if self._second_try is not None:
            self._second_try.cancel()
        return set() if self._catching_up is None else {self._catching_up}

    async def catch_up(self) -> None:
        """Show everything that was stored and not shown, find places for the matches that wait for one, and retire the
        cards that were replaced.
        """
        async with self._storage.read() as tx:
            _, matches = await tx.deliveries.unshown()
            waiting = await tx.deliveries.waiting()
        self._match_presenter.doubt(matches)
        for match_id in sorted({*matches, *waiting}):
            try:
                await self._presenter.show_match(match_id)
            except NotShownError as error:
                _LOG.warning("match_not_shown", match=match_id, channel=error.channel_id, reason=str(error))
        # Finding a place changes a challenge's card too, so these come last.
        async with self._storage.read() as tx:
            challenges, _ = await tx.deliveries.unshown()
        for challenge_id in challenges:
            try:
                await self._presenter.show_challenge(challenge_id)
            except NotShownError as error:
                _LOG.warning("challenge_not_shown", challenge=challenge_id, channel=error.channel_id, reason=str(error))
        async with self._storage.read() as tx:
            proposals = await tx.deliveries.unshown_proposals()
            replaced = await tx.deliveries.replaced()
        await self._proposal_presenter.show_all(proposals)
        await self._match_presenter.retire(replaced)

    async def _catch_up_and_log(self) -> None:
        try:
            while self._behind:
                self._behind = False
                await self.catch_up()
                await self._on_done()  # the clocks of matches that found a place run
        except Exception:
            _LOG.exception("catching_up_failed")

    def _try_again(self) -> None:
        self._second_try = None
        self.start_catching_up()

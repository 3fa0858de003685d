"""What the bot does when a timer rings."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial

import structlog

from bot import texts
from bot.discord.features.matches.clock import flag_notice, reminder
from bot.discord.features.people.digests import Digests
from bot.discord.features.people.reminders import quiet_over_notice
from bot.discord.features.study.daily_puzzle import DailyPuzzles
from bot.discord.interaction.languages import Languages
from bot.discord.posting.challenge_presenter import ChallengePresenter
from bot.discord.posting.messenger import Messenger
from bot.discord.posting.presenter import Presenter
from bot.discord.posting.tournament_presenter import TournamentPresenter
from bot.discord.transport.delivery import NotShownError
from bot.discord.ui.messages import Message
from bot.domain.matches import Match
from bot.domain.places import Place
from bot.domain.timers import TimerKind
from bot.services.challenges import Challenges
from bot.services.clocks import Clocks, Fall
from bot.services.deliveries import Deliveries
from bot.services.outages import Outages
from bot.services.privacy import Privacy
from bot.services.reminders import Reminders, Waiting
from bot.services.settings import Settings
from bot.services.timers import NotNowError
from bot.services.tournaments import Tournaments

_LOG = structlog.get_logger(__name__)


class TimerHandlers:
    """The handlers of the timers. Each stores what happens, then shows it; what cannot be shown stays stored."""

    def __init__(
        self,
        challenges: Challenges,
        clocks: Clocks,
        deliveries: Deliveries,
        outages: Outages,
        tournaments: Tournaments,
        settings: Settings,
        privacy: Privacy,
        reminders: Reminders,
        languages: Languages,
        messenger: Messenger,
        digests: Digests,
        daily_puzzles: DailyPuzzles,
        presenter: Presenter,
        challenge_presenter: ChallengePresenter,
        tournament_presenter: TournamentPresenter,
    ) -> None:
        self._challenges = challenges
        self._clocks = clocks
        self._deliveries = deliveries
        self._outages = outages
        self._tournaments = tournaments
        self._settings = settings
        self._privacy = privacy
        self._reminders = reminders
        self._languages = languages
        self._messenger = messenger
        self._digests = digests
        self._presenter = presenter
        self._challenge_presenter = challenge_presenter
        self._tournament_presenter = tournament_presenter
        self.handlers: Mapping[TimerKind, Callable[[int], Awaitable[None]]] = {
            TimerKind.EXPIRY: self._expire_challenge,
            TimerKind.FLAG: self._drop_flag,
            TimerKind.REMINDER: self._remind,
            TimerKind.CARD: self._refresh_card,
            TimerKind.TOURNAMENT: self._advance,
            TimerKind.SHOW_MATCH: partial(self._show, self._presenter.show_match),
            TimerKind.SHOW_AGAIN: partial(self._show, partial(self._presenter.show_match, quiet=True)),
            TimerKind.SHOW_CHALLENGE: partial(self._show, self._challenge_presenter.show),
            TimerKind.SHOW_PROPOSAL: partial(self._show, self._presenter.show_proposal),
            TimerKind.HEARTBEAT: self._beat,
            TimerKind.PURGE: self._purge,
            TimerKind.FORGET: self._forget,
            TimerKind.QUIET_END: self._end_quiet_hours,
            TimerKind.DIGEST: digests.send,
            TimerKind.DAILY_PUZZLE: daily_puzzles.post,
            TimerKind.PUZZLE_COUNT: daily_puzzles.recount,
        }

    async def _expire_challenge(self, challenge_id: int) -> None:
        await self._challenges.expire(challenge_id)
        try:
            await self._challenge_presenter.show(challenge_id)
        except NotShownError as error:
            _LOG.warning("expiry_not_shown", challenge=challenge_id, reason=str(error))

    async def _drop_flag(self, match_id: int) -> None:
        await self._check_presence(match_id)
        fall, match = await self._clocks.flag_fell(match_id)
        try:
            if fall is Fall.LOSS:
                await self._presenter.show_match(match_id)
            elif fall is Fall.CLAIM:
                await self._notify(match, lambda: flag_notice(match), nonce=_nonce("f", match))
        except NotShownError as error:
            self._not_shown(error, match_id)

    async def _remind(self, match_id: int) -> None:
        await self._check_presence(match_id)
        match = await self._clocks.to_remind(match_id)
        if match is None or match.clock is None:
            return
        player = match.players[match.clock.seat]
        if not (await self._settings.preferences(player.id)).pings:
            return  # the card says so already, and without a ping a notice adds nothing
        try:
            await self._notify(match, lambda: reminder(match, player), nonce=_nonce("r", match))
        except NotShownError as error:
            self._not_shown(error, match_id)

    async def _notify(self, match: Match, notice: Callable[[], Message], *, nonce: str) -> None:
        """Post a notice where the match is played, if it is played in a channel."""
        delivery = await self._deliveries.get(match.id)
        if delivery is None or delivery.channel_id is None:
            return
        with texts.in_language(await self._languages.of_server(match.guild_id)):
            message = notice()
        await self._messenger.show_everybody(delivery.channel_id, message, nonce=nonce)

    async def _refresh_card(self, match_id: int) -> None:
        try:
            await self._presenter.refresh_match(match_id)
        except NotShownError as error:
            self._not_shown(error, match_id)

    async def _advance(self, tournament_id: int) -> None:
        for match_id in await self._tournaments.advance(tournament_id):
            try:
                await self._presenter.show_match(match_id)
            except NotShownError as error:
                _LOG.warning("match_not_shown", match=match_id, channel=error.channel_id, reason=str(error))
        try:
            await self._tournament_presenter.show(tournament_id)
        except NotShownError as error:
            if not error.closed:
                raise NotNowError from error
            _LOG.warning("tournament_not_shown", tournament=tournament_id, channel=error.channel_id)

    async def _show(self, show: Callable[[int], Awaitable[object]], subject_id: int) -> None:
        """Show what another process has stored."""
        try:
            await show(subject_id)
        except NotShownError as error:  # what may pass by itself is tried again with all that is missing
            _LOG.warning("not_shown", subject=subject_id, channel=error.channel_id, reason=str(error))

    async def _beat(self, _subject: int) -> None:
        if not await self._clocks.beat(self._outages.connected):
            raise NotNowError

    async def _purge(self, _subject: int) -> None:
        await self._privacy.purge()

    async def _forget(self, _subject: int) -> None:
        await self._privacy.forget()

    async def _end_quiet_hours(self, player_id: int) -> None:
        """Ping a player once for all that came while pings were silent.

        That is where it waits, or in a direct message if the bot cannot post there: in the conversations of others it
        may only answer whoever uses it.
        """
        waiting = await self._reminders.quiet_over(player_id)
        if waiting is None:
            return
        try:
            if waiting.place is None or not await self._ping(waiting, waiting.place):
                await self._digests.ping(waiting)
        except NotShownError as error:
            _LOG.warning("reminder_not_shown", channel=error.channel_id, reason=str(error))
            if not error.closed:
                await self._reminders.put_off(TimerKind.QUIET_END, player_id)

    async def _ping(self, waiting: Waiting, place: Place) -> bool:
        """Ping a player on a server; False if the bot may not post there."""
        with texts.in_language(await self._languages.of_server(place.guild_id)):
            notice = quiet_over_notice(waiting)
        try:
            await self._messenger.show_everybody(place.channel_id, notice)
        except NotShownError as error:
            if not error.closed:
                raise
            return False
        return True

    def _not_shown(self, error: NotShownError, match_id: int) -> None:
        """Try again later, unless the bot may not post there: then the board shows it."""
        if not error.closed:
            raise NotNowError
        _LOG.warning("notice_not_shown", match=match_id, channel=error.channel_id, reason=str(error))

    async def _check_presence(self, match_id: int) -> None:
        """Let no flag fall while the players cannot reach the bot, nor right after that."""
        delivery = await self._deliveries.get(match_id)
        guild_id = None if delivery is None else delivery.home.guild_id
        if not self._outages.reaches(guild_id) or await self._outages.make_up():
            raise NotNowError


def _nonce(kind: str, match: Match) -> str:
    """A nonce that is the same for a notice sent twice, and another one once the clock has changed.

    Discord takes at most 25 characters.
    """
    assert match.clock is not None
    assert match.clock.flag_at is not None
    return f"{kind}{match.id}.{match.step}.{int(match.clock.flag_at.timestamp()) % 10**6}"

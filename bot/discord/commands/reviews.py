"""``/review``: who stood better turn by turn in a match that is over, and what would have been better."""

from __future__ import annotations

import asyncio

import structlog
from discord import app_commands

from bot.discord import replies
from bot.discord.access import Access
from bot.discord.cards.review import failed_card, point_card, progress_card, review_card
from bot.discord.cards.scenes import private_look
from bot.discord.feature import handles
from bot.discord.in_flight import InFlight
from bot.discord.interactions import Interaction, Typed, match_number
from bot.discord.match_choices import MatchOptions
from bot.discord.messages import Message, OutdatedPressError, Press
from bot.domain.matches import Game
from bot.domain.reviews import Review
from bot.log import failure
from bot.services.fair_play import FairPlay
from bot.services.history import History
from bot.services.matches import Matches
from bot.services.reviews import PendingReview, Reviews
from bot.services.settings import Settings
from bot.texts import gettext_noop

_LOG = structlog.get_logger(__name__)
#: Seconds between two edits that tell how far a review is.
_PACE = 3.0


class ReviewCommands(MatchOptions):
    def __init__(
        self,
        *,
        matches: Matches,
        reviews: Reviews,
        fair_play: FairPlay,
        history: History,
        settings: Settings,
        access: Access,
        in_flight: InFlight,
    ) -> None:
        super().__init__(matches, access)
        self._reviews = reviews
        self._fair_play = fair_play
        self._history = history
        self._settings = settings
        self._in_flight = in_flight
        #: By user, where they have last asked for a review that is being made.
        self._asked: dict[int, Interaction] = {}

    @app_commands.command(
        description=gettext_noop("See who stood better in a match that is over, and the turns that decided it")
    )
    @app_commands.describe(match=gettext_noop("The number of the match, if it is not the one played here"))
    @app_commands.autocomplete(match=MatchOptions.finished_matches)
    async def review(self, interaction: Interaction, match: Typed | None = None) -> None:
        await self._show(interaction, await self._game(interaction, match_number(match)))

    @handles("review")
    async def open(self, interaction: Interaction, press: Press) -> None:
        """Show the review of the match whose card it is, or how far it is by now; at once at the turn of that number,
        if it was a turning point."""
        game = await self._game(interaction, press.subject)
        found = await self._reviews.get(game, interaction.user.id)
        if isinstance(found, Review):
            for number, point in enumerate(found.points, 1):
                if point.ply == press.step:
                    await self._show_point(interaction, game, found, number)
                    return
        await self._show(interaction, game)

    @handles("review-point")
    async def show_point(self, interaction: Interaction, press: Press) -> None:
        """Show a turning point."""
        game = await self._game(interaction, press.subject)
        found = await self._reviews.get(game, interaction.user.id)
        if isinstance(found, PendingReview):  # the search has got better since
            await self._show(interaction, game)
            return
        if not 0 < press.step <= len(found.points):
            raise OutdatedPressError
        await self._show_point(interaction, game, found, press.step)

    async def _game(self, interaction: Interaction, number: int | None) -> Game:
        """The match of that number or, without one, the last one that is over; if the user may see it."""
        found = await self._history.find_finished(self._access.viewer_of(interaction), number)
        return await self._matches.game_of(found)

    async def _show(self, interaction: Interaction, game: Game) -> None:
        found = await self._reviews.get(game, interaction.user.id)
        if isinstance(found, Review):
            await replies.show(interaction, await self._card(interaction, game, found))
            return
        user_id = interaction.user.id
        self._asked[user_id] = interaction
        try:
            change = await replies.begin(interaction, progress_card(game.match, found))
            card = await self._awaited_card(interaction, game, found, change)
            if card is not None:
                await change(card)
        except replies.DISCORD_FAILURES as error:
            # Discord lets answers be changed for a quarter of an hour only. Whoever asks again sees the review.
            _LOG.info("review_not_shown", match=game.match.id, reason=failure(error))
        finally:
            if self._asked.get(user_id) is interaction:
                del self._asked[user_id]

    async def _awaited_card(
        self, interaction: Interaction, game: Game, pending: PendingReview, change: replies.Change
    ) -> Message | None:
        """What to show when a review is made, or has come to nothing; until then, tell how far it is.

        Nothing if the user has asked again meanwhile: then it is shown there.
        """
        match, loop = game.match, asyncio.get_running_loop()
        told = loop.time()
        while True:
            failed = review = None
            try:
                with self._in_flight.searching():
                    review = await pending.wait()
            except Exception:  # logged where it was made, unless a stop has broken it off
                failed = failed_card(match)
            if self._asked.get(interaction.user.id) is not interaction:
                return None
            if failed is not None:
                return failed
            if review is not None:
                return await self._card(interaction, game, review)
            if loop.time() - told >= _PACE:
                await change(progress_card(match, pending))
                told = loop.time()

    async def _show_point(self, interaction: Interaction, game: Game, review: Review, number: int) -> None:
        user_id = interaction.user.id
        ply = review.points[number - 1].ply
        # It tells what was better, and the best answer to what was played.
        then = [await self._matches.game_at(game.match, each) for each in (ply - 1, ply)]
        await self._fair_play.check(user_id, *(each.position for each in then))
        look = private_look(await self._settings.preferences(user_id), game, user_id)
        card = await asyncio.to_thread(point_card, game, review, number, look, user_id)
        await replies.show(interaction, card)

    async def _card(self, interaction: Interaction, game: Game, review: Review) -> Message:
        user_id = interaction.user.id
        look = private_look(await self._settings.preferences(user_id), game, user_id)
        return await asyncio.to_thread(review_card, game, review, look)

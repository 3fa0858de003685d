"""Reviews: the chances of both sides in a finished match, turn by turn, and better turns."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

import discord
import structlog

import render
from bot.discord.interaction.access import Access
from bot.discord.interaction.feature import Feature, handles
from bot.discord.interaction.interactions import Interaction
from bot.discord.interaction.languages import Languages
from bot.discord.posting.cards.match import heading
from bot.discord.transport.answers import Answer
from bot.discord.transport.in_flight import InFlight
from bot.discord.transport.requests import DISCORD_FAILURES
from bot.discord.ui import scenes
from bot.discord.ui.actions import OpenReplay, Origin, ReadReview, TryTurns, continue_button, review_button
from bot.discord.ui.messages import LONGEST_DESCRIPTION, ActionButton, Message, Picture, compose
from bot.domain.matches import Game, Match
from bot.domain.study.reviews import Review
from bot.pictures import header_of, private_look
from bot.runtime.log import failure
from bot.services.fair_play import FairPlay
from bot.services.history import History
from bot.services.matches import Matches
from bot.services.study.reviews import PendingReview, Reviews
from bot.texts import gettext as _
from bot.wording import reviews, words
from bot.wording.quoting import shorten
from render import replay
from rules import Event, Position

_LOG = structlog.get_logger(__name__)
#: Seconds between two edits that show the progress of a review.
_PACE = 3.0


@dataclass
class ReviewButtons(Feature):
    matches: Matches
    access: Access
    reviews: Reviews
    fair_play: FairPlay
    history: History
    in_flight: InFlight
    languages: Languages

    def __post_init__(self) -> None:
        #: By user id, the last request for a review in progress.
        self._requests: dict[int, Interaction] = {}

    @handles(ReadReview)
    async def open(self, interaction: Interaction, press: ReadReview) -> None:
        """Show the review of a match, its turning point at turn ``ply``, or its progress."""
        match = await self.history.look_up(self.access.viewer_of(interaction), press.match_id)
        game = await self.matches.game_of(match)
        found = await self.reviews.get(game, interaction.user.id)
        plies = [point.ply for point in found.points] if isinstance(found, Review) else []
        if isinstance(found, Review) and press.ply in plies:
            await self._show_point(interaction, game, found, plies.index(press.ply) + 1)
        else:
            await self._show(interaction, game, found)

    async def _show(self, interaction: Interaction, game: Game, found: Review | PendingReview) -> None:
        answer = Answer.of(interaction)
        if isinstance(found, Review):
            await answer.respond(await self._card(interaction, game, found))
            return
        user_id = interaction.user.id
        self._requests[user_id] = interaction
        try:
            await answer.respond(progress_card(game.match, found))
            card = await self._awaited_card(interaction, game, found)
            if card is not None:
                await answer.respond(card)
        except DISCORD_FAILURES as error:
            # Discord allows changes of an answer only for 15 minutes. The next request shows the review.
            _LOG.info("review_not_shown", match=game.match.id, reason=failure(error))
        finally:
            if self._requests.get(user_id) is interaction:
                del self._requests[user_id]

    async def _awaited_card(self, interaction: Interaction, game: Game, pending: PendingReview) -> Message | None:
        """Show the progress of a review, and return the card with its result; None if the user asks again."""
        match, loop = game.match, asyncio.get_running_loop()
        shown_at = loop.time()
        while True:
            failed, review = False, None
            try:
                with self.in_flight.searching():
                    review = await pending.wait()
            except Exception:  # logged already, unless a stop has cancelled the review
                failed = True
            if self._requests.get(interaction.user.id) is not interaction:
                return None
            if failed:
                return compose(_("The review failed. Please try again."), buttons=(review_button(match),))
            if review is not None:
                await self.fair_play.check_imported(interaction.user.id, game)
                return await self._card(interaction, game, review)
            if loop.time() - shown_at >= _PACE:
                await Answer.of(interaction).respond(progress_card(match, pending))
                shown_at = loop.time()

    async def _show_point(self, interaction: Interaction, game: Game, review: Review, number: int) -> None:
        user_id, ply = interaction.user.id, review.points[number - 1].ply
        # The card shows a better turn, and the best answer to the turn played.
        before, after = [await self.matches.game_at(game.match, at) for at in (ply - 1, ply)]
        await self.fair_play.check(user_id, before.position, after.position)
        look = await self._look(interaction, game)
        await Answer.of(interaction).respond(await asyncio.to_thread(point_card, game, review, number, look, user_id))

    async def _card(self, interaction: Interaction, game: Game, review: Review) -> Message:
        return await asyncio.to_thread(review_card, game, review, await self._look(interaction, game))

    async def _look(self, interaction: Interaction, game: Game) -> render.Look:
        return private_look(await self.languages.load(interaction), game, interaction.user.id)


def progress_card(match: Match, pending: PendingReview) -> Message:
    text = f"🔍 {reviews.progress(match, pending.done, pending.total)}"
    return compose(text, footer=reviews.is_kept(), buttons=(review_button(match),))


def review_card(game: Game, review: Review, look: render.Look) -> Message:
    """The chances turn by turn, and the turning points. Renders pictures: call it in a thread."""
    match = game.match
    shots = list(replay.shots(match.ruleset, game.turns))
    points = []
    for number, point in enumerate(review.points, 1):
        played = _then(game, shots[point.ply - 1])
        points.append(f"**{number}** · {words.turn_made(played)}. {reviews.chances(played, point.before, point.after)}")
    assert match.result is not None
    return compose(
        heading(game, "🔍"),
        f"{words.result_emoji(match.result)} {words.result(game)}",
        "\n".join(points),
        reviews.remark(game, len(points)),
        picture=_chart(game, review, look),
        footer=reviews.caution(),
        buttons=tuple(
            ActionButton(
                ReadReview(match.id, point.ply),
                _("Turning point {number}").format(number=number),
                discord.ButtonStyle.primary,
            )
            for number, point in enumerate(review.points, 1)
        ),
        more_buttons=(ActionButton(OpenReplay(match.id, game.ply), _("Replay"), emoji="🎞️"),),
        colour=scenes.colour(match.ruleset.game),
    )


def point_card(game: Game, review: Review, number: int, look: render.Look, viewer_id: int) -> Message:
    """A turning point: the turn played and, below it, the better turn with the reasons for it.

    Renders pictures: call it in a thread.
    """
    match, point = game.match, review.points[number - 1]
    before, played = (_then(game, shot) for shot in list(replay.shots(match.ruleset, game.turns[: point.ply]))[-2:])
    better = before.position.draft(point.better)
    yours = before.to_act is not None and before.to_act.id == viewer_id

    def picture(position: Position, events: tuple[Event, ...], which: str) -> Picture:
        filename, header = f"review-{match.id}-{point.ply}-{which}.png", header_of(before)
        return scenes.picture(filename, position, events, look, before=before.position, header=header)

    def to(other: int, label: str) -> ActionButton:
        inside = 0 < other <= len(review.points)
        # A disabled button, too, needs an id of its own: here a turn after the end of the match.
        ply = review.points[other - 1].ply if inside else game.ply + 1 + other
        return ActionButton(ReadReview(match.id, ply), label, disabled=not inside)

    return compose(
        heading(game, "🔍"),
        f"**{number}** · {words.last_turn(played)}",
        f"{reviews.chances(played, point.before, point.after)} {reviews.answer(played, point)}".rstrip(),
        picture(played.position, played.events, "played"),
        reviews.advice(before, game.turns[point.ply - 1], point, yours=yours),
        picture(better.preview, better.events, "better"),
        buttons=(
            to(number - 1, "◀"),
            to(number + 1, "▶"),
            ActionButton(ReadReview(match.id), _("Back")),
            ActionButton(TryTurns(match.id, point.ply - 1), _("Try from here"), emoji="🧪"),
            continue_button(Origin.MATCH, match.id, point.ply - 1),
        ),
        colour=scenes.colour(match.ruleset.game),
    )


def _then(game: Game, shot: replay.Shot) -> Game:
    match = replace(game.match, ply=shot.ply, result=None, proposals=())
    return Game(match, game.turns[: shot.ply], shot.position, shot.events)


def _chart(game: Game, review: Review, look: render.Look) -> Picture:
    match = game.match
    titles = _("Who stood better"), f"{match.ruleset.game.title} · #{match.id}"
    described = shorten(reviews.description(game, review), LONGEST_DESCRIPTION)
    return Picture(f"review-{match.id}.png", reviews.chart(game, review, look, titles), described)

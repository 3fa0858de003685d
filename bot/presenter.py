"""Shows what is stored: posts and edits the cards of challenges and matches, and finds matches a place.

Whatever is shown was stored before, and what was shown is stored after. So after a crash between the two,
:meth:`Presenter.catch_up` knows what is missing.
"""

from __future__ import annotations

import asyncio
import secrets
from dataclasses import replace
from weakref import WeakValueDictionary

import discord
import structlog

import render
from bot import texts
from bot.cards import words
from bot.cards.challenge import challenge_card
from bot.cards.looks import public_look
from bot.cards.match import board_picture, match_card, past_card
from bot.cards.post import Post
from bot.languages import server_language
from bot.matches.model import Card, ChallengeState, Match, ServerSettings
from bot.matches.service import Matches
from bot.replies import DISCORD_FAILURES
from bot.storage import Storage
from bot.texts import gettext as _
from rules import ruleset

_LOG = structlog.get_logger(__name__)
_HAS_THREAD = 160004
#: Seconds: before a message is sent again after a broken connection, and before all that is missing is shown.
_PAUSES = (0.5, 2.0)
_SECOND_TRY = 60.0


class NotShownError(Exception):
    """What was stored could not be shown, because of what Discord answered."""

    def __init__(self, channel_id: int, cause: Exception) -> None:
        super().__init__(str(cause))
        self.channel_id = channel_id
        self.forbidden = isinstance(cause, discord.Forbidden)
        self.gone = isinstance(cause, discord.NotFound)


class Presenter:
    def __init__(self, client: discord.Client, matches: Matches, storage: Storage) -> None:
        self._client = client
        self._matches = matches
        self._storage = storage
        self._catching_up: asyncio.Task[None] | None = None
        self._second_try: asyncio.TimerHandle | None = None
        self._locks: WeakValueDictionary[tuple[str, int], asyncio.Lock] = WeakValueDictionary()

    async def show_challenge(self, challenge_id: int) -> None:
        """Posts the challenge's card, or brings it up to date."""
        async with self._lock("challenge", challenge_id):
            challenge = await self._matches.get_challenge(challenge_id)
            card = challenge.card
            if card is not None and card.version >= challenge.version:
                return
            match = None if challenge.match_id is None else await self._matches.match(challenge.match_id)
            with texts.speaking(await server_language(self._client, challenge.place.guild_id)):
                post = challenge_card(challenge, match)
            channel_id = challenge.place.channel_id
            if card is not None:
                await self._edit(card, post)
                card = replace(card, version=challenge.version)
            elif challenge.state is ChallengeState.OPEN:
                message_id = await self._send(channel_id, post, nonce=f"c{challenge.id}")
                card = Card(channel_id, message_id, challenge.version)
            await self._storage.challenge_shown(challenge.id, challenge.version, card)

    async def show_match(self, match_id: int, *, quiet: bool = False) -> Match:
        """Posts a card with the board, unless the last change was shown already; the card before loses its buttons.

        A match without a place gets one first; when there is none, it stays waiting and nothing is posted.
        """
        async with self._lock("match", match_id):
            match = await self._matches.match(match_id)
            if match.card is not None and match.card.version >= match.version:
                return match
            try:
                shown = await self._post_board(match, quiet=quiet)
            except NotShownError as error:
                if not (error.gone and await self._leave_thread(match.id)):
                    raise
                shown = await self._post_board(await self._matches.match(match_id), quiet=quiet)
            if shown is not None and match.card is not None:
                await self.retire_card(match_id, match.card)
        if shown is None:
            return match
        if match.channel_id != shown.channel_id and match.challenge_id is not None:
            await self.show_challenge(match.challenge_id)  # it says where the match is played
        if shown.result is not None and shown.channel_id is not None:
            await self._start_waiting(shown.channel_id)
        return shown

    async def retire_card(self, match_id: int, card: Card) -> None:
        """Takes the buttons off a card that is not the latest one any more; it keeps its picture."""
        match = await self._matches.match(match_id)
        if match.card is not None and match.card.message_id == card.message_id:
            return
        game = await self._matches.past_game(match, card.step)
        with texts.speaking(await server_language(self._client, match.home.guild_id)):
            post = past_card(game)
        try:
            await self._edit(card, post)
        except NotShownError as error:
            _LOG.info("past_card_not_edited", match=match_id, reason=str(error))

    async def _post_board(self, match: Match, *, quiet: bool) -> Match | None:
        """Posts the match's board as it is now, finding a place for it first; None when it has to wait for one."""
        if match.channel_id is None and not await self._find_place(match):
            return None
        game = await self._matches.game(match.id)
        match = game.match
        if match.channel_id is None:
            return None
        with texts.speaking(await server_language(self._client, match.home.guild_id)):
            board = await asyncio.to_thread(board_picture, game, await self._look(match))
            post = match_card(game, board, quiet=quiet)
        message_id = await self._send(match.channel_id, post, nonce=f"m{match.id}.{match.version}")
        await self._storage.match_shown(match.id, Card(match.channel_id, message_id, match.version, game.step))
        return match

    async def _look(self, match: Match) -> render.Look:
        guild_id = match.home.guild_id
        settings = ServerSettings() if guild_id is None else await self._storage.server_settings(guild_id)
        return public_look(settings)

    async def _leave_thread(self, match_id: int) -> bool:
        """Takes a running match out of a thread that somebody deleted; False when it is not in a thread."""
        match = await self._matches.match(match_id)
        if match.channel_id is None or match.channel_id == match.home.channel_id or match.result is not None:
            return False
        await self._matches.unplace(match.id, match.channel_id)
        return True

    async def show_again(self, match_id: int) -> Match:
        """Posts the match's card once more, without a ping."""
        await self._storage.request_match_card(match_id)
        return await self.show_match(match_id, quiet=True)

    async def refresh_match(self, match_id: int) -> None:
        """Edits the match's card after its clock has changed. A card that is not the latest any more stays as it is."""
        async with self._lock("match", match_id):
            match = await self._matches.match(match_id)
            if match.result is not None or match.card is None or match.card.version != match.version:
                return
            game = await self._matches.game(match_id)
            with texts.speaking(await server_language(self._client, match.home.guild_id)):
                post = match_card(game, board_picture(game, await self._look(match), draw=False), quiet=True)
            await self._edit(match.card, post)

    async def show_everybody(self, channel_id: int, post: Post, *, nonce: str | None = None) -> None:
        """Posts a card that is not kept, such as a leaderboard. With a ``nonce``, the same one is not posted twice."""
        await self._send(channel_id, post, nonce=nonce or secrets.token_hex(8))

    async def show_accepted(self, match: Match) -> Match:
        """Shows a match that was just accepted, and where it is played on its challenge's card."""
        try:
            return await self.show_match(match.id)
        finally:
            if match.challenge_id is not None:
                await self.show_challenge(match.challenge_id)

    def start_catching_up(self) -> None:
        """Catches up in the background."""
        if self._catching_up is None or self._catching_up.done():
            self._catching_up = asyncio.get_running_loop().create_task(self._catch_up_and_log())

    def stop(self) -> set[asyncio.Task[None]]:
        """Begins nothing more by itself; what is left of the last catching up, if anything."""
        if self._second_try is not None:
            self._second_try.cancel()
        return {self._catching_up} if self._catching_up is not None else set()

    async def _catch_up_and_log(self) -> None:
        try:
            await self.catch_up()
            # The first picture of a size takes longer; the usual ones are made before anybody waits for them.
            for game in render.GAMES.values():
                await asyncio.to_thread(render.picture, ruleset(game.name).start())
        except Exception:
            _LOG.exception("catching_up_failed")

    async def catch_up(self) -> None:
        """Shows everything that was stored and not shown, and finds places for the matches that wait for one."""
        _, matches = await self._storage.unshown()
        waiting = [match.id for match in await self._storage.waiting_matches()]
        for match_id in sorted({*matches, *waiting}):
            try:
                await self.show_match(match_id)
            except NotShownError as error:
                _LOG.warning("match_not_shown", match=match_id, channel=error.channel_id, reason=str(error))
        # Finding a place changes a challenge's card too, so these come last.
        challenges, _ = await self._storage.unshown()
        for challenge_id in challenges:
            try:
                await self.show_challenge(challenge_id)
            except NotShownError as error:
                _LOG.warning("challenge_not_shown", challenge=challenge_id, channel=error.channel_id, reason=str(error))

    def _lock(self, kind: str, identity: int) -> asyncio.Lock:
        return self._locks.setdefault((kind, identity), asyncio.Lock())

    async def _start_waiting(self, channel_id: int) -> None:
        """Gives a channel that became free to the match that has waited for it longest."""
        waiting = await self._storage.waiting_matches(channel_id)
        if waiting:
            await self.show_accepted(waiting[0])

    async def _find_place(self, match: Match) -> bool:
        """The channel where the match was challenged, when it is free, or else a thread of its own."""
        if match.result is not None:
            return False
        if await self._matches.place(match.id, match.home.channel_id):
            return True
        thread_id = await self._open_thread(match)
        return thread_id is not None and await self._matches.place(match.id, thread_id)

    async def _open_thread(self, match: Match) -> int | None:
        """Opens the match's thread, on its challenge's card; None where that is not allowed or not possible."""
        await self._client.wait_until_ready()
        channel = self._client.get_channel(match.home.channel_id)
        parent = channel.parent if isinstance(channel, discord.Thread) else channel
        if isinstance(channel, discord.Thread) and channel.is_private():
            return None  # everybody would see a thread beside it
        if not isinstance(parent, discord.TextChannel) or not _may_use_threads(parent):
            return None
        name = f"{match.ruleset.game.title} · {match.first.name} 🆚 {match.second.name}"[:100]
        origin = match.challenge_id
        card = None if origin is None else (await self._matches.get_challenge(origin)).card
        try:
            # A message can carry one thread, and a match that had a card has lost that one.
            if parent is channel and card is not None and match.card is None:
                return (await parent.get_partial_message(card.message_id).create_thread(name=name)).id
            return (await parent.create_thread(name=name, type=discord.ChannelType.public_thread)).id
        except DISCORD_FAILURES as error:
            if isinstance(error, discord.HTTPException) and error.code == _HAS_THREAD and card is not None:
                return card.message_id  # a thread on a message has the message's id
            _LOG.info("thread_refused", match=match.id, reason=str(error))
        return None

    async def _send(self, channel_id: int, post: Post, *, nonce: str) -> int:
        """Sends a message and returns its id. A nonce that Discord knows gives the message that was sent with it."""
        channel = self._client.get_partial_messageable(channel_id)
        for pause in (*_PAUSES, None):
            try:
                message = await channel.send(
                    view=post.view, files=post.files, allowed_mentions=post.allowed_mentions, nonce=nonce
                )
            except DISCORD_FAILURES as error:
                # The library tries again by itself when Discord answers, but not when the connection broke.
                if isinstance(error, discord.HTTPException) or pause is None:
                    raise self._not_shown(channel_id, error) from error
                await asyncio.sleep(pause)
            else:
                return message.id
        raise AssertionError("unreachable")

    async def _edit(self, card: Card, post: Post) -> None:
        """Edits a card. One that somebody deleted, or that cannot be edited any more, stays as it is."""
        message = self._client.get_partial_messageable(card.channel_id).get_partial_message(card.message_id)
        try:
            await message.edit(view=post.view, allowed_mentions=post.allowed_mentions)
        except (discord.NotFound, discord.Forbidden) as error:
            _LOG.info("card_left_as_it_is", channel=card.channel_id, code=error.code)
        except DISCORD_FAILURES as error:
            raise self._not_shown(card.channel_id, error) from error

    def _not_shown(self, channel_id: int, cause: Exception) -> NotShownError:
        """The failure to raise; when it may pass by itself, what is missing is shown a while later."""
        error = NotShownError(channel_id, cause)
        if not (error.forbidden or error.gone) and self._second_try is None:
            self._second_try = asyncio.get_running_loop().call_later(_SECOND_TRY, self._try_again)
        return error

    def _try_again(self) -> None:
        self._second_try = None
        self.start_catching_up()


def _may_use_threads(channel: discord.TextChannel) -> bool:
    """Whether the bot may open a thread there and play in it."""
    permissions = channel.permissions_for(channel.guild.me)
    return permissions.create_public_threads and permissions.send_messages_in_threads


def card_link(guild_id: int | None, card: Card | None) -> str | None:
    """The address of a card's message."""
    if card is None:
        return None
    return f"https://discord.com/channels/{guild_id or '@me'}/{card.channel_id}/{card.message_id}"


def describe_failure(error: NotShownError) -> str:
    """Why something was not shown, and what helps, as the end of a sentence."""
    where = words.channel(error.channel_id)
    if error.gone:
        return _("{channel} is gone").format(channel=where)
    if error.forbidden:
        return _(
            "I may not post in {channel}. I need *View Channel*, *Send Messages* (in threads too) and *Attach Files* "
            "there; then {board} shows it"
        ).format(channel=where, board=words.command("board"))
    return _("Discord did not take the message. I try again in a minute")

"""Answers to interactions. Each one is acknowledged first, then worked on, then answered, by the functions here."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias, TypeVar

import aiohttp
import discord
import structlog

from bot import metrics
from bot.discord.ui.messages import CardView, Form, Message
from bot.log import failure
from bot.texts import gettext as _

_LOG = structlog.get_logger(__name__)
_ALREADY_ACKNOWLEDGED = 40060
#: Marks of interactions: a card has answered; the next answer replaces the private card that was pressed.
_HAS_CARD, _GOES_ON = "has card", "goes on"
#: The mark of commands whose private answer is there, or begun.
_ANSWERED = "answered"
#: The name under which an interaction has its announcement, until it is answered.
_ANNOUNCEMENT = "announcement"
#: Seconds after a press until its user reads that the answer is coming.
_PATIENCE = 1.0

#: The exceptions of a request to Discord that are no fault of ours.
DISCORD_FAILURES = (discord.HTTPException, aiohttp.ClientError, OSError)

#: Replaces an answer.
Change: TypeAlias = Callable[[Message], Coroutine[Any, Any, object]]
_Answer = TypeVar("_Answer")


#: Seconds before a request is repeated whose connection broke; the library repeats it only when Discord answers. The
#: first attempts follow each other at once: after a break in the network several dead connections wait in the pool, and
#: an acknowledgement has three seconds.
_PAUSES = (0.0, 0.0, 0.5, 2.0)
#: The same for an answer after the acknowledgement, which may take a quarter of an hour.
_LONG_PAUSES = (*_PAUSES, 5.0, 15.0)


async def persist(request: Callable[[], Awaitable[_Answer]], pauses: Sequence[float] = _PAUSES) -> _Answer:
    """Repeat a request when the connection breaks.

    Discord may have received it before that, so it has to be a request that may take effect twice.
    """
    for attempt, pause in enumerate(pauses, start=1):
        try:
            return await request()
        except (aiohttp.ClientError, OSError) as error:
            _LOG.info("connection_broke", attempt=attempt, reason=failure(error))
        await asyncio.sleep(pause)
    return await request()


async def acknowledge(interaction: discord.Interaction[Any], form: Form | None = None) -> bool:
    """Acknowledge an interaction in time; False when it is too late, and nothing should be done.

    A command is answered privately, as what everybody should see is posted in the channel; a press leaves its message
    as it is. Discord takes a ``form`` as an acknowledgement, and never after one.
    """
    try:
        if form is not None:
            await persist(lambda: interaction.response.send_modal(form))
        elif interaction.message is not None:
            await persist(interaction.response.defer)
        else:
            await persist(lambda: interaction.response.defer(ephemeral=True, thinking=True))
    except DISCORD_FAILURES as error:
        # When Discord fails after it took the answer, the second try finds the interaction acknowledged.
        if isinstance(error, discord.HTTPException) and error.code == _ALREADY_ACKNOWLEDGED:
            return True
        _LOG.warning("not_acknowledged", interaction=interaction.id, reason=failure(error))
        return False
    metrics.acknowledged()
    return True


@dataclass
class _Announcement:
    """A note that the answer to a press is coming, for a user who has waited for a second."""

    interaction: discord.Interaction[Any]

    def __post_init__(self) -> None:
        self._begun = False
        self._note: discord.WebhookMessage | None = None
        self._task = asyncio.create_task(self._announce())

    async def _announce(self) -> None:
        await asyncio.sleep(_PATIENCE)
        self._begun = True
        try:
            text = _("⏳ One moment: your answer is coming.")
            self._note = await self.interaction.followup.send(text, ephemeral=True, wait=True)
        except DISCORD_FAILURES as error:
            _LOG.info("addition_not_delivered", interaction=self.interaction.id, reason=failure(error))

    async def retract(self) -> None:
        if not self._begun:
            self._task.cancel()
            return
        await self._task
        try:
            if self._note is not None:
                await self._note.delete()
        except DISCORD_FAILURES as error:
            _LOG.info("answer_not_deleted", interaction=self.interaction.id, reason=failure(error))


@asynccontextmanager
async def announced(interaction: discord.Interaction[Any]) -> AsyncIterator[None]:
    """Tell a user who has waited for a second within the block that the answer is coming.

    This is for presses. Below a command, Discord itself shows that the bot is at work.
    """
    if interaction.message is not None:
        interaction.extras[_ANNOUNCEMENT] = _Announcement(interaction)
    try:
        yield
    finally:
        await _note_answered(interaction)


async def _note_answered(interaction: discord.Interaction[Any]) -> None:
    announcement: _Announcement | None = interaction.extras.pop(_ANNOUNCEMENT, None)
    if announcement is not None:
        await announcement.retract()


async def tell(interaction: discord.Interaction[Any], answer: str | Message) -> int | None:
    """Answer privately, after the acknowledgement; a text comes beside the card that has answered already, if any.

    Return the id of the message, if there is one now.
    """
    if not interaction.response.is_done() and not await acknowledge(interaction):
        return None
    if interaction.extras.pop(_GOES_ON, False):
        return await replace(interaction, answer)
    content: dict[str, Any] = {"content": answer} if isinstance(answer, str) else {"view": answer.view}
    nobody = discord.AllowedMentions.none()

    async def send() -> int:
        files = [] if isinstance(answer, str) else answer.files
        if interaction.message is not None or (isinstance(answer, str) and _HAS_CARD in interaction.extras):
            sent: discord.WebhookMessage = await interaction.followup.send(
                **content, files=files, allowed_mentions=nobody, ephemeral=True, wait=True
            )
            return sent.id
        if _ANSWERED in interaction.extras:
            content.setdefault("content", None)  # Discord takes no card in a message that has a text
        return (await interaction.edit_original_response(**content, attachments=files, allowed_mentions=nobody)).id

    message_id = await persist(send, _LONG_PAUSES)
    await _note_answered(interaction)
    interaction.extras[_ANSWERED] = True
    if isinstance(answer, Message):
        interaction.extras[_HAS_CARD] = True  # Discord takes no plain text in place of a card
    return message_id


def answer_in_place(interaction: discord.Interaction[Any]) -> None:
    """Let the next answer replace the pressed private card, as a command's answer does."""
    interaction.extras[_GOES_ON] = on_private_card(interaction)


async def begin(interaction: discord.Interaction[Any], answer: Message) -> Change:
    """Answer privately, like :func:`show`, with something that will be replaced; return what replaces it."""
    if interaction.message is None or on_private_card(interaction):
        await show(interaction, answer)
        return partial(show, interaction)
    nobody = discord.AllowedMentions.none()

    async def send() -> discord.WebhookMessage:
        sent: discord.WebhookMessage = await interaction.followup.send(
            view=answer.view, files=answer.files, allowed_mentions=nobody, ephemeral=True, wait=True
        )
        return sent

    sent = await persist(send, _LONG_PAUSES)
    await _note_answered(interaction)

    async def change(other: Message) -> None:
        await persist(lambda: sent.edit(view=other.view, attachments=other.files, allowed_mentions=nobody))

    return change


async def add(interaction: discord.Interaction[Any], text: str) -> None:
    """Send a private note beside the answer."""
    try:
        await persist(
            lambda: interaction.followup.send(text, ephemeral=True, allowed_mentions=discord.AllowedMentions.none())
        )
    except DISCORD_FAILURES as error:
        _LOG.info("addition_not_delivered", interaction=interaction.id, reason=failure(error))


async def finish(interaction: discord.Interaction[Any]) -> None:
    """Delete the private answer to a command whose result everybody already sees in the channel."""
    try:
        await persist(interaction.delete_original_response)
    except DISCORD_FAILURES as error:
        _LOG.info("answer_not_deleted", interaction=interaction.id, reason=failure(error))


async def open_private_answer(interaction: discord.Interaction[Any]) -> None:
    """Begin the private answer to a command unless it has one: the first message through the interaction would take its
    place and be private.
    """
    if not has_private_answer(interaction):
        await interaction.edit_original_response(content="…")
        interaction.extras[_ANSWERED] = True


def has_private_answer(interaction: discord.Interaction[Any]) -> bool:
    """Whether the interaction has had its private answer, so that more messages through it can be public."""
    return interaction.message is not None or _ANSWERED in interaction.extras


async def replace(interaction: discord.Interaction[Any], answer: str | Message) -> int | None:
    """Replace the pressed private message by a text or a card, and return its id.

    If that message is gone, nobody waits for it.
    """
    post = answer if isinstance(answer, Message) else plain(answer)

    async def edit() -> None:
        files: Any = discord.utils.MISSING if post.keeps_files else post.files
        await interaction.edit_original_response(
            view=post.view, attachments=files, allowed_mentions=discord.AllowedMentions.none()
        )

    try:
        await persist(edit)
    except discord.NotFound as error:
        _LOG.info("answer_gone", interaction=interaction.id, reason=failure(error))
        return None
    finally:
        await _note_answered(interaction)
    return None if interaction.message is None else interaction.message.id


def on_private_card(interaction: discord.Interaction[Any]) -> bool:
    """Whether something was pressed on a message that only the user sees."""
    return interaction.message is not None and interaction.message.flags.ephemeral


async def show(interaction: discord.Interaction[Any], answer: str | Message) -> int | None:
    """Answer privately, in place of the private message if something was pressed on one; return the message's id."""
    return await (replace if on_private_card(interaction) else tell)(interaction, answer)


def plain(text: str) -> Message:
    """A text that can take the place of a card."""
    return Message(CardView(discord.ui.TextDisplay(text)))

"""Answers to interactions, which are acknowledged first, then handled, then answered."""

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

from bot.discord.ui.messages import CardView, Form, Message
from bot.runtime import metrics
from bot.runtime.log import failure
from bot.texts import gettext as _

_LOG = structlog.get_logger(__name__)
_ALREADY_ACKNOWLEDGED = 40060
#: Marks of interactions: a card has answered; the next answer replaces the private card that was pressed.
_HAS_CARD, _GOES_ON = "has card", "goes on"
#: The mark of commands with a private answer, finished or begun.
_ANSWERED = "answered"
#: The key of an interaction's announcement, until it is answered.
_ANNOUNCEMENT = "announcement"
#: Seconds from a press to the announcement of its answer.
_PATIENCE = 1.0

#: The exceptions of requests to Discord that are not our fault.
DISCORD_FAILURES = (discord.HTTPException, aiohttp.ClientError, OSError)

#: Replaces an answer.
Change: TypeAlias = Callable[[Message], Coroutine[Any, Any, object]]
_Answer = TypeVar("_Answer")


#: Seconds before repeating a request whose connection broke; the library repeats it only after an answer of Discord.
#: The first attempts have no pause: after a network failure, several dead connections wait in the pool, and an
#: acknowledgement has three seconds.
_PAUSES = (0.0, 0.0, 0.5, 2.0)
#: The same for an answer after the acknowledgement, which has a quarter of an hour.
_LONG_PAUSES = (*_PAUSES, 5.0, 15.0)


async def persist(request: Callable[[], Awaitable[_Answer]], pauses: Sequence[float] = _PAUSES) -> _Answer:
    """Repeat a request when the connection breaks.

    Discord may already have received it, so taking effect twice must do no harm.
    """
    for attempt, pause in enumerate(pauses, start=1):
        try:
            return await request()
        except (aiohttp.ClientError, OSError) as error:
            _LOG.info("connection_broke", attempt=attempt, reason=failure(error))
        await asyncio.sleep(pause)
    return await request()


async def acknowledge(interaction: discord.Interaction[Any], form: Form | None = None) -> bool:
    """Acknowledge an interaction in time; False if it is too late, when nothing should be done.

    A command is answered privately; public messages are posted in the channel. A press leaves its message unchanged. A
    ``form`` is itself an acknowledgement, and cannot follow one.
    """
    try:
        if form is not None:
            await persist(lambda: interaction.response.send_modal(form))
        elif interaction.message is not None:
            await persist(interaction.response.defer)
        else:
            await persist(lambda: interaction.response.defer(ephemeral=True, thinking=True))
    except DISCORD_FAILURES as error:
        # If Discord failed after accepting it, a repetition finds the interaction acknowledged.
        if isinstance(error, discord.HTTPException) and error.code == _ALREADY_ACKNOWLEDGED:
            return True
        _LOG.warning("not_acknowledged", interaction=interaction.id, reason=failure(error))
        return False
    metrics.acknowledged()
    return True


@dataclass
class _Announcement:
    """A note that the answer to a press is coming, for a user who has waited a second."""

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
    """After a second in the block, announce to the user that the answer is coming.

    This is for presses. For a command, Discord itself shows that the bot is at work.
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
    """Answer privately, after the acknowledgement; if a card has answered already, a text is added.

    Return the message's id, if any.
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
            content.setdefault("content", None)  # Discord takes no card in a message with a text
        return (await interaction.edit_original_response(**content, attachments=files, allowed_mentions=nobody)).id

    message_id = await persist(send, _LONG_PAUSES)
    await _note_answered(interaction)
    interaction.extras[_ANSWERED] = True
    if isinstance(answer, Message):
        interaction.extras[_HAS_CARD] = True  # Discord takes no plain text in place of a card
    return message_id


def answer_in_place(interaction: discord.Interaction[Any]) -> None:
    """Let the next answer replace the pressed private card, like a command's answer."""
    interaction.extras[_GOES_ON] = on_private_card(interaction)


async def begin(interaction: discord.Interaction[Any], answer: Message) -> Change:
    """Answer privately, like :func:`show`, with something temporary; return the function that replaces it."""
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
    """Delete the private answer to a command with a public result."""
    try:
        await persist(interaction.delete_original_response)
    except DISCORD_FAILURES as error:
        _LOG.info("answer_not_deleted", interaction=interaction.id, reason=failure(error))


async def open_private_answer(interaction: discord.Interaction[Any]) -> None:
    """Begin the private answer to a command unless it has one: otherwise the first message through the interaction
    would become it.
    """
    if interaction.message is None and _ANSWERED not in interaction.extras:
        await interaction.edit_original_response(content="…")
        interaction.extras[_ANSWERED] = True


async def replace(interaction: discord.Interaction[Any], answer: str | Message) -> int | None:
    """Replace the pressed private message with a text or a card, and return its id.

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
    """Whether the pressed message is one that only the user sees."""
    return interaction.message is not None and interaction.message.flags.ephemeral


async def show(interaction: discord.Interaction[Any], answer: str | Message) -> int | None:
    """Answer privately, in place of a pressed private message, if any; return the message's id."""
    return await (replace if on_private_card(interaction) else tell)(interaction, answer)


def plain(text: str) -> Message:
    """A text that can take the place of a card."""
    return Message(CardView(discord.ui.TextDisplay(text)))

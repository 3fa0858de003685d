"""Private answers to interactions. The bot first acknowledges an interaction, then handles it, then answers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from enum import Enum, auto
from typing import Any

import discord
import structlog

from bot.discord.transport.requests import DISCORD_FAILURES, PATIENT_PAUSES, persist
from bot.discord.ui.messages import CardView, Form, Message
from bot.runtime import metrics
from bot.runtime.log import failure
from bot.texts import gettext as _

_LOG = structlog.get_logger(__name__)
_ALREADY_ACKNOWLEDGED = 40060
#: Seconds after a press until its answer is announced.
_PATIENCE = 1.0


class AnswerState(Enum):
    """What the next response replaces. Discord accepts no text in place of a card."""

    #: Nothing: the response to a command is deferred, or the pressed card is public and stays.
    DEFERRED = auto()
    #: A placeholder.
    OPENED = auto()
    TEXT = auto()
    #: A card, such as the pressed private one.
    CARD = auto()
    DELETED = auto()


class Answer:
    """The answer to an interaction, for its user alone.

    A command is answered in its response, a press on a private card in place of that card, and a press on a public card
    in a new message.
    """

    def __init__(self, interaction: discord.Interaction[Any]) -> None:
        self.interaction = interaction
        self._received = time.perf_counter()
        self._state = AnswerState.CARD if on_private_card(interaction) else AnswerState.DEFERRED
        #: The new message that answers a press on a public card.
        self._message: discord.WebhookMessage | None = None
        self._announcement: _Announcement | None = None

    @classmethod
    def of(cls, interaction: discord.Interaction[Any]) -> Answer:
        """Return the answer to an interaction. The first call creates it, and measures the time from then on."""
        found: Answer | None = interaction.extras.get(cls)
        if found is None:
            found = interaction.extras[cls] = cls(interaction)
        return found

    @property
    def seconds(self) -> float:
        """The seconds since the interaction was received."""
        return time.perf_counter() - self._received

    async def defer(self, form: Form | None = None) -> bool:
        """Acknowledge the interaction; False if it is too late, and nothing should follow.

        A ``form`` is itself an acknowledgement, so it cannot follow one.
        """
        response = self.interaction.response
        if response.is_done():
            return True
        try:
            if form is not None:
                await persist(lambda: response.send_modal(form))
            elif self.interaction.message is not None:
                await persist(response.defer)
            else:
                await persist(lambda: response.defer(ephemeral=True, thinking=True))
        except DISCORD_FAILURES as error:
            # A repetition finds that the first request has arrived, although it seemed to fail.
            if isinstance(error, discord.HTTPException) and error.code == _ALREADY_ACKNOWLEDGED:
                return True
            _LOG.warning("not_acknowledged", interaction=self.interaction.id, reason=failure(error))
            return False
        metrics.ACKNOWLEDGEMENT.observe(self.seconds)
        return True

    async def respond(self, content: str | Message, *, beside: bool = False) -> int | None:
        """Show a text or a card: in place of the pressed private card or the last response, or in a new message.

        With ``beside``, this is a :meth:`follow_up`. Return the message's id; None if the user no longer waits.
        """
        if beside:
            return await self.follow_up(content)
        if not await self.defer():
            return None
        if self._state is AnswerState.DELETED or (
            self._state is AnswerState.DEFERRED and self.interaction.message is not None
        ):
            self._message = await self._send(content)
            self._state = _state_with(content)
            return self._message.id
        return await self._edit(content)

    async def follow_up(self, content: str | Message) -> int | None:
        """Send a text or a card beside the pressed card or an earlier answer; the first one responds to a command.

        Return the message's id; None if it is too late for an acknowledgement.
        """
        if not await self.defer():
            return None
        if self.interaction.message is None and self._state in (AnswerState.DEFERRED, AnswerState.OPENED):
            return await self._edit(content)
        return (await self._send(content)).id

    async def open(self) -> None:
        """Begin the response to a command, which otherwise would be the first message through the interaction."""
        if self.interaction.message is None and self._state is AnswerState.DEFERRED:
            await self.interaction.edit_original_response(content="…")
            self._state = AnswerState.OPENED

    async def delete(self) -> None:
        """Delete the response to a command or the pressed message."""
        try:
            await persist(self.interaction.delete_original_response)
            self._state = AnswerState.DELETED
        except DISCORD_FAILURES as error:
            _LOG.info("answer_not_deleted", interaction=self.interaction.id, reason=failure(error))

    @asynccontextmanager
    async def announced(self) -> AsyncIterator[None]:
        """Announce the answer to a press that spends more than a second in the block.

        For a command, Discord itself shows that the bot is at work.
        """
        if self.interaction.message is not None:
            self._announcement = _Announcement(self.interaction)
        try:
            yield
        finally:
            await self._retract()

    async def _retract(self) -> None:
        announcement, self._announcement = self._announcement, None
        if announcement is not None:
            await announcement.retract()

    async def _send(self, content: str | Message) -> discord.WebhookMessage:
        followup, nobody = self.interaction.followup, discord.AllowedMentions.none()

        async def send() -> discord.WebhookMessage:
            if isinstance(content, str):
                return await followup.send(content, allowed_mentions=nobody, ephemeral=True, wait=True)
            view, files = content.view, content.files
            return await followup.send(view=view, files=files, allowed_mentions=nobody, ephemeral=True, wait=True)

        sent = await persist(send, PATIENT_PAUSES)
        await self._retract()
        return sent

    async def _edit(self, content: str | Message) -> int | None:
        """Edit the last response; None if it is gone."""
        edit = self.interaction.edit_original_response if self._message is None else self._message.edit
        if isinstance(content, str) and self._state is AnswerState.CARD:
            content = plain(content)

        def arguments() -> dict[str, Any]:
            if isinstance(content, str):
                return {"content": content, "attachments": [], "allowed_mentions": discord.AllowedMentions.none()}
            replaced = {"content": None} if self._state in (AnswerState.OPENED, AnswerState.TEXT) else {}
            return edit_arguments(content) | replaced

        try:
            edited = await persist(lambda: edit(**arguments()), PATIENT_PAUSES)
        except discord.NotFound as error:
            _LOG.info("answer_gone", interaction=self.interaction.id, reason=failure(error))
            return None
        finally:
            await self._retract()
        self._state = _state_with(content)
        return edited.id


class _Announcement:
    """Tells a user who has waited for a second that the answer is coming."""

    def __init__(self, interaction: discord.Interaction[Any]) -> None:
        self._interaction = interaction
        self._begun = False
        self._note: discord.WebhookMessage | None = None
        self._task = asyncio.create_task(self._announce())

    async def _announce(self) -> None:
        await asyncio.sleep(_PATIENCE)
        self._begun = True
        try:
            text = _("⏳ One moment: your answer is coming.")
            self._note = await self._interaction.followup.send(text, ephemeral=True, wait=True)
        except DISCORD_FAILURES as error:
            _LOG.info("addition_not_delivered", interaction=self._interaction.id, reason=failure(error))

    async def retract(self) -> None:
        if not self._begun:
            self._task.cancel()
            return
        await self._task
        try:
            if self._note is not None:
                await self._note.delete()
        except DISCORD_FAILURES as error:
            _LOG.info("answer_not_deleted", interaction=self._interaction.id, reason=failure(error))


def on_private_card(interaction: discord.Interaction[Any]) -> bool:
    """Whether only the user sees the pressed message."""
    return interaction.message is not None and interaction.message.flags.ephemeral


def plain(text: str) -> Message:
    """A text that can take the place of a card."""
    return Message(CardView(discord.ui.TextDisplay(text)))


def edit_arguments(post: Message) -> dict[str, Any]:
    """The arguments of an edit, which pings nobody. A request uses up its files, so it needs arguments of its own."""
    edited: dict[str, Any] = {"view": post.view, "allowed_mentions": discord.AllowedMentions.none()}
    if not post.keeps_files:
        edited["attachments"] = post.files
    return edited


def _state_with(content: str | Message) -> AnswerState:
    return AnswerState.TEXT if isinstance(content, str) else AnswerState.CARD

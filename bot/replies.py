"""Answers to interactions. Each one is acknowledged first, then worked on, then answered, by the functions here."""

from __future__ import annotations

from typing import Any

import aiohttp
import discord
import structlog

from bot.cards.post import Form, Post

_LOG = structlog.get_logger(__name__)
_ALREADY_ACKNOWLEDGED = 40060

#: What a request to Discord may end with, through no fault of ours.
DISCORD_FAILURES = (discord.HTTPException, aiohttp.ClientError, OSError)


async def acknowledge(interaction: discord.Interaction[Any], form: Form | None = None) -> bool:
    """Tells Discord in time that the bot is at work; False when it is too late, and nothing should be done.

    A command is answered privately, for what everybody shall see is posted in the channel; a press leaves its message
    as it is. Discord takes a ``form`` to be filled in as an acknowledgement, and never after one.
    """
    try:
        if form is not None:
            await interaction.response.send_modal(form)
        elif interaction.message is not None:
            await interaction.response.defer()
        else:
            await interaction.response.defer(ephemeral=True, thinking=True)
    except DISCORD_FAILURES as error:
        # When Discord fails after it took the answer, the library's second try finds the interaction acknowledged.
        if isinstance(error, discord.HTTPException) and error.code == _ALREADY_ACKNOWLEDGED:
            return True
        _LOG.warning("not_acknowledged", interaction=interaction.id, reason=str(error))
        return False
    return True


async def tell(interaction: discord.Interaction[Any], answer: str | Post) -> None:
    """Answers privately, after the acknowledgement."""
    if not interaction.response.is_done() and not await acknowledge(interaction):
        return
    content = {"content": answer} if isinstance(answer, str) else {"view": answer.view}
    files = [] if isinstance(answer, str) else answer.files
    nobody = discord.AllowedMentions.none()
    if interaction.message is not None:
        await interaction.followup.send(**content, files=files, allowed_mentions=nobody, ephemeral=True)
    else:
        await interaction.edit_original_response(**content, attachments=files, allowed_mentions=nobody)


async def finish(interaction: discord.Interaction[Any]) -> None:
    """Ends a command whose result everybody sees in the channel already, so that no private answer stays behind."""
    try:
        await interaction.delete_original_response()
    except DISCORD_FAILURES as error:
        _LOG.info("answer_not_deleted", interaction=interaction.id, reason=str(error))


async def replace(interaction: discord.Interaction[Any], answer: str | Post) -> None:
    """Puts a text, or a card, in the place of the private message where something was pressed.

    Where that message is gone, nobody waits for it.
    """
    if isinstance(answer, Post):
        view = answer.view
        files: Any = discord.utils.MISSING if answer.keeps_files else answer.files
    else:
        view, files = discord.ui.LayoutView(timeout=None), []
        view.add_item(discord.ui.TextDisplay(answer))
    try:
        await interaction.edit_original_response(
            view=view, attachments=files, allowed_mentions=discord.AllowedMentions.none()
        )
    except discord.NotFound as error:
        _LOG.info("answer_gone", interaction=interaction.id, reason=str(error))

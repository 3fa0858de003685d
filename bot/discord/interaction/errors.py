"""Turns every failure into a private answer to the user."""

from __future__ import annotations

import secrets
from datetime import datetime
from functools import partial
from typing import Any

import discord
import structlog
from discord import app_commands

from bot.discord.transport.answers import Answer, on_private_card
from bot.discord.transport.sender import NotShownError
from bot.discord.ui import markdown
from bot.discord.ui.actions import OpenTurn, rule_button
from bot.discord.ui.markdown import CommandMentions
from bot.discord.ui.match_question import WithMatch, match_question
from bot.discord.ui.messages import Message, compose
from bot.discord.ui.presses import OutdatedPressError, presses_of
from bot.domain.matches import ManyMatchesError, MatchOverError, MovedOnError
from bot.domain.proposals import ProposalClosedError
from bot.domain.refusals import Channel, DomainError, Remedy, Role
from bot.runtime.log import failure
from bot.runtime.metrics import InteractionOutcome
from bot.storage.failures import DatabaseFailedError
from bot.wording import refusals
from bot.wording.quoting import as_code, as_markdown, shorten
from bot.wording.refusals import reason
from bot.wording.sentence import Sentence, gettext as _
from rules import NotATurn, Refusal, Text, TurnError
from rules.notation import plain

_LOG = structlog.get_logger(__name__)
#: Maximum number of characters of a typed turn that a refusal quotes.
_LONGEST_ECHO = 60
#: Errors of presses on outdated cards.
_OVERTAKEN = (MovedOnError, MatchOverError, ProposalClosedError)


class RefusalError(Exception):
    """A refusal by a command itself. Its text is the sentence for the user, in their language."""


class NumberError(Exception):
    """A text that is not the number of a match. The message is not translated yet."""


def in_words(text: Text, command_mentions: CommandMentions) -> Sentence:
    """A text in the user's language, with its values as Discord shows them."""
    return refusals.in_words(text, partial(_as_discord, command_mentions))


def _as_discord(command_mentions: CommandMentions, value: object) -> object:
    match value:
        case Remedy():
            return command_mentions.of(value.value)
        case Channel():
            return markdown.channel(value.id)
        case Role():
            return markdown.role(value.id)
        case datetime():
            return discord.utils.format_dt(value, "R")
        case _:
            return value


def sentence(error: Exception, command_mentions: CommandMentions) -> Sentence | None:
    """The sentence that explains an error to the user; None for an unexpected failure."""
    match error:
        case RefusalError():
            return Sentence(str(error))
        case NumberError():
            return _(str(error))
        case OutdatedPressError():
            text = _("This button comes from an earlier version. {board} shows the current board.")
            return text.format(board=command_mentions.of("board"))
        case DomainError() | DatabaseFailedError():
            return in_words(error.text, command_mentions)
        case Refusal():
            return reason(error)
        case NotShownError():
            why = in_words(error.reason, command_mentions)
            return _("That is done and stored, but I could not show it: {reason}.").format(reason=why)
        case app_commands.NoPrivateMessage():
            return _("Matches are played in a server's channels. Please use me there.")
        case app_commands.CommandSignatureMismatch() | app_commands.CommandNotFound():
            return _("This command has just changed. Restart Discord, or try again in a moment.")
        case app_commands.TransformerError():
            text = _("I could not read “{value}”. Please choose from the list.")
            return text.format(value=as_markdown(str(error.value)))
        case _:
            return None


def why_refused(typed: str, error: TurnError) -> str:
    """Why a typed turn is refused, with the turn unless the reason names it."""
    reason = refusals.reason(error)
    echo = shorten(plain(typed), _LONGEST_ECHO)
    if isinstance(error, NotATurn) or echo.casefold() in reason.plain.casefold():
        return reason
    return _("{typed} cannot be played: {reason}").format(typed=as_code(echo), reason=reason)


def _replaces(error: Exception, interaction: discord.Interaction[Any]) -> bool:
    """Whether the error's sentence replaces the pressed private card.

    It does if the card asks which match a command is for, or if it is outdated and lists no other matches.
    """
    if not on_private_card(interaction) or interaction.message is None:
        return False
    components = interaction.message.components
    if any(presses_of(components, WithMatch)):
        return True
    return isinstance(error, _OVERTAKEN) and len({press.match_id for press in presses_of(components, OpenTurn)}) < 2


async def answer_failure(
    interaction: discord.Interaction[Any], error: Exception, command_mentions: CommandMentions
) -> InteractionOutcome:
    """Explain the failure to the user privately, and return the interaction's outcome. Never raises."""
    cause: Exception = getattr(error, "original", error)
    if isinstance(error, app_commands.TransformerError) and isinstance(error.__cause__, Exception):
        cause = error.__cause__
    text: str | None = sentence(cause, command_mentions)
    outcome = InteractionOutcome.REFUSED
    if text is None:
        outcome = InteractionOutcome.FAILED
        code = secrets.token_hex(4)
        _LOG.error("interaction_failed", code=code, interaction=interaction.id, exc_info=cause)
        text = _(
            "Something went wrong on my side. Please try again. If it keeps happening, report the code `{code}`."
        ).format(code=code)
    elif isinstance(cause, DatabaseFailedError):
        outcome = InteractionOutcome.FAILED
        _LOG.error("database_failed", database=cause.database_code)
    elif isinstance(cause, NotShownError):
        _LOG.warning("not_shown", channel=cause.channel_id, reason=str(cause))
    reply: str | Message = text
    if isinstance(cause, TurnError):
        reply = compose(text, buttons=(rule_button(cause.rule),))
    elif isinstance(cause, ManyMatchesError) and isinstance(interaction.command, app_commands.Command):
        options = dict(iter(interaction.namespace))  # without its keys
        question = match_question(cause.matches, interaction.user.id, interaction.command, options)
        reply = question or " ".join((text, _("Choose one with `match`.")))
    answer = Answer.of(interaction)
    try:
        if not _replaces(cause, interaction) or await answer.respond(reply) is None:
            await answer.follow_up(reply)
    except Exception as undelivered:
        _LOG.warning("answer_not_delivered", interaction=interaction.id, reason=failure(undelivered))
    return outcome

"""The one place where a failure becomes a sentence for the person who met it."""

from __future__ import annotations

import re
import secrets
from functools import singledispatch
from typing import Any

import discord
import structlog
from discord import app_commands

from bot import replies
from bot.cards import words
from bot.matches import errors
from bot.matches.model import ChallengeState
from bot.presenter import NotShownError, describe_failure
from rules import Phase, TurnError, UnknownRuleset

_LOG = structlog.get_logger(__name__)
_CELL = re.compile("[a-z]{1,2}[0-9]")


class RefusalError(Exception):
    """Something that a command refuses by itself; the text is the sentence for the player."""


@singledispatch
def sentence(error: Exception) -> str | None:
    """What to tell the player; None for a failure that is not theirs."""
    return None


@sentence.register
def _(error: RefusalError) -> str:
    return str(error)


@sentence.register
def _(error: TurnError | UnknownRuleset) -> str:
    text = str(error)
    if not _CELL.match(text):  # a cell's name stays as it is
        text = text[:1].upper() + text[1:]
    return f"{text}."


@sentence.register
def _(error: NotShownError) -> str:
    return f"Done and stored, but I could not show it: {describe_failure(error)}."


@sentence.register
def _(error: errors.SelfChallengeError) -> str:
    return "You cannot challenge yourself. Name a friend, or leave the opponent out so that anyone may accept."


@sentence.register
def _(error: errors.DuplicateChallengeError) -> str:
    challenge = error.challenge
    if challenge.opponent is None:
        return "You have an open challenge to anyone in this channel already. Withdraw it first, or wait for an answer."
    return (
        f"{words.name(challenge.challenger)} has challenged {words.name(challenge.opponent)} in this channel already. "
        "That challenge has to be answered or withdrawn first."
    )


@sentence.register
def _(error: errors.UnknownChallengeError) -> str:
    return f"I do not know this challenge any more. Start a new one with {words.command('challenge')}."


@sentence.register
def _(error: errors.ChallengeClosedError) -> str:
    what = {
        ChallengeState.ACCEPTED: "was accepted already",
        ChallengeState.DECLINED: "was declined",
        ChallengeState.WITHDRAWN: "was withdrawn",
        ChallengeState.EXPIRED: "has expired",
    }.get(error.state, "is not open any more")
    return f"This challenge {what}. {words.command('challenge')} starts a new one."


@sentence.register
def _(error: errors.NotYourChallengeError) -> str:
    if error.allowed.id == error.challenge.challenger.id:
        return f"Only {words.name(error.allowed)} can withdraw this challenge."
    return (
        f"This challenge is for {words.name(error.allowed)}. You can make your own with {words.command('challenge')}."
    )


@sentence.register
def _(error: errors.OwnChallengeError) -> str:
    return "This is your own challenge: somebody else has to answer it. You can withdraw it."


@sentence.register
def _(error: errors.OpenChallengeError) -> str:
    return "This challenge is open to anyone, so there is nothing to decline. Just leave it alone."


@sentence.register
def _(error: errors.UnknownMatchError) -> str:
    return "There is no match with that number in this server. Pick one from the list that `match` offers."


@sentence.register
def _(error: errors.NoMatchError) -> str:
    return f"There is no running match for you here. Start one with {words.command('challenge')}."


@sentence.register
def _(error: errors.ManyMatchesError) -> str:
    matches = "; ".join(f"**#{match.id}** {words.versus(match)}" for match in error.matches[:10])
    return f"Several of your matches fit: {matches}. Say which one with `match`."


@sentence.register
def _(error: errors.NotAPlayerError) -> str:
    return (
        f"You are not playing in match #{error.match.id}: it is {words.versus(error.match)}. "
        f"{words.command('challenge')} starts your own."
    )


@sentence.register
def _(error: errors.NotYourTurnError) -> str:
    doing = {Phase.OPENING: "makes the opening", Phase.CHOICE: "is choosing a side"}.get(
        error.game.position.phase, "is to play"
    )
    return f"It is not your turn: {words.name(error.awaited)} {doing} in match #{error.game.match.id}."


@sentence.register
def _(error: errors.MatchOverError) -> str:
    return f"Match #{error.match.id} is over. {words.command('challenge')} starts a new one."


@sentence.register
def _(error: errors.MovedOnError) -> str:
    return f"The board has moved on since then. Look at the latest board, or call it with {words.command('board')}."


@sentence.register
def _(error: errors.WaitingForPlaceError) -> str:
    return f"Match #{error.match.id} waits for a place: another match is running in its channel."


@sentence.register
def _(error: app_commands.NoPrivateMessage) -> str:
    return "Matches are played in a server's channels. Use me there."


@sentence.register
def _(error: app_commands.CommandSignatureMismatch | app_commands.CommandNotFound) -> str:
    return "This command has changed just now. Restart Discord, or try again in a moment."


@sentence.register
def _(error: app_commands.TransformerError) -> str:
    return f"I could not read “{error.value}”. Please choose from the list."


async def answer(interaction: discord.Interaction[Any], error: Exception) -> None:
    """Tells the user privately what went wrong. Never raises."""
    cause: Exception = getattr(error, "original", error)
    text = sentence(cause)
    if text is None:
        code = secrets.token_hex(4)
        _LOG.error("interaction_failed", code=code, interaction=interaction.id, exc_info=cause)
        text = f"Something went wrong on my side. Please try again; if it stays, report the code `{code}`."
    elif isinstance(cause, NotShownError):
        _LOG.warning("not_shown", channel=cause.channel_id, reason=str(cause))
    try:
        await replies.tell(interaction, text)
    except Exception as failure:
        _LOG.warning("answer_not_delivered", interaction=interaction.id, reason=str(failure))

"""The one place where a failure becomes a sentence for the person who met it."""

from __future__ import annotations

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
from rules import TurnError, UnknownRuleset

_LOG = structlog.get_logger(__name__)


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
def _(error: TurnError) -> str:
    text = str(error)
    return f"{text[:1].upper()}{text[1:]}."


@sentence.register
def _(error: UnknownRuleset) -> str:
    text = str(error)
    return f"{text[:1].upper()}{text[1:]}."


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
    return "I do not know this challenge any more. Start a new one with `/challenge`."


@sentence.register
def _(error: errors.ChallengeClosedError) -> str:
    return {
        ChallengeState.ACCEPTED: "This challenge was accepted already. `/challenge` starts a new one.",
        ChallengeState.DECLINED: "This challenge was declined. `/challenge` starts a new one.",
        ChallengeState.WITHDRAWN: "This challenge was withdrawn. `/challenge` starts a new one.",
        ChallengeState.EXPIRED: "This challenge has expired. `/challenge` starts a new one.",
    }.get(error.state, "This challenge is not open any more.")


@sentence.register
def _(error: errors.NotYourChallengeError) -> str:
    return f"Only {words.name(error.allowed)} may do that with this challenge."


@sentence.register
def _(error: errors.OwnChallengeError) -> str:
    return "This is your own challenge. You can withdraw it, and somebody else has to answer it."


@sentence.register
def _(error: errors.OpenChallengeError) -> str:
    return "This challenge is open to anyone, so there is nothing to decline. Just leave it alone."


@sentence.register
def _(error: errors.UnknownMatchError) -> str:
    return "There is no match with that number in this server. Pick one from the list that `match` offers."


@sentence.register
def _(error: errors.NoMatchError) -> str:
    return "There is no running match for you here. Start one with `/challenge`."


@sentence.register
def _(error: errors.ManyMatchesError) -> str:
    matches = "; ".join(f"**#{match.id}** {words.versus(match)}" for match in error.matches[:10])
    return f"Several of your matches fit: {matches}. Say which one with `match`."


@sentence.register
def _(error: errors.NotAPlayerError) -> str:
    return f"You are not playing in match #{error.match.id}: it is {words.versus(error.match)}."


@sentence.register
def _(error: errors.NotYourTurnError) -> str:
    return f"It is not your turn: {words.name(error.awaited)} is to play in match #{error.game.match.id}."


@sentence.register
def _(error: errors.MatchOverError) -> str:
    return f"Match #{error.match.id} is over. `/challenge` starts a new one."


@sentence.register
def _(error: errors.MovedOnError) -> str:
    return "The board has moved on since then. Look at the latest board, or call it with `/board`."


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

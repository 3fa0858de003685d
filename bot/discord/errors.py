"""The one place where a failure becomes a sentence for the person who met it."""

from __future__ import annotations

import re
import secrets
from functools import singledispatch
from typing import Any

import discord
import structlog
from discord import app_commands

from bot.discord import replies
from bot.discord.cards import words
from bot.discord.cards.rulebook import rule_button
from bot.discord.delivery import NotShownError
from bot.discord.messages import compose
from bot.discord.presenter import describe_failure
from bot.discord.quoting import as_markdown
from bot.domain import errors
from bot.domain.challenges import ChallengeState
from bot.domain.clocks import TimeControlError
from bot.domain.proposals import ProposalKind, ProposalState
from bot.domain.tournaments import TournamentState
from bot.log import failure
from bot.texts import gettext, gettext_noop, translations
from rules import Phase, Refusal, TurnError

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
def _(error: Refusal) -> str:
    text = error.translate(translations())
    if not _CELL.match(text):  # a cell's name stays as it is
        text = text[:1].upper() + text[1:]
    return f"{text}."


@sentence.register
def _(error: NotShownError) -> str:
    return gettext("Done and stored, but I could not show it: {reason}.").format(reason=describe_failure(error))


@sentence.register
def _(error: errors.SelfChallengeError) -> str:
    return gettext("You cannot challenge yourself. Name a friend, or leave the opponent out so that anyone may accept.")


@sentence.register
def _(error: errors.DuplicateChallengeError) -> str:
    challenge = error.challenge
    if challenge.opponent is None:
        return gettext(
            "You have an open challenge to anyone in this channel already. Withdraw it first, or wait for an answer."
        )
    return gettext(
        "{challenger} has challenged {opponent} in this channel already. "
        "That challenge has to be answered or withdrawn first."
    ).format(challenger=words.name(challenge.challenger), opponent=words.name(challenge.opponent))


@sentence.register
def _(error: errors.UnknownChallengeError) -> str:
    return gettext("I do not know this challenge any more. Start a new one with {challenge}.").format(
        challenge=words.command("challenge")
    )


@sentence.register
def _(error: errors.ChallengeClosedError) -> str:
    return gettext(_CLOSED[error.state]).format(challenge=words.command("challenge"))


_CLOSED = {
    ChallengeState.OPEN: gettext_noop("This challenge is not open any more. {challenge} starts a new one."),
    ChallengeState.ACCEPTED: gettext_noop("This challenge was accepted already. {challenge} starts a new one."),
    ChallengeState.DECLINED: gettext_noop("This challenge was declined. {challenge} starts a new one."),
    ChallengeState.WITHDRAWN: gettext_noop("This challenge was withdrawn. {challenge} starts a new one."),
    ChallengeState.EXPIRED: gettext_noop("This challenge has expired. {challenge} starts a new one."),
}


@sentence.register
def _(error: errors.NotYourChallengeError) -> str:
    if error.allowed.id == error.challenge.challenger.id:
        return gettext("Only {player} can withdraw this challenge.").format(player=words.name(error.allowed))
    return gettext("This challenge is for {player}. You can make your own with {challenge}.").format(
        player=words.name(error.allowed), challenge=words.command("challenge")
    )


@sentence.register
def _(error: errors.OwnChallengeError) -> str:
    return gettext("This is your own challenge: somebody else has to answer it. You can withdraw it.")


@sentence.register
def _(error: errors.OpenChallengeError) -> str:
    return gettext("This challenge is open to anyone, so there is nothing to decline. Just leave it alone.")


@sentence.register
def _(error: errors.UnknownMatchError) -> str:
    return gettext("There is no match with that number in this server. Pick one from the list that `match` offers.")


@sentence.register
def _(error: errors.NoMatchError) -> str:
    return gettext("There is no running match for you here. Start one with {challenge}.").format(
        challenge=words.command("challenge")
    )


@sentence.register
def _(error: errors.ManyMatchesError) -> str:
    matches = "; ".join(f"**#{match.id}** {words.versus(match)}" for match in error.matches[:10])
    return gettext("Several of your matches fit: {matches}. Say which one with `match`.").format(matches=matches)


@sentence.register
def _(error: errors.NotAPlayerError) -> str:
    if error.match.result is not None:
        return gettext("You did not play match #{match}: it was {players}. {challenge} starts your own.").format(
            match=error.match.id, players=words.versus(error.match), challenge=words.command("challenge")
        )
    return gettext("You are not playing in match #{match}: it is {players}. {challenge} starts your own.").format(
        match=error.match.id, players=words.versus(error.match), challenge=words.command("challenge")
    )


@sentence.register
def _(error: errors.NotYourTurnError) -> str:
    return gettext(_AWAITED[error.game.position.phase]).format(
        player=words.name(error.awaited), match=error.game.match.id
    )


_AWAITED = {
    Phase.OPENING: gettext_noop("It is not your turn: {player} makes the opening in match #{match}."),
    Phase.CHOICE: gettext_noop("It is not your turn: {player} is choosing a side in match #{match}."),
    Phase.PLAY: gettext_noop("It is not your turn: {player} is to play in match #{match}."),
}


@sentence.register
def _(error: errors.MatchOverError) -> str:
    return gettext("Match #{match} is over. {challenge} starts a new one.").format(
        match=error.match.id, challenge=words.command("challenge")
    )


@sentence.register
def _(error: errors.MovedOnError) -> str:
    return gettext("The board has moved on since then. Look at the latest board, or call it with {board}.").format(
        board=words.command("board")
    )


@sentence.register
def _(error: errors.WaitingForPlaceError) -> str:
    return gettext("Match #{match} waits for a place: another match is running in its channel.").format(
        match=error.match.id
    )


@sentence.register
def _(error: errors.ChannelNotAllowedError) -> str:
    channels = sorted(error.settings.channel_ids)
    shown = ", ".join(words.channel(each) for each in channels[:10]) + (", …" if len(channels) > 10 else "")
    return gettext("This server plays in other channels: {channels}. Try it there.").format(channels=shown)


@sentence.register
def _(error: errors.RoleNeededError) -> str:
    return gettext(
        "In this server you need the role {role} to challenge others and to open tournaments. You can still accept "
        "challenges, and join."
    ).format(role=words.role(error.role_id))


@sentence.register
def _(error: errors.NotOverError) -> str:
    return gettext("Match #{match} is still running. A rematch comes after its end.").format(match=error.match.id)


@sentence.register
def _(error: errors.AlreadyVoidError) -> str:
    return gettext("Match #{match} counts for nobody already.").format(match=error.match.id)


@sentence.register
def _(error: errors.RematchExistsError) -> str:
    return gettext("The rematch is there already: match #{match}. {board} shows it.").format(
        match=error.match.rematch_id, board=words.command("board")
    )


@sentence.register
def _(error: errors.OpponentForgottenError) -> str:
    return gettext(
        "Your opponent in match #{match} has asked me to forget them. {challenge} starts a game with somebody else."
    ).format(match=error.match.id, challenge=words.command("challenge"))


@sentence.register
def _(error: errors.NothingToTakeBackError) -> str:
    return gettext("You have not played in match #{match} yet, so there is nothing to take back.").format(
        match=error.match.id
    )


@sentence.register
def _(error: errors.AlreadyThereError) -> str:
    return gettext("Match #{match} is played right here.").format(match=error.match.id)


@sentence.register
def _(error: errors.UnknownProposalError) -> str:
    return gettext("I do not know this proposal any more. {board} shows the board.").format(
        board=words.command("board")
    )


@sentence.register
def _(error: errors.ProposalStandsError) -> str:
    proposer = error.proposal.proposer
    return gettext(_STANDING[error.proposal.kind]).format(player=words.name(proposer), match=error.match.id)


_STANDING = {
    ProposalKind.DRAW: gettext_noop("{player} has offered a draw in match #{match}, which waits for an answer."),
    ProposalKind.TAKE_BACK: gettext_noop(
        "{player} has asked to take turns back in match #{match}, which waits for an answer."
    ),
    ProposalKind.ABANDON: gettext_noop("{player} has proposed to abandon match #{match}, which waits for an answer."),
    ProposalKind.MOVE: gettext_noop("{player} has proposed to move match #{match}, which waits for an answer."),
    ProposalKind.REMATCH: gettext_noop(
        "{player} has asked for a rematch of match #{match}, which waits for an answer."
    ),
}


@sentence.register
def _(error: errors.ProposalClosedError) -> str:
    return gettext(_SETTLED[error.proposal.state])


_SETTLED = {
    ProposalState.OPEN: gettext_noop("This is not open any more."),
    ProposalState.ACCEPTED: gettext_noop("This was accepted already."),
    ProposalState.DECLINED: gettext_noop("This was declined already."),
    ProposalState.WITHDRAWN: gettext_noop("This was withdrawn already."),
    ProposalState.LAPSED: gettext_noop("The match has moved on since then, so this is settled."),
}


@sentence.register
def _(error: errors.OwnProposalError) -> str:
    return gettext("You proposed this yourself: your opponent has to answer it. You can withdraw it.")


@sentence.register
def _(error: errors.NotYourProposalError) -> str:
    return gettext("Only {player} can withdraw this. You can accept or decline it.").format(
        player=words.name(error.proposal.proposer)
    )


@sentence.register
def _(error: errors.InvalidSettingError) -> str:
    return gettext("“{value}” is not possible here. Please choose from the list.").format(
        value=as_markdown(str(error.value))
    )


@sentence.register
def _(error: errors.BlockedError) -> str:
    if error.own:
        return gettext("You have blocked {player}. {settings} → Privacy lets you change that.").format(
            player=words.name(error.other), settings=words.command("settings")
        )
    return gettext("{player} does not want to play with you. There are others who do!").format(
        player=words.name(error.other)
    )


@sentence.register
def _(error: errors.BlockedProposalError) -> str:
    return gettext("{player} takes no proposals from you. You can still play match #{match}, or resign.").format(
        player=words.name(error.opponent), match=error.match.id
    )


@sentence.register
def _(error: errors.TooManyChallengesError) -> str:
    when = discord.utils.format_dt(error.again_at, "R")
    if error.other is not None:
        return gettext(
            "You have challenged {player} several times, and they have not accepted. Give them some time: you can "
            "challenge them again {when}."
        ).format(player=words.name(error.other), when=when)
    return gettext("Those were many challenges in one hour. You can make the next one {when}.").format(when=when)


@sentence.register
def _(error: errors.TooManyTournamentsError) -> str:
    return gettext("Those were many tournaments in one hour. You can open the next one {when}.").format(
        when=discord.utils.format_dt(error.again_at, "R")
    )


@sentence.register
def _(error: errors.TooManyProposalsError) -> str:
    when = discord.utils.format_dt(error.again_at, "R")
    if error.other is not None:
        return gettext(
            "You have asked {player} several times, and they have not agreed. Give them some time: you can ask again "
            "{when}."
        ).format(player=words.name(error.other), when=when)
    return gettext("Those were many proposals in one hour. You can make the next one {when}.").format(when=when)


@sentence.register
def _(error: errors.TooManyPostsError) -> str:
    return gettext(
        "You have shown everybody here many boards in a few minutes. You can show the next one {when}. Until then, "
        "{replay} shows you the match, for you alone."
    ).format(when=discord.utils.format_dt(error.again_at, "R"), replay=words.command("replay"))


@sentence.register
def _(error: errors.UnknownTournamentError) -> str:
    return gettext("There is no such tournament here. {create} opens one.").format(
        create=words.command("tournament create")
    )


@sentence.register
def _(error: errors.TournamentStateError) -> str:
    return gettext(_TOURNAMENT_STATES[error.tournament.state])


_TOURNAMENT_STATES = {
    TournamentState.OPEN: gettext_noop("This tournament has not begun yet."),
    TournamentState.RUNNING: gettext_noop("This tournament has begun already."),
    TournamentState.OVER: gettext_noop("This tournament is over."),
    TournamentState.CANCELLED: gettext_noop("This tournament was called off."),
}


@sentence.register
def _(error: errors.TournamentFullError) -> str:
    return gettext("This tournament is full. Open another one with {create}.").format(
        create=words.command("tournament create")
    )


@sentence.register
def _(error: errors.TooFewEntrantsError) -> str:
    return gettext("Three players at least make a tournament. Ask somebody to join.")


@sentence.register
def _(error: errors.AlreadyEntrantError) -> str:
    return gettext("You are in already. It begins when its organiser starts it.")


@sentence.register
def _(error: errors.NoEntrantError) -> str:
    if error.own:
        return gettext("You are not in this tournament.")
    return gettext("They are not in this tournament, or have left it.")


@sentence.register
def _(error: errors.OwnOpponentError) -> str:
    return gettext(
        "You are playing match #{match} against them yourself, so you cannot take them out. Finish the match first, or "
        "ask a moderator who is not in the tournament."
    ).format(match=error.match.id)


@sentence.register
def _(error: errors.NotAbsentError) -> str:
    return gettext(
        "{player} is not absent. You can take out players whose time has run out, even if they have days off left, or "
        "who have kept a game without a clock waiting for three days. Otherwise ask a moderator who is not in the "
        "tournament."
    ).format(player=words.name(error.player))


@sentence.register
def _(error: errors.OwnTournamentError) -> str:
    return gettext(
        "You take part in this tournament, so you cannot decide about it as a moderator. Ask a moderator who does not."
    )


@sentence.register
def _(error: errors.BlockedEntrantError) -> str:
    return gettext(
        "Somebody in this tournament and you do not play each other, so you cannot join it. {create} opens another one."
    ).format(create=words.command("tournament create"))


@sentence.register
def _(error: errors.NotOrganiserError) -> str:
    return gettext("Only {player}, who opened this tournament, can do that.").format(player=words.name(error.organiser))


@sentence.register
def _(error: errors.NoClockError) -> str:
    return gettext("Match #{match} is played without a clock.").format(match=error.match.id)


@sentence.register
def _(error: errors.TimeUpError) -> str:
    return gettext("Your time in match #{match} is up.").format(match=error.match.id)


@sentence.register
def _(error: errors.TimeLeftError) -> str:
    if error.spared:
        return gettext(
            "Your opponent in match #{match} has days off left, so one of them is spent instead of the win being yours."
        ).format(match=error.match.id)
    return gettext("There is time left in match #{match}, so there is nothing to claim.").format(match=error.match.id)


@sentence.register
def _(error: errors.OwnTimeError) -> str:
    return gettext("In match #{match} your own time is running. Only your opponent can claim the win then.").format(
        match=error.match.id
    )


@sentence.register
def _(error: errors.ClockChangedError) -> str:
    return gettext("The clock has changed since then. Look at it again with the button Time.")


@sentence.register
def _(error: TimeControlError) -> str:
    return gettext(_UNREADABLE_CLOCKS[error.reason]).format(typed=as_markdown(error.typed[:50]))


_UNREADABLE_CLOCKS = {
    "unclear": gettext_noop(
        "I cannot read “{typed}” as a clock. Write it with units, such as `1 day a turn`, `3 days + 1 day`, "
        "`10 min + 30 s` or `none`."
    ),
    "short": gettext_noop("“{typed}” is too short: a player needs a minute at least."),
    "long": gettext_noop("“{typed}” is too long: 60 days at most, and 14 days as a bonus."),
}


@sentence.register
def _(error: app_commands.NoPrivateMessage) -> str:
    return gettext("Matches are played in a server's channels. Use me there.")


@sentence.register
def _(error: app_commands.CommandSignatureMismatch | app_commands.CommandNotFound) -> str:
    return gettext("This command has changed just now. Restart Discord, or try again in a moment.")


@sentence.register
def _(error: app_commands.TransformerError) -> str:
    value = as_markdown(str(error.value))
    return gettext("I could not read “{value}”. Please choose from the list.").format(value=value)


async def answer(interaction: discord.Interaction[Any], error: Exception) -> None:
    """Tells the user privately what went wrong. Never raises."""
    cause: Exception = getattr(error, "original", error)
    text = sentence(cause)
    if text is None:
        code = secrets.token_hex(4)
        _LOG.error("interaction_failed", code=code, interaction=interaction.id, exc_info=cause)
        text = gettext(
            "Something went wrong on my side. Please try again; if it stays, report the code `{code}`."
        ).format(code=code)
    elif isinstance(cause, NotShownError):
        _LOG.warning("not_shown", channel=cause.channel_id, reason=str(cause))
    reply = compose(text, buttons=(rule_button(cause.rule),)) if isinstance(cause, TurnError) else text
    try:
        await replies.tell(interaction, reply)
    except Exception as undelivered:
        _LOG.warning("answer_not_delivered", interaction=interaction.id, reason=failure(undelivered))

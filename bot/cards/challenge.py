"""The card of a challenge."""

from __future__ import annotations

import discord

from bot.cards import words
from bot.cards.post import ActionButton, Post, Press, compose
from bot.matches.model import Challenge, ChallengeState, First, Match

_COLOUR = 0x5B8C3E


def challenge_card(challenge: Challenge, match: Match | None = None) -> Post:
    """The challenge with its terms and buttons, or how it ended; ``match`` is the one that it became."""
    challenger, opponent = challenge.challenger, challenge.opponent
    heading = f"### ⚔️ {words.name(challenger)} challenges {words.name(opponent) if opponent else 'anyone'}"
    if challenge.state is not ChallengeState.OPEN:
        return compose(heading, f"**{words.terms(challenge.ruleset)}**", _ending(challenge, match))
    opener = {
        First.CHALLENGER: f"{words.name(challenger)} opens",
        First.OPPONENT: f"{words.name(opponent) if opponent else 'the one who accepts'} opens",
        First.RANDOM: "the lot decides who opens",
    }[challenge.first]
    terms = f"**{words.terms(challenge.ruleset)}** · {opener}"
    expiry = discord.utils.format_dt(challenge.expires_at, "R")
    call = f"{words.mention(opponent)}, do you accept?" if opponent else "Who accepts?"
    return compose(
        heading,
        terms,
        call,
        footer=f"Expires {expiry}",
        buttons=challenge_buttons(challenge),
        colour=_COLOUR,
        pings=(opponent,) if opponent else (),
    )


def challenge_buttons(challenge: Challenge) -> tuple[ActionButton, ...]:
    accept = ActionButton.make(Press("accept", challenge.id), "Accept", discord.ButtonStyle.success)
    decline = ActionButton.make(Press("decline", challenge.id), "Decline")
    withdraw = ActionButton.make(Press("withdraw", challenge.id), "Withdraw")
    return (accept, decline, withdraw) if challenge.opponent else (accept, withdraw)


def _ending(challenge: Challenge, match: Match | None) -> str:
    challenger = words.name(challenge.challenger)
    opponent = words.name(challenge.opponent) if challenge.opponent else ""
    match challenge.state:
        case ChallengeState.DECLINED:
            return f"{opponent} declined. Maybe another time!"
        case ChallengeState.WITHDRAWN:
            return f"{challenger} withdrew the challenge."
        case ChallengeState.EXPIRED:
            return "The challenge expired without an answer."
    assert match is not None
    if match.channel_id is not None:
        where = "here" if match.channel_id == challenge.place.channel_id else f"in {words.channel(match.channel_id)}"
        return f"✅ {opponent} accepted. Match #{match.id} is played {where}; {words.name(match.first)} opens."
    return (
        f"✅ {opponent} accepted. Match #{match.id} **waits** until the match that is running here ends, for I could "
        "not open a thread. (To start it sooner, allow me to *Create Public Threads* and *Send Messages in Threads*, "
        f"then use {words.command('board')}.)"
    )

"""The card of a challenge."""

from __future__ import annotations

import discord

from bot.discord.cards import words
from bot.discord.cards.clock import time_control
from bot.discord.cards.rulebook import learn_button
from bot.discord.messages import ActionButton, Message, Press, compose
from bot.domain.challenges import Challenge, ChallengeState, First
from bot.texts import gettext as _

_COLOUR = 0x5B8C3E


def challenge_card(challenge: Challenge, whereabouts: str = "") -> Message:
    """The challenge with its terms and buttons, or how it ended; ``whereabouts`` are those of its match."""
    heading = f"### ⚔️ {_heading(challenge)}"
    terms = f"**{words.terms(challenge.ruleset, rated=challenge.rated)}**"
    if challenge.state is not ChallengeState.OPEN:
        return compose(heading, terms, _ending(challenge, whereabouts))
    opponent = challenge.opponent
    call = _("{player}, do you accept?").format(player=words.mention(opponent)) if opponent else _("Who accepts?")
    return compose(
        heading,
        f"{terms} · {_opener(challenge)}",
        "" if challenge.control is None else f"⏳ {time_control(challenge.control)}",
        call,
        footer=_("Expires {when}").format(when=discord.utils.format_dt(challenge.expires_at, "R")),
        buttons=(*challenge_buttons(challenge), learn_button(challenge.ruleset.game)),
        colour=_COLOUR,
        pings=(opponent,) if opponent else (),
    )


def challenge_buttons(challenge: Challenge) -> tuple[ActionButton, ...]:
    accept = ActionButton(Press("accept", challenge.id), _("Accept"), discord.ButtonStyle.success)
    decline = ActionButton(Press("decline", challenge.id), _("Decline"))
    withdraw = ActionButton(Press("withdraw", challenge.id), _("Withdraw"))
    return (accept, decline, withdraw) if challenge.opponent else (accept, withdraw)


def _heading(challenge: Challenge) -> str:
    challenger = words.name(challenge.challenger)
    if challenge.opponent is None:
        return _("{challenger} challenges anyone").format(challenger=challenger)
    opponent = words.name(challenge.opponent)
    return _("{challenger} challenges {opponent}").format(challenger=challenger, opponent=opponent)


def _opener(challenge: Challenge) -> str:
    if challenge.first is First.RANDOM:
        return _("who opens is decided at random")
    opener = challenge.challenger if challenge.first is First.CHALLENGER else challenge.opponent
    if opener is None:
        return _("whoever accepts opens")
    return _("{player} opens").format(player=words.name(opener))


def _ending(challenge: Challenge, whereabouts: str) -> str:
    challenger = words.name(challenge.challenger)
    opponent = words.name(challenge.opponent) if challenge.opponent else ""
    match challenge.state:
        case ChallengeState.DECLINED:
            return _("{opponent} declined. Maybe another time!").format(opponent=opponent)
        case ChallengeState.WITHDRAWN:
            return _("{challenger} withdrew the challenge.").format(challenger=challenger)
        case ChallengeState.EXPIRED:
            return _("The challenge expired without an answer.")
    accepted = _("✅ {opponent} accepted.").format(opponent=opponent)
    return f"{accepted} {whereabouts}"

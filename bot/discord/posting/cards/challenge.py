"""The card of a challenge."""

from __future__ import annotations

import discord

from bot.discord.ui import scenes, words
from bot.discord.ui.links import Answer, learn_button
from bot.discord.ui.messages import ActionButton, Aside, Message, compose
from bot.discord.ui.presses import Id, Press
from bot.domain.challenges import Challenge, ChallengeState, First
from bot.texts import gettext as _
from bot.texts.durations import time_control

#: The most challenges on a page of the list.
CHALLENGES_ON_PAGE = 6


class AnswerChallenge(Press, action="challenge"):
    challenge_id: Id
    answer: Answer


class AcceptInDigest(Press, action="challenge-in-digest"):
    challenge_id: Id


class PlayComputerInstead(Press, action="instead"):
    challenge_id: Id


def challenge_card(challenge: Challenge, whereabouts: str = "") -> Message:
    """The challenge with its terms and buttons, or how it ended; ``whereabouts`` are those of its match."""
    game = challenge.ruleset.game
    heading = f"### {scenes.sign(game)} {_heading(challenge)}"
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
        buttons=(
            *challenge_buttons(challenge),
            ActionButton(PlayComputerInstead(challenge.id), _("Play the computer"), emoji="🤖"),
            learn_button(game),
        ),
        colour=scenes.colour(game),
        pings=(opponent,) if opponent else (),
    )


def challenge_entry(challenge: Challenge, link: str | None = None) -> str:
    """A challenge to whoever reads this, in a list; with the address of its card, or else its channel."""
    terms = [f"**{words.terms(challenge.ruleset, rated=challenge.rated)}**", _opener(challenge)]
    if challenge.control is not None:
        terms.append(f"⏳ {time_control(challenge.control)}")
    channel = words.channel(challenge.place.channel_id)
    where = _("{channel} · expires {when}").format(
        channel=channel if link is None else _("[challenge]({link})").format(link=link),
        when=discord.utils.format_dt(challenge.expires_at, "R"),
    )
    name = words.name(challenge.challenger)
    who = _("{challenger} challenges you") if challenge.opponent else _("{challenger} challenges anyone")
    sign = scenes.sign(challenge.ruleset.game)
    return f"{sign} {who.format(challenger=name)}: {' · '.join(terms)}\n-# {where}"


def digest_challenge(challenge: Challenge, link: str | None) -> Aside:
    """A challenge in the digest of whoever it is to, with the address of its card and the button that accepts it."""
    accept = ActionButton(AcceptInDigest(challenge.id), _("Accept"), discord.ButtonStyle.success)
    return Aside(challenge_entry(challenge, link), buttons=(accept,))


def challenge_buttons(challenge: Challenge) -> tuple[ActionButton, ...]:
    accept = ActionButton(AnswerChallenge(challenge.id, Answer.ACCEPT), _("Accept"), discord.ButtonStyle.success)
    decline = ActionButton(AnswerChallenge(challenge.id, Answer.DECLINE), _("Decline"))
    withdraw = ActionButton(AnswerChallenge(challenge.id, Answer.WITHDRAW), _("Withdraw"))
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

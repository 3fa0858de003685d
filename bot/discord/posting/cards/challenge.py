"""The card of a challenge."""

from __future__ import annotations

import discord

import render
from bot.discord.ui import markdown, scenes
from bot.discord.ui.actions import Decision, learn_button
from bot.discord.ui.messages import ActionButton, Aside, Message, Picture, compose
from bot.discord.ui.presses import Id, Press
from bot.domain.challenges import Challenge, ChallengeState, First
from bot.texts import gettext as _, gettext_noop
from bot.texts.durations import time_control
from bot.wording import words
from rules import Side

#: Maximum number of challenges on a page of the list.
CHALLENGES_ON_PAGE = 6
_ENDINGS = {
    ChallengeState.ACCEPTED: gettext_noop("✅ {opponent} accepted."),
    ChallengeState.DECLINED: gettext_noop("{opponent} declined. Maybe another time!"),
    ChallengeState.WITHDRAWN: gettext_noop("{challenger} withdrew the challenge."),
    ChallengeState.EXPIRED: gettext_noop("The challenge expired without an answer."),
}
_ENDINGS_ON_LADDER = _ENDINGS | {
    ChallengeState.DECLINED: gettext_noop("{opponent} declined, so {challenger} takes the place."),
    ChallengeState.EXPIRED: gettext_noop("{opponent} has not answered, so {challenger} takes the place."),
}


class AnswerChallenge(Press, action="challenge"):
    challenge_id: Id
    answer: Decision


class AcceptInDigest(Press, action="challenge-in-digest"):
    challenge_id: Id


class PlayComputerInstead(Press, action="instead"):
    challenge_id: Id


def challenge_card(challenge: Challenge, whereabouts: str = "", look: render.Look = render.DEFAULT_LOOK) -> Message:
    """The challenge with its terms and buttons, or its end; ``whereabouts`` is where its match is played.

    If the match continues from a position, this renders its picture in the ``look``: call it in a thread.
    """
    game = challenge.ruleset.game
    heading = f"### {scenes.emoji(game)} {_heading(challenge)}"
    terms = f"**{words.terms(challenge.ruleset, rated=challenge.rated)}**"
    opponent = challenge.opponent
    if challenge.state is not ChallengeState.OPEN:
        names = {"challenger": words.name(challenge.challenger), "opponent": words.name(opponent) if opponent else ""}
        endings = _ENDINGS if challenge.ladder_id is None else _ENDINGS_ON_LADDER
        ending = _(endings[challenge.state]).format(**names)
        return compose(heading, terms, _stakes(challenge), f"{ending} {whereabouts}".rstrip())
    continued, free = _position(challenge, look), challenge.ladder_id is None
    call = _("Who accepts?")
    if opponent is not None:
        call = _("{player}, do you accept?").format(player=markdown.mention(opponent))
        if opponent.is_program:
            call = _("{player} can answer as long as its owner runs it.").format(player=words.name(opponent))
    return compose(
        heading,
        f"{terms} · {_opener(challenge)}" if continued is None else "\n".join([terms, _seats(challenge)]),
        continued,
        "" if challenge.control is None else f"⏳ {time_control(challenge.control)}",
        _stakes(challenge),
        call,
        footer=_("Expires {when}").format(when=discord.utils.format_dt(challenge.expires_at, "R")),
        buttons=(
            *challenge_buttons(challenge),
            *([ActionButton(PlayComputerInstead(challenge.id), _("Play the computer"), emoji="🤖")] if free else []),
            learn_button(game),
        ),
        colour=scenes.colour(game),
        pings=(opponent,) if opponent else (),
    )


def _stakes(challenge: Challenge) -> str:
    """The stakes of a challenge on a ladder."""
    if challenge.ladder_id is None or challenge.opponent is None:
        return ""
    text = _("🪜 {ladder}: {challenger} plays for {opponent}'s place.")
    if challenge.state is ChallengeState.OPEN:
        text = _(
            "🪜 {ladder}: {challenger} plays for {opponent}'s place. {opponent} loses it by declining, or by not "
            "answering in time."
        )
    return text.format(
        ladder=words.ladder(challenge.ruleset.game),
        challenger=words.name(challenge.challenger),
        opponent=words.name(challenge.opponent),
    )


def _position(challenge: Challenge, look: render.Look) -> Picture | None:
    """The picture of the position that the match continues from; None for an empty board."""
    if not challenge.ruleset.continues:
        return None
    return scenes.picture(f"challenge-{challenge.id}.png", challenge.ruleset.start(), (), look)


def _seats(challenge: Challenge) -> str:
    """The sides of the players in a match that continues from a position."""
    start, other = challenge.ruleset.start(), challenge.opponent
    names = [words.name(challenge.challenger), words.name(other) if other else _("the player who accepts")]
    first, second = names if challenge.first is First.CHALLENGER else names[::-1]
    if start.second_player is None:
        return _("{player} chooses a side").format(player=second)
    by_side = (first, second) if start.second_player is Side.SECOND else (second, first)
    playing = _("{player} plays {side}")
    return " · ".join(
        playing.format(player=player, side=words.side(challenge.ruleset, side))
        for player, side in zip(by_side, Side, strict=True)
    )


def challenge_entry(challenge: Challenge, accept: Press, link: str | None = None) -> Aside:
    """A challenge that the reader of a list can accept, with a link to its card or else its channel."""
    terms = [f"**{words.terms(challenge.ruleset, rated=challenge.rated)}**"]
    if not challenge.ruleset.continues:
        terms.append(_opener(challenge))
    if challenge.ladder_id is not None:
        terms.append(f"🪜 {words.ladder(challenge.ruleset.game)}")
    if challenge.control is not None:
        terms.append(f"⏳ {time_control(challenge.control)}")
    at = markdown.channel(challenge.place.channel_id) if link is None else _("[challenge]({link})").format(link=link)
    expires = discord.utils.format_dt(challenge.expires_at, "R")
    where = _("{channel} · expires {when}").format(channel=at, when=expires)
    who = _("{challenger} challenges you") if challenge.opponent else _("{challenger} challenges anyone")
    heading = f"{scenes.emoji(challenge.ruleset.game)} {who.format(challenger=words.name(challenge.challenger))}"
    button = ActionButton(accept, _("Accept"), discord.ButtonStyle.success)
    return Aside(f"{heading}: {' · '.join(terms)}\n-# {where}", buttons=(button,))


def challenge_buttons(challenge: Challenge) -> tuple[ActionButton, ...]:
    accept = ActionButton(AnswerChallenge(challenge.id, Decision.ACCEPT), _("Accept"), discord.ButtonStyle.success)
    label = _("Decline") if challenge.ladder_id is None else _("Decline and lose the place")
    decline = ActionButton(AnswerChallenge(challenge.id, Decision.DECLINE), label)
    withdraw = ActionButton(AnswerChallenge(challenge.id, Decision.WITHDRAW), _("Withdraw"))
    if challenge.opponent is not None and challenge.opponent.is_program:
        return (withdraw,)
    return (accept, decline, withdraw) if challenge.opponent else (accept, withdraw)


def _heading(challenge: Challenge) -> str:
    challenger = words.name(challenge.challenger)
    if challenge.opponent is None:
        return _("{challenger} challenges anyone").format(challenger=challenger)
    opponent = words.name(challenge.opponent)
    return _("{challenger} challenges {opponent}").format(challenger=challenger, opponent=opponent)


def _opener(challenge: Challenge) -> str:
    if challenge.first is First.RANDOM:
        return _("a random player opens")
    opener = challenge.challenger if challenge.first is First.CHALLENGER else challenge.opponent
    if challenge.ruleset.handicap is not None:
        side = words.side(challenge.ruleset, Side.FIRST)
        if opener is None:
            return _("the player who accepts opens and stays {side}").format(side=side)
        return _("{player} opens and stays {side}").format(player=words.name(opener), side=side)
    if opener is None:
        return _("the player who accepts opens")
    return _("{player} opens").format(player=words.name(opener))

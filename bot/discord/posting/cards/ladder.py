"""The card of a ladder, and the notice to a player who has lost their place."""

from __future__ import annotations

from collections.abc import Iterable

import discord

import rules
from bot.discord.ui import markdown, scenes
from bot.discord.ui.messages import ActionButton, Message, compose
from bot.discord.ui.presses import Id, Press
from bot.domain.competitions.ladders import CONTROL, Ladder, Loss, LostRung, Rung
from bot.texts import gettext as _, gettext_noop, ngettext
from bot.texts.durations import time_control
from bot.wording import words

#: Maximum number of places on the card, and above and below the viewer's own place.
_MOST_SHOWN, _AROUND = 15, 4
_LOSSES = {
    Loss.SILENCE: gettext_noop(
        "{player}, you have not answered {winner} for three days, so {winner} has taken your place {number}."
    ),
    Loss.BLOCK: gettext_noop("{player}, {winner} has taken your place {number}, without a match."),
    Loss.AWAY: gettext_noop(
        "{player}, you have not played or answered here for thirty days, so you are no longer on the ladder. You had "
        "place {number}."
    ),
    Loss.PAUSE: gettext_noop(
        "{player}, your pause has lasted thirty days, so you are no longer on the ladder. You had place {number}."
    ),
}


class LadderPress(Press):
    ladder_id: Id


class JoinLadder(LadderPress, action="ladder-join"):
    pass


class OpenLadder(LadderPress, action="ladder"):
    """Show the ladder privately, with the viewer's options."""


def ladder_card(ladder: Ladder) -> Message:
    """The ladder as everybody sees it."""
    rule = _(
        "Challenge one of the next three players above you: if you win, you take their place. A player who declines, "
        "or does not answer for three days, loses the place."
    )
    return compose(
        heading(ladder),
        rule,
        rung_list(ladder),
        footer=_footer(ladder),
        buttons=(join_button(ladder), ActionButton(OpenLadder(ladder.id), _("Challenge…"), emoji="⚔️")),
        colour=scenes.GOLD,
    )


def moved_card(ladder: Ladder) -> Message:
    """The old card of a ladder that is now in another channel."""
    text = _("The ladder is now in {channel}.").format(channel=markdown.channel(ladder.place.channel_id))
    return compose(heading(ladder), text)


def lost_notice(ladder: Ladder, lost: LostRung) -> Message:
    """The ping to a player who may not know that their place is lost."""
    text = _(_LOSSES[lost.loss]).format(
        player=markdown.mention(lost.player),
        winner="" if lost.winner is None else words.name(lost.winner),
        number=lost.number,
    )
    button = join_button(ladder)
    if lost.winner is not None:
        button = ActionButton(OpenLadder(ladder.id), _("Challenge…"), emoji="⚔️")
    return compose(f"🪜 **{words.ladder(ladder.game)}**", text, buttons=(button,), pings=(lost.player,))


def heading(ladder: Ladder) -> str:
    return f"### 🪜 {words.ladder(ladder.game)}"


def join_button(ladder: Ladder) -> ActionButton:
    return ActionButton(JoinLadder(ladder.id), _("Join"), discord.ButtonStyle.success)


def rung_list(ladder: Ladder, own: Rung | None = None) -> str:
    """The top of a ladder, or the places around a player's ``own`` place."""
    if not ladder.rungs:
        return _("Nobody is on this ladder at the moment.")
    first = 0 if own is None else max(0, own.number - 1 - _AROUND)
    shown = ladder.rungs[first : first + _MOST_SHOWN] if own is None else ladder.rungs[first : own.number + _AROUND]
    left = len(ladder.rungs) - first - len(shown)
    more = [ngettext("{count} more", "{count} more", left).format(count=left)] if left else []
    return "\n".join([*_rows(ladder, shown, own), *more])


def _rows(ladder: Ladder, shown: Iterable[Rung], own: Rung | None) -> Iterable[str]:
    for rung in shown:
        name = words.name(rung.player)
        items = [f"**{name}**" if rung == own else name, _state(ladder, rung)]
        yield f"`{rung.number:>2}.` {' · '.join(filter(None, items))}"


def _state(ladder: Ladder, rung: Rung) -> str:
    """Why a player cannot be challenged now; empty if they can."""
    if rung.paused_at is not None and rung.paused_until is not None:
        since, until = (discord.utils.format_dt(at, "d") for at in (rung.paused_at, rung.paused_until))
        return _("⏸️ pausing since {since}, may pause until {until}").format(since=since, until=until)
    contest = ladder.contest(rung.player.id)
    if contest is None:
        return ""
    challenges = contest.challenger_id == rung.player.id
    other = ladder.rung(contest.opponent_id if challenges else contest.challenger_id)
    text = _("⚔️ challenges {player}") if challenges else _("⚔️ challenged by {player}")
    if contest.match_id is not None:
        text = _("⚔️ plays {player}, match #{match}")
    return text.format(player="?" if other is None else words.name(other.player), match=contest.match_id)


def _footer(ladder: Ladder) -> str:
    count = ngettext("{count} player", "{count} players", len(ladder.rungs)).format(count=len(ladder.rungs))
    return " · ".join([count, words.terms(rules.ruleset(ladder.game.name)), time_control(CONTROL)])

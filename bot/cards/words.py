"""Words that several cards and answers share."""

from __future__ import annotations

import re

from discord import utils

from bot.matches.model import Ending, Game, Match, Player
from bot.texts import gettext as _
from bot.texts import later, ngettext, pgettext
from rules import Event, Flipped, Passed, Ruleset, Side, SideChosen


def name(player: Player) -> str:
    """The player's name, so that nothing in it is read as formatting or a mention."""
    return utils.escape_mentions(utils.escape_markdown(player.name))


def mention(player: Player) -> str:
    return f"<@{player.id}>"


def channel(channel_id: int) -> str:
    return f"<#{channel_id}>"


def side(ruleset: Ruleset, which: Side) -> str:
    return _(ruleset.game.sides[which]).capitalize()


def terms(ruleset: Ruleset) -> str:
    """The game with its size, and its variant when it is not the standard one."""
    values = {"game": ruleset.game.title, "size": ruleset.size}
    if ruleset.variant == ruleset.game.variants[0]:
        return _("{game}, size {size}").format(**values)
    return _("{game}, size {size}, variant *{variant}*").format(variant=_(ruleset.variant), **values)


def variant(game: str, which: str) -> str:
    """A variant with what is special about it."""
    special = _VARIANTS.get((game, which))
    return f"{_(which)}: {_(special)}" if special else _(which)


_VARIANTS = {("dalen", "leaves"): later("a tree captures once it cannot gain leaves")}


def versus(match: Match) -> str:
    return _("{first} vs {second}").format(first=name(match.first), second=name(match.second))


#: The commands' ids, once they are registered: a mention of a command can be tapped, its mere name cannot.
COMMAND_IDS: dict[str, int] = {}


def command(name: str) -> str:
    """A command to tap, such as ``/move``."""
    return f"</{name}:{COMMAND_IDS[name]}>" if name in COMMAND_IDS else f"`/{name}`"


def plain(text: str) -> str:
    """A sentence for places where Discord shows text as it is."""
    named = re.sub(r"</([a-z]+):\d+>", lambda found: f"/{pgettext('name', found[1])}", text)
    return named.translate({ord(mark): None for mark in "*`\\"})


def goal(ruleset: Ruleset) -> str:
    """What a newcomer has to know before the first turn."""
    return _(_GOALS[ruleset.game.name])


_GOALS = {
    "dalen": later(
        "You win when all stones are yours. A *leaf* is a stone with exactly one neighbour of its colour; a new stone "
        "may touch at most one of your leaves. A tree that cannot grow any more flips every enemy tree that it touches "
        "and that has no more leaves than it."
    )
}


def effect(events: tuple[Event, ...]) -> str:
    """What a turn does beyond placing its stone, such as ``flips 7``; empty when it does nothing more."""
    mover = next((event.side for event in events if not isinstance(event, Flipped)), None)
    flips = losses = 0
    for event in events:
        if isinstance(event, Flipped):
            if event.side is mover:
                flips += len(event.cells)
            else:
                losses += len(event.cells)
    parts = []
    if flips:
        parts.append(ngettext("flips {count}", "flips {count}", flips).format(count=flips))
    if losses:
        parts.append(ngettext("loses {count}", "loses {count}", losses).format(count=losses))
    return ", ".join(parts)


def last_turn(game: Game) -> str:
    """Who made the last turn, and what it did, such as ``Turn 12 · Bob (Light) played e5 · flips 7``.

    Empty before the opening.
    """
    player = game.last_player
    if player is None:
        return ""
    ruleset = game.match.ruleset
    first = game.events[0]
    values = {"player": name(player), "turn": game.turns[-1]}
    if isinstance(first, SideChosen):
        did = _("{player} chose **{side}**").format(side=side(ruleset, first.side), **values)
    elif game.ply == 1:
        did = _("{player} opened with **{turn}**").format(**values)
    elif isinstance(first, Passed):
        did = _("{player} ({side}) passed").format(side=side(ruleset, first.side), **values)
    else:
        did = _("{player} ({side}) played **{turn}**").format(side=side(ruleset, first.side), **values)
    return " · ".join(filter(None, [_("Turn {number}").format(number=game.ply), did, effect(game.events)]))


def ended(game: Game) -> str:
    """The result of a match that is over, and its reason."""
    result = game.match.result
    assert result is not None
    if result.winner_id is None:
        return _("The game is a draw.")
    winner = next(player for player in game.match.players if player.id == result.winner_id)
    loser = game.match.opponent_of(result.winner_id)
    won_by = game.side_of(winner.id)
    shown = f"**{name(winner)}**" + ("" if won_by is None else f" ({side(game.match.ruleset, won_by)})")
    if result.ending is Ending.RESIGNATION:
        return _("{winner} wins: {loser} resigned.").format(winner=shown, loser=name(loser))
    if result.ending is Ending.TIME:
        return _("{winner} wins: {loser} ran out of time.").format(winner=shown, loser=name(loser))
    assert game.outcome is not None
    return _("{winner} wins by {reason}.").format(winner=shown, reason=_(game.outcome.reason))

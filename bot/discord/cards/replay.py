"""The card on which a match is replayed, and what is shared of it."""

from __future__ import annotations

from collections.abc import Sequence

import discord

import render
from bot.discord.cards import scenes, words
from bot.discord.cards.match import decided_otherwise
from bot.discord.cards.review import review_button
from bot.discord.messages import (
    LONGEST_DESCRIPTION,
    ActionButton,
    Menu,
    Message,
    Picture,
    Press,
    compose,
    option_menu,
)
from bot.domain.matches import Game
from bot.domain.players import Player
from bot.texts import gettext as _
from render import replay

#: What is shown of a match: a position, an animation of the whole match, or its key positions.
BOARD, ANIMATION, SHEET = "board", "film", "sheet"
_MOST_JUMPS = 25


def whole_picture(game: Game, look: render.Look, kind: str) -> Picture:
    """The animation or contact sheet of a whole match. This can take seconds, so call it outside the event loop."""
    match, decided = game.match, decided_otherwise(game)
    arguments = (render.face(match.ruleset.game), list(replay.shots(match.ruleset, game.turns)), decided, look)
    header = scenes.header(game, shared=True)
    if kind == ANIMATION:
        data, ending = replay.animation(*arguments, header=header), "gif"
        described = _("All {count} turns of the match, one after the other.")
    else:
        data, ending = replay.contact_sheet(*arguments, header), "png"
        described = _("Key positions of the match, which has {count} turns.")
    end = render.describe(game.position, game.events, decided, look, header)
    return Picture(
        f"{match.ruleset.game.name}-{match.id}-{game.ply}-{kind}.{ending}",
        data,
        f"{described.format(count=game.ply)} {end}"[:LONGEST_DESCRIPTION],
    )


def replay_card(
    game: Game, turns: Sequence[str], picture: Picture, kind: str, *, over: bool, shared: bool = False
) -> Message:
    """The match after some of its ``turns``, with buttons to the others; ``shared`` if everybody was shown this.

    A match that is ``over`` can be reviewed.
    """
    match, ply, last = game.match, game.ply, len(turns)
    at = _("Turn {ply} of {last}").format(ply=ply, last=last)

    def to(target: int, label: str, name: str) -> ActionButton:
        inside = 0 <= target <= last
        return ActionButton(Press("replay", match.id, target if inside else ply, name), label, disabled=not inside)

    def whole(name: str, label: str) -> ActionButton:
        if kind == name:
            return ActionButton(Press("replay", match.id, ply, f"{name}-end"), _("Back to the board"))
        return ActionButton(Press("replay", match.id, ply, name), label, disabled=not last)

    walk = (
        ActionButton(Press("replay", match.id, 0, "first"), "⏮", disabled=ply == 0),
        to(ply - 1, "◀", "back"),
        to(ply + 1, "▶", "next"),
        ActionButton(Press("replay", match.id, last, "last"), "⏭", disabled=ply == last),
    )
    share = ActionButton(
        Press("share", match.id, ply, kind), _("Shared") if shared else _("Share"), disabled=shared, emoji="📣"
    )
    more = [whole(ANIMATION, _("Animated")), whole(SHEET, _("Key positions")), share]
    if kind == BOARD:
        more.append(ActionButton(Press("try", match.id, ply), _("Try from here"), emoji="🧪"))
    if over and last:
        more.append(review_button(match))
    jumps = _jumps(match.id, turns, ply)
    footer = f"#{match.id} · {words.terms(match.ruleset)}"
    return compose(
        _heading(game),
        _said(game, kind) if kind == BOARD else "",
        picture=picture,
        footer=f"{at} · {footer}" if kind == BOARD else footer,
        menus=(jumps,) if jumps and kind == BOARD else (),
        buttons=walk if kind == BOARD else (),
        more_buttons=tuple(more),
    )


def shared_card(game: Game, picture: Picture, kind: str, by: Player) -> Message:
    """What somebody shares of a match with everybody."""
    footer = _("Match #{match}, shown by {player} · {replay}").format(
        match=game.match.id, player=words.name(by), replay=words.command("replay")
    )
    return compose(_heading(game), _said(game, kind), picture=picture, footer=footer)


def _heading(game: Game) -> str:
    return f"### 🎞️ {game.match.ruleset.game.title} · {words.versus(game.match)}"


def _said(game: Game, kind: str) -> str:
    """The last turn, and the end of a match that is over."""
    ended = f"🏆 {words.ended(game)}" if game.match.result is not None else ""
    turn = words.last_turn(game) or _("Before the opening.") if kind == BOARD else ""
    return "\n".join(filter(None, [turn, ended]))


def _jumps(match_id: int, turns: Sequence[str], ply: int) -> Menu | None:
    """A menu of turns at even distances, including the last one; None for a match too short to need it."""
    last = len(turns)
    if last < 4:
        return None
    targets = sorted({round((at + 1) * last / _MOST_JUMPS) for at in range(_MOST_JUMPS)} - {0})
    options = [
        discord.SelectOption(
            label=_("Turn {ply}: {turn}").format(ply=target, turn=turns[target - 1])[:100],
            value=str(target),
            default=target == ply,
        )
        for target in targets
    ]
    return option_menu(Press("replay-jump", match_id), options, _("Jump to a turn"))

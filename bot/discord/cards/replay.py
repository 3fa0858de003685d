"""The card on which a match is replayed, and what is shared of it."""

from __future__ import annotations

from collections.abc import Sequence

import discord

import render
from bot.discord.cards import scenes, words
from bot.discord.cards.match import decided_otherwise
from bot.discord.cards.rulebook import rule_button
from bot.discord.messages import (
    LONGEST_DESCRIPTION,
    LONGEST_FIELD,
    ActionButton,
    Form,
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
from bot.texts import ngettext
from render import replay

#: What is shown of a match: a position, an animation of the whole match, or its key positions.
BOARD, ANIMATION, SHEET = "board", "film", "sheet"
_MOST_JUMPS = 25
#: The most lines of tried turns, and characters after a command, so that a card is never too long.
_MOST_LINES, _LONGEST_SHOWN = 12, 600
#: The most characters in a line of turns to try.
LONGEST_LINE = LONGEST_FIELD


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


def replay_card(game: Game, turns: Sequence[str], picture: Picture, kind: str, *, shared: bool = False) -> Message:
    """The match after some of its ``turns``, with buttons to the others; ``shared`` if everybody was shown this."""
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
    jumps = _jumps(match.id, turns, ply)
    return compose(
        _heading(game),
        _said(game, kind) if kind == BOARD else "",
        picture=picture,
        footer=f"{at} · #{match.id} · {words.terms(match.ruleset)}" if kind == BOARD else f"#{match.id}",
        menus=(jumps,) if jumps and kind == BOARD else (),
        buttons=walk if kind == BOARD else (),
        more_buttons=(whole(ANIMATION, _("Animated")), whole(SHEET, _("Key positions")), share),
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


def tried_card(tried: Sequence[Game], refused: str, picture: Picture, rule: str | None) -> Message:
    """A board on which somebody only tries turns, from the first of these games to the last.

    Says what each turn does and, when one is ``refused``, why; ``rule`` is the section of the rules that says so.
    """
    start, *after = tried
    lines = [words.last_turn(game) for game in after]
    if len(lines) > _MOST_LINES:
        left_out = ngettext("… {count} turn before", "… {count} turns before", len(lines) - _MOST_LINES)
        lines[:-_MOST_LINES] = [left_out.format(count=len(lines) - _MOST_LINES)]
    turns = tried[-1].turns[start.ply :]
    more = Press("try-more", start.match.id, start.ply, ".".join(turns))
    footer = [_("Only you can see this; the match stays as it is.")]
    buttons = [ActionButton(more, _("Add a turn"), discord.ButtonStyle.primary)] if more.fits else []
    line = " ".join(turns)
    if not buttons and len(line) < _LONGEST_SHOWN:
        add = _("To add a turn, type it after these: {command} {turns}")
        footer.insert(0, add.format(command=words.command("try"), turns=f"`{line}`"))
    if rule is not None:
        buttons.append(rule_button(rule))
    return compose(
        _("### 🧪 Trying out turns · match #{match}").format(match=start.match.id),
        "\n".join(lines) or words.last_turn(start) or _("Before the opening."),
        f"✗ {refused}" if refused else "",
        picture=picture,
        footer="\n-# ".join(footer),
        buttons=tuple(buttons),
    )


def try_form(press: Press) -> Form:
    """The form with the turns tried so far, to which others can be added."""
    turns = press.argument.replace(".", " ")
    field: discord.ui.TextInput[discord.ui.Modal] = discord.ui.TextInput(
        custom_id="turns", default=f"{turns} " if turns else None, max_length=LONGEST_LINE
    )
    label: discord.ui.Label[discord.ui.Modal] = discord.ui.Label(
        text=_("Turns"),
        description=_("Separated by spaces, yours and your opponent's"),
        component=field,
    )
    title = _("Match #{match}: trying out turns").format(match=press.subject)
    return Form(Press("tried", press.subject, press.step), title, label)

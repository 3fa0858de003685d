"""The private card on which turns are tried, and the form for typing some."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import discord

import render
from bot.discord.cards import words
from bot.discord.cards.keypad import Keypad, Presses, digest, pass_key, shortened
from bot.discord.cards.match import board_picture
from bot.discord.cards.review import review_button
from bot.discord.cards.rulebook import rule_button
from bot.discord.cards.turn_builder import COLOUR, board_of, hint_button, next_choice, told_of
from bot.discord.messages import LONGEST_FIELD, ActionButton, Form, Message, Press, compose
from bot.domain.lines import MOST_TURNS, Line
from bot.domain.matches import Ending, Game, Result
from bot.texts import gettext as _
from bot.texts import ngettext
from rules import PASS, Draft, Phase

#: The most characters in turns that are typed at once.
LONGEST_TYPED = LONGEST_FIELD
#: The most buttons below a keypad, which leaves room for one row.
_IN_ROW = 5
#: The most tried turns that are told, so that a card is never too long.
_MOST_TOLD = 12


def line_card(
    line: Line,
    tried: Sequence[Game],
    look: render.Look,
    *,
    playable: bool = False,
    area: int | None = None,
    note: str = "",
    rule: str | None = None,
    hints: bool = False,
    over: bool = False,
) -> Message:
    """A board on which somebody tries a line, from the first of these games to the last. This draws.

    The buttons are those of a turn. If the line's first turn is ``playable``, the match waits for the viewer where the
    line begins. ``note`` is said below the turns, ``rule`` is the section of the rules by which one was refused, and
    ``area`` the part of the board to choose in. With ``hints`` one can be asked for, and if the match is ``over``, its
    review.
    """
    game = tried[-1]
    presses = Presses(game.match.id, line.step, digest(line.text), trying=True)
    told = [_("### 🧪 Trying out turns · match #{match}").format(match=game.match.id), _turns(tried), note]
    keypad: Keypad = ()
    if game.outcome is not None or line.full:
        told.append(_ended(game) if game.outcome is not None else _full())
        picture = board_picture(game, look)
        buttons = tuple(_buttons(game, line, None, presses, None, playable=playable, rule=rule, hints=False, over=over))
    else:
        draft = game.position.draft(line.begun)
        choice = next_choice(board_of(game), draft, look, presses.pick, area)
        told += [told_of(game.position, draft), " ".join([_to_play(game), choice.question])]
        picture, keypad = choice.picture, choice.keypad
        offered = _buttons(
            game, line, draft, presses, choice.area, playable=playable, rule=rule, hints=hints, over=over
        )
        buttons = tuple(offered)[:_IN_ROW]
    return compose(
        "\n".join(filter(None, told)),
        picture=picture,
        footer=_("Only you can see this; the match stays as it is."),
        keypad=keypad,
        buttons=buttons,
        colour=COLOUR,
    )


def _buttons(
    game: Game,
    line: Line,
    draft: Draft | None,
    presses: Presses,
    area: int | None,
    *,
    playable: bool,
    rule: str | None,
    hints: bool,
    over: bool,
) -> Iterator[ActionButton]:
    """The buttons, the most important ones first."""
    if draft is not None and draft.text and draft.complete:
        name = words.named(game.position.turn_name(draft.text))
        yield ActionButton(presses.of("add"), shortened(_("Try only {turn}").format(turn=name)))
    if draft is not None and PASS in draft.steps and area is None:
        yield pass_key(game.position, draft, presses.pick)
    if line.turns or line.begun or area is not None:
        yield ActionButton(presses.of("back", "" if area is None else str(area)), _("Back"))
    if playable and line.turns and not line.begun:
        yield ActionButton(presses.of("play"), _("Play the first turn"), discord.ButtonStyle.success)
    if draft is not None:
        yield ActionButton(presses.of("type"), _("Type it"))
    if hints and not line.begun:
        yield hint_button(presses.of("hint"))
    if rule is not None:
        yield rule_button(rule)
    elif not line.begun:
        yield ActionButton(Press("replay", game.match.id, line.ply, "line"), _("Replay"), emoji="🎞️")
    if over and not line.begun:
        yield review_button(game.match, line.ply + 1)


def _turns(tried: Sequence[Game]) -> str:
    """What each turn of the line did; before any, the last turn of the match."""
    start, *after = tried
    told = [words.last_turn(game) for game in after] or [words.last_turn(start) or _("Before the opening.")]
    if len(told) > _MOST_TOLD:
        count = len(told) - _MOST_TOLD
        told[:count] = [ngettext("… {count} earlier turn", "… {count} earlier turns", count).format(count=count)]
    return "\n".join(told)


def _to_play(game: Game) -> str:
    """Who plays next."""
    awaited = game.to_act
    assert awaited is not None
    if game.position.phase is not Phase.PLAY:
        return _("{player} to play.").format(player=words.name(awaited))
    side = words.side(game.match.ruleset, game.position.turn_of)
    return _("{player} ({side}) to play.").format(**words.acting(awaited, side))


def _full() -> str:
    return _("A line has at most {count} turns. Press *Back* to try others.").format(count=MOST_TURNS)


def _ended(game: Game) -> str:
    """How the rules end the game here."""
    outcome = game.outcome
    assert outcome is not None
    winner = None if outcome.winner is None else game.player_of(outcome.winner).id
    result = Result(winner, Ending.RULES)
    return f"{words.result_sign(result)} {words.ended(replace(game, match=replace(game.match, result=result)))}"


def line_form(match_id: int, line: Line) -> Form:
    """The form in which the next turns of a line are typed, with what has been put together of the first."""
    field: discord.ui.TextInput[discord.ui.Modal] = discord.ui.TextInput(
        custom_id="turns", default=line.begun[:LONGEST_TYPED] or None, max_length=LONGEST_TYPED
    )
    label: discord.ui.Label[discord.ui.Modal] = discord.ui.Label(
        text=_("Turns"),
        description=_("Separated by spaces, yours and your opponent's"),
        component=field,
    )
    title = _("Match #{match}: trying out turns").format(match=match_id)
    return Form(Press("try-typed", match_id, line.step, digest(line.text)), title, label)

"""The private cards on which a challenge is composed before it is sent: the game, the opponent, the terms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import discord

import rules
from bot.discord.ui import scenes, words
from bot.discord.ui.game_list import game_button, game_list, game_section, rows
from bot.discord.ui.links import lobby_button
from bot.discord.ui.messages import (
    ActionButton,
    Menu,
    Message,
    OutdatedPressError,
    Press,
    compose,
    entity_menu,
    new_view,
    number,
    option_menu,
    read,
)
from bot.domain.challenges import First
from bot.domain.clocks import PRESETS, TimeControl
from bot.domain.players import Player
from bot.texts import gettext as _
from bot.texts import gettext_noop
from bot.texts.durations import time_control
from rules import Ruleset

FIRST = {
    First.RANDOM: gettext_noop("Who opens: at random"),
    First.CHALLENGER: gettext_noop("I open"),
    First.OPPONENT: gettext_noop("My opponent opens"),
}
#: The clocks to choose from, by short names for the ids of the menus.
CLOCKS: dict[str, TimeControl | None] = {
    "none": None,
    **{f"{'turn' if each.per_turn else 'bank'}{round(each.bank.total_seconds())}": each for each in PRESETS},
}
#: Takes the place of the opponent's id where anybody may accept.
ANYBODY = 0


@dataclass(frozen=True, slots=True)
class ChallengeForm:
    """A challenge that has not been sent yet; it is stored in the ids of its menus and buttons."""

    opponent_id: int
    ruleset: Ruleset
    first: First = First.RANDOM
    clock: str = "none"
    rated: bool = True

    def press(self, action: str, level: int = 0) -> Press:
        """The form in the id of a button or menu; with a ``level`` of the computer, to start a game against it."""
        ruleset = self.ruleset
        terms = (ruleset.game.name, ruleset.size, ruleset.variant, self.first, self.clock, int(self.rated))
        return Press(action, self.opponent_id, level, ".".join(map(str, terms)))

    @property
    def control(self) -> TimeControl | None:
        return CLOCKS[self.clock]

    @classmethod
    def of(cls, press: Press) -> ChallengeForm:
        """The form behind a menu.

        Raises :class:`OutdatedPressError` or :class:`rules.UnknownRuleset` for the form of another version.
        """
        terms = press.argument.split(".")
        if len(terms) != 6:
            raise OutdatedPressError
        game, size, variant, first, clock, rated = terms
        if clock not in CLOCKS:
            raise OutdatedPressError
        ruleset = rules.ruleset(game, read(number, size), variant)
        return cls(press.subject, ruleset, read(First, first), clock, rated == "1")


def game_choice(theme: str) -> Message:
    """The first question: which game. Drawing takes a while, so call this outside the event loop."""
    buttons = [game_button(Press("offer-new", 0, 0, name), game) for name, game in rules.GAMES.items()]
    return game_list(_("### ⚔️ Which game?"), _("You choose your opponent next."), theme, buttons, [lobby_button()])


def opponent_choice(form: ChallengeForm, theme: str) -> Message:
    """The second question: whom to challenge, and on which size of board, the usual one first.

    Drawing takes a while, so call this outside the event loop.
    """
    ruleset, game = form.ruleset, form.ruleset.game
    sizes = sorted(game.sizes, key=lambda size: (size != game.default_size, size))
    section, picture = game_section(game, theme, f"### {scenes.sign(game)} {game.title}\n{words.goal(ruleset)}")
    # Clients keep what was chosen under a component's id, which must not be that of a menu of the terms.
    picker: discord.ui.UserSelect[Any] = discord.ui.UserSelect(placeholder=_("Choose an opponent"), id=100)
    anybody = ActionButton(form.press("offer-opponent"), _("Anybody here"), discord.ButtonStyle.primary, "👋")
    computer = ActionButton(form.press("offer-computer"), _("The computer"), discord.ButtonStyle.primary, "🤖")
    box: discord.ui.Container[Any] = discord.ui.Container(
        section,
        discord.ui.TextDisplay(_("**Size of the board**")),
        *rows([_size_button(form, size) for size in sizes]),
        discord.ui.TextDisplay(_("**Whom do you challenge?**")),
        discord.ui.ActionRow(entity_menu(form.press("offer-opponent"), picker)),
        *rows([anybody, computer, back_button(None)]),
        accent_colour=scenes.colour(game),
    )
    view = new_view()
    view.add_item(box)
    return Message(view, (picture,))


def _size_button(form: ChallengeForm, size: int) -> ActionButton:
    chosen = replace(form, ruleset=replace(form.ruleset, size=size))
    label = _("{size} (usual)") if size == form.ruleset.game.default_size else "{size}"
    style = discord.ButtonStyle.primary if chosen == form else discord.ButtonStyle.secondary
    return ActionButton(chosen.press("offer-board"), label.format(size=size), style)


def challenge_form(form: ChallengeForm, opponent: Player | None) -> Message:
    """The terms, with a menu for each that can be changed; without an ``opponent``, anybody may accept."""
    menus = [_opponent_menu(form), *game_menus(form)]
    clocks = {name: time_control(control) for name, control in CLOCKS.items()} | {"none": _("No clock")}
    menus.append(_menu(form.press("offer-clock"), clocks, form.clock, _("Clock")))
    rated = {"1": _("Rated: for leaderboards"), "0": _("Casual: just for fun")}
    menus.append(_menu(form.press("offer-rated"), rated, str(int(form.rated)), _("Rated")))
    send = ActionButton(form.press("offer-send"), _("Send the challenge"), discord.ButtonStyle.success)
    if opponent is None:
        heading = _("### ⚔️ Challenge anybody here")
    else:
        heading = _("### ⚔️ Challenge {opponent}").format(opponent=words.name(opponent))
    return compose(
        heading,
        _("Change what you like, then send it."),
        menus=tuple(menus),
        buttons=(send, back_button(form)),
        colour=scenes.colour(form.ruleset.game),
    )


def back_button(form: ChallengeForm | None) -> ActionButton:
    """The button that leads back to the choice of the opponent or, without a form, to that of the game."""
    return ActionButton(Press("offer-new", 0) if form is None else form.press("offer-board"), _("Back"))


def game_menus(form: ChallengeForm) -> tuple[Menu, ...]:
    """The menus for what is played and who opens."""
    ruleset, game = form.ruleset, form.ruleset.game
    games = {name: each.title for name, each in rules.GAMES.items()}
    sizes = {
        str(size): (_("Size {size} (usual)") if size == game.default_size else _("Size {size}")).format(size=size)
        for size in game.sizes
    }
    variants = {variant: _("Variant: {variant}").format(variant=_(variant)) for variant in game.variants}
    notes = {variant: _(note) for variant, note in game.variant_notes.items()}
    menus = [
        _menu(form.press("offer-game"), games, game.name, _("Game"), {n: _(g.summary) for n, g in rules.GAMES.items()}),
        _menu(form.press("offer-size"), sizes, str(ruleset.size), _("Size")),
    ]
    if len(variants) > 1:
        menus.append(_menu(form.press("offer-variant"), variants, ruleset.variant, _("Variant"), notes))
    first = {str(each): _(label) for each, label in FIRST.items()}
    menus.append(_menu(form.press("offer-first"), first, form.first, _("Who opens")))
    return tuple(menus)


def _opponent_menu(form: ChallengeForm) -> Menu:
    chosen = [] if form.opponent_id == ANYBODY else [form.opponent_id]
    picker: discord.ui.UserSelect[Any] = discord.ui.UserSelect(
        placeholder=_("Anybody here may accept"),
        min_values=0,
        default_values=[
            discord.SelectDefaultValue(id=each, type=discord.SelectDefaultValueType.user) for each in chosen
        ],
    )
    return entity_menu(form.press("offer-opponent"), picker)


def _menu(
    press: Press, labels: dict[str, str], chosen: str, title: str, notes: Mapping[str, str] | None = None
) -> Menu:
    options = [
        discord.SelectOption(label=label, value=value, description=(notes or {}).get(value), default=value == chosen)
        for value, label in labels.items()
    ]
    return option_menu(press, options, title)

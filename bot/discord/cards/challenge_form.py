"""The private form in which a challenge is composed before it is sent."""

from __future__ import annotations

from dataclasses import dataclass

import discord

import rules
from bot.discord.cards import words
from bot.discord.cards.clock import time_control
from bot.discord.errors import outdated_button
from bot.discord.messages import ActionButton, Menu, Message, Press, compose, option_menu
from bot.domain.challenges import First
from bot.domain.clocks import PRESETS, TimeControl
from bot.domain.players import Player
from bot.texts import gettext as _
from bot.texts import gettext_noop
from rules import Ruleset

FIRST = {
    First.RANDOM: gettext_noop("Decide at random who opens"),
    First.CHALLENGER: gettext_noop("I open"),
    First.OPPONENT: gettext_noop("My opponent opens"),
}
#: The clocks to choose from, by short names for the ids of the menus.
CLOCKS: dict[str, TimeControl | None] = {
    "none": None,
    **{f"{'turn' if each.per_turn else 'bank'}{round(each.bank.total_seconds())}": each for each in PRESETS},
}


@dataclass(frozen=True, slots=True)
class ChallengeForm:
    """A challenge that has not been sent yet; it is stored in the ids of its menus."""

    opponent_id: int
    ruleset: Ruleset
    first: First = First.RANDOM
    clock: str = "none"
    rated: bool = True

    def press(self, action: str) -> Press:
        ruleset = self.ruleset
        terms = (ruleset.game.name, ruleset.size, ruleset.variant, self.first, self.clock, int(self.rated))
        return Press(action, self.opponent_id, argument=".".join(map(str, terms)))

    @property
    def control(self) -> TimeControl | None:
        return CLOCKS[self.clock]

    @classmethod
    def of(cls, press: Press) -> ChallengeForm:
        """The form behind a menu.

        Raises :class:`RefusalError` or :class:`rules.UnknownRuleset` for the form of another version.
        """
        terms = press.argument.split(".")
        if len(terms) != 6:
            raise outdated_button()
        game, size, variant, first, clock, rated = terms
        ruleset = rules.ruleset(game, int(size), variant)
        return cls(press.subject, ruleset, First(first), clock, rated == "1")


def challenge_form(form: ChallengeForm, opponent: Player) -> Message:
    """The form, with a menu for each part that can be chosen."""
    ruleset, game = form.ruleset, form.ruleset.game
    games = {name: each.title for name, each in rules.GAMES.items()}
    sizes = {
        str(size): (_("Size {size} (default)") if size == game.default_size else _("Size {size}")).format(size=size)
        for size in game.sizes
    }
    variants = {variant: words.variant(game, variant) for variant in game.variants}
    menus = [
        _menu(form.press("offer-game"), games, game.name, _("Game")),
        _menu(form.press("offer-size"), sizes, str(ruleset.size), _("Size")),
    ]
    if len(variants) > 1:
        menus.append(_menu(form.press("offer-variant"), variants, ruleset.variant, _("Variant")))
    first = {str(each): _(label) for each, label in FIRST.items()}
    menus.append(_menu(form.press("offer-first"), first, form.first, _("Who opens")))
    clocks = {name: time_control(control) for name, control in CLOCKS.items()}
    menus.append(_menu(form.press("offer-clock"), clocks, form.clock, _("Clock")))
    rated = {"1": _("Rated: it counts for leaderboards"), "0": _("Casual: just for fun")}
    menus.append(_menu(form.press("offer-rated"), rated, str(int(form.rated)), _("Rated")))
    send = ActionButton(form.press("offer-send"), _("Send the challenge"), discord.ButtonStyle.success)
    return compose(
        _("### ⚔️ Challenge {opponent}").format(opponent=words.name(opponent)),
        menus=tuple(menus),
        buttons=(send,),
    )


def _menu(press: Press, labels: dict[str, str], chosen: str, title: str) -> Menu:
    options = [
        discord.SelectOption(label=label, value=value, default=value == chosen) for value, label in labels.items()
    ]
    return option_menu(press, options, title)

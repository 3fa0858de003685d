"""The private card of a new tournament: a round robin or a cup, its game and its terms."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, TypeAlias

import discord

from bot.discord.features.challenges.challenge_form import (
    CLOCKS,
    Clock,
    RulesetField,
    Terms,
    board_terms,
    clock_label,
    menus_of,
)
from bot.discord.posting.cards.tournament import at_once_label
from bot.discord.ui import scenes
from bot.discord.ui.messages import ActionButton, Form, Message, compose, text_field
from bot.discord.ui.presses import Press, user_input
from bot.domain.clocks import DAY, TimeControl
from bot.domain.competitions.cups import STARTS_WITH, WEEKS, Cup
from bot.domain.competitions.tournaments import MAX_AT_ONCE
from bot.texts import gettext as _, ngettext

LONGEST_NAME = 60
#: With a clock, nobody can hold up a tournament for ever.
DEFAULT_CONTROL = TimeControl.banks_of(3 * DAY, DAY)
#: In place of a number of entrants, if the cup starts after a week with everybody who has joined.
AFTER_A_WEEK = 0
_DEFAULT_CLOCK = next(name for name, control in CLOCKS.items() if control == DEFAULT_CONTROL)
_COUNTS = range(1, MAX_AT_ONCE + 1)
_StartsWith: TypeAlias = Annotated[int, range(max(STARTS_WITH) + 1)]
_AtOnce: TypeAlias = Annotated[int, _COUNTS]
_Weeks: TypeAlias = Annotated[int, range(WEEKS[0], WEEKS[-1] + 1)]


@dataclass(frozen=True, slots=True)
class TournamentForm:
    """A tournament before it is opened, stored in the ids of its menus and buttons."""

    ruleset: RulesetField
    is_cup: bool = False
    clock: Clock = _DEFAULT_CLOCK
    starts_with: _StartsWith = 5
    weeks: _Weeks = 3
    reopens: bool = False
    at_once: _AtOnce = 2

    @property
    def control(self) -> TimeControl | None:
        return CLOCKS[self.clock]

    @property
    def cup(self) -> Cup | None:
        return Cup(self.starts_with or None, self.weeks, self.reopens) if self.is_cup else None


class ChangeTournament(Press, action="tournament-with"):
    """Replace the form with a choice from its menus."""

    form: TournamentForm
    menu: int
    new_form: TournamentForm = user_input()


class NameTournament(Press, action="tournament-name"):
    form: TournamentForm


class OpenTournament(Press, action="tournament-open"):
    form: TournamentForm
    name: str = user_input()


def tournament_form(form: TournamentForm) -> Message:
    """The terms of a tournament, with a menu for each."""
    explained = _("Everyone plays everyone else once. You start the tournament when enough players have joined.")
    if form.is_cup:
        explained = _(
            "Up to six players form one group, and everyone plays everyone else once. More players are split "
            "into groups by rating, and the group winners meet. When a match reaches its hard end, whoever used "
            "less time wins."
        )
    return compose(
        _("### 🏟️ A new tournament"),
        explained,
        menus=menus_of(_terms(form), form, lambda number: ChangeTournament(form, number)),
        buttons=(ActionButton(NameTournament(form), _("Name it and open it"), discord.ButtonStyle.success),),
        colour=scenes.GOLD,
    )


def _terms(form: TournamentForm) -> list[Terms[TournamentForm]]:
    clocks = {
        clock_label(control): replace(form, clock=name)
        for name, control in CLOCKS.items()
        if control is not None or not form.is_cup
    }
    cup = replace(form, is_cup=True, clock=_DEFAULT_CLOCK if form.control is None else form.clock)
    terms = [
        Terms(_("Form"), {_("Round robin"): replace(form, is_cup=False), _("Cup"): cup}),
        *board_terms(form.ruleset, lambda ruleset: replace(form, ruleset=ruleset)),
        Terms(_("Clock"), clocks),
        Terms(_("Matches at once"), {at_once_label(count): replace(form, at_once=count) for count in _COUNTS}),
    ]
    if form.is_cup:
        starts = {start_label(count): replace(form, starts_with=count) for count in (*STARTS_WITH, AFTER_A_WEEK)}
        ends = {_weeks_label(weeks): replace(form, weeks=weeks) for weeks in WEEKS}
        reopening = {
            _("When it starts, the next edition opens"): replace(form, reopens=True),
            _("Only one edition"): replace(form, reopens=False),
        }
        terms += [Terms(_("Start"), starts), Terms(_("Hard end"), ends), Terms(_("Next edition"), reopening)]
    return terms


def start_label(count: int) -> str:
    """The start of a cup, for a menu."""
    if count == AFTER_A_WEEK:
        return _("Start: after a week, with everybody")
    return _("Start: as soon as {count} have joined").format(count=count)


def _weeks_label(weeks: int) -> str:
    text = ngettext("Hard end: {count} week after a match began", "Hard end: {count} weeks after a match began", weeks)
    return text.format(count=weeks)


def name_form(form: TournamentForm) -> Form:
    """The form for a tournament's name, which may stay empty."""
    about = _("Without a name, it is named after you.")
    field = text_field("name", _("Name of the tournament"), about, "", LONGEST_NAME, required=False)
    return Form(OpenTournament(form), _("Open a tournament"), field)

"""The private cards of a new challenge: its game, its opponent and its terms."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Generic, TypeAlias, TypeVar

import discord

import rules
from bot.discord.ui import scenes
from bot.discord.ui.actions import StartGame, learn_button
from bot.discord.ui.messages import ActionButton, Menu, Message, compose, option_menu
from bot.discord.ui.presses import Codec, Id, Press, codec_of, one_of, user_input
from bot.discord.ui.scenes import game_aside
from bot.domain.challenges import First
from bot.domain.clocks import PRESETS, TimeControl
from bot.domain.players import Player
from bot.texts import gettext as _, gettext_noop, ngettext
from bot.texts.durations import time_control
from bot.wording import words
from rules import Ruleset
from rules.search import LEVELS

_Form = TypeVar("_Form")
FIRST = {
    First.RANDOM: gettext_noop("Who opens: at random"),
    First.CHALLENGER: gettext_noop("I open"),
    First.OPPONENT: gettext_noop("My opponent opens"),
}
#: The clocks to choose from, by their names in ids.
CLOCKS: dict[str, TimeControl | None] = {
    "none": None,
    **{f"{'turn' if preset.per_turn else 'bank'}{round(preset.bank.total_seconds())}": preset for preset in PRESETS},
}
#: The id in place of an opponent's if anybody may accept.
ANYBODY = 0
Level: TypeAlias = Annotated[int, range(LEVELS[0], LEVELS[-1] + 1)]


def _ruleset(text: str) -> Ruleset:
    game, size, variant, *handicap = text.split("/")
    ruleset = rules.ruleset(game, int(size), variant)
    return rules.with_setup(ruleset, *handicap) if handicap else ruleset


def _ruleset_field(ruleset: Ruleset) -> str:
    terms = [ruleset.game.name, str(ruleset.size), ruleset.variant]
    return "/".join(terms if ruleset.handicap is None else [*terms, str(ruleset.handicap)])


#: A ruleset in the id of a button: the game, the size, the variant and perhaps the handicap.
RulesetField: TypeAlias = Annotated[Ruleset, Codec(_ruleset_field, _ruleset)]
Clock: TypeAlias = Annotated[str, one_of(*CLOCKS)]


@dataclass(frozen=True, slots=True)
class ChallengeForm:
    """A challenge before it is sent, stored in the ids of its menus and buttons."""

    opponent_id: Id
    ruleset: RulesetField
    first: First = First.RANDOM
    clock: Clock = "none"
    rated: bool = True

    @property
    def control(self) -> TimeControl | None:
        return CLOCKS[self.clock]

    def with_handicap(self, stones: int | None) -> ChallengeForm:
        """The form with another handicap or None. A handicap makes the match casual."""
        if stones == self.ruleset.handicap:
            return self
        ruleset = rules.with_setup(replace(self.ruleset, setup=""), "" if stones is None else str(stones))
        if stones is None:
            return replace(self, ruleset=ruleset, rated=True)
        return replace(self, ruleset=ruleset, first=gets_handicap(self.first), rated=False)


def gets_handicap(first: First) -> First:
    """The player who opens and gets the handicap: the opponent, unless the challenger has chosen."""
    return First.OPPONENT if first is First.RANDOM else first


class FormPress(Press):
    form: ChallengeForm


class ChooseBoard(FormPress, action="offer-board"):
    pass


class ChooseComputer(FormPress, action="offer-computer"):
    pass


class ChooseOpponent(FormPress, action="offer-opponent"):
    """Change the opponent in the menu of the terms."""

    opponents: tuple[Id, ...] = user_input()


class ChallengeAnybody(FormPress, action="offer-anybody"):
    """Show the terms of a challenge to anybody."""


class SendChallenge(FormPress, action="offer-send"):
    pass


class SendTo(FormPress, action="offer-to"):
    """Send the challenge to an opponent from a menu."""

    opponent_id: Id = user_input()


class ChooseLevel(FormPress, action="offer-level"):
    level: Level


class ChangeForm(FormPress, action="offer-with"):
    """Replace the form with a choice from its menus."""

    menu: int
    new_form: ChallengeForm = user_input()


def opponent_choice(form: ChallengeForm, level: int, theme: str, *, alone: bool) -> Message:
    """Ask for the opponent; the answer sends the challenge, or starts a match with the computer at the ``level``.

    In a user's conversation with the bot, ``alone``, the bot is the opponent. Renders pictures: call it in a thread.
    """
    game = form.ruleset.game
    # Clients remember choices by a component's id, so this menu has another id than the menus of the terms.
    picker: discord.ui.UserSelect[Any] = discord.ui.UserSelect(
        custom_id=SendTo(form).custom_id, placeholder=_("Challenge a friend"), id=100
    )
    anybody = ActionButton(SendChallenge(form), _("Anybody here"), discord.ButtonStyle.primary, "👋")
    note = _("Your choice sends the challenge at once. You can withdraw it until it is accepted.")
    terms = (ChooseComputer if alone else ChallengeAnybody)(form)
    return compose(
        game_aside(game, theme, f"### {scenes.emoji(game)} {game.title}\n{words.goal(form.ruleset)}"),
        terms_sentence(form),
        "" if alone else _("**Who do you want to play?**"),
        "" if alone else f"-# {note}",
        menus=() if alone else (picker,),
        buttons=(computer_button(form, level), *(() if alone else (anybody,))),
        more_buttons=(learn_button(game), ActionButton(terms, _("Change…")), ActionButton(StartGame(), _("Back"))),
        colour=scenes.colour(game),
    )


def computer_button(form: ChallengeForm, level: int) -> ActionButton:
    """The button that starts a match with the computer at once."""
    label = _("Play the computer, level {level}").format(level=level)
    return ActionButton(ChooseLevel(form, level), label, discord.ButtonStyle.success, "🤖")


def terms_sentence(form: ChallengeForm) -> str:
    """The terms of a challenge, such as “Dalen on the small board, casual, no clock”."""
    ruleset, game = form.ruleset, form.ruleset.game
    boards = {
        game.sizes[0]: _("{game} on the small board"),
        game.sizes[-1]: _("{game} on the large board"),
        game.default_size: _("{game} on the usual board"),
    }
    seats = {First.CHALLENGER: _("you open"), First.OPPONENT: _("your opponent opens")}
    terms = [
        boards.get(ruleset.size, _("{game}, size {size}")).format(game=game.title, size=ruleset.size),
        "" if ruleset.variant == game.variants[0] else _("Variant: {variant}").format(variant=_(ruleset.variant)),
        words.beginning(ruleset),
        seats.get(form.first, ""),
        _("rated") if form.rated else _("casual"),
        _("no clock") if form.control is None else time_control(form.control),
    ]
    return ", ".join(filter(None, terms))


def challenge_form(form: ChallengeForm, opponent: Player | None) -> Message:
    """The terms of a challenge, with a menu for each; without an ``opponent``, anybody may accept."""
    if opponent is None:
        heading = _("### ⚔️ Challenge anybody here")
    else:
        heading = _("### ⚔️ Challenge {opponent}").format(opponent=words.name(opponent))
    picker: discord.ui.UserSelect[Any] = discord.ui.UserSelect(
        custom_id=ChooseOpponent(form).custom_id,
        placeholder=_("Anybody here may accept"),
        min_values=0,
        default_values=[] if form.opponent_id == ANYBODY else [discord.Object(form.opponent_id)],
    )
    send = ActionButton(SendChallenge(form), _("Send the challenge"), discord.ButtonStyle.success)
    return compose(
        heading,
        _("Change what you like, then send it."),
        menus=(picker, *term_menus(form)),
        buttons=(send, ActionButton(ChooseComputer(form), _("The computer"), emoji="🤖"), back_button(form)),
        colour=scenes.colour(form.ruleset.game),
    )


def handicap_label(stones: int) -> str:
    """The name of a handicap in a menu."""
    if stones == 0:
        return _("Handicap: the opener keeps the first side")
    text = ngettext("Handicap: {count} extra piece", "Handicap: {count} extra pieces", stones)
    return text.format(count=stones)


def back_button(form: ChallengeForm) -> ActionButton:
    """The button back to the question for the opponent."""
    return ActionButton(ChooseBoard(form), _("Back"))


def clock_label(control: TimeControl | None) -> str:
    """The name of a clock in a menu."""
    return _("Clock: {clock}").format(clock=_("none") if control is None else time_control(control))


def term_menus(form: ChallengeForm, *, computer: bool = False) -> tuple[Menu, ...]:
    """The menus of the terms. Matches against the ``computer`` have no clock, and are casual."""
    game = form.ruleset.game

    def on(ruleset: Ruleset) -> ChallengeForm:
        other = replace(form, ruleset=ruleset)
        known = ruleset.handicap is None or ruleset.handicap in game.handicaps(ruleset.variant)
        return other if known else other.with_handicap(None)

    handicap = form.ruleset.handicap
    openers = {
        _(label): replace(form, first=first)
        for first, label in FIRST.items()
        if handicap is None or first is not First.RANDOM
    }
    handicaps = {_("No handicap"): form.with_handicap(None)} | {
        handicap_label(stones): form.with_handicap(stones) for stones in game.handicaps(form.ruleset.variant)
    }
    clocks = {clock_label(control): replace(form, clock=name) for name, control in CLOCKS.items()}
    stakes = {_("Rated: for leaderboards"): True, _("Casual: just for fun"): False}
    terms = [
        *board_terms(form.ruleset, on),
        Terms(_("Who opens"), openers),
        Terms(_("Clock"), clocks),
        Terms(_("Rated"), {label: replace(form, rated=rated) for label, rated in stakes.items()}),
        Terms(_("Handicap"), handicaps),
    ]
    if computer:
        del terms[4:]
    elif handicap is not None:
        del terms[5]
    return menus_of(terms, form, lambda number: ChangeForm(form, number))


@dataclass(frozen=True, slots=True)
class Terms(Generic[_Form]):
    """The choices of a menu: labels with the forms that result, and notes on them.

    The selected choice is ``current``, by default the choice that changes nothing.
    """

    title: str
    changes: Mapping[str, _Form]
    notes: Sequence[str | None] = ()
    current: _Form | None = None


def board_terms(ruleset: Ruleset, on: Callable[[Ruleset], _Form]) -> list[Terms[_Form]]:
    """The games, sizes and variants to choose from; ``on`` returns the form with another ruleset."""
    game, label = ruleset.game, _("Game: {game}")
    games = {label.format(game=offered.title): on(rules.ruleset(name)) for name, offered in rules.GAMES.items()}
    sizes = {
        _("Size {size}").format(size=words.size(game, size)): on(replace(ruleset, size=size)) for size in game.sizes
    }
    variants = {
        _("Variant: {variant}").format(variant=_(name)): on(replace(ruleset, variant=name)) for name in game.variants
    }
    return [
        Terms(_("Game"), games, [*map(words.facts, rules.GAMES.values())], games[label.format(game=game.title)]),
        Terms(_("Size"), sizes),
        Terms(_("Variant"), variants, [game.variant_notes.get(name) for name in game.variants]),
    ]


def menus_of(terms: Sequence[Terms[_Form]], form: _Form, press: Callable[[int], Press]) -> tuple[Menu, ...]:
    """The menus of a form's terms, if they offer a choice; ``press`` is called with a menu's number."""
    write = codec_of(type(form)).write
    return tuple(
        option_menu(
            press(number),
            {write(changed): label for label, changed in menu.changes.items()},
            menu.title,
            write(menu.current or form),
            notes={write(to): _(note) for to, note in zip(menu.changes.values(), menu.notes, strict=False) if note},
        )
        for number, menu in enumerate(terms)
        if len(menu.changes) > 1
    )

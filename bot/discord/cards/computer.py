"""The private card on which a level of the computer is chosen, and what is known of the levels."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import discord

import rules
from bot.discord.cards import ratings, scenes, words
from bot.discord.messages import ActionButton, Menu, Message, Press, compose
from bot.domain.matches import Match
from bot.domain.players import computer
from bot.domain.ratings import Rating
from bot.texts import gettext as _
from rules import Ruleset
from rules.search import LEVELS


def level_choice(
    ruleset: Ruleset,
    rated: Mapping[int, Rating],
    suggested: int,
    press: Callable[[int], Press],
    *,
    menus: tuple[Menu, ...] = (),
    back: ActionButton | None = None,
) -> Message:
    """Asks which level to play; the button of a level is the ``press`` for it, the suggested one's comes first.

    The levels are ``rated`` if they have played enough. The game starts at once.
    """
    heading = _("### 🤖 Play the computer: {terms}").format(terms=words.terms(ruleset))
    advice = _("For you I suggest **level {level}**.").format(level=suggested)
    buttons = [
        ActionButton(
            press(level),
            _("Level {level}").format(level=level),
            discord.ButtonStyle.success if level == suggested else discord.ButtonStyle.secondary,
        )
        for level in sorted(LEVELS, key=lambda level: (level != suggested, level))
    ]
    return compose(
        heading,
        advice,
        _listed(rated),
        menus=menus,
        footer=_("A level usually beats the one below it. The match starts at once, is casual and has no clock."),
        buttons=tuple(buttons),
        more_buttons=() if back is None else (back,),
        colour=scenes.colour(ruleset.game),
    )


def suggested_card(match: Match, level: int, whereabouts: str) -> Message:
    """Says privately that a match has begun against the level that was suggested, with a button for another one."""
    return compose(
        _("🤖 You are playing **level {level}**, which I suggest for you.").format(level=level),
        whereabouts,
        footer=_("Until your first turn, you can choose another one."),
        buttons=(ActionButton(Press("other-level", match.id), _("Another level")),),
        colour=scenes.colour(match.ruleset.game),
    )


def busy_card(text: str, weaker: int, press: Callable[[int], Press]) -> Message:
    """Says in a text that there is no room for a game at some level, with the ``press`` for one at a ``weaker`` one."""
    button = ActionButton(press(weaker), _("Level {level}").format(level=weaker), discord.ButtonStyle.success)
    return compose(text, buttons=(button,))


def levels_card(rated: Mapping[str, Mapping[int, Rating]]) -> Message:
    """The profile of the computer: the ratings of its levels, by game."""
    lines = [f"**{rules.GAMES[game].title}** {_listed(levels, short=True)}" for game, levels in rated.items() if levels]
    return compose(
        "### 🤖 Hexgrove",
        _("I play every game at five levels. {challenge} with me as the opponent, or {play}, starts a match.").format(
            challenge=words.command("challenge"), play=words.command("play")
        ),
        "\n".join(lines),
        footer=_("The ratings follow from the levels' matches against people, whose ratings do not change."),
    )


def _listed(rated: Mapping[int, Rating], *, short: bool = False) -> str:
    """The levels that have a rating, each with it."""
    if short:
        return " · ".join(f"{level}: {ratings.rating(rating)}" for level, rating in rated.items())
    return "\n".join(f"{words.name(computer(level))} · {ratings.rating(rating)}" for level, rating in rated.items())

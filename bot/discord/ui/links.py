"""Buttons that lead to another card, and what they are named after."""

from __future__ import annotations

import enum

import discord

import rules
from bot.discord.ui import presses, words
from bot.discord.ui.messages import ActionButton, Press
from bot.discord.ui.presses import GameType, Id
from bot.domain.matches import Match
from bot.domain.preferences import BoardCards
from bot.texts import current_language
from bot.texts import gettext as _
from rules import Position
from rules.pages import COMMON, RULES, sections

#: What is shown of a match: a position, an animation of the whole match, or its key positions.
BOARD, ANIMATION, SHEET = "board", "film", "sheet"

#: The page that all games share, in the ids of buttons.
SHARED = "common"


class OpenTurn(presses.Press, action="play"):
    """Go on with the turn on the board of that step or, if nothing is chosen yet, begin it in an area."""

    match_id: Id
    step: int
    area: int | None = None


class OpenCurrentTurn(presses.Press, action="open-turn"):
    """Go on with the turn on the current board, whichever board the card showed."""

    match_id: Id


class PlayTurn(presses.Press, action="turn"):
    """Play a turn on the board of that step."""

    match_id: Id
    step: int
    turn: str


class TypeTurn(presses.Press, action="type"):
    """Type a turn on the board of that step."""

    match_id: Id
    step: int


class TryTurns(presses.Press, action="try"):
    """Try turns from the position after so many turns of a match."""

    match_id: Id
    ply: int


class Way(enum.StrEnum):
    """How one comes to a task; each button of a card has another one, for several may lead to the same task."""

    BESIDE = "beside"
    BACK = "back"
    AGAIN = "again"
    NEXT = "next"
    LOBBY = "lobby"


class OpenTask(presses.Press, action="task"):
    """Open a task of a game; the first one is number 0."""

    game: GameType
    number: int = 0
    way: Way = Way.BESIDE


class NextPuzzle(presses.Press, action="puzzle-next"):
    """Show another puzzle, of a game or any."""

    game: GameType | None = None


def name_of(page: str) -> str:
    """Return the rule page that a button or choice stands for."""
    return COMMON if page == SHARED else f"{page}{RULES}"


def choice_of(page: str) -> str:
    """Return the button or choice that stands for a rule page."""
    return SHARED if page == COMMON else page.removesuffix(RULES)


def choices() -> dict[str, str]:
    """Return the titles of the rule pages, by their names in buttons and choices."""
    return {**{name: game.title for name, game in rules.GAMES.items()}, SHARED: _("What all games share")}


def contents(name: str) -> dict[str, str]:
    """Return the titles of a page's sections, by their anchors."""
    return {each.anchor: words.plain(each.title) for each in sections(name_of(name), current_language())}


def rule_button(rule: str) -> ActionButton:
    """The button that opens the rule behind a refusal, given as a link such as ``dalen/rules.md#passing``."""
    page, _md, anchor = rule.partition(".md#")
    name = choice_of(page)
    title = contents(name)[anchor]
    return ActionButton(
        Press("rule", 0, 0, f"{name}.{anchor}"), _("Rules · {title}").format(title=title)[:80], emoji="📖"
    )


def learn_button(game: type[Position]) -> ActionButton:
    """The button that opens the tasks of a game in a private card."""
    return ActionButton(OpenTask(game), _("Learn {game}").format(game=game.title), emoji="🎓")


def five_cards_button(name: str, way: str = "") -> ActionButton:
    """The button that opens the lessons of a game, beside the card or, by a ``way``, in its place."""
    return ActionButton(Press("learn", 0, 0, f"{name}.{way}" if way else name), _("Rules in five cards"), emoji="📖")


def start_button(name: str = "") -> ActionButton:
    """The button that starts a game, of that name or one that is still to be chosen."""
    return ActionButton(Press("offer-new", 0, 0, name), _("Start a game"), discord.ButtonStyle.success, "⚔️")


def puzzles_button(name: str = "") -> ActionButton:
    """The button that shows a puzzle, of the game of that name or any."""
    return ActionButton(NextPuzzle(rules.GAMES.get(name)), _("Puzzles"), emoji="🧩")


def lobby_button() -> ActionButton:
    """The button that leads back to the lobby."""
    return ActionButton(Press("lobby", 0), _("Back"))


def first_steps(name: str = "") -> tuple[ActionButton, ...]:
    """The buttons for somebody who has nothing to look at yet: start a game, of that name or any, and learn it."""
    if name:
        return start_button(name), learn_button(rules.GAMES[name])
    return start_button(), ActionButton(Press("lobby-learn", 0), _("Learn"), discord.ButtonStyle.primary, "🎓")


def games_button() -> ActionButton:
    """The button that shows somebody their running matches."""
    return ActionButton(Press("my-games", 0), _("My games"), emoji="🎲")


def review_button(match: Match, ply: int = 0) -> ActionButton:
    """The button that has a match that is over reviewed, and shows the turn of that number if it decided something."""
    return ActionButton(Press("review", match.id, ply), _("Review"), emoji="🔍")


def challenges_button(count: int) -> ActionButton:
    """The button that opens the list of challenges."""
    return ActionButton(Press("challenges", 0, 1), _("Open challenges: {count}").format(count=count), emoji="⚔️")


def board_cards_button(match: Match, now: BoardCards) -> ActionButton:
    """Chooses for a match, for which it is one way ``now``, the other way of showing it."""
    label = _("A card every turn") if now is BoardCards.LIVING else _("One living card")
    return ActionButton(Press("board-cards", match.id, match.step, now.other), label, emoji="🗂️")


def time_button(match: Match) -> tuple[ActionButton, ...]:
    """The button that opens the panel, in matches with a clock."""
    return () if match.clock is None else (ActionButton(Press("time", match.id, match.step), _("Time"), emoji="⏳"),)


def privacy_button() -> ActionButton:
    """The button of the settings that opens the panel."""
    return ActionButton(Press("privacy", 0), _("Privacy"))


def hours_button() -> ActionButton:
    """The button of the settings that opens the form."""
    return ActionButton(Press("my-hours", 0), _("Quiet hours and digest"), emoji="🌙")


def more_button(match: Match) -> ActionButton:
    """The button that opens everything else that a match has, in private."""
    return ActionButton(Press("more", match.id, match.step), _("More…"))


def hint_button(press: presses.Press | Press) -> ActionButton:
    """The button that asks the computer what it would do."""
    return ActionButton(press, _("Hint"), emoji="💡")

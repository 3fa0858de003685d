"""The actions of buttons that lead to other cards, the buttons, and the names of rule pages in their ids."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, TypeAlias

import discord

import rules
from bot.discord.ui.messages import ActionButton
from bot.discord.ui.presses import GameType, Id, Press, user_input
from bot.domain.matches import Match
from bot.domain.preferences import BoardCards, Confirmation
from bot.texts import current_language, gettext as _
from bot.wording.sentence import Sentence
from rules import Position
from rules.pages import COMMON, RULES, sections

#: The page that all games share, in the ids of buttons.
SHARED = "common"
#: A rule page by name, and a section of it by anchor, in the ids of buttons.
PageName: TypeAlias = Annotated[str, 20]
Anchor: TypeAlias = Annotated[str, 50]


class View(StrEnum):
    """A view of a match: a position, an animation of the whole match, or its key positions."""

    BOARD = "board"
    ANIMATION = "film"
    SHEET = "sheet"


class Decision(StrEnum):
    """The answers to a challenge or a proposal."""

    ACCEPT = "accept"
    DECLINE = "decline"
    WITHDRAW = "withdraw"


class AboutMatch(Press):
    match_id: Id


class OnBoard(AboutMatch):
    """A press on the board of a match at a step."""

    step: int


class ReadPage(Press, action="rules"):
    page: PageName
    leaf: int = 0


class ReadSection(Press, action="rules-section"):
    """Open a section of a rule page, in place of the pressed card or beside it."""

    page: PageName
    anchor: Anchor = user_input()
    in_place: bool = True


class ReadLesson(Press, action="learn"):
    """Open the tasks of a lesson; earlier versions showed lessons on cards of their own."""

    game: GameType
    lesson: int = 0
    in_place: bool = False


class StartGame(Press, action="offer-new"):
    game: GameType | None = None


class OpenLobby(Press, action="lobby"):
    pass


class OpenPlayAnyone(Press, action="anyone"):
    """Show the user's standing request to play anyone."""


class PauseAfterMatch(AboutMatch, action="anyone-no-more"):
    """A press below a match: find the player no further opponents for now."""


class AskToBlock(AboutMatch, action="anyone-ask-block"):
    """Ask whether to block the opponent of a match with someone from elsewhere."""


class RemoveFromHere(AboutMatch, action="anyone-remove"):
    """A moderator's press: let the match go on in the player's conversation with the bot."""


class ChooseTasks(Press, action="lobby-learn"):
    pass


class OpenGames(Press, action="my-games"):
    pass


class ReadReview(AboutMatch, action="review"):
    """Open the review of a match, at the turn ``ply`` if that was a turning point."""

    ply: int = 0


class OpenReplay(AboutMatch, action="replay"):
    """Show a position, or the whole match. The ``key`` distinguishes the buttons of a card."""

    ply: int = user_input()
    view: View = View.BOARD
    key: Annotated[str, 5] = ""


class ChooseReplay(Press, action="replay-open"):
    """Open the replay of a match from its card or from a list."""

    match_id: Id = user_input()


class Share(AboutMatch, action="share"):
    ply: int
    view: View


class Download(AboutMatch, action="download"):
    """Get the record of a match as a text file."""


class DownloadAll(Press, action="download-all"):
    """Get the records of all the user's finished matches as a text file."""


class ListChallenges(Press, action="challenges"):
    page: int


class ChooseBoardCards(AboutMatch, action="board-cards"):
    cards: BoardCards


class OpenPage(AboutMatch, action="page"):
    """Ask for the address of a match's page: to play there, or for others to watch."""


class OpenClock(AboutMatch, action="time"):
    pass


class OpenPrivacy(Press, action="privacy"):
    pass


class OpenPrograms(Press, action="programs"):
    pass


class OpenHours(Press, action="my-hours"):
    pass


class SetConfirmation(Press, action="my-confirmation"):
    confirmation: Confirmation = user_input()


class More(OnBoard, action="more"):
    pass


class EvenMore(OnBoard, action="even-more"):
    """Show what players rarely need in a match."""


class AskHint(OnBoard, action="hint"):
    pass


class Resign(OnBoard, action="resign"):
    pass


class Close(Press, action="keep-playing"):
    pass


class OpenTurn(AboutMatch, action="play"):
    """Continue the turn on the board at a step, by default the current board, or begin it in an area."""

    step: int | None = None
    area: int | None = None


class PlayTurn(OnBoard, action="turn"):
    turn: str


class TypeTurn(OnBoard, action="type"):
    pass


class TryTurns(AboutMatch, action="try"):
    """Try turns from a position of a match."""

    ply: int


class WriteNote(AboutMatch, action="note"):
    """Open the form for a player's note on a match."""


class ListImports(Press, action="imports"):
    """Show a page of the user's imported records."""

    page: int = 1


class AskToDeleteImport(AboutMatch, action="import-delete"):
    """Ask whether to delete an imported record."""


class Origin(StrEnum):
    """What a position to continue from belongs to."""

    MATCH = "match"
    PUZZLE = "puzzle"
    TASK = "task"
    LESSON = "lesson"


class ContinueFrom(Press, action="continue"):
    """Ask for an opponent to continue from a position.

    For a match, ``name`` is its number, and ``at`` the number of turns played. For a puzzle, ``name`` is its key. For a
    task or lesson, ``name`` is its game, and ``at`` its number.
    """

    origin: Origin
    name: Annotated[str, 20]
    at: int


class OpenPlan(AboutMatch, action="plan"):
    """Show a player's plan for a match."""


class OpenTask(Press, action="task"):
    """Open a task of a game, counted from 0, in place of the pressed card or beside it."""

    game: GameType
    number: int = 0
    in_place: bool = False


class NextPuzzle(Press, action="puzzle-next"):
    """Show another puzzle, by default of any game."""

    game: GameType | None = None


def name_of(page: str) -> str:
    """The page's name in :mod:`rules.pages`, by its name in buttons and choices."""
    return COMMON if page == SHARED else f"{page}{RULES}"


def choice_of(page: str) -> str:
    """The page's name in buttons and choices, by its name in :mod:`rules.pages`."""
    return SHARED if page == COMMON else page.removesuffix(RULES)


def choices() -> dict[str, str]:
    """The titles of the rule pages, by name in buttons and choices."""
    return {**{name: game.title for name, game in rules.GAMES.items()}, SHARED: _("What all games share")}


def contents(name: str) -> dict[str, str]:
    """The titles of a page's sections, by anchor."""
    return {section.anchor: Sentence(section.title).plain for section in sections(name_of(name), current_language())}


def rule_button(rule: str) -> ActionButton:
    """The button to the rule behind a refusal, given as a link such as ``dalen/rules.md#passing``."""
    page, _md, anchor = rule.partition(".md#")
    name = choice_of(page)
    return ActionButton(ReadSection(name, anchor, in_place=False), _("Rules"), emoji="📖")


def learn_button(game: type[Position]) -> ActionButton:
    return ActionButton(OpenTask(game), _("Learn in 3 minutes"), emoji="🎓")


def rules_button(game: type[Position]) -> ActionButton:
    """The button to the beginning of a game's rules."""
    first = next(iter(contents(game.name)))
    return ActionButton(ReadSection(game.name, first, in_place=False), _("Rules"), emoji="📖")


def start_button(game: type[Position] | None = None) -> ActionButton:
    return ActionButton(StartGame(game), _("Start a game"), discord.ButtonStyle.success, "⚔️")


def puzzles_button(game: type[Position] | None = None) -> ActionButton:
    return ActionButton(NextPuzzle(game), _("Puzzles"), emoji="🧩")


def anyone_button() -> ActionButton:
    return ActionButton(OpenPlayAnyone(), _("Play anyone"), emoji="🌍")


def stranger_buttons(match: Match) -> tuple[ActionButton, ...]:
    """The buttons below a match with someone from elsewhere."""
    if match.apart is None:
        return ()
    return (
        ActionButton(PauseAfterMatch(match.id), _("No more for now"), emoji="⏸️"),
        ActionButton(AskToBlock(match.id), _("Block"), emoji="🚫"),
    )


def lobby_button() -> ActionButton:
    return ActionButton(OpenLobby(), _("Back"))


def starting_buttons(name: str = "") -> tuple[ActionButton, ...]:
    """The buttons for a player without matches: start and learn the named game, or any."""
    learn = ActionButton(ChooseTasks(), _("Learn"), discord.ButtonStyle.primary, "🎓")
    game = rules.GAMES.get(name)
    return start_button(game), learn if game is None else learn_button(game)


def page_button(match: Match, style: discord.ButtonStyle = discord.ButtonStyle.secondary) -> ActionButton:
    """The button to a match's page, where players tap the board."""
    return ActionButton(OpenPage(match.id), _("Tap the board"), style, "🖐️")


def note_button(match: Match) -> ActionButton:
    return ActionButton(WriteNote(match.id), _("Note"), emoji="📝")


def continue_button(origin: Origin, name: object, at: int) -> ActionButton:
    """The button that starts a match from a position; :class:`ContinueFrom` explains the fields."""
    return ActionButton(ContinueFrom(origin, str(name), at), _("Continue from here"), emoji="⏩")


def games_button() -> ActionButton:
    return ActionButton(OpenGames(), _("Your matches"), emoji="🎲")


def challenges_button(count: int) -> tuple[ActionButton, ...]:
    """The button to the challenges that a player can accept; none without them."""
    label = _("Open challenges: {count}").format(count=count)
    return (ActionButton(ListChallenges(1), label, emoji="⚔️"),) if count else ()


def review_button(match: Match, ply: int = 0) -> ActionButton:
    """The button to the review of a finished match; :class:`ReadReview` explains ``ply``."""
    return ActionButton(ReadReview(match.id, ply), _("Review"), emoji="🔍")


def board_cards_button(match: Match, now: BoardCards) -> ActionButton:
    """The button that changes how the board of a match is shown."""
    label = _("New card each turn") if now is BoardCards.LIVING else _("One living card")
    return ActionButton(ChooseBoardCards(match.id, now.other), label, emoji="🗂️")


def more_button(match: Match) -> ActionButton:
    return ActionButton(More(match.id, match.step), _("More…"))


def hint_button(press: Press) -> ActionButton:
    return ActionButton(press, _("Hint"), emoji="💡")

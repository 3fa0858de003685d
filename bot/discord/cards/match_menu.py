"""What a match has besides the next turn: the private card *More…*, and the board with marks."""

from __future__ import annotations

import discord

import render
from bot.discord.cards import words
from bot.discord.cards.board_cards import board_cards_button
from bot.discord.cards.clock import time_button
from bot.discord.cards.match import footer, more_button, offered
from bot.discord.cards.rulebook import rule_button
from bot.discord.cards.turn_builder import hint_button
from bot.discord.messages import ActionButton, Message, Picture, Press, compose, option_menu
from bot.domain.matches import Game, Match
from bot.domain.preferences import BoardCards
from bot.domain.proposals import ProposalKind
from bot.texts import gettext as _
from rules import Phase


def menu_card(
    game: Game, viewer_id: int, *, may_overrule: bool = False, board_cards: BoardCards | None = None
) -> Message:
    """Everything that somebody can look up about a match and, if they play in it, do about it.

    Who ``may_overrule`` the players can end the match. ``board_cards`` is how it is shown, if it is.
    """
    match, position = game.match, game.position
    sections = position.sections
    rule = sections.opening if position.phase in (Phase.OPENING, Phase.CHOICE) else sections.turn
    look_up = [
        rule_button(rule),
        ActionButton(Press("marks", match.id, match.step), _("Marks on the board"), emoji="🔎"),
        ActionButton(Press("try", match.id, game.ply), _("Try turns"), emoji="🧪"),
    ]
    if game.turns:
        look_up.append(ActionButton(Press("replay", match.id, game.ply, "last"), _("Replay"), emoji="🎞️"))
    running = match.result is None
    if running and match.computer is not None and game.to_act is not None and game.to_act.id == viewer_id:
        look_up.append(hint_button(Press("hint", match.id, match.step)))
    plays = running and match.has_player(viewer_id)
    ask = _requests(game, viewer_id) if plays else []
    if running:
        ask += time_button(match)
    if plays and board_cards is not None:
        ask.append(board_cards_button(match, board_cards))
    end = []
    if plays or (running and may_overrule):
        label = _("Resign…") if plays else _("End this match…")
        press = Press("resign", match.id, match.step)
        end.append(ActionButton(press, label, discord.ButtonStyle.danger))
    return compose(
        f"### {match.ruleset.game.title} · {words.versus(match)}",
        words.goal(match.ruleset),
        footer=footer(game),
        keypad=(tuple(look_up), tuple(ask)),
        buttons=tuple(end),
    )


def _requests(game: Game, player_id: int) -> list[ActionButton]:
    """What a player can ask of the opponent."""
    match, buttons = game.match, []
    if match.waiting:
        return []
    if game.turns:
        press = Press("propose", match.id, match.step, "take-back")
        buttons.append(ActionButton(press, _("Take back"), emoji="↩️"))
    draw = _("Accept the draw") if offered(match, ProposalKind.DRAW, player_id) else _("Offer a draw")
    buttons.append(ActionButton(Press("propose", match.id, match.step, "draw"), draw, emoji="🤝"))
    return buttons


def overlay_titles(match: Match) -> dict[str, str]:
    """The overlays of the match's game, each in words."""
    titles = render.overlay_titles(match.ruleset.game)
    return {name: _(title)[:1].upper() + _(title)[1:] for name, title in titles.items()}


def marked_board(
    game: Game, board: Picture, overlay: str, cell: int | None, link: str | None, buttons: tuple[ActionButton, ...] = ()
) -> Message:
    """The board with an overlay, what its marks mean, and the menu of the others; ``cell`` is what it is about."""
    match = game.match
    about = "" if cell is None else game.position.board.name(cell)
    titles, legends = overlay_titles(match), render.overlay_legends(match.ruleset.game)
    marked = " · ".join(filter(None, [titles[overlay], about]))
    options = [
        discord.SelectOption(label=title[:100], value=name, default=name == overlay) for name, title in titles.items()
    ]
    return compose(
        f"### 🔎 {marked}",
        _(legends[overlay]) if overlay in legends else "",
        _("[Jump to the match]({link})").format(link=link) if link else "",
        picture=board,
        footer=footer(game),
        menus=(option_menu(Press("marks", match.id, match.step, about), options, _("Marks on the board")),),
        buttons=(more_button(match), *buttons),
    )

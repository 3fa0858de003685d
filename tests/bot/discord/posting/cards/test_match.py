"""The buttons of a running match's card."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import discord
import pytest

import render
import rules
from bot.discord.posting.cards.match import board_picture, match_card
from bot.discord.ui.markdown import CommandMentions
from bot.domain.matches import Game
from rules import PASS
from tests.support.games import PASSING
from tests.support.services.matches import MATCH


@pytest.fixture(autouse=True)
def _no_drawing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("render.describe", lambda *_args, **_options: "")


def game_after(*turns: str, game: str = "dalen", size: int = 5) -> Game:
    ruleset = rules.ruleset(game, size)
    match = replace(MATCH, ruleset=ruleset, ply=len(turns), step=len(turns))
    position = ruleset.start()
    events: tuple[rules.Event, ...] = ()
    for turn in turns:
        position, events = position.play(turn)
    return Game(match, turns, position, events)


def buttons(game: Game, *, has_page: bool = True) -> Iterator[tuple[str, bool]]:
    """The labels of the buttons, and whether they are blue."""
    watch = "https://example.org/m/1" if has_page else None
    picture = board_picture(game, render.DEFAULT_LOOK, draw=False)
    card = match_card(game, picture, CommandMentions(), has_page=has_page, watch=watch)
    for button in card.view.walk_children():
        if isinstance(button, discord.ui.Button):
            yield button.label or "", button.style is discord.ButtonStyle.primary


@pytest.mark.parametrize(
    ("game", "labels"),
    [
        (game_after(), ["Tap the board", "Without the page", "Type it", "More…", "Watch"]),
        (game_after("e5", "dark"), ["Tap the board", "Without the page", "Type it", "More…", "Watch"]),
        (
            game_after("g7", "black", game="hedu", size=7),
            ["Tap the board", "Without the page", "Type it", "Pass", "More…", "Watch"],
        ),
    ],
)
def test_a_turn_begins_with_the_only_blue_button_on_the_page(game: Game, labels: list[str]) -> None:
    shown = list(buttons(game))
    assert [label for label, _blue in shown] == labels
    assert [label for label, blue in shown if blue] == ["Tap the board"]


def test_a_side_and_a_forced_pass_take_one_press() -> None:
    choice, forced = game_after("e5"), game_after(*PASSING)
    assert forced.position.legal_turns == (PASS,)
    assert list(buttons(choice))[:3] == [("Play Dark", True), ("Play Light", True), ("Tap the board", False)]
    assert list(buttons(forced))[:2] == [("Pass", True), ("Tap the board", False)]


def test_without_pages_the_card_offers_the_keys() -> None:
    shown = list(buttons(game_after("e5", "dark"), has_page=False))
    assert shown == [(label, label == "Play") for label in ("Play", "a–c", "d–f", "g–i", "Type it", "More…")]
